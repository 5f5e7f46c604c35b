/* Which attributes each opcode has. */
#include "hlo_pb_attr.h"

typedef void put_fn(struct at *a);

/* ---- attributes of several opcodes ---- */

static void dimensions(struct at *a) { at_ints(a, "dimensions=", a->i->n_dimensions, a->i->dimensions); }
static void dimensions_if(struct at *a)
{
    if (a->i->n_dimensions) dimensions(a);
}
static void channel(struct at *a)
{
    int64_t id = a->i->channel_id ? a->i->channel_id : a->i->all_reduce_id;
    if (id > 0) at_number(a, "channel_id=", id);
}
static void host_transfer(struct at *a) { at_flag(a, "is_host_transfer=", a->i->is_host_transfer); }
static void constrain_layout(struct at *a) { at_flag(a, "constrain_layout=", a->i->constrain_layout); }
static void global_ids(struct at *a) { at_flag(a, "use_global_device_ids=", a->i->use_global_device_ids); }

static void precision(struct at *a)
{
    static const char *const level[] = {"default", "high", "highest", "packed_nibble"};
    static const char *const algorithm[] = {"unset",
                                            "dot_any_f8_any_f8_f32",
                                            "dot_any_f8_any_f8_f32_fast_accum",
                                            "dot_f16_f16_f16",
                                            "dot_f16_f16_f32",
                                            "dot_bf16_bf16_bf16",
                                            "dot_bf16_bf16_f32",
                                            "dot_bf16_bf16_f32_x3",
                                            "dot_bf16_bf16_f32_x6",
                                            "dot_tf32_tf32_f32",
                                            "dot_tf32_tf32_f32_x3",
                                            "dot_f32_f32_f32",
                                            "dot_f64_f64_f64",
                                            "dot_bf16_bf16_f32_x9",
                                            "dot_bf16_bf16_fp8x3",
                                            "dot_bf16_bf16_fp8x4"};
    const Xla__PrecisionConfig *p = a->i->precision_config;
    bool any = false;
    if (!p) return;
    for (size_t i = 0; i < p->n_operand_precision; i++) any |= p->operand_precision[i] != 0;
    if (any) {
        at_next(a, "operand_precision={");
        for (size_t i = 0; i < p->n_operand_precision; i++) {
            uint32_t v = (uint32_t)p->operand_precision[i];
            buf_fmt(a->b, "%s%s", i ? "," : "", v < 4 ? level[v] : "?");
        }
        buf_c(a->b, '}');
    }
    if (p->algorithm) AT_NAME(a, "algorithm=", p->algorithm, algorithm);
}

static void group_counts(struct at *a)
{
    if (a->i->feature_group_count > 1) at_number(a, "feature_group_count=", a->i->feature_group_count);
    if (a->i->batch_group_count > 1) at_number(a, "batch_group_count=", a->i->batch_group_count);
}

static void aliasing(struct at *a)
{
    if (!a->i->n_output_operand_aliasing) return;
    at_next(a, "output_to_operand_aliasing={");
    for (size_t i = 0; i < a->i->n_output_operand_aliasing; i++) {
        const Xla__OutputOperandAliasing *o = a->i->output_operand_aliasing[i];
        if (i) buf_puts(a->b, ", ");
        hlo_pb_ints(a->b, o->n_output_shape_index, o->output_shape_index);
        buf_fmt(a->b, ": (%lld, ", (long long)o->operand_index);
        hlo_pb_ints(a->b, o->n_operand_shape_index, o->operand_shape_index);
        buf_c(a->b, ')');
    }
    buf_c(a->b, '}');
}

static void put_shapes(struct at *a, size_t n, Xla__ShapeProto *const *shape)
{
    struct arena scratch = {0};
    for (size_t i = 0; i < n; i++) {
        if (i) buf_puts(a->b, ", ");
        shape_put_full(a->b, hlo_pb_shape(&scratch, shape[i]), true);
    }
    arena_free(&scratch);
}

/* ---- attributes of one opcode ---- */

