/* The rules of what stands by itself (spec: cost 5.2), and the table that says which opcode follows which
 * rule. */
#include "cost_in.h"
#include "hlo_window.h"
#include <stdlib.h>

/* ---- simple ones ---- */

static void nothing(struct costing *c, const struct site *s, struct cost *v) { (void)c, (void)s, (void)v; }
static void moved(struct costing *c, const struct site *s, struct cost *v) { v->bytes = cost_moved(c, s); }

static void element_flops(struct costing *c, const struct site *s, struct cost *v)
{
    v->flops = cost_known(cost_elements(s->result));
    moved(c, s, v);
}

static void transcendental(struct costing *c, const struct site *s, struct cost *v)
{
    v->transcendentals = cost_known(cost_elements(s->result));
    moved(c, s, v);
}

static void tuple(struct costing *c, const struct site *s, struct cost *v)
{
    v->bytes = cost_known(cost_size(c, s->result));
}

/* A transpose that only renames dimensions moves nothing. */
static void transpose(struct costing *c, const struct site *s, struct cost *v)
{
    const struct shape *in = cost_operand(c, s->i, 0), *out = s->result;
    int64_t dim[HLO_RANK];
    uint32_t k = 0, n = (uint32_t)hlo_ints(hlo_attr(s->i, "dimensions"), dim, HLO_RANK);
    if (in && out && n == out->rank && n == in->rank && n <= HLO_RANK)
        for (; k < n; k++) {
            int64_t d = cost_minor(out, k);
            if (d < 0 || d >= n || dim[d] != cost_minor(in, k)) break;
        }
    if (!in || n > HLO_RANK || k < n || n != in->rank) moved(c, s, v);
}

static void sliced(struct costing *c, const struct site *s, struct cost *v)
{
    v->bytes = cost_known(cost_times(2, cost_size(c, s->result)));
}

/* Twice what is moved, and one index: dynamic-slice, gather; and dynamic-update-slice, which moves its
 * update. */
static void indexed(struct costing *c, const struct shape *part, const struct shape *index, struct cost *v)
{
    v->bytes = cost_known(cost_plus(cost_times(2, cost_size(c, part)), cost_size(c, index)));
}

static void dynamic_slice(struct costing *c, const struct site *s, struct cost *v)
{
    indexed(c, s->result, cost_operand(c, s->i, 1), v);
}

static void dynamic_update_slice(struct costing *c, const struct site *s, struct cost *v)
{
    indexed(c, cost_operand(c, s->i, 1), cost_operand(c, s->i, 2), v);
}

static void gather(struct costing *c, const struct site *s, struct cost *v)
{
    indexed(c, s->result, cost_operand(c, s->i, 1), v);
}

static void leaves_only(struct costing *c, const struct site *s, struct cost *v)
{
    if (cost_add_leaves(c, s->result, false, &v->bytes)) v->bytes = -1;
}

static void outfeed(struct costing *c, const struct site *s, struct cost *v)
{
    for (uint32_t k = 0; k < s->i->noperand; k++) {
        float size = 0;
        if (cost_add_leaves(c, cost_operand(c, s->i, k), false, &size)) {
            v->bytes = -1;
            return;
        }
        v->bytes += size;
    }
}

static void all_reduce(struct costing *c, const struct site *s, struct cost *v)
{
    v->flops = cost_known(cost_elements(s->result)); /* as if between two replicas */
    moved(c, s, v);
}

/* ---- linear algebra ---- */

static void dot(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t d[HLO_RANK];
    size_t n = hlo_ints(hlo_attr(s->i, "lhs_contracting_dims"), d, HLO_RANK);
    v->flops = cost_dot_flops(cost_operand(c, s->i, 0), s->result, d, n);
    moved(c, s, v);
}

/* The leading output dimensions, as many as rhs has group dimensions, do not count. */
static void ragged_dot(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t d[HLO_RANK], group[HLO_RANK];
    size_t n = hlo_ints(hlo_attr(s->i, "lhs_contracting_dims"), d, HLO_RANK);
    size_t skip = hlo_ints(hlo_attr(s->i, "rhs_group_dims"), group, HLO_RANK);
    moved(c, s, v);
    v->flops = -1;
    if (!s->result || skip > s->result->rank) return;
    struct shape inner = *s->result;
    inner.dim += skip;
    inner.rank -= (uint32_t)skip;
    v->flops = cost_dot_flops(cost_operand(c, s->i, 0), &inner, d, n);
}

