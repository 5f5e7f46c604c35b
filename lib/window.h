/* A window: device events without an annotation, between two instructions that are known, are laid along the
 * schedule at the least cost.
 *
 * The cost of a placement is what it leaves unexplained: instructions passed over, events that no instruction
 * claims, loops begun or ended in the middle of one graph launch.  All placements of least cost are looked
 * at: an event that they put on different instructions is a tie and stays unplaced (spec: matching 7, 9.10).
 */
#ifndef WINDOW_H
#define WINDOW_H
#include "schedule.h"

struct window_event {
    uint32_t name;    /* in the schedule's names; MAP_NONE: no kernel of this program is called that */
    uint32_t suffix;  /* the number behind "__", if the name is only known without it; else 0 */
    struct kernel is; /* what the name alone says */
    bool first;       /* of its launch */
};

enum placed_how { PLACED_NOT, PLACED_TIE, PLACED_ORDER, PLACED_NAME };

struct placed {
    uint32_t instr, other; /* TIE: two of the candidates */
    uint8_t how;           /* enum placed_how */
};

/* What is known of one program on top of its schedule; belongs to the caller. */
struct window_space {
    const struct schedule *s;
    bool *own;         /* per node: a kernel of its own name occurs */
    uint32_t *leader;  /* per node: the name that its twins of the same configuration go by, MAP_NONE */
    bool *twins;       /* per class of twins: a kernel of one of their names occurs */
    uint32_t *owner;   /* per name: the first node of that name */
    uint32_t *learned; /* per instruction: the name of its kernel where it was launched by itself; MAP_NONE */
    bool *plain;       /* per instruction: seen launched by itself */
    uint32_t *before_first; /* edges backwards */
    struct sched_edge *before;
    int32_t *ahead, *back; /* per node, scratch: distance from the left edge, to the right edge */
    uint32_t *local;
};
void window_space_init(struct window_space *w, const struct schedule *s);
void window_space_free(struct window_space *w);
/* Take note of the kernel names that occur: seen[name].  1 if anything changed. */
int window_names(struct window_space *w, const bool *seen);

enum { WINDOW_SKIP = 8 }; /* the cost of an instruction that left no event */

/* Place ev[0..n) between instructions from and to (HLO_NONE: anywhere).  Returns the cost, or -1 if the
 * window is too large (24 million ways to stand): cut it. */
int64_t window_place(struct window_space *w, uint32_t from, uint32_t to, const struct window_event *ev,
                     size_t n, struct placed *out);
/* Can the instruction follow itself with nothing in between? */
bool window_repeats(const struct window_space *w, uint32_t instr);
#endif
