/* Memory estimated from scheduled HLO alone, where there is no plan (spec: liveness from HLO).
 *
 * The estimate is a plan like any other: fixed buffers in allocations of their own, temporaries in one
 * allocation per memory space, and a heap trace.  live_run replays it with event_time as the clock.  Sizes of
 * temporary allocations stay unknown (-1): fragmentation is not in an estimate. */
#ifndef LIVE_HLO_H
#define LIVE_HLO_H
#include "live.h"

struct live_estimate {
    struct plan *plan;   /* owns the module; freed by live_estimate_free */
    int64_t *event_time; /* of each of plan->event, in numbers of the clock */
    int64_t end_time;    /* how many numbers there are */
    uint64_t unsized;    /* values of unknown size: they count nothing */
    bool gave_up;        /* too many outputs: not all temporaries were tried in their memory */
};
/* Takes the module over.  A module without an entry gives an empty plan. */
void live_estimate(struct hlo_module *m, struct live_estimate *out);
void live_estimate_free(struct live_estimate *e); /* NULL is accepted */
#endif
