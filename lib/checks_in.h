/* What checks_events.c and checks_join.c share: each adds its rows. */
#ifndef CHECKS_IN_H
#define CHECKS_IN_H
#include "checks.h"

#define CUT(s) (int)tsv_cut(s, 120), (s).p /* for %.*s: a name of bounded length */

void check_launched(struct checks *c, const struct events *t, const struct launches *l, uint32_t plane);
void check_launches_have_events(struct checks *c, const struct events *t, const struct launches *l);
void check_graph_nodes(struct checks *c, const struct events *t, const struct launches *l);
void check_clocks(struct checks *c, const struct events *t, const struct launches *l);
void check_kernels_per_step(struct checks *c, const struct events *t, const struct steps *s);
void check_same_work(struct checks *c, const struct events *t);
#endif
