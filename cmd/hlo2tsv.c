/* HLO modules to tables.  In: HLO text, HloProto, HloModuleProto, or a capture with programs in it.  Held:
 * one module at a time, in about the size of its text, beside the mapped input; of table module a row each.
 */
#include "hlo_rows.h"
#include "kind.h"
#include "tool.h"
#include <stdlib.h>

enum { OPT_COST = OPT_LONG, OPT_USER_RE };

static const struct opt options[] = {
    {OPT_COST, "cost", "MODEL",
     "xla: as XLA's cost analysis (the default); gpu: as XProf shows for GPU programs"},
    {OPT_USER_RE, "user-re", "RE",
     "files that match are the user's (default: outside site-packages, dist-packages, jax)"},
    {0, NULL, NULL, NULL},
};

#define MODULE                                                                                               \
    {"module", "text", "-", "name of the module"}, { "program_id", "int", "-", "unsigned; - in text" }
#define SHAPE                                                                                                \
    {"shape", "text", "-", "shape without layout"},                                                          \
        {"dtype", "text", "-", "element type (of the first leaf)"},                                          \
        {"layout", "text", "-", "layout of each leaf"}, {"tiles", "text", "-", "tiles of each leaf"},        \
        {"memory_space", "text", "-", "of each leaf: 0 default or HBM; TPU 1 VMEM, 5 host"},                 \
        {"bytes", "int", "bytes", "size by shape and layout: tiles, padding; a tuple 8 per element"},        \
    {                                                                                                        \
        "unpadded_bytes", "int", "bytes", "size by shape alone"                                              \
    }
#define COST                                                                                                 \
    {"flops", "int", "flops", "once, nested computations included; - for custom calls"},                     \
        {"transcendentals", "int", "-", "exp, log, tanh ... counted apart"},                                 \
    {                                                                                                        \
        "bytes_accessed", "int", "bytes", "read and written"                                                 \
    }
#define END                                                                                                  \
    {                                                                                                        \
        NULL, NULL, NULL, NULL                                                                               \
    }

