/* A profiler capture (*.xplane.pb) to tables.  The capture is mapped; held besides it are the lines, and the
 * names of one plane at a time. */
#include "kind.h"
#include "mem.h"
#include "tool.h"
#include "xplane_columns.h"
#include "xprogram.h"
#include "xtable.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { OPT_EXTRACT = OPT_LONG, OPT_MAIN };

static const struct opt options[] = {
    {'p', "plane", "RE", "only planes whose name matches this extended regular expression"},
    {'n', "line", "RE", "only lines whose name matches"},
    {'c', "class", "CLASS,...", "only events of these classes"},
    {'s', "stat", "KEY,...", "these stats as further columns (also long_name, num_occurrences)"},
    {OPT_EXTRACT, "extract", "DIR", "write every embedded program to DIR/MODULE(ID).hlo_proto.pb"},
    {OPT_MAIN, "main", NULL, "with --extract: the main program also as DIR/main.hlo_proto.pb"},
    {0, NULL, NULL, NULL},
};

static struct column event_columns[21 + EV_EXTRA + 1] = {
#include "event_columns.h"
}; /* -s adds some behind */

static const struct table tables[] = {
    {"event", "one event", event_columns, false},
    {"plane", "a device, the host, or metadata", plane_columns, false},
    {"line", "a stream, op line or thread", line_columns, false},
    {"stat", "a stat that is constant, or how many events have it", stat_columns, false},
    {"module", "one run of a program", module_columns, false},
    {"hlo", "an embedded program", hlo_columns, false},
    {"step", "a step", step_columns, false},
    {"counter", "a sample", counter_columns, false},
    {"meta", "a fact about the capture", meta_columns, false},
    {NULL, NULL, NULL, false},
};

static const struct tool tool = {
    .name = "xplane2tsv",
    .synopsis = "[FILE]",
    .summary =
        "Reads a profiler capture (*.xplane.pb, plain or gzip, standard input by default) and writes one\n"
        "of its tables.",
    .example = "xplane2tsv host.xplane.pb | attrib --hlo host.xplane.pb | roofline",
    .opt = options,
    .table = tables,
};

struct job {
    struct run run;
    struct ev_pick pick;
    const char *extract;
    bool main;
    struct xspace space;
    struct xrows rows;
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
        case OPT_EXTRACT: j->extract = j->run.arg; break;
        case OPT_MAIN: j->main = true; break;
        default: break;
        }
    if (bad) tool_usage(&j->run, "%s", e.text);
    if (j->main && !j->extract) tool_usage(&j->run, "--main needs --extract DIR");
    if (j->run.noperand > 1) tool_usage(&j->run, "one capture at a time");
}

/* ---- tables ---- */

/* One plane's events.  Where its names are cut or corrupt, its rows come with the names that are there. */
static int plane_events(struct job *j, const struct xplane *p, struct err *e)
{
    struct xnames names;
    int bad = xnames_read(&names, &j->space, p, e);
    xrows_plane(&j->rows, &names);
    for (size_t i = 0; i < p->nline; i++)
        if (ev_picks_line(&j->pick, p->line[i].name) && xrows_line(&j->rows, &p->line[i], e)) bad = -1;
    xnames_free(&names);
    return bad;
}

static void remarks(struct job *j)
{
    const struct xrow_counts *n = &j->rows.count;
    bool picked = j->pick.plane || j->pick.line;
    if (!n->events)
        tool_note(&j->run, "no events%s in %zu planes", picked ? " on the planes and lines asked for" : "",
                  j->space.nplane);
    else if (!n->rows)
        tool_note(&j->run, "none of %" PRIu64 " events is of the classes asked for", n->events);
    if (n->nameless)
        tool_note(&j->run, "%" PRIu64 " events have an id that no name belongs to: name -", n->nameless);
    if (n->aggregated)
        tool_note(&j->run, "%" PRIu64 " events are counts without a start: start_ps -", n->aggregated);
    if (n->unprintable)
        tool_note(&j->run, "%" PRIu64 " events start beyond 64 bits of ps: start_ps -", n->unprintable);
    if (n->clocked)
        tool_note(&j->run,
                  "%" PRIu64
                  " events also have the device's own clock: -s device_offset_ps,device_duration_ps; "
                  "-t meta says how far it differs",
                  n->clocked);
}

static int write_events(struct job *j, struct err *e)
{
    int bad = 0;
    j->rows.tab = tool_sink(&j->run, "event", STR(""));
    j->rows.pick = &j->pick;
    for (size_t i = 0; i < j->space.nplane && !bad; i++)
        if (ev_picks_plane(&j->pick, j->space.plane[i].name)) bad = plane_events(j, &j->space.plane[i], e);
    remarks(j);
    return bad;
}

static void say_main(struct job *j, const struct xembedded *p)
{
    if (p->time_ps)
        tool_note(&j->run, "main program: %.*s(%" PRIu64 "), the longest running (%" PRId64 " ps)",
                  (int)p->module.n, p->module.p, p->id, p->time_ps);
    else
        tool_note(&j->run, "main program: %.*s(%" PRIu64 "), the largest (%zu bytes; none was seen to run)",
                  (int)p->module.n, p->module.p, p->id, p->proto.n);
}

