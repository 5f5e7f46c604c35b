#include "window.h"
#include <stdlib.h>

enum {
    FAR = 1 << 28,          /* no way */
    UNCLAIMED = 20,         /* an event that nothing launches */
    CONTROL = 8,            /* a loop or branch begins or ends within one launch */
    ANYWHERE = WINDOW_SKIP, /* the window opens or closes elsewhere than at the begin or end of the program */
    SLACK = 12 * WINDOW_SKIP /* how much longer than needed a way may be */
};

/* ---- what is known of the program ---- */

void window_space_init(struct window_space *w, const struct schedule *s)
{
    uint32_t n = s->nnode, e = s->first[n];
    *w = (struct window_space){.s = s};
    w->own = mem_alloc(n + 1, sizeof *w->own);
    w->leader = mem_alloc(n + 1, sizeof *w->leader);
    w->twins = mem_alloc((size_t)s->ntwin + 1, sizeof *w->twins);
    w->owner = mem_alloc((size_t)s->names.count + 1, sizeof *w->owner);
    w->learned = mem_alloc((size_t)s->m->ninstr + 1, sizeof *w->learned);
    memset(w->leader, 0xff, (n + 1) * sizeof *w->leader);
    memset(w->learned, 0xff, ((size_t)s->m->ninstr + 1) * sizeof *w->learned);
    w->plain = mem_alloc((size_t)s->m->ninstr + 1, sizeof *w->plain);
    w->before_first = mem_alloc((size_t)n + 2, sizeof *w->before_first);
    w->before = mem_alloc((size_t)e + 1, sizeof *w->before);
    w->ahead = mem_alloc(n + 1, sizeof *w->ahead);
    w->back = mem_alloc(n + 1, sizeof *w->back);
    w->local = mem_alloc(n + 1, sizeof *w->local);
    for (uint32_t k = 0; k < n; k++) w->ahead[k] = w->back[k] = FAR;
    for (uint32_t k = n; k-- > 0;)
        if (s->node[k].name != MAP_NONE) w->owner[s->node[k].name] = k;
    for (uint32_t k = 0; k < e; k++) w->before_first[s->edge[k].to + 2]++;
    for (uint32_t k = 0; k < n; k++) w->before_first[k + 2] += w->before_first[k + 1];
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = s->first[k]; j < s->first[k + 1]; j++) {
            struct sched_edge b = s->edge[j];
            b.to = k;
            w->before[w->before_first[s->edge[j].to + 1]++] = b;
        }
}

void window_space_free(struct window_space *w)
{
    free(w->own);
    free(w->leader);
    free(w->twins);
    free(w->owner);
    free(w->learned);
    free(w->plain);
    free(w->before_first);
    free(w->before);
    free(w->ahead);
    free(w->back);
    free(w->local);
    *w = (struct window_space){0};
}

int window_names(struct window_space *w, const bool *seen)
{
    const struct schedule *s = w->s;
    struct map64 leader = {0};
    int changed = 0;
    for (uint32_t k = 0; k < s->nnode; k++) {
        const struct sched_node *n = &s->node[k];
        if (n->name == MAP_NONE || !seen[n->name]) continue;
        changed |= !w->own[k];
        w->own[k] = true;
        if (n->twin == MAP_NONE) continue;
        w->twins[n->twin] = true;
        map64_at(&leader, (uint64_t)n->twin << 32 | n->config, n->name);
    }
    for (uint32_t k = 0; k < s->nnode; k++) {
        const struct sched_node *n = &s->node[k];
        uint64_t name;
        if (n->twin != MAP_NONE && map64_get(&leader, (uint64_t)n->twin << 32 | n->config, &name))
            w->leader[k] = (uint32_t)name;
    }
    map64_free(&leader);
    return changed;
}

/* ---- costs ---- */

static int32_t skip_cost(const struct sched_node *n)
{
    if (n->instr == HLO_NONE) return 0;
    if (n->launch & LAUNCH_PERHAPS) return 1;
    if (n->launch & LAUNCH_PREDICATE) return 6;
    return WINDOW_SKIP;
}

static int32_t library_cost(const struct sched_node *n, struct kernel is)
{
    if (!(n->launch & LAUNCH_LIBRARY) || is.emitted) return FAR;
    if (n->family == is.family) return 0;
    return n->family && is.family ? 3 : 1;
}

