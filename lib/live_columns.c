/* The tables of liveness(1) and their columns; the rows are made in live_tab.c. */
#include "live_tab.h"

#define ID                                                                                                   \
    {"module", "text", "-", "name of the module"},                                                           \
    {                                                                                                        \
        "memory_space", "int", "-", "memory space: 0 is main memory (HBM), 1 a TPU's VMEM, 5 host"           \
    }
#define BASIS                                                                                                \
    {                                                                                                        \
        "basis", "enum", "-",                                                                                \
            "plan: the heap trace replayed; ranges: live ranges of the text; fixed: neither; estimate: HLO"  \
    }

static const struct column timeline_columns[] = {
    ID,
    {"order", "int", "-", "program order: event of the heap trace, or number in the flattened schedule"},
    {"instr", "text", "-", "instruction that defines the value; - on the last row"},
    {"event", "enum", "-", "alloc free share unknown; - on the last row"},
    {"buffer", "int", "-", "id of the value"},
    {"delta_bytes", "int", "bytes", "what the event adds to the heap"},
    {"heap_bytes", "int", "bytes", "the heap before the event, with all that counts for the whole program"},
    {"unpadded_bytes", "int", "bytes", "the same with temporaries unpadded"},
    BASIS,
    {0}};

static const struct column summary_columns[] = {
    ID,
    {"peak_bytes", "int", "bytes", "most that is held at once"},
    {"peak_unpadded_bytes", "int", "bytes", "the same moment with temporaries unpadded"},
    {"argument_bytes", "int", "bytes", "allocations of entry parameters: the inputs"},
    {"maybe_live_out_bytes", "int", "bytes", "allocations that may live after the program: the outputs"},
    {"non_reusable_bytes", "int", "bytes", "thread-local allocations and tuple tables"},
    {"total_bytes", "int", "bytes", "all allocations"},
    {"indefinite_bytes", "int", "bytes", "allocations that count for the whole program"},
    {"padding_bytes", "int", "bytes", "padding of the temporaries at the peak"},
    {"stack_temp_bytes", "int", "bytes", "temporaries at the peak: peak - indefinite"},
    {"temp_bytes", "int", "bytes", "temporary allocations: total - indefinite"},
    {"fragmentation", "float", "fraction", "(total - peak) / (total - indefinite); may be negative"},
    {"peak_order", "int", "-", "program order of the peak"},
    {"peak_instr", "text", "-", "instruction there"},
    {"scoped_vmem_bytes", "int", "bytes", "most scoped memory of one instruction (memory space 1)"},
    {"opaque_calls", "int", "-", "kernels whose own scratch is not in the plan (Pallas, Triton, Mosaic)"},
    {"opaque_io_bytes", "int", "bytes", "their operands and results"},
    {"points", "int", "-", "rows of the timeline"},
    {"constant_bytes", "int", "bytes", "allocations of constants"},
    {"layout_copy_bytes", "int", "bytes", "values that only change a layout, summed over the program"},
    {"custom_call_scratch_bytes", "int", "bytes",
     "byte arrays that custom calls return beside their results"},
    {"occupied_peak_bytes", "int", "bytes", "most addresses in use at once: live ranges by place"},
    {"heaps", "int", "-", "heap traces of this memory space: Memory Viewer shows one"},
    BASIS,
    {0}};

static const struct column peak_columns[] = {
    ID,
    {"instr", "text", "-", "defining instruction, with the index into its tuple as x{1}"},
    {"size_bytes", "int", "bytes", "size with padding"},
    {"unpadded_bytes", "int", "bytes", "size without padding"},
    {"padding_bytes", "int", "bytes", "the difference"},
    {"kind", "enum", "-", "parameter output temporary constant thread_local"},
    {"shape", "text", "-", "with layout"},
    {"op_name", "text", "-", "op_name"},
    {"source", "text", "-", "line of the user's program"},
    {"stack", "text", "-", "call stack, innermost first"},
    {"start", "int", "-", "first order at which it is held"},
    {"end", "int", "-", "last order, inclusive"},
    {"opcode", "text", "-", "HLO opcode"},
    {"layout_change", "text", "-", "{from}->{to} where it only changes a layout"},
    BASIS,
    {0}};