static void extract(struct job *j, const struct xprograms *x)
{
    const struct xembedded *best = xprograms_main(x);
    struct buf name = {0};
    if (mkdir(j->extract, 0777) && errno != EEXIST) {
        struct err e = {0};
        err_set(&e, j->extract, "%s", strerror(errno));
        tool_die(&j->run, &e);
    }
    for (size_t i = 0; i < x->n; i++) {
        struct err e = {0};
        name.n = 0;
        xembedded_file(&x->v[i], &name);
        if (xembedded_write(&x->v[i], j->extract, buf_cstr(&name), &e) < 0) tool_warn(&j->run, &e);
    }
    buf_free(&name);
    if (!j->main || !best) return;
    struct err e = {0};
    say_main(j, best);
    if (xembedded_write(best, j->extract, "main.hlo_proto.pb", &e) < 0) tool_warn(&j->run, &e);
}

static int programs(struct job *j, const struct xsurvey *v, struct err *e)
{
    struct xprograms x = {0};
    int bad = xprograms_read(&x, &j->space, v, e);
    struct tab *t = tool_sink(&j->run, "hlo", STR(""));
    if (t) xtable_hlo(t, &x);
    if (!x.n && !bad)
        tool_note(&j->run, "no program is embedded (the profiler ran without enable_hlo_proto)");
    if (j->extract) extract(j, &x);
    free(x.v);
    return bad;
}

/* The tables that need a walk over all events. */
static int write_survey(struct job *j, struct err *e)
{
    struct xsurvey v;
    struct tab *t;
    static const char *const none[] = {
        "no runs of programs: no module line, no op with a run_id, no host event with a module's name",
        "no steps: no step line, no event with a step_num (StepTraceAnnotation)",
        "no counters: no _counters_ line"};
    xsurvey_init(&v, &j->space);
    v.module = tool_sink(&j->run, "module", STR(""));
    v.step = tool_sink(&j->run, "step", STR(""));
    v.counter = tool_sink(&j->run, "counter", STR(""));
    const bool wanted[] = {v.module, v.step, v.counter};
    int bad = xsurvey_walk(&v, &j->space, &j->pick, e);
    for (int i = 0; i < 3; i++)
        if (!bad && wanted[i] && !v.rows[i]) tool_note(&j->run, "%s", none[i]);
    if ((t = tool_sink(&j->run, "line", STR("")))) xtable_line(t, &j->space, &v, &j->pick);
    if (!bad && (t = tool_sink(&j->run, "meta", STR("")))) bad = xtable_meta(t, &j->space, &v, VERSION, e);
    if (!bad && (tool_wants(&j->run, "hlo") || j->extract)) bad = programs(j, &v, e);
    xsurvey_free(&v);
    return bad;
}

static bool wants_survey(const struct job *j)
{
    static const char *const table[] = {"line", "module", "hlo", "step", "counter", "meta"};
    bool yes = j->extract;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) yes |= tool_wants(&j->run, table[i]);
    return yes;
}

static int write_tables(struct job *j, struct err *e)
{
    struct tab *t;
    if (tool_wants(&j->run, "event") && write_events(j, e)) return -1;
    if ((t = tool_sink(&j->run, "plane", STR(""))) && xtable_plane(t, &j->space, &j->pick, e)) return -1;
    if ((t = tool_sink(&j->run, "stat", STR(""))) && xtable_stat(t, &j->space, &j->pick, e)) return -1;
    return wants_survey(j) ? write_survey(j, e) : 0;
}

static void open_capture(struct job *j, struct inp *in)
{
    struct err e = {0};
    if (inp_open(in, j->run.noperand ? j->run.operand[0] : "-", &e) || inp_whole(in, &e))
        tool_die(&j->run, &e);
    enum kind k = kind_of(in->data, in->size);
    if (k == KIND_XPLANE || k == KIND_BINARY) return; /* damaged captures may look like anything binary */
    err_set(&e, in->name, "no capture: this is %s%s", kind_says(k),
            k == KIND_EMPTY ? " (a capture of over 2 GB comes out empty: trace fewer steps)" : "");
    tool_die(&j->run, &e);
}

int main(int argc, char **argv)
{
    static struct job j;
    struct err e = {0}, fault = {0};
    struct inp in;
    tool_start(&j.run, &tool);
    read_options(&j, argc, argv);
    open_capture(&j, &in);
    xspace_read(&j.space, in.data, in.size, in.name, &fault);
    if (!j.space.nplane && fault.text[0]) tool_die(&j.run, &fault);
    if (write_tables(&j, &e)) tool_die(&j.run, &e);
    if (fault.text[0]) tool_die(&j.run, &fault);
    if (inp_close(&in, &e)) tool_die(&j.run, &e); /* a cut gzip stream */
    xrows_free(&j.rows);
    xspace_free(&j.space);
    ev_pick_free(&j.pick);
    return tool_end(&j.run);
}
