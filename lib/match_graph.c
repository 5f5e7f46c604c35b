#include "match_in.h"
#include <stdlib.h>

/* Graphs: what all launches of one graph show together, and the windows in which they stand. */

/* ---- members ---- */

static int compare_member(const void *a, const void *b)
{
    const struct member *x = a, *y = b;
    if (x->graph != y->graph) return x->graph < y->graph ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

/* Launches repeat: the member is mostly the one behind the member before, `hint`. */
static size_t add_member(struct plane *p, struct map64 *index, uint32_t graph, const struct match_event *e,
                         size_t hint)
{
    uint64_t key = (uint64_t)graph << 32 | (uint32_t)e->node, at = hint;
    if (at >= p->nmember || p->member[at].graph != graph || p->member[at].node != (uint32_t)e->node)
        at = *map64_at(index, key, p->nmember);
    if (at == p->nmember) {
        p->member = mem_grow(p->member, &p->member_cap, p->nmember + 1, sizeof *p->member);
        p->member[p->nmember++] = (struct member){.graph = graph,
                                                  .node = (uint32_t)e->node,
                                                  .name = e->name,
                                                  .kind = e->kind,
                                                  .placed = {HLO_NONE, HLO_NONE, PLACED_NOT}};
    } else if (p->member[at].name != e->name)
        p->graph[graph].unstable = true;
    return at;
}

void match_graphs(struct plane *p)
{
    struct map64 graphs = {0}, members = {0};
    for (size_t i = 0; i < p->nunit; i++) {
        struct unit *u = &p->unit[i];
        uint64_t id = match_at(p, u->beg)->graph;
        bool numbered = id != 0;
        for (uint32_t k = u->beg; k < u->end; k++) numbered &= match_at(p, k)->node != 0;
        if (!numbered) continue;
        u->graph = (uint32_t)*map64_at(&graphs, id, p->ngraph);
        if (u->graph == p->ngraph) {
            p->graph = mem_grow(p->graph, &p->graph_cap, p->ngraph + 1, sizeof *p->graph);
            p->graph[p->ngraph++] = (struct graph){.program = MATCH_UNKNOWN, .beg = (uint32_t)p->nmember};
        }
        size_t at = p->graph[u->graph].beg;
        for (uint32_t k = u->beg; k < u->end; k++)
            at = add_member(p, &members, u->graph, match_at(p, k), at) + 1;
    }
    if (p->nmember) qsort(p->member, p->nmember, sizeof *p->member, compare_member);
    for (size_t k = 0; k < p->nmember; k++) {
        struct graph *g = &p->graph[p->member[k].graph];
        if (!k || p->member[k - 1].graph != p->member[k].graph) g->beg = (uint32_t)k;
        g->end = (uint32_t)k + 1;
    }
    for (size_t k = 0; k < p->ngraph; k++) p->x->unstable += p->graph[k].unstable;
    map64_free(&graphs);
    map64_free(&members);
}

static bool shared(const struct plane *p, const struct unit *u)
{
    return u->graph != MATCH_UNKNOWN && !p->graph[u->graph].unstable;
}

/* The member behind an event, mostly *hint; NULL: none. */
static const struct member *member_of(const struct plane *p, const struct unit *u,
                                      const struct match_event *e, const struct member *hint)
{
    const struct graph *g = &p->graph[u->graph];
    if (hint && hint < p->member + g->end && hint->node == (uint32_t)e->node) return hint;
    struct member key = {.graph = u->graph, .node = (uint32_t)e->node};
    return bsearch(&key, p->member + g->beg, g->end - g->beg, sizeof key, compare_member);
}

size_t match_unit_size(const struct plane *p, uint32_t unit)
{
    const struct unit *u = &p->unit[unit];
    return shared(p, u) ? p->graph[u->graph].end - p->graph[u->graph].beg : u->end - u->beg;
}

/* ---- one window ---- */

static void put_event(struct plane *p, uint32_t program, uint32_t name, uint8_t kind, bool first, size_t *n)
{
    p->we = mem_grow(p->we, &p->we_cap, *n + 1, sizeof *p->we);
    p->we[*n] = match_look(p->x, program, name, kind);
    p->we[(*n)++].first = first;
    uint32_t k = name << 1 | first;
    buf_put(&p->key, &k, sizeof k);
}

/* The same window comes back at every step: solved once. */
struct solved match_window(struct plane *p, uint32_t program, uint32_t from, uint32_t to, const uint32_t *u,
                           size_t n)
{
    uint32_t head[3] = {program, from, to};
    size_t ne = 0;
    bool fresh;
    p->key.n = 0;
    buf_put(&p->key, head, sizeof head);
    for (size_t i = 0; i < n; i++) {
        const struct unit *q = &p->unit[u[i]];
        if (shared(p, q))
            for (uint32_t k = p->graph[q->graph].beg; k < p->graph[q->graph].end; k++)
                put_event(p, program, p->member[k].name, p->member[k].kind, k == p->graph[q->graph].beg, &ne);
        else
            for (uint32_t k = q->beg; k < q->end; k++)
                put_event(p, program, match_at(p, k)->name, match_at(p, k)->kind, k == q->beg, &ne);
    }
    uint32_t key = map_put(&p->windows, buf_view(&p->key), &fresh);
    if (!fresh) return p->solved[key];
    p->placed = mem_grow(p->placed, &p->placed_cap, p->nplaced + ne + 1, sizeof *p->placed);
    p->solved = mem_grow(p->solved, &p->solved_cap, p->nsolved + 1, sizeof *p->solved);
    struct solved s = {p->nplaced, 0};
    s.cost = window_place(&p->x->program[program]->space, from, to, p->we, ne, p->placed + s.at);
    p->nplaced += ne;
    return p->solved[p->nsolved++] = s;
}

/* ---- results ---- */

static void write_result(struct plane *p, uint32_t program, size_t k, const struct placed *q, bool lossy,
                         bool open)
{
    struct match_result *r = &p->r[p->order[k]];
    r->program = program;
    r->match = MATCH_NONE;
    if (q->how == PLACED_NAME || q->how == PLACED_ORDER) {
        const struct schedule *s = &p->x->program[program]->schedule;
        bool listed = s->node[s->instr_node[s->instr_first[q->instr]]].listed;
        r->match = listed ? MATCH_THUNK : q->how == PLACED_NAME ? MATCH_NAME : MATCH_ORDER;
        r->reason = REASON_NOTHING;
        r->instr = q->instr;
    } else if (q->how == PLACED_TIE && !lossy) {
        r->reason = REASON_AMBIGUOUS;
        r->other[0] = q->instr;
        r->other[1] = q->other;
    } else
        r->reason = q->how == PLACED_TIE ? REASON_DROPPED_NEIGHBOUR
                    : open               ? REASON_OUTSIDE_WINDOW
                                         : REASON_NO_CANDIDATE;
}

static void vote(struct member *m, const struct placed *q)
{
    if (q->how < PLACED_ORDER) {
        if (m->placed.instr == HLO_NONE) m->placed = *q;
        return;
    }
    for (int k = 0; k < VOTES; k++) {
        struct vote *v = &m->vote[k];
        if (v->weight && v->instr != q->instr) continue;
        if (!v->weight || q->how < v->how) v->how = q->how;
        v->instr = q->instr;
        v->weight++;
        return;
    }
}

/* The same graph must give the same map in every launch: what nine in ten windows say, else nothing. */
static void settle(struct plane *p, struct member *m)
{
    uint64_t all = 0;
    int best = 0;
    for (int k = 0; k < VOTES; k++) {
        all += m->vote[k].weight;
        if (m->vote[k].weight > m->vote[best].weight) best = k;
    }
    if (!all) return;
    const struct vote *v = &m->vote[best];
    m->placed = (struct placed){v->instr, HLO_NONE, v->how};
    if (v->weight * 10 >= all * 9) return;
    p->x->contradicted++;
    m->placed.how = PLACED_TIE;
    m->placed.other = m->vote[best ? 0 : 1].instr;
}

/* Units between two annotated launches of a program. */
struct pending {
    uint32_t from;
    uint32_t *unit;
    size_t n, cap, events;
};

enum { WINDOW_EVENTS = 4096 };

static void place(struct plane *p, uint32_t program, struct pending *w, size_t beg, size_t n, uint32_t from,
                  uint32_t to)
{
    if (!n) return;
    struct solved s = match_window(p, program, from, to, w->unit + beg, n);
    if (s.cost < 0 && n > 1) { /* too large: in halves */
        place(p, program, w, beg, n / 2, from, HLO_NONE);
        place(p, program, w, beg + n / 2, n - n / 2, HLO_NONE, to);
        return;
    }
    p->x->cut += s.cost < 0;
    const struct placed *q = p->placed + s.at;
    for (size_t i = beg; i < beg + n; i++) {
        const struct unit *u = &p->unit[w->unit[i]];
        if (shared(p, u))
            for (uint32_t k = p->graph[u->graph].beg; k < p->graph[u->graph].end; k++)
                vote(&p->member[k], q++);
        else
            for (uint32_t k = u->beg; k < u->end; k++)
                write_result(p, program, k, q++, s.cost >= WINDOW_SKIP, from == HLO_NONE || to == HLO_NONE);
    }
}

static void close_window(struct plane *p, uint32_t program, struct pending *w, uint32_t to)
{
    place(p, program, w, 0, w->n, w->from, to);
    w->n = w->events = 0;
    w->from = to;
}

static bool on_schedule(const struct plane *p, uint32_t program, uint32_t instr)
{
    const struct schedule *s = &p->x->program[program]->schedule;
    return s->instr_first[instr] < s->instr_first[instr + 1];
}

void match_windows(struct plane *p)
{
    struct pending *w = mem_alloc(p->x->nprogram + 1, sizeof *w);
    size_t u = 0;
    for (size_t i = 0; i < p->x->nprogram; i++) w[i].from = HLO_NONE;
    for (size_t k = 0; k < p->norder; k++) {
        const struct match_event *e = match_at(p, k);
        if (e->instr != HLO_NONE) {
            if (match_usable(p->x, e->program) && on_schedule(p, e->program, e->instr))
                close_window(p, e->program, &w[e->program], e->instr);
            continue;
        }
        if (u >= p->nunit || p->unit[u].beg != k) continue;
        uint32_t g = p->unit[u].program;
        if (match_usable(p->x, g)) {
            w[g].unit = mem_grow(w[g].unit, &w[g].cap, w[g].n + 1, sizeof *w[g].unit);
            w[g].unit[w[g].n++] = (uint32_t)u;
            w[g].events += match_unit_size(p, (uint32_t)u);
            if (w[g].events > WINDOW_EVENTS) close_window(p, g, &w[g], HLO_NONE);
        }
        u++;
    }
    for (uint32_t i = 0; i < p->x->nprogram; i++) {
        close_window(p, i, &w[i], HLO_NONE);
        free(w[i].unit);
    }
    free(w);
    for (size_t k = 0; k < p->nmember; k++) settle(p, &p->member[k]);
    for (size_t i = 0; i < p->nunit; i++) {
        const struct unit *q = &p->unit[i];
        if (!match_usable(p->x, q->program)) {
            for (uint32_t k = q->beg; k < q->end && q->program != MATCH_UNKNOWN; k++) {
                p->r[p->order[k]].program = q->program;
                p->r[p->order[k]].reason = REASON_NO_HLO;
            }
            continue;
        }
        const struct member *m = shared(p, q) ? p->member + p->graph[q->graph].beg : NULL;
        for (uint32_t k = q->beg; k < q->end && shared(p, q); k++, m = m ? m + 1 : NULL) {
            m = member_of(p, q, match_at(p, k), m);
            if (m) write_result(p, q->program, k, &m->placed, false, false);
        }
    }
}
