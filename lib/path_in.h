/* What path.c and path_build.c share. */
#ifndef PATH_IN_H
#define PATH_IN_H
#include "path.h"

/* Lanes, nodes, ticks; then what each node waited for. */
void path_build(struct path *p, const struct launches *l, struct threads *h);
/* Does what a node waited for let it go by its start?  So does a launching call, and in a stream an event
 * that it overlaps; else it is the end that counts. */
static inline bool path_by_start(const struct path *p, const struct path_node *n)
{
    return n->edge == EDGE_LAUNCH || p->node[n->bind].b > n->a;
}
#endif
