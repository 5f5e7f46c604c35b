/* Cells that the rows of hlo2tsv's tables are made of. */
#ifndef HLO_ROWS_IN_H
#define HLO_ROWS_IN_H
#include "hlo_rows.h"

/* A count that was added up in floating point; negative: unknown. */
enum { HLO_COUNT = 320 }; /* bytes that its text may take */
size_t hlo_count_text(char p[HLO_COUNT], double v);
void hlo_cell_count(struct tab *t, double v);
/* Negative: unknown. */
void hlo_cell_known(struct tab *t, int64_t v);
/* Several encoded cells with tabs between, good until the next of these calls. */
struct str hlo_cells_head(struct hlo_rows *r, uint32_t computation);   /* module program_id computation */
struct str hlo_cells_shape(struct hlo_rows *r, const struct shape *s); /* shape ... unpadded_bytes */
struct str hlo_cells_source(struct hlo_rows *r, const struct hlo_instr *i); /* source stack */
struct str hlo_cell_members(struct hlo_rows *r, uint32_t computation);      /* member_sources of a fusion */
/* Append "{1,0}". */
void hlo_put_index(struct buf *b, const int64_t *v, uint32_t n);
#endif
