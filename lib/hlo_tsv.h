/* HLO modules from the instr table that hlo2tsv writes: the same model as from text or proto, as far as the
 * columns go (literals, and the names of donated parts of tuple parameters, are not in it).
 *
 * Rows may come in any order; a row that repeats an instruction begins another module of that name. */
#ifndef HLO_TSV_H
#define HLO_TSV_H
#include "hlo.h"
#include "tsv.h"

bool hlo_is_table(const struct tsv *t); /* does the header say so? */
/* All rows of t.  on_module gets each module, in order of first appearance, and owns it (hlo_free); nonzero
 * from it stops.  0; -1 with e set: the rows before the fault have been handed over. */
int hlo_read_table(struct tsv *t, hlo_on_module *on_module, void *ctx, struct err *e);
#endif
