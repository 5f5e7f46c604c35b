#include "kernel.h"
#include "num.h"

/* The first row whose text occurs in the name decides. */
static const struct {
    const char *text;
    struct kernel is;
} rule[] = {
    {"__amd_rocclr_copy", {KERNEL_COPY, 0, false, false}},
    {"__amd_rocclr_fill", {KERNEL_SET, 0, false, false}},
    {"AllGather", {KERNEL_COLLECTIVE, FAMILY_ALL_GATHER, false, false}},
    {"ReduceScatter", {KERNEL_COLLECTIVE, FAMILY_REDUCE_SCATTER, false, false}},
    {"AllReduce", {KERNEL_COLLECTIVE, FAMILY_ALL_REDUCE, false, false}},
    {"SendRecv", {KERNEL_COLLECTIVE, FAMILY_SEND_RECV, false, false}},
    {"AllToAll", {KERNEL_COLLECTIVE, FAMILY_SEND_RECV, false, false}},
    {"Broadcast", {KERNEL_COLLECTIVE, FAMILY_BROADCAST, false, false}},
    {"", {KERNEL_COLLECTIVE, FAMILY_NONE, false, false}}, /* the rows above: NCCL and RCCL kernels only */
    {"splitKreduce", {KERNEL_OTHER, FAMILY_GEMM, true, false}},
    {"PostGSU", {KERNEL_OTHER, FAMILY_GEMM, true, false}},
    {"Cijk_", {KERNEL_OTHER, FAMILY_GEMM, false, false}},
    {"fprop", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"dgrad", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"wgrad", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"igemm_", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"conv", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"Im2d2Col", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"Im3d2Col", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"nchwToNhwc", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"nhwcToNchw", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"cudnn", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"winograd", {KERNEL_OTHER, FAMILY_CONV, false, false}},
    {"fft", {KERNEL_OTHER, FAMILY_FFT, false, false}},
    {"gemm", {KERNEL_OTHER, FAMILY_GEMM, false, false}},
    {"nvjet", {KERNEL_OTHER, FAMILY_GEMM, false, false}},
    {"cublas", {KERNEL_OTHER, FAMILY_GEMM, false, false}},
    {"cutlass", {KERNEL_OTHER, FAMILY_GEMM, false, false}},
    {"gemv", {KERNEL_OTHER, FAMILY_GEMM, false, false}},
    {"potrf", {KERNEL_OTHER, FAMILY_SOLVER, false, false}},
    {"trsm", {KERNEL_OTHER, FAMILY_SOLVER, false, false}},
    {"getrf", {KERNEL_OTHER, FAMILY_SOLVER, false, false}},
    {"syevj", {KERNEL_OTHER, FAMILY_SOLVER, false, false}},
    {"cusolver", {KERNEL_OTHER, FAMILY_SOLVER, false, false}},
    {"rocsolver", {KERNEL_OTHER, FAMILY_SOLVER, false, false}},
    {"RadixSort", {KERNEL_OTHER, FAMILY_SORT, false, false}},
    {"DeviceScan", {KERNEL_OTHER, FAMILY_SORT, false, false}},
};

/* loop_add_fusion_3, wrapped_copy, gemm_fusion_dot_7, triton_softmax: one identifier, in small letters. */
static bool emitted(struct str name)
{
    static const char *const from[] = {"loop_",   "input_", "output_",    "wrapped_",
                                       "triton_", "fusion", "gemm_fusion"};
    bool begins = false;
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) begins |= str_starts(name, from[i]);
    if (!begins && !str_has(name, "_fusion")) return false;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '_' && c != '$') return false;
    }
    return true;
}

struct kernel kernel_of(struct str name)
{
    if (emitted(kernel_plain(name))) return (struct kernel){.emitted = true};
    if (str_starts(name, "Memcpy")) return (struct kernel){.kind = KERNEL_COPY};
    if (str_starts(name, "Memset")) return (struct kernel){.kind = KERNEL_SET};
    bool nccl = str_starts(name, "nccl") || str_has(name, "nccl") || str_has(name, "rccl");
    for (size_t i = 0; i < sizeof rule / sizeof *rule; i++) {
        if (rule[i].is.kind == KERNEL_COLLECTIVE && !nccl) continue;
        if (!*rule[i].text || str_has(name, rule[i].text)) return rule[i].is;
    }
    return (struct kernel){0};
}

struct str kernel_plain(struct str name) { return str_ends(name, ".kd") ? str_n(name.p, name.n - 3) : name; }

void kernel_sanitize(struct str s, struct buf *b)
{
    if (s.n && s.p[0] >= '0' && s.p[0] <= '9') buf_c(b, '_');
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        bool keep = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '$';
        buf_c(b, keep ? c : '_');
    }
}

bool kernel_suffix(struct str name, struct str *base, uint32_t *number)
{
    size_t i = name.n;
    uint64_t v;
    while (i && name.p[i - 1] >= '0' && name.p[i - 1] <= '9') i--;
    if (i == name.n || i < 3 || name.p[i - 1] != '_' || name.p[i - 2] != '_') return false;
    if (num_u64(str_from(name, i), &v) || v > 1000000) return false;
    *base = str_n(name.p, i - 2);
    *number = (uint32_t)v;
    return true;
}
