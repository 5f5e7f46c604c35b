#include "live.h"
#include "num.h"
#include <stdlib.h>

enum { CHAIN_MAX = 1000 }; /* aliases of aliases: real plans name the canonical buffer itself */

const char *live_basis_name(enum live_basis b)
{
    static const char *const name[] = {"fixed", "plan", "ranges", "estimate"};
    return name[b];
}

bool live_is_fixed(const struct plan_alloc *a, const struct live_rules *r)
{
    if (a->thread_local_) return r->old_thread_local;
    return a->is_parameter || a->constant || a->maybe_live_out;
}

uint32_t live_representative(const struct plan *p, const struct plan_alloc *a)
{
    uint32_t best = PLAN_NONE;
    int64_t most = 0;
    for (uint32_t b = a->first; b < a->first + a->count; b++)
        if (p->buffer[b].size > most) {
            best = b;
            most = p->buffer[b].size;
        }
    return best;
}

/* Is the allocation seen at all?  XProf 2.24 leaves thread-local ones out (spec: memory viewer 2.3). */
static bool counts(const struct plan_alloc *a, const struct live_rules *r)
{
    return a->color == r->space && (r->old_thread_local || !a->thread_local_);
}

/* ---- sums over the allocations (spec: memory viewer 2.6) ---- */

static void sum_allocations(struct live *l)
{
    const struct plan *p = l->plan;
    for (const struct plan_alloc *a = p->alloc; a < p->alloc + p->nalloc; a++) {
        if (a->color != l->rules.space) continue;
        int64_t size = a->size < 0 ? 0 : a->size;
        if (a->size < 0) l->unsized++;
        if (a->thread_local_ || a->tuple) l->non_reusable = num_add(l->non_reusable, size);
        if (!counts(a, &l->rules)) continue;
        l->total = num_add(l->total, size);
        if (a->is_parameter) l->argument = num_add(l->argument, size);
        if (a->constant) l->constant = num_add(l->constant, size);
        if (a->maybe_live_out) l->live_out = num_add(l->live_out, size);
        if (!live_is_fixed(a, &l->rules)) continue;
        l->indefinite = num_add(l->indefinite, size);
        if (live_representative(p, a) != PLAN_NONE) l->fixed = num_add(l->fixed, size);
    }
}

/* ---- which trace (spec: memory viewer 2.4) ---- */

static uint32_t by_id(const struct map64 *ids, int64_t id)
{
    uint64_t at;
    return map64_get(ids, (uint64_t)id, &at) ? (uint32_t)at : PLAN_NONE;
}

static int64_t color_of(const struct plan *p, uint32_t b)
{
    return p->buffer[b].color >= 0 ? p->buffer[b].color : p->alloc[p->buffer[b].alloc].color;
}

/* The lowest allocation of the space that a trace begins in; `heaps` counts the others too. */
static uint32_t trace_by_allocation(struct live *l, const struct map64 *ids)
{
    const struct plan *p = l->plan;
    uint32_t *of = mem_alloc(p->nalloc + 1, sizeof *of), best = PLAN_NONE;
    for (uint32_t i = 0; i < p->nalloc; i++) of[i] = PLAN_NONE;
    for (uint32_t t = 0; t < p->ntrace; t++) {
        if (!p->trace[t].count) continue;
        uint32_t b = by_id(ids, p->event[p->trace[t].first].buffer);
        if (b != PLAN_NONE) of[p->buffer[b].alloc] = t;
    }
    for (uint32_t i = 0; i < p->nalloc; i++) {
        const struct plan_alloc *a = &p->alloc[i];
        if (of[i] == PLAN_NONE || !counts(a, &l->rules) || live_is_fixed(a, &l->rules)) continue;
        if (!l->heaps++) best = of[i];
    }
    free(of);
    return best;
}

static uint32_t trace_by_color(const struct live *l, const struct map64 *ids)
{
    const struct plan *p = l->plan;
    uint32_t best = PLAN_NONE, most = 0;
    for (uint32_t t = 0; t < p->ntrace; t++) {
        uint32_t n = 0;
        for (uint32_t k = 0; k < p->trace[t].count; k++) {
            uint32_t b = by_id(ids, p->event[p->trace[t].first + k].buffer);
            n += b != PLAN_NONE && color_of(p, b) == l->rules.space;
        }
        if (n > most) {
            best = t;
            most = n;
        }
    }
    return best;
}

/* ---- the replay (spec: memory viewer 2.5) ---- */

struct replay {
    struct live *l;
    const struct map64 *ids;
    int64_t heap, unpadded, peak;
    int64_t *place; /* per allocation: where it begins when all temporary ones stand in a row */
    struct replay_state {
        uint32_t canonical, shown, hold; /* PLAN_NONE: itself, itself, none open */
        int32_t refs;
    } * of;        /* per buffer */
    bool *touched; /* per allocation */
};

