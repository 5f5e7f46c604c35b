/* Tables as TSV: rows in, rows out, cells with escapes.  The rules are in xla-tables(5); CSV is turned into
 * the same rows at the edge (csvio.h).
 *
 * Reading: cells are views into the line, encoded as they stand, valid until the next tsv_next.  Compare,
 * hash and copy the encoded form: every value has exactly one spelling.  Decode only where text leaves TSV.
 * Writing: a struct tab writes one table; text is escaped by tab_text and copied as it is by tab_cell. */
#ifndef TSV_H
#define TSV_H
#include "inp.h"
#include "out.h"

struct tsv {
    const char *name; /* of the current input */
    uint64_t line;    /* of the current row; the header is line 1 */
    unsigned ncol;
    struct str *col;  /* header */
    struct str *cell; /* current row: ncol cells */
    struct str row;   /* current row, whole, without the line end */
    /* private */
    const char *const *path;
    size_t npath, at;
    struct inp in;
    bool open, csv, free_names;
    struct csv_in *c;
    char *buf;
    size_t beg, end, cap;
    struct buf header;
};

/* Open the tables at path[0..npath) (none: standard input) as one: all must have the same header.  Gzip and
 * CSV are recognised.  An empty input is an error.  tsv_open_any accepts column names of any form (foreign
 * CSV). */
int tsv_open(struct tsv *t, const char *const *path, size_t npath, struct err *e);
int tsv_open_any(struct tsv *t, const char *const *path, size_t npath, struct err *e);
/* The table in an input that is open already, also after inp_whole: tells tables from raw artifacts by
 * content. Takes the input over, tsv_close closes it. */
int tsv_open_inp(struct tsv *t, struct inp *in, struct err *e);
int tsv_next(struct tsv *t, struct err *e); /* 1: a row, 0: the end, -1 */
void tsv_close(struct tsv *t);

int tsv_col(const struct tsv *t, const char *name); /* index, or -1 */
/* The same, but a missing column is an error that names the column, the tool that makes it and what is there.
 */
int tsv_need(const struct tsv *t, const char *name, const char *maker, int *col, struct err *e);
/* Several at once: each *col is the column's index, or -1 where it may be missing and is. */
struct tsv_want {
    const char *name;
    int *col;
    bool needed;
};
int tsv_want(const struct tsv *t, const struct tsv_want *want, size_t n, const char *maker, struct err *e);

static inline bool tsv_none(struct str cell) { return !cell.n || (cell.n == 1 && cell.p[0] == '-'); }
/* The cell of column col as a number; col < 0 or '-' gives false.  A cell that is no number is an error: -1
 * in *r. */
bool tsv_i64(const struct tsv *t, int col, int64_t *v);
bool tsv_u64(const struct tsv *t, int col, uint64_t *v);
bool tsv_f64(const struct tsv *t, int col, double *v);
static inline struct str tsv_str(const struct tsv *t, int col) /* "-" if the column is missing */
{
    return col < 0 ? STR("-") : t->cell[col];
}
/* Error: this cell is no <expected>. */
int tsv_bad(const struct tsv *t, int col, const char *expected, struct err *e);

/* Are the n cells those that last holds?  If not, they are put there.  Most rows repeat the line, the program
 * or the instruction of the row before: only a change need be looked up.  buf_free(last). */
bool tsv_repeats(struct buf *last, const struct str *cell, unsigned n);

/* Append the cell that spells text ("" gives "-"). */
void tsv_escape(struct buf *b, struct str text);
/* Append the text that cell spells ("-" gives ""); -1: bad escape. */
int tsv_unescape(struct buf *b, struct str cell);
size_t tsv_cut(struct str cell, size_t most); /* how many of its bytes to print: no escape is cut in two */

/* A table being written. */
struct tab {
    struct out *out;
    bool csv;
    struct buf line; /* CSV only: the row so far, as TSV */
    bool started;    /* a cell was written on this row */
    uint64_t rows;   /* ended so far, the header not counted */
};
void tab_init(struct tab *t, struct out *out, bool csv);
void tab_free(struct tab *t);
void tab_cell(struct tab *t, struct str cell); /* already encoded; "" gives "-" */
void tab_text(struct tab *t, struct str text); /* raw bytes, escaped here */
void tab_texts(struct tab *t, const char *s);  /* NULL gives "-" */
void tab_none(struct tab *t);                  /* "-" */
void tab_u64(struct tab *t, uint64_t v);
void tab_i64(struct tab *t, int64_t v);
void tab_f64(struct tab *t, double v);           /* inf, nan: "-" */
void tab_cells(struct tab *t, struct str cells); /* encoded, TABs between: a whole input row */
void tab_end(struct tab *t);                     /* the row is complete */
#endif
