#include "csvio.h"
#include "mem.h"
#include "tsv.h"
#include <csv.h>
#include <stdlib.h>

struct csv_in {
    struct csv_parser parser;
    struct buf tsv; /* TSV made and not yet handed on, from `at` */
    struct buf first;
    size_t at;
    bool started; /* a field stands on this row */
    bool done;
};

static void on_field(void *p, size_t n, void *ctx)
{
    struct csv_in *c = ctx;
    if (c->started) buf_c(&c->tsv, '\t');
    c->started = true;
    tsv_escape(&c->tsv, str_n(p, n));
}

static void on_row(int end, void *ctx)
{
    (void)end;
    struct csv_in *c = ctx;
    if (c->started) buf_c(&c->tsv, '\n');
    c->started = false;
}

struct csv_in *csv_in_new(const char *first, size_t n)
{
    struct csv_in *c = mem_alloc(1, sizeof *c);
    if (csv_init(&c->parser, CSV_STRICT | CSV_STRICT_FINI)) mem_oom(sizeof *c);
    csv_set_blk_size(&c->parser, 1 << 16);
    csv_set_space_func(&c->parser, NULL);
    buf_put(&c->first, first, n);
    return c;
}

static int feed(struct csv_in *c, struct inp *in, const char *p, size_t n, struct err *e)
{
    if (csv_parse(&c->parser, p, n, on_field, on_row, c) == n) return 0;
    return err_set(e, in->name, "CSV: %s", csv_strerror(csv_error(&c->parser)));
}

int csv_in_read(struct csv_in *c, struct inp *in, char *p, size_t n, size_t *got, struct err *e)
{
    char chunk[1 << 14];
    *got = 0;
    while (c->at == c->tsv.n && !c->done) {
        size_t k = 0;
        int r = 1;
        c->at = c->tsv.n = 0;
        if (c->first.n) {
            r = feed(c, in, c->first.p, c->first.n, e);
            buf_free(&c->first);
            if (r) return -1;
            continue;
        }
        r = inp_read(in, chunk, sizeof chunk, &k, e);
        if (r < 0 || (r && feed(c, in, chunk, k, e))) return -1;
        if (r) continue;
        c->done = true;
        if (csv_fini(&c->parser, on_field, on_row, c))
            return err_set(e, in->name, "CSV: %s", csv_strerror(csv_error(&c->parser)));
    }
    *got = c->tsv.n - c->at < n ? c->tsv.n - c->at : n;
    if (*got) memcpy(p, c->tsv.p + c->at, *got);
    c->at += *got;
    return *got > 0;
}

void csv_in_free(struct csv_in *c)
{
    if (!c) return;
    csv_free(&c->parser);
    buf_free(&c->tsv);
    buf_free(&c->first);
    free(c);
}

static bool needs_quotes(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (strchr(",\"\r\n", s.p[i]) || s.p[i] == ' ' || s.p[i] == '\t') return true;
    return false;
}

void csv_out_row(struct out *o, struct str row)
{
    struct buf text = {0};
    for (bool more = true, first = true; more; first = false) {
        const char *tab = row.n ? memchr(row.p, '\t', row.n) : NULL;
        struct str cell = str_n(row.p, tab ? (size_t)(tab - row.p) : row.n);
        more = tab != NULL;
        row = str_from(row, cell.n + more);
        text.n = 0;
        if (tsv_unescape(&text, cell)) text.n = 0, buf_str(&text, cell); /* foreign cell: as it stands */
        if (!first) out_c(o, ',');
        if (!needs_quotes(buf_view(&text))) {
            out_str(o, buf_view(&text));
            continue;
        }
        size_t n = csv_write(NULL, 0, text.p, text.n);
        csv_write(out_room(o, n), n, text.p, text.n);
        out_took(o, n);
    }
    out_c(o, '\n');
    buf_free(&text);
}