/* The cost of a kernel of this program's naming as node k's.  The emitters share one kernel among equal
 * computations (not among all of them) and name it after the first: an instruction goes by its own name if
 * that occurs, else by one of its twins' (spec: matching 9.2). */
static int32_t named_cost(const struct window_space *w, uint32_t k, uint32_t name)
{
    const struct sched_node *n = &w->s->node[k];
    if (n->instr == HLO_NONE) return FAR;
    uint32_t learned = w->learned[n->instr];
    if (learned != MAP_NONE) return name == learned ? 0 : FAR;
    if (name == n->name) return 0;
    uint32_t owner = w->owner[name];
    if (w->own[k] || n->twin == MAP_NONE || w->s->node[owner].twin != n->twin) return FAR;
    return (name != w->leader[k]) + (owner > k);
}

static bool kernel_known(const struct window_space *w, uint32_t k)
{
    uint32_t twin = w->s->node[k].twin;
    return w->own[k] || (twin != MAP_NONE && w->twins[twin]);
}

/* Does e only prepare node k's kernel: a copy or fill before it? */
static bool prepares(const struct window_space *w, uint32_t k, const struct window_event *e)
{
    uint16_t l = w->s->node[k].launch;
    if (e->is.kind == KERNEL_COPY)
        return !(l & (LAUNCH_COPY | LAUNCH_COLLECTIVE)) && !(l & LAUNCH_MAYBE_COPY && !kernel_known(w, k));
    if (e->is.kind == KERNEL_SET) return !(l & LAUNCH_SET) && !(l & LAUNCH_MAYBE_SET && !kernel_known(w, k));
    return false;
}

/* The cost of e as the first event of node k. */
static int32_t first_cost(const struct window_space *w, uint32_t k, const struct window_event *e)
{
    const struct sched_node *n = &w->s->node[k];
    uint16_t l = n->launch;
    bool known = kernel_known(w, k);
    switch (e->is.kind) {
    case KERNEL_COPY:
        if (l & LAUNCH_PREDICATE) return 4; /* the host asks: not in a graph */
        if (l & LAUNCH_COPY) return 0;
        if (l & LAUNCH_STAGES && n->copies) return 1;
        if (l & LAUNCH_MAYBE_COPY && !known) return 1;
        return l & LAUNCH_COLLECTIVE ? 4 : l & LAUNCH_LIBRARY ? 5 : 7;
    case KERNEL_SET:
        if (l & LAUNCH_SET) return 0;
        if (l & LAUNCH_MAYBE_SET && !known) return 1;
        return l & LAUNCH_LIBRARY ? 4 : l & (LAUNCH_NAMED | LAUNCH_STAGES) ? 7 : FAR;
    case KERNEL_COLLECTIVE:
        if (!(l & LAUNCH_COLLECTIVE)) return FAR;
        return n->family == e->is.family || !e->is.family ? 0 : FAR;
    default: break;
    }
    if (e->name == MAP_NONE) {
        int32_t c = library_cost(n, e->is);
        return c < FAR && e->is.follows ? c + 6 : c;
    }
    int32_t c = named_cost(w, k, e->name);
    return c < FAR && l & LAUNCH_STAGES && e->suffix ? c + 2 : c;
}

/* The cost of e as the first event of node k; a little more where k is known to be launched by itself. */
static int32_t start_cost(const struct window_space *w, uint32_t k, const struct window_event *e)
{
    uint32_t instr = w->s->node[k].instr;
    if (instr == HLO_NONE) return FAR;
    int32_t c = first_cost(w, k, e);
    return c < FAR && w->plain[instr] ? c + 2 : c;
}

/* The cost of e as a further event of node k, whose last one was p. */
static int32_t stay_cost(const struct window_space *w, uint32_t k, const struct window_event *p,
                         const struct window_event *e)
{
    const struct sched_node *n = &w->s->node[k];
    int32_t again = e->first ? CONTROL : 0;
    bool opened = p->is.kind == KERNEL_COPY || p->is.kind == KERNEL_SET;
    bool own = e->is.kind == KERNEL_OTHER && e->name != MAP_NONE && named_cost(w, k, e->name) < FAR;
    if (n->launch & LAUNCH_STAGES) {
        if (e->is.kind == KERNEL_COPY && p->is.kind == KERNEL_COPY && n->copies > 1) return again + 1;
        return own && (opened || e->suffix > p->suffix) ? again : FAR;
    }
    if (n->launch & LAUNCH_LIBRARY && e->is.kind == KERNEL_OTHER && e->name == MAP_NONE)
        return again + (e->is.follows || opened ? 0 : 1);
    if (n->launch & LAUNCH_LIBRARY && e->is.kind == KERNEL_SET) return again + 3;
    return own && opened && !(n->launch & (LAUNCH_COPY | LAUNCH_SET)) ? again : FAR;
}

