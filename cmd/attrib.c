/* Device events to the instructions and source lines they come from. */
#include "attrib.h"
#include "num.h"
#include "tool.h"
#include <stdlib.h>

enum { HLO = OPT_LONG, THUNKS, PROGRAM, USER_RE, DEPTH };

static const struct opt options[] = {
    {HLO, "hlo", "FILE", "the programs: a capture, HLO text or proto, or a folder of them (repeatable)"},
    {THUNKS, "thunks", "DIR",
     "a dump with *thunk_sequence*.txt and *thunk_metadata.txt: the compiler's own lists"},
    {PROGRAM, "program", "ID", "id or module name of the program of work that names an instruction alone"},
    {USER_RE, "user-re", "RE",
     "files that are the user's (default: outside site-packages, dist-packages, jax)"},
    {DEPTH, "depth", "N", "elements of op_name that make a scope (default 2)"},
    {0}};

#define EVENTS                                                                                               \
    {                                                                                                        \
        "events", "int", "-", "device events"                                                                \
    }
#define TIME                                                                                                 \
    {                                                                                                        \
        "time_ps", "int", "ps", "device self time"                                                           \
    }
#define SHARE                                                                                                \
    {                                                                                                        \
        "share", "float", "fraction", "of all device time"                                                   \
    }

static const struct column event_columns[] = {
    {"match", "enum", "-", "exact, name, order, thunk, none; - where there is no device work"},
    {"reason", "text", "-", "why none"},
    {"program", "text", "-", "id of the program, else its module's name"},
    {"computation", "text", "-", "the computation that holds the instruction"},
    {"instr", "text", "-", "HLO instruction"},
    {"opcode", "text", "-", "its opcode"},
    {"category", "text", "-", "XLA's category of it"},
    {"op_name", "text", "-", "path of the operation in the user's program"},
    {"source", "text", "-", "file:line of the user's program"},
    {"source_from", "enum", "-", "trace or hlo"},
    {"dtype", "text", "-", "the type that it computes in"},
    {"flops", "int", "flops", "of one execution of the instruction"},
    {"bytes", "int", "bytes", "accessed by one execution"},
    {"cost_from", "enum", "-", "trace, hlo, or model (of a library call)"},
    {"execution", "int", "-", "number of this execution of the instruction on its device, from 0"},
    {"part", "text", "-", "i/n: the i-th of the n events of the execution"},
    {0}};
static const struct column how_columns[] = {{"plane", "text", "-", "device"},
                                            {"match", "enum", "-", "how its events were matched"},
                                            EVENTS,
                                            TIME,
                                            {"share", "float", "fraction", "of the plane's device time"},
                                            {0}};
static const struct column kernel_columns[] = {{"name", "text", "-", "kernel, copy or fill"},
                                               {"class", "enum", "-", "class of the event"},
                                               {"program", "text", "-", "program"},
                                               {"instr", "text", "-", "instruction"},
                                               {"opcode", "text", "-", "its opcode"},
                                               {"match", "enum", "-", "how it was matched"},
                                               EVENTS,
                                               TIME,
                                               SHARE,
                                               {0}};
static const struct column op_columns[] = {{"program", "text", "-", "program"},
                                           {"computation", "text", "-", "computation"},
                                           {"instr", "text", "-", "instruction; -: time without one"},
                                           {"opcode", "text", "-", "opcode"},
                                           {"category", "text", "-", "XLA's category"},
                                           {"op_name", "text", "-", "path of the operation"},
                                           {"source", "text", "-", "file:line"},
                                           {"executions", "int", "-", "on all devices"},
                                           EVENTS,
                                           TIME,
                                           SHARE,
                                           {0}};
static const struct column line_columns[] = {
    {"source", "text", "-", "file:line of the user's program"},
    {"instrs", "int", "-", "instructions whose own line it is"},
    {"executions", "int", "-", "of these, on all devices"},
    {"member_ps", "int", "ps",
     "device time of fusions of other lines that hold a piece of this one (not in time_ps)"},
    EVENTS,
    TIME,
    SHARE,
    {0}};
static const struct column scope_columns[] = {
    {"scope", "text", "-", "the first elements of op_name"}, EVENTS, TIME, SHARE, {0}};
static const struct column folded_columns[] = {
    {"stack", "text", "-", "program;elements of op_name;instruction, for flame graphs"}, TIME, {0}};
static const struct column summary_columns[] = {
    {"plane", "text", "-", "device"},
    {"measure", "enum", "-",
     "device_time, matched, none:REASON, or xprof_op_view: what annotations alone show"},
    EVENTS,
    TIME,
    {"share", "float", "fraction", "of the plane's device time"},
    {0}};

static const struct table tables[] = {
    {"event", "an event of the input", event_columns, true},
    {"how", "how a device's time was matched", how_columns, false},
    {"kernel", "a kernel of an instruction, longest first", kernel_columns, false},
    {"op", "an instruction, longest first", op_columns, false},
    {"line", "a line of the user's program, longest first", line_columns, false},
    {"scope", "a name scope, longest first", scope_columns, false},
    {"folded", "a stack of a flame graph", folded_columns, false},
    {"summary", "what is matched, what is not and why", summary_columns, false},
    {0}};
static const struct tool tool = {
    "attrib",
    "[FILE ...]",
    "Reads an event table; says of each event of a device which instruction it comes "
    "from,\nhow that is known, where it stands in the user's program and what it costs.",
    "xplane2tsv cap.xplane.pb | attrib --hlo cap.xplane.pb",
    options,
    tables};

struct wish {
    struct programs programs;
    struct thunk_lists thunks;
    struct str program;
    regex_t user;
    uint64_t depth;
};

