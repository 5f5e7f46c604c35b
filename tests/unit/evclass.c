/* What events are, by names and stats. */
#include "check.h"
#include "evcol.h"

static void names(void)
{
    static const struct {
        enum ev_line line;
        const char *name;
        enum ev_class c;
    } want[] = {
        {LINE_HOST, "cuLaunchKernel", EV_LAUNCH},
        {LINE_HOST, "cudaLaunchKernelExC", EV_LAUNCH},
        {LINE_HOST, "hipExtModuleLaunchKernel", EV_LAUNCH},
        {LINE_HOST, "cuMemcpyHtoDAsync_v2", EV_LAUNCH},
        {LINE_HOST, "hipMemsetD32Async", EV_LAUNCH},
        {LINE_HOST, "cuGraphLaunch (CudaGraph:5)", EV_GRAPH_LAUNCH},
        {LINE_HOST, "hipGraphLaunch", EV_GRAPH_LAUNCH},
        {LINE_HOST, "cuGraphInstantiate", EV_HOST},
        {LINE_HOST, "cuStreamSynchronize", EV_SYNC},
        {LINE_HOST, "hipEventSynchronize", EV_SYNC},
        {LINE_HOST, "cuStreamWaitEvent", EV_HOST},
        {LINE_HOST, "cuMemAllocAsync", EV_ALLOC},
        {LINE_HOST, "cudaFree", EV_ALLOC},
        {LINE_HOST, "hipHostMalloc", EV_ALLOC},
        {LINE_HOST, "current", EV_HOST},
        {LINE_HOST, "$file.py:1 f", EV_HOST},
        {LINE_HOST, "", EV_HOST},
        {LINE_STREAM, "loop_add_fusion", EV_KERNEL},
        {LINE_STREAM, "MemcpyD2H", EV_MEMCPY},
        {LINE_STREAM, "Memset", EV_MEMSET},
        {LINE_STREAM, "MemoryAlloc", EV_OTHER},
        {LINE_STREAM, "__amd_rocclr_copyBufferRect.kd", EV_MEMCPY},
        {LINE_STREAM, "__amd_rocclr_fillBufferAligned.kd", EV_MEMSET},
        {LINE_STREAM, "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", EV_COLLECTIVE},
        {LINE_STREAM, "void ncclKernel_AllReduce", EV_COLLECTIVE},
        {LINE_OP, "all-gather-done.7", EV_COLLECTIVE},
        {LINE_OP, "psum.7", EV_COLLECTIVE},
        {LINE_OP, "copy.8", EV_OP},
        {LINE_OP, "copy-done.8", EV_MEMCPY},
        {LINE_OP, "all-reduce_fusion", EV_OP},
        {LINE_MODULE, "cuLaunchKernel", EV_MODULE},
        {LINE_DERIVED, "MemcpyD2H", EV_OTHER},
        {LINE_ASYNC, "all-reduce.1", EV_ASYNC},
    };
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        enum ev_class c = ev_classify(want[i].line, str_of(want[i].name), str_of(want[i].name), STR(""));
        CHECK(c == want[i].c || (printf("%s: %s\n", want[i].name, ev_class_name(c)), 0));
    }
    for (int c = 0; c < EV_CLASSES; c++) CHECK(ev_class_from(str_of(ev_class_name((enum ev_class)c))) == c);
    CHECK(ev_class_from(STR("kernels")) == -1);
}