/* ---- which nodes are in reach ---- */

struct heap {
    struct heap_item {
        int32_t cost;
        uint32_t node;
    } * at;
    size_t n, cap;
};

static void heap_push(struct heap *h, int32_t cost, uint32_t node)
{
    h->at = mem_grow(h->at, &h->cap, h->n + 1, sizeof *h->at);
    size_t i = h->n++;
    for (; i && h->at[(i - 1) / 2].cost > cost; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = (struct heap_item){cost, node};
}

static struct heap_item heap_pop(struct heap *h)
{
    struct heap_item top = h->at[0], last = h->at[--h->n];
    size_t i = 0, c;
    while ((c = 2 * i + 1) < h->n) {
        if (c + 1 < h->n && h->at[c + 1].cost < h->at[c].cost) c++;
        if (h->at[c].cost >= last.cost) break;
        h->at[i] = h->at[c];
        i = c;
    }
    h->at[i] = last;
    return top;
}

struct reach {
    struct window_space *w;
    struct heap heap;
    uint32_t *touched; /* nodes whose distances are set */
    size_t ntouched, cap;
};

static void touch(struct reach *r, int32_t *dist, uint32_t node, int32_t cost)
{
    if (cost >= dist[node]) return;
    if (r->w->ahead[node] == FAR && r->w->back[node] == FAR) {
        r->touched = mem_grow(r->touched, &r->cap, r->ntouched + 1, sizeof *r->touched);
        r->touched[r->ntouched++] = node;
    }
    dist[node] = cost;
    heap_push(&r->heap, cost, node);
}

/* ahead[n]: the least that is skipped on the way to n, n not counted, up to `bound` beyond what `goal` (a
 * node's distance, FAR: none yet) takes. */
static void reach_ahead(struct reach *r, uint32_t from, uint32_t to, int32_t need)
{
    struct window_space *w = r->w;
    const struct schedule *s = w->s;
    int32_t bound = to == HLO_NONE ? need : FAR - 1;
    if (from == HLO_NONE)
        for (uint32_t k = 0; k < s->nnode; k++) touch(r, w->ahead, k, k ? ANYWHERE : 0);
    else
        for (uint32_t j = s->instr_first[from]; j < s->instr_first[from + 1]; j++)
            for (uint32_t k = s->instr_node[j], e = s->first[k]; e < s->first[k + 1]; e++)
                touch(r, w->ahead, s->edge[e].to, s->edge[e].cost);
    while (r->heap.n) {
        struct heap_item i = heap_pop(&r->heap);
        if (i.cost > w->ahead[i.node]) continue;
        if (i.cost > bound) continue;
        if (to != HLO_NONE && s->node[i.node].instr == to && i.cost + SLACK < bound)
            bound = (i.cost > need ? i.cost : need) + SLACK;
        int32_t over = i.cost + skip_cost(&s->node[i.node]);
        for (uint32_t e = s->first[i.node]; e < s->first[i.node + 1]; e++)
            if (over + s->edge[e].cost <= bound) touch(r, w->ahead, s->edge[e].to, over + s->edge[e].cost);
    }
}

/* back[n]: the least that is skipped from n on, n counted, to the right edge. */
static void reach_back(struct reach *r, uint32_t to, int32_t bound)
{
    struct window_space *w = r->w;
    const struct schedule *s = w->s;
    if (to == HLO_NONE) {
        size_t n = r->ntouched;
        for (size_t k = 0; k < n; k++) touch(r, w->back, r->touched[k], ANYWHERE);
        if (w->ahead[s->nnode - 1] < FAR) touch(r, w->back, s->nnode - 1, 0);
    } else
        for (uint32_t j = s->instr_first[to]; j < s->instr_first[to + 1]; j++)
            touch(r, w->back, s->instr_node[j], 0);
    while (r->heap.n) {
        struct heap_item i = heap_pop(&r->heap);
        if (i.cost > w->back[i.node]) continue;
        for (uint32_t e = w->before_first[i.node]; e < w->before_first[i.node + 1]; e++) {
            uint32_t p = w->before[e].to;
            int32_t c = i.cost + w->before[e].cost + skip_cost(&s->node[p]);
            if (w->ahead[p] < FAR && w->ahead[p] + c <= bound) touch(r, w->back, p, c);
        }
    }
}

/* ---- least-cost placement ---- */

struct lattice { /* the nodes in reach, in schedule order */
    struct window_space *w;
    uint32_t *node, n;
    uint32_t *first; /* edges among them */
    struct sched_edge *edge;
    int32_t *skip;
    const struct window_event *ev;
    size_t nev;
    int32_t *on, *at; /* (nev + 1) rows of n: least cost so far with event t-1 the last of the node; with the
                         node still before us */
};

static int compare_u32(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Nodes whose way through costs at most `bound`. */
static void lattice_make(struct lattice *l, struct reach *r, int32_t bound)
{
    struct window_space *w = r->w;
    const struct schedule *s = w->s;
    size_t cap = 0, ne = 0;
    l->node = mem_alloc(r->ntouched + 1, sizeof *l->node);
    for (size_t k = 0; k < r->ntouched; k++) {
        uint32_t n = r->touched[k];
        if (w->ahead[n] < FAR && w->back[n] < FAR && w->ahead[n] + w->back[n] <= bound) l->node[l->n++] = n;
    }
    qsort(l->node, l->n, sizeof *l->node, compare_u32);
    for (uint32_t k = 0; k < l->n; k++) w->local[l->node[k]] = k;
    l->first = mem_alloc((size_t)l->n + 1, sizeof *l->first);
    l->skip = mem_alloc((size_t)l->n + 1, sizeof *l->skip);
    for (uint32_t k = 0; k < l->n; k++) {
        l->skip[k] = skip_cost(&s->node[l->node[k]]);
        for (uint32_t e = s->first[l->node[k]]; e < s->first[l->node[k] + 1]; e++) {
            uint32_t to = s->edge[e].to, q = w->local[to];
            if (q >= l->n || l->node[q] != to) continue;
            l->edge = mem_grow(l->edge, &cap, ne + 1, sizeof *l->edge);
            l->edge[ne] = s->edge[e];
            l->edge[ne++].to = q;
        }
        l->first[k + 1] = (uint32_t)ne;
    }
}

static void lattice_free(struct lattice *l)
{
    free(l->node);
    free(l->first);
    free(l->edge);
    free(l->skip);
    free(l->on);
    free(l->at);
}

static int32_t edge_cost(const struct lattice *l, const struct sched_edge *e, size_t t)
{
    bool inside = t > 0 && t < l->nev && !l->ev[t].first;
    return e->cost + (e->control && inside ? CONTROL : 0);
}

/* What it costs to go on from node k after event t - 1: a kernel that was only prepared is missing. */
static int32_t leave_cost(const struct lattice *l, uint32_t k, size_t t)
{
    return t && prepares(l->w, l->node[k], &l->ev[t - 1]) ? WINDOW_SKIP : 0;
}

static void keep_min(int32_t *a, int32_t b)
{
    if (b < *a) *a = b;
}

/* Row t of `at` from row t of `on` and itself: nodes passed over. */
static void pass_over(struct lattice *l, size_t t)
{
    int32_t *on = l->on + t * l->n, *at = l->at + t * l->n;
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = 0; k < l->n; k++) {
            int32_t c = at[k] + l->skip[k];
            if (on[k] < FAR) keep_min(&c, on[k] + leave_cost(l, k, t));
            if (c >= FAR) continue;
            for (uint32_t e = l->first[k]; e < l->first[k + 1]; e++) {
                uint32_t to = l->edge[e].to;
                int32_t x = c + edge_cost(l, &l->edge[e], t);
                if (x >= at[to]) continue;
                at[to] = x;
                again |= to <= k;
            }
        }
    }
}

