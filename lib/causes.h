/* What the step's length could be without this or that: each cause is taken away from the pieces of the step
 * and the path found again.  A guess: nothing was run.
 *
 * A struct causes owns its rows; texts are cells. */
#ifndef CAUSES_H
#define CAUSES_H
#include "path.h"

enum cause_kind {
    CAUSE_HOST,     /* one host event, by name: python, an annotation, a wait */
    CAUSE_DISPATCH, /* one of XLA's or jax's own ranges, by name */
    CAUSE_COMPILE,
    CAUSE_LAUNCH,   /* launching calls, and from the call to its first kernel */
    CAUSE_HOST_GAP, /* a launching thread with nothing recorded */
    CAUSE_COLLECTIVE,
    CAUSE_COPY,
    CAUSE_GAP,       /* between kernels */
    CAUSE_STRAGGLER, /* one device's work takes longer than the others' */
    CAUSE_LAYOUT,
    CAUSE_REMAT,
    CAUSE_ROOF, /* one instruction under its roof */
    CAUSE_KINDS
};
struct cause {
    enum cause_kind kind;
    uint32_t name;      /* of the host event or instruction; EV_NONE */
    uint32_t plane;     /* of a straggler */
    double factor;      /* its pieces take so much of their time: 0, or for stragglers and roofs a share */
    int64_t path_ps;    /* of the critical path, as much as would go */
    int64_t without_ps; /* the step without it */
    uint32_t overlaps;  /* bits: causes (by rank) whose saving is partly the same */
};
struct causes {
    struct cause *row; /* largest saving first */
    size_t n, cap;
    int64_t step_ps;
};
/* Share of its roof that an instruction reaches, by name; 1 or NAN: not known. */
typedef double cause_roof(void *context, uint32_t op);
enum { CAUSES_MOST = 16 };
struct causes causes_find(const struct path *p, const struct threads *h, const struct steps *s,
                          cause_roof *roof, void *context);
void causes_free(struct causes *c);

const char *cause_word(enum cause_kind k);
const char *cause_assumption(enum cause_kind k);
const char *cause_knob(enum cause_kind k, bool tpu);
#endif
