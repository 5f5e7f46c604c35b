/* An (attributed) event table in; one step on one time axis, every device's streams and the launching
 * threads, its critical path, and which device ended last out.  In memory: 48 bytes for each event, names
 * once; of the step itself 60 bytes for each piece. */
#include "budget.h"
#include "idle.h"
#include "num.h"
#include "path.h"
#include "scene.h"
#include "tool.h"
#include <stdlib.h>

enum { STEP_NUMBER = OPT_LONG, DEVICE };
static const struct opt options[] = {
    {STEP_NUMBER, "step", "N", "the step of that number (skipstats -t step); else the one of median length"},
    {DEVICE, "device", "PLANE", "lanes of that device alone"},
    {0}};

static const struct column lane_columns[] = {
    {"lane", "text", "-", "plane/line; of a host lane the line that makes the calls"},
    {"kind", "enum", "-", "compute, collective, copy, host"},
    {"name", "text", "-", "instruction where one is known, else the event's name"},
    {"start_ps", "int", "ps", "from the capture's origin"},
    {"dur_ps", "int", "ps", "duration, cut at the step's ends"},
    {"critical", "bool", "-", "1: part of the critical path"},
    {"step", "int", "-", "number of the step"},
    {"event", "text", "-", "the event's own name"},
    {0}};
static const struct column critical_columns[] = {
    {"order", "int", "-", "place on the path"},
    {"lane", "text", "-", "where it runs"},
    {"kind", "enum", "-",
     "compute collective copy; host; launch: call to first kernel; sync: a wait's end; gap, host_gap: "
     "nothing known"},
    {"name", "text", "-", "instruction or event"},
    {"start_ps", "int", "ps", "from the capture's origin"},
    {"dur_ps", "int", "ps", "sums to the step"},
    {"share", "float", "fraction", "of the step"},
    {"step", "int", "-", "number of the step"},
    {"step_ps", "int", "ps", "length of the step: its start to the last end on any device"},
    {"event", "text", "-", "the event's own name"},
    {0}};
static const struct column last_columns[] = {
    {"step", "int", "-", "number of the step"},
    {"plane", "text", "-", "device"},
    {"ended_last", "enum", "-", "yes, no"},
    {"end_ps", "int", "ps", "its last end in the step"},
    {"late_ps", "int", "ps", "behind the device that ended first"},
    {"busy_ps", "int", "ps", "in the step"},
    {"compute_ps", "int", "ps", "of it"},
    {"collective_ps", "int", "ps", "exposed collectives"},
    {"memcpy_ps", "int", "ps", "exposed copies"},
    {"idle_ps", "int", "ps", "to the next step"},
    {"waited_for", "text", "-", "the largest cause of its idle time, and the host event meanwhile"},
    {"waited_ps", "int", "ps", "that cause"},
    {0}};
static const struct table tables[] = {
    {"lane", "a piece of device work or of a launching thread", lane_columns, false},
    {"critical", "a part of the critical path, in order of time", critical_columns, false},
    {"last", "a device in the step: when it ended, what it waited for", last_columns, false},
    {0}};
static const struct tool tool = {
    "swimlane",
    "[FILE ...]",
    "Event table (attributed: better names) in; one step as lanes on one time axis, and its critical\n"
    "path, out.",
    "attrib --hlo m.txt ev.tsv | swimlane -t critical",
    options,
    tables};

struct work {
    struct scene x;
    struct path p;
    const char *device; /* --device */
};

static void put_lane(struct tab *o, const struct path *p, uint32_t lane, struct buf *b)
{
    const struct event_line *l = &p->t->line[p->lane[lane].line];
    b->n = 0;
    buf_str(b, p->t->plane[l->plane].name);
    buf_c(b, '/');
    buf_str(b, l->name);
    tab_cell(o, buf_view(b));
}

static struct str node_name(const struct path *p, const struct path_node *n)
{
    const struct event *v = &p->t->event[n->event];
    bool label = str_starts(event_name(p->t, v->op), "command_buffer"); /* of a graph, no instruction's */
    return event_name(p->t, p->lane[n->lane].host || v->op == EV_NONE || label ? v->name : v->op);
}

static void table_lane(struct tab *o, const struct work *w)
{
    const struct path *p = &w->p;
    struct buf b = {0};
    bool *critical = mem_alloc(p->nnode, sizeof *critical);
    for (size_t i = 0; i < p->nseg; i++) critical[p->seg[i].node] = true;
    for (size_t i = 0; i < p->nnode; i++) {
        const struct path_node *n = &p->node[i];
        const struct path_lane *lane = &p->lane[n->lane];
        if (w->device && !lane->host && !str_is(p->t->plane[lane->plane].name, w->device)) continue;
        int64_t a = n->a > p->start ? n->a : p->start, end = n->b < p->end ? n->b : p->end;
        put_lane(o, p, n->lane, &b);
        tab_texts(o, path_word(n->kind));
        tab_cell(o, node_name(p, n));
        tab_i64(o, a);
        tab_i64(o, end > a ? end - a : 0);
        tab_u64(o, critical[i]);
        tab_u64(o, p->step);
        tab_cell(o, event_name(p->t, p->t->event[n->event].name));
        tab_end(o);
    }
    free(critical);
    buf_free(&b);
}

