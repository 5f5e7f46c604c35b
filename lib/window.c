#include "window_in.h"
#include <stdlib.h>

/* The lattice: for every event of the window the nodes of the schedule that may hold it, and the least cost
 * of getting there (forward) and on to the right edge (backward).  Ways that fall far behind the best are
 * given up, so that a long graph on a large program stays narrow. */

enum { BEHIND = 50 * WINDOW_SKIP, CELLS = 24000000 };

struct cell {       /* of row t: a node that is still of interest after t events */
    uint32_t node;  /* index in lattice.node */
    int32_t on, at; /* least cost so far with event t - 1 the node's last; with the node still before us */
};

struct lattice {
    struct window_space *w;
    uint32_t *node, n; /* the nodes in reach, in schedule order */
    uint32_t *first;   /* edges among them */
    struct sched_edge *edge;
    int32_t *skip,
        *back; /* the cost of passing over; the least from the node to the right edge without events */
    const struct window_event *ev;
    size_t nev;
    uint32_t end;      /* the program's end; n: not in reach */
    struct cell *cell; /* row t: cell[row[t] .. row[t + 1]), by node */
    size_t *row, ncell, cap;
    int32_t *on, *at;   /* the row at hand, by node; FAR outside [lo, hi) */
    int32_t *on2, *at2; /* the next one */
    uint32_t lo, hi;
    struct map64 claims; /* kernel name -> how many instructions in reach could have launched it */
};

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int32_t *row_of_far(size_t n)
{
    int32_t *row = mem_alloc(n + 1, sizeof *row);
    for (size_t k = 0; k < n; k++) row[k] = FAR;
    return row;
}

static void lattice_make(struct lattice *l, const struct reach *r)
{
    struct window_space *w = r->w;
    const struct schedule *s = w->s;
    size_t cap = 0, ne = 0;
    l->node = mem_alloc(r->ntouched + 1, sizeof *l->node);
    for (size_t k = 0; k < r->ntouched; k++) {
        uint32_t n = r->touched[k];
        if (w->ahead[n] < FAR && w->back[n] < FAR && w->ahead[n] + w->back[n] <= r->bound)
            l->node[l->n++] = n;
    }
    qsort(l->node, l->n, sizeof *l->node, compare_u32);
    for (uint32_t k = 0; k < l->n; k++) w->local[l->node[k]] = k;
    l->first = mem_alloc((size_t)l->n + 1, sizeof *l->first);
    l->skip = mem_alloc((size_t)l->n + 1, sizeof *l->skip);
    l->back = mem_alloc((size_t)l->n + 1, sizeof *l->back);
    for (uint32_t k = 0; k < l->n; k++) {
        l->skip[k] = window_skip(&s->node[l->node[k]]);
        l->back[k] = w->back[l->node[k]];
        for (uint32_t e = s->first[l->node[k]]; e < s->first[l->node[k] + 1]; e++) {
            uint32_t to = s->edge[e].to, q = w->local[to];
            if (q >= l->n || l->node[q] != to) continue;
            l->edge = mem_grow(l->edge, &cap, ne + 1, sizeof *l->edge);
            l->edge[ne] = s->edge[e];
            l->edge[ne++].to = q;
        }
        l->first[k + 1] = (uint32_t)ne;
    }
    l->end = l->n && l->node[l->n - 1] == s->nnode - 1 ? l->n - 1 : l->n;
    l->row = mem_alloc(l->nev + 2, sizeof *l->row);
    l->on = row_of_far(l->n);
    l->at = row_of_far(l->n);
    l->on2 = row_of_far(l->n);
    l->at2 = row_of_far(l->n);
}

static void lattice_free(struct lattice *l)
{
    free(l->node);
    free(l->first);
    free(l->edge);
    free(l->skip);
    free(l->back);
    free(l->cell);
    free(l->row);
    free(l->on);
    free(l->at);
    free(l->on2);
    free(l->at2);
    map64_free(&l->claims);
}

static int32_t edge_cost(const struct lattice *l, const struct sched_edge *e, size_t t)
{
    bool inside = t > 0 && t < l->nev && !l->ev[t].first;
    if (e->run && inside) return FAR; /* a graph is launched by one run */
    return e->cost + (e->control && inside ? CONTROL : 0);
}

