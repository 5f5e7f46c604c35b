#include "skip.h"
#include "ivl.h"
#include "num.h"
#include "runs.h"
#include <math.h>
#include <stdlib.h>

struct group { /* what a row is made from, besides the row */
    struct ivls busy;
    int64_t first, last; /* first call or start, last end */
    struct dist floor;
    uint32_t home;       /* launching line */
    uint64_t home_votes; /* majority vote */
};
struct groups {
    struct skips *s;
    struct group *g;
    size_t cap;
    struct map64 index;
};

static size_t group_of(struct groups *x, uint32_t plane, uint32_t program)
{
    uint64_t *at = map64_at(&x->index, (uint64_t)plane << 32 | program, x->s->n);
    if (*at < x->s->n) return *at;
    x->s->row = mem_grow(x->s->row, &x->s->cap, x->s->n + 1, sizeof *x->s->row);
    x->g = mem_grow(x->g, &x->cap, x->s->n + 1, sizeof *x->g);
    x->s->row[x->s->n] = (struct skip){.plane = plane, .program = program, .cpu_idle_ps = -1};
    x->g[x->s->n] = (struct group){.first = INT64_MAX, .last = INT64_MIN, .home = EV_NONE};
    return x->s->n++;
}

static void add_kernel(struct groups *x, const struct events *t, const struct launches *l, uint32_t i)
{
    const struct event *v = &t->event[i];
    uint32_t launch = l->of[i];
    size_t k = group_of(x, t->line[v->line].plane, v->program);
    struct skip *s = &x->s->row[k];
    struct group *g = &x->g[k];
    s->kernels++;
    s->kernel_ps = num_add(s->kernel_ps, v->dur);
    ivls_add(&g->busy, v->start, event_end(v));
    if (v->start < g->first) g->first = v->start;
    if (event_end(v) > g->last) g->last = event_end(v);
    if (launch == EV_NONE) {
        s->unmatched_kernels++;
        return;
    }
    s->graph_kernels += l->launch[launch].graph;
    s->tklqt_skip_ps = num_add(s->tklqt_skip_ps, v->start - t->event[l->launch[launch].host].start);
}

/* Majority vote (Boyer-Moore) for the line that launches. */
static void vote(struct group *g, uint32_t line)
{
    if (!g->home_votes) g->home = line;
    g->home_votes += g->home == line ? 1 : (uint64_t)-1;
}

static void add_launch(struct groups *x, const struct events *t, const struct launch *l, bool idle_stream)
{
    const struct event *call = &t->event[l->host];
    size_t k = group_of(x, l->plane, l->program);
    struct skip *s = &x->s->row[k];
    struct group *g = &x->g[k];
    int64_t delay = launch_to_start(t, l);
    s->launches++;
    s->graph_launches += l->graph;
    s->tklqt_ps = num_add(s->tklqt_ps, delay);
    dist_add(&s->api, call->dur);
    dist_add(&s->to_start, delay);
    dist_add(&s->from_end, launch_end_to_start(t, l));
    if (idle_stream && delay >= 0) dist_add(&g->floor, delay);
    if (call->start < g->first) g->first = call->start;
    vote(g, call->line);
}

/* Kernels of each line in order (on a TPU the modules, which are what is launched): a launch met an idle
 * stream if all that ran before its first kernel there had ended when the call began. */
static void add_line(struct groups *x, const struct events *t, const struct launches *l,
                     const struct event_line *line)
{
    int64_t ended = INT64_MIN;
    for (size_t i = line->from; i < line->from + line->n; i++) {
        const struct event *v = &t->event[i];
        if (!event_is(v, EV_DEVICE | EV_BIT(EV_MODULE))) continue;
        if (launch_is_first(l, (uint32_t)i)) {
            const struct launch *a = &l->launch[l->of[i]];
            add_launch(x, t, a, ended <= t->event[a->host].start);
        }
        if (event_is(v, EV_DEVICE)) add_kernel(x, t, l, (uint32_t)i);
        if (event_end(v) > ended) ended = event_end(v);
    }
}

