/* Live ranges and addresses: the heap as the union of the address ranges that live values occupy.
 *
 * A sweep over time keeps a segment tree over the distinct addresses: each node counts the values that cover
 * it whole and knows how many bytes below it are covered.  O(n log n). */
#include "live.h"
#include "num.h"
#include <stdlib.h>

/* ---- the cover ---- */

struct cover {
    int64_t *at; /* distinct addresses in order */
    size_t n;    /* of them; cells are [at[i], at[i + 1]) */
    struct cover_node {
        int64_t bytes;
        uint32_t count;
    } * node;
};

static int by_value(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static int64_t hold_end(const struct live_hold *h) { return num_add(h->base, h->bytes); }

static void cover_init(struct cover *c, const struct live_hold *h, size_t n)
{
    *c = (struct cover){.at = mem_alloc(2 * n + 2, sizeof *c->at)};
    size_t m = 0;
    for (size_t i = 0; i < n; i++) {
        c->at[m++] = h[i].base;
        c->at[m++] = hold_end(&h[i]);
    }
    qsort(c->at, m, sizeof *c->at, by_value);
    for (size_t i = 0; i < m; i++)
        if (!c->n || c->at[c->n - 1] != c->at[i]) c->at[c->n++] = c->at[i];
    c->node = mem_alloc(4 * c->n + 4, sizeof *c->node);
}

static void cover_free(struct cover *c)
{
    free(c->at);
    free(c->node);
}

/* Add `by` covers of [from, to) below node i, which stands for cells [lo, hi).  Depth: log n. */
static void cover_add(struct cover *c, size_t i, size_t lo, size_t hi, int64_t from, int64_t to, int by)
{
    struct cover_node *n = &c->node[i];
    if (to <= c->at[lo] || from >= c->at[hi]) return;
    if (from <= c->at[lo] && to >= c->at[hi]) {
        n->count += (uint32_t)by;
    } else {
        size_t mid = lo + (hi - lo) / 2;
        cover_add(c, 2 * i, lo, mid, from, to, by);
        cover_add(c, 2 * i + 1, mid, hi, from, to, by);
    }
    if (n->count)
        n->bytes = c->at[hi] - c->at[lo];
    else
        n->bytes = hi - lo > 1 ? c->node[2 * i].bytes + c->node[2 * i + 1].bytes : 0;
}

static void cover_hold(struct cover *c, const struct live_hold *h, int by)
{
    if (c->n > 1 && h->bytes > 0) cover_add(c, 1, 0, c->n - 1, h->base, hold_end(h), by);
}

/* ---- holds to steps ---- */

static int by_order(const void *a, const void *b)
{
    const struct live_step *x = a, *y = b;
    if (x->order != y->order) return x->order < y->order ? -1 : 1;
    if (x->what != y->what) return x->what == LIVE_FREE ? 1 : -1; /* at one order, definitions come first */
    return x->buffer < y->buffer ? -1 : x->buffer > y->buffer;    /* a hold's number, for now */
}

static void collect(struct live *l, const int64_t *place)
{
    const struct plan *p = l->plan;
    l->hold = mem_alloc((size_t)p->nbuffer + 1, sizeof *l->hold);
    l->step = mem_alloc(2 * (size_t)p->nbuffer + 2, sizeof *l->step);
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        const struct plan_buffer *b = &p->buffer[i];
        const struct plan_alloc *a = &p->alloc[b->alloc];
        if (a->color != l->rules.space || a->thread_local_ || live_is_fixed(a, &l->rules)) continue;
        if (b->start < 0 || b->end < b->start || b->size < 0 || b->offset < 0) {
            l->unranged++;
            continue;
        }
        uint32_t h = l->nhold++;
        l->hold[h] = (struct live_hold){.buffer = i,
                                        .shown = i,
                                        .base = num_add(place[b->alloc], b->offset),
                                        .bytes = b->size,
                                        .unpadded = b->unpadded < 0 ? b->size : b->unpadded};
        l->step[l->nstep++] = (struct live_step){.order = b->start, .what = LIVE_ALLOC, .buffer = h};
        l->step[l->nstep++] = (struct live_step){.order = b->end, .what = LIVE_FREE, .buffer = h};
    }
    qsort(l->step, l->nstep, sizeof *l->step, by_order);
}

