/* A profiler's JSON trace (*.trace.json, plain or gzip) to tables.  The file streams through a window; held
 * are the names of processes and threads, and events that have begun and not ended. */
#include "kind.h"
#include "tool.h"
#include "tracerow.h"
#include <inttypes.h>
#include <sys/stat.h>

static const struct opt options[] = {
    {'p', "plane", "RE", "only processes whose name matches this extended regular expression"},
    {'n', "line", "RE", "only threads whose name matches"},
    {'c', "class", "CLASS,...", "only events of these classes"},
    {'s', "stat", "KEY,...", "these args as further columns (also long_name)"},
    {0, NULL, NULL, NULL},
};

static struct column event_columns[21 + EV_EXTRA + 1] = {
#include "event_columns.h"
}; /* -s adds some behind */

static const struct column process_columns[] = {
    {"pid", "text", "-", "as in the file"},
    {"plane", "text", "-", "its name, without the host that XProf puts before it"},
    {"host", "text", "-", "that host"},
    {"kind", "enum", "-", "host gpu device other"},
    {"threads", "int", "-", "how many"},
    {"events", "int", "-", "how many"},
    {NULL, NULL, NULL, NULL},
};

static const struct column thread_columns[] = {
    {"plane", "text", "-", "name of its process"},
    {"line", "text", "-", "name"},
    {"line_id", "text", "-", "tid: the low 32 bits of a capture's line id"},
    {"pid", "text", "-", "of its process"},
    {"kind", "enum", "-", "host stream op async module step counter derived unknown"},
    {"events", "int", "-", "how many"},
    {"first_ps", "int", "ps", "first start"},
    {"last_ps", "int", "ps", "last end"},
    {"dur_ps", "int", "ps", "sum of the events' durations, nested ones again"},
    {NULL, NULL, NULL, NULL},
};

static const struct column meta_columns[] = {
    {"key", "text", "-", "events, damaged, cap, origin_ns, and what the file says besides its events"},
    {"value", "text", "-", ""},
    {NULL, NULL, NULL, NULL},
};

static const struct table tables[] = {
    {"event", "one event", event_columns, false},
    {"process", "a device, or the host", process_columns, false},
    {"thread", "a stream, op line or thread", thread_columns, false},
    {"meta", "a fact about the trace", meta_columns, false},
    {NULL, NULL, NULL, false},
};

static const struct tool tool = {
    .name = "trace2tsv",
    .synopsis = "[FILE]",
    .summary = "Reads a JSON trace (*.trace.json[.gz], standard input by default) as the profiler, or "
               "XProf's trace\n"
               "viewer, writes it, and writes one of its tables.",
    .example = "trace2tsv host.trace.json.gz | skipstats",
    .opt = options,
    .table = tables,
};

struct job {
    struct run run;
    struct ev_pick pick;
    struct trace trace;
    struct trace_rows rows;
    const char *path;
    bool searched; /* for names that stand behind the events that need them */
};

static void read_options(struct job *j, int argc, char **argv)
{
    struct err e = {0};
    int c, bad = 0;
    while (!bad && (c = tool_option(&j->run, argc, argv)) != -1) switch (c) {
        case 'p': bad = ev_pick_pattern(&j->pick.plane, j->run.arg, &e); break;
        case 'n': bad = ev_pick_pattern(&j->pick.line, j->run.arg, &e); break;
        case 'c': bad = ev_pick_classes(&j->pick, j->run.arg, &e); break;
        case 's': bad = ev_pick_stats(&j->pick, j->run.arg, event_columns, &e); break;
        default: break;
        }
    if (bad) tool_usage(&j->run, "%s", e.text);
    if (j->run.noperand > 1) tool_usage(&j->run, "one trace at a time");
    j->path = j->run.noperand ? j->run.operand[0] : "-";
}

/* ---- reading ---- */

static void open_trace(struct job *j)
{
    struct err e = {0};
    if (trace_open(&j->trace, j->path, &e)) tool_die(&j->run, &e);
    if (json_in_more(&j->trace.in, &e) < 0) tool_die(&j->run, &e);
    struct json head = json_in_text(&j->trace.in);
    enum kind k = kind_of(head.p, (size_t)(head.end - head.p));
    if (k == KIND_TRACE_JSON) return;
    err_set(&e, j->trace.in.in.name, "no JSON trace: this is %s", kind_says(k));
    tool_die(&j->run, &e);
}

/* Some writers put the names at the end.  A file (no pipe: that can be read only once) is then read once
 * more, for the names alone. */
static void search_names(struct job *j)
{
    struct trace names;
    struct trace_event ev;
    struct err ignored = {0}; /* the main reading meets it, too */
    struct stat st;
    j->searched = true;
    if (!strcmp(j->path, "-") || stat(j->path, &st) || !S_ISREG(st.st_mode)) return;
    if (trace_open(&names, j->path, &ignored)) return;
    while (trace_next(&names, &ev, &ignored) > 0)
        if (ev.ph == 'M') trace_learn(&j->trace, &ev);
    trace_close(&names, &ignored);
}

static int read_all(struct job *j, struct err *e)
{
    struct trace_event ev;
    int r;
    while ((r = trace_next(&j->trace, &ev, e)) > 0) {
        if (ev.ph == 'M') {
            trace_learn(&j->trace, &ev);
            continue;
        }
        if (!j->searched) {
            const struct trace_thread *h = trace_thread_of(&j->trace, &ev);
            if (!h->name.n || !j->trace.process[h->process].name.n) search_names(j);
        }
        trace_row(&j->rows, &ev);
    }
    trace_rows_end(&j->rows);
    return r;
}

