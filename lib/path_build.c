/* From events to the nodes of a step and what each of them waited for. */
#include "budget.h"
#include "nest.h"
#include "path_in.h"
#include "runs.h"
#include <stdlib.h>

enum { NEAR_PS = 5000000 }; /* 5 us: how soon a kernel follows what it waited for on another stream */

struct build {
    struct path *p;
    const struct launches *l;
    struct threads *h;
    struct map64 node_of; /* event -> its (first) node */
    size_t node_cap, lane_cap;
};

static void add_node(struct build *x, uint32_t lane, uint32_t event, enum path_kind kind, int64_t a,
                     int64_t b)
{
    struct path *p = x->p;
    p->node = mem_grow(p->node, &x->node_cap, p->nnode + 1, sizeof *p->node);
    uint32_t prev = p->nnode && p->node[p->nnode - 1].lane == lane ? (uint32_t)p->nnode - 1 : EV_NONE;
    p->node[p->nnode] = (struct path_node){.a = a,
                                           .b = b,
                                           .event = event,
                                           .lane = lane,
                                           .prev = prev,
                                           .call = EV_NONE,
                                           .bind = EV_NONE,
                                           .until = EV_NONE,
                                           .group = EV_NONE,
                                           .kind = kind};
    map64_at(&x->node_of, event, p->nnode);
    p->nnode++;
}

static uint32_t add_lane(struct build *x, uint32_t line, bool host)
{
    struct path *p = x->p;
    p->lane = mem_grow(p->lane, &x->lane_cap, p->nlane + 1, sizeof *p->lane);
    p->lane[p->nlane] = (struct path_lane){line, p->t->line[line].plane, host};
    return (uint32_t)p->nlane++;
}

static bool in_step(const struct path *p, int64_t a, int64_t b) { return b > p->start && a < p->end; }

/* ---- device lanes ---- */

static enum path_kind kind_of_work(unsigned class)
{
    return (enum path_kind)(PATH_COMPUTE + budget_part(class)); /* the same order */
}

struct pieces {
    struct build *x;
    uint32_t lane;
};
static void add_piece(void *context, uint32_t event, int64_t a, int64_t b)
{
    struct pieces *s = context;
    if (in_step(s->x->p, a, b))
        add_node(s->x, s->lane, event, kind_of_work(s->x->p->t->event[event].class), a, b);
}

static void device_lane(struct build *x, uint32_t line)
{
    const struct events *t = x->p->t;
    const struct event_line *l = &t->line[line];
    struct pieces s = {x, EV_NONE};
    struct nest nest = {.emit = add_piece, .context = &s};
    for (size_t i = l->from; i < l->from + l->n; i++) {
        const struct event *v = &t->event[i];
        if (!event_is(v, EV_DEVICE) || !in_step(x->p, v->start, event_end(v))) continue;
        if (s.lane == EV_NONE) s.lane = add_lane(x, line, false);
        if (l->nested)
            nest_push(&nest, (uint32_t)i, v->start, event_end(v));
        else
            add_piece(&s, (uint32_t)i, v->start, event_end(v));
    }
    nest_end(&nest);
}

/* ---- host lanes ---- */

/* [a, b) by the first line that has something there: the calls, XLA's ranges, the driving thread. */
static void host_pieces(struct build *x, uint32_t lane, int64_t a, int64_t b, const uint32_t *line, int nline)
{
    while (nline && *line == EV_NONE) line++, nline--;
    if (!nline || a >= b) return;
    const struct thread *th = thread_line(x->h, *line);
    for (size_t i = thread_piece_from(th, a); i < th->n && th->piece[i].a < b; i++) {
        const struct thread_piece *k = &th->piece[i];
        int64_t from = k->a > a ? k->a : a, to = k->b < b ? k->b : b;
        host_pieces(x, lane, a, from, line + 1, nline - 1);
        add_node(x, lane, k->event, PATH_HOST, from, to);
        a = to;
    }
    host_pieces(x, lane, a, b, line + 1, nline - 1);
}

static void host_lanes(struct build *x)
{
    struct path *p = x->p;
    struct map64 seen = {0};
    size_t devices = p->nnode;
    for (size_t i = 0; i < devices; i++) {
        uint32_t launch = x->l->of[p->node[i].event];
        if (launch == EV_NONE) continue;
        uint32_t home = p->t->event[x->l->launch[launch].host].line;
        if (map64_get(&seen, home, &(uint64_t){0})) continue;
        map64_set(&seen, home, 1);
        uint32_t line[3] = {home, thread_partner(x->h, home), x->h->driver};
        if (line[2] == home || line[2] == line[1]) line[2] = EV_NONE;
        host_pieces(x, add_lane(x, home, true), p->start, p->end, line, 3);
    }
    map64_free(&seen);
}

/* ---- collectives ---- */

