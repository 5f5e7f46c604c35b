/* What XLA prints behind an instruction's operands, from the fields of its message. */
#include "hlo_pb.h"
#include "hlo_print.h"

/* One instruction being printed. */
struct at {
    struct buf *b;
    size_t start;
    const Xla__HloInstructionProto *i;
    const struct hlo_instr *as;
    const struct hlo_pb_names *names;
};
typedef void put_fn(struct at *a);

/* Start the next attribute: a comma if there was one before. */
static void next(struct at *a, const char *key)
{
    if (a->b->n != a->start) buf_puts(a->b, ", ");
    buf_puts(a->b, key);
}

static void ints(struct at *a, const char *key, size_t n, const int64_t *v)
{
    next(a, key);
    hlo_pb_ints(a->b, n, v);
}

static void number(struct at *a, const char *key, int64_t v)
{
    next(a, key);
    buf_i64(a->b, v);
}

static void flag(struct at *a, const char *key, bool set)
{
    if (set) next(a, key), buf_puts(a->b, "true");
}

static void name(struct at *a, const char *key, int32_t v, const char *const *of, size_t n)
{
    next(a, key);
    if ((uint32_t)v < n)
        buf_puts(a->b, of[v]);
    else
        buf_i64(a->b, v);
}
#define NAME(a, key, v, of) name(a, key, v, of, sizeof of / sizeof *of)

static void quoted(struct at *a, const char *key, ProtobufCBinaryData v)
{
    next(a, key);
    buf_c(a->b, '"');
    hlo_put_escaped(a->b, pb_str(v));
    buf_c(a->b, '"');
}

/* ---- attributes of several opcodes ---- */

static void dimensions(struct at *a) { ints(a, "dimensions=", a->i->n_dimensions, a->i->dimensions); }
static void dimensions_if(struct at *a)
{
    if (a->i->n_dimensions) dimensions(a);
}
static void channel(struct at *a)
{
    int64_t id = a->i->channel_id ? a->i->channel_id : a->i->all_reduce_id;
    if (id > 0) number(a, "channel_id=", id);
}
static void host_transfer(struct at *a) { flag(a, "is_host_transfer=", a->i->is_host_transfer); }
static void constrain_layout(struct at *a) { flag(a, "constrain_layout=", a->i->constrain_layout); }
static void global_ids(struct at *a) { flag(a, "use_global_device_ids=", a->i->use_global_device_ids); }
static void indices_sorted(struct at *a) { flag(a, "indices_are_sorted=", a->i->indices_are_sorted); }

static void put_iota_groups(struct buf *b, const Xla__IotaReplicaGroupListProto *g)
{
    buf_fmt(b, "[%lld,%lld]<=[", (long long)g->num_replica_groups, (long long)g->num_devices_per_group);
    for (size_t i = 0; i < g->n_iota_reshape_dims; i++)
        buf_fmt(b, "%s%lld", i ? "," : "", (long long)g->iota_reshape_dims[i]);
    buf_c(b, ']');
    if (g->n_iota_reshape_dims < 2 || !g->n_iota_transpose_perm) return;
    for (size_t i = 0; i < g->n_iota_transpose_perm; i++)
        buf_fmt(b, "%s%d", i ? "," : "T(", g->iota_transpose_perm[i]);
    buf_c(b, ')');
}

static void replica_groups(struct at *a)
{
    const Xla__MeshAxesReplicaGroupListProto *mesh = a->i->mesh_axes_replica_group_list;
    const Xla__CollectiveDeviceListProto *list = a->i->collective_device_list;
    size_t n = list ? list->n_replica_groups : a->i->n_replica_groups;
    Xla__ReplicaGroup **group = list ? list->replica_groups : a->i->replica_groups;
    next(a, "replica_groups=");
    if (a->i->iota_collective_device_list) {
        put_iota_groups(a->b, a->i->iota_collective_device_list);
    } else if (mesh && mesh->mesh) {
        hlo_pb_mesh(a->b, mesh->mesh);
        buf_puts(a->b, " {");
        hlo_pb_axes(a->b, mesh->mesh, mesh->n_axes, mesh->axes, ",");
        buf_c(a->b, '}');
    } else {
        buf_c(a->b, '{');
        for (size_t i = 0; i < n; i++) {
            if (i) buf_c(a->b, ',');
            hlo_pb_ints(a->b, group[i]->n_replica_ids, group[i]->replica_ids);
        }
        buf_c(a->b, '}');
    }
}

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
        next(a, "operand_precision={");
        for (size_t i = 0; i < p->n_operand_precision; i++) {
            uint32_t v = (uint32_t)p->operand_precision[i];
            buf_fmt(a->b, "%s%s", i ? "," : "", v < 4 ? level[v] : "?");
        }
        buf_c(a->b, '}');
    }
    if (p->algorithm) NAME(a, "algorithm=", p->algorithm, algorithm);
}