static const struct column instr_columns[] = {
    MODULE,
    {"computation", "text", "-", "name of the computation"},
    {"order", "int", "-", "place in the schedule, else in the list"},
    {"instr", "text", "-", "name, without %"},
    {"opcode", "text", "-", "HLO opcode; sugared slice-start is async-start"},
    {"async_op", "text", "-", "what an async-start, -update, -done wraps"},
    {"category", "text", "-", "XLA's op category"},
    SHAPE,
    {"plan_bytes", "int", "bytes", "size in the plan, where the proto has one"},
    {"operands", "text", "-", "names, comma between"},
    {"calls", "text", "-", "role=computation, comma between"},
    {"trip_count", "int", "-", "of a while: known, or inferred from its condition"},
    {"custom_call_target", "text", "-", "target of a custom-call"},
    {"launches", "bool", "-", "1: can launch device work by itself"},
    {"layout_change", "text", "-", "from->to, if it only changes layout"},
    {"op_name", "text", "-", "op_name of the metadata"},
    {"source", "text", "-", "file:line of the innermost user frame"},
    {"stack", "text", "-", "file:line function, innermost first, joined by \" < \""},
    {"member_sources", "text", "-", "of a fusion: the sources of its members, comma between"},
    COST,
    {"flops_total", "int", "flops", "loops by their trips, known custom calls by their models"},
    {"bytes_total", "int", "bytes", "likewise"},
    {"root", "bool", "-", "1: root of its computation"},
    {"entry", "bool", "-", "1: in the entry computation"},
    {"hidden", "bool", "-",
     "1: in the wrapped computation of an async-start; sugared text does not print it"},
    {"index", "int", "-", "parameter number, element of a get-tuple-element"},
    {"alias", "text", "-", "of an entry parameter: the output index it is donated to"},
    {"attributes", "text", "-", "all between operands and metadata, as text prints it"},
    {"backend_config", "text", "-", "as it stands, unquoted"},
    END,
};
static const struct column computation_columns[] = {
    MODULE,
    {"computation", "text", "-", "name"},
    {"instrs", "int", "-", "instructions in it"},
    {"parameters", "int", "-", "parameters among them"},
    {"root", "text", "-", "its root instruction"},
    {"entry", "bool", "-", "1: the entry"},
    {"embedded", "bool", "-", "1: inside one step: a fusion's, a reducer, a comparator"},
    {"hidden", "bool", "-", "1: wrapped by an async-start"},
    {"execution_thread", "text", "-", "as printed"},
    {"callers", "int", "-", "how often it is called"},
    {"caller", "text", "-", "the first instruction that calls it"},
    {"role", "text", "-", "as what"},
    {"trip_count", "int", "-", "of that caller, if it is a while"},
    COST,
    END,
};
static const struct column operand_columns[] = {
    MODULE,
    {"computation", "text", "-", "name of the computation"},
    {"instr", "text", "-", "the user"},
    {"opcode", "text", "-", "of the user"},
    {"position", "int", "-", "which operand, from 0"},
    {"operand", "text", "-", "name; - if it is not in the module"},
    {"operand_opcode", "text", "-", "of the operand"},
    {"bytes", "int", "bytes", "of the operand, by shape and layout"},
    {"unpadded_bytes", "int", "bytes", "by shape alone"},
    END,
};
static const struct column frame_columns[] = {
    MODULE,
    {"frame", "int", "-", "stack_frame_id"},
    {"file", "text", "-", "source file"},
    {"line", "int", "-", "line"},
    {"column", "int", "-", "column"},
    {"function", "text", "-", "function"},
    {"parent", "int", "-", "frame that called it; - none"},
    {"user", "bool", "-", "1: the user's file"},
    END,
};
static const struct column alias_columns[] = {
    MODULE,
    {"output", "text", "-", "index of the output"},
    {"parameter", "int", "-", "number of the parameter that it may overwrite"},
    {"parameter_index", "text", "-", "index in that"},
    {"kind", "enum", "-", "may must"},
    {"instr", "text", "-", "the parameter's name"},
    SHAPE,
    END,
};
static const struct column module_columns[] = {
    MODULE,
    {"file", "text", "-", "where it was read"},
    {"module_id", "text", "-", "of the dump's file name"},
    {"pass_index", "text", "-", "likewise"},
    {"pass", "text", "-", "the pass that left it so"},
    {"stage", "text", "-", "the pipeline, or before_optimizations, after_optimizations"},
    {"computations", "int", "-", "how many"},
    {"instrs", "int", "-", "how many; the largest module comes first"},
    {"entry", "text", "-", "entry computation"},
    COST,
    {"unmodelled", "int", "-", "custom calls that add nothing to the three"},
    {"flops_total", "int", "flops", "loops by their trips, known custom calls by their models"},
    {"transcendentals_total", "int", "-", "likewise"},
    {"bytes_total", "int", "bytes", "likewise"},
    {"parameter_bytes", "int", "bytes", "of the entry, padded"},
    {"output_bytes", "int", "bytes", "of the entry, padded"},
    {"scheduled", "bool", "-", "1: order is the schedule's"},
    {"unknown_trips", "int", "-", "loops taken once in the totals"},
    {"missing", "int", "-", "operands and computations named but not there"},
    END,
};

static const struct table tables[] = {
    {"instr", "an instruction", instr_columns, false},
    {"computation", "a computation", computation_columns, false},
    {"module", "a module, largest first", module_columns, false},
    {"operand", "an operand of an instruction", operand_columns, false},
    {"frame", "a stack frame", frame_columns, false},
    {"alias", "an output that shares a parameter's buffer", alias_columns, false},
    {NULL, NULL, NULL, false},
};

static const struct tool tool = {
    .name = "hlo2tsv",
    .synopsis = "[FILE ...]",
    .summary =
        "Reads HLO modules (text, HloProto, HloModuleProto, plain or gzip) and writes one of their tables.",
    .example = "hlo2tsv -t module dump/*after_optimizations.txt",
    .opt = options,
    .table = tables,
};

struct job {
    struct run run;
    enum cost_kind cost;
    regex_t user;
    bool user_on;
    struct hlo_summary *module;
    size_t nmodule, cap;
    struct arena arena;
    uint64_t rows;
};