/* A call that launched nothing is counted where its program runs; without a program, nowhere to count it but
 * on the first device. */
static void add_unmatched(struct groups *x, const struct events *t, const struct launches *l)
{
    struct map64 plane_of_line = {0};
    for (size_t i = 0; i < l->n; i++)
        if (l->launch[i].first != EV_NONE)
            map64_set(&plane_of_line, t->event[l->launch[i].host].line, l->launch[i].plane);
    for (size_t i = 0; i < l->n; i++) {
        const struct launch *a = &l->launch[i];
        uint64_t plane = EV_NONE;
        if (!launch_missing(t, a)) continue;
        map64_get(&plane_of_line, t->event[a->host].line, &plane);
        if (plane == EV_NONE && x->s->n) plane = x->s->row[0].plane;
        if (plane != EV_NONE) x->s->row[group_of(x, (uint32_t)plane, a->program)].unmatched_launches++;
    }
    map64_free(&plane_of_line);
}

/* Of w, where neither the launching line nor its partner has an event. */
static int64_t cpu_idle(struct threads *h, uint32_t home, struct ivl w)
{
    struct ivls busy = {0};
    uint32_t line[2] = {home, thread_partner(h, home)};
    for (int k = 0; k < 2; k++) {
        if (line[k] == EV_NONE) continue;
        const struct thread *l = thread_line(h, line[k]);
        for (size_t i = thread_piece_from(l, w.a); i < l->n && l->piece[i].a < w.b; i++)
            ivls_add(&busy, l->piece[i].a, l->piece[i].b);
    }
    ivls_settle(&busy);
    int64_t idle = w.b - w.a - ivls_len_in(&busy, w);
    ivls_free(&busy);
    return idle;
}

static void finish(struct skip *s, struct group *g, struct threads *h)
{
    ivls_settle(&g->busy);
    if (g->first < g->last) s->il_ps = g->last - g->first;
    s->idle_sum_ps = s->il_ps - s->kernel_ps;
    s->idle_ps = s->il_ps - ivls_len(&g->busy);
    s->floor_n = g->floor.n;
    s->floor_ps = dist_quantile(&g->floor, 0.05);
    double floors =
        (double)s->launches * (double)s->floor_ps; /* clocks that differ make any number of these */
    bool share = s->floor_n && floors >= 0 && floors <= (double)s->tklqt_ps && s->tklqt_ps > 0;
    s->queue_share = share ? 1 - floors / (double)s->tklqt_ps : NAN;
    if (g->home != EV_NONE && g->first < g->last)
        s->cpu_idle_ps = cpu_idle(h, g->home, (struct ivl){g->first, g->last});
    ivls_free(&g->busy);
    dist_free(&g->floor);
}

static bool row_after(const void *a, const void *b)
{
    return ((const struct skip *)a)->plane > ((const struct skip *)b)->plane;
}

struct skips skip_metrics(const struct events *t, const struct launches *l, struct threads *h)
{
    struct skips s = {0};
    struct groups x = {.s = &s};
    for (uint32_t p = 0; p < t->nplane; p++)
        for (uint32_t k = 0; k < t->plane[p].nline; k++)
            if (events_line(t, p, k)->work ||
                (t->plane[p].is_device && events_line(t, p, k)->count[EV_MODULE]))
                add_line(&x, t, l, events_line(t, p, k));
    add_unmatched(&x, t, l);
    for (size_t i = 0; i < s.n; i++) finish(&s.row[i], &x.g[i], h);
    runs_sort(s.row, s.n, sizeof *s.row, row_after);
    free(x.g);
    map64_free(&x.index);
    return s;
}

void skip_free(struct skips *s)
{
    for (size_t i = 0; i < s->n; i++) {
        dist_free(&s->row[i].api);
        dist_free(&s->row[i].to_start);
        dist_free(&s->row[i].from_end);
    }
    free(s->row);
    *s = (struct skips){0};
}