static void forward(struct lattice *l, uint32_t from)
{
    const struct schedule *s = l->w->s;
    for (size_t k = 0; k < (l->nev + 1) * l->n; k++) l->on[k] = l->at[k] = FAR;
    for (uint32_t k = 0; k < l->n; k++) {
        if (from == HLO_NONE) l->at[k] = l->node[k] ? ANYWHERE : 0;
        if (from != HLO_NONE && s->node[l->node[k]].instr == from) l->on[k] = FAR;
    }
    if (from != HLO_NONE)
        for (uint32_t j = s->instr_first[from]; j < s->instr_first[from + 1]; j++)
            for (uint32_t n = s->instr_node[j], e = s->first[n]; e < s->first[n + 1]; e++) {
                uint32_t to = s->edge[e].to, q = l->w->local[to];
                if (q < l->n && l->node[q] == to) keep_min(&l->at[q], s->edge[e].cost);
            }
    pass_over(l, 0);
    for (size_t t = 0; t < l->nev; t++) {
        int32_t *on = l->on + t * l->n, *at = l->at + t * l->n;
        for (uint32_t k = 0; k < l->n; k++) {
            if (at[k] < FAR) {
                keep_min(&on[l->n + k], at[k] + start_cost(l->w, l->node[k], &l->ev[t]));
                at[l->n + k] = at[k] + UNCLAIMED;
            }
            if (on[k] >= FAR) continue;
            keep_min(&on[l->n + k], on[k] + UNCLAIMED);
            keep_min(&on[l->n + k], on[k] + stay_cost(l->w, l->node[k], &l->ev[t - 1], &l->ev[t]));
        }
        pass_over(l, t + 1);
    }
}