static void thread(struct at *a)
{
    struct str t = pb_str(a->i->async_execution_thread);
    if (t.n && !str_is(t, "main")) at_quoted(a, "async_execution_thread=", a->i->async_execution_thread);
}

static bool is_float(enum prim t)
{
    const char *name = prim_name(t);
    return *name == 'f' || *name == 'b' || *name == 'c'; /* f32, bf16, c64 */
}

/* Older XLA says type=TOTALORDER, newer order=TOTAL; neither says what the operands' type implies. */
static void compare(struct at *a)
{
    struct str type = pb_str(a->i->comparison_type), order = pb_str(a->i->comparison_order);
    const struct hlo_instr *of =
        a->as->noperand && a->as->operand[0] != HLO_NONE ? &a->names->m->instr[a->as->operand[0]] : NULL;
    bool partial = of && of->shape && is_float(of->shape->type);
    at_next(a, "direction=");
    buf_str(a->b, pb_str(a->i->comparison_direction));
    if (type.n && !str_is(type, "FLOAT") && !str_is(type, "SIGNED") && !str_is(type, "UNSIGNED"))
        at_next(a, "type="), buf_str(a->b, type);
    else if (!type.n && order.n && !str_is(order, partial ? "PARTIAL" : "TOTAL"))
        at_next(a, "order="), buf_str(a->b, order);
}

/* "literal=f32[] 3" */
static void custom_literal(struct at *a)
{
    struct arena scratch = {0};
    struct err e = {0};
    struct wire w = wire_of(a->i->literal.data, a->i->literal.len);
    const Xla__LiteralProto *l =
        w.p == w.end ? NULL : pb_unpack(&xla__literal_proto__descriptor, w, &scratch, w.p, NULL, &e);
    if (l && l->shape) {
        const struct shape *s = hlo_pb_shape(&scratch, l->shape);
        at_next(a, "literal=");
        shape_put_full(a->b, s, true);
        buf_c(a->b, ' ');
        hlo_pb_literal(a->b, l, s);
    }
    arena_free(&scratch);
}

static void custom_call(struct at *a)
{
    static const char *const padding_type[] = {"PADDING_INVALID", "PADDING_VALID", "PADDING_SAME"};
    static const char *const schedule[] = {"SCHEDULE_NONE", "SCHEDULE_LATEST", "SCHEDULE_EARLIEST"};
    static const char *const version[] = {"API_VERSION_UNSPECIFIED", "API_VERSION_ORIGINAL",
                                          "API_VERSION_STATUS_RETURNING",
                                          "API_VERSION_STATUS_RETURNING_UNIFIED", "API_VERSION_TYPED_FFI"};
    if (a->i->padding_type) AT_NAME(a, "padding_type=", a->i->padding_type, padding_type);
    at_quoted(a, "custom_call_target=", a->i->custom_call_target);
    if (a->i->constrain_layout) {
        at_next(a, "operand_layout_constraints={");
        put_shapes(a, a->i->n_operand_shapes_with_layout, a->i->operand_shapes_with_layout);
        buf_c(a->b, '}');
    }
    at_flag(a, "custom_call_has_side_effect=", a->i->custom_call_has_side_effect);
    custom_literal(a);
    aliasing(a);
    if (a->i->custom_call_schedule) AT_NAME(a, "schedule=", a->i->custom_call_schedule, schedule);
    if (a->i->custom_call_api_version > 1) AT_NAME(a, "api_version=", a->i->custom_call_api_version, version);
}

