#include "idle.h"
#include "num.h"
#include "runs.h"
#include <stdlib.h>

const char *idle_word(unsigned cause)
{
    return (const char *const[]){"host", "queue", "graph", "copy", "edge"}[cause];
}

/* All that a device's gaps are explained with. */
struct work {
    struct idles *out;
    const struct events *t;
    const struct launches *l;
    struct threads *h;
    uint32_t plane;
    uint32_t home;       /* the host line that launches most for this device; EV_NONE */
    struct ivls pending; /* something launched and not started */
    struct ivls modules; /* runs of modules, where there is no other join */
};

static void add(struct work *w, unsigned cause, uint32_t event, int64_t ps)
{
    uint32_t key[4] = {w->plane, cause, EV_NONE, EV_NONE};
    bool fresh;
    if (event != EV_NONE) {
        key[2] = w->t->event[event].line;
        key[3] = w->t->event[event].name;
    }
    uint32_t i = map_put(&w->out->key, str_n((const char *)key, sizeof key), &fresh);
    if (fresh) {
        w->out->row = mem_grow(w->out->row, &w->out->cap, i + 1u, sizeof *w->out->row);
        w->out->row[i] = (struct idle){w->plane, cause, key[2], key[3], event, 0, 0};
        w->out->n = i + 1u;
    }
    w->out->row[i].idle_ps = num_add(w->out->row[i].idle_ps, ps);
    w->out->row[i].count++;
}

/* Give [a, b) to what the first of the lines was in; what it leaves open to the next line. */
static void give(struct work *w, unsigned cause, int64_t a, int64_t b, const uint32_t *line, int nline)
{
    while (nline && *line == EV_NONE) line++, nline--;
    if (a >= b) return;
    if (!nline) {
        add(w, cause, EV_NONE, b - a);
        return;
    }
    const struct thread *th = thread_line(w->h, *line);
    for (size_t i = thread_piece_from(th, a); i < th->n && th->piece[i].a < b; i++) {
        const struct thread_piece *p = &th->piece[i];
        int64_t end = p->b < b ? p->b : b;
        give(w, cause, a, p->a, line + 1, nline - 1);
        if (p->a > a) a = p->a;
        add(w, cause, p->event, end - a);
        a = end;
    }
    give(w, cause, a, b, line + 1, nline - 1);
}

static bool same_graph(const struct work *w, uint32_t before, uint32_t after)
{
    uint32_t x = w->l->of[before], y = w->l->of[after];
    return x != EV_NONE && x == y && w->l->launch[x].graph;
}

/* One gap, between the event that ended last and the one that starts next. */
static void explain(struct work *w, int64_t a, int64_t b, uint32_t before, uint32_t after)
{
    const struct event *next = &w->t->event[after];
    uint32_t launch = w->l->of[after];
    uint32_t home = launch == EV_NONE ? w->home : w->t->event[w->l->launch[launch].host].line;
    uint32_t line[3] = {home, home == EV_NONE ? EV_NONE : thread_partner(w->h, home), w->h->driver};
    if (line[2] == line[0] || line[2] == line[1]) line[2] = EV_NONE;
    if (same_graph(w, before, after)) {
        add(w, IDLE_GRAPH, EV_NONE, b - a);
        return;
    }
    size_t m = ivls_from(&w->modules, a);
    if (m < w->modules.n && w->modules.v[m].a <= a && w->modules.v[m].b >= b) {
        add(w, IDLE_GRAPH, EV_NONE, b - a);
        return;
    }
    if (event_is(next, EV_BIT(EV_MEMCPY) | EV_BIT(EV_MEMSET)) && launch != EV_NONE) {
        int64_t call = w->t->event[w->l->launch[launch].host].start;
        int64_t from = call < a ? a : call > b ? b : call;
        give(w, IDLE_COPY, from, b, line, 3);
        b = from;
    }
    for (size_t i = ivls_from(&w->pending, a); i < w->pending.n && w->pending.v[i].a < b; i++) {
        struct ivl p = w->pending.v[i];
        give(w, IDLE_HOST, a, p.a, line, 3);
        if (p.a > a) a = p.a;
        if (p.b > b) p.b = b;
        give(w, IDLE_QUEUE, a, p.b, line, 3);
        a = p.b;
    }
    give(w, IDLE_HOST, a, b, line, 3);
}

