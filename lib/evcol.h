/* The columns of an event that come from its stats (or JSON args), and which stats fill them.
 *
 * Values are views: their text lives as long as the capture, or as the cell cache that made it. */
#ifndef EVCOL_H
#define EVCOL_H
#include "buf.h"
#include "evclass.h"

enum ev_col {
    COL_MODULE,
    COL_PROGRAM,
    COL_RUN,
    COL_HLO_OP,
    COL_CORRELATION,
    COL_GRAPH,
    COL_GRAPH_NODE,
    COL_GROUP,
    COL_STEP,
    COL_DEVICE,
    COL_FLOPS,
    COL_BYTES,
    COL_SOURCE,
    COL_COUNT,
    COL_SOURCE_FILE = 60, /* no columns: together they make a source */
    COL_SOURCE_LINE,
    COL_NONE
};

struct ev_key { /* a stat that matters */
    struct str stat;
    uint8_t col;
    uint8_t rank; /* where two stats fill one column the higher rank wins */
    uint16_t hint;
};
const struct ev_key *ev_key(struct str stat); /* NULL: it fills no column and hints at nothing */

/* A VAL_CELL has so many readable bytes behind it: copies may go 16 at a time. */
enum { VAL_SLACK = 16 };
enum val_kind { VAL_NONE, VAL_U64, VAL_I64, VAL_F64, VAL_TEXT, VAL_CELL, VAL_BYTES };
struct val {
    enum val_kind kind; /* TEXT: raw; CELL: already a TSV cell; BYTES: opaque */
    union {
        uint64_t u;
        int64_t i;
        double f;
    };
    struct str s;
};

/* The values that one message's stats (or one event's args) give to columns. */
struct vals {
    uint64_t mask; /* bit i: v[i] is set; i: enum ev_col, COL_COUNT + an extra column's index */
    size_t bytes;  /* at most so many for the texts among them, as cells (kept by xrow.c) */
    unsigned hints;
    uint8_t rank[64];
    struct val v[64];
};
/* Where column col's value goes, NULL if one of higher rank is there. */
static inline struct val *vals_place(struct vals *t, unsigned col, unsigned rank)
{
    uint64_t bit = 1ull << col;
    if ((t->mask & bit) && t->rank[col] > rank) return NULL;
    t->mask |= bit;
    t->rank[col] = (uint8_t)rank;
    return &t->v[col];
}
void vals_set(struct vals *t, unsigned col, unsigned rank, struct val v);
void vals_text(struct vals *t, unsigned col, struct str s); /* raw text, rank 0 */
/* What the name itself says on op, module and step lines, where no stat does; name: on TPUs the instruction.
 */
void vals_from_name(struct vals *t, enum ev_line kind, struct str name, struct str shown);
/* source_file and source_line make a source where there is none; its text lives in *text. */
void vals_join_source(struct vals *t, struct buf *text);

/* What the column makes of a value: program ids unsigned, negative flops and bytes unknown, whole doubles
 * integers. */
struct val ev_val(unsigned col, struct val v);
void val_cell(struct buf *b, struct val v); /* append the TSV cell */
#endif
