/* An attributed event table in; what would shorten the step, ranked, by finding the critical path again
 * without each cause, out.  In memory: as swimlane; of the tables named by options only sums and one figure
 * per instruction. */
#include "causes.h"
#include "num.h"
#include "plan.h"
#include "scene.h"
#include "tool.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum { BUDGET = OPT_LONG, CRITICAL, ROOFLINE, PLAN, STEP_NUMBER };
static const struct opt options[] = {
    {BUDGET, "budget", "FILE", "skipstats' budget of the same events: what is hidden already"},
    {CRITICAL, "critical", "FILE", "swimlane -t critical of the same events: which step"},
    {ROOFLINE, "roofline", "FILE", "roofline of the same events: ops under their roof"},
    {PLAN, "plan", "FILE", "buffer assignment, or bufassign2tsv's table: padding"},
    {STEP_NUMBER, "step", "N", "the step, where --critical does not say it; else the one of median length"},
    {0}};
static const struct column change_columns[] = {
    {"rank", "int", "-", "1: saves most"},
    {"cause", "text", "-", "what takes the time"},
    {"share_of_critical", "float", "fraction", "of the critical path"},
    {"step_ps", "int", "ps", "the step as it was"},
    {"step_ps_without", "int", "ps", "its critical path found again with the cause at zero length"},
    {"assumption", "text", "-", "what that takes for granted"},
    {"knob", "text", "-", "what to change"},
    {"overlaps_with", "text", "-", "ranks whose saving is partly the same: do not add them up"},
    {"label", "text", "-", "guess, not run"},
    {0}};
static const struct table tables[] = {{"changes", "a cause", change_columns, false}, {0}};
static const struct tool tool = {
    "changes",
    "[FILE ...]",
    "Attributed event table in; what would shorten the step, ranked, out.  Every figure is a guess:\n"
    "nothing was run.",
    "changes --critical critical.tsv --roofline roof.tsv attributed.tsv",
    options,
    tables};

struct work {
    struct scene x;
    struct path p;
    double *roof; /* by name: share of the roof; 0: not known */
    int64_t hidden_ps;
    bool hidden_known;
    int64_t step, critical_ps; /* of --critical; -1 */
    int64_t padding, planned;  /* bytes; -1: no plan */
};

static void open_table(struct run *r, struct tsv *t, const char *const *path)
{
    struct err e = {0};
    if (tsv_open(t, path, 1, &e)) tool_die(r, &e);
}

static int need(struct run *r, struct tsv *t, const char *column, const char *maker)
{
    struct err e = {0};
    int c;
    if (tsv_need(t, column, maker, &c, &e)) tool_die(r, &e);
    return c;
}

static void read_critical(struct run *r, struct work *w, const char *path)
{
    struct tsv t;
    struct err e = {0};
    int64_t dur, total = 0;
    int k;
    open_table(r, &t, &path);
    int step = need(r, &t, "step", "swimlane -t critical"),
        ps = need(r, &t, "dur_ps", "swimlane -t critical");
    while ((k = tsv_next(&t, &e)) > 0) {
        if (!tsv_i64(&t, step, &w->step)) k = tsv_bad(&t, step, "step number", &e);
        if (k > 0 && !tsv_i64(&t, ps, &dur)) k = tsv_bad(&t, ps, "time in ps", &e);
        if (k < 0) break;
        total = num_add(total, dur);
    }
    if (k < 0) tool_die(r, &e);
    w->critical_ps = w->step < 0 ? -1 : total;
    tsv_close(&t);
}

static void read_budget(struct run *r, struct work *w, const char *path)
{
    struct tsv t;
    struct err e = {0};
    int64_t ps;
    int k;
    open_table(r, &t, &path);
    int line = need(r, &t, "line", "skipstats -t budget"),
        hidden = need(r, &t, "collective_hidden_ps", "skipstats -t budget");
    while ((k = tsv_next(&t, &e)) > 0)
        if (tsv_none(t.cell[line]) && tsv_i64(&t, hidden, &ps))
            w->hidden_ps = num_add(w->hidden_ps, ps), w->hidden_known = true;
    if (k < 0) tool_die(r, &e);
    tsv_close(&t);
}

static void read_roofline(struct run *r, struct work *w, const char *path)
{
    struct tsv t;
    struct err e = {0};
    double share;
    int k;
    open_table(r, &t, &path);
    int instr = need(r, &t, "instr", "roofline"), roof = need(r, &t, "roof_share", "roofline");
    w->roof = mem_alloc(w->x.t.name.count, sizeof *w->roof);
    while ((k = tsv_next(&t, &e)) > 0) {
        uint32_t name = map_get(&w->x.t.name, t.cell[instr]);
        if (name != MAP_NONE && tsv_f64(&t, roof, &share) && share > 0) w->roof[name] = share;
    }
    if (k < 0) tool_die(r, &e);
    tsv_close(&t);
}

static double roof_of(void *context, uint32_t op)
{
    const struct work *w = context;
    return w->roof[op] > 0 ? w->roof[op] : NAN;
}

static int add_plan(struct plan *p, void *context)
{
    struct work *w = context;
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        const struct plan_buffer *b = &p->buffer[i];
        if (b->size < 0) continue;
        w->planned = num_add(w->planned, b->size);
        if (b->unpadded >= 0 && b->unpadded < b->size)
            w->padding = num_add(w->padding, b->size - b->unpadded);
    }
    plan_free(p);
    return 0;
}