/* ---- a device ---- */

struct by_start {
    int64_t start;
    uint32_t event;
};

static bool by_start_after(const void *x, const void *y)
{
    return ((const struct by_start *)x)->start > ((const struct by_start *)y)->start;
}

static struct by_start *device_events(const struct events *t, uint32_t plane, size_t *n)
{
    struct by_start *v = NULL;
    size_t cap = 0;
    *n = 0;
    for (uint32_t k = 0; k < t->plane[plane].nline; k++) {
        const struct event_line *l = events_line(t, plane, k);
        for (size_t i = l->from; l->work && i < l->from + l->n; i++) {
            if (!event_is(&t->event[i], EV_DEVICE)) continue;
            v = mem_grow(v, &cap, *n + 1, sizeof *v);
            v[(*n)++] = (struct by_start){t->event[i].start, (uint32_t)i};
        }
    }
    runs_sort(v, *n, sizeof *v, by_start_after);
    return v;
}

static void gather(struct work *w)
{
    struct map64 homes = {0};
    uint64_t best = 0;
    for (uint32_t i = w->l->from[w->plane]; i < w->l->from[w->plane + 1]; i++) {
        const struct launch *l = &w->l->launch[w->l->order[i]];
        ivls_add(&w->pending, event_end(&w->t->event[l->host]), l->start);
        uint32_t line = w->t->event[l->host].line;
        uint64_t c = ++*map64_at(&homes, line, 0);
        if (c > best) best = c, w->home = line;
    }
    map64_free(&homes);
    for (uint32_t k = 0; k < w->t->plane[w->plane].nline; k++) {
        const struct event_line *line = events_line(w->t, w->plane, k);
        for (size_t i = line->from; line->count[EV_MODULE] && i < line->from + line->n; i++)
            if (w->t->event[i].class == EV_MODULE)
                ivls_add(&w->modules, w->t->event[i].start, event_end(&w->t->event[i]));
    }
    ivls_settle(&w->pending);
    ivls_settle(&w->modules);
}

void idle_of_device(struct idles *out, const struct events *t, const struct launches *l, struct threads *h,
                    uint32_t plane, struct ivl window)
{
    struct work w = {.out = out, .t = t, .l = l, .h = h, .plane = plane, .home = EV_NONE};
    size_t n;
    struct by_start *v = device_events(t, plane, &n);
    int64_t end = window.a;
    uint32_t before = EV_NONE;
    gather(&w);
    for (size_t i = 0; i < n; i++) {
        const struct event *x = &t->event[v[i].event];
        int64_t start = x->start < window.b ? x->start : window.b;
        if (start > end) {
            if (before == EV_NONE)
                add(&w, IDLE_EDGE, EV_NONE, start - end);
            else
                explain(&w, end, start, before, v[i].event);
            end = start;
        }
        if (before == EV_NONE || event_end(x) > event_end(&t->event[before])) before = v[i].event;
        if (event_end(x) > end) end = event_end(x);
    }
    if (window.b > end) add(&w, IDLE_EDGE, EV_NONE, window.b - end);
    free(v);
    ivls_free(&w.pending);
    ivls_free(&w.modules);
}

static bool row_after(const void *x, const void *y)
{
    const struct idle *a = x, *b = y;
    return a->plane > b->plane || (a->plane == b->plane && a->idle_ps < b->idle_ps);
}

void idle_sort(struct idles *out) { runs_sort(out->row, out->n, sizeof *out->row, row_after); }

void idle_free(struct idles *out)
{
    free(out->row);
    map_free(&out->key);
    *out = (struct idles){0};
}
