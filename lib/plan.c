#include "plan.h"
#include "buf.h"
#include "inp.h"
#include "num.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char *const kind_name[PLAN_KINDS] = {
    [PLAN_PARAMETER] = "parameter", [PLAN_OUTPUT] = "output",       [PLAN_THREAD_LOCAL] = "thread_local",
    [PLAN_CONSTANT] = "constant",   [PLAN_TEMPORARY] = "temporary", [PLAN_SCOPED] = "scoped",
};

const char *plan_kind_name(enum plan_kind k) { return kind_name[k]; }

enum plan_kind plan_alloc_kind(const struct plan_alloc *a)
{
    if (a->is_parameter) return PLAN_PARAMETER;
    if (a->maybe_live_out) return PLAN_OUTPUT;
    if (a->thread_local_) return PLAN_THREAD_LOCAL;
    return a->constant ? PLAN_CONSTANT : PLAN_TEMPORARY;
}

struct plan *plan_new(enum plan_source source, const char *file)
{
    struct plan *p = mem_alloc(1, sizeof *p);
    p->source = source;
    p->file = file;
    p->end_order = p->peak_order = p->total_used = -1;
    p->scoped_vmem = p->opaque_calls = p->opaque_io = -1;
    return p;
}

void plan_free(struct plan *p)
{
    if (!p) return;
    free(p->alloc);
    free(p->buffer);
    free(p->trace);
    free(p->event);
    free(p->peak);
    free(p->space);
    if (p->owns_hlo) hlo_free(p->hlo);
    map_free(&p->text);
    arena_free(&p->arena);
    free(p);
}

void plan_fault(struct plan *p, enum plan_fault k, enum err_unit unit, uint64_t at, const char *fmt, ...)
{
    struct err *e = &p->fault_at[k];
    va_list ap;
    if (p->fault[k]++) return;
    va_start(ap, fmt);
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    va_end(ap);
    e->file = p->file;
    e->unit = unit;
    e->at = at;
}

/* The buffer of an id that counts: of several entries the last (spec: memory viewer 2.3.2). */
static void by_id(const struct plan *p, struct map64 *m)
{
    for (uint32_t i = 0; i < p->nbuffer; i++) map64_set(m, (uint64_t)p->buffer[i].id, i);
}

/* Enter event k of trace t at its buffer; false if the columns have no room for it. */
static bool enter(struct plan_buffer *b, uint32_t t, int64_t k, const struct plan_event *v)
{
    if (b->trace != PLAN_NONE && b->trace != t) return false;
    b->trace = t;
    if (v->kind == PLAN_FREE) {
        if (b->free_order >= 0 || b->alloc_order < 0) return false;
        b->free_order = k;
        return true;
    }
    if (b->alloc_order >= 0 || b->free_order >= 0) return false;
    b->alloc_order = k;
    if (v->kind == PLAN_SHARE) b->share_with = v->share_with;
    return true;
}

static void one_event(struct plan *p, const struct map64 *id, bool *full, uint32_t t, uint32_t k)
{
    const struct plan_event *v = &p->event[p->trace[t].first + k];
    uint64_t i, other;
    if (!map64_get(id, (uint64_t)v->buffer, &i)) {
        plan_fault(p, PLAN_UNKNOWN_ID, ERR_NOWHERE, 0,
                   "heap trace %u, event %u: no allocation lists buffer %lld", t, k, (long long)v->buffer);
        return;
    }
    if (v->kind == PLAN_SHARE && !map64_get(id, (uint64_t)v->share_with, &other))
        plan_fault(p, PLAN_UNKNOWN_ID, ERR_NOWHERE, 0,
                   "heap trace %u, event %u: no allocation lists buffer %lld, which %lld is to share", t, k,
                   (long long)v->share_with, (long long)v->buffer);
    if (v->kind == PLAN_FREE && p->buffer[i].alloc_order < 0)
        plan_fault(p, PLAN_FREE_UNMADE, ERR_NOWHERE, 0,
                   "heap trace %u, event %u: buffer %lld is freed before it is allocated", t, k,
                   (long long)v->buffer);
    if (!enter(&p->buffer[i], t, k, v)) full[i] = true;
}

void plan_orders(struct plan *p)
{
    struct map64 id = {0};
    bool *full = mem_alloc(p->nbuffer, sizeof *full);
    by_id(p, &id);
    for (uint32_t t = 0; t < p->ntrace; t++)
        for (uint32_t k = 0; k < p->trace[t].count; k++) one_event(p, &id, full, t, k);
    for (uint32_t i = 0; i < p->nbuffer; i++) p->busy += full[i];
    free(full);
    map64_free(&id);
}

/* ---- one row per memory space ---- */

static struct plan_space *space_of(struct plan *p, struct map64 *at, size_t *cap, int64_t color)
{
    uint64_t *i = map64_at(at, (uint64_t)color, p->nspace);
    if (*i == p->nspace) {
        struct buf b = {0};
        p->space = mem_grow(p->space, cap, (size_t)p->nspace + 1, sizeof *p->space);
        buf_i64(&b, color);
        p->space[p->nspace++] = (struct plan_space){
            .memory_space = str_n(arena_copy(&p->arena, b.p, b.n), b.n), .limit = -1, .largest = -1};
        buf_free(&b);
    }
    return &p->space[*i];
}

static void add_alloc(struct plan *p, struct plan_space *s, const struct plan_alloc *a)
{
    bool fixed = a->is_parameter || a->constant || a->maybe_live_out || a->thread_local_;
    s->total = num_add(s->total, a->size);
    if (a->is_parameter) s->argument = num_add(s->argument, a->size);
    if (a->constant) s->constant = num_add(s->constant, a->size);
    if (a->maybe_live_out) s->maybe_live_out = num_add(s->maybe_live_out, a->size);
    if (a->thread_local_) s->thread_local_ = num_add(s->thread_local_, a->size);
    if (!fixed) s->temp = num_add(s->temp, a->size);
    s->buffers += a->count;
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        const struct plan_buffer *b = &p->buffer[i];
        if (b->size <= s->largest) continue;
        s->largest = b->size;
        s->largest_instr = b->instr;
        s->largest_source = b->about->source;
    }
}

static int by_number(const void *x, const void *y)
{
    const struct plan_space *a = x, *b = y;
    int64_t i = 0, j = 0;
    num_i64(a->memory_space, &i);
    num_i64(b->memory_space, &j);
    return (i > j) - (i < j);
}

void plan_spaces(struct plan *p)
{
    struct map64 at = {0};
    size_t cap = p->nspace;
    free(p->space);
    p->space = NULL;
    p->nspace = 0;
    cap = 0;
    for (uint32_t i = 0; i < p->nalloc; i++)
        add_alloc(p, space_of(p, &at, &cap, p->alloc[i].color), &p->alloc[i]);
    if (p->nspace) qsort(p->space, p->nspace, sizeof *p->space, by_number);
    map64_free(&at);
}
