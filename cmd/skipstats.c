/* An event table in; where device time goes, why devices wait, what launches cost, steps, chains, verdicts
 * out. In memory: 48 bytes for each event of the classes that the asked tables need (budget: device work
 * only), names once, 16 bytes for each stretch of busy time. */
#include "budget.h"
#include "idle.h"
#include "skip.h"
#include "steps.h"
#include "tool.h"
#include "verdict.h"
#include "num.h"
#include <stdlib.h>

enum { WINDOW = OPT_LONG, BY, LEAST, LOG };
static const struct opt options[] = {
    {WINDOW, "window", "W", "budget and idle over first-last (of each row's own events), capture or step"},
    {BY, "by", "step", "budget: a row per step"},
    {LEAST, "least", "SHARE", "chain: the least chain_score (default 1)"},
    {LOG, "log", "FILE", "verdict: what the job wrote to standard error"},
    {0}};

static const struct column budget_columns[] = {
    {"plane", "text", "-", "device"},
    {"line", "text", "-", "stream or op line; -: the device as a whole"},
    {"line_id", "int", "-", "id of the line"},
    {"step", "int", "-", "with --by step: its number"},
    {"start_ps", "int", "ps", "start of the window"},
    {"span_ps", "int", "ps", "length of the window"},
    {"compute_ps", "int", "ps", "owned by kernels and ops"},
    {"collective_ps", "int", "ps", "owned by collectives: on a device the exposed part"},
    {"memcpy_ps", "int", "ps", "owned by copies and fills: on a device the exposed part"},
    {"idle_ps", "int", "ps", "owned by nobody; the four sum to span_ps"},
    {"compute_share", "float", "fraction", "of span_ps"},
    {"collective_share", "float", "fraction", "of span_ps"},
    {"memcpy_share", "float", "fraction", "of span_ps"},
    {"idle_share", "float", "fraction", "of span_ps"},
    {"collective_hidden_ps", "int", "ps", "devices: collectives under compute"},
    {"memcpy_hidden_ps", "int", "ps", "devices: copies under compute or collectives"},
    {"overlap_ps", "int", "ps", "streams: time of events while an earlier one of the stream ran"},
    {"events", "int", "-", "device events, of the whole capture"},
    {"capture_ps", "int", "ps", "the capture's window"},
    {"capture_idle_share", "float", "fraction", "share of that window in which nothing ran here"},
    {0}};
static const struct column idle_columns[] = {
    {"plane", "text", "-", "device"},
    {"cause", "enum", "-", "host, queue, graph, copy, edge"},
    {"thread", "text", "-", "host line"},
    {"host_event", "text", "-", "what it was in, innermost; -: nothing recorded"},
    {"host_kind", "enum", "-", "python, pjit, api, wait, step, xla, annotation"},
    {"idle_ps", "int", "ps", "sums to the device's idle_ps in budget"},
    {"count", "int", "-", "stretches"},
    {"share", "float", "fraction", "of the device's idle time"},
    {0}};
static const struct column launch_columns[] = {
    {"plane", "text", "-", "device; - if nothing was launched"},
    {"line", "text", "-", "stream"},
    {"name", "text", "-", "device event"},
    {"correlation_id", "int", "-", "joins both (TPU: the run id)"},
    {"thread", "text", "-", "host line of the call"},
    {"api", "text", "-", "the call"},
    {"api_start_ps", "int", "ps", "once per launch: on its first device event"},
    {"api_dur_ps", "int", "ps", "once per launch"},
    {"start_ps", "int", "ps", "device event"},
    {"dur_ps", "int", "ps", "device event"},
    {"launch_to_start_ps", "int", "ps", "start minus start of the call, once per launch; may be negative"},
    {"end_to_start_ps", "int", "ps", "start minus end of the call, once per launch; may be negative"},
    {"graph", "bool", "-", "1: launched by a graph (TPU: a module's run)"},
    {"matched", "enum", "-",
     "yes; no_launch: device event without a call; no_device: call without device events"},
    {0}};