/* The n-th of a kind on each device take part in one operation, if they overlap. */
static void join_collectives(struct build *x)
{
    struct path *p = x->p;
    struct map64 ordinal = {0}, group = {0};
    size_t cap = 0;
    struct map key = {0};
    for (size_t i = 0; i < p->nnode; i++) {
        struct path_node *n = &p->node[i];
        if (n->kind != PATH_COLLECTIVE) continue;
        const struct event *v = &p->t->event[n->event];
        uint32_t kind[3] = {v->program, v->op, v->name};
        uint32_t k = map_put(&key, str_n((const char *)kind, sizeof kind), NULL);
        uint64_t *nth = map64_at(&ordinal, (uint64_t)p->lane[n->lane].plane << 32 | k, 0);
        uint64_t *g = map64_at(&group, (uint64_t)k << 32 | *nth, p->ngroup);
        ++*nth;
        if (*g == p->ngroup) {
            p->group = mem_grow(p->group, &cap, p->ngroup + 1, sizeof *p->group);
            p->group[p->ngroup++] = (struct path_group){(uint32_t)i, n->a};
        }
        if (n->a > p->group[*g].arrival) p->group[*g] = (struct path_group){(uint32_t)i, n->a};
        n->group = (uint32_t)*g;
    }
    for (size_t i = 0; i < p->nnode; i++) /* a participant that ended before another began is none */
        if (p->node[i].group != EV_NONE && p->group[p->node[i].group].arrival >= p->node[i].b)
            p->node[i].group = EV_NONE;
    map64_free(&ordinal);
    map64_free(&group);
    map_free(&key);
}

/* ---- what each waited for ---- */

static bool tick_after(const void *x, const void *y)
{
    const struct path_tick *a = x, *b = y;
    return a->t > b->t || (a->t == b->t && a->order > b->order);
}

static void make_ticks(struct path *p)
{
    p->tick = mem_alloc(p->nnode * 2, sizeof *p->tick);
    for (uint32_t i = 0; i < p->nnode; i++) {
        const struct path_node *n = &p->node[i];
        uint8_t order = p->lane[n->lane].host ? 1 : 2; /* of a node of no length the end follows its start */
        p->tick[2 * i] = (struct path_tick){n->a, i, order, true};
        p->tick[2 * i + 1] = (struct path_tick){n->b, i, n->b > n->a ? 0 : order, false};
    }
    runs_sort(p->tick, p->nnode * 2, sizeof *p->tick, tick_after);
}

static int64_t earlier(int64_t x, int64_t y) { return x < y ? x : y; }

/* A device event: its stream, its launch, or the device event that ended just before. */
static void bind_work(struct path *p, struct path_node *n, uint32_t other)
{
    int64_t ready = INT64_MIN;
    if (n->prev != EV_NONE) {
        ready = earlier(p->node[n->prev].b, n->a);
        n->bind = n->prev;
        n->edge = EDGE_LANE;
    }
    if (n->call != EV_NONE && earlier(p->node[n->call].b, n->a) > ready && p->node[n->call].a <= n->a) {
        ready = earlier(p->node[n->call].b, n->a);
        n->bind = n->call;
        n->edge = EDGE_LAUNCH;
    }
    if (other != EV_NONE && other != n->prev && (ready == INT64_MIN || n->a - ready > NEAR_PS) &&
        n->a - p->node[other].b <= NEAR_PS) {
        n->bind = other;
        n->edge = EDGE_OTHER;
    }
}

static void bind_all(struct build *x)
{
    struct path *p = x->p;
    uint32_t *ended = mem_alloc(p->t->nplane, sizeof *ended),
             any = EV_NONE; /* the device event that ended last */
    for (uint32_t i = 0; i < p->t->nplane; i++) ended[i] = EV_NONE;
    for (size_t i = 0; i < p->nnode * 2; i++) {
        struct path_node *n = &p->node[p->tick[i].node];
        bool host = p->lane[n->lane].host;
        if (p->tick[i].start && !host)
            bind_work(p, n, ended[p->lane[n->lane].plane]);
        else if (p->tick[i].start) {
            n->bind = n->prev;
            n->edge = n->prev == EV_NONE ? EDGE_NONE : EDGE_LANE;
        } else if (!host)
            ended[p->lane[n->lane].plane] = any = p->tick[i].node;
        else if (any != EV_NONE && p->node[any].b > n->a &&
                 (thread_is_wait(event_name(p->t, p->t->event[n->event].name)) ||
                  p->t->event[n->event].class == EV_SYNC))
            n->until = any;
    }
    free(ended);
}

static void join_calls(struct build *x)
{
    struct path *p = x->p;
    for (size_t i = 0; i < p->nnode; i++) {
        struct path_node *n = &p->node[i];
        uint64_t call;
        if (p->lane[n->lane].host) continue;
        uint32_t launch = x->l->of[n->event];
        /* the later events of a graph come after the first on the device, not after the call */
        if (launch == EV_NONE || (x->l->launch[launch].first != n->event &&
                                  p->t->event[x->l->launch[launch].first].class != EV_MODULE))
            continue;
        if (map64_get(&x->node_of, x->l->launch[launch].host, &call)) n->call = (uint32_t)call;
    }
}

void path_build(struct path *p, const struct launches *l, struct threads *h)
{
    struct build x = {.p = p, .l = l, .h = h};
    for (uint32_t i = 0; i < p->t->nline; i++)
        if (p->t->line[i].work) device_lane(&x, i);
    host_lanes(&x);
    join_calls(&x);
    join_collectives(&x);
    make_ticks(p);
    bind_all(&x);
    map64_free(&x.node_of);
}