static uint32_t root_of(struct replay *r, uint32_t b)
{
    for (int n = 0; r->of[b].canonical != PLAN_NONE; n++) {
        b = r->of[b].canonical;
        if (n > CHAIN_MAX) return PLAN_NONE;
    }
    return b;
}

static void fault(struct live *l, uint32_t k)
{
    if (!l->faults++) l->fault_step = k;
}

static int64_t size_of(const struct plan_buffer *b) { return b->size < 0 ? 0 : b->size; }
static int64_t unpadded_of(const struct plan_buffer *b) { return b->unpadded < 0 ? size_of(b) : b->unpadded; }

static void change(struct replay *r, uint32_t k, int64_t bytes, int64_t unpadded)
{
    struct live_step *s = &r->l->step[k];
    s->delta = bytes;
    s->unpadded = unpadded;
    r->heap = num_add(r->heap, bytes);
    r->unpadded = num_add(r->unpadded, unpadded);
    if (r->heap < 0) fault(r->l, k);
}

static void grow(struct replay *r, uint32_t k, uint32_t x)
{
    struct live *l = r->l;
    const struct plan_buffer *b = &l->plan->buffer[x];
    uint32_t shown = r->of[x].shown;
    if (b->size < 0) l->unsized++;
    r->of[x].hold = l->nhold;
    l->hold[l->nhold++] =
        (struct live_hold){.buffer = x,
                           .shown = shown == PLAN_NONE ? x : shown,
                           .from = k,
                           .to = l->nstep - 1,
                           .base = b->offset < 0 ? -1 : num_add(r->place[b->alloc], b->offset),
                           .bytes = size_of(b),
                           .unpadded = unpadded_of(b)};
    change(r, k, size_of(b), unpadded_of(b));
    if (r->heap > r->peak) {
        r->peak = r->heap;
        l->peak_unpadded = r->unpadded; /* the unpadded heap of that moment, not its own maximum */
        l->peak_step = k;
    }
}

static void release(struct replay *r, uint32_t k, uint32_t root)
{
    const struct plan_buffer *b = &r->l->plan->buffer[root];
    uint32_t h = r->of[root].hold;
    if (h != PLAN_NONE) r->l->hold[h].to = k - 1;
    r->of[root].hold = PLAN_NONE;
    change(r, k, -size_of(b), -unpadded_of(b));
}

static void share(struct replay *r, uint32_t k, uint32_t b, uint32_t target)
{
    uint32_t root = root_of(r, target);
    if (root == PLAN_NONE || root == b) {
        fault(r->l, k);
        return;
    }
    r->of[b].canonical = target;
    if (++r->of[root].refs > 1) return;
    r->of[root].shown = b; /* the target was freed: the alias takes its memory over */
    grow(r, k, root);
}

static void replay_event(struct replay *r, uint32_t k, const struct plan_event *e)
{
    struct live_step *s = &r->l->step[k];
    uint32_t b = by_id(r->ids, e->buffer), root, target;
    s->buffer = b;
    s->what = b == PLAN_NONE ? LIVE_UNKNOWN : (enum live_what)e->kind;
    s->instr = e->instr.n || b == PLAN_NONE ? e->instr : r->l->plan->buffer[b].instr;
    if (b == PLAN_NONE) {
        r->l->unknown++;
        return;
    }
    r->touched[r->l->plan->buffer[b].alloc] = true;
    if (e->kind == PLAN_SHARE) {
        target = by_id(r->ids, e->share_with);
        if (target != PLAN_NONE)
            share(r, k, b, target);
        else
            r->l->unknown++;
        return;
    }
    root = root_of(r, b);
    if (root == PLAN_NONE) {
        fault(r->l, k);
        return;
    }
    if (e->kind == PLAN_ALLOC) {
        r->of[root].refs++;
        grow(r, k, b);
    } else if (r->of[root].refs <= 0) {
        fault(r->l, k);
    } else if (!--r->of[root].refs) {
        release(r, k, root);
    }
}

/* Where each temporary allocation of the space begins, one behind the other. */
static int64_t *places(const struct live *l)
{
    const struct plan *p = l->plan;
    int64_t at = 0, *place = mem_alloc(p->nalloc + 1, sizeof *place);
    for (uint32_t i = 0; i < p->nalloc; i++) {
        place[i] = at;
        if (counts(&p->alloc[i], &l->rules) && !live_is_fixed(&p->alloc[i], &l->rules) &&
            p->alloc[i].size > 0)
            at = num_add(at, p->alloc[i].size);
    }
    return place;
}