/* What it costs to go on from node k after event t - 1: a kernel that was only prepared is missing. */
static int32_t leave_cost(const struct lattice *l, uint32_t k, size_t t)
{
    return t && window_prepares(l->w, l->node[k], &l->ev[t - 1]) ? WINDOW_SKIP : 0;
}

static void keep_min(int32_t *a, int32_t b)
{
    if (b < *a) *a = b;
}

/* ---- forward ---- */

/* At least this much is still to come: what must be passed over, less what the events left may claim of it.
 */
static int32_t to_come(const struct lattice *l, int32_t back, size_t t)
{
    int64_t left = (int64_t)back - (int64_t)(l->nev - t) * WINDOW_SKIP;
    return left > 0 ? (int32_t)left : 0;
}

static int32_t promise_on(const struct lattice *l, uint32_t k, size_t t)
{
    return l->on[k] < FAR ? l->on[k] + to_come(l, l->back[k] - l->skip[k], t) : FAR;
}

static int32_t promise_at(const struct lattice *l, uint32_t k, size_t t)
{
    return l->at[k] < FAR ? l->at[k] + to_come(l, l->back[k], t) : FAR;
}

static void include(struct lattice *l, uint32_t k)
{
    if (l->lo >= l->hi) l->lo = k, l->hi = k + 1;
    if (k < l->lo) l->lo = k;
    if (k >= l->hi) l->hi = k + 1;
}

/* Between two launches the rest of a run may be lost, as when a buffer is full: one way to the program's end.
 */
static bool between(const struct lattice *l, size_t t) { return t == 0 || t == l->nev || l->ev[t].first; }

static void lose_tail(struct lattice *l, size_t t)
{
    int32_t least = FAR;
    for (uint32_t k = l->lo; k < l->hi; k++) {
        if (l->on[k] < FAR) keep_min(&least, l->on[k] + leave_cost(l, k, t));
        keep_min(&least, l->at[k]);
    }
    if (l->end >= l->n || least >= FAR || least + LOST_TAIL >= l->at[l->end]) return;
    l->at[l->end] = least + LOST_TAIL;
    include(l, l->end);
}

/* Nodes passed over in row t, as far as the limit. */
static void pass_over(struct lattice *l, size_t t, int32_t limit)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = l->lo; k < l->hi; k++) {
            int32_t c = l->at[k] + l->skip[k];
            if (l->on[k] < FAR) keep_min(&c, l->on[k] + leave_cost(l, k, t));
            if (c >= FAR) continue;
            for (uint32_t e = l->first[k]; e < l->first[k + 1]; e++) {
                uint32_t to = l->edge[e].to;
                int32_t x = c + edge_cost(l, &l->edge[e], t);
                if (x >= l->at[to] || x + to_come(l, l->back[to], t) > limit) continue;
                l->at[to] = x;
                include(l, to);
                again |= to <= k;
            }
        }
    }
}

/* Finish row t: pass over, keep what is within the limit; -1: too many cells. */
static int end_row(struct lattice *l, size_t t)
{
    int32_t best = FAR;
    for (uint32_t k = l->lo; k < l->hi; k++) {
        keep_min(&best, promise_on(l, k, t));
        keep_min(&best, promise_at(l, k, t));
    }
    int32_t limit = best + BEHIND;
    if (between(l, t)) lose_tail(l, t);
    pass_over(l, t, limit);
    for (uint32_t k = l->lo; k < l->hi; k++) {
        if (promise_on(l, k, t) > limit) l->on[k] = FAR;
        if (promise_at(l, k, t) > limit) l->at[k] = FAR;
        if (l->on[k] >= FAR && l->at[k] >= FAR) continue;
        if (l->ncell >= CELLS) return -1;
        l->cell = mem_grow(l->cell, &l->cap, l->ncell + 1, sizeof *l->cell);
        l->cell[l->ncell++] = (struct cell){k, l->on[k], l->at[k]};
    }
    l->row[t + 1] = l->ncell;
    return 0;
}

