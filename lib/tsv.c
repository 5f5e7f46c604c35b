#include "tsv.h"
#include "csvio.h"
#include "kind.h"
#include "mem.h"
#include "num.h"
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum {
    CHUNK = 1 << 17,
    LINE_MAX_BYTES = 1 << 28,
    BLOCK = 64,
    KIND_LEAST = 16 /* bytes to know a wrong file by */
};

/* ---- reading ---- */

static int next_input(struct tsv *t, struct err *e)
{
    const char *path = t->npath ? t->path[t->at] : "-";
    if (inp_open(&t->in, path, e)) return -1;
    t->name = t->in.name;
    t->line = 0;
    t->open = true;
    t->beg = t->end = 0;
    return 0;
}

/* More bytes behind end; 0 at the end of this input. */
static int fill(struct tsv *t, struct err *e)
{
    size_t got = 0;
    if (t->beg) {
        memmove(t->buf, t->buf + t->beg, t->end - t->beg);
        t->end -= t->beg;
        t->beg = 0;
    }
    if (t->end > LINE_MAX_BYTES) return err_line(e, t->name, t->line + 1, "a line of over 256 MiB");
    t->buf = mem_grow(t->buf, &t->cap, t->end + CHUNK + BLOCK, 1);
    int r = t->c ? csv_in_read(t->c, &t->in, t->buf + t->end, CHUNK, &got, e)
                 : inp_read(&t->in, t->buf + t->end, t->cap - t->end - BLOCK, &got, e);
    t->end += got;
    memset(t->buf + t->end, 0, BLOCK); /* split looks there */
    return r;
}

/* Read on until a whole line stands at beg; 1, 0 at the end of the input, -1. */
static int need_line(struct tsv *t, struct err *e)
{
    size_t seen = 0;
    for (;;) {
        size_t n = t->end - t->beg;
        if (n > seen && memchr(t->buf + t->beg + seen, '\n', n - seen)) return 1;
        seen = n;
        int r = fill(t, e);
        if (r < 0) return -1;
        if (r) continue;
        if (t->beg == t->end) return 0;
        return err_line(e, t->name, t->line + 1, "the last line does not end: the table is cut");
    }
}

/* A bit for each of the BLOCK bytes at p that is no more than CR: TAB, LF, and the bytes that no table holds,
 * are among these. */
static uint64_t controls(const char *p)
{
    uint64_t m = 0;
#ifdef __SSE2__
    const __m128i most = _mm_set1_epi8('\r');
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        m |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, most), v)) << i;
    }
#else
    for (unsigned i = 0; i < BLOCK; i++) m |= (uint64_t)((unsigned char)p[i] <= '\r') << i;
#endif
    return m;
}

struct cells { /* of one line */
    struct str *cell;
    unsigned max, n; /* the first max are in cell, n is how many there are */
    bool bad;        /* it has a byte that no table holds: n counts the cells before that */
};

/* The cells from p up to the line's LF: returns where that is, or the bad byte; NULL if neither is before
 * end. BLOCK bytes behind end can be read. */
static const char *split(const char *p, const char *end, struct cells *x)
{
    const char *from = p;
    unsigned n = 0;
    for (; p < end; p += BLOCK)
        for (uint64_t m = controls(p); m; m &= m - 1) {
            const char *q = p + __builtin_ctzll(m);
            if (*q == '\t' || *q == '\n') {
                if (n < x->max) x->cell[n] = str_n(from, (size_t)(q - from));
                n++;
                from = q + 1;
                if (*q == '\t') continue;
            } else if (*q && *q != '\r')
                continue;
            x->n = n;
            x->bad = *q != '\n';
            return q < end ? q : NULL;
        }
    return NULL;
}

/* The next line into t->row and its cells into x; 1, 0 at the end of the input, -1. */
static int next_line(struct tsv *t, struct cells *x, struct err *e)
{
    const char *p = t->buf + t->beg, *at = split(p, t->buf + t->end, x);
    if (!at || x->bad) {
        int r = need_line(t, e);
        if (r <= 0) return r;
        p = t->buf + t->beg;
        at = split(p, t->buf + t->end, x);
    }
    t->line++;
    if (x->bad)
        return err_line(e, t->name, t->line,
                        *at ? "a carriage return: lines end with LF alone" : "a NUL byte: not a table");
    t->row = str_n(p, (size_t)(at - p));
    t->beg += t->row.n + 1;
    return 1;
}