/* What it costs from here to the right edge: rows of the same form, only two of them kept. */
struct rest {
    int32_t *on, *at;
};

static void pass_back(const struct lattice *l, struct rest *r, size_t t)
{
    for (bool again = true; again;) {
        again = false;
        for (uint32_t k = l->n; k-- > 0;) {
            int32_t c = FAR;
            for (uint32_t e = l->first[k]; e < l->first[k + 1]; e++)
                keep_min(&c, edge_cost(l, &l->edge[e], t) + r->at[l->edge[e].to]);
            keep_min(&r->on[k], c + leave_cost(l, k, t));
            if (c + l->skip[k] >= r->at[k]) continue;
            r->at[k] = c + l->skip[k];
            for (uint32_t e = l->w->before_first[l->node[k]];
                 !again && e < l->w->before_first[l->node[k] + 1]; e++)
                again = l->w->before[e].to >= l->node[k];
        }
    }
}

static void last_row(const struct lattice *l, struct rest *r, uint32_t to)
{
    const struct schedule *s = l->w->s;
    for (uint32_t k = 0; k < l->n; k++) {
        bool end = l->node[k] == s->nnode - 1;
        r->on[k] = to == HLO_NONE ? ANYWHERE + leave_cost(l, k, l->nev) : FAR;
        r->at[k] = to == HLO_NONE ? (end ? 0 : ANYWHERE) : s->node[l->node[k]].instr == to ? 0 : FAR;
    }
    pass_back(l, r, l->nev);
}

/* Which nodes hold event t on a way of least cost? */
static void decide(const struct lattice *l, const struct rest *next, size_t t, int32_t best,
                   struct placed *out)
{
    const int32_t *on = l->on + t * l->n, *at = l->at + t * l->n;
    uint32_t claimants = 0, last = HLO_NONE;
    bool unclaimed = false;
    *out = (struct placed){HLO_NONE, HLO_NONE, PLACED_NOT};
    for (uint32_t k = 0; k < l->n; k++) {
        uint32_t instr = l->w->s->node[l->node[k]].instr;
        int32_t c = start_cost(l->w, l->node[k], &l->ev[t]), here = c < FAR ? at[k] + c : FAR;
        if (c < FAR && instr != last) claimants++, last = instr;
        if (on[k] < FAR) keep_min(&here, on[k] + stay_cost(l->w, l->node[k], &l->ev[t - 1], &l->ev[t]));
        if (at[k] + UNCLAIMED + next->at[k] == best || on[k] + UNCLAIMED + next->on[k] == best)
            unclaimed = true;
        if (here + next->on[k] != best) continue;
        if (out->instr == HLO_NONE)
            out->instr = instr;
        else if (out->instr != instr && out->other == HLO_NONE)
            out->other = instr;
    }
    if (out->instr == HLO_NONE) return;
    if (out->other != HLO_NONE || unclaimed)
        out->how = PLACED_TIE;
    else
        out->how = claimants == 1 && l->ev[t].name != MAP_NONE ? PLACED_NAME : PLACED_ORDER;
}