static void load(struct run *r, struct programs *p)
{
    struct err e = {0};
    size_t before = p->nmodule;
    if (!programs_load(p, r->arg, &e)) return;
    if (p->nmodule == before) tool_die(r, &e);
    tool_warn(r, &e);
}

static void read_options(struct run *r, int argc, char **argv, struct wish *w)
{
    struct err e = {0};
    int c;
    w->depth = 2;
    while ((c = tool_option(r, argc, argv)) >= 0) switch (c) {
        case HLO: load(r, &w->programs); break;
        case THUNKS:
            if (thunks_load(&w->thunks, r->arg, &e)) tool_die(r, &e);
            break;
        case PROGRAM: w->program = str_of(r->arg); break;
        case USER_RE:
            if (re_compile(&w->user, r->arg, &e)) tool_usage(r, "--user-re: %s", e.text);
            w->programs.user = &w->user;
            break;
        case DEPTH:
            if (num_u64(str_of(r->arg), &w->depth) || !w->depth || w->depth > 1000)
                tool_usage(r, "--depth: a number from 1 to 1000");
            break;
        default: break;
        }
}

/* What a reader of the tables must know and cannot see there. */
static void messages(struct run *r, const struct attrib *a)
{
    const struct programs *p = a->programs;
    const struct matcher *m = &a->match;
    uint64_t work = 0, none[REASON_COUNT] = {0};
    for (uint32_t i = 0; i < a->fact_keys.count; i++) {
        work += a->fact[i].events;
        if (a->fact[i].match == MATCH_NONE) none[a->fact[i].reason] += a->fact[i].events;
    }
    if (p->bare)
        tool_note(r, "%s: no HLO in this capture (profiled without it): give a dump with --hlo", p->bare);
    if (!work) tool_note(r, "no device work in this table: nothing to attribute");
    for (size_t i = 0; i < p->nprogram; i++)
        if (p->program[i].by_name || p->program[i].rivals)
            tool_note(r, "program %.*s: no HLO of this id; %s %.*s is taken by its name",
                      (int)p->program[i].cell.n, p->program[i].cell.p,
                      p->program[i].rivals ? "the largest of several different" : "that of",
                      (int)p->program[i].name.n, p->program[i].name.p);
    if (none[REASON_NO_HLO])
        tool_note(r, "%llu of %llu device events are of programs whose HLO is not here (--hlo)",
                  (unsigned long long)none[REASON_NO_HLO], (unsigned long long)work);
    for (size_t i = 0; i < m->nprogram; i++)
        if (m->program[i]->misfit)
            tool_note(r,
                      "program %.*s: the HLO is of another build (%llu of %llu names are not in it): nothing "
                      "is matched by name or order",
                      (int)p->program[a->found[i]].cell.n, p->program[a->found[i]].cell.p,
                      (unsigned long long)m->program[i]->unfit,
                      (unsigned long long)(m->program[i]->fits + m->program[i]->unfit));
    if (a->misnamed)
        tool_note(r, "%llu of %llu annotated events name an instruction that their program does not have",
                  (unsigned long long)a->misnamed, (unsigned long long)a->named);
    if (a->split_planes)
        tool_note(r, "the rows of a plane are not together: graphs are matched piece by piece");
    if (m->unstable)
        tool_note(r, "%llu graphs changed their kernels: matched launch by launch",
                  (unsigned long long)m->unstable);
    if (m->contradicted)
        tool_note(r, "%llu graph nodes fell on several instructions and stay none",
                  (unsigned long long)m->contradicted);
    if (m->cut)
        tool_note(r, "%llu stretches of unlabelled launches are too long to place",
                  (unsigned long long)m->cut);
    for (size_t i = 0; i < m->nprogram; i++)
        if (m->program[i]->cut)
            tool_note(r,
                      "program %.*s: %llu instructions nest too deeply or are too many: not matched by name "
                      "or order",
                      (int)p->program[a->found[i]].cell.n, p->program[a->found[i]].cell.p,
                      (unsigned long long)m->program[i]->cut);
    if (!r->verbose) return;
    tool_note(r, "the trace's source differs from the HLO's on %llu events, its cost on %llu",
              (unsigned long long)a->source_differs, (unsigned long long)a->cost_differs);
    tool_note(r, "at most %zu bytes of rows held", a->held_max);
}

int main(int argc, char **argv)
{
    struct run r;
    struct wish w = {0};
    struct attrib a = {.fallback = PROGRAM_NONE};
    struct tsv t;
    struct err e = {0};
    tool_start(&r, &tool);
    read_options(&r, argc, argv, &w);
    a.thunks = &w.thunks;
    if (tsv_open(&t, (const char *const *)r.operand, (size_t)r.noperand, &e)) tool_die(&r, &e);
    if (attrib_open(&a, &t, &w.programs, &e)) tool_die(&r, &e);
    a.event = tool_sink(&r, "event", buf_view(&t.header));
    uint64_t id;
    if (w.program.n && num_u64(w.program, &id))
        a.fallback = programs_find(&w.programs, STR("-"), w.program);
    else if (w.program.n)
        a.fallback = programs_find(&w.programs, w.program, STR("-"));
    while (tsv_next(&t, &e) > 0 && !attrib_row(&a, &e)) continue;
    attrib_end(&a);
    if (e.text[0]) tool_warn(&r, &e);
    for (const struct table *k = tables + 1; k->name; k++) {
        struct tab *out = tool_sink(&r, k->name, STR(""));
        if (out) attrib_table(&a, k->name, (unsigned)w.depth, out);
    }
    messages(&r, &a);
    tsv_close(&t);
    attrib_free(&a);
    if (w.programs.user) regfree(&w.user);
    programs_free(&w.programs);
    thunk_lists_free(&w.thunks);
    return tool_end(&r);
}