static int check_names(struct tsv *t, struct err *e)
{
    char q[200];
    for (unsigned i = 0; i < t->ncol; i++) {
        if (!t->free_names && !t->col[i].n) return err_line(e, t->name, 1, "column %u has no name", i + 1);
        if (!t->free_names && tsv_none(t->col[i]))
            return err_line(e, t->name, 1, "column %u is called -: the header is missing (--no-header?)",
                            i + 1);
        for (unsigned k = 0; k < i && !t->free_names; k++)
            if (str_eq(t->col[i], t->col[k]))
                return err_line(e, t->name, 1, "column %s twice", err_quote(q, t->col[i].p, t->col[i].n));
    }
    return 0;
}

/* A first line with commas and no TAB is CSV: no column name of ours holds either. */
static bool looks_csv(struct str line)
{
    return !memchr(line.p, '\t', line.n) && memchr(line.p, ',', line.n);
}

static int read_header(struct tsv *t, struct err *e)
{
    struct cells x = {0};
    int r;
    while ((r = fill(t, e)) > 0 && (t->end < KIND_LEAST || !memchr(t->buf, '\n', t->end))) continue;
    if (r < 0) return -1;
    if (!t->end)
        return err_set(e, t->name, "empty input: whatever made it failed, or a capture over 2 GB was lost");
    enum kind kind = kind_of(t->buf, t->end);
    if (!t->free_names && kind != KIND_TABLE && kind != KIND_TEXT) /* text: a table of one column */
        return err_set(e, t->name, "no table: this is %s", kind_says(kind));
    const char *nl = memchr(t->buf, '\n', t->end);
    t->csv = looks_csv(str_n(t->buf, nl ? (size_t)(nl - t->buf) : t->end));
    if (t->csv) {
        t->c = csv_in_new(t->buf, t->end);
        t->end = 0;
    }
    r = next_line(t, &x, e);
    if (r <= 0) return r < 0 ? -1 : err_set(e, t->name, "empty input");
    if (t->ncol) { /* a further file */
        if (str_eq(t->row, buf_view(&t->header))) return 0;
        return err_line(e, t->name, 1, "the header differs from that of %s", t->path[0]);
    }
    if (x.n > 4096) return err_line(e, t->name, 1, "%u columns: not a table of this suite", x.n);
    t->ncol = x.n;
    t->col = mem_alloc(t->ncol, sizeof *t->col);
    t->cell = mem_alloc(t->ncol, sizeof *t->cell);
    buf_put(&t->header, t->row.p, t->row.n + 1 + BLOCK); /* as split wants it */
    t->header.n = t->row.n;
    x = (struct cells){.cell = t->col, .max = t->ncol};
    split(t->header.p, t->header.p + t->row.n + 1, &x);
    return check_names(t, e);
}

static int open_table(struct tsv *t, const char *const *path, size_t npath, bool any, struct err *e)
{
    *t = (struct tsv){.path = path, .npath = npath, .free_names = any};
    if (next_input(t, e) || read_header(t, e)) {
        tsv_close(t);
        return -1;
    }
    return 0;
}

int tsv_open(struct tsv *t, const char *const *path, size_t npath, struct err *e)
{
    return open_table(t, path, npath, false, e);
}

int tsv_open_any(struct tsv *t, const char *const *path, size_t npath, struct err *e)
{
    return open_table(t, path, npath, true, e);
}

int tsv_open_inp(struct tsv *t, struct inp *in, struct err *e)
{
    *t = (struct tsv){.in = *in, .name = in->name, .open = true};
    *in = (struct inp){.fd = -1};
    if (!read_header(t, e)) return 0;
    tsv_close(t);
    return -1;
}

static int end_input(struct tsv *t, struct err *e)
{
    csv_in_free(t->c);
    t->c = NULL;
    t->open = false;
    return inp_close(&t->in, e);
}

int tsv_next(struct tsv *t, struct err *e)
{
    struct cells x = {.cell = t->cell, .max = t->ncol};
    int r;
    while ((r = next_line(t, &x, e)) == 0) {
        if (end_input(t, e)) return -1;
        if (++t->at >= t->npath) return 0;
        if (next_input(t, e) || read_header(t, e)) return -1;
    }
    if (r < 0) return -1;
    if (x.n != t->ncol) return err_line(e, t->name, t->line, "%u cells, the header has %u", x.n, t->ncol);
    return 1;
}