/* Row t + 1 before anything is passed over: event t is started, carried on, or claimed by nobody. */
static void next_row(struct lattice *l, size_t t)
{
    for (size_t i = l->row[t]; i < l->row[t + 1]; i++) {
        const struct cell *c = &l->cell[i];
        uint32_t k = c->node;
        if (c->at < FAR) {
            keep_min(&l->on2[k], c->at + window_start(l->w, l->node[k], &l->ev[t]));
            keep_min(&l->at2[k], c->at + UNCLAIMED);
        }
        if (c->on < FAR) {
            keep_min(&l->on2[k], c->on + UNCLAIMED);
            keep_min(&l->on2[k], c->on + window_stay(l->w, l->node[k], &l->ev[t - 1], &l->ev[t]));
        }
    }
    for (uint32_t k = l->lo; k < l->hi; k++) l->on[k] = l->at[k] = FAR;
    int32_t *on = l->on, *at = l->at;
    l->on = l->on2, l->on2 = on;
    l->at = l->at2, l->at2 = at;
    l->lo = l->hi = 0;
    if (l->row[t] < l->row[t + 1]) {
        l->lo = l->cell[l->row[t]].node;
        l->hi = l->cell[l->row[t + 1] - 1].node + 1;
    }
}

static void first_row(struct lattice *l, uint32_t from)
{
    const struct schedule *s = l->w->s;
    for (uint32_t k = 0; k < l->n && from == HLO_NONE; k++) {
        l->at[k] = l->node[k] ? ANYWHERE : 0;
        include(l, k);
    }
    if (from == HLO_NONE) return;
    for (uint32_t j = s->instr_first[from]; j < s->instr_first[from + 1]; j++)
        for (uint32_t n = s->instr_node[j], e = s->first[n]; e < s->first[n + 1]; e++) {
            uint32_t to = s->edge[e].to, q = l->w->local[to];
            if (q >= l->n || l->node[q] != to) continue;
            keep_min(&l->at[q], s->edge[e].cost);
            include(l, q);
        }
}

static int forward(struct lattice *l, uint32_t from)
{
    first_row(l, from);
    for (size_t t = 0;; t++) {
        if (end_row(l, t)) return -1;
        if (t == l->nev) return 0;
        next_row(l, t);
    }
}

/* ---- backward ---- */

/* What it costs from here to the right edge, by node; FAR outside the row's cells. */
struct rest {
    int32_t *on, *at;
};

static void pass_back(const struct lattice *l, struct rest *r, size_t t)
{
    bool tail = l->end < l->n && between(l, t);
    for (bool again = true; again;) {
        again = false;
        for (size_t i = l->row[t + 1]; i-- > l->row[t];) {
            uint32_t k = l->cell[i].node;
            int32_t c = FAR;
            for (uint32_t e = l->first[k]; e < l->first[k + 1]; e++) {
                keep_min(&c, edge_cost(l, &l->edge[e], t) + r->at[l->edge[e].to]);
            }
            int32_t over = c + l->skip[k];
            if (tail) keep_min(&c, LOST_TAIL + r->at[l->end]), keep_min(&over, LOST_TAIL + r->at[l->end]);
            keep_min(&r->on[k], c + leave_cost(l, k, t));
            if (over >= r->at[k]) continue;
            r->at[k] = over;
            for (uint32_t e = l->w->before_first[l->node[k]];
                 !again && e < l->w->before_first[l->node[k] + 1]; e++)
                again = l->w->before[e].to >= l->node[k]; /* a loop leads back to it from behind */
        }
    }
}

static void last_row(const struct lattice *l, struct rest *r, uint32_t to)
{
    const struct schedule *s = l->w->s;
    for (size_t i = l->row[l->nev]; i < l->row[l->nev + 1]; i++) {
        uint32_t k = l->cell[i].node;
        bool end = l->node[k] == s->nnode - 1;
        r->on[k] = to == HLO_NONE ? ANYWHERE + leave_cost(l, k, l->nev) : FAR;
        r->at[k] = to == HLO_NONE ? (end ? 0 : ANYWHERE) : s->node[l->node[k]].instr == to ? 0 : FAR;
    }
    pass_back(l, r, l->nev);
}

/* Row t from row t + 1. */
static void row_before(const struct lattice *l, struct rest *r, const struct rest *next, size_t t)
{
    for (size_t i = l->row[t]; i < l->row[t + 1]; i++) {
        uint32_t k = l->cell[i].node;
        int32_t stay = t ? window_stay(l->w, l->node[k], &l->ev[t - 1], &l->ev[t]) : FAR;
        r->on[k] = r->at[k] = FAR;
        keep_min(&r->on[k], next->on[k] + UNCLAIMED);
        keep_min(&r->on[k], next->on[k] + stay);
        keep_min(&r->at[k], next->at[k] + UNCLAIMED);
        keep_min(&r->at[k], next->on[k] + window_start(l->w, l->node[k], &l->ev[t]));
    }
    pass_back(l, r, t);
}