static const struct column skip_columns[] = {
    {"plane", "text", "-", "device"},
    {"module", "text", "-", "program; - for device work of none"},
    {"program_id", "int", "-", "its id"},
    {"launches", "int", "-", "host calls that launched something"},
    {"graph_launches", "int", "-", "of them graphs (TPU: runs)"},
    {"kernels", "int", "-", "device events"},
    {"kernels_per_launch", "float", "-", "matched device events per launch"},
    {"tklqt_skip_ps", "int", "ps", "SKIP's TKLQT: start minus start of the call, summed over kernels"},
    {"tklqt_ps", "int", "ps", "the same once per launch: its first kernel"},
    {"launch_floor_ps", "int", "ps", "5th percentile of that where the stream was idle at the call"},
    {"floor_launches", "int", "-", "launches that met an idle stream"},
    {"queue_share", "float", "fraction",
     "1 - launches x floor / tklqt: small is host-bound, large device-bound"},
    {"akd_ps", "int", "ps", "average kernel duration"},
    {"il_ps", "int", "ps", "first call to last end"},
    {"gpu_idle_sum_ps", "int", "ps", "il minus the sum of durations (SKIP's form; negative with streams)"},
    {"gpu_idle_ps", "int", "ps", "il minus their union"},
    {"cpu_idle_ps", "int", "ps", "of il, where the launching thread has no event"},
    {"api_mean_ps", "int", "ps", "duration of the call"},
    {"api_p50_ps", "int", "ps", "median"},
    {"api_p95_ps", "int", "ps", "95th percentile"},
    {"api_max_ps", "int", "ps", "longest"},
    {"launch_to_start_mean_ps", "int", "ps", "call start to first kernel"},
    {"launch_to_start_p50_ps", "int", "ps", "median"},
    {"launch_to_start_p95_ps", "int", "ps", "95th percentile"},
    {"launch_to_start_max_ps", "int", "ps", "longest"},
    {"end_to_start_mean_ps", "int", "ps", "call end to first kernel"},
    {"end_to_start_p50_ps", "int", "ps", "median"},
    {"end_to_start_p95_ps", "int", "ps", "95th percentile"},
    {"end_to_start_max_ps", "int", "ps", "longest"},
    {"negative_launch_to_start", "int", "-", "launches whose kernel starts before the call: clocks differ"},
    {"negative_end_to_start", "int", "-", "launches whose kernel starts before the call ends"},
    {"unmatched_launches", "int", "-", "calls without device events"},
    {"unmatched_kernels", "int", "-", "device events without a call"},
    {0}};
static const struct column step_columns[] = {
    {"source", "enum", "-", "annotation, steps_line, module (a TPU program's runs), repeats (of a program)"},
    {"plane", "text", "-", "device"},
    {"step", "int", "-", "number; the same number is the same step on every device"},
    {"label", "text", "-", "step_num of the annotation, or the marker's name"},
    {"start_ps", "int", "ps", "of the annotation or marker"},
    {"dur_ps", "int", "ps", "of the annotation; else to the next step on the device"},
    {"device_start_ps", "int", "ps", "first device event"},
    {"device_end_ps", "int", "ps", "last end"},
    {"device_ps", "int", "ps", "from the first device event to the next step's"},
    {"busy_ps", "int", "ps", "of device_ps"},
    {"kernels", "int", "-", "device events"},
    {"cut", "enum", "-", "yes: first or last, and with fewer events than usual"},
    {"median_ps", "int", "ps", "of dur_ps over this device's steps that are not cut"},
    {"off_median", "float", "fraction", "dur_ps / median_ps - 1"},
    {"ended_last", "enum", "-", "yes: this device ended the step last"},
    {"late_ps", "int", "ps", "behind the device that ended first"},
    {"straggler", "enum", "-", "yes: ended last, by over 5 % of the step"},
    {0}};
static const struct column verdict_columns[] = {
    {"claim", "text", "-", "what is claimed"},
    {"scope", "text", "-", "plane or -"},
    {"value", "text", "-", "yes, no, unknown, cannot, or a number or word"},
    {"evidence", "text", "-", "what in the capture or the log says so"},
    {"how_to_know", "text", "-", "what would settle it, where the capture cannot"},
    {0}};
static const struct column chain_columns[] = {
    {"plane", "text", "-", "device"},
    {"module", "text", "-", "program"},
    {"program_id", "int", "-", "its id"},
    {"chain", "text", "-", "kernels in order, joined by \" > \""},
    {"length", "int", "-", "kernels in it"},
    {"count", "int", "-", "times seen; no kernel is in two chains"},
    {"first_count", "int", "-", "times its first kernel was seen"},
    {"chain_score", "float", "fraction", "count / first_count; 1: always followed (our definition)"},
    {"removed_launches", "int", "-", "if each were one kernel"},
    {"gain", "float", "-", "launches now / launches then: the bound when launch-bound"},
    {"time_ps", "int", "ps", "in these kernels"},
    {0}};
