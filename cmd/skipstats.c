/* An event table in; where device time goes, why devices wait, what launches cost, steps, chains, verdicts
 * out. In memory: 48 bytes for each event of the classes that the asked tables need (budget: device work
 * only), names once, 16 bytes for each stretch of busy time. */
#include "budget.h"
#include "checks.h"
#include "idle.h"
#include "num.h"
#include "skiprows.h"
#include "tool.h"
#include "verdict.h"
#include <stdlib.h>

enum { WINDOW = OPT_LONG, BY, LEAST, LOG, META };
static const struct opt options[] = {
    {WINDOW, "window", "W", "budget and idle over first-last (of each row's own events), capture or step"},
    {BY, "by", "step", "budget: a row per step"},
    {LEAST, "least", "SHARE", "chain: the least chain_score (default 1)"},
    {META, "meta", "FILE", "the capture, or its meta table: how long it really was"},
    {LOG, "log", "FILE", "verdict: what the job wrote to standard error"},
    {0}};

#include "skipstats_columns.h"
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

static struct ivl capture; /* as --meta says, else from the first to the last event of all */

static void put_share(struct tab *o, int64_t part, int64_t whole)
{
    if (whole > 0)
        tab_f64(o, (double)part / (double)whole);
    else
        tab_none(o);
}

/* The window of a device: none is an empty one. */
static struct ivl window_of(const struct scene *w, uint32_t plane, struct ivl own)
{
    struct ivl steps = {INT64_MAX, INT64_MIN};
    if (window == FIRST_LAST) return own;
    if (window == CAPTURE) return capture;
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

static void put_budget(struct tab *o, const struct scene *w, const struct row *r, struct ivl win,
                       const struct step *s)
{
    struct budget b = r->line ? budget_of_line(r->o, win) : budget_of_device(r->d, win);
    struct budget all = r->line ? budget_of_line(r->o, capture) : budget_of_device(r->d, capture);
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

static void put_budgets(struct tab *o, const struct scene *w, const struct row *r, struct ivl own)
{
    if (!by_step) {
        struct ivl win = window_of(w, r->plane, own);
        if (window != STEP || win.a < win.b) put_budget(o, w, r, win, NULL);
        return;
    }
    for (size_t i = 0; i < w->s.n; i++)
        if (w->s.step[i].plane == r->plane)
            put_budget(o, w, r, (struct ivl){w->s.step[i].start, w->s.step[i].until}, &w->s.step[i]);
}

static bool lacks_steps(const struct scene *w) { return (window == STEP || by_step) && !w->s.n; }

static void table_budget(struct tab *o, struct scene *w)
{
    if (lacks_steps(w)) return;
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

static void table_idle(struct tab *o, struct scene *w)
{
    if (lacks_steps(w)) return;
    struct idles x = {0};
    int64_t *whole = mem_alloc(w->t.nplane, sizeof *whole);
    for (uint32_t p = 0; p < w->t.nplane; p++) {
        struct device_time d = budget_device(&w->t, p);
        struct ivl win = window_of(w, p, d.span);
        if (d.events && (window != STEP || win.a < win.b)) {
            idle_of_device(&x, &w->t, &w->l, &w->h, p, win);
            whole[p] = budget_of_device(&d, win).idle_ps;
        }
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

static void table_verdict(struct tab *o, struct run *r, struct scene *w, const char *log)
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

static void note_clamped(const struct run *r, const struct events *t)
{
    uint64_t negative = 0;
    for (uint32_t i = 0; i < t->nline; i++) negative += t->line[i].negative;
    if (negative)
        tool_note(r, "%llu events end before they start: their duration counts as 0",
                  (unsigned long long)negative);
}

/* An empty table is said to be empty, and why. */
static void note_empty(const struct run *r, const struct scene *w)
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
        uint64_t calls = 0;
        for (uint32_t i = 0; i < w->t.nline; i++)
            calls += w->t.line[i].count[EV_LAUNCH] + w->t.line[i].count[EV_GRAPH_LAUNCH];
        if (calls)
            tool_note(r,
                      "no device plane, though the host made %llu launching calls: the device was not traced",
                      (unsigned long long)calls);
        else
            tool_note(r, "no device plane");
        return;
    }
    for (size_t i = 0; i < sizeof said / sizeof *said; i++)
        if (tool_wants(r, said[i].table) && !tool_rows(r, said[i].table))
            tool_note(r, "%s: %s", said[i].table, i < 2 && lacks_steps(w) ? said[4].why : said[i].why);
}

static void write_tables(struct run *r, struct scene *w, const char *log, double least)
{
    struct tab *o;
    if ((o = tool_sink(r, "budget", STR("")))) table_budget(o, w);
    if ((o = tool_sink(r, "idle", STR("")))) table_idle(o, w);
    if ((o = tool_sink(r, "launch", STR("")))) rows_launch(o, w);
    if ((o = tool_sink(r, "skip", STR("")))) rows_skip(o, w);
    if ((o = tool_sink(r, "step", STR("")))) rows_step(o, w);
    if ((o = tool_sink(r, "verdict", STR("")))) table_verdict(o, r, w, log);
    if ((o = tool_sink(r, "chain", STR("")))) rows_chain(o, w, least);
}

int main(int argc, char **argv)
{
    struct run r;
    struct err e = {0};
    struct scene w = {0};
    struct capture_facts facts = {.window_ps = -1};
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
        case META:
            if (capture_facts_read(&facts, r.arg, &e)) tool_die(&r, &e);
            break;
        }
    if (scene_read(&w, (const char *const *)r.operand, (size_t)r.noperand, classes_needed(&r), &e)) {
        if (!w.t.rows) tool_die(&r, &e);
        tool_warn(&r, &e); /* what stands before the fault */
    }
    capture = (struct ivl){w.t.first, w.t.last};
    if (facts.window_ps > 0) capture = (struct ivl){0, facts.window_ps};
    if (w.l.ambiguous)
        tool_note(&r,
                  "%llu runs of modules have several calls with their run id: xplane2tsv -s device_ordinal "
                  "tells them apart",
                  (unsigned long long)w.l.ambiguous);
    write_tables(&r, &w, log, least);
    note_clamped(&r, &w.t);
    note_empty(&r, &w);
    scene_free(&w);
    return tool_end(&r);
}
