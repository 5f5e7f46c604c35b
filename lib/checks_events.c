/* Times against each other: budgets, ops, the rows themselves; and what the capture says of itself. */
#include "budget.h"
#include "checks_in.h"
#include "num.h"
#include "runs.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* "plane/line", in the arena of the checks. */
static struct str scope_of(struct checks *c, const struct events *t, const struct event_line *l)
{
    struct buf b = {0};
    buf_str(&b, t->plane[l->plane].name);
    buf_c(&b, '/');
    buf_str(&b, l->name);
    struct str s = str_n(arena_copy(&c->arena, b.p, b.n), b.n);
    buf_free(&b);
    return s;
}

/* Idle time by walking the gaps of the events themselves: independent of the interval sets behind the budget.
 */
struct bounds {
    int64_t start, end;
};
static bool bounds_after(const void *x, const void *y)
{
    return ((const struct bounds *)x)->start > ((const struct bounds *)y)->start;
}
static int64_t walk_gaps(struct bounds *v, size_t n)
{
    int64_t idle = 0, end = n ? v[0].start : 0;
    for (size_t i = 0; i < n; i++) {
        if (v[i].start > end) idle += v[i].start - end;
        if (v[i].end > end) end = v[i].end;
    }
    return idle;
}

static size_t take_bounds(const struct events *t, const struct event_line *l, struct bounds **v, size_t *cap,
                          size_t n)
{
    for (size_t i = l->from; l->work && i < l->from + l->n; i++) {
        if (!event_is(&t->event[i], EV_DEVICE)) continue;
        *v = mem_grow(*v, cap, n + 1, sizeof **v);
        (*v)[n++] = (struct bounds){t->event[i].start, event_end(&t->event[i])};
    }
    return n;
}

static void say_budget(struct checks *c, struct str scope, const struct budget *b, int64_t idle)
{
    int64_t sum = b->part_ps[0] + b->part_ps[1] + b->part_ps[2] + idle;
    check_equal(c, "budget_sums_to_span", scope, b->span_ps, sum,
                check_share((double)llabs(sum - b->span_ps), (double)b->span_ps),
                "compute + collective + copy + gaps between events, ps");
}

static void budgets(struct checks *c, const struct events *t, uint32_t p)
{
    struct bounds *v = NULL;
    size_t cap = 0, n = 0;
    for (uint32_t k = 0; k < t->plane[p].nline; k++) {
        const struct event_line *l = events_line(t, p, k);
        if (!l->work) continue;
        struct owners o = budget_line(t, l);
        struct budget b = budget_of_line(&o, o.span);
        size_t before = n;
        n = take_bounds(t, l, &v, &cap, n);
        struct str scope = scope_of(c, t, l);
        if (n > before) say_budget(c, scope, &b, walk_gaps(v + before, n - before));
        check_none(c, l->nested ? "ops_nest" : "stream_without_overlap", scope, (uint64_t)o.overlap_ps,
                   check_share((double)o.overlap_ps, (double)(b.span_ps - b.idle_ps)),
                   l->nested
                       ? "ps that ops reach beyond the op they began in"
                       : "ps of events while an earlier one of the stream ran; the earlier one has them");
        budget_owners_free(&o);
    }
    runs_sort(v, n, sizeof *v, bounds_after);
    struct device_time d = budget_device(t, p);
    struct budget b = budget_of_device(&d, d.span);
    if (n) say_budget(c, t->plane[p].name, &b, walk_gaps(v, n));
    budget_device_free(&d);
    free(v);
}

/* ---- op time ---- */

/* Device time of programs has an instruction; on a TPU ops lie inside runs of modules. */
static void op_time(struct checks *c, const struct events *t, uint32_t p)
{
    struct ivls runs = {0};
    int64_t all = 0, named = 0, outside = 0, module_ps = 0;
    uint64_t ops = 0, out = 0;
    for (uint32_t k = 0; k < t->plane[p].nline; k++) {
        const struct event_line *l = events_line(t, p, k);
        for (size_t i = l->from; i < l->from + l->n; i++)
            if (t->event[i].class == EV_MODULE) ivls_add(&runs, t->event[i].start, event_end(&t->event[i]));
    }
    ivls_settle(&runs);
    module_ps = ivls_len(&runs);
    for (uint32_t k = 0; k < t->plane[p].nline; k++) {
        const struct event_line *l = events_line(t, p, k);
        for (size_t i = l->from; l->work && i < l->from + l->n; i++) {
            const struct event *v = &t->event[i];
            if (!event_is(v, EV_DEVICE)) continue;
            struct ivl w = {v->start, event_end(v)};
            int64_t inside = ivls_len_in(&runs, w);
            ops++;
            if (runs.n && inside < v->dur) out++, outside = num_add(outside, v->dur - inside);
            if (v->program == EV_NONE) continue;
            all = num_add(all, v->dur);
            struct str op = event_name(t, v->op);
            if (v->op != EV_NONE && (t->attributed || !str_starts(op, "command_buffer")))
                named = num_add(named, v->dur);
        }
    }
    if (!ops) {
        ivls_free(&runs);
        return;
    }
    double lost = check_share((double)(all - named), (double)all);
    if (!all)
        check_cannot(c, "op_time_is_device_time", t->plane[p].name, "no device event names a program");
    else if (named < all && (!t->attributed || !named)) {
        check_cannot(c, "op_time_is_device_time", t->plane[p].name,
                     t->attributed ? "attrib found an instruction for %" PRId64 " of %" PRId64
                                     " ps: it had no HLO of what ran"
                                   : "the tracer names an instruction for %" PRId64 " of %" PRId64
                                     " ps (labels command_buffer_N are none); attrib --hlo finds the rest",
                     named, all);
        c->row[c->n - 1].share = lost;
    } else
        check_equal(c, "op_time_is_device_time", t->plane[p].name, all, named, lost,
                    "ps of device events of programs, and of those with an instruction");
    if (runs.n)
        check_none(c, "ops_inside_runs", t->plane[p].name, out,
                   check_share((double)outside, (double)module_ps),
                   "ops that reach outside the runs of modules");
    ivls_free(&runs);
}

