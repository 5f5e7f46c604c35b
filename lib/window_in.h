/* What window.c, window_cost.c and window_reach.c share; nobody else includes this. */
#ifndef WINDOW_IN_H
#define WINDOW_IN_H
#include "window.h"

enum {
    FAR = 1 << 28,               /* no way */
    UNCLAIMED = 20,              /* an event that nothing launches */
    CONTROL = 8,                 /* a loop or branch begins or ends within one launch */
    LOST_TAIL = 8 * WINDOW_SKIP, /* the rest of a run left no event, however much it is */
    ANYWHERE = WINDOW_SKIP,      /* the window opens or closes elsewhere than at the program's begin or end */
    SLACK = 12 * WINDOW_SKIP     /* how much longer than needed a way may be */
};

/* The cost of passing over a node; of e as its first event; of e as a further one behind p; FAR: it cannot
 * be. */
int32_t window_skip(const struct sched_node *n);
int32_t window_start(const struct window_space *w, uint32_t node, const struct window_event *e);
int32_t window_stay(const struct window_space *w, uint32_t node, const struct window_event *p,
                    const struct window_event *e);
/* Does e only prepare the node's kernel: a copy or fill before it? */
bool window_prepares(const struct window_space *w, uint32_t node, const struct window_event *e);

struct heap {
    struct heap_item {
        int32_t cost;
        uint32_t node;
    } * at;
    size_t n, cap;
};

struct reach {
    struct window_space *w;
    struct heap heap;
    uint32_t *touched; /* nodes whose distances are set */
    size_t ntouched, cap;
    int32_t bound; /* nodes whose way through costs more are out of reach */
};
/* Fill w->ahead and w->back with the least that is skipped between `from` and a node, and from it to `to`,
 * for all nodes that a way of `need` events may pass. */
void reach_find(struct reach *r, uint32_t from, uint32_t to, int32_t need);
void reach_free(struct reach *r); /* and clear the distances */
#endif
