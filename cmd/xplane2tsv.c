/* A profiler capture (*.xplane.pb) to tables.  The capture is mapped; held besides it are the lines, and the
 * names of one plane at a time. */
#include "mem.h"
#include "tool.h"
#include "xrow.h"
#include <ctype.h>
#include <regex.h>

enum { OPT_EXTRACT = OPT_LONG, OPT_MAIN };

static const struct opt options[] = {
    {'p', "plane", "RE", "only planes whose name matches this extended regular expression"},
    {'n', "line", "RE", "only lines whose name matches"},
    {'c', "class", "CLASS,...", "only events of these classes"},
    {'s', "stat", "KEY,...", "these stats as further columns (also long_name, num_occurrences)"},
    {0, NULL, NULL, NULL},
};

static struct column event_columns[20 + XROW_EXTRA + 1] = {
    /* -s adds some behind */
    {"plane", "text", "-", "device or host, as the tracer names it"},
    {"line", "text", "-", "stream, op line or thread"},
    {"line_id", "int", "-", "tells lines of the same name apart"},
    {"name", "text", "-", "display name if there is one, else the name"},
    {"class", "enum", "-",
     "kernel collective memcpy memset op: device work; launch graph_launch sync alloc host; module step "
     "counter "
     "async other"},
    {"start_ps", "int", "ps", "from the capture's origin (table meta); - for aggregated events"},
    {"dur_ps", "int", "ps", "duration"},
    {"module", "text", "-", "hlo_module"},
    {"program_id", "int", "-", "unsigned"},
    {"run_id", "int", "-", "one execution of a program"},
    {"hlo_op", "text", "-", "the instruction, as the tracer says"},
    {"correlation_id", "int", "-", "joins a launch with what it launched"},
    {"graph_id", "int", "-", "CUDA graph"},
    {"graph_node_id", "int", "-", "node in it"},
    {"group_id", "int", "-", "step, as the profiler grouped"},
    {"step", "text", "-", "step_num or step_name"},
    {"device", "text", "-", "what the hardware is called"},
    {"trace_flops", "int", "flops", "as the trace says"},
    {"trace_bytes", "int", "bytes", "bytes accessed, as the trace says"},
    {"trace_source", "text", "-", "file:line, as the trace says"},
};

static const struct table tables[] = {
    {"event", "one event", event_columns, false},
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
    regex_t plane_re, line_re;
    bool plane_on, line_on;
    struct xspace space;
    struct xrows rows;
};

static void compile(struct job *j, regex_t *re, bool *on)
{
    char text[200];
    int r = regcomp(re, j->run.arg, REG_EXTENDED | REG_NOSUB);
    if (!r) {
        *on = true;
        return;
    }
    regerror(r, re, text, sizeof text);
    tool_usage(&j->run, "\"%s\": %s", j->run.arg, text);
}

static bool matches(const regex_t *re, bool on, struct str s)
{
    regmatch_t m = {0, (regoff_t)s.n};
    return !on || !regexec(re, s.p ? s.p : "", 1, &m, REG_STARTEND);
}

/* A stat's name as a column's: [a-z0-9_] only. */
static const char *column_name(struct str stat)
{
    char *s = mem_alloc(1, stat.n + 1);
    for (size_t i = 0; i < stat.n; i++)
        s[i] = isalnum((unsigned char)stat.p[i]) ? (char)tolower((unsigned char)stat.p[i]) : '_';
    return s;
}

/* The next word of a list with commas; false at its end. */
static bool next_word(const char **list, struct str *word)
{
    while (**list == ',') ++*list;
    *word = str_n(*list, strcspn(*list, ","));
    *list += word->n;
    return word->n;
}

static void add_classes(struct job *j, const char *list)
{
    struct str w;
    while (next_word(&list, &w)) {
        int c = ev_class_from(w);
        if (c < 0) tool_usage(&j->run, "no class \"%.*s\" (-l lists them)", (int)w.n, w.p);
        j->rows.classes |= 1u << c;
    }
}

static void add_stats(struct job *j, const char *list)
{
    struct str w;
    while (next_word(&list, &w)) {
        const char *name = column_name(w);
        struct column *c = event_columns;
        while (c->name && strcmp(c->name, name)) c++;
        if (c->name) continue; /* is there already */
        if (j->rows.nextra == XROW_EXTRA) tool_usage(&j->run, "-s: more than %d stats", XROW_EXTRA);
        *c = (struct column){name, "text", "-", "a stat"};
        j->rows.extra[j->rows.nextra++] = w;
    }
}

static void read_options(struct job *j, int argc, char **argv)
{
    int c;
    while ((c = tool_option(&j->run, argc, argv)) != -1) switch (c) {
        case 'p': compile(j, &j->plane_re, &j->plane_on); break;
        case 'n': compile(j, &j->line_re, &j->line_on); break;
        case 'c': add_classes(j, j->run.arg); break;
        case 's': add_stats(j, j->run.arg); break;
        default: break;
        }
    if (!j->rows.classes) j->rows.classes = (1u << EV_CLASSES) - 1;
    if (j->run.noperand > 1) tool_usage(&j->run, "one capture at a time");
}

/* One plane's events; faults in its names are told after the rows. */
static int plane_events(struct job *j, const struct xplane *p, struct err *e)
{
    struct xnames names;
    int bad = xnames_read(&names, &j->space, p, e);
    xrows_plane(&j->rows, &names);
    for (size_t i = 0; i < p->nline; i++)
        if (matches(&j->line_re, j->line_on, p->line[i].name)) {
            bad = xrows_line(&j->rows, &p->line[i], e);
            if (bad) break;
        }
    xnames_free(&names);
    return bad;
}

static int write_events(struct job *j, struct err *e)
{
    j->rows.tab = tool_sink(&j->run, "event", STR(""));
    int bad = 0;
    for (size_t i = 0; i < j->space.nplane && !bad; i++)
        if (matches(&j->plane_re, j->plane_on, j->space.plane[i].name))
            bad = plane_events(j, &j->space.plane[i], e);
    return bad;
}

int main(int argc, char **argv)
{
    static struct job j;
    struct err e = {0}, fault = {0};
    struct inp in;
    tool_start(&j.run, &tool);
    read_options(&j, argc, argv);
    if (inp_open(&in, j.run.noperand ? j.run.operand[0] : "-", &e) || inp_whole(&in, &e))
        tool_die(&j.run, &e);
    const char *not = xspace_not(in.data, in.size);
    if (not ) {
        err_set(&e, in.name, "%s", not );
        tool_die(&j.run, &e);
    }
    xspace_read(&j.space, in.data, in.size, in.name, &fault);
    if (tool_wants(&j.run, "event")) write_events(&j, &e);
    if (e.text[0] || fault.text[0]) tool_die(&j.run, e.text[0] ? &e : &fault);
    xrows_free(&j.rows);
    xspace_free(&j.space);
    return tool_end(&j.run);
}
