#include "peaks.h"
#include "inp.h"
#include "kind.h"
#include "num.h"
#include "tsv.h"
#include "xnames.h"
#include <csv.h>
#include <stdlib.h>

static const unsigned char datasheets[] = {
#include "peaks_csv.h"
};

static const char *const rate_name[PEAK_RATES] = {"f64", "f32", "tf32", "bf16", "f16",
                                                  "f8",  "f6",  "f4",   "s8",   "s4"};

static struct peak *new_row(struct peaks *p)
{
    p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
    p->v[p->n] = (struct peak){0};
    return &p->v[p->n++];
}

static struct str keep(struct peaks *p, struct str s) { return str_n(arena_copy(&p->arena, s.p, s.n), s.n); }

/* ---- CSV ---- */

struct sheet {
    struct peaks *peaks;
    struct map column; /* header */
    struct buf *cell;
    size_t ncell, at;
    uint64_t line;
    const char *file;
    struct err *e;
};

static struct str cell(const struct sheet *s, const char *name)
{
    uint32_t k = map_get(&s->column, str_of(name));
    return k < s->ncell && k < s->at ? str_trim(buf_view(&s->cell[k])) : STR("");
}

/* The number in a column: 0 where nothing stands. */
static double figure(const struct sheet *s, const char *name)
{
    struct str c = cell(s, name);
    double v = 0;
    char q[200];
    if (c.n && (num_f64(c, &v) || v < 0))
        err_line(s->e, s->file, s->line, "%s: %s is no rate", name, err_quote(q, c.p, c.n));
    return v;
}

static void whole_match(struct peak *r, struct str pattern, const struct sheet *s)
{
    struct buf b = {0};
    struct err bad = {0};
    char q[200];
    buf_fmt(&b, "^(%.*s)$", (int)pattern.n, pattern.p);
    if (re_compile(&r->match, buf_cstr(&b), &bad)) {
        err_line(s->e, s->file, s->line, "match: %s is no regular expression",
                 err_quote(q, pattern.p, pattern.n));
        re_compile(&r->match, "^$", &bad);
    }
    buf_free(&b);
}

static void sheet_row(struct sheet *s)
{
    struct str sku = cell(s, "sku"), match = cell(s, "match"), source = cell(s, "datasheet");
    if (!sku.n || !match.n) {
        err_line(s->e, s->file, s->line, "a row without sku or match");
        return;
    }
    struct peak *r = new_row(s->peaks);
    r->sku = keep(s->peaks, sku);
    r->source = keep(s->peaks, source.n ? source : str_of(s->file));
    r->bytes_per_s = figure(s, "bytes_per_s");
    for (int k = 0; k < PEAK_RATES; k++) r->flops[k] = figure(s, rate_name[k]);
    whole_match(r, match, s);
}

static void on_cell(void *p, size_t n, void *ctx)
{
    struct sheet *s = ctx;
    if (!s->line) {
        map_put(&s->column, str_n(p, n), NULL);
        return;
    }
    if (s->at == s->ncell) return; /* more cells than columns */
    s->cell[s->at].n = 0;
    buf_put(&s->cell[s->at++], p, n);
}

static void on_row(int c, void *ctx)
{
    struct sheet *s = ctx;
    (void)c;
    if (!s->line++) {
        s->ncell = s->column.count;
        s->cell = mem_alloc(s->ncell + 1, sizeof *s->cell);
        if (map_get(&s->column, STR("match")) == MAP_NONE ||
            map_get(&s->column, STR("bytes_per_s")) == MAP_NONE)
            err_line(s->e, s->file, 1,
                     "no table of peaks: that has columns sku, match, bytes_per_s, f64 f32 bf16 ...");
    } else if (s->at && !s->e->text[0])
        sheet_row(s);
    s->at = 0;
}

int peaks_csv(struct peaks *p, const char *data, size_t n, const char *file, struct err *e)
{
    struct sheet s = {.peaks = p, .file = file, .e = e};
    struct csv_parser csv;
    if (csv_init(&csv, 0)) mem_oom(sizeof csv);
    bool bad = csv_parse(&csv, data, n, on_cell, on_row, &s) != n || csv_fini(&csv, on_cell, on_row, &s);
    csv_free(&csv);
    if (bad) err_line(e, file, s.line + 1, "no CSV");
    for (size_t k = 0; k < s.ncell; k++) buf_free(&s.cell[k]);
    free(s.cell);
    map_free(&s.column);
    return e->text[0] ? -1 : 0;
}

int peaks_builtin(struct peaks *p, struct err *e)
{
    return peaks_csv(p, (const char *)datasheets, sizeof datasheets, "peaks.csv", e);
}

/* ---- a capture's own figures ---- */

/* One device's: teraflops of the matrix unit at bf16, gigabytes per second; 0: not there.  Devices of a kind
 * come once. */
static void own_figures(struct peaks *p, struct str device, struct str plane, double teraflops,
                        double gigabytes)
{
    if (!device.n || (teraflops <= 0 && gigabytes <= 0)) return;
    for (size_t k = 0; k < p->n; k++)
        if (p->v[k].capture && str_eq(p->v[k].device, device)) return;
    struct peak *r = new_row(p);
    struct buf b = {0};
    r->capture = true;
    r->sku = r->device = keep(p, device);
    r->flops[PEAK_BF16] = r->flops[PEAK_F16] = teraflops * 1e12;
    if (str_starts(device, "TPU"))
        r->flops[PEAK_F32] = teraflops * 1e12; /* f32 goes through the matrix unit as bf16 */
    r->bytes_per_s = gigabytes * 1e9;
    buf_fmt(&b, "%s%s of %.*s", teraflops > 0 ? "peak_teraflops_per_second " : "",
            gigabytes > 0 ? "peak_hbm_bw_gigabytes_per_second" : "", (int)plane.n, plane.p);
    r->source = keep(p, buf_view(&b));
    buf_free(&b);
}