static void convolution(struct costing *c, const struct site *s, struct cost *v)
{
    v->flops = cost_conv_flops(s->i, cost_operand(c, s->i, 0), cost_operand(c, s->i, 1), s->result);
    moved(c, s, v);
}

static int64_t log2_floor(int64_t n)
{
    int64_t k = -1;
    for (; n > 0; n >>= 1) k++;
    return k;
}

static void fft(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t len[HLO_RANK], flops = cost_times(8, cost_elements(cost_first(cost_operand(c, s->i, 0))));
    size_t n = hlo_ints(hlo_attr(s->i, "fft_length"), len, HLO_RANK);
    for (size_t k = 0; k < n && k < HLO_RANK; k++) flops = cost_times(flops, log2_floor(len[k]));
    v->flops = cost_known(flops);
    moved(c, s, v);
}

static void triangular_solve(struct costing *c, const struct site *s, struct cost *v)
{
    const struct shape *a = cost_operand(c, s->i, 0), *b = cost_operand(c, s->i, 1);
    int64_t out = cost_size(c, s->result), in = cost_size(c, a), more = cost_size(c, b);
    v->bytes = out < 0 || in < 0 || more < 0 ? -1 : (float)out + (float)in / 2 + (float)more;
    v->flops =
        cost_known(a && a->rank ? cost_times(2, cost_times(cost_elements(b), a->dim[a->rank - 1])) : -1);
}

static void cholesky(struct costing *c, const struct site *s, struct cost *v)
{
    const struct shape *a = cost_operand(c, s->i, 0);
    int64_t in = cost_size(c, a), n = a && a->rank ? cost_times(cost_elements(a), a->dim[a->rank - 1]) : -1;
    v->bytes = in < 0 ? -1 : (float)in / 2 + (float)in / 2;
    v->flops = cost_known(n < 0 ? -1 : n / 3);
}

static void sort(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t n = cost_elements(cost_operand(c, s->i, 0));
    v->flops = cost_known(n <= 1 ? n < 0 ? -1 : 0 : cost_times(n, log2_floor(n - 1) + 1));
    moved(c, s, v);
}

/* ---- the table, in byte order of the names ---- */

#define FLOP(name)                                                                                           \
    {                                                                                                        \
        name, element_flops, cost_cycles, OP_ELEMENTWISE                                                     \
    }
#define TRANS(name)                                                                                          \
    {                                                                                                        \
        name, transcendental, cost_cycles, OP_ELEMENTWISE                                                    \
    }
#define MOVE(name)                                                                                           \
    {                                                                                                        \
        name, moved, moved, 0                                                                                \
    }
#define NONE(name)                                                                                           \
    {                                                                                                        \
        name, nothing, nothing, 0                                                                            \
    }

