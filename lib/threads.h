/* What host threads were doing: the innermost event at each instant, and which threads belong together.
 *
 * A profiler writes one thread as several lines: API calls on `Host Threads/N`, XLA's own ranges on the line
 * of the thread that makes them.  A struct threads owns its segments and refers to the events. */
#ifndef THREADS_H
#define THREADS_H
#include "launch.h"

struct thread_piece {
    int64_t a, b;
    uint32_t event; /* innermost in [a, b) */
};
struct thread {
    struct thread_piece *piece;
    size_t n, cap;
    bool made;
    uint32_t partner;          /* line whose ranges contain this line's calls; EV_NONE */
    bool partner_known, taken; /* taken: it is another line's partner */
};
struct threads {
    const struct events *t;
    struct thread *line; /* by line number; empty for lines of devices */
    uint32_t driver; /* the line with the step annotations, else most dispatches and python frames; EV_NONE */
    bool *is_op;     /* by name: instructions of device work; XLA's thunks have ranges of these names */
};
struct threads threads_of(const struct events *t); /* needs EV_HOST, EV_STEP and the API classes kept */
void threads_free(struct threads *h);

const struct thread *thread_line(struct threads *h, uint32_t line);
uint32_t thread_partner(struct threads *h, uint32_t line); /* of a line with API calls */
/* The piece that holds t or begins behind it; n: none. */
size_t thread_piece_from(const struct thread *l, int64_t t);

/* python ($file:line frame), pjit, api, step, wait (np.asarray, block_until_ready), xla (its own ranges),
 * annotation (the rest: a user's TraceAnnotation, or a range we do not know). */
const char *thread_kind(const struct threads *h, const struct event *v);
bool thread_is_compile(struct str name); /* compiling, tracing, lowering, autotuning */
bool thread_is_wait(struct str name);    /* a host call that waits for a device */
#endif
