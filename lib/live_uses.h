/* When the values that are held at the peak are really used: what is held over the peak but idle there could
 * be dropped and made again. */
#ifndef LIVE_USES_H
#define LIVE_USES_H
#include "live.h"

struct live_idle {
    uint32_t from, to; /* steps in which nothing uses it, the peak among them; from > to: it is in use */
};
/* One entry per hold of l.  With the plan's program (plan->hlo) from the uses in its schedule, a loop
 * counting as one use; without it a value is taken to be used when it is made and when it is freed only: an
 * upper bound. */
struct live_idle *live_idle(const struct live *l); /* free() it */
#endif
