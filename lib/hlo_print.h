/* A module as HLO text, in the long form that XLA prints and reads back. */
#ifndef HLO_PRINT_H
#define HLO_PRINT_H
#include "hlo.h"
#include "out.h"

/* The whole module: its line, stack frame tables, computations.  A text's sugar for async operations stays.
 */
void hlo_print(struct out *o, const struct hlo_module *m);

/* Pieces that the proto reader prints too: text with C's escapes, as absl::CEscape makes them, no quotes; */
void hlo_put_escaped(struct buf *b, struct str s);
/* a value that XLA's lexer takes as it stands if it is one pair of balanced braces, else quoted and escaped.
 */
void hlo_put_config(struct buf *b, struct str config);
#endif
