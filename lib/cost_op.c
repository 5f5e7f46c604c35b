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

/* ---- the table, in the order of str_cmp_length ---- */

#define FLOP(name)                                                                                           \
    {                                                                                                        \
        STR(name), element_flops, cost_cycles, OP_ELEMENTWISE                                                \
    }
#define TRANS(name)                                                                                          \
    {                                                                                                        \
        STR(name), transcendental, cost_cycles, OP_ELEMENTWISE                                               \
    }
#define MOVE(name)                                                                                           \
    {                                                                                                        \
        STR(name), moved, moved, 0                                                                           \
    }
#define NONE(name)                                                                                           \
    {                                                                                                        \
        STR(name), nothing, nothing, 0                                                                       \
    }

static const struct op table[] = {
    FLOP("or"),
    FLOP("abs"),
    FLOP("add"),
    FLOP("and"),
    {STR("dot"), dot, dot, OP_DOT},
    TRANS("erf"),
    {STR("fft"), fft, fft, 0},
    TRANS("log"),
    {STR("map"), cost_map, cost_map, OP_ELEMENTWISE | OP_CALLS},
    FLOP("not"),
    MOVE("pad"),
    {STR("rng"), transcendental, transcendental, 0},
    TRANS("tan"),
    FLOP("xor"),
    TRANS("acos"),
    TRANS("asin"),
    {STR("call"), cost_call, cost_call, OP_CALLS | OP_CONTROL},
    TRANS("cbrt"),
    FLOP("ceil"),
    {STR("copy"), moved, moved, OP_ELEMENTWISE},
    TRANS("cosh"),
    FLOP("imag"),
    MOVE("iota"),
    FLOP("real"),
    MOVE("recv"),
    {STR("scan"), cost_scan, cost_scan, OP_CALLS},
    MOVE("send"),
    FLOP("sign"),
    TRANS("sine"),
    TRANS("sinh"),
    {STR("sort"), sort, sort, 0},
    TRANS("sqrt"),
    TRANS("tanh"),
    MOVE("topk"),
    TRANS("acosh"),
    TRANS("asinh"),
    TRANS("atan2"),
    TRANS("atanh"),
    FLOP("clamp"),
    FLOP("floor"),
    FLOP("mulhi"),
    TRANS("power"),
    TRANS("rsqrt"),
    {STR("slice"), sliced, sliced, 0},
    {STR("tuple"), tuple, tuple, 0},
    {STR("while"), cost_loop, cost_loop, OP_CALLS | OP_CONTROL},
    TRANS("cosine"),
    FLOP("divide"),
    NONE("domain"),
    {STR("fusion"), cost_fusion, cost_fusion, OP_CALLS | OP_FUSION},
    {STR("gather"), gather, gather, 0},
    {STR("infeed"), leaves_only, leaves_only, 0},
    FLOP("negate"),
    FLOP("popcnt"),
    {STR("reduce"), cost_reduce, cost_gpu_reduce, OP_CALLS},
    FLOP("select"),
    NONE("bitcast"),
    FLOP("compare"),
    FLOP("complex"),
    FLOP("convert"),
    FLOP("maximum"),
    FLOP("minimum"),
    {STR("outfeed"), outfeed, outfeed, 0},
    MOVE("reshape"),
    MOVE("reverse"),
    {STR("scatter"), cost_scatter, cost_scatter, OP_CALLS},
    {STR("cholesky"), cholesky, cholesky, 0},
    NONE("constant"),
    TRANS("logistic"),
    FLOP("multiply"),
    FLOP("subtract"),
    NONE("after-all"),
    MOVE("broadcast"),
    MOVE("copy-done"),
    FLOP("is-finite"),
    {STR("parameter"), nothing, nothing, OP_PARAMETER},
    MOVE("recv-done"),
    FLOP("remainder"),
    MOVE("send-done"),
    {STR("transpose"), transpose, transpose, 0},
    {STR("all-gather"), moved, cost_gpu_all_gather, 0},
    {STR("all-reduce"), all_reduce, cost_gpu_all_reduce, OP_COMBINES},
    MOVE("all-to-all"),
    MOVE("async-done"),
    MOVE("copy-start"),
    {STR("ragged-dot"), ragged_dot, ragged_dot, OP_DOT},
    MOVE("replica-id"),
    {STR("scaled-dot"), dot, dot, OP_DOT},
    FLOP("shift-left"),
    {STR("async-start"), cost_async_start, cost_gpu_async_start, OP_CALLS | OP_CONTROL},
    {STR("concatenate"), moved, cost_gpu_concatenate, 0},
    {STR("conditional"), cost_conditional, cost_conditional, OP_CALLS | OP_CONTROL},
    {STR("convolution"), convolution, convolution, OP_DOT},
    {STR("custom-call"), cost_custom_call, cost_gpu_custom_call, OP_CONTROL | OP_LIBRARY},
    TRANS("exponential"),
    MOVE("opt-barrier"),
    MOVE("async-update"),
    TRANS("log-plus-one"),
    MOVE("partition-id"),
    {STR("dynamic-slice"), dynamic_slice, dynamic_slice, 0},
    {STR("reduce-window"), cost_reduce_window, cost_reduce_window, OP_CALLS},
    NONE("add-dependency"),
    {STR("reduce-scatter"), moved, cost_gpu_reduce_scatter, OP_COMBINES},
    MOVE("all-gather-done"),
    MOVE("all-reduce-done"),
    MOVE("batch-norm-grad"),
    FLOP("bitcast-convert"),
    MOVE("dynamic-reshape"),
    {STR("all-gather-start"), moved, cost_gpu_all_gather_start, 0},
    {STR("all-reduce-start"), all_reduce, cost_gpu_all_reduce_start, OP_COMBINES},
    FLOP("reduce-precision"),
    {STR("triangular-solve"), triangular_solve, triangular_solve, 0},
    NONE("get-tuple-element"),
    MOVE("ragged-all-to-all"),
    {STR("rng-bit-generator"), transcendental, transcendental, 0},
    FLOP("round-nearest-afz"),
    MOVE("collective-permute"),
    MOVE("get-dimension-size"),
    FLOP("round-nearest-even"),
    {STR("select-and-scatter"), cost_select_and_scatter, cost_select_and_scatter, OP_CALLS},
    MOVE("set-dimension-size"),
    FLOP("stochastic-convert"),
    MOVE("batch-norm-training"),
    FLOP("count-leading-zeros"),
    FLOP("shift-right-logical"),
    MOVE("batch-norm-inference"),
    MOVE("collective-broadcast"),
    {STR("dynamic-update-slice"), dynamic_update_slice, dynamic_update_slice, 0},
    TRANS("exponential-minus-one"),
    FLOP("shift-right-arithmetic"),
    MOVE("collective-permute-done"),
    MOVE("collective-permute-start"),
    MOVE("rng-get-and-update-state"),
};

static int by_name(const void *key, const void *op)
{
    return str_cmp_length(*(const struct str *)key, ((const struct op *)op)->name);
}

const struct op *cost_op(struct str opcode)
{
    static const struct op none = {STR(""), NULL, NULL, 0};
    const struct op *o = bsearch(&opcode, table, sizeof table / sizeof *table, sizeof *table, by_name);
    return o ? o : &none;
}
