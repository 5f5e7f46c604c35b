#include "plan_heap.h"
#include <stdlib.h>

enum column { MODULE, TRACE, EVENT, KIND, BUFFER, INSTR, SHARE_WITH, COLUMNS };
static const char *const column[COLUMNS] = {"module", "trace", "event",     "kind",
                                            "buffer", "instr", "share_with"};

bool plan_heap_is_table(const struct tsv *t)
{
    for (int c = 0; c < COLUMNS; c++)
        if (tsv_col(t, column[c]) < 0) return false;
    return tsv_col(t, "allocation") < 0;
}

static struct plan_heap *heap_of(struct plan_heaps *h, struct str module)
{
    bool fresh;
    uint32_t k = map_put(&h->module, module, &fresh);
    h->of = mem_grow(h->of, &h->cap, (size_t)k + 1, sizeof *h->of);
    if (fresh) h->of[k] = (struct plan_heap){0};
    return &h->of[k];
}

static int add_event(struct plan_heaps *h, const struct tsv *t, const int *col, struct err *e)
{
    static const char *const kind[] = {"alloc", "free", "share_with"};
    struct heap_event v = {.buffer = -1, .share_with = -1};
    int k = 0;
    while (k < 3 && !str_is(t->cell[col[KIND]], kind[k])) k++;
    if (k == 3) return tsv_bad(t, col[KIND], "alloc, free or share_with", e);
    v.kind = (enum plan_event_kind)k;
    if (!tsv_i64(t, col[TRACE], &v.trace)) return tsv_bad(t, col[TRACE], "whole number", e);
    if (!tsv_i64(t, col[EVENT], &v.event)) return tsv_bad(t, col[EVENT], "whole number", e);
    if (!tsv_none(t->cell[col[BUFFER]]) && !tsv_i64(t, col[BUFFER], &v.buffer))
        return tsv_bad(t, col[BUFFER], "whole number", e);
    if (!tsv_none(t->cell[col[SHARE_WITH]]) && !tsv_i64(t, col[SHARE_WITH], &v.share_with))
        return tsv_bad(t, col[SHARE_WITH], "whole number", e);
    struct buf b = {0};
    if (tsv_unescape(&b, t->cell[col[INSTR]])) return tsv_bad(t, col[INSTR], "text with known escapes", e);
    v.instr = str_n(arena_copy(&h->arena, b.p, b.n), b.n);
    buf_free(&b);
    struct plan_heap *of = heap_of(h, tsv_str(t, col[MODULE]));
    of->v = mem_grow(of->v, &of->cap, of->n + 1, sizeof *of->v);
    of->v[of->n++] = v;
    return 0;
}

int plan_heaps_read(struct plan_heaps *h, struct tsv *t, struct err *e)
{
    int col[COLUMNS], rc = 0;
    for (int c = 0; c < COLUMNS; c++)
        if (tsv_need(t, column[c], "bufassign2tsv -t heap", &col[c], e)) return -1;
    while (!rc && (rc = tsv_next(t, e)) > 0) rc = add_event(h, t, col, e);
    return rc;
}

static int by_place(const void *x, const void *y)
{
    const struct heap_event *a = x, *b = y;
    if (a->trace != b->trace) return a->trace < b->trace ? -1 : 1;
    return (a->event > b->event) - (a->event < b->event);
}

void plan_heaps_apply(const struct plan_heaps *h, struct plan *p)
{
    struct buf cell = {0};
    size_t cap = 0;
    tsv_escape(&cell, p->module);
    uint32_t k = map_get(&h->module, buf_view(&cell));
    buf_free(&cell);
    if (k == MAP_NONE || h->of[k].n > INT32_MAX) return;
    const struct plan_heap *of = &h->of[k];
    if (of->n) qsort(of->v, of->n, sizeof *of->v, by_place);
    free(p->trace);
    free(p->event);
    p->trace = NULL;
    p->ntrace = 0;
    p->event = mem_alloc(of->n + 1, sizeof *p->event);
    p->nevent = (uint32_t)of->n;
    for (uint32_t i = 0; i < p->nevent; i++) {
        const struct heap_event *v = &of->v[i];
        if (!i || v->trace != v[-1].trace) {
            p->trace = mem_grow(p->trace, &cap, (size_t)p->ntrace + 1, sizeof *p->trace);
            p->trace[p->ntrace++] = (struct plan_trace){.first = i, .alloc_index = -1};
        }
        p->trace[p->ntrace - 1].count++;
        p->event[i] = (struct plan_event){.kind = v->kind, .buffer = v->buffer, .share_with = v->share_with};
        p->event[i].instr = str_n(arena_copy(&p->arena, v->instr.p, v->instr.n), v->instr.n);
    }
}

void plan_heaps_free(struct plan_heaps *h)
{
    if (!h) return;
    for (uint32_t k = 0; k < h->module.count; k++) free(h->of[k].v);
    free(h->of);
    map_free(&h->module);
    arena_free(&h->arena);
    *h = (struct plan_heaps){0};
}
