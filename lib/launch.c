#include "launch.h"
#include <stdlib.h>

/* Calls by id, one table per process; calls with the same id are chained, latest first. */
struct index {
    struct map64 *ids; /* by process */
    uint32_t *next;    /* by launch */
};

static bool is_call(const struct events *t, const struct event *v)
{
    return t->plane[t->line[v->line].plane].is_host && event_is(v, EV_CALLS) &&
           (v->flags & (EV_HAS_CORR | EV_HAS_RUN));
}

/* Run ids and correlation ids are different numbers: keep them apart by the top bit. */
static uint64_t key_of(const struct event *v) { return (v->corr << 1) | !!(v->flags & EV_HAS_RUN); }

static struct index index_calls(const struct events *t, struct launches *l)
{
    struct index x = {mem_alloc(t->processes.count, sizeof *x.ids), NULL};
    size_t cap = 0, next_cap = 0;
    for (size_t i = 0; i < t->n; i++) {
        const struct event *v = &t->event[i];
        if (!is_call(t, v)) continue;
        uint32_t process = t->plane[t->line[v->line].plane].process;
        l->launch = mem_grow(l->launch, &cap, l->n + 1, sizeof *l->launch);
        x.next = mem_grow(x.next, &next_cap, l->n + 1, sizeof *x.next);
        l->launch[l->n] = (struct launch){.host = (uint32_t)i,
                                          .first = EV_NONE,
                                          .plane = EV_NONE,
                                          .program = v->program,
                                          .graph = v->class == EV_GRAPH_LAUNCH};
        uint64_t *at = map64_at(&x.ids[process], key_of(v), EV_NONE);
        l->duplicate += *at != EV_NONE && event_is(v, EV_LAUNCHES) &&
                        event_is(&t->event[l->launch[*at].host], EV_LAUNCHES);
        x.next[l->n] = (uint32_t)*at;
        *at = l->n++;
    }
    return x;
}

/* Among calls with one id: a launch rather than another call, one that began before the event, and of those
 * the latest.  Run ids repeat across devices: there a call that has no module yet goes first. */
static uint32_t best_call(const struct events *t, const struct launches *l, const struct index *x,
                          uint32_t at, const struct event *v)
{
    uint32_t best = EV_NONE;
    int best_rank = -1;
    int64_t best_start = 0;
    for (int steps = 0; at != EV_NONE && steps < 64; at = x->next[at], steps++) {
        const struct event *h = &t->event[l->launch[at].host];
        int rank = 2 * event_is(h, EV_LAUNCHES) + (h->start <= v->start);
        if (rank < best_rank || (rank == best_rank && h->start <= best_start)) continue;
        best = at;
        best_rank = rank;
        best_start = h->start;
    }
    return best;
}

static void add_event(const struct events *t, struct launch *l, uint32_t i)
{
    const struct event *v = &t->event[i];
    bool fresh = l->first == EV_NONE;
    if (fresh || v->start < l->start) {
        l->start = v->start;
        l->first = i;
        l->plane = t->line[v->line].plane;
    }
    if (fresh || event_end(v) > l->end) l->end = event_end(v);
    if (l->program == EV_NONE) l->program = v->program;
    l->count += v->class != EV_MODULE;
}

static void group_by_plane(const struct events *t, struct launches *l)
{
    uint32_t *at = mem_alloc(t->nplane + 1u, sizeof *at);
    l->from = mem_alloc(t->nplane + 1u, sizeof *l->from);
    l->order = mem_alloc(l->n, sizeof *l->order);
    for (size_t i = 0; i < l->n; i++)
        if (l->launch[i].plane != EV_NONE) l->from[l->launch[i].plane + 1]++;
    for (uint32_t p = 0; p < t->nplane; p++) at[p + 1] = l->from[p + 1] += l->from[p];
    for (size_t i = 0; i < l->n; i++)
        if (l->launch[i].plane != EV_NONE) l->order[at[l->launch[i].plane]++] = (uint32_t)i;
    free(at);
}