static void triangular_solve(struct at *a)
{
    static const char *const transpose[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    const Xla__TriangularSolveOptions *t = a->i->triangular_solve_options;
    if (!t) return;
    at_flag(a, "left_side=", t->left_side);
    at_flag(a, "lower=", t->lower);
    at_flag(a, "unit_diagonal=", t->unit_diagonal);
    AT_NAME(a, "transpose_a=", t->transpose_a, transpose);
}
static void cholesky(struct at *a)
{
    at_flag(a, "lower=", a->i->cholesky_options && a->i->cholesky_options->lower);
}

static void fft(struct at *a)
{
    static const char *const type[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    AT_NAME(a, "fft_type=", a->i->fft_type, type);
    at_ints(a, "fft_length=", a->i->n_fft_length, a->i->fft_length);
}
static void batch_norm(struct at *a)
{
    at_next(a, "epsilon=");
    buf_fmt(a->b, "%g", (double)a->i->epsilon);
    at_number(a, "feature_index=", a->i->feature_index);
}
static void rng(struct at *a)
{
    static const char *const distribution[] = {"rng_invalid", "rng_uniform", "rng_normal"};
    AT_NAME(a, "distribution=", a->i->distribution, distribution);
}
static void rng_bits(struct at *a)
{
    static const char *const algorithm[] = {"rng_default", "rng_three_fry", "rng_philox"};
    AT_NAME(a, "algorithm=", a->i->rng_algorithm, algorithm);
}
static void rng_state(struct at *a) { at_number(a, "delta=", a->i->delta); }
static void sort(struct at *a) { at_flag(a, "is_stable=", a->i->is_stable); }
static void index_of(struct at *a) { at_number(a, "index=", a->i->tuple_index); }
static void reduce_precision(struct at *a)
{
    at_number(a, "exponent_bits=", a->i->exponent_bits);
    at_number(a, "mantissa_bits=", a->i->mantissa_bits);
}
static void iota(struct at *a)
{
    at_number(a, "iota_dimension=", a->i->n_dimensions ? a->i->dimensions[0] : 0);
}
static void reshape(struct at *a)
{
    if (a->i->n_dimensions) at_number(a, "inferred_dimension=", a->i->dimensions[0]);
}
static void slice_sizes(struct at *a)
{
    at_ints(a, "dynamic_slice_sizes=", a->i->n_dynamic_slice_sizes, a->i->dynamic_slice_sizes);
}
static void fusion(struct at *a)
{
    at_next(a, "kind=");
    buf_str(a->b, pb_str(a->i->fusion_kind));
    aliasing(a);
}
static void infeed(struct at *a)
{
    if (a->i->infeed_config.len) at_quoted(a, "infeed_config=", a->i->infeed_config);
}
static void outfeed(struct at *a)
{
    if (a->i->outfeed_shape) {
        at_next(a, "outfeed_shape=");
        put_shapes(a, 1, &a->i->outfeed_shape);
    }
    if (a->i->outfeed_config.len) at_quoted(a, "outfeed_config=", a->i->outfeed_config);
}
static void domain(struct at *a)
{
    if (!a->i->domain_entry_sharding || !a->i->domain_exit_sharding) return;
    at_next(a, "domain={kind=\"sharding\", entry="); /* crosswise: as seen from the other side */
    hlo_pb_sharding(a->b, a->i->domain_exit_sharding);
    buf_puts(a->b, ", exit=");
    hlo_pb_sharding(a->b, a->i->domain_entry_sharding);
    buf_c(a->b, '}');
}
static void prefetch(struct at *a)
{
    if (a->i->optional_cross_program_prefetch_index_case !=
        XLA__HLO_INSTRUCTION_PROTO__OPTIONAL_CROSS_PROGRAM_PREFETCH_INDEX__NOT_SET)
        at_number(a, "cross_program_prefetch_index=", a->i->cross_program_prefetch_index);
    else
        at_flag(a, "is_cross_program_prefetch=", a->i->is_cross_program_prefetch);
}
static void topk(struct at *a)
{
    at_number(a, "k=", a->i->k);
    at_next(a, a->i->largest ? "largest=true" : "largest=false");
    at_flag(a, "is_stable=", a->i->is_stable);
}
static void scan(struct at *a)
{
    at_number(a, "num_carries=", a->i->num_carries);
    at_flag(a, "is_reverse=", a->i->is_reverse);
    if (a->i->is_associative)
        at_next(a, a->i->is_associative == 1 ? "is_associative=true" : "is_associative=false");
}
static void replication(struct at *a)
{
    const Xla__ParameterReplication *p = a->i->parameter_replication;
    if (!p || !p->n_replicated_at_leaf_buffers) return;
    at_next(a, "parameter_replication={");
    for (size_t i = 0; i < p->n_replicated_at_leaf_buffers; i++)
        buf_fmt(a->b, "%s%s", i ? "," : "", p->replicated_at_leaf_buffers[i] ? "true" : "false");
    buf_c(a->b, '}');
}

/* Which attributes an opcode has, in XLA's order; opcodes without any are not listed. */
static const struct op {
    const char *opcode;
    put_fn *put[8];
} op[] = {
    {"all-gather", {channel, at_replica_groups, constrain_layout, dimensions, global_ids}},
    {"all-gather-start", {channel, at_replica_groups, constrain_layout, dimensions, global_ids}},
    {"all-reduce", {channel, at_replica_groups, constrain_layout, global_ids}},
    {"all-reduce-start", {channel, at_replica_groups, constrain_layout, global_ids}},
    {"all-to-all", {channel, at_replica_groups, constrain_layout, dimensions_if}},
    {"async-done", {thread, aliasing}},
    {"async-start", {thread, aliasing}},
    {"async-update", {thread, aliasing}},
    {"batch-norm-grad", {batch_norm}},
    {"batch-norm-inference", {batch_norm}},
    {"batch-norm-training", {batch_norm}},
    {"broadcast", {dimensions}},
    {"cholesky", {cholesky}},
    {"collective-broadcast", {channel, at_replica_groups}},
    {"collective-permute", {channel, at_source_targets, at_permute_sizes}},
    {"collective-permute-start", {channel, at_source_targets, at_permute_sizes}},
    {"compare", {compare}},
    {"concatenate", {dimensions}},
    {"convolution", {at_window, at_dim_labels, group_counts, precision}},
    {"copy-start", {prefetch}},
    {"custom-call", {at_window, at_dim_labels, group_counts, precision, custom_call}},
    {"domain", {domain}},
    {"dot", {at_dot, precision}},
    {"dynamic-slice", {slice_sizes}},
    {"fft", {fft}},
    {"fusion", {fusion}},
    {"gather", {at_gather}},
    {"get-dimension-size", {dimensions}},
    {"get-tuple-element", {index_of}},
    {"infeed", {infeed}},
    {"iota", {iota}},
    {"map", {dimensions}},
    {"outfeed", {outfeed}},
    {"pad", {at_padding}},
    {"parameter", {replication}},
    {"ragged-all-to-all", {channel, at_replica_groups, constrain_layout}},
    {"ragged-dot", {at_ragged_dot, precision}},
    {"recv", {channel, host_transfer}},
    {"recv-done", {channel, host_transfer}},
    {"reduce", {dimensions}},
    {"reduce-precision", {reduce_precision}},
    {"reduce-scatter", {channel, at_replica_groups, constrain_layout, global_ids, dimensions}},
    {"reduce-window", {at_window}},
    {"reshape", {reshape}},
    {"reverse", {dimensions}},
    {"rng", {rng}},
    {"rng-bit-generator", {rng_bits}},
    {"rng-get-and-update-state", {rng_state}},
    {"scan", {dimensions, scan}},
    {"scatter", {at_scatter}},
    {"select-and-scatter", {at_window}},
    {"send", {channel, host_transfer}},
    {"send-done", {channel, host_transfer}},
    {"set-dimension-size", {dimensions}},
    {"slice", {at_slice}},
    {"sort", {dimensions, sort}},
    {"topk", {topk}},
    {"transpose", {dimensions}},
    {"triangular-solve", {triangular_solve}},
};

void at_of_opcode(struct at *a)
{
    size_t lo = 0, hi = sizeof op / sizeof *op;
    while (lo < hi) { /* op is sorted */
        size_t mid = (lo + hi) / 2;
        int c = str_cmp(a->as->opcode, str_of(op[mid].opcode));
        if (!c) {
            for (put_fn *const *put = op[mid].put; *put; put++) (*put)(a);
            return;
        }
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
}