static int32_t backward(struct lattice *l, uint32_t to, struct placed *out)
{
    int32_t *row = mem_alloc(4 * (size_t)l->n + 1, sizeof *row), best = FAR;
    struct rest r = {row, row + l->n}, next = {row + 2 * l->n, row + 3 * l->n};
    last_row(l, &r, to);
    const int32_t *on = l->on + l->nev * l->n, *at = l->at + l->nev * l->n;
    for (uint32_t k = 0; k < l->n; k++) {
        keep_min(&best, on[k] + r.on[k]);
        keep_min(&best, at[k] + r.at[k]);
    }
    for (size_t t = l->nev; t-- > 0 && best < FAR;) {
        struct rest swap = r;
        r = next, next = swap;
        decide(l, &next, t, best, &out[t]);
        for (uint32_t k = 0; k < l->n; k++) {
            int32_t stay = t ? stay_cost(l->w, l->node[k], &l->ev[t - 1], &l->ev[t]) : FAR;
            r.on[k] = next.on[k] + UNCLAIMED;
            keep_min(&r.on[k], next.on[k] + stay);
            r.at[k] = next.at[k] + UNCLAIMED;
            keep_min(&r.at[k], next.on[k] + start_cost(l->w, l->node[k], &l->ev[t]));
            keep_min(&r.on[k], FAR);
            keep_min(&r.at[k], FAR);
        }
        pass_back(l, &r, t);
    }
    free(row);
    return best;
}

int64_t window_place(struct window_space *w, uint32_t from, uint32_t to, const struct window_event *ev,
                     size_t n, struct placed *out)
{
    struct reach r = {.w = w};
    struct lattice l = {.w = w, .ev = ev, .nev = n};
    int32_t need = (int32_t)(n < 1000000 ? n : 1000000) * WINDOW_SKIP, least = FAR;
    for (size_t t = 0; t < n; t++) out[t] = (struct placed){HLO_NONE, HLO_NONE, PLACED_NOT};
    reach_ahead(&r, from, to, need + SLACK);
    for (size_t k = 0; k < r.ntouched; k++)
        if (to != HLO_NONE && w->s->node[r.touched[k]].instr == to) keep_min(&least, w->ahead[r.touched[k]]);
    int32_t bound = (to != HLO_NONE && least < FAR && least > need ? least : need) + SLACK + 2 * ANYWHERE;
    reach_back(&r, to, bound);
    lattice_make(&l, &r, bound);
    int64_t cost = -1;
    size_t cells = 0;
    if (!mem_mul(n + 1, l.n, &cells) && cells <= WINDOW_CELLS) {
        l.on = mem_alloc(cells + 1, sizeof *l.on);
        l.at = mem_alloc(cells + 1, sizeof *l.at);
        forward(&l, from);
        cost = backward(&l, to, out);
    }
    for (size_t k = 0; k < r.ntouched; k++) w->ahead[r.touched[k]] = w->back[r.touched[k]] = FAR;
    free(r.touched);
    free(r.heap.at);
    lattice_free(&l);
    return cost;
}

bool window_repeats(const struct window_space *w, uint32_t instr)
{
    struct reach r = {.w = (struct window_space *)w};
    const struct schedule *s = w->s;
    bool yes = false;
    for (uint32_t j = s->instr_first[instr]; j < s->instr_first[instr + 1]; j++)
        for (uint32_t k = s->instr_node[j], e = s->first[k]; e < s->first[k + 1]; e++)
            touch(&r, w->ahead, s->edge[e].to, 0);
    while (r.heap.n) {
        uint32_t k = heap_pop(&r.heap).node;
        yes |= s->node[k].instr == instr;
        if (s->node[k].instr != HLO_NONE) continue;
        for (uint32_t e = s->first[k]; e < s->first[k + 1]; e++) touch(&r, w->ahead, s->edge[e].to, 0);
    }
    for (size_t k = 0; k < r.ntouched; k++) w->ahead[r.touched[k]] = FAR;
    free(r.touched);
    free(r.heap.at);
    return yes;
}