void tsv_close(struct tsv *t)
{
    struct err ignored = {0};
    if (t->open) end_input(t, &ignored);
    free(t->col);
    free(t->cell);
    free(t->buf);
    buf_free(&t->header);
    t->col = t->cell = NULL;
    t->buf = NULL;
}

int tsv_col(const struct tsv *t, const char *name)
{
    for (unsigned i = 0; i < t->ncol; i++)
        if (str_is(t->col[i], name)) return (int)i;
    return -1;
}

int tsv_need(const struct tsv *t, const char *name, const char *maker, int *col, struct err *e)
{
    struct buf have = {0};
    *col = tsv_col(t, name);
    if (*col >= 0) return 0;
    for (unsigned i = 0; i < t->ncol && have.n < 300; i++) {
        char q[200];
        err_quote(q, t->col[i].p, t->col[i].n);
        buf_fmt(&have, "%s%.*s", i ? " " : "", (int)strlen(q) - 2, q + 1);
    }
    err_line(e, t->name, 1, "no column \"%s\": %s makes it (have: %s%s)", name, maker, buf_cstr(&have),
             have.n >= 300 ? " ..." : "");
    buf_free(&have);
    return -1;
}

int tsv_want(const struct tsv *t, const struct tsv_want *want, size_t n, const char *maker, struct err *e)
{
    for (size_t i = 0; i < n; i++) {
        *want[i].col = tsv_col(t, want[i].name);
        if (want[i].needed && tsv_need(t, want[i].name, maker, want[i].col, e)) return -1;
    }
    return 0;
}

bool tsv_i64(const struct tsv *t, int col, int64_t *v) { return col >= 0 && !num_i64(t->cell[col], v); }
bool tsv_u64(const struct tsv *t, int col, uint64_t *v) { return col >= 0 && !num_u64(t->cell[col], v); }
bool tsv_f64(const struct tsv *t, int col, double *v) { return col >= 0 && !num_f64(t->cell[col], v); }

int tsv_bad(const struct tsv *t, int col, const char *expected, struct err *e)
{
    char q[200];
    return err_line(e, t->name, t->line, "column %.*s: %s is no %s", (int)t->col[col].n, t->col[col].p,
                    err_quote(q, t->cell[col].p, t->cell[col].n), expected);
}

/* ---- cells ---- */

bool tsv_repeats(struct buf *last, const struct str *cell, unsigned n)
{
    size_t at = 0;
    bool same = true;
    for (unsigned i = 0; i < n && same; i++) {
        same = last->n - at > cell[i].n && last->p[at + cell[i].n] == '\t' &&
               !memcmp(last->p + at, cell[i].p, cell[i].n);
        at += cell[i].n + 1;
    }
    if (same && at == last->n) return true;
    last->n = 0;
    for (unsigned i = 0; i < n; i++) buf_str(last, cell[i]), buf_c(last, '\t');
    return false;
}

size_t tsv_cut(struct str cell, size_t most)
{
    size_t i = 0;
    while (i < cell.n) {
        size_t step = cell.p[i] != '\\' ? 1 : i + 1 < cell.n && cell.p[i + 1] == 'x' ? 4 : 2;
        if (i + step > most || i + step > cell.n) break;
        i += step;
    }
    return i;
}

static bool plain_byte(unsigned char c) { return c >= 0x20 && c != 0x7f && c != '\\'; }

/* None of eight bytes: a byte of x is zero where (x - 1) & ~x has the top bit set. */
static bool plain_word(uint64_t w)
{
    const uint64_t one = 0x0101010101010101, top = one * 0x80, del = w ^ one * 0x7f, slash = w ^ one * '\\';
    return !((((w - one * 0x20) & ~w) | ((del - one) & ~del) | ((slash - one) & ~slash)) & top);
}