static const struct table tables[] = {
    {"budget", "a stream or a device: compute, collectives, copies, idle", budget_columns, false},
    {"idle", "a cause of idle time on a device", idle_columns, false},
    {"launch", "a device event or a call that launched nothing", launch_columns, false},
    {"skip", "a program on a device: SKIP's metrics", skip_columns, false},
    {"step", "a step on a device", step_columns, false},
    {"verdict", "a claim about the run", verdict_columns, false},
    {"chain", "a recurring sequence of kernels", chain_columns, false},
    {0}};
static const struct tool tool = {
    "skipstats",
    "[FILE ...]",
    "Event table in; time budgets that sum exactly, causes of idle time, launch metrics, steps,\n"
    "verdicts and kernel chains out.",
    "xplane2tsv cap.xplane.pb | skipstats -t idle",
    options,
    tables};

enum window { FIRST_LAST, CAPTURE, STEP };
static enum window window;
static bool by_step;

struct work { /* all that the tables are made from; what is not needed stays empty */
    struct events t;
    struct launches l;
    struct steps s;
    struct threads h;
    struct ivl capture;
};

static void put_share(struct tab *o, int64_t part, int64_t whole)
{
    if (whole > 0)
        tab_f64(o, (double)part / (double)whole);
    else
        tab_none(o);
}

static void put_program(struct tab *o, const struct events *t, uint32_t p)
{
    tab_cell(o, p == EV_NONE ? STR("-") : t->program[p].module);
    tab_cell(o, p == EV_NONE ? STR("-") : t->program[p].id);
}

/* The window of a device: none is an empty one. */
static struct ivl window_of(const struct work *w, uint32_t plane, struct ivl own)
{
    struct ivl steps = {INT64_MAX, INT64_MIN};
    if (window == FIRST_LAST) return own;
    if (window == CAPTURE) return w->capture;
    for (size_t i = 0; i < w->s.n; i++) {
        if (w->s.step[i].plane != plane || w->s.step[i].cut) continue;
        if (w->s.step[i].start < steps.a) steps.a = w->s.step[i].start;
        if (w->s.step[i].until > steps.b) steps.b = w->s.step[i].until;
    }
    return steps.a < steps.b ? steps : (struct ivl){0, 0};
}

struct row {                       /* a budget row in the making */
    const struct event_line *line; /* NULL: the device */
    const struct owners *o;
    const struct device_time *d;
    uint32_t plane;
};

static void put_budget(struct tab *o, const struct work *w, const struct row *r, struct ivl win,
                       const struct step *s)
{
    struct budget b = r->line ? budget_of_line(r->o, win) : budget_of_device(r->d, win);
    struct budget all = r->line ? budget_of_line(r->o, w->capture) : budget_of_device(r->d, w->capture);
    tab_cell(o, w->t.plane[r->plane].name);
    tab_cell(o, r->line ? r->line->name : STR("-"));
    tab_cell(o, r->line ? r->line->id : STR("-"));
    s ? tab_u64(o, s->number) : tab_none(o);
    tab_i64(o, win.a);
    tab_i64(o, b.span_ps);
    for (int k = 0; k < BUDGET_PARTS; k++) tab_i64(o, b.part_ps[k]);
    tab_i64(o, b.idle_ps);
    for (int k = 0; k < BUDGET_PARTS; k++) put_share(o, b.part_ps[k], b.span_ps);
    put_share(o, b.idle_ps, b.span_ps);
    for (int k = BUDGET_COLLECTIVE; k < BUDGET_PARTS; k++) r->line ? tab_none(o) : tab_i64(o, b.hidden_ps[k]);
    r->line ? tab_i64(o, r->o->overlap_ps) : tab_none(o);
    tab_u64(o, r->line ? r->o->events : r->d->events);
    tab_i64(o, all.span_ps);
    put_share(o, all.idle_ps, all.span_ps);
    tab_end(o);
}

static void put_budgets(struct tab *o, const struct work *w, const struct row *r, struct ivl own)
{
    if (!by_step) {
        put_budget(o, w, r, window_of(w, r->plane, own), NULL);
        return;
    }
    for (size_t i = 0; i < w->s.n; i++)
        if (w->s.step[i].plane == r->plane)
            put_budget(o, w, r, (struct ivl){w->s.step[i].start, w->s.step[i].until}, &w->s.step[i]);
}

