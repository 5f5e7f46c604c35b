/* ShapeProto to struct shape. */
#include "hlo_pb.h"

const int64_t *hlo_pb_copy_ints(struct arena *a, size_t n, const int64_t *v)
{
    int64_t *copy = arena_alloc(a, n, sizeof *copy);
    if (n) memcpy(copy, v, n * sizeof *copy);
    return copy;
}

/* Everything behind ':' in the order XLA prints it. */
static void put_items(struct buf *b, struct arena *a, const Xla__LayoutProto *p)
{
    static const char *const level[] = {"D", "C", "S", "H"};
    if (p->n_dim_level_types) {
        buf_puts(b, "D(");
        for (size_t i = 0; i < p->n_dim_level_types; i++) {
            uint32_t t = (uint32_t)p->dim_level_types[i];
            buf_fmt(b, "%s%s", i ? "," : "", t < 4 ? level[t] : "?");
            if (i < p->n_dim_unique && !p->dim_unique[i]) buf_c(b, '+');
            if (i < p->n_dim_ordered && !p->dim_ordered[i]) buf_c(b, '~');
        }
        buf_c(b, ')');
    }
    if (p->n_tiles) buf_c(b, 'T');
    for (size_t i = 0; i < p->n_tiles; i++) {
        const Xla__TileProto *t = p->tiles[i];
        buf_c(b, '(');
        for (size_t j = 0; j < t->n_dimensions; j++) {
            if (j) buf_c(b, ',');
            if (t->dimensions[j] == INT64_MIN)
                buf_c(b, '*');
            else
                buf_i64(b, t->dimensions[j]);
        }
        buf_c(b, ')');
    }
    if (p->tail_padding_alignment_in_elements > 1)
        buf_fmt(b, "L(%lld)", (long long)p->tail_padding_alignment_in_elements);
    if (p->index_primitive_type) buf_fmt(b, "#(%s)", prim_name((enum prim)p->index_primitive_type));
    if (p->pointer_primitive_type) buf_fmt(b, "*(%s)", prim_name((enum prim)p->pointer_primitive_type));
    if (p->element_size_in_bits) buf_fmt(b, "E(%lld)", (long long)p->element_size_in_bits);
    if (p->memory_space) buf_fmt(b, "S(%lld)", (long long)p->memory_space);
    if (p->n_split_configs) buf_puts(b, "SC");
    for (size_t i = 0; i < p->n_split_configs; i++) {
        const Xla__SplitConfigProto *s = p->split_configs[i];
        buf_fmt(b, "(%lld:", (long long)s->dimension);
        for (size_t j = 0; j < s->n_split_indices; j++)
            buf_fmt(b, "%s%lld", j ? "," : "", (long long)s->split_indices[j]);
        buf_c(b, ')');
    }
    if (p->physical_shape) {
        buf_puts(b, "P(");
        shape_put_full(b, hlo_pb_shape(a, p->physical_shape), false);
        buf_c(b, ')');
    }
    if (p->dynamic_shape_metadata_prefix_bytes)
        buf_fmt(b, "M(%lld)", (long long)p->dynamic_shape_metadata_prefix_bytes);
}

static void read_layout(struct layout *l, struct arena *a, const Xla__LayoutProto *p)
{
    struct tile *tile = arena_alloc(a, p->n_tiles, sizeof *tile);
    struct split *split = arena_alloc(a, p->n_split_configs, sizeof *split);
    struct buf text = {0};
    l->present = true;
    l->nminor = (uint32_t)p->n_minor_to_major;
    l->minor_to_major = hlo_pb_copy_ints(a, p->n_minor_to_major, p->minor_to_major);
    for (size_t i = 0; i < p->n_tiles; i++)
        tile[i] = (struct tile){(uint32_t)p->tiles[i]->n_dimensions,
                                hlo_pb_copy_ints(a, p->tiles[i]->n_dimensions, p->tiles[i]->dimensions)};
    l->tile = tile;
    l->ntile = (uint32_t)p->n_tiles;
    for (size_t i = 0; i < p->n_split_configs; i++) {
        const Xla__SplitConfigProto *s = p->split_configs[i];
        split[i] = (struct split){s->dimension, (uint32_t)s->n_split_indices,
                                  hlo_pb_copy_ints(a, s->n_split_indices, s->split_indices)};
    }
    l->split = split;
    l->nsplit = (uint32_t)p->n_split_configs;
    l->element_bits = p->element_size_in_bits;
    l->memory_space = p->memory_space;
    l->tail_padding = p->tail_padding_alignment_in_elements;
    put_items(&text, a, p);
    if (text.n) l->items = str_n(arena_copy(a, text.p, text.n), text.n);
    buf_free(&text);
}

const struct shape *hlo_pb_shape(struct arena *a, const Xla__ShapeProto *p)
{
    struct shape *s = arena_alloc(a, 1, sizeof *s);
    int64_t *dim = arena_alloc(a, p->n_dimensions, sizeof *dim);
    const struct shape **elem = arena_alloc(a, p->n_tuple_shapes, sizeof *elem);
    bool *dynamic = NULL;
    s->type = p->element_type > 0 && p->element_type < PRIM_COUNT ? (enum prim)p->element_type : PRIM_UNKNOWN;
    s->type_name = str_of(prim_name(s->type));
    s->rank = (uint32_t)p->n_dimensions;
    for (size_t i = 0; i < p->n_dimensions; i++) dim[i] = p->dimensions[i] < 0 ? -1 : p->dimensions[i];
    s->dim = dim;
    for (size_t i = 0; i < p->n_is_dynamic_dimension && i < p->n_dimensions; i++)
        if (p->is_dynamic_dimension[i]) {
            if (!dynamic) dynamic = arena_alloc(a, p->n_dimensions, sizeof *dynamic);
            dynamic[i] = true;
        }
    s->dynamic = dynamic;
    for (size_t i = 0; i < p->n_tuple_shapes; i++) elem[i] = hlo_pb_shape(a, p->tuple_shapes[i]);
    s->elem = elem;
    s->nelem = (uint32_t)p->n_tuple_shapes;
    if (p->layout) read_layout(&s->layout, a, p->layout);
    return s;
}
