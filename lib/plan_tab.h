/* A plan as the tables of bufassign2tsv. */
#ifndef PLAN_TAB_H
#define PLAN_TAB_H
#include "opt.h"
#include "plan.h"
#include "tsv.h"

extern const struct table plan_tables[]; /* buffer, allocation, heap, module, peak */

/* The rows of one plan; each returns how many it wrote. */
uint64_t plan_put_buffers(struct tab *t, const struct plan *p);
uint64_t plan_put_allocations(struct tab *t, const struct plan *p);
uint64_t plan_put_heap(struct tab *t, const struct plan *p);
uint64_t plan_put_modules(struct tab *t, const struct plan *p);
uint64_t plan_put_peak(struct tab *t, const struct plan *p);
#endif