static void replay(struct live *l, const struct map64 *ids)
{
    const struct plan *p = l->plan;
    const struct plan_trace *t = &p->trace[l->trace];
    struct replay r = {.l = l, .ids = ids, .place = places(l)};
    r.of = mem_alloc(p->nbuffer + 1, sizeof *r.of);
    r.touched = mem_alloc(p->nalloc + 1, sizeof *r.touched);
    for (uint32_t i = 0; i < p->nbuffer; i++)
        r.of[i] = (struct replay_state){PLAN_NONE, PLAN_NONE, PLAN_NONE, 0};
    l->nstep = t->count;
    l->step = mem_alloc(l->nstep + (size_t)1, sizeof *l->step);
    l->hold = mem_alloc(l->nstep + (size_t)1, sizeof *l->hold);
    for (uint32_t k = 0; k < l->nstep; k++) {
        l->step[k].order = l->rules.event_time ? l->rules.event_time[t->first + k] : k;
        replay_event(&r, k, &p->event[t->first + k]);
    }
    for (uint32_t i = 0; i < p->nalloc; i++) l->allocs += r.touched[i];
    l->peak = r.peak;
    l->end_order = l->nstep;
    l->additive = true;
    free(r.of);
    free(r.touched);
    free(r.place);
}

void live_run(const struct plan *p, const struct live_rules *r, struct live *l)
{
    struct map64 ids = {0};
    *l = (struct live){
        .plan = p, .rules = *r, .trace = PLAN_NONE, .peak_step = UINT32_MAX, .occupied_peak = -1};
    sum_allocations(l);
    for (uint32_t i = 0; i < p->nbuffer; i++) /* a value that several allocations list: the last counts */
        if (p->buffer[i].id >= 0) map64_set(&ids, (uint64_t)p->buffer[i].id, i);
    l->trace = trace_by_allocation(l, &ids);
    if (l->trace == PLAN_NONE) l->trace = trace_by_color(l, &ids);
    if (l->trace != PLAN_NONE) {
        l->basis = LIVE_PLAN;
        replay(l, &ids);
    } else if (p->has_ranges) {
        int64_t *place = places(l);
        l->basis = LIVE_RANGES;
        live_sweep_ranges(l, place);
        free(place);
    }
    if (r->event_time) {
        l->basis = LIVE_ESTIMATE;
        l->end_order = r->end_time;
    } else {
        l->occupied_peak = live_occupied(l);
    }
    if (l->occupied_peak >= 0) l->occupied_peak = num_add(l->occupied_peak, l->fixed);
    l->peak = num_add(l->peak, l->fixed);
    l->peak_unpadded = num_add(l->peak_unpadded, l->fixed);
    map64_free(&ids);
}

void live_free(struct live *l)
{
    if (!l) return;
    free(l->step);
    free(l->hold);
    *l = (struct live){0};
}

/* ---- what is live at a moment ---- */

uint32_t live_step_at(const struct live *l, int64_t order)
{
    uint32_t lo = 0, hi = l->nstep; /* the first step behind it */
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (l->step[mid].order <= order)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? lo - 1 : UINT32_MAX;
}

static size_t fixed_items(const struct live *l, struct live_item *it)
{
    const struct plan *p = l->plan;
    size_t n = 0;
    for (uint32_t i = 0; i < p->nalloc; i++) {
        const struct plan_alloc *a = &p->alloc[i];
        uint32_t b = live_representative(p, a);
        if (b == PLAN_NONE || !counts(a, &l->rules) || !live_is_fixed(a, &l->rules)) continue;
        it[n++] = (struct live_item){.buffer = b,
                                     .alloc = i,
                                     .fixed = true,
                                     .hold = UINT32_MAX,
                                     .size = p->buffer[b].size,
                                     .held = a->size < 0 ? 0 : a->size,
                                     .end = l->end_order > 0 ? l->end_order - 1 : 0};
    }
    return n;
}

int64_t live_last_order(const struct live *l, const struct live_hold *h)
{
    return l->step[h->to + 1 < l->nstep ? h->to + 1 : h->to].order;
}

size_t live_at(const struct live *l, uint32_t at, struct live_item **out)
{
    const struct plan *p = l->plan;
    struct live_item *it = mem_alloc((size_t)p->nalloc + l->nhold + 1, sizeof *it);
    size_t n = fixed_items(l, it), first = n;
    for (uint32_t i = 0; i < l->nhold && at != UINT32_MAX; i++) {
        const struct live_hold *h = &l->hold[i];
        if (h->from > at || h->to < at) continue;
        it[n++] = (struct live_item){.buffer = h->shown,
                                     .alloc = p->buffer[h->shown].alloc,
                                     .hold = i,
                                     .size = p->buffer[h->shown].size,
                                     .held = h->bytes,
                                     .start = l->step[h->from].order,
                                     .end = live_last_order(l, h)};
    }
    if (!l->additive) live_own_bytes(l, it + first, n - first);
    *out = it;
    return n;
}
