/* What the capture itself says of its window, messages and empty planes: from the capture or its meta table.
 */
#include "checks.h"
#include "inp.h"
#include "kind.h"
#include "num.h"
#include "xplane.h"
#include <stdio.h>

static void keep(char out[200], struct str raw, bool cell)
{
    struct buf b = {0};
    cell ? buf_str(&b, raw) : tsv_escape(&b, raw);
    size_t n = strlen(out), room = 199 - n;
    if (n && room > 2) out[n++] = ',', out[n++] = ' ', room -= 2;
    size_t take = tsv_cut(buf_view(&b), room);
    memcpy(out + n, b.p, take);
    out[n + take] = 0;
    buf_free(&b);
}

static bool says_dropped(struct str s)
{
    return str_has(s, "dropped") || str_has(s, "Dropped") || str_has(s, "DROPPED");
}

static void message(struct capture_facts *f, struct str s, bool error, bool cell)
{
    error ? f->errors++ : f->warnings++;
    f->dropped += says_dropped(s);
    if (!f->first[0]) keep(f->first, s, cell);
}

static int from_table(struct capture_facts *f, struct inp *in, struct err *e)
{
    struct tsv t;
    int key, value, r = -1;
    if (tsv_open_inp(&t, in, e)) return -1;
    if (!tsv_need(&t, "key", "xplane2tsv -t meta", &key, e) &&
        !tsv_need(&t, "value", "xplane2tsv -t meta", &value, e))
        while ((r = tsv_next(&t, e)) > 0) {
            struct str k = t.cell[key];
            if (str_is(k, "error") || str_is(k, "warning"))
                message(f, t.cell[value], str_is(k, "error"), true);
            if (str_is(k, "window_ps") && !tsv_none(t.cell[value]) && num_i64(t.cell[value], &f->window_ps))
                r = tsv_bad(&t, value, "time in ps", e);
            if (r < 0) break;
        }
    tsv_close(&t);
    return r;
}

static int from_capture(struct capture_facts *f, struct inp *in, struct err *e)
{
    struct xspace s;
    int r = xspace_read(&s, in->data, in->size, in->name, e);
    for (size_t i = 0; i < s.errors.n; i++) message(f, s.errors.v[i], true, false);
    for (size_t i = 0; i < s.warnings.n; i++) message(f, s.warnings.v[i], false, false);
    for (size_t i = 0; i < s.nplane; i++) {
        const struct xplane *p = &s.plane[i];
        uint64_t n = 0;
        for (size_t k = 0; k < p->nline; k++) n += p->line[k].events;
        if (n || (p->kind != PLANE_GPU && p->kind != PLANE_DEVICE)) continue;
        if (f->empty_planes++ < 4) keep(f->empty, p->name, false);
    }
    f->planes_known = true;
    if (s.stop_ns > s.start_ns && s.stop_ns - s.start_ns < INT64_MAX / 1000)
        f->window_ps = (int64_t)(s.stop_ns - s.start_ns) * 1000;
    xspace_free(&s);
    return r;
}

int capture_facts_read(struct capture_facts *f, const char *path, struct err *e)
{
    struct inp in;
    *f = (struct capture_facts){.given = true, .window_ps = -1};
    if (inp_open(&in, path, e)) return -1;
    int r = inp_whole(&in, e);
    if (!r && kind_of(in.data, in.size) == KIND_TABLE)
        r = from_table(f, &in, e);
    else if (!r)
        r = from_capture(f, &in, e);
    if (inp_close(&in, e)) r = -1;
    return r;
}
