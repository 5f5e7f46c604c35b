/* Why a device was idle: a partition of its idle time, so that the rows sum to it exactly.
 *
 *   edge   before its first or behind its last event (only in a window wider than they are)
 *   graph  between two events of one launch: inside a graph, or inside a module's run
 *   copy   a copy comes next, and its call has begun
 *   queue  something was launched and waits: for a stream, an event, a dependency, the launch's own latency
 *   host   nothing was pending: the host had not launched, or was still in the launching call */
#ifndef IDLE_H
#define IDLE_H
#include "threads.h"

enum idle_cause { IDLE_HOST, IDLE_QUEUE, IDLE_GRAPH, IDLE_COPY, IDLE_EDGE };
struct idle {
    uint32_t plane, cause;
    uint32_t line, name; /* the host thread and what it was in, innermost; EV_NONE: nothing recorded */
    uint32_t sample;     /* one of those events */
    int64_t idle_ps;
    uint64_t count; /* stretches of idle time */
};
struct idles {
    struct idle *row; /* by plane, then most time first */
    size_t n, cap;
    struct map key;
};
/* Add the rows of one device; `window` as in budget_of_device. */
void idle_of_device(struct idles *out, const struct events *t, const struct launches *l, struct threads *h,
                    uint32_t plane, struct ivl window);
void idle_sort(struct idles *out);
void idle_free(struct idles *out);
const char *idle_word(unsigned cause);
#endif
