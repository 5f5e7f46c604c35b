#include "path.h"
#include "num.h"
#include "path_in.h"
#include <stdlib.h>

const char *path_word(enum path_kind k)
{
    return (const char *const[]){
        "compute", "collective", "copy", "host", "sync", "launch", "gap", "host_gap"}[k];
}

/* ---- the path, backwards ---- */

static void add_seg(struct path *p, size_t *cap, enum path_kind kind, uint32_t node, int64_t a, int64_t b)
{
    if (a < p->start) a = p->start;
    if (a >= b) return;
    p->seg = mem_grow(p->seg, cap, p->nseg + 1, sizeof *p->seg);
    p->seg[p->nseg++] = (struct path_seg){kind, p->node[node].lane, node, a, b};
}

/* From a node's start back to what it waited for; returns that node (*t: when it let go), EV_NONE at the end.
 */
static uint32_t before(struct path *p, size_t *cap, uint32_t at, int64_t *t)
{
    const struct path_node *n = &p->node[at];
    if (n->bind == EV_NONE) return EV_NONE;
    int64_t anchor = n->edge == EDGE_LAUNCH ? p->node[n->bind].a : p->node[n->bind].b;
    if (anchor > *t) anchor = *t;
    enum path_kind gap = n->edge == EDGE_LAUNCH  ? PATH_LAUNCH
                         : p->lane[n->lane].host ? PATH_HOST_GAP
                                                 : PATH_GAP;
    add_seg(p, cap, gap, gap == PATH_LAUNCH ? n->bind : at, anchor, *t);
    *t = anchor;
    if (n->edge != EDGE_LAUNCH) return n->bind;
    return before(p, cap, n->bind, t); /* the call itself is part of the launch; a call waits for no launch */
}

static void walk(struct path *p, uint32_t at)
{
    size_t cap = 0, left = 4 * p->nnode + 4;
    int64_t t = p->end;
    while (at != EV_NONE && t > p->start && left--) {
        const struct path_node *n = &p->node[at];
        const struct path_group *g = n->group == EV_NONE ? NULL : &p->group[n->group];
        if (n->until != EV_NONE && p->node[n->until].b < t) {
            add_seg(p, &cap, PATH_SYNC, at, p->node[n->until].b, t);
            t = p->node[n->until].b;
            at = n->until;
            continue;
        }
        if (g && g->last != at && g->arrival > n->a && g->arrival < t) {
            add_seg(p, &cap, PATH_COLLECTIVE, at, g->arrival, t);
            t = g->arrival;
            at = before(p, &cap, g->last, &t);
            continue;
        }
        if (n->a < t) add_seg(p, &cap, n->kind, at, n->a, t);
        if (n->a < t) t = n->a;
        at = before(p, &cap, at, &t);
    }
    if (t > p->start && p->nseg) { /* nothing is known of the beginning */
        struct path_seg s = p->seg[p->nseg - 1];
        add_seg(p, &cap, p->lane[s.lane].host ? PATH_HOST_GAP : PATH_GAP, s.node, p->start, t);
    }
    for (size_t i = 0, k = p->nseg; i + 1 < k; i++) {
        struct path_seg s = p->seg[i];
        p->seg[i] = p->seg[--k];
        p->seg[k] = s;
    }
}

int path_find(struct path *p, const struct events *t, const struct launches *l, const struct steps *s,
              struct threads *h, uint32_t step)
{
    *p = (struct path){.t = t, .step = step, .start = INT64_MAX, .end = INT64_MIN};
    for (size_t i = 0; i < s->n; i++) {
        const struct step *x = &s->step[i];
        int64_t from = s->source == STEP_ANNOTATION ? x->mark_start : x->start;
        if (x->number != step) continue;
        if (from > x->start) from = x->start;
        if (from < p->start) p->start = from;
        if (x->end > p->end) p->end = x->end;
    }
    if (p->start >= p->end) return -1;
    path_build(p, l, h);
    uint32_t last = EV_NONE;
    for (uint32_t i = 0; i < p->nnode; i++)
        if (!p->lane[p->node[i].lane].host && (last == EV_NONE || p->node[i].b > p->node[last].b)) last = i;
    if (last != EV_NONE && p->node[last].b < p->end)
        p->end = p->node[last].b; /* an event of no length was last */
    walk(p, last);
    return 0;
}