/* ---- rows ---- */

static void rows(struct checks *c, const struct events *t, const struct capture_facts *f)
{
    uint64_t negative = 0, unsorted = 0, before = 0, behind = 0, rows = 0;
    int64_t host_last = INT64_MIN, device_last = INT64_MIN;
    for (uint32_t i = 0; i < t->nline; i++) {
        const struct event_line *l = &t->line[i];
        negative += l->negative;
        unsorted += l->unsorted;
        before += l->before_origin;
        rows += l->rows;
        int64_t *last = t->plane[l->plane].is_host ? &host_last : l->work ? &device_last : NULL;
        if (last && l->last > *last) *last = l->last;
        for (size_t k = l->from; f->window_ps >= 0 && k < l->from + l->n; k++)
            behind += event_is(&t->event[k], EV_DEVICE) && event_end(&t->event[k]) > f->window_ps;
    }
    double all = (double)rows;
    check_none(c, "no_end_before_start", STR("-"), negative, check_share((double)negative, all),
               "durations under 0");
    check_none(c, "rows_in_order", STR("-"), unsorted, check_share((double)unsorted, all),
               "rows that start before the row above on their line; they were sorted");
    check_none(c, "starts_in_window", STR("-"), before, check_share((double)before, all),
               "events that start before the capture does");
    if (f->window_ps >= 0)
        check_none(c, "ends_in_window", STR("-"), behind, check_share((double)behind, all),
                   "device events that end behind the capture's end, %" PRId64 " ps", f->window_ps);
    else
        check_cannot(c, "ends_in_window", STR("-"), "the capture's end is in its meta table: --meta");
    check_none(c, "no_event_cap", STR("-"), rows == 1000000 || rows == 5000000 ? rows : 0, NAN,
               "a table of exactly 1000000 or 5000000 events is cut by the writer's cap");
    if (t->aggregated)
        check_rule(c, "rows_without_start", t->aggregated,
                   "aggregated events: they have no place in time and are in no figure");
    if (device_last > INT64_MIN && host_last > device_last)
        check_rule(c, "device_ends_before_host_ps", (uint64_t)(host_last - device_last),
                   "ps between the last device event's end and the last host event's");
}

static void messages(struct checks *c, const struct capture_facts *f)
{
    if (!f->given) {
        check_cannot(c, "capture_without_messages", STR("-"),
                     "errors, warnings and planes are in the capture: --meta CAPTURE");
        return;
    }
    check_none(c, "capture_without_messages", STR("-"), f->errors + f->warnings, NAN,
               "%" PRIu64 " errors, %" PRIu64 " warnings%s%s", f->errors, f->warnings,
               f->first[0] ? "; first: " : "", f->first);
    check_none(c, "no_dropped_events_message", STR("-"), f->dropped, NAN,
               "messages that events were dropped");
    if (f->planes_known)
        check_none(c, "no_empty_device_planes", STR("-"), f->empty_planes, NAN,
                   "device planes without events%s%s", f->empty[0] ? ": " : "", f->empty);
}

void checks_of_events(struct checks *c, const struct events *t, const struct launches *l,
                      const struct steps *s, const struct capture_facts *f)
{
    bool device = false;
    for (uint32_t p = 0; p < t->nplane; p++) {
        if (!t->plane[p].is_device) continue;
        device = true;
        check_launched(c, t, l, p);
        budgets(c, t, p);
        op_time(c, t, p);
    }
    if (device) {
        check_launches_have_events(c, t, l);
        check_graph_nodes(c, t, l);
        check_clocks(c, t, l);
        check_kernels_per_step(c, t, s);
        check_same_work(c, t);
    } else
        check_cannot(c, "event_has_launch", STR("-"), "no device plane");
    rows(c, t, f);
    messages(c, f);
}