/* ---- tables ---- */

static void process_table(struct tab *t, const struct trace *tr)
{
    static const char *const kind[] = {
        [PLANE_OTHER] = "other", [PLANE_HOST] = "host", [PLANE_GPU] = "gpu", [PLANE_DEVICE] = "device"};
    for (size_t i = 0; i < tr->nprocess; i++) {
        const struct trace_process *p = &tr->process[i];
        tab_text(t, p->pid);
        tab_text(t, p->name);
        tab_text(t, p->host);
        tab_texts(t, kind[p->kind]);
        tab_u64(t, p->threads);
        tab_u64(t, p->events);
        tab_end(t);
    }
}

static void thread_table(struct tab *t, const struct trace *tr)
{
    for (size_t i = 0; i < tr->nthread; i++) {
        const struct trace_thread *h = &tr->thread[i];
        const struct trace_process *p = &tr->process[h->process];
        tab_text(t, p->name);
        tab_text(t, h->name);
        tab_text(t, h->tid);
        tab_text(t, p->pid);
        tab_texts(t, ev_line_name(ev_line_kind(p->kind, h->name)));
        tab_u64(t, h->events);
        if (h->first_ps <= h->last_ps) {
            tab_i64(t, h->first_ps);
            tab_i64(t, h->last_ps);
        } else {
            tab_none(t);
            tab_none(t);
        }
        tab_i64(t, h->dur_ps);
        tab_end(t);
    }
}

/* The number of events at which the writer stopped, 0: it did not. */
static uint64_t cap(const struct trace_rows *r)
{
    return r->complete == 1000000 || r->complete == 5000000 ? r->complete : 0;
}

static void meta_table(struct tab *t, const struct job *j)
{
    const struct {
        const char *key;
        uint64_t n;
        bool always;
    } number[] = {{"damaged", j->trace.damaged, true},
                  {"cap", cap(&j->rows), false},
                  {"unended", j->rows.unended, false},
                  {"unbegun", j->rows.unbegun, false},
                  {"other_phases", j->rows.other, false}};
    uint64_t events = 0;
    for (size_t i = 0; i < j->trace.nprocess; i++) events += j->trace.process[i].events;
    tab_texts(t, "tool_version"), tab_texts(t, VERSION), tab_end(t);
    tab_texts(t, "format_version"), tab_texts(t, "1"), tab_end(t);
    tab_texts(t, "origin_ns"), tab_i64(t, j->rows.origin_us * 1000), tab_end(t);
    tab_texts(t, "events"), tab_u64(t, events), tab_end(t);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++)
        if (number[i].n || number[i].always) tab_texts(t, number[i].key), tab_u64(t, number[i].n), tab_end(t);
    for (size_t i = 0; i < j->trace.nprocess; i++) {
        bool seen = !j->trace.process[i].host.n;
        for (size_t k = 0; k < i; k++) seen |= str_eq(j->trace.process[k].host, j->trace.process[i].host);
        if (!seen) tab_texts(t, "hostname"), tab_text(t, j->trace.process[i].host), tab_end(t);
    }
    for (size_t i = 0; i < j->trace.nfact; i++)
        tab_text(t, j->trace.fact[i].key), tab_text(t, j->trace.fact[i].value), tab_end(t);
}

static void remarks(struct job *j)
{
    const struct trace_rows *r = &j->rows;
    if (!r->rows) tool_note(&j->run, "no events that were asked for, of %" PRIu64, r->complete);
    if (cap(r))
        tool_note(&j->run,
                  "exactly %" PRIu64
                  " events: the writer stops there and keeps the earliest; the .xplane.pb has all",
                  r->complete);
    if (r->unended) tool_note(&j->run, "%" PRIu64 " events begin and do not end: dur_ps -", r->unended);
    if (r->unbegun) tool_note(&j->run, "%" PRIu64 " ends without a beginning: left out", r->unbegun);
    if (r->timeless)
        tool_note(&j->run, "%" PRIu64 " events without a time that can be read: start_ps -", r->timeless);
    if (j->trace.unclosed) tool_note(&j->run, "the array of events is not closed");
}

int main(int argc, char **argv)
{
    static struct job j;
    struct err e = {0};
    struct tab *t;
    tool_start(&j.run, &tool);
    read_options(&j, argc, argv);
    open_trace(&j);
    j.rows.trace = &j.trace;
    j.rows.pick = &j.pick;
    j.rows.tab = tool_sink(&j.run, "event", STR(""));
    int r = read_all(&j, &e);
    if ((t = tool_sink(&j.run, "process", STR("")))) process_table(t, &j.trace);
    if ((t = tool_sink(&j.run, "thread", STR("")))) thread_table(t, &j.trace);
    if ((t = tool_sink(&j.run, "meta", STR("")))) meta_table(t, &j);
    if (j.rows.tab) remarks(&j);
    if (j.trace.damaged) {
        struct err d = {0};
        err_byte(&d, j.trace.in.in.name, j.trace.damaged_at,
                 "%" PRIu64 " damaged events left out, the first here", j.trace.damaged);
        tool_warn(&j.run, &d);
    }
    if (r < 0) tool_die(&j.run, &e);
    trace_rows_free(&j.rows);
    if (trace_close(&j.trace, &e)) tool_die(&j.run, &e);
    ev_pick_free(&j.pick);
    return tool_end(&j.run);
}
