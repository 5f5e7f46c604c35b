/* Do the places and the lives of a plan fit together?  Values must end inside their allocation; two values
 * that live at the same time must not share bytes unless they are aliases (the same offset and size, as the
 * state of a loop).  A value that dies where another is made may hand its bytes over: the instruction works
 * in place.
 *
 * One sweep over time for each allocation: the places that are taken are disjoint, so that a new one can only
 * touch its neighbours.  O(n log n). */
#include "plan.h"
#include <stdlib.h>

/* ---- a set of ranks 0..n-1 that knows neighbours: bitmaps above one another, 64 to 1 ---- */

enum { LEVELS = 6 };
struct ranks {
    uint64_t *word[LEVELS];
    unsigned levels;
};

static void ranks_init(struct ranks *r, size_t n)
{
    *r = (struct ranks){0};
    do {
        n = (n + 63) / 64;
        r->word[r->levels++] = mem_alloc(n, sizeof **r->word);
    } while (n > 1);
}

static void ranks_free(struct ranks *r)
{
    for (unsigned i = 0; i < r->levels; i++) free(r->word[i]);
}

static void ranks_add(struct ranks *r, uint32_t x)
{
    for (unsigned i = 0; i < r->levels; i++, x /= 64) r->word[i][x / 64] |= 1ull << x % 64;
}

static void ranks_remove(struct ranks *r, uint32_t x)
{
    for (unsigned i = 0; i < r->levels; i++, x /= 64)
        if (r->word[i][x / 64] &= ~(1ull << x % 64)) return;
}

/* The nearest member above x (up) or below it; PLAN_NONE: none. */
static uint32_t ranks_near(const struct ranks *r, uint32_t x, bool up)
{
    for (unsigned i = 0; i < r->levels; i++, x /= 64) {
        uint64_t w = r->word[i][x / 64];
        w &= up ? ~0ull << x % 64 << 1 : (1ull << x % 64) - 1;
        if (up && x % 64 == 63) w = 0;
        if (!w) continue;
        x = x / 64 * 64 + (unsigned)(up ? __builtin_ctzll(w) : 63 - __builtin_clzll(w));
        while (i-- > 0) {
            w = r->word[i][x];
            x = x * 64 + (unsigned)(up ? __builtin_ctzll(w) : 63 - __builtin_clzll(w));
        }
        return x;
    }
    return PLAN_NONE;
}

/* ---- the sweep ---- */

enum phase { HANDS_OVER, MADE, ENDS }; /* at one time in this order */
struct event {
    int64_t time;
    enum phase phase;
    uint32_t live; /* index into lives */
};
struct life {
    const struct plan_buffer *b;
    uint32_t rank;
    bool refused; /* it overlaps: it does not take its place */
};

static int by_place(const void *x, const void *y)
{
    const struct plan_buffer *a = ((const struct life *)x)->b, *b = ((const struct life *)y)->b;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    return (a > b) - (a < b);
}

static int by_time(const void *x, const void *y)
{
    const struct event *a = x, *b = y;
    if (a->time != b->time) return a->time < b->time ? -1 : 1;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    return (a->live > b->live) - (a->live < b->live);
}

static bool meet(const struct plan_buffer *a, const struct plan_buffer *b)
{
    return a->offset < b->offset + b->size && b->offset < a->offset + a->size;
}

static void overlap(struct plan *p, const struct plan_buffer *a, const struct plan_buffer *b)
{
    plan_fault(
        p, PLAN_OVERLAP, ERR_NOWHERE, 0,
        "allocation %lld: %.*s%.*s at offset %lld is made at %lld on bytes that %.*s%.*s holds until %lld",
        (long long)p->alloc[a->alloc].index, (int)a->instr.n, a->instr.p, (int)a->index.n, a->index.p,
        (long long)a->offset, (long long)a->start, (int)b->instr.n, b->instr.p, (int)b->index.n, b->index.p,
        (long long)b->end);
}

struct sweep {
    struct life *life;
    uint32_t *users;                   /* by rank: how many live values are in that place */
    const struct plan_buffer **holder; /* by rank: one of them */
    struct ranks taken;
};

static void make(struct plan *p, struct sweep *s, struct life *l)
{
    if (!s->users[l->rank]) {
        for (int up = 0; up < 2; up++) {
            uint32_t k = ranks_near(&s->taken, l->rank, up);
            if (k == PLAN_NONE || !meet(s->holder[k], l->b)) continue;
            overlap(p, l->b, s->holder[k]);
            l->refused = true;
            return;
        }
        ranks_add(&s->taken, l->rank);
        s->holder[l->rank] = l->b;
    }
    s->users[l->rank]++;
}

static void end(struct sweep *s, const struct life *l)
{
    if (!l->refused && !--s->users[l->rank]) ranks_remove(&s->taken, l->rank);
}

static void sweep(struct plan *p, struct life *life, uint32_t n)
{
    struct sweep s = {
        .life = life, .users = mem_alloc(n, sizeof *s.users), .holder = mem_alloc(n, sizeof *s.holder)};
    struct event *event = mem_alloc((size_t)n * 2, sizeof *event);
    uint32_t rank = 0;
    ranks_init(&s.taken, n);
    qsort(life, n, sizeof *life, by_place);
    for (uint32_t i = 0; i < n; i++) {
        const struct plan_buffer *b = life[i].b, *last = i ? life[i - 1].b : b;
        life[i].rank = rank += b->offset != last->offset || b->size != last->size;
        event[2 * i] = (struct event){b->start, MADE, i};
        event[2 * i + 1] = (struct event){b->end, b->start < b->end ? HANDS_OVER : ENDS, i};
    }
    qsort(event, (size_t)n * 2, sizeof *event, by_time);
    for (size_t k = 0; k < (size_t)n * 2; k++) {
        struct life *l = &life[event[k].live];
        if (event[k].phase == MADE)
            make(p, &s, l);
        else
            end(&s, l);
    }
    ranks_free(&s.taken);
    free(event);
    free(s.users);
    free(s.holder);
}

static void beyond(struct plan *p, const struct plan_alloc *a, const struct plan_buffer *b)
{
    plan_fault(p, PLAN_BEYOND, ERR_NOWHERE, 0,
               "allocation %lld of %lld bytes: %.*s%.*s takes %lld bytes at offset %lld", (long long)a->index,
               (long long)a->size, (int)b->instr.n, b->instr.p, (int)b->index.n, b->index.p,
               (long long)b->size, (long long)b->offset);
}

void plan_check(struct plan *p)
{
    struct life *life = NULL;
    size_t cap = 0;
    for (uint32_t i = 0; i < p->nalloc; i++) {
        const struct plan_alloc *a = &p->alloc[i];
        uint32_t n = 0;
        bool apart = false; /* some values are no aliases of the others */
        life = mem_grow(life, &cap, a->count, sizeof *life);
        for (uint32_t j = a->first; j < a->first + a->count; j++) {
            const struct plan_buffer *b = &p->buffer[j];
            if (b->offset < 0 || b->size < 0) continue;
            if (b->size > a->size || b->offset > a->size - b->size)
                beyond(p, a, b);
            else if (b->start >= 0 && b->end >= b->start && b->size)
                life[n++] = (struct life){.b = b};
            apart |= n && (life[0].b->offset != b->offset || life[0].b->size != b->size);
        }
        if (apart && n > 1) sweep(p, life, n);
    }
    free(life);
}
