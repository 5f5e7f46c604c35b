/* Device events to the instructions and source lines they come from. */
#include "attrib.h"
#include "num.h"
#include "tool.h"
#include <stdlib.h>

enum { HLO = OPT_LONG, PROGRAM, USER_RE, DEPTH };

static const struct opt options[] = {
    {HLO, "hlo", "FILE", "the programs: a capture, HLO text or proto, or a folder of them (may be repeated)"},
    {PROGRAM, "program", "ID", "the program of device work that names an instruction but no program"},
    {USER_RE, "user-re", "RE",
     "source files that match are the user's (default: outside site-packages, jax)"},
    {DEPTH, "depth", "N", "path elements of op_name that make a scope (2)"},
    {0}};

static const struct column event_columns[] = {
    {"match", "enum", "-", "exact, name, order, thunk, none; - on rows that are no device work"},
    {"reason", "text", "-", "why none"},
    {"program", "text", "-", "id of the program, else its module's name"},
    {"computation", "text", "-", "the computation that holds the instruction"},
    {"instr", "text", "-", "HLO instruction"},
    {"opcode", "text", "-", "its opcode"},
    {"category", "text", "-", "XLA's category of it"},
    {"op_name", "text", "-", "path of the operation in the user's program"},
    {"source", "text", "-", "file:line of the user's program"},
    {"source_from", "enum", "-", "trace or hlo"},
    {"dtype", "text", "-", "the type that is computed in"},
    {"flops", "int", "flops", "of one execution of the instruction"},
    {"bytes", "int", "bytes", "accessed by one execution"},
    {"cost_from", "enum", "-", "trace, hlo, or model (of a library call)"},
    {"execution", "int", "-", "which execution of the instruction on this device, from 0"},
    {"part", "text", "-", "i/n: the i-th of the n events of that execution"},
    {0}};
static const struct table tables[] = {{"event", "an event", event_columns, true}, {0}};
static const struct tool tool = {"attrib",
                                 "[FILE ...]",
                                 "Reads an event table; appends to each event of a device the instruction it "
                                 "comes from, how that is known, its source line and its cost.",
                                 "xplane2tsv cap.xplane.pb | attrib --hlo cap.xplane.pb",
                                 options,
                                 tables};

static void load(struct run *r, struct programs *p, const char *path)
{
    struct err e = {0};
    if (!programs_load(p, path, &e)) return;
    if (!p->nmodule) tool_die(r, &e);
    tool_warn(r, &e);
}

int main(int argc, char **argv)
{
    struct run r;
    struct programs p = {0};
    struct attrib a = {.fallback = PROGRAM_NONE};
    struct tsv t;
    struct err e = {0};
    int c, more;
    tool_start(&r, &tool);
    while ((c = tool_option(&r, argc, argv)) >= 0)
        if (c == HLO) load(&r, &p, r.arg);
    if (tsv_open(&t, (const char *const *)r.operand, (size_t)r.noperand, &e)) tool_die(&r, &e);
    if (attrib_open(&a, &t, &p, tool_sink(&r, "event", buf_view(&t.header)), &e)) tool_die(&r, &e);
    while ((more = tsv_next(&t, &e)) > 0)
        if (attrib_row(&a, &e)) break;
    attrib_end(&a);
    if (e.text[0]) tool_warn(&r, &e);
    tsv_close(&t);
    attrib_free(&a);
    programs_free(&p);
    return tool_end(&r);
}