/* One part of a window, left out where all dimensions have its default. */
static void window_part(struct at *a, bool *first, const char *key, int64_t usual,
                        int64_t (*of)(const Xla__WindowDimension *))
{
    const Xla__Window *w = a->i->window;
    bool any = false;
    for (size_t i = 0; i < w->n_dimensions; i++) any |= of(w->dimensions[i]) != usual;
    if (!any) return;
    if (!*first) buf_c(a->b, ' ');
    *first = false;
    for (size_t i = 0; i < w->n_dimensions; i++)
        buf_fmt(a->b, "%s%lld", i ? "x" : key, (long long)of(w->dimensions[i]));
}
static int64_t w_size(const Xla__WindowDimension *d) { return d->size; }
static int64_t w_stride(const Xla__WindowDimension *d) { return d->stride; }
static int64_t w_base(const Xla__WindowDimension *d) { return d->base_dilation; }
static int64_t w_window(const Xla__WindowDimension *d) { return d->window_dilation; }
static int64_t w_reversal(const Xla__WindowDimension *d) { return d->window_reversal; }

static void window(struct at *a)
{
    const Xla__Window *w = a->i->window;
    bool first = true, pad = false;
    if (!w || !w->n_dimensions) return;
    next(a, "window={");
    window_part(a, &first, "size=", INT64_MIN, w_size);
    window_part(a, &first, "stride=", 1, w_stride);
    for (size_t i = 0; i < w->n_dimensions; i++)
        pad |= w->dimensions[i]->padding_low || w->dimensions[i]->padding_high;
    for (size_t i = 0; pad && i < w->n_dimensions; i++)
        buf_fmt(a->b, "%s%lld_%lld", i ? "x" : " pad=", (long long)w->dimensions[i]->padding_low,
                (long long)w->dimensions[i]->padding_high);
    window_part(a, &first, "lhs_dilate=", 1, w_base);
    window_part(a, &first, "rhs_dilate=", 1, w_window);
    window_part(a, &first, "rhs_reversal=", 0, w_reversal);
    buf_c(a->b, '}');
}

/* "b01f": which letter or spatial number stands at each dimension. */
static void put_labels(struct buf *b, int64_t first, char first_letter, int64_t second, char second_letter,
                       size_t n, const int64_t *spatial)
{
    for (int64_t d = 0; d < (int64_t)n + 2; d++) {
        size_t i = 0;
        while (i < n && spatial[i] != d) i++;
        if (d == first)
            buf_c(b, first_letter);
        else if (d == second)
            buf_c(b, second_letter);
        else if (i < n)
            buf_u64(b, i);
        else
            buf_c(b, '?');
    }
}

static void dim_labels(struct at *a)
{
    const Xla__ConvolutionDimensionNumbers *c = a->i->convolution_dimension_numbers;
    enum { MAX_SPATIAL = 64 }; /* put_labels is quadratic */
    if (!c || c->n_input_spatial_dimensions > MAX_SPATIAL || c->n_kernel_spatial_dimensions > MAX_SPATIAL ||
        c->n_output_spatial_dimensions > MAX_SPATIAL)
        return;
    next(a, "dim_labels=");
    put_labels(a->b, c->input_batch_dimension, 'b', c->input_feature_dimension, 'f',
               c->n_input_spatial_dimensions, c->input_spatial_dimensions);
    buf_c(a->b, '_');
    put_labels(a->b, c->kernel_input_feature_dimension, 'i', c->kernel_output_feature_dimension, 'o',
               c->n_kernel_spatial_dimensions, c->kernel_spatial_dimensions);
    buf_puts(a->b, "->");
    put_labels(a->b, c->output_batch_dimension, 'b', c->output_feature_dimension, 'f',
               c->n_output_spatial_dimensions, c->output_spatial_dimensions);
}

