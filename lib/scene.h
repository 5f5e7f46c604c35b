/* An event table ready for the analyses over time: events, launches, steps, threads.
 *
 * Owns all of it.  Its parts refer to each other: it must not be moved once it is read. */
#ifndef SCENE_H
#define SCENE_H
#include "launch.h"
#include "steps.h"
#include "threads.h"

struct scene {
    struct events t;
    struct launches l;
    struct steps s;
    struct threads h;
};
enum { SCENE_CLASSES = EV_DEVICE | EV_CALLS | EV_BIT(EV_MODULE) | EV_BIT(EV_STEP) }; /* what they need kept */

/* Read the tables at path[0..npath) as one.  -1 with e set; what stands before the fault is in x then,
 * x->t.rows says how much.  x->t may have its flags set before.  Without the classes of calls in `keep`
 * nothing is joined. */
int scene_read(struct scene *x, const char *const *path, size_t npath, unsigned keep, struct err *e);
void scene_free(struct scene *x);
#endif
