/* Host against device, launch against launch, step against step, device against device. */
#include "checks_in.h"
#include "dist.h"
#include "num.h"
#include "runs.h"
#include <inttypes.h>
#include <stdlib.h>

/* ---- launches ---- */

/* Every device event was launched once; on a TPU every run of a module was. */
void check_launched(struct checks *c, const struct events *t, const struct launches *l, uint32_t p)
{
    uint64_t n[2] = {0}, matched[2] = {0};
    int64_t time = 0, lost = 0;
    uint32_t sample = EV_NONE;
    bool runs = false;
    for (uint32_t k = 0; k < t->plane[p].nline; k++) {
        const struct event_line *line = events_line(t, p, k);
        for (size_t i = line->from; i < line->from + line->n; i++) {
            const struct event *v = &t->event[i];
            bool module = v->class == EV_MODULE && (v->flags & EV_HAS_RUN);
            if (!module && (!event_is(v, EV_DEVICE) || !line->work)) continue;
            runs |= module;
            n[module]++;
            matched[module] += l->of[i] != EV_NONE;
            if (module) continue;
            time = num_add(time, v->dur);
            if (l->of[i] == EV_NONE) lost = num_add(lost, v->dur), sample = v->name;
        }
    }
    struct str scope = t->plane[p].name;
    if (!n[0] && !n[1]) return;
    if (runs)
        check_equal(
            c, "run_has_call", scope, (int64_t)n[1], (int64_t)matched[1],
            check_share((double)lost, (double)time),
            "runs of modules and the host calls with their run id; share: op time in runs without one");
    else if (!t->has_launches)
        check_cannot(c, "event_has_launch", scope, "no host event has a correlation id");
    else
        check_equal(c, "event_has_launch", scope, (int64_t)n[0], (int64_t)matched[0],
                    check_share((double)lost, (double)time),
                    "device events joined to exactly one host call%s%.*s",
                    sample == EV_NONE ? "" : "; one without: ",
                    CUT(sample == EV_NONE ? STR("") : event_name(t, sample)));
}

void check_launches_have_events(struct checks *c, const struct events *t, const struct launches *l)
{
    uint64_t n = 0, missing = 0, late = 0;
    int64_t last = INT64_MIN;
    uint32_t sample = EV_NONE;
    for (uint32_t i = 0; i < t->nline; i++)
        if (t->line[i].work && t->line[i].last > last) last = t->line[i].last;
    for (size_t i = 0; i < l->n; i++) {
        const struct event *call = &t->event[l->launch[i].host];
        bool lost = launch_missing(t, &l->launch[i]);
        n += lost || (l->launch[i].first != EV_NONE && event_is(call, EV_LAUNCHES));
        missing += lost;
        late += lost && call->start > last;
        if (lost) sample = call->name;
    }
    if (!n) {
        check_cannot(c, "launch_has_events", STR("-"), "no launching call with an id");
        return;
    }
    check_equal(
        c, "launch_has_events", STR("-"), (int64_t)n, (int64_t)(n - missing),
        check_share((double)missing, (double)n), "launching calls with device events%s%.*s",
        sample == EV_NONE ? "" : "; one without: ", CUT(sample == EV_NONE ? STR("") : event_name(t, sample)));
    check_none(c, "launch_after_last_event", STR("-"), late, check_share((double)late, (double)n),
               "launches without events behind the last device event: the tracer's buffer was full, or the "
               "capture ended");
    check_none(c, "correlation_id_unique", STR("-"), l->duplicate,
               check_share((double)l->duplicate, (double)n),
               "launching calls that share their id with another of the process");
}

/* Launches of one graph put the same number of events on the device. */
void check_graph_nodes(struct checks *c, const struct events *t, const struct launches *l)
{
    struct map key = {0};
    struct dist *size = NULL;
    size_t cap = 0;
    uint64_t n = 0, differ = 0;
    struct buf b = {0};
    uint32_t *of = mem_alloc(l->n, sizeof *of);
    for (size_t i = 0; i < l->n; i++) {
        const struct event *call = &t->event[l->launch[i].host];
        of[i] = EV_NONE;
        if (call->class != EV_GRAPH_LAUNCH || l->launch[i].first == EV_NONE) continue;
        uint32_t id[4] = {l->launch[i].plane, call->program, call->op, call->graph};
        bool fresh;
        of[i] = map_put(&key, str_n((const char *)id, sizeof id), &fresh);
        if (fresh) {
            size = mem_grow(size, &cap, of[i] + 1u, sizeof *size);
            size[of[i]] = (struct dist){0};
        }
        dist_add(&size[of[i]], l->launch[i].count);
        n++;
    }
    for (size_t i = 0; i < l->n; i++)
        if (of[i] != EV_NONE && dist_median(&size[of[i]]) != l->launch[i].count) {
            const struct event *call = &t->event[l->launch[i].host];
            if (!differ++)
                buf_fmt(&b, "; one: %.*s %.*s had %u, usually %" PRId64, CUT(event_name(t, call->name)),
                        CUT(event_name(t, call->op)), l->launch[i].count, dist_median(&size[of[i]]));
        }
    if (n)
        check_equal(c, "graph_nodes_constant", STR("-"), (int64_t)n, (int64_t)(n - differ),
                    check_share((double)differ, (double)n),
                    "launches of a graph with its usual number of device events%s", buf_cstr(&b));
    for (uint32_t i = 0; i < key.count; i++) dist_free(&size[i]);
    free(size);
    free(of);
    buf_free(&b);
    map_free(&key);
}