/* Run ids count per device, so that several calls may carry one: the device's ordinal tells them apart, and
 * of its calls the first is the one (its completion follows under the same id).  Without ordinals one call is
 * an answer, two are none. */
static uint32_t run_call(const struct events *t, struct launches *l, const struct index *x, uint32_t at,
                         const struct event *run)
{
    uint32_t ordinal = t->plane[t->line[run->line].plane].ordinal, found = EV_NONE, n = 0;
    for (int steps = 0; at != EV_NONE && steps < 4096; at = x->next[at], steps++) {
        const struct event *h = &t->event[l->launch[at].host];
        if (h->start >= event_end(run) || (h->ordinal != EV_NO_ORDINAL && h->ordinal != ordinal)) continue;
        n += found == EV_NONE || h->ordinal == EV_NO_ORDINAL;
        if (found == EV_NONE || h->start < t->event[l->launch[found].host].start) found = at;
    }
    l->ambiguous += n > 1;
    return n == 1 ? found : EV_NONE;
}

/* A matched run of a module launched the ops inside it. */
static void give_ops(const struct events *t, struct launches *l, uint32_t plane)
{
    for (uint32_t m = 0; m < t->plane[plane].nline; m++) {
        const struct event_line *runs = events_line(t, plane, m);
        for (uint32_t k = 0; runs->count[EV_MODULE] && k < t->plane[plane].nline; k++) {
            const struct event_line *ops = events_line(t, plane, k);
            size_t at = runs->from, end = runs->from + runs->n;
            for (size_t i = ops->from; ops->work && ops->nested && i < ops->from + ops->n; i++) {
                const struct event *v = &t->event[i];
                while (at < end && (t->event[at].class != EV_MODULE || event_end(&t->event[at]) <= v->start))
                    at++;
                if (at == end) break;
                if (l->of[i] != EV_NONE || l->of[at] == EV_NONE || t->event[at].start > v->start) continue;
                l->of[i] = l->of[at];
                l->launch[l->of[at]].count++;
            }
        }
    }
}

struct launches launch_join(const struct events *t)
{
    struct launches l = {.of = mem_realloc(NULL, t->n, sizeof *l.of)};
    struct index x = index_calls(t, &l);
    for (size_t i = 0; i < t->n; i++) {
        const struct event *v = &t->event[i];
        const struct event_plane *p = &t->plane[t->line[v->line].plane];
        bool module = v->class == EV_MODULE && (v->flags & EV_HAS_RUN);
        uint64_t at;
        l.of[i] = EV_NONE;
        bool work = event_is(v, EV_DEVICE) && (v->flags & EV_HAS_CORR);
        if (!p->is_device || p->is_host || !(work || module)) continue;
        if (!map64_get(&x.ids[p->process], key_of(v), &at)) continue;
        l.of[i] = module ? run_call(t, &l, &x, (uint32_t)at, v) : best_call(t, &l, &x, (uint32_t)at, v);
        if (l.of[i] == EV_NONE) continue;
        add_event(t, &l.launch[l.of[i]], (uint32_t)i);
        if (module) l.launch[l.of[i]].graph = true;
    }
    for (uint32_t p = 0; p < t->processes.count; p++) map64_free(&x.ids[p]);
    free(x.ids);
    free(x.next);
    for (uint32_t p = 0; p < t->nplane; p++)
        if (t->plane[p].is_device) give_ops(t, &l, p);
    group_by_plane(t, &l);
    return l;
}

bool launch_missing(const struct events *t, const struct launch *l)
{
    const struct event *call = &t->event[l->host];
    return l->first == EV_NONE && event_is(call, EV_LAUNCHES) &&
           !str_has(event_name(t, call->name), "LaunchHostFunc");
}

void launch_give_programs(struct events *t, const struct launches *l)
{
    for (size_t i = 0; i < t->n; i++)
        if (t->event[i].program == EV_NONE && l->of[i] != EV_NONE)
            t->event[i].program = l->launch[l->of[i]].program;
}

void launch_free(struct launches *l)
{
    free(l->launch);
    free(l->of);
    free(l->order);
    free(l->from);
    *l = (struct launches){0};
}