void path_free(struct path *p)
{
    free(p->lane);
    free(p->node);
    free(p->group);
    free(p->seg);
    free(p->tick);
    *p = (struct path){0};
}

/* ---- another world ---- */

struct replay {
    const struct path *p;
    int64_t *a, *b;   /* new start and end by node */
    int64_t *arrival; /* by group */
    path_weight *weight;
    void *context;
};

static int64_t later(int64_t x, int64_t y) { return x > y ? x : y; }

static void start(struct replay *r, uint32_t i)
{
    const struct path_node *n = &r->p->node[i];
    int64_t t = r->p->start;
    if (n->a <= r->p->start || n->bind == EV_NONE) t = n->a; /* it began without us */
    if (n->bind != EV_NONE) {
        const struct path_node *w = &r->p->node[n->bind];
        bool by_start = path_by_start(r->p, n);
        int64_t lag = n->a - (by_start ? w->a : w->b);
        if (!by_start || n->edge == EDGE_LAUNCH) lag = r->weight(r->context, r->p, i, true, lag);
        t = later(t, (by_start ? r->a[n->bind] : r->b[n->bind]) + lag);
    }
    if (n->prev != EV_NONE && n->edge != EDGE_LANE && r->p->node[n->prev].b <= n->a)
        t = later(t, r->b[n->prev]);
    if (n->call != EV_NONE && n->edge != EDGE_LAUNCH && r->p->node[n->call].a <= n->a) {
        const struct path_node *call = &r->p->node[n->call];
        int64_t lag = n->a - call->a, dur = r->weight(r->context, r->p, n->call, false, call->b - call->a);
        t = later(t, r->a[n->call] + (lag < dur ? lag : dur));
    }
    r->a[i] = t;
    if (n->group != EV_NONE) r->arrival[n->group] = later(r->arrival[n->group], t);
}

static void end(struct replay *r, uint32_t i)
{
    const struct path_node *n = &r->p->node[i];
    if (n->until != EV_NONE) { /* a wait has no length of its own */
        int64_t lag = n->b - r->p->node[n->until].b;
        r->b[i] = later(r->a[i], r->b[n->until] + r->weight(r->context, r->p, i, false, lag));
    } else if (n->group != EV_NONE) {
        int64_t dur = n->b - r->p->group[n->group].arrival;
        r->b[i] = later(r->a[i], r->arrival[n->group] + r->weight(r->context, r->p, i, false, dur));
    } else
        r->b[i] = r->a[i] + r->weight(r->context, r->p, i, false, n->b - n->a);
}

int64_t path_replay(const struct path *p, path_weight *weight, void *context)
{
    struct replay r = {p,
                       mem_alloc(p->nnode, sizeof *r.a),
                       mem_alloc(p->nnode, sizeof *r.b),
                       mem_alloc(p->ngroup, sizeof *r.arrival),
                       weight,
                       context};
    int64_t last = p->start;
    for (size_t g = 0; g < p->ngroup; g++) r.arrival[g] = INT64_MIN;
    for (size_t i = 0; i < 2 * p->nnode; i++) {
        uint32_t n = p->tick[i].node;
        if (p->tick[i].start) {
            start(&r, n);
            continue;
        }
        end(&r, n);
        if (!p->lane[p->node[n].lane].host && p->node[n].b <= p->end) last = later(last, r.b[n]);
    }
    free(r.a);
    free(r.b);
    free(r.arrival);
    return last - p->start;
}