static void table_critical(struct tab *o, const struct work *w)
{
    const struct path *p = &w->p;
    struct buf b = {0};
    for (size_t i = 0; i < p->nseg; i++) {
        const struct path_seg *s = &p->seg[i];
        tab_u64(o, i);
        put_lane(o, p, s->lane, &b);
        tab_texts(o, path_word(s->kind));
        tab_cell(o, s->kind == PATH_GAP || s->kind == PATH_HOST_GAP ? STR("-")
                                                                    : node_name(p, &p->node[s->node]));
        tab_i64(o, s->a);
        tab_i64(o, s->b - s->a);
        tab_f64(o, (double)(s->b - s->a) / (double)(p->end - p->start));
        tab_u64(o, p->step);
        tab_i64(o, p->end - p->start);
        tab_cell(o, event_name(p->t, p->t->event[p->node[s->node].event].name));
        tab_end(o);
    }
    buf_free(&b);
}

static void put_waited(struct tab *o, struct work *w, uint32_t plane, struct ivl window)
{
    struct idles x = {0};
    struct buf b = {0};
    idle_of_device(&x, &w->x.t, &w->x.l, &w->x.h, plane, window);
    idle_sort(&x);
    if (x.n) {
        buf_puts(&b, idle_word(x.row[0].cause));
        if (x.row[0].name != EV_NONE) buf_puts(&b, ": "), buf_str(&b, event_name(&w->x.t, x.row[0].name));
        tab_cell(o, buf_view(&b));
        tab_i64(o, x.row[0].idle_ps);
    } else {
        tab_none(o);
        tab_none(o);
    }
    buf_free(&b);
    idle_free(&x);
}

static void table_last(struct tab *o, struct work *w)
{
    for (size_t i = 0; i < w->x.s.n; i++) {
        const struct step *s = &w->x.s.step[i];
        if (s->number != w->p.step) continue;
        struct ivl window = {s->start, s->until};
        struct device_time d = budget_device(&w->x.t, s->plane);
        struct budget b = budget_of_device(&d, window);
        tab_u64(o, s->number);
        tab_cell(o, w->x.t.plane[s->plane].name);
        tab_texts(o, s->ended_last ? "yes" : "no");
        tab_i64(o, s->end);
        tab_i64(o, s->late_ps);
        tab_i64(o, s->busy_ps);
        for (int k = 0; k < BUDGET_PARTS; k++) tab_i64(o, b.part_ps[k]);
        tab_i64(o, b.idle_ps);
        put_waited(o, w, s->plane, window);
        tab_end(o);
        budget_device_free(&d);
    }
}

static void find_step(struct run *r, struct work *w, int64_t step)
{
    if (step < 0) step = step_median_number(&w->x.s);
    if (step < 0)
        tool_note(r, "%s",
                  w->x.t.rows ? "no steps: no annotation, no Steps line, no program that repeats"
                              : "no events");
    else if (path_find(&w->p, &w->x.t, &w->x.l, &w->x.s, &w->x.h, (uint32_t)step)) {
        struct err e = {0};
        err_set(&e, NULL, "no step %lld: there are %zu (skipstats -t step)", (long long)step, w->x.s.n);
        tool_die(r, &e);
    }
}

int main(int argc, char **argv)
{
    struct run r;
    struct err e = {0};
    struct work w = {0};
    struct tab *o;
    int64_t step = -1;
    int c;
    tool_start(&r, &tool);
    while ((c = tool_option(&r, argc, argv)) >= 0) switch (c) {
        case STEP_NUMBER:
            if (num_i64(str_of(r.arg), &step) || step < 0 || step > UINT32_MAX)
                tool_usage(&r, "--step %s: a step's number", r.arg);
            break;
        case DEVICE: w.device = r.arg; break;
        }
    if (scene_read(&w.x, (const char *const *)r.operand, (size_t)r.noperand, SCENE_CLASSES, &e)) {
        if (!w.x.t.rows) tool_die(&r, &e);
        tool_warn(&r, &e);
    }
    find_step(&r, &w, step);
    if ((o = tool_sink(&r, "lane", STR("")))) table_lane(o, &w);
    if ((o = tool_sink(&r, "critical", STR("")))) table_critical(o, &w);
    if ((o = tool_sink(&r, "last", STR("")))) table_last(o, &w);
    path_free(&w.p);
    scene_free(&w.x);
    return tool_end(&r);
}
