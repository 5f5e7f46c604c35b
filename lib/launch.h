/* Host calls joined to what they put on a device.
 *
 * The join is the correlation id within a process; a graph launch has all its kernels under one id.  TPUs
 * have none: there a module's run id joins it to the call that enqueued it, and the module stands for its
 * ops. A struct launches owns its arrays and refers to the events it was made from. */
#ifndef LAUNCH_H
#define LAUNCH_H
#include "events.h"
#include "ivl.h"

struct launch {
    uint32_t host;      /* event number of the call */
    uint32_t count;     /* device events it launched; of a module's run the ops inside */
    uint32_t first;     /* the device event that starts first, or the run; EV_NONE: none was found */
    uint32_t plane;     /* of that event; EV_NONE */
    uint32_t program;   /* the call's, else that of its device events; EV_NONE */
    int64_t start, end; /* of its device events, first start and last end */
    bool graph;         /* one call, many kernels by design */
};
struct launches {
    struct launch *launch; /* in order of the host events */
    size_t n;
    uint32_t *of;    /* per event: the number of its launch; EV_NONE: a host event, or unmatched */
    uint32_t *order; /* launches with device events, plane after plane: order[from[p] .. from[p+1]) */
    uint32_t *from;
    uint64_t ambiguous; /* module runs that two calls could have started: left unmatched */
    uint64_t duplicate; /* calls that share their id with another call of the process */
};
struct launches launch_join(const struct events *t);
/* Device events that name no program (AMD's graph kernels) get that of their call. */
void launch_give_programs(struct events *t, const struct launches *l);
void launch_free(struct launches *l);

/* Picoseconds; they may be negative where clocks differ, and are never clamped. */
static inline int64_t launch_to_start(const struct events *t, const struct launch *l)
{
    return l->start - t->event[l->host].start;
}
static inline int64_t launch_end_to_start(const struct events *t, const struct launch *l)
{
    return l->start - event_end(&t->event[l->host]);
}
/* A launching call without device events, though it should have some. */
bool launch_missing(const struct events *t, const struct launch *l);
/* Is the device event the first one of its launch?  Its row carries the call's time: once per launch. */
static inline bool launch_is_first(const struct launches *l, uint32_t event)
{
    return l->of[event] != EV_NONE && l->launch[l->of[event]].first == event;
}
#endif