static void group_counts(struct at *a)
{
    if (a->i->feature_group_count > 1) number(a, "feature_group_count=", a->i->feature_group_count);
    if (a->i->batch_group_count > 1) number(a, "batch_group_count=", a->i->batch_group_count);
}

static void aliasing(struct at *a)
{
    if (!a->i->n_output_operand_aliasing) return;
    next(a, "output_to_operand_aliasing={");
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

static void dot_numbers(struct at *a, const Xla__DotDimensionNumbers *d)
{
    if (!d) return;
    if (d->n_lhs_batch_dimensions)
        ints(a, "lhs_batch_dims=", d->n_lhs_batch_dimensions, d->lhs_batch_dimensions);
    ints(a, "lhs_contracting_dims=", d->n_lhs_contracting_dimensions, d->lhs_contracting_dimensions);
    if (d->n_rhs_batch_dimensions)
        ints(a, "rhs_batch_dims=", d->n_rhs_batch_dimensions, d->rhs_batch_dimensions);
    ints(a, "rhs_contracting_dims=", d->n_rhs_contracting_dimensions, d->rhs_contracting_dimensions);
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
    if (t.n && !str_is(t, "main")) quoted(a, "async_execution_thread=", a->i->async_execution_thread);
}

static void source_targets(struct at *a)
{
    next(a, "source_target_pairs={");
    for (size_t i = 0; i < a->i->n_source_target_pairs; i++)
        buf_fmt(a->b, "%s{%lld,%lld}", i ? "," : "", (long long)a->i->source_target_pairs[i]->source,
                (long long)a->i->source_target_pairs[i]->target);
    buf_c(a->b, '}');
}

/* Of a collective-permute that moves slices: as many sizes for each operand as it has dimensions. */
static void permute_sizes(struct at *a)
{
    size_t n = a->i->n_dynamic_slice_sizes, at = 0;
    const struct hlo_instr *all = a->names->m->instr;
    if (!n) return;
    next(a, "slice_sizes={");
    for (uint32_t k = 0; at < n; k++) {
        const struct shape *s =
            k < a->as->noperand && a->as->operand[k] != HLO_NONE ? all[a->as->operand[k]].shape : NULL;
        size_t take = s && s->rank && s->rank < n - at ? s->rank : n - at;
        if (k) buf_c(a->b, ',');
        hlo_pb_ints(a->b, take, a->i->dynamic_slice_sizes + at);
        at += take;
    }
    buf_c(a->b, '}');
}

static void slice(struct at *a)
{
    bool stride = false;
    for (size_t i = 0; i < a->i->n_slice_dimensions; i++) stride |= a->i->slice_dimensions[i]->stride != 1;
    next(a, "slice={");
    for (size_t i = 0; i < a->i->n_slice_dimensions; i++) {
        const Xla__HloInstructionProto__SliceDimensions *s = a->i->slice_dimensions[i];
        buf_fmt(a->b, "%s[%lld:%lld", i ? ", " : "", (long long)s->start, (long long)s->limit);
        if (stride) buf_fmt(a->b, ":%lld", (long long)s->stride);
        buf_c(a->b, ']');
    }
    buf_c(a->b, '}');
}

static void padding(struct at *a)
{
    const Xla__PaddingConfig *p = a->i->padding_config;
    bool interior = false;
    if (!p) return;
    for (size_t i = 0; i < p->n_dimensions; i++) interior |= p->dimensions[i]->interior_padding != 0;
    next(a, "padding=");
    for (size_t i = 0; i < p->n_dimensions; i++) {
        const Xla__PaddingConfig__Dimension *d = p->dimensions[i];
        buf_fmt(a->b, "%s%lld_%lld", i ? "x" : "", (long long)d->edge_padding_low,
                (long long)d->edge_padding_high);
        if (interior) buf_fmt(a->b, "_%lld", (long long)d->interior_padding);
    }
}

static void gather(struct at *a)
{
    const Xla__GatherDimensionNumbers *g = a->i->gather_dimension_numbers;
    if (g) {
        ints(a, "offset_dims=", g->n_offset_dims, g->offset_dims);
        ints(a, "collapsed_slice_dims=", g->n_collapsed_slice_dims, g->collapsed_slice_dims);
        ints(a, "start_index_map=", g->n_start_index_map, g->start_index_map);
        if (g->n_operand_batching_dims)
            ints(a, "operand_batching_dims=", g->n_operand_batching_dims, g->operand_batching_dims);
        if (g->n_start_indices_batching_dims)
            ints(a, "start_indices_batching_dims=", g->n_start_indices_batching_dims,
                 g->start_indices_batching_dims);
        number(a, "index_vector_dim=", g->index_vector_dim);
    }
    ints(a, "slice_sizes=", a->i->n_gather_slice_sizes, a->i->gather_slice_sizes);
}

static void scatter(struct at *a)
{
    const Xla__ScatterDimensionNumbers *s = a->i->scatter_dimension_numbers;
    if (s) {
        ints(a, "update_window_dims=", s->n_update_window_dims, s->update_window_dims);
        ints(a, "inserted_window_dims=", s->n_inserted_window_dims, s->inserted_window_dims);
        ints(a, "scatter_dims_to_operand_dims=", s->n_scatter_dims_to_operand_dims,
             s->scatter_dims_to_operand_dims);
        if (s->n_input_batching_dims)
            ints(a, "input_batching_dims=", s->n_input_batching_dims, s->input_batching_dims);
        if (s->n_scatter_indices_batching_dims)
            ints(a, "scatter_indices_batching_dims=", s->n_scatter_indices_batching_dims,
                 s->scatter_indices_batching_dims);
        number(a, "index_vector_dim=", s->index_vector_dim);
    }
    indices_sorted(a);
    flag(a, "unique_indices=", a->i->unique_indices);
}

static void dot(struct at *a) { dot_numbers(a, a->i->dot_dimension_numbers); }
static void ragged_dot(struct at *a)
{
    const Xla__RaggedDotDimensionNumbers *r = a->i->ragged_dot_dimension_numbers;
    if (!r) return;
    dot_numbers(a, r->dot_dimension_numbers);
    if (r->n_lhs_ragged_dimensions)
        ints(a, "lhs_ragged_dims=", r->n_lhs_ragged_dimensions, r->lhs_ragged_dimensions);
    if (r->n_rhs_group_dimensions)
        ints(a, "rhs_group_dims=", r->n_rhs_group_dimensions, r->rhs_group_dimensions);
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
    next(a, "direction=");
    buf_str(a->b, pb_str(a->i->comparison_direction));
    if (type.n && !str_is(type, "FLOAT") && !str_is(type, "SIGNED") && !str_is(type, "UNSIGNED"))
        next(a, "type="), buf_str(a->b, type);
    else if (!type.n && order.n && !str_is(order, partial ? "PARTIAL" : "TOTAL"))
        next(a, "order="), buf_str(a->b, order);
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
        next(a, "literal=");
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
    if (a->i->padding_type) NAME(a, "padding_type=", a->i->padding_type, padding_type);
    quoted(a, "custom_call_target=", a->i->custom_call_target);
    if (a->i->constrain_layout) {
        next(a, "operand_layout_constraints={");
        put_shapes(a, a->i->n_operand_shapes_with_layout, a->i->operand_shapes_with_layout);
        buf_c(a->b, '}');
    }
    flag(a, "custom_call_has_side_effect=", a->i->custom_call_has_side_effect);
    custom_literal(a);
    aliasing(a);
    if (a->i->custom_call_schedule) NAME(a, "schedule=", a->i->custom_call_schedule, schedule);
    if (a->i->custom_call_api_version > 1) NAME(a, "api_version=", a->i->custom_call_api_version, version);
}

static void triangular_solve(struct at *a)
{
    static const char *const transpose[] = {"TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    const Xla__TriangularSolveOptions *t = a->i->triangular_solve_options;
    if (!t) return;
    flag(a, "left_side=", t->left_side);
    flag(a, "lower=", t->lower);
    flag(a, "unit_diagonal=", t->unit_diagonal);
    NAME(a, "transpose_a=", t->transpose_a, transpose);
}
static void cholesky(struct at *a)
{
    flag(a, "lower=", a->i->cholesky_options && a->i->cholesky_options->lower);
}

static void fft(struct at *a)
{
    static const char *const type[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
    NAME(a, "fft_type=", a->i->fft_type, type);
    ints(a, "fft_length=", a->i->n_fft_length, a->i->fft_length);
}
static void batch_norm(struct at *a)
{
    next(a, "epsilon=");
    buf_fmt(a->b, "%g", (double)a->i->epsilon);
    number(a, "feature_index=", a->i->feature_index);
}
static void rng(struct at *a)
{
    static const char *const distribution[] = {"rng_invalid", "rng_uniform", "rng_normal"};
    NAME(a, "distribution=", a->i->distribution, distribution);
}
static void rng_bits(struct at *a)
{
    static const char *const algorithm[] = {"rng_default", "rng_three_fry", "rng_philox"};
    NAME(a, "algorithm=", a->i->rng_algorithm, algorithm);
}
static void rng_state(struct at *a) { number(a, "delta=", a->i->delta); }
static void sort(struct at *a) { flag(a, "is_stable=", a->i->is_stable); }
static void index_of(struct at *a) { number(a, "index=", a->i->tuple_index); }
static void reduce_precision(struct at *a)
{
    number(a, "exponent_bits=", a->i->exponent_bits);
    number(a, "mantissa_bits=", a->i->mantissa_bits);
}
static void iota(struct at *a) { number(a, "iota_dimension=", a->i->n_dimensions ? a->i->dimensions[0] : 0); }
static void reshape(struct at *a)
{
    if (a->i->n_dimensions) number(a, "inferred_dimension=", a->i->dimensions[0]);
}
static void slice_sizes(struct at *a)
{
    ints(a, "dynamic_slice_sizes=", a->i->n_dynamic_slice_sizes, a->i->dynamic_slice_sizes);
}
static void fusion(struct at *a)
{
    next(a, "kind=");
    buf_str(a->b, pb_str(a->i->fusion_kind));
    aliasing(a);
}
static void infeed(struct at *a)
{
    if (a->i->infeed_config.len) quoted(a, "infeed_config=", a->i->infeed_config);
}
static void outfeed(struct at *a)
{
    if (a->i->outfeed_shape) {
        next(a, "outfeed_shape=");
        put_shapes(a, 1, &a->i->outfeed_shape);
    }
    if (a->i->outfeed_config.len) quoted(a, "outfeed_config=", a->i->outfeed_config);
}
static void domain(struct at *a)
{
    if (!a->i->domain_entry_sharding || !a->i->domain_exit_sharding) return;
    next(a, "domain={kind=\"sharding\", entry="); /* crosswise: as seen from the other side */
    hlo_pb_sharding(a->b, a->i->domain_exit_sharding);
    buf_puts(a->b, ", exit=");
    hlo_pb_sharding(a->b, a->i->domain_entry_sharding);
    buf_c(a->b, '}');
}
static void prefetch(struct at *a)
{
    if (a->i->optional_cross_program_prefetch_index_case !=
        XLA__HLO_INSTRUCTION_PROTO__OPTIONAL_CROSS_PROGRAM_PREFETCH_INDEX__NOT_SET)
        number(a, "cross_program_prefetch_index=", a->i->cross_program_prefetch_index);
    else
        flag(a, "is_cross_program_prefetch=", a->i->is_cross_program_prefetch);
}
static void topk(struct at *a)
{
    number(a, "k=", a->i->k);
    next(a, a->i->largest ? "largest=true" : "largest=false");
    flag(a, "is_stable=", a->i->is_stable);
}
static void scan(struct at *a)
{
    number(a, "num_carries=", a->i->num_carries);
    flag(a, "is_reverse=", a->i->is_reverse);
    if (a->i->is_associative)
        next(a, a->i->is_associative == 1 ? "is_associative=true" : "is_associative=false");
}
static void replication(struct at *a)
{
    const Xla__ParameterReplication *p = a->i->parameter_replication;
    if (!p || !p->n_replicated_at_leaf_buffers) return;
    next(a, "parameter_replication={");
    for (size_t i = 0; i < p->n_replicated_at_leaf_buffers; i++)
        buf_fmt(a->b, "%s%s", i ? "," : "", p->replicated_at_leaf_buffers[i] ? "true" : "false");
    buf_c(a->b, '}');
}

/* Which attributes an opcode has, in XLA's order; opcodes without any are not listed. */
static const struct op {
    const char *opcode;
    put_fn *put[8];
} op[] = {
    {"all-gather", {channel, replica_groups, constrain_layout, dimensions, global_ids}},
    {"all-gather-start", {channel, replica_groups, constrain_layout, dimensions, global_ids}},
    {"all-reduce", {channel, replica_groups, constrain_layout, global_ids}},
    {"all-reduce-start", {channel, replica_groups, constrain_layout, global_ids}},
    {"all-to-all", {channel, replica_groups, constrain_layout, dimensions_if}},
    {"async-done", {thread}},
    {"async-start", {thread}},
    {"async-update", {thread}},
    {"batch-norm-grad", {batch_norm}},
    {"batch-norm-inference", {batch_norm}},
    {"batch-norm-training", {batch_norm}},
    {"broadcast", {dimensions}},
    {"cholesky", {cholesky}},
    {"collective-broadcast", {channel, replica_groups}},
    {"collective-permute", {channel, source_targets, permute_sizes}},
    {"collective-permute-start", {channel, source_targets, permute_sizes}},
    {"compare", {compare}},
    {"concatenate", {dimensions}},
    {"convolution", {window, dim_labels, group_counts, precision}},
    {"copy-start", {prefetch}},
    {"custom-call", {window, dim_labels, group_counts, precision, custom_call}},
    {"domain", {domain}},
    {"dot", {dot, precision}},
    {"dynamic-slice", {slice_sizes}},
    {"fft", {fft}},
    {"fusion", {fusion}},
    {"gather", {gather, indices_sorted}},
    {"get-dimension-size", {dimensions}},
    {"get-tuple-element", {index_of}},
    {"infeed", {infeed}},
    {"iota", {iota}},
    {"map", {dimensions}},
    {"outfeed", {outfeed}},
    {"pad", {padding}},
    {"parameter", {replication}},
    {"ragged-all-to-all", {channel, replica_groups, constrain_layout}},
    {"ragged-dot", {ragged_dot, precision}},
    {"recv", {channel, host_transfer}},
    {"recv-done", {channel, host_transfer}},
    {"reduce", {dimensions}},
    {"reduce-precision", {reduce_precision}},
    {"reduce-scatter", {channel, replica_groups, constrain_layout, global_ids, dimensions}},
    {"reduce-window", {window}},
    {"reshape", {reshape}},
    {"reverse", {dimensions}},
    {"rng", {rng}},
    {"rng-bit-generator", {rng_bits}},
    {"rng-get-and-update-state", {rng_state}},
    {"scan", {dimensions, scan}},
    {"scatter", {scatter}},
    {"select-and-scatter", {window}},
    {"send", {channel, host_transfer}},
    {"send-done", {channel, host_transfer}},
    {"set-dimension-size", {dimensions}},
    {"slice", {slice}},
    {"sort", {dimensions, sort}},
    {"topk", {topk}},
    {"transpose", {dimensions}},
    {"triangular-solve", {triangular_solve}},
};

/* ---- attributes of every opcode ---- */

/* "condition=%c, body=%b"; several computations in one role stand in braces. */
static void calls(struct at *a)
{
    const struct hlo_computation *c = a->names->m->computation;
    bool custom = str_is(a->as->opcode, "custom-call");
    for (uint32_t i = 0; i < a->as->ncall; i++) {
        enum hlo_role role = a->as->call[i].role;
        bool list = custom || role == HLO_BRANCH, again = i && a->as->call[i - 1].role == role;
        if (again) {
            buf_puts(a->b, ", ");
        } else {
            next(a, custom ? "called_computations" : hlo_role_name(role));
            buf_puts(a->b, list ? "={" : "=");
        }
        buf_c(a->b, '%');
        if (a->as->call[i].computation != HLO_NONE) buf_str(a->b, c[a->as->call[i].computation].name);
        if (list && (i + 1 == a->as->ncall || a->as->call[i + 1].role != role)) buf_c(a->b, '}');
    }
}

static void control_predecessors(struct at *a)
{
    if (!a->i->n_control_predecessor_ids) return;
    next(a, "control-predecessors={");
    for (size_t i = 0; i < a->i->n_control_predecessor_ids; i++) {
        uint32_t p = hlo_pb_instr(a->names, a->i->control_predecessor_ids[i]);
        buf_puts(a->b, i ? ", %" : "%");
        if (p != HLO_NONE) buf_str(a->b, a->names->m->instr[p].name);
    }
    buf_c(a->b, '}');
}

static void statistics(struct at *a)
{
    const Xla__StatisticsViz *s = a->i->statistics_viz;
    if (!s || !s->n_statistics) return;
    next(a, "statistics={visualizing_index=");
    buf_i64(a->b, s->stat_index_to_visualize);
    for (size_t i = 0; i < s->n_statistics; i++) {
        buf_c(a->b, ',');
        buf_str(a->b, pb_str(s->statistics[i]->stat_name));
        buf_fmt(a->b, "=%g", s->statistics[i]->stat_val);
    }
    buf_c(a->b, '}');
}

static void accuracy(struct at *a)
{
    static const char *const mode[] = {"default", "highest"};
    const Xla__ResultAccuracy *r = a->i->result_accuracy;
    if (!r) return;
    if (r->specs_case == XLA__RESULT_ACCURACY__SPECS_TOLERANCE)
        next(a, "result_accuracy={tolerance={"),
            buf_fmt(a->b, "atol=%g,rtol=%g,ulps=%lld}}", r->tolerance->atol, r->tolerance->rtol,
                    (long long)r->tolerance->ulps);
    else if (r->specs_case == XLA__RESULT_ACCURACY__SPECS_MODE && r->mode)
        NAME(a, "result_accuracy={mode=", r->mode, mode), buf_c(a->b, '}');
}

static void put_origin_leaf(struct buf *b, const Xla__OriginalValueElementProto *e)
{
    if (!e->original_array) {
        buf_puts(b, "{}");
        return;
    }
    buf_puts(b, "{\"");
    hlo_put_escaped(b, pb_str(e->original_array->instruction_name));
    buf_c(b, '"');
    if (e->original_array->n_shape_index) {
        buf_c(b, ' ');
        hlo_pb_ints(b, e->original_array->n_shape_index, e->original_array->shape_index);
    }
    buf_c(b, '}');
}

/* Leaves in order; parentheses follow the depth of their indexes. */
static void origin(struct at *a)
{
    const Xla__OriginalValueProto *o = a->i->original_value;
    size_t depth = 0;
    if (!o || !o->n_elements) return;
    next(a, "origin={");
    for (size_t i = 0; i < o->n_elements; i++) {
        const Xla__OriginalValueElementProto *e = o->elements[i];
        size_t common = 0;
        const Xla__OriginalValueElementProto *before = i ? o->elements[i - 1] : NULL;
        while (before && common + 1 < before->n_shape_index && common + 1 < e->n_shape_index &&
               before->shape_index[common] == e->shape_index[common])
            common++;
        if (before)
            for (common++; depth > common; depth--) buf_c(a->b, ')');
        if (i) buf_puts(a->b, ", ");
        for (; depth < e->n_shape_index; depth++) buf_c(a->b, '(');
        put_origin_leaf(a->b, e);
    }
    for (; depth; depth--) buf_c(a->b, ')');
    buf_c(a->b, '}');
}

void hlo_pb_attributes(struct buf *b, const Xla__HloInstructionProto *i, const struct hlo_instr *as,
                       const struct hlo_pb_names *names)
{
    struct at a = {b, b->n, i, as, names};
    size_t lo = 0, hi = sizeof op / sizeof *op;
    while (lo < hi) { /* op is sorted */
        size_t mid = (lo + hi) / 2;
        int c = str_cmp(as->opcode, str_of(op[mid].opcode));
        if (!c) {
            for (put_fn *const *put = op[mid].put; *put; put++) (*put)(&a);
            break;
        }
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    calls(&a);
    flag(&a, "is_composite=", i->is_composite);
    if (i->sharding) next(&a, "sharding="), hlo_pb_sharding(b, i->sharding);
    if (i->frontend_attributes && i->frontend_attributes->n_map)
        next(&a, "frontend_attributes="), hlo_pb_frontend(b, i->frontend_attributes);
    control_predecessors(&a);
    statistics(&a);
    accuracy(&a);
    origin(&a);
}