static const struct op table[] = {
    FLOP("abs"),
    TRANS("acos"),
    TRANS("acosh"),
    FLOP("add"),
    NONE("add-dependency"),
    NONE("after-all"),
    {"all-gather", moved, cost_gpu_all_gather, 0},
    MOVE("all-gather-done"),
    {"all-gather-start", moved, cost_gpu_all_gather_start, 0},
    {"all-reduce", all_reduce, cost_gpu_all_reduce, OP_COMBINES},
    MOVE("all-reduce-done"),
    {"all-reduce-start", all_reduce, cost_gpu_all_reduce_start, OP_COMBINES},
    MOVE("all-to-all"),
    FLOP("and"),
    TRANS("asin"),
    TRANS("asinh"),
    MOVE("async-done"),
    {"async-start", cost_async_start, cost_gpu_async_start, OP_CALLS | OP_CONTROL},
    MOVE("async-update"),
    TRANS("atan2"),
    TRANS("atanh"),
    MOVE("batch-norm-grad"),
    MOVE("batch-norm-inference"),
    MOVE("batch-norm-training"),
    NONE("bitcast"),
    FLOP("bitcast-convert"),
    MOVE("broadcast"),
    {"call", cost_call, cost_call, OP_CALLS | OP_CONTROL},
    TRANS("cbrt"),
    FLOP("ceil"),
    {"cholesky", cholesky, cholesky, 0},
    FLOP("clamp"),
    MOVE("collective-broadcast"),
    MOVE("collective-permute"),
    MOVE("collective-permute-done"),
    MOVE("collective-permute-start"),
    FLOP("compare"),
    FLOP("complex"),
    {"concatenate", moved, cost_gpu_concatenate, 0},
    {"conditional", cost_conditional, cost_conditional, OP_CALLS | OP_CONTROL},
    NONE("constant"),
    FLOP("convert"),
    {"convolution", convolution, convolution, OP_DOT},
    {"copy", moved, moved, OP_ELEMENTWISE},
    MOVE("copy-done"),
    MOVE("copy-start"),
    TRANS("cosh"),
    TRANS("cosine"),
    FLOP("count-leading-zeros"),
    {"custom-call", cost_custom_call, cost_gpu_custom_call, OP_CONTROL | OP_LIBRARY},
    FLOP("divide"),
    NONE("domain"),
    {"dot", dot, dot, OP_DOT},
    MOVE("dynamic-reshape"),
    {"dynamic-slice", dynamic_slice, dynamic_slice, 0},
    {"dynamic-update-slice", dynamic_update_slice, dynamic_update_slice, 0},
    TRANS("erf"),
    TRANS("exponential"),
    TRANS("exponential-minus-one"),
    {"fft", fft, fft, 0},
    FLOP("floor"),
    {"fusion", cost_fusion, cost_fusion, OP_CALLS | OP_FUSION},
    {"gather", gather, gather, 0},
    MOVE("get-dimension-size"),
    NONE("get-tuple-element"),
    FLOP("imag"),
    {"infeed", leaves_only, leaves_only, 0},
    MOVE("iota"),
    FLOP("is-finite"),
    TRANS("log"),
    TRANS("log-plus-one"),
    TRANS("logistic"),
    {"map", cost_map, cost_map, OP_ELEMENTWISE | OP_CALLS},
    FLOP("maximum"),
    FLOP("minimum"),
    FLOP("mulhi"),
    FLOP("multiply"),
    FLOP("negate"),
    FLOP("not"),
    MOVE("opt-barrier"),
    FLOP("or"),
    {"outfeed", outfeed, outfeed, 0},
    MOVE("pad"),
    {"parameter", nothing, nothing, OP_PARAMETER},
    MOVE("partition-id"),
    FLOP("popcnt"),
    TRANS("power"),
    MOVE("ragged-all-to-all"),
    {"ragged-dot", ragged_dot, ragged_dot, OP_DOT},
    FLOP("real"),
    MOVE("recv"),
    MOVE("recv-done"),
    {"reduce", cost_reduce, cost_gpu_reduce, OP_CALLS},
    FLOP("reduce-precision"),
    {"reduce-scatter", moved, cost_gpu_reduce_scatter, OP_COMBINES},
    {"reduce-window", cost_reduce_window, cost_reduce_window, OP_CALLS},
    FLOP("remainder"),
    MOVE("replica-id"),
    MOVE("reshape"),
    MOVE("reverse"),
    {"rng", transcendental, transcendental, 0},
    {"rng-bit-generator", transcendental, transcendental, 0},
    MOVE("rng-get-and-update-state"),
    FLOP("round-nearest-afz"),
    FLOP("round-nearest-even"),
    TRANS("rsqrt"),
    {"scaled-dot", dot, dot, OP_DOT},
    {"scan", cost_scan, cost_scan, OP_CALLS},
    {"scatter", cost_scatter, cost_scatter, OP_CALLS},
    FLOP("select"),
    {"select-and-scatter", cost_select_and_scatter, cost_select_and_scatter, OP_CALLS},
    MOVE("send"),
    MOVE("send-done"),
    MOVE("set-dimension-size"),
    FLOP("shift-left"),
    FLOP("shift-right-arithmetic"),
    FLOP("shift-right-logical"),
    FLOP("sign"),
    TRANS("sine"),
    TRANS("sinh"),
    {"slice", sliced, sliced, 0},
    {"sort", sort, sort, 0},
    TRANS("sqrt"),
    FLOP("stochastic-convert"),
    FLOP("subtract"),
    TRANS("tan"),
    TRANS("tanh"),
    MOVE("topk"),
    {"transpose", transpose, transpose, 0},
    {"triangular-solve", triangular_solve, triangular_solve, 0},
    {"tuple", tuple, tuple, 0},
    {"while", cost_loop, cost_loop, OP_CALLS | OP_CONTROL},
    FLOP("xor"),
};

static int by_name(const void *key, const void *op)
{
    return str_cmp(*(const struct str *)key, str_of(((const struct op *)op)->name));
}

const struct op *cost_op(struct str opcode)
{
    static const struct op none = {"", NULL, NULL, 0};
    const struct op *o = bsearch(&opcode, table, sizeof table / sizeof *table, sizeof *table, by_name);
    return o ? o : &none;
}