static void table_budget(struct tab *o, struct work *w)
{
    for (uint32_t p = 0; p < w->t.nplane; p++) {
        struct device_time d = budget_device(&w->t, p);
        if (d.events) put_budgets(o, w, &(struct row){NULL, NULL, &d, p}, d.span);
        budget_device_free(&d);
        for (uint32_t k = 0; k < w->t.plane[p].nline; k++) {
            const struct event_line *l = events_line(&w->t, p, k);
            if (!l->work) continue;
            struct owners own = budget_line(&w->t, l);
            put_budgets(o, w, &(struct row){l, &own, NULL, p}, own.span);
            budget_owners_free(&own);
        }
    }
}

static void table_idle(struct tab *o, struct work *w)
{
    struct idles x = {0};
    int64_t *whole = mem_alloc(w->t.nplane, sizeof *whole);
    for (uint32_t p = 0; p < w->t.nplane; p++) {
        struct device_time d = budget_device(&w->t, p);
        struct ivl win = window_of(w, p, d.span);
        if (d.events) idle_of_device(&x, &w->t, &w->l, &w->h, p, win);
        if (d.events) whole[p] = budget_of_device(&d, win).idle_ps;
        budget_device_free(&d);
    }
    idle_sort(&x);
    for (size_t i = 0; i < x.n; i++) {
        const struct idle *v = &x.row[i];
        tab_cell(o, w->t.plane[v->plane].name);
        tab_texts(o, idle_word(v->cause));
        tab_cell(o, v->line == EV_NONE ? STR("-") : w->t.line[v->line].name);
        tab_cell(o, event_name(&w->t, v->name));
        tab_texts(o, v->sample == EV_NONE ? NULL : thread_kind(&w->h, &w->t.event[v->sample]));
        tab_i64(o, v->idle_ps);
        tab_u64(o, v->count);
        put_share(o, v->idle_ps, whole[v->plane]);
        tab_end(o);
    }
    free(whole);
    idle_free(&x);
}

static void put_launch(struct tab *o, const struct work *w, const struct event *v, const struct launch *l,
                       bool times)
{
    const struct events *t = &w->t;
    const struct event *call = l ? &t->event[l->host] : NULL;
    tab_cell(o, v ? t->plane[t->line[v->line].plane].name : STR("-"));
    tab_cell(o, v ? t->line[v->line].name : STR("-"));
    tab_cell(o, v ? event_name(t, v->name) : STR("-"));
    const struct event *id = v ? v : call;
    id->flags &(EV_HAS_CORR | EV_HAS_RUN) ? tab_u64(o, id->corr) : tab_none(o);
    tab_cell(o, call ? t->line[call->line].name : STR("-"));
    tab_cell(o, call ? event_name(t, call->name) : STR("-"));
    times ? tab_i64(o, call->start) : tab_none(o);
    times ? tab_i64(o, call->dur) : tab_none(o);
    v ? tab_i64(o, v->start) : tab_none(o);
    v ? tab_i64(o, v->dur) : tab_none(o);
    times &&v ? tab_i64(o, launch_to_start(t, l)) : tab_none(o);
    times &&v ? tab_i64(o, launch_end_to_start(t, l)) : tab_none(o);
    tab_u64(o, l && l->graph);
    tab_texts(o, v && l ? "yes" : v ? "no_launch" : "no_device");
    tab_end(o);
}

static void table_launch(struct tab *o, struct work *w)
{
    const struct events *t = &w->t;
    for (uint32_t p = 0; p < t->nplane; p++)
        for (uint32_t k = 0; k < t->plane[p].nline; k++) {
            const struct event_line *l = events_line(t, p, k);
            unsigned want = l->nested ? EV_BIT(EV_MODULE) : EV_DEVICE; /* ops are not launched one by one */
            for (size_t i = l->from; t->plane[p].is_device && i < l->from + l->n; i++) {
                uint32_t at = w->l.of[i];
                if (event_is(&t->event[i], want))
                    put_launch(o, w, &t->event[i], at == EV_NONE ? NULL : &w->l.launch[at],
                               launch_is_first(&w->l, (uint32_t)i));
            }
        }
    for (size_t i = 0; i < w->l.n; i++)
        if (launch_missing(t, &w->l.launch[i])) put_launch(o, w, NULL, &w->l.launch[i], true);
}

static void put_dist(struct tab *o, struct dist *d)
{
    if (!d->n) {
        for (int i = 0; i < 4; i++) tab_none(o);
        return;
    }
    tab_i64(o, dist_mean(d));
    tab_i64(o, dist_median(d));
    tab_i64(o, dist_quantile(d, 0.95));
    tab_i64(o, dist_quantile(d, 1));
}