static int by_first_step(const void *a, const void *b)
{
    const struct live_hold *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* Padding of what is held: each distinct place and size once, however many values share it. */
struct padding {
    struct map64 of; /* hash of base and bytes -> how many live holds */
    int64_t bytes;
};

static void pad(struct padding *g, const struct live_hold *h, bool add)
{
    int64_t key[2] = {h->base, h->bytes};
    uint64_t *n = map64_at(&g->of, map_hash(key, sizeof key, 1), 0);
    if (add && !(*n)++)
        g->bytes += h->bytes - h->unpadded;
    else if (!add && !--*n)
        g->bytes -= h->bytes - h->unpadded;
}

void live_sweep_ranges(struct live *l, const int64_t *place)
{
    struct cover c;
    struct padding g = {0};
    int64_t heap = 0, padding = 0;
    collect(l, place);
    cover_init(&c, l->hold, l->nhold);
    for (uint32_t k = 0; k < l->nstep; k++) {
        struct live_step *s = &l->step[k];
        struct live_hold *h = &l->hold[s->buffer];
        bool add = s->what == LIVE_ALLOC;
        cover_hold(&c, h, add ? 1 : -1);
        pad(&g, h, add);
        if (add)
            h->from = k;
        else
            h->to = k - 1;
        s->delta = c.node[1].bytes - heap;
        s->unpadded = s->delta - (g.bytes - padding);
        heap = c.node[1].bytes;
        padding = g.bytes;
        s->buffer = h->buffer;
        s->instr = l->plan->buffer[h->buffer].instr;
        if (heap > l->peak) {
            l->peak = heap;
            l->peak_unpadded = heap - padding;
            l->peak_step = k;
        }
    }
    qsort(l->hold, l->nhold, sizeof *l->hold, by_first_step);
    l->end_order = l->nstep ? num_add(l->step[l->nstep - 1].order, 1) : 0;
    if (l->plan->end_order >= l->end_order) l->end_order = num_add(l->plan->end_order, 1);
    for (uint32_t i = 0; i < l->plan->nbuffer; i++)
        if (l->plan->buffer[i].end >= l->end_order) l->end_order = num_add(l->plan->buffer[i].end, 1);
    cover_free(&c);
    map64_free(&g.of);
}

/* ---- peaks of a list of holds, in order of their first step ---- */

/* Holds by the step at which they end: a bucket list, head[k] = 1 + the first hold that ends with step k. */
static uint32_t *by_last_step(const struct live_hold *h, uint32_t n, uint32_t nstep, uint32_t **head)
{
    uint32_t *next = mem_alloc((size_t)n + 1, sizeof *next);
    *head = mem_alloc((size_t)nstep + 2, sizeof **head);
    for (uint32_t i = 0; i < n; i++) {
        if (h[i].to >= nstep || h[i].from > h[i].to) continue;
        next[i] = (*head)[h[i].to];
        (*head)[h[i].to] = i + 1;
    }
    return next;
}

static int64_t peak_of_union(const struct live_hold *h, uint32_t n, uint32_t nstep, uint32_t *at)
{
    struct cover c;
    uint32_t *head, *next = by_last_step(h, n, nstep, &head), i = 0;
    int64_t peak = 0;
    cover_init(&c, h, n);
    for (uint32_t k = 0; k < nstep; k++) {
        for (; i < n && h[i].from <= k; i++)
            if (h[i].from <= h[i].to) cover_hold(&c, &h[i], 1);
        if (c.n > 1 && c.node[1].bytes > peak) {
            peak = c.node[1].bytes;
            if (at) *at = k;
        }
        for (uint32_t e = head[k]; e; e = next[e - 1]) cover_hold(&c, &h[e - 1], -1);
    }
    free(head);
    free(next);
    cover_free(&c);
    return peak;
}

int64_t live_peak(const struct live_hold *h, uint32_t n, uint32_t nstep, bool additive, uint32_t *at)
{
    if (!additive) return peak_of_union(h, n, nstep, at);
    int64_t *change = mem_alloc((size_t)nstep + 1, sizeof *change), heap = 0, peak = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (h[i].to >= nstep || h[i].from > h[i].to) continue;
        change[h[i].from] = num_add(change[h[i].from], h[i].bytes);
        change[h[i].to + 1] = num_add(change[h[i].to + 1], -h[i].bytes);
    }
    for (uint32_t k = 0; k < nstep; k++) {
        heap = num_add(heap, change[k]);
        if (heap <= peak) continue;
        peak = heap;
        if (at) *at = k;
    }
    free(change);
    return peak;
}

int64_t live_occupied(const struct live *l)
{
    for (uint32_t i = 0; i < l->nhold; i++)
        if (l->hold[i].base < 0) return -1;
    return l->basis == LIVE_FIXED ? -1 : peak_of_union(l->hold, l->nhold, l->nstep, NULL);
}

/* ---- who owns the bytes ---- */
struct owner {
    int64_t base, bytes, start;
    struct live_item *item;
};

static int by_address(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->base != y->base) return x->base < y->base ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return x->item < y->item ? -1 : x->item > y->item;
}

/* Of values on the same bytes the larger, then the one made first, owns them: the others are its aliases. */
void live_own_bytes(const struct live *l, struct live_item *it, size_t n)
{
    struct owner *o = mem_alloc(n + 1, sizeof *o);
    int64_t covered = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        const struct live_hold *h = &l->hold[it[i].hold];
        o[i] = (struct owner){h->base, h->bytes, it[i].start, &it[i]};
    }
    qsort(o, n, sizeof *o, by_address);
    for (size_t i = 0; i < n; i++) {
        int64_t end = num_add(o[i].base, o[i].bytes), from = o[i].base > covered ? o[i].base : covered;
        o[i].item->held = end > from ? end - from : 0;
        if (end > covered) covered = end;
    }
    free(o);
}