static void clear_row(const struct lattice *l, struct rest *r, size_t t)
{
    for (size_t i = l->row[t]; i < l->row[t + 1]; i++) r->on[l->cell[i].node] = r->at[l->cell[i].node] = FAR;
}

/* ---- what it comes to ---- */

/* Does the kernel's name fit one instruction of all in reach? */
static bool only_one(struct lattice *l, const struct window_event *e)
{
    if (e->name == MAP_NONE) return false;
    uint64_t *n = map64_at(&l->claims, e->name, UINT64_MAX);
    uint32_t last = HLO_NONE;
    if (*n != UINT64_MAX) return *n == 1;
    *n = 0;
    for (uint32_t k = 0; k < l->n; k++) {
        uint32_t instr = l->w->s->node[l->node[k]].instr;
        if (instr == last || window_start(l->w, l->node[k], e) >= FAR) continue;
        last = instr;
        ++*n;
    }
    return *n == 1;
}

/* Which nodes hold event t on a way of least cost? */
static void decide(struct lattice *l, const struct rest *next, size_t t, int32_t best, struct placed *out)
{
    bool unclaimed = false;
    *out = (struct placed){HLO_NONE, HLO_NONE, PLACED_NOT};
    for (size_t i = l->row[t]; i < l->row[t + 1]; i++) {
        const struct cell *c = &l->cell[i];
        uint32_t k = c->node, instr = l->w->s->node[l->node[k]].instr;
        unclaimed |= c->at + UNCLAIMED + next->at[k] == best || c->on + UNCLAIMED + next->on[k] == best;
        if (next->on[k] >= FAR) continue;
        int32_t here = c->at < FAR ? c->at + window_start(l->w, l->node[k], &l->ev[t]) : FAR;
        if (c->on < FAR) keep_min(&here, c->on + window_stay(l->w, l->node[k], &l->ev[t - 1], &l->ev[t]));
        if (here + next->on[k] != best) continue;
        if (out->instr == HLO_NONE)
            out->instr = instr;
        else if (out->instr != instr && out->other == HLO_NONE)
            out->other = instr;
    }
    if (out->instr == HLO_NONE) return;
    out->how = out->other != HLO_NONE || unclaimed ? PLACED_TIE
               : only_one(l, &l->ev[t])            ? PLACED_NAME
                                                   : PLACED_ORDER;
}

static int32_t backward(struct lattice *l, uint32_t to, struct placed *out)
{
    struct rest r = {row_of_far(l->n), row_of_far(l->n)}, next = {row_of_far(l->n), row_of_far(l->n)};
    int32_t best = FAR;
    last_row(l, &r, to);
    for (size_t i = l->row[l->nev]; i < l->row[l->nev + 1]; i++) {
        const struct cell *c = &l->cell[i];
        keep_min(&best, c->on + r.on[c->node]);
        keep_min(&best, c->at + r.at[c->node]);
    }
    for (size_t t = l->nev; t-- > 0 && best < FAR;) {
        struct rest swap = r;
        r = next, next = swap;
        decide(l, &next, t, best, &out[t]);
        row_before(l, &r, &next, t);
        clear_row(l, &next, t + 1);
    }
    free(r.on);
    free(r.at);
    free(next.on);
    free(next.at);
    return best;
}

int64_t window_place(struct window_space *w, uint32_t from, uint32_t to, const struct window_event *ev,
                     size_t n, struct placed *out)
{
    struct reach r = {.w = w};
    struct lattice l = {.w = w, .ev = ev, .nev = n};
    for (size_t t = 0; t < n; t++) out[t] = (struct placed){HLO_NONE, HLO_NONE, PLACED_NOT};
    reach_find(&r, from, to, (int32_t)(n < 1000000 ? n : 1000000) * WINDOW_SKIP);
    lattice_make(&l, &r);
    int64_t cost = forward(&l, from) ? -1 : backward(&l, to, out);
    reach_free(&r);
    lattice_free(&l);
    return cost;
}