void check_clocks(struct checks *c, const struct events *t, const struct launches *l)
{
    uint64_t n = 0, negative = 0;
    int64_t worst = 0;
    for (size_t i = 0; i < l->n; i++) {
        if (l->launch[i].first == EV_NONE) continue;
        int64_t d = launch_to_start(t, &l->launch[i]);
        n++;
        negative += d < 0;
        if (d < worst) worst = d;
    }
    if (!n)
        check_cannot(c, "clocks_agree", STR("-"), "no launch is joined to a device event");
    else
        check_none(c, "clocks_agree", STR("-"), negative, check_share((double)negative, (double)n),
                   "device events that start before the call that launches them; farthest %" PRId64 " ps",
                   worst);
}

/* ---- steps ---- */

void check_kernels_per_step(struct checks *c, const struct events *t, const struct steps *s)
{
    for (size_t i = 0, k; i < s->n; i = k) {
        struct dist d = {0};
        uint64_t differ = 0;
        for (k = i; k < s->n && s->step[k].plane == s->step[i].plane; k++)
            if (!s->step[k].cut) dist_add(&d, (int64_t)s->step[k].events);
        int64_t usual = dist_median(&d);
        for (size_t j = i; j < k; j++)
            if (!s->step[j].cut && (int64_t)s->step[j].events != usual) differ++;
        if (d.n > 1)
            check_equal(c, "kernels_per_step_constant", t->plane[s->step[i].plane].name, (int64_t)d.n,
                        (int64_t)(d.n - differ), check_share((double)differ, (double)d.n),
                        "whole steps (%s) with the usual %" PRId64 " device events",
                        step_source_word(s->source), usual);
        dist_free(&d);
    }
    if (!s->n) check_cannot(c, "kernels_per_step_constant", STR("-"), "no steps are known");
}

/* ---- devices ---- */

struct work { /* device events of one kind: program and name, on how many devices and how often */
    uint32_t program, name, plane; /* plane: the one counted last */
    uint64_t here, all, least, most, devices;
};
struct works {
    struct work *w;
    size_t n, cap;
    struct map64 index;
};

static void close_plane(struct work *w)
{
    if (!w->devices || w->here < w->least) w->least = w->here;
    if (w->here > w->most) w->most = w->here;
    w->all += w->here;
    w->devices++;
    w->here = 0;
}

static void add_work(struct works *x, uint32_t plane, const struct event *v)
{
    uint64_t *at = map64_at(&x->index, (uint64_t)v->program << 32 | v->name, x->n);
    if (*at == x->n) {
        x->w = mem_grow(x->w, &x->cap, x->n + 1, sizeof *x->w);
        x->w[x->n++] = (struct work){.program = v->program, .name = v->name, .plane = plane};
    }
    struct work *w = &x->w[*at];
    if (w->plane != plane) close_plane(w);
    w->plane = plane;
    w->here++;
}

static bool program_after(const void *a, const void *b)
{
    return ((const struct work *)a)->program > ((const struct work *)b)->program;
}

/* One row for a program: its kinds [w, w + n), of which a device that runs it may lack some. */
static void say_same_work(struct checks *c, const struct events *t, const struct work *w, size_t n)
{
    uint64_t devices = 0, differ = 0, events = 0, off = 0;
    struct buf b = {0};
    for (size_t i = 0; i < n; i++)
        if (w[i].devices > devices) devices = w[i].devices;
    for (size_t i = 0; i < n; i++) {
        uint64_t least = w[i].devices < devices ? 0 : w[i].least;
        events += w[i].all;
        if (least == w[i].most) continue;
        off += w[i].most * devices - w[i].all;
        if (differ++ < 3)
            buf_fmt(&b, "; %.*s %" PRIu64 " to %" PRIu64 " times", CUT(event_name(t, w[i].name)), least,
                    w[i].most);
    }
    if (devices > 1)
        check_equal(c, "devices_do_the_same", t->program[w->program].module, (int64_t)n,
                    (int64_t)(n - differ), check_share((double)off, (double)(events + off)),
                    "kernels of program %.*s that its %" PRIu64 " devices run equally often%s",
                    CUT(t->program[w->program].id), devices, buf_cstr(&b));
    buf_free(&b);
}

/* Of every program each device that runs it runs the same kernels equally often. */
void check_same_work(struct checks *c, const struct events *t)
{
    struct works x = {0};
    for (uint32_t p = 0; p < t->nplane; p++)
        for (uint32_t k = 0; k < t->plane[p].nline; k++) {
            const struct event_line *l = events_line(t, p, k);
            for (size_t i = l->from; l->work && i < l->from + l->n; i++)
                if (event_is(&t->event[i], EV_DEVICE) && t->event[i].program != EV_NONE)
                    add_work(&x, p, &t->event[i]);
        }
    for (size_t i = 0; i < x.n; i++) close_plane(&x.w[i]);
    runs_sort(x.w, x.n, sizeof *x.w, program_after);
    for (size_t i = 0, k; i < x.n; i = k) {
        for (k = i; k < x.n && x.w[k].program == x.w[i].program; k++) continue;
        say_same_work(c, t, x.w + i, k - i);
    }
    map64_free(&x.index);
    free(x.w);
}