static void instr_tables(struct job *j, struct hlo_rows *r)
{
    struct tab *instr = tool_sink(&j->run, "instr", STR("")),
               *operand = tool_sink(&j->run, "operand", STR(""));
    for (uint32_t k = 0; k < r->m->ninstr; k++) {
        if (instr) hlo_row_instr(r, instr, k), j->rows++;
        for (uint32_t n = 0; operand && n < r->m->instr[k].noperand; n++)
            hlo_row_operand(r, operand, k, n), j->rows++;
    }
}

static void other_tables(struct job *j, struct hlo_rows *r)
{
    struct tab *t = tool_sink(&j->run, "computation", STR(""));
    for (uint32_t k = 0; t && k < r->m->ncomputation; k++) hlo_row_computation(r, t, k), j->rows++;
    t = tool_sink(&j->run, "frame", STR(""));
    for (uint32_t k = 1; t && k < r->m->nframe; k++) hlo_row_frame(r, t, k), j->rows++;
    t = tool_sink(&j->run, "alias", STR(""));
    for (uint32_t k = 0; t && k < r->m->nalias; k++) hlo_row_alias(r, t, k), j->rows++;
}

static int on_module(struct hlo_module *m, void *ctx)
{
    struct job *j = ctx;
    struct hlo_rows r;
    struct cost_set cost = {0};
    bool costs =
        tool_wants(&j->run, "instr") || tool_wants(&j->run, "computation") || tool_wants(&j->run, "module");
    if (costs) cost_module(m, j->cost, &cost);
    if (m->missing && !m->cut)
        tool_note(&j->run,
                  "%s: %llu operands or computations are named but not in this fragment; costs lack them",
                  m->source_name, (unsigned long long)m->missing);
    hlo_rows_start(&r, m, costs ? &cost : NULL, j->user_on ? &j->user : NULL);
    instr_tables(j, &r);
    other_tables(j, &r);
    hlo_rows_end(&r);
    if (tool_wants(&j->run, "module")) {
        j->module = mem_grow(j->module, &j->cap, j->nmodule + 1, sizeof *j->module);
        hlo_summarise(&j->module[j->nmodule++], m, &cost, &j->arena);
    }
    cost_free(&cost);
    hlo_free(m);
    return 0;
}

static void file(struct job *j, const char *path)
{
    struct inp in;
    struct err e = {0};
    if (inp_open(&in, path, &e)) tool_die(&j->run, &e);
    if (inp_whole(&in, &e)) tool_die(&j->run, &e);
    if (hlo_read(&in, on_module, j, &e)) tool_warn(&j->run, &e);
    if (inp_close(&in, &e)) tool_warn(&j->run, &e);
}

static void module_table(struct job *j)
{
    struct tab *t = tool_sink(&j->run, "module", STR(""));
    if (!t) return;
    qsort(j->module, j->nmodule, sizeof *j->module, hlo_summary_cmp);
    for (size_t k = 0; k < j->nmodule; k++) hlo_row_module(&j->module[k], t), j->rows++;
    free(j->module);
    arena_free(&j->arena);
}

static void option(struct job *j, int c)
{
    char text[200];
    int r;
    if (c == OPT_COST) {
        if (strcmp(j->run.arg, "gpu") && strcmp(j->run.arg, "xla"))
            tool_usage(&j->run, "--cost is xla or gpu");
        j->cost = !strcmp(j->run.arg, "gpu") ? COST_GPU : COST_BASE;
    } else if (c == OPT_USER_RE) {
        r = regcomp(&j->user, j->run.arg, REG_EXTENDED | REG_NOSUB);
        if (r) {
            regerror(r, &j->user, text, sizeof text);
            tool_usage(&j->run, "\"%s\": %s", j->run.arg, text);
        }
        j->user_on = true;
    }
}

int main(int argc, char **argv)
{
    struct job j = {.cost = COST_BASE};
    int c;
    tool_start(&j.run, &tool);
    while ((c = tool_option(&j.run, argc, argv)) >= 0) option(&j, c);
    for (int k = 0; k < j.run.noperand; k++) file(&j, j.run.operand[k]);
    if (!j.run.noperand) file(&j, "-");
    module_table(&j);
    if (!j.rows && j.run.status < 2) tool_note(&j.run, "no %s in the input", j.run.table->help);
    if (j.user_on) regfree(&j.user);
    return tool_end(&j.run);
}