static void read_plan(struct run *r, struct work *w, const char *path)
{
    struct err e = {0};
    w->padding = w->planned = 0;
    if (plan_read_path(path, add_plan, w, &e)) tool_die(r, &e);
}

static void put_cause(struct tab *o, const struct work *w, const struct causes *c, size_t i, bool tpu)
{
    const struct cause *x = &c->row[i];
    struct buf b = {0};
    tab_u64(o, i + 1);
    buf_puts(&b, cause_word(x->kind));
    if (x->name != EV_NONE) buf_puts(&b, ": "), buf_str(&b, event_name(&w->x.t, x->name));
    if (x->plane != EV_NONE) buf_puts(&b, ": "), buf_str(&b, w->x.t.plane[x->plane].name);
    tab_cell(o, buf_view(&b));
    tab_f64(o, (double)x->path_ps / (double)c->step_ps);
    tab_i64(o, c->step_ps);
    tab_i64(o, x->without_ps);
    b.n = 0;
    buf_puts(&b, cause_assumption(x->kind));
    if (x->kind == CAUSE_COLLECTIVE && w->hidden_known)
        buf_fmt(&b, "; %" PRId64 " ps of collectives run under compute already", w->hidden_ps);
    if (x->factor > 0) buf_fmt(&b, "; %.3f of its time remains", x->factor);
    tab_cell(o, buf_view(&b));
    tab_texts(o, cause_knob(x->kind, tpu));
    b.n = 0;
    for (unsigned k = 0; k < 32; k++)
        if (x->overlaps >> k & 1) buf_fmt(&b, "%s%u", b.n ? "," : "", k + 1);
    tab_cell(o, buf_view(&b));
    tab_texts(o, "guess, not run");
    tab_end(o);
    buf_free(&b);
}

static void put_padding(struct tab *o, const struct work *w, size_t rank)
{
    struct buf b = {0};
    tab_u64(o, rank);
    tab_texts(o, "padding");
    tab_none(o);
    tab_i64(o, w->p.end - w->p.start);
    tab_none(o);
    buf_fmt(&b,
            "%" PRId64 " of %" PRId64 " planned bytes are padding; what moving them costs is not on the path",
            w->padding, w->planned);
    tab_cell(o, buf_view(&b));
    tab_texts(o, "trailing dimensions in multiples of 128 (TPU tiles); liveness --sort padding");
    tab_none(o);
    tab_texts(o, "guess, not run");
    tab_end(o);
    buf_free(&b);
}

static void table_changes(struct run *r, struct tab *o, struct work *w)
{
    int64_t step = w->step >= 0 ? w->step : step_median_number(&w->x.s);
    bool tpu = false;
    struct err e = {0};
    if (step < 0) {
        tool_note(r, "no steps: no annotation, no Steps line, no program that repeats");
        return;
    }
    if (step > UINT32_MAX || path_find(&w->p, &w->x.t, &w->x.l, &w->x.s, &w->x.h, (uint32_t)step)) {
        err_set(&e, NULL, "no step %" PRId64 " in these events", step);
        tool_die(r, &e);
    }
    if (w->critical_ps >= 0 && w->critical_ps != w->p.end - w->p.start) {
        err_set(&e, NULL,
                "--critical sums to %" PRId64 " ps, step %" PRId64 " of these events is %" PRId64
                " ps long: not the same capture",
                w->critical_ps, step, w->p.end - w->p.start);
        tool_die(r, &e);
    }
    for (uint32_t p = 0; p < w->x.t.nplane; p++) tpu |= str_starts(w->x.t.plane[p].name, "/device:TPU");
    struct causes c = causes_find(&w->p, &w->x.h, &w->x.s, w->roof ? roof_of : NULL, w);
    for (size_t i = 0; i < c.n; i++) put_cause(o, w, &c, i, tpu);
    if (w->padding > 0) put_padding(o, w, c.n + 1);
    if (!c.n) tool_note(r, "nothing on the critical path but compute");
    causes_free(&c);
    path_free(&w->p);
}

int main(int argc, char **argv)
{
    struct run r;
    struct err e = {0};
    struct work w = {.step = -1, .critical_ps = -1, .padding = -1, .planned = -1};
    const char *budget = NULL, *critical = NULL, *roofline = NULL, *plan = NULL;
    int c;
    tool_start(&r, &tool);
    while ((c = tool_option(&r, argc, argv)) >= 0) switch (c) {
        case BUDGET: budget = r.arg; break;
        case CRITICAL: critical = r.arg; break;
        case ROOFLINE: roofline = r.arg; break;
        case PLAN: plan = r.arg; break;
        case STEP_NUMBER:
            if (num_i64(str_of(r.arg), &w.step) || w.step < 0)
                tool_usage(&r, "--step %s: a step's number", r.arg);
            break;
        }
    if (scene_read(&w.x, (const char *const *)r.operand, (size_t)r.noperand, SCENE_CLASSES, &e)) {
        if (!w.x.t.rows) tool_die(&r, &e);
        tool_warn(&r, &e);
    }
    if (critical) read_critical(&r, &w, critical);
    if (budget) read_budget(&r, &w, budget);
    if (roofline) read_roofline(&r, &w, roofline);
    if (plan) read_plan(&r, &w, plan);
    table_changes(&r, tool_sink(&r, "changes", STR("")), &w);
    free(w.roof);
    scene_free(&w.x);
    return tool_end(&r);
}
