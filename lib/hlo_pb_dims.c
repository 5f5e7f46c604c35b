/* Which dimensions and devices an operation works on, as attributes. */
#include "hlo_pb_attr.h"

/* ---- devices ---- */

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

void at_replica_groups(struct at *a)
{
    const Xla__MeshAxesReplicaGroupListProto *mesh = a->i->mesh_axes_replica_group_list;
    const Xla__CollectiveDeviceListProto *list = a->i->collective_device_list;
    size_t n = list ? list->n_replica_groups : a->i->n_replica_groups;
    Xla__ReplicaGroup **group = list ? list->replica_groups : a->i->replica_groups;
    at_next(a, "replica_groups=");
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

void at_source_targets(struct at *a)
{
    at_next(a, "source_target_pairs={");
    for (size_t i = 0; i < a->i->n_source_target_pairs; i++)
        buf_fmt(a->b, "%s{%lld,%lld}", i ? "," : "", (long long)a->i->source_target_pairs[i]->source,
                (long long)a->i->source_target_pairs[i]->target);
    buf_c(a->b, '}');
}

/* Of a collective-permute that moves slices: as many sizes for each operand as it has dimensions. */
void at_permute_sizes(struct at *a)
{
    size_t n = a->i->n_dynamic_slice_sizes, at = 0;
    const struct hlo_instr *all = a->names->m->instr;
    if (!n) return;
    at_next(a, "slice_sizes={");
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

/* ---- windows ---- */

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
void at_window(struct at *a)
{
    const Xla__Window *w = a->i->window;
    bool first = true, pad = false;
    if (!w || !w->n_dimensions) return;
    at_next(a, "window={");
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

/* ---- labels of a convolution ---- */

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

void at_dim_labels(struct at *a)
{
    const Xla__ConvolutionDimensionNumbers *c = a->i->convolution_dimension_numbers;
    enum { MAX_SPATIAL = 64 }; /* put_labels is quadratic */
    if (!c || c->n_input_spatial_dimensions > MAX_SPATIAL || c->n_kernel_spatial_dimensions > MAX_SPATIAL ||
        c->n_output_spatial_dimensions > MAX_SPATIAL)
        return;
    at_next(a, "dim_labels=");
    put_labels(a->b, c->input_batch_dimension, 'b', c->input_feature_dimension, 'f',
               c->n_input_spatial_dimensions, c->input_spatial_dimensions);
    buf_c(a->b, '_');
    put_labels(a->b, c->kernel_input_feature_dimension, 'i', c->kernel_output_feature_dimension, 'o',
               c->n_kernel_spatial_dimensions, c->kernel_spatial_dimensions);
    buf_puts(a->b, "->");
    put_labels(a->b, c->output_batch_dimension, 'b', c->output_feature_dimension, 'f',
               c->n_output_spatial_dimensions, c->output_spatial_dimensions);
}

/* ---- slices and padding ---- */

void at_slice(struct at *a)
{
    bool stride = false;
    for (size_t i = 0; i < a->i->n_slice_dimensions; i++) stride |= a->i->slice_dimensions[i]->stride != 1;
    at_next(a, "slice={");
    for (size_t i = 0; i < a->i->n_slice_dimensions; i++) {
        const Xla__HloInstructionProto__SliceDimensions *s = a->i->slice_dimensions[i];
        buf_fmt(a->b, "%s[%lld:%lld", i ? ", " : "", (long long)s->start, (long long)s->limit);
        if (stride) buf_fmt(a->b, ":%lld", (long long)s->stride);
        buf_c(a->b, ']');
    }
    buf_c(a->b, '}');
}

void at_padding(struct at *a)
{
    const Xla__PaddingConfig *p = a->i->padding_config;
    bool interior = false;
    if (!p) return;
    for (size_t i = 0; i < p->n_dimensions; i++) interior |= p->dimensions[i]->interior_padding != 0;
    at_next(a, "padding=");
    for (size_t i = 0; i < p->n_dimensions; i++) {
        const Xla__PaddingConfig__Dimension *d = p->dimensions[i];
        buf_fmt(a->b, "%s%lld_%lld", i ? "x" : "", (long long)d->edge_padding_low,
                (long long)d->edge_padding_high);
        if (interior) buf_fmt(a->b, "_%lld", (long long)d->interior_padding);
    }
}

/* ---- dimension numbers ---- */

static void dot_numbers(struct at *a, const Xla__DotDimensionNumbers *d)
{
    if (!d) return;
    if (d->n_lhs_batch_dimensions)
        at_ints(a, "lhs_batch_dims=", d->n_lhs_batch_dimensions, d->lhs_batch_dimensions);
    at_ints(a, "lhs_contracting_dims=", d->n_lhs_contracting_dimensions, d->lhs_contracting_dimensions);
    if (d->n_rhs_batch_dimensions)
        at_ints(a, "rhs_batch_dims=", d->n_rhs_batch_dimensions, d->rhs_batch_dimensions);
    at_ints(a, "rhs_contracting_dims=", d->n_rhs_contracting_dimensions, d->rhs_contracting_dimensions);
}

void at_dot(struct at *a) { dot_numbers(a, a->i->dot_dimension_numbers); }

void at_ragged_dot(struct at *a)
{
    const Xla__RaggedDotDimensionNumbers *r = a->i->ragged_dot_dimension_numbers;
    if (!r) return;
    dot_numbers(a, r->dot_dimension_numbers);
    if (r->n_lhs_ragged_dimensions)
        at_ints(a, "lhs_ragged_dims=", r->n_lhs_ragged_dimensions, r->lhs_ragged_dimensions);
    if (r->n_rhs_group_dimensions)
        at_ints(a, "rhs_group_dims=", r->n_rhs_group_dimensions, r->rhs_group_dimensions);
}

void at_gather(struct at *a)
{
    const Xla__GatherDimensionNumbers *g = a->i->gather_dimension_numbers;
    if (g) {
        at_ints(a, "offset_dims=", g->n_offset_dims, g->offset_dims);
        at_ints(a, "collapsed_slice_dims=", g->n_collapsed_slice_dims, g->collapsed_slice_dims);
        at_ints(a, "start_index_map=", g->n_start_index_map, g->start_index_map);
        if (g->n_operand_batching_dims)
            at_ints(a, "operand_batching_dims=", g->n_operand_batching_dims, g->operand_batching_dims);
        if (g->n_start_indices_batching_dims)
            at_ints(a, "start_indices_batching_dims=", g->n_start_indices_batching_dims,
                    g->start_indices_batching_dims);
        at_number(a, "index_vector_dim=", g->index_vector_dim);
    }
    at_ints(a, "slice_sizes=", a->i->n_gather_slice_sizes, a->i->gather_slice_sizes);
    at_flag(a, "indices_are_sorted=", a->i->indices_are_sorted);
}

void at_scatter(struct at *a)
{
    const Xla__ScatterDimensionNumbers *s = a->i->scatter_dimension_numbers;
    if (s) {
        at_ints(a, "update_window_dims=", s->n_update_window_dims, s->update_window_dims);
        at_ints(a, "inserted_window_dims=", s->n_inserted_window_dims, s->inserted_window_dims);
        at_ints(a, "scatter_dims_to_operand_dims=", s->n_scatter_dims_to_operand_dims,
                s->scatter_dims_to_operand_dims);
        if (s->n_input_batching_dims)
            at_ints(a, "input_batching_dims=", s->n_input_batching_dims, s->input_batching_dims);
        if (s->n_scatter_indices_batching_dims)
            at_ints(a, "scatter_indices_batching_dims=", s->n_scatter_indices_batching_dims,
                    s->scatter_indices_batching_dims);
        at_number(a, "index_vector_dim=", s->index_vector_dim);
    }
    at_flag(a, "indices_are_sorted=", a->i->indices_are_sorted);
    at_flag(a, "unique_indices=", a->i->unique_indices);
}