static double number(struct val v)
{
    return v.kind == VAL_F64 ? v.f : v.kind == VAL_I64 ? (double)v.i : v.kind == VAL_U64 ? (double)v.u : 0;
}

static int capture(struct peaks *p, const struct inp *in, struct err *e)
{
    struct xspace s;
    enum kind kind = kind_of(in->data, in->size);
    if (kind != KIND_XPLANE)
        return err_set(
            e, in->name,
            "this is %s; --peaks takes a CSV (sku, match, bytes_per_s ...), a capture or its plane table",
            kind_says(kind));
    int bad = xspace_read(&s, in->data, in->size, in->name, e);
    for (size_t k = 0; k < s.nplane && !bad; k++) {
        struct xnames n;
        bad = xnames_read(&n, &s, &s.plane[k], e);
        own_figures(p, xplane_device(&n), s.plane[k].name,
                    number(xplane_stat(&n, "peak_teraflops_per_second")),
                    number(xplane_stat(&n, "peak_hbm_bw_gigabytes_per_second")));
        xnames_free(&n);
    }
    xspace_free(&s);
    return bad;
}

static int plane_table(struct peaks *p, struct inp *in, struct err *e)
{
    struct tsv t;
    struct buf name = {0};
    int plane, device, flops, bytes, r = -1;
    if (tsv_open_inp(&t, in, e)) return -1;
    if (!tsv_need(&t, "plane", "xplane2tsv -t plane", &plane, e) &&
        !tsv_need(&t, "device", "xplane2tsv -t plane", &device, e) &&
        !tsv_need(&t, "peak_teraflops_per_second", "xplane2tsv -t plane", &flops, e) &&
        !tsv_need(&t, "peak_hbm_bw_gigabytes_per_second", "xplane2tsv -t plane", &bytes, e))
        while ((r = tsv_next(&t, e)) > 0) {
            double f = 0, b = 0;
            tsv_f64(&t, flops, &f);
            tsv_f64(&t, bytes, &b);
            name.n = 0;
            if (!tsv_unescape(&name, t.cell[device])) own_figures(p, buf_view(&name), t.cell[plane], f, b);
        }
    tsv_close(&t);
    buf_free(&name);
    return r;
}

int peaks_file(struct peaks *p, const char *path, struct err *e)
{
    struct inp in;
    if (inp_open(&in, path, e)) return -1;
    int r = inp_whole(&in, e);
    const char *nl = r || !in.size ? NULL : memchr(in.data, '\n', in.size);
    struct str first = nl ? str_n(in.data, (size_t)(nl - in.data)) : STR("");
    if (!r && !in.size)
        r = err_set(e, path, "empty input");
    else if (!r && str_has(first, "plane") && kind_of(in.data, in.size) == KIND_TABLE)
        r = plane_table(p, &in, e);
    else if (!r && str_has(first, "match"))
        r = peaks_csv(p, in.data, in.size, path, e);
    else if (!r)
        r = capture(p, &in, e);
    return inp_close(&in, e) ? -1 : r;
}

void peaks_free(struct peaks *p)
{
    for (size_t k = 0; k < p->n; k++)
        if (!p->v[k].capture) regfree(&p->v[k].match);
    free(p->v);
    arena_free(&p->arena);
    *p = (struct peaks){0};
}

/* ---- finding ---- */

enum { NAME_MAX_BYTES = 255 }; /* a device's name that is longer is nobody's */

static bool fits(const struct peak *r, struct str device)
{
    if (r->device.n) return str_eq(r->device, device);
    return device.n && device.n <= NAME_MAX_BYTES && re_matches(&r->match, device);
}

static bool same_figures(const struct peak *a, const struct peak *b)
{
    bool same = a->bytes_per_s == b->bytes_per_s;
    for (int k = 0; k < PEAK_RATES; k++) same = same && a->flops[k] == b->flops[k];
    return same;
}

const struct peak *peaks_find(const struct peaks *p, struct str device, struct buf *clash)
{
    const struct peak *found = NULL;
    bool differ = false;
    for (size_t k = 0; k < p->n; k++) {
        if (!fits(&p->v[k], device)) continue;
        differ |= found && !same_figures(found, &p->v[k]);
        buf_fmt(clash, "%s%.*s", clash->n ? ", " : "", (int)p->v[k].sku.n, p->v[k].sku.p);
        if (!found) found = &p->v[k];
    }
    if (!differ) clash->n = 0;
    return differ ? NULL : found;
}

const struct peak *peaks_sku(const struct peaks *p, struct str sku)
{
    for (size_t k = 0; k < p->n; k++)
        if (str_eq(p->v[k].sku, sku)) return &p->v[k];
    return NULL;
}

double peak_flops(const struct peak *p, struct str dtype)
{
    static const struct {
        const char *prefix;
        enum peak_rate rate;
    } type[] = {{"f8", PEAK_F8}, {"f6", PEAK_F6}, {"f4", PEAK_F4}};
    for (int k = 0; k < PEAK_RATES; k++)
        if (k != PEAK_TF32 && str_is(dtype, rate_name[k])) return p->flops[k];
    if (str_is(dtype, "u8")) return p->flops[PEAK_S8];
    if (str_is(dtype, "u4")) return p->flops[PEAK_S4];
    for (size_t k = 0; k < sizeof type / sizeof *type; k++) /* f8e4m3fn, f4e2m1fn ... */
        if (str_starts(dtype, type[k].prefix) && dtype.n > 2 && dtype.p[2] == 'e')
            return p->flops[type[k].rate];
    return 0;
}
