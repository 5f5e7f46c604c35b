/* The estimate as a plan: its allocations, its buffers, its heap trace. */
#include "live_hlo.h"
#include "live_hlo_in.h"
#include "num.h"
#include "plan_read.h"
#include <stdlib.h>

/* ---- allocations and buffers ---- */

struct building {
    const struct hv *h;
    struct plan *p;
    struct map64 temp; /* memory space -> the allocation of its temporaries */
    size_t alloc_cap;
    struct buf scratch;
};

static uint32_t new_alloc(struct building *g, struct plan_alloc a)
{
    struct plan *p = g->p;
    p->alloc = mem_grow(p->alloc, &g->alloc_cap, (size_t)p->nalloc + 1, sizeof *p->alloc);
    a.index = p->nalloc;
    p->alloc[p->nalloc] = a;
    return p->nalloc++;
}

static uint32_t alloc_of(struct building *g, const struct hv_buffer *b)
{
    const struct hlo_instr *i = &g->h->m->instr[g->h->instr[b->node]];
    if (b->parameter || b->constant || b->root)
        return new_alloc(g, (struct plan_alloc){.size = b->size < 0 ? 0 : b->size,
                                                .color = b->space,
                                                .parameter = b->parameter ? i->number : -1,
                                                .is_parameter = b->parameter,
                                                .maybe_live_out = b->root,
                                                .constant = b->constant,
                                                .tuple = b->table});
    uint64_t *at = map64_at(&g->temp, (uint64_t)b->space, HV_NONE);
    if (*at == HV_NONE) *at = new_alloc(g, (struct plan_alloc){.color = b->space, .parameter = -1});
    return (uint32_t)*at;
}

/* "{0,1}" for a part of a tuple, "" for the whole value. */
static struct str index_of(const struct hv *h, uint32_t node, struct arena *a)
{
    struct buf b = {0};
    uint32_t v = h->node[h->instr[node]];
    if (v == node) return (struct str){0};
    while (v != node) {
        uint32_t k = 0, c = v + 1;
        for (; c + h->size[c] <= node; k++) c += h->size[c];
        buf_c(&b, b.n ? ',' : '{');
        buf_u64(&b, k);
        v = c;
    }
    buf_c(&b, '}');
    struct str s = str_n(arena_copy(a, b.p, b.n), b.n);
    buf_free(&b);
    return s;
}

static struct str shape_text(struct building *g, const struct shape *s)
{
    struct buf *b = &g->scratch;
    b->n = 0;
    shape_put_full(b, s, false);
    return plan_bare_shape(str_n(arena_copy(&g->p->arena, b->p, b->n), b->n), &g->p->arena);
}

static void add_buffer(struct building *g, uint32_t alloc, uint32_t instr, const struct shape *s,
                       int64_t size)
{
    static const struct plan_about nothing;
    uint32_t k = g->p->nbuffer++;
    g->p->buffer[k] = (struct plan_buffer){.alloc = alloc,
                                           .trace = PLAN_NONE,
                                           .id = k,
                                           .color = g->p->alloc[alloc].color,
                                           .offset = -1,
                                           .size = size,
                                           .unpadded = shape_bytes_unpadded(s),
                                           .alloc_order = -1,
                                           .free_order = -1,
                                           .share_with = -1,
                                           .start = -1,
                                           .end = -1,
                                           .instr = g->h->m->instr[instr].name,
                                           .shape = shape_text(g, s),
                                           .about = &nothing};
}

/* Constants of comparators and reducers are in the program's memory like any other, those of fusions not. */
static void add_constants(struct building *g)
{
    const struct hv *h = g->h;
    bool *done = mem_alloc((size_t)h->m->ncomputation + 1, sizeof *done);
    for (uint32_t n = 0; n < h->end; n++) {
        const struct hlo_instr *i = &h->m->instr[h->at[n]];
        for (uint32_t k = 0; k < i->ncall; k++) {
            uint32_t to = i->call[k].computation;
            if (to == HLO_NONE || h->place[to].walked || done[to] || hlo_is(i, "fusion")) continue;
            done[to] = true;
            const struct hlo_computation *c = &h->m->computation[to];
            for (uint32_t x = c->first; x < c->first + c->count; x++) {
                if (!hlo_is(&h->m->instr[x], "constant")) continue;
                int64_t size = hv_shape_bytes(h, h->m->instr[x].shape);
                if (size < 0) continue;
                uint32_t a =
                    new_alloc(g, (struct plan_alloc){.size = size, .parameter = -1, .constant = true});
                add_buffer(g, a, x, h->m->instr[x].shape, size);
            }
        }
    }
    free(done);
}

/* Buffers of one allocation must stand together: sort, and let the ids stay what they are. */
static int by_alloc(const void *x, const void *y)
{
    const struct plan_buffer *a = x, *b = y;
    if (a->alloc != b->alloc) return a->alloc < b->alloc ? -1 : 1;
    return (a->id > b->id) - (a->id < b->id);
}

