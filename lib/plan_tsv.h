/* Plans from the table that bufassign2tsv writes.  Rows may come in any order; a row that repeats a buffer of
 * an allocation begins another plan of that module name (many plans in one stream). */
#ifndef PLAN_TSV_H
#define PLAN_TSV_H
#include "plan.h"
#include "tsv.h"

/* All rows of t.  on_plan gets each plan, in order of first appearance, and owns it; nonzero from it stops.
 * 0; -1 with e set: the rows before the fault have been handed over. */
int plan_read_table(struct tsv *t, plan_on *on_plan, void *ctx, struct err *e);
#endif
