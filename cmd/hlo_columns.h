/* The columns of hlo2tsv's tables, in the order of the row functions of hlo_rows.c. */
#ifndef HLO_COLUMNS_H
#define HLO_COLUMNS_H
#include "opt.h"

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
    {"runs", "int", "-", "with --capture: how often it ran there"},
    {"run_ps", "int", "ps", "with --capture: how long, all runs and devices"},
    {"longest", "bool", "-", "with --capture: 1: no program of the capture ran longer"},
    END,
};
#endif