static void make_buffers(struct building *g)
{
    struct plan *p = g->p;
    const struct hv *h = g->h;
    p->buffer = mem_alloc((size_t)h->nbuffer + h->m->ninstr + 1, sizeof *p->buffer);
    for (uint32_t k = 0; k < h->nbuffer; k++) {
        const struct hv_buffer *b = &h->buffer[k];
        add_buffer(g, alloc_of(g, b), h->instr[b->node], h->shape[b->node], b->size);
        p->buffer[k].index = index_of(h, b->node, &p->arena);
    }
    for (uint32_t k = 0; k < h->nbuffer; k++) /* what lives in an output's memory belongs to its allocation */
        if (h->buffer[k].host != HV_NONE) p->buffer[k].alloc = p->buffer[h->buffer[k].host].alloc;
    add_constants(g);
    if (p->nbuffer) qsort(p->buffer, p->nbuffer, sizeof *p->buffer, by_alloc);
    for (uint32_t k = p->nbuffer; k-- > 0;) {
        p->alloc[p->buffer[k].alloc].first = k;
        p->alloc[p->buffer[k].alloc].count++;
    }
}

/* ---- the heap trace ---- */

enum phase { HANDS_OVER, MADE, ENDS }; /* at one number in this order */
struct happening {
    int64_t space;
    uint32_t number, buffer;
    enum phase phase;
};

static int by_time(const void *x, const void *y)
{
    const struct happening *a = x, *b = y;
    if (a->space != b->space) return a->space < b->space ? -1 : 1;
    if (a->number != b->number) return a->number < b->number ? -1 : 1;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static size_t happenings(const struct hv *h, const bool *handed_over, struct happening *e)
{
    size_t n = 0;
    for (uint32_t k = 0; k < h->nbuffer; k++) {
        const struct hv_buffer *b = &h->buffer[k];
        if (b->parameter || b->constant || b->root || b->host != HV_NONE || b->size <= 0) continue;
        for (uint32_t t = 0; t < b->count; t++) {
            struct hv_interval life = h->interval[b->first + t];
            bool over = handed_over[k] && t + 1 == b->count && life.from < life.to;
            e[n++] = (struct happening){b->space, life.from, k, MADE};
            e[n++] = (struct happening){b->space, life.to, k, over ? HANDS_OVER : ENDS};
        }
    }
    qsort(e, n, sizeof *e, by_time);
    return n;
}

static void make_traces(struct building *g, const bool *handed_over, struct live_estimate *out)
{
    const struct hv *h = g->h;
    struct plan *p = g->p;
    size_t cap = 0, n;
    uint32_t most = 0;
    for (uint32_t k = 0; k < h->nbuffer; k++) most += 2 * h->buffer[k].count;
    struct happening *e = mem_alloc((size_t)most + 1, sizeof *e);
    n = happenings(h, handed_over, e);
    p->event = mem_alloc(n + 1, sizeof *p->event);
    out->event_time = mem_alloc(n + 1, sizeof *out->event_time);
    for (size_t k = 0; k < n; k++) {
        if (!k || e[k].space != e[k - 1].space) {
            p->trace = mem_grow(p->trace, &cap, (size_t)p->ntrace + 1, sizeof *p->trace);
            p->trace[p->ntrace++] = (struct plan_trace){.first = (uint32_t)k, .alloc_index = -1};
        }
        p->trace[p->ntrace - 1].count++;
        p->event[p->nevent++] =
            (struct plan_event){.kind = e[k].phase == MADE ? PLAN_ALLOC : PLAN_FREE,
                                .buffer = e[k].buffer,
                                .share_with = -1,
                                .instr = h->m->instr[h->instr[h->buffer[e[k].buffer].node]].name};
        out->event_time[k] = e[k].number;
    }
    free(e);
}

void live_estimate(struct hlo_module *m, struct live_estimate *out)
{
    struct hv h;
    struct hv_sharing s;
    struct building g = {.h = &h, .p = plan_new(PLAN_FROM_TABLE, m->source_name)};
    *out = (struct live_estimate){.plan = g.p};
    hv_clock(&h, m);
    hv_join(&h);
    hv_share(&h, &s);
    g.p->module = m->name;
    g.p->hlo = m;
    g.p->owns_hlo = true;
    make_buffers(&g);
    make_traces(&g, s.handed_over, out);
    out->end_time = h.end;
    out->unsized = h.unsized;
    out->gave_up = s.gave_up;
    plan_link(g.p, m);
    free(s.handed_over);
    map64_free(&g.temp);
    buf_free(&g.scratch);
    hv_free(&h);
}

void live_estimate_free(struct live_estimate *e)
{
    if (!e) return;
    plan_free(e->plan);
    free(e->event_time);
    *e = (struct live_estimate){0};
}