static void table_skip(struct tab *o, struct work *w)
{
    struct skips x = skip_metrics(&w->t, &w->l, &w->h);
    for (size_t i = 0; i < x.n; i++) {
        struct skip *s = &x.row[i];
        tab_cell(o, w->t.plane[s->plane].name);
        put_program(o, &w->t, s->program);
        tab_u64(o, s->launches);
        tab_u64(o, s->graph_launches);
        tab_u64(o, s->kernels);
        s->launches ? tab_f64(o, (double)(s->kernels - s->unmatched_kernels) / (double)s->launches)
                    : tab_none(o);
        s->launches ? tab_i64(o, s->tklqt_skip_ps) : tab_none(o);
        s->launches ? tab_i64(o, s->tklqt_ps) : tab_none(o);
        s->floor_n ? tab_i64(o, s->floor_ps) : tab_none(o);
        tab_u64(o, s->floor_n);
        tab_f64(o, s->queue_share);
        s->kernels ? tab_i64(o, s->kernel_ps / (int64_t)s->kernels) : tab_none(o);
        tab_i64(o, s->il_ps);
        tab_i64(o, s->idle_sum_ps);
        tab_i64(o, s->idle_ps);
        s->cpu_idle_ps < 0 ? tab_none(o) : tab_i64(o, s->cpu_idle_ps);
        put_dist(o, &s->api);
        put_dist(o, &s->to_start);
        put_dist(o, &s->from_end);
        tab_u64(o, s->to_start.negative);
        tab_u64(o, s->from_end.negative);
        tab_u64(o, s->unmatched_launches);
        tab_u64(o, s->unmatched_kernels);
        tab_end(o);
    }
    skip_free(&x);
}

static void table_step(struct tab *o, struct work *w)
{
    int64_t median = 0;
    for (size_t i = 0; i < w->s.n; i++) {
        const struct step *s = &w->s.step[i];
        if (!i || s->plane != s[-1].plane) median = step_median(&w->s, s->plane);
        int64_t dur = step_dur(&w->s, s);
        tab_texts(o, step_source_word(w->s.source));
        tab_cell(o, w->t.plane[s->plane].name);
        tab_u64(o, s->number);
        tab_cell(o, event_name(&w->t, s->label));
        tab_i64(o, s->mark_start);
        tab_i64(o, dur);
        tab_i64(o, s->start);
        tab_i64(o, s->end);
        tab_i64(o, s->until - s->start);
        tab_i64(o, s->busy_ps);
        tab_u64(o, s->events);
        tab_texts(o, s->cut ? "yes" : "no");
        tab_i64(o, median);
        median ? tab_f64(o, (double)dur / (double)median - 1) : tab_none(o);
        tab_texts(o, s->ended_last ? "yes" : "no");
        tab_i64(o, s->late_ps);
        tab_texts(o, s->ended_last && s->late_ps > dur / 20 ? "yes" : "no");
        tab_end(o);
    }
}

static void table_chain(struct tab *o, struct work *w, double least)
{
    struct chains x = chain_find(&w->t, least);
    struct buf b = {0};
    for (size_t i = 0; i < x.n; i++) {
        const struct chain *c = &x.row[i];
        tab_cell(o, w->t.plane[c->plane].name);
        put_program(o, &w->t, c->program);
        b.n = 0;
        for (uint32_t k = 0; k < c->length; k++) {
            if (k) buf_puts(&b, " > ");
            buf_str(&b, event_name(&w->t, c->kernel[k]));
        }
        tab_cell(o, buf_view(&b));
        tab_u64(o, c->length);
        tab_u64(o, c->count);
        tab_u64(o, c->first_count);
        tab_f64(o, c->score);
        tab_u64(o, c->removed);
        tab_f64(o, c->gain);
        tab_i64(o, c->time_ps);
        tab_end(o);
    }
    buf_free(&b);
    chain_free(&x);
}

