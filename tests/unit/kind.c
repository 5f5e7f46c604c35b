/* What kind of file this is: each kind by its smallest beginning, and nothing outside the bytes is looked at.
 */
#include "check.h"
#include "kind.h"

#define IS(lit, k) CHECK(kind_of("" lit, sizeof(lit) - 1) == (k))

int main(void)
{
    IS("", KIND_EMPTY);
    IS("HloModule jit_f, is_scheduled=true\n", KIND_HLO_TEXT);
    IS("\n\nHloModule jit_f\n", KIND_HLO_TEXT);
    IS("fused_computation {\n  p = f32[] parameter(0)\n", KIND_HLO_TEXT);
    IS("  %add.1 = f32[] add(%a, %b)\n", KIND_HLO_TEXT);
    IS("// RUN: opt %s\n// by hand\n\nmax {\n  %a = f32[] parameter(0)\n", KIND_HLO_TEXT);
    IS("rank,program_id,hlo_op_expression\n1,7,\"%a = f32[] add(%b, %c)\"\n", KIND_TABLE);
    IS("module\tinstr\nstablehlo.add\tx\n", KIND_TABLE);
    IS("module @jit_f attributes {mhlo.num_partitions = 1 : i32} {\n", KIND_STABLEHLO);
    IS("ML\xefR\x01StableHLO", KIND_STABLEHLO);
    IS("BufferAssignment:\nallocation 0: size 4\n", KIND_BUFFERS);
    IS("{\"traceEvents\":[{\"name\":\"a\001\"}", KIND_TRACE_JSON);
    IS("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", KIND_TRACE_JSON);
    IS("plane\tline\tname\n", KIND_TABLE);
    IS("HloLiveRange (max 89):\n", KIND_OTHER_DUMP);
    IS("001: kCopy         [source       | next=002 (1)] kCopy\n", KIND_OTHER_DUMP);
    IS("<html><body>404", KIND_WEB_PAGE);
    IS("E1 RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem {\n", KIND_LOG);
    IS("Dear all,\n", KIND_TEXT);
    IS("\0\0\0\0", KIND_BINARY);
    IS("\x0a\x05jit_f\x12\x04main", KIND_HLO_MODULE);
    IS("\x0a\x0d\x0a\x05jit_f\x12\x04main", KIND_HLO_PROTO);
    IS("\x0a\x50\x0a\x05jit_f\x12\x04main", KIND_HLO_PROTO); /* cut */
    IS("\x0a\x10\x08\x01\x12\x09/host:CPU", KIND_XPLANE);
    IS("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", KIND_BINARY);
    for (int k = KIND_EMPTY; k <= KIND_BINARY; k++) CHECK(kind_says((enum kind)k)[0]);
    DONE;
}
