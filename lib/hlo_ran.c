#include "hlo_ran.h"
#include "kind.h"
#include "num.h"
#include "xprogram.h"
#include <stdlib.h>

static struct hlo_ran_program *add(struct hlo_ran *r, struct str module, bool has_id, uint64_t id)
{
    struct buf b = {0};
    bool fresh;
    if (has_id) buf_u64(&b, id);
    buf_c(&b, ' ');
    if (!has_id) buf_str(&b, module);
    uint32_t at = map_put(&r->key, buf_view(&b), &fresh);
    buf_free(&b);
    if (fresh) {
        r->program = mem_grow(r->program, &r->cap, r->n + 1, sizeof *r->program);
        r->program[r->n++] = (struct hlo_ran_program){
            .module = str_n(arena_copy(&r->arena, module.p, module.n), module.n), .id = id, .has_id = has_id};
    }
    return &r->program[at];
}

static int from_capture(struct hlo_ran *r, const struct inp *in, struct err *e)
{
    struct xspace s = {0};
    struct xsurvey v;
    struct xprograms x = {0};
    int bad = xspace_read(&s, in->data, in->size, in->name, e);
    xsurvey_init(&v, &s);
    if (xsurvey_walk(&v, &s, NULL, e) || xprograms_read(&x, &s, &v, e)) bad = -1;
    for (size_t k = 0; k < x.n; k++) {
        struct hlo_ran_program *p = add(r, x.v[k].module, true, x.v[k].id);
        p->runs = x.v[k].runs;
        p->time_ps = (uint64_t)(x.v[k].time_ps > 0 ? x.v[k].time_ps : 0);
    }
    free(x.v);
    xsurvey_free(&v);
    xspace_free(&s);
    return bad;
}

/* Table hlo has a row per program with its runs and time_ps, table module a row per run with its dur_ps. */
static int from_table(struct hlo_ran *r, struct inp *in, struct err *e)
{
    struct tsv t;
    struct buf name = {0};
    int rc, module, program, time, runs;
    if (tsv_open_inp(&t, in, e)) return -1;
    runs = tsv_col(&t, "runs");
    time = tsv_col(&t, "time_ps");
    rc = tsv_need(&t, "module", "xplane2tsv -t module", &module, e);
    program = tsv_col(&t, "program_id");
    if (!rc && time < 0) rc = tsv_need(&t, "dur_ps", "xplane2tsv -t module", &time, e);
    while (!rc && (rc = tsv_next(&t, e)) > 0) {
        uint64_t id = 0, ps = 0, n = 1;
        bool has_id = tsv_u64(&t, program, &id);
        name.n = 0;
        rc = 0;
        if (tsv_unescape(&name, tsv_str(&t, module))) rc = tsv_bad(&t, module, "text", e);
        if (!tsv_u64(&t, time, &ps) && !tsv_none(tsv_str(&t, time))) rc = tsv_bad(&t, time, "number", e);
        if (runs >= 0 && !tsv_u64(&t, runs, &n)) n = 0;
        if (rc) break;
        struct hlo_ran_program *p = add(r, buf_view(&name), has_id, id);
        p->runs += n;
        p->time_ps += ps;
    }
    buf_free(&name);
    tsv_close(&t);
    return rc;
}

int hlo_ran_read(struct hlo_ran *r, const char *path, struct err *e)
{
    struct inp in;
    if (inp_open(&in, path, e)) return -1;
    if (inp_whole(&in, e)) return -1;
    enum kind k = kind_of(in.data, in.size);
    if (k == KIND_TABLE) return from_table(r, &in, e);
    int rc = k == KIND_XPLANE ? from_capture(r, &in, e)
                              : err_set(e, in.name, "a capture is expected; this is %s", kind_says(k));
    return inp_close(&in, e) ? -1 : rc;
}

void hlo_ran_free(struct hlo_ran *r)
{
    free(r->program);
    map_free(&r->key);
    arena_free(&r->arena);
    *r = (struct hlo_ran){0};
}

const struct hlo_ran_program *hlo_ran_find(const struct hlo_ran *r, struct str module, bool has_id,
                                           uint64_t id)
{
    const struct hlo_ran_program *only = NULL;
    for (size_t k = 0; k < r->n; k++) {
        const struct hlo_ran_program *p = &r->program[k];
        if (has_id && p->has_id) {
            if (p->id == id) return p;
        } else if (str_eq(p->module, module)) {
            if (only) return NULL;
            only = p;
        }
    }
    return only;
}

const struct hlo_ran_program *hlo_ran_longest(const struct hlo_ran *r)
{
    const struct hlo_ran_program *most = NULL;
    for (size_t k = 0; k < r->n; k++)
        if (r->program[k].time_ps > (most ? most->time_ps : 0)) most = &r->program[k];
    return most;
}