static const struct column lifetime_columns[] = {
    ID,
    {"instr", "text", "-", "defining instruction, with the index into its tuple as x{1}"},
    {"size_bytes", "int", "bytes", "size with padding"},
    {"kind", "enum", "-", "parameter output temporary constant thread_local"},
    {"start", "int", "-", "first order at which it is held"},
    {"end", "int", "-", "last order, inclusive"},
    {"orders", "int", "-", "how many"},
    {"byte_orders", "int", "bytes x orders", "size_bytes x orders"},
    {"at_peak", "bool", "-", "1: it is held at the peak"},
    {"shape", "text", "-", "with layout"},
    {"op_name", "text", "-", "op_name"},
    {"source", "text", "-", "line of the user's program"},
    BASIS,
    {0}};

static const struct column blame_columns[] = {
    ID,
    {"by", "enum", "-",
     "kind source op_name opcode: each adds up to the peak; layout_copy opaque_call: parts"},
    {"key", "text", "-", "what holds the bytes; - if not told"},
    {"bytes", "int", "bytes", "held at the peak"},
    {"share", "float", "fraction", "of the peak"},
    {"buffers", "int", "-", "how many values"},
    BASIS,
    {0}};

static const struct column shrink_columns[] = {
    ID,
    {"cause", "enum", "-", "layout_copy f32_to_bf16 recompute undonated_argument padding"},
    {"source", "text", "-", "line of the user's program; `all`: the cause everywhere"},
    {"op_name", "text", "-", "where the line is not told"},
    {"buffers", "int", "-", "values it touches"},
    {"touched_bytes", "int", "bytes", "their sizes, summed"},
    {"bytes", "int", "bytes", "by which the peak falls if it were gone, replayed"},
    {"peak_after_bytes", "int", "bytes", "the peak that is left"},
    {"instr", "text", "-", "the largest of them"},
    {"label", "text", "-", "guess, not run"},
    BASIS,
    {0}};

static const struct column module_columns[] = {
    ID,
    {"peak_bytes", "int", "bytes", "most that is held at once; the largest comes first"},
    {"argument_bytes", "int", "bytes", "inputs"},
    {"maybe_live_out_bytes", "int", "bytes", "outputs"},
    {"stack_temp_bytes", "int", "bytes", "temporaries at the peak"},
    {"total_bytes", "int", "bytes", "all allocations"},
    {"fragmentation", "float", "fraction", "(total - peak) / (total - indefinite)"},
    {"largest_instr", "text", "-", "what holds most at the peak"},
    {"largest_bytes", "int", "bytes", "its size"},
    {"largest_source", "text", "-", "line of the user's program"},
    {"layout_copy_bytes", "int", "bytes", "values that only change a layout, summed"},
    {"opaque_calls", "int", "-", "kernels whose own scratch is not in the plan"},
    BASIS,
    {0}};

static const struct column run_columns[] = {
    {"step", "int", "-", "place in the run, from 0"},
    {"module", "text", "-", "name of the program, as the capture has it"},
    {"program_id", "int", "-", "the capture's id"},
    {"runs", "int", "-",
     "how often it ran before another one did; - if the capture does not tell runs apart"},
    {"start_ps", "int", "ps", "of the first"},
    {"dur_ps", "int", "ps", "of all of them"},
    {"share", "float", "fraction", "of the time of all runs"},
    {"peak_bytes", "int", "bytes", "its peak; - if no plan was given"},
    {"argument_bytes", "int", "bytes", "inputs: there before it starts"},
    {"new_output_bytes", "int", "bytes", "outputs that are no donated inputs: there until someone lets go"},
    {"resident_after_bytes", "int", "bytes",
     "inputs and outputs, donated ones once: what stays when it ends"},
    {"launched_by", "text", "-", "the host call of its name, where the capture tells"},
    {0}};

const struct table live_tables[] = {
    {"timeline", "an event of the program, with the heap before it", timeline_columns, false},
    {"summary", "a module in one memory space", summary_columns, false},
    {"peak", "what is held at the peak, or at --at", peak_columns, false},
    {"lifetime", "a value and how long it is held", lifetime_columns, false},
    {"blame", "who holds the bytes of the peak", blame_columns, false},
    {"shrink", "what would lower the peak: guesses, replayed, not run", shrink_columns, false},
    {"module", "the modules side by side", module_columns, false},
    {"run", "the modules as a capture ran them (--events)", run_columns, false},
    {0}};