static void table_verdict(struct tab *o, struct run *r, struct work *w, const char *log)
{
    struct verdicts v = {0};
    struct err e = {0};
    struct inp in;
    verdict_find(&v, &w->t, &w->l, &w->s, &w->h);
    if (log) {
        if (inp_open(&in, log, &e)) tool_die(r, &e);
        if (joblog_read(&in, verdict_log_line, &v, &e) || inp_close(&in, &e)) tool_warn(r, &e);
    }
    for (size_t i = 0; i < v.n; i++) {
        tab_texts(o, v.row[i].claim);
        tab_cell(o, v.row[i].scope);
        tab_cell(o, v.row[i].value);
        tab_cell(o, v.row[i].evidence);
        tab_cell(o, v.row[i].how);
        tab_end(o);
    }
    verdict_free(&v);
}

static enum window window_word(const struct run *r)
{
    static const char *const word[] = {"first-last", "capture", "step"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(r->arg, word[i])) return (enum window)i;
    tool_usage(r, "--window %s: first-last, capture or step", r->arg);
}

/* Only what the asked tables need is kept in memory. */
static bool budget_alone(const struct run *r)
{
    return !r->dir && !strcmp(r->table->name, "budget") && !by_step && window != STEP;
}

static unsigned classes_needed(const struct run *r)
{
    return budget_alone(r) ? EV_DEVICE : EV_ALL & ~(EV_BIT(EV_OTHER) | EV_BIT(EV_COUNTER) | EV_BIT(EV_ASYNC));
}

/* An empty table is said to be empty, and why. */
static void note_empty(const struct run *r, const struct work *w)
{
    static const struct {
        const char *table, *why;
    } said[] = {{"budget", "no device events"},
                {"idle", "no idle time between device events"},
                {"launch", "no device events and no launches"},
                {"skip", "no device events"},
                {"step", "no steps: no annotation, no Steps line, no program that repeats"},
                {"chain", "no kernels that always follow each other"}};
    bool device = false;
    for (uint32_t p = 0; p < w->t.nplane; p++) device |= w->t.plane[p].is_device;
    if (!device) {
        tool_note(r, "no device plane");
        return;
    }
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (tool_wants(r, said[i].table) && !tool_rows(r, said[i].table))
            tool_note(r, "%s: %s", said[i].table, said[i].why);
}

static void write_tables(struct run *r, struct work *w, const char *log, double least)
{
    struct tab *o;
    if ((o = tool_sink(r, "budget", STR("")))) table_budget(o, w);
    if ((o = tool_sink(r, "idle", STR("")))) table_idle(o, w);
    if ((o = tool_sink(r, "launch", STR("")))) table_launch(o, w);
    if ((o = tool_sink(r, "skip", STR("")))) table_skip(o, w);
    if ((o = tool_sink(r, "step", STR("")))) table_step(o, w);
    if ((o = tool_sink(r, "verdict", STR("")))) table_verdict(o, r, w, log);
    if ((o = tool_sink(r, "chain", STR("")))) table_chain(o, w, least);
}

int main(int argc, char **argv)
{
    struct run r;
    struct err e = {0};
    struct tsv in;
    struct work w = {0};
    const char *log = NULL;
    double least = 1;
    int c;
    tool_start(&r, &tool);
    while ((c = tool_option(&r, argc, argv)) >= 0) switch (c) {
        case WINDOW: window = window_word(&r); break;
        case BY:
            if (strcmp(r.arg, "step")) tool_usage(&r, "--by %s: step", r.arg);
            by_step = true;
            break;
        case LEAST:
            if (num_f64(str_of(r.arg), &least) || least <= 0 || least > 1)
                tool_usage(&r, "--least %s: a share over 0, up to 1", r.arg);
            break;
        case LOG: log = r.arg; break;
        }
    if (tsv_open(&in, (const char *const *)r.operand, (size_t)r.noperand, &e)) tool_die(&r, &e);
    if (events_read(&w.t, &in, classes_needed(&r), &e)) {
        if (!w.t.rows) tool_die(&r, &e);
        tool_warn(&r, &e); /* what stands before the fault */
    }
    tsv_close(&in);
    w.capture = (struct ivl){w.t.first, w.t.last};
    if (!budget_alone(&r)) {
        w.l = launch_join(&w.t);
        w.h = threads_of(&w.t);
        w.s = steps_find(&w.t, &w.l);
    }
    if (w.l.ambiguous)
        tool_note(&r,
                  "%llu runs of modules have several calls with their run id: xplane2tsv -s device_ordinal "
                  "tells them apart",
                  (unsigned long long)w.l.ambiguous);
    write_tables(&r, &w, log, least);
    note_empty(&r, &w);
    steps_free(&w.s);
    threads_free(&w.h);
    launch_free(&w.l);
    events_free(&w.t);
    return tool_end(&r);
}