static uint64_t eight(const char *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

static uint64_t four(const char *p)
{
    uint32_t w;
    memcpy(&w, p, 4);
    return w;
}

/* No byte needs an escape.  By words, of which the last may overlap the one before. */
static bool plain(struct str s)
{
    size_t i = 0;
    if (s.n >= 8) {
        for (; s.n - i > 8; i += 8)
            if (!plain_word(eight(s.p + i))) return false;
        return plain_word(eight(s.p + s.n - 8));
    }
    if (s.n >= 4) return plain_word(four(s.p) | four(s.p + s.n - 4) << 32);
    while (i < s.n && plain_byte((unsigned char)s.p[i])) i++;
    return i == s.n;
}

void tsv_escape(struct buf *b, struct str s)
{
    static const char hex[] = "0123456789abcdef";
    if (!s.n) {
        buf_c(b, '-');
        return;
    }
    if (s.n == 1 && s.p[0] == '-') {
        buf_puts(b, "\\x2d");
        return;
    }
    if (plain(s)) {
        buf_str(b, s);
        return;
    }
    for (size_t i = 0, from; i < s.n; i++) {
        for (from = i; i < s.n && plain_byte((unsigned char)s.p[i]);) i++;
        buf_put(b, s.p + from, i - from);
        if (i == s.n) break;
        unsigned char c = (unsigned char)s.p[i];
        if (c == '\t')
            buf_puts(b, "\\t");
        else if (c == '\n')
            buf_puts(b, "\\n");
        else if (c == '\r')
            buf_puts(b, "\\r");
        else if (c == '\\')
            buf_puts(b, "\\\\");
        else {
            buf_puts(b, "\\x");
            buf_c(b, hex[c >> 4]);
            buf_c(b, hex[c & 15]);
        }
    }
}

static int hex_digit(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

int tsv_unescape(struct buf *b, struct str cell)
{
    if (tsv_none(cell)) return 0;
    for (size_t i = 0; i < cell.n; i++) {
        char c = cell.p[i];
        if (c != '\\') {
            buf_c(b, c);
            continue;
        }
        if (++i >= cell.n) return -1;
        c = cell.p[i];
        if (c == 't')
            buf_c(b, '\t');
        else if (c == 'n')
            buf_c(b, '\n');
        else if (c == 'r')
            buf_c(b, '\r');
        else if (c == '\\')
            buf_c(b, '\\');
        else if (c == 'x' && i + 2 < cell.n && hex_digit(cell.p[i + 1]) >= 0 &&
                 hex_digit(cell.p[i + 2]) >= 0) {
            buf_c(b, (char)(hex_digit(cell.p[i + 1]) * 16 + hex_digit(cell.p[i + 2])));
            i += 2;
        } else
            return -1;
    }
    return 0;
}

/* ---- writing ---- */

void tab_init(struct tab *t, struct out *out, bool csv) { *t = (struct tab){.out = out, .csv = csv}; }
void tab_free(struct tab *t) { buf_free(&t->line); }

static void took(struct tab *t, size_t n)
{
    if (t->csv)
        t->line.n += n;
    else
        out_took(t->out, n);
}

/* Room for n bytes of this row, behind a TAB if it is not the first cell. */
static char *room(struct tab *t, size_t n)
{
    char *p = t->csv ? buf_room(&t->line, n + 1) : out_room(t->out, n + 1);
    *p = '\t';
    took(t, t->started);
    p += t->started;
    t->started = true;
    return p;
}

void tab_none(struct tab *t)
{
    *room(t, 1) = '-';
    took(t, 1);
}

void tab_cell(struct tab *t, struct str cell)
{
    if (!cell.n) {
        tab_none(t);
        return;
    }
    memcpy(room(t, cell.n), cell.p, cell.n);
    took(t, cell.n);
}

void tab_cells(struct tab *t, struct str cells) { tab_cell(t, cells); }

void tab_text(struct tab *t, struct str text)
{
    if (!text.n || (plain(text) && !(text.n == 1 && text.p[0] == '-'))) {
        tab_cell(t, text);
        return;
    }
    struct buf b = {0};
    tsv_escape(&b, text);
    tab_cell(t, buf_view(&b));
    buf_free(&b);
}

void tab_texts(struct tab *t, const char *s) { tab_text(t, str_of(s)); }
void tab_u64(struct tab *t, uint64_t v) { took(t, num_put_u64(room(t, 20), v)); }
void tab_i64(struct tab *t, int64_t v) { took(t, num_put_i64(room(t, 20), v)); }
void tab_f64(struct tab *t, double v) { took(t, num_put_f64(room(t, 32), v)); }

void tab_end(struct tab *t)
{
    t->started = false;
    t->rows++;
    if (!t->csv) {
        out_c(t->out, '\n');
        return;
    }
    csv_out_row(t->out, buf_view(&t->line));
    t->line.n = 0;
}