static void lines(void)
{
    CHECK(ev_plane_kind(STR("/host:metadata")) == PLANE_OTHER &&
          ev_plane_kind(STR("/host:CPU [12]")) == PLANE_HOST);
    CHECK(ev_plane_kind(STR("/device:TPU:0 SparseCore 1")) == PLANE_DEVICE &&
          ev_plane_kind(STR("#Chip 0")) == PLANE_OTHER);
    CHECK(ev_line_kind(PLANE_GPU, STR("Stream #2")) == LINE_STREAM);
    CHECK(ev_line_kind(PLANE_GPU, STR("XLA Ops")) == LINE_DERIVED &&
          ev_line_kind(PLANE_DEVICE, STR("XLA Ops")) == LINE_OP);
    CHECK(ev_line_kind(PLANE_GPU, STR("XLA Ops - from #7")) == LINE_DERIVED);
    CHECK(ev_line_kind(PLANE_GPU, STR("queue 1")) == LINE_UNSURE &&
          ev_line_kind(PLANE_HOST, STR("XLA Ops")) == LINE_HOST);
    CHECK(ev_line_kind(PLANE_DEVICE, STR("Sparse Core Ops")) == LINE_OP);
    CHECK(ev_refine(EV_OTHER, LINE_UNSURE, HINT_KERNEL) == EV_KERNEL &&
          ev_refine(EV_OTHER, LINE_UNSURE, 0) == EV_OTHER);
    CHECK(ev_refine(EV_KERNEL, LINE_STREAM, HINT_OP | HINT_COLLECTIVE) == EV_COLLECTIVE);
    CHECK(ev_refine(EV_MEMCPY, LINE_STREAM, HINT_OP | HINT_COLLECTIVE) == EV_MEMCPY);
    CHECK(ev_refine(EV_HOST, LINE_HOST, HINT_OP) == EV_OP &&
          ev_refine(EV_HOST, LINE_HOST, HINT_OP | HINT_API) == EV_HOST);
    CHECK(ev_refine(EV_HOST, LINE_HOST, HINT_CALL | HINT_GRAPH) == EV_GRAPH_LAUNCH);
}

static void instructions(void)
{
    struct str id;
    CHECK(str_is(ev_instr_opcode(STR("%a.1 = (f32[2]{0:T(8,128)}, u32[]) all-reduce-start(f32[2] %x)")),
                 "all-reduce-start"));
    CHECK(str_is(ev_instr_opcode(STR("ROOT %t = () tuple()")), "tuple") &&
          !ev_instr_opcode(STR("%a = f32[")).n);
    CHECK(!ev_instr_opcode(STR("add.1")).n && !ev_instr_opcode(STR("a = b")).n);
    CHECK(str_is(ev_instr_name(STR("ROOT %t.3 = () tuple()")), "t.3") &&
          str_is(ev_instr_name(STR("t.3")), "t.3"));
    CHECK(str_is(ev_module_name(STR("jit_f(12)"), &id), "jit_f") && str_is(id, "12"));
    CHECK(str_is(ev_module_name(STR("jit_f(x)"), &id), "jit_f(x)") && !id.n);
    CHECK(str_is(ev_module_name(STR("()"), &id), "()") && !id.n);
    CHECK(ev_op_hints(STR("outer::all-reduce.12")) == (HINT_OP | HINT_COLLECTIVE));
    CHECK(ev_op_hints(STR("collective-permute-start")) == (HINT_OP | HINT_COLLECTIVE));
    CHECK(ev_op_hints(STR("add.1.2")) == HINT_OP && ev_op_hints(STR("")) == HINT_OP &&
          ev_op_hints(STR("7")) == HINT_OP);
}

static bool cell_is(unsigned col, struct val v, const char *want)
{
    struct buf b = {0};
    val_cell(&b, ev_val(col, v));
    bool yes = str_is(buf_view(&b), want);
    buf_free(&b);
    return yes;
}

static void values(void)
{
    CHECK(cell_is(COL_PROGRAM, (struct val){.kind = VAL_I64, .i = -1}, "18446744073709551615"));
    CHECK(cell_is(COL_PROGRAM, (struct val){.kind = VAL_TEXT, .s = STR("-1")}, "18446744073709551615"));
    CHECK(cell_is(COL_RUN, (struct val){.kind = VAL_I64, .i = -1}, "-1"));
    CHECK(cell_is(COL_FLOPS, (struct val){.kind = VAL_I64, .i = -1}, "-"));
    CHECK(cell_is(COL_FLOPS, (struct val){.kind = VAL_F64, .f = 1e17}, "100000000000000000"));
    CHECK(cell_is(COL_BYTES, (struct val){.kind = VAL_TEXT, .s = STR("-1")}, "-"));
    CHECK(ev_key(STR("hlo_op"))->col == COL_HLO_OP && !ev_key(STR("hlo_o")) && !ev_key(STR("")));
}

int main(void)
{
    names();
    lines();
    instructions();
    values();
    DONE;
}
