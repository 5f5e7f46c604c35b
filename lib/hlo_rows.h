/* Rows of hlo2tsv's tables: one module, as cells.  Cells that many rows share (shapes, sources, a fusion's
 * lines) are made once.
 *
 * hlo_rows_start borrows the module, its costs and the expression; hlo_rows_end frees the rest. */
#ifndef HLO_ROWS_H
#define HLO_ROWS_H
#include "cost.h"
#include "tsv.h"

struct hlo_rows {
    const struct hlo_module *m;
    const struct cost_set *cost;
    const regex_t *user;      /* NULL: the default rule */
    struct str head;          /* cells module, program_id */
    struct map64 shape_known; /* a shape's address -> index into shape */
    struct str *shape;        /* cells shape dtype layout tiles memory_space bytes unpadded_bytes */
    size_t nshape, cap_shape;
    struct str *frame;   /* by frame: cells source, stack; p NULL: not made yet */
    struct str *members; /* by computation: cell member_sources; likewise */
    uint32_t *alias;     /* m->alias by parameter number */
    struct hlo_caller {
        uint32_t first, n; /* the first instruction that calls it, HLO_NONE; how often it is called */
        enum hlo_role role;
    } * caller;             /* by computation */
    struct map64 parameter; /* number -> the entry's instruction */
    struct buf heads;       /* cells module, program_id, computation */
    uint32_t heads_of;      /* of this computation */
    struct arena arena;
    struct buf b, cell; /* scratch */
};
void hlo_rows_start(struct hlo_rows *r, const struct hlo_module *m, const struct cost_set *cost,
                    const regex_t *user);
void hlo_rows_end(struct hlo_rows *r);

void hlo_row_instr(struct hlo_rows *r, struct tab *t, uint32_t k);
void hlo_row_computation(struct hlo_rows *r, struct tab *t, uint32_t k);
void hlo_row_operand(struct hlo_rows *r, struct tab *t, uint32_t k, uint32_t n);
void hlo_row_frame(struct hlo_rows *r, struct tab *t, uint32_t k);
void hlo_row_alias(struct hlo_rows *r, struct tab *t, uint32_t k);
#endif
