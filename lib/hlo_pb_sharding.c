/* OpSharding and meshes as XLA prints them. */
#include "hlo_pb.h"

enum { REPLICATED, MAXIMAL, TUPLE, OTHER, MANUAL, UNKNOWN, UNREDUCED };
static const char *const type_name[] = {"replicated", "maximal", "tuple",    "other",
                                        "manual",     "unknown", "unreduced"};

static const char *name_of(int32_t type)
{
    return (uint32_t)type < sizeof type_name / sizeof *type_name ? type_name[type] : "unknown";
}

static void join(struct buf *b, size_t n, const int64_t *v)
{
    for (size_t i = 0; i < n; i++) {
        if (i) buf_c(b, ',');
        buf_i64(b, v[i]);
    }
}

/* "[2,4]<=[8]", "[2,4]<=[4,2]T(1,0)", "[2]0,1" */
static void put_devices(struct buf *b, const Xla__OpSharding *s)
{
    buf_puts(b, "devices=[");
    join(b, s->n_tile_assignment_dimensions, s->tile_assignment_dimensions);
    buf_c(b, ']');
    if (!s->n_iota_reshape_dims) {
        join(b, s->n_tile_assignment_devices, s->tile_assignment_devices);
        return;
    }
    buf_puts(b, "<=[");
    join(b, s->n_iota_reshape_dims, s->iota_reshape_dims);
    buf_c(b, ']');
    if (s->n_iota_reshape_dims < 2) return;
    for (size_t i = 0; i < s->n_iota_transpose_perm; i++)
        buf_fmt(b, "%s%d", i ? "," : "T(", s->iota_transpose_perm[i]);
    if (s->n_iota_transpose_perm) buf_c(b, ')');
}

/* "{...}, {...}"; braces are left out around a single one unless it is `always` one of a list. */
static void put_metadata(struct buf *b, size_t n, Xla__OpMetadata *const *m, bool always)
{
    struct hlo_pb_names none = {0};
    bool braces = always || n > 1;
    for (size_t i = 0; i < n; i++) {
        if (braces) buf_puts(b, i ? ", {" : "{");
        hlo_pb_metadata(b, m[i], &none);
        if (braces) buf_c(b, '}');
    }
}

void hlo_pb_mesh(struct buf *b, const Xla__MeshProto *m)
{
    if (!m->n_axes && m->n_device_ids == 1) {
        buf_fmt(b, "maximal_mesh[device_id=%lld]", (long long)m->device_ids[0]);
        return;
    }
    buf_puts(b, "mesh[");
    for (size_t i = 0; i < m->n_axes; i++) {
        buf_puts(b, i ? ",'" : "'");
        buf_str(b, pb_str(m->axes[i]->name));
        buf_fmt(b, "'=%lld", (long long)m->axes[i]->size);
    }
    buf_c(b, ']');
    if (m->n_device_ids) {
        buf_puts(b, ", device_ids=(");
        join(b, m->n_device_ids, m->device_ids);
        buf_c(b, ')');
    } else if (m->iota_transform) {
        const Xla__MeshProto__IotaTransform *t = m->iota_transform;
        buf_puts(b, ", device_ids=([");
        join(b, t->n_reshape_dims, t->reshape_dims);
        buf_puts(b, "]T(");
        join(b, t->n_transpose_perm, t->transpose_perm);
        buf_puts(b, "))");
    }
}

static void put_axis(struct buf *b, const Xla__MeshProto *m, const Xla__AxisRefProto *a)
{
    bool known = m && a->mesh_axis_index >= 0 && (uint64_t)a->mesh_axis_index < m->n_axes;
    buf_c(b, '\'');
    if (known)
        buf_str(b, pb_str(m->axes[a->mesh_axis_index]->name));
    else
        buf_i64(b, a->mesh_axis_index);
    buf_c(b, '\'');
    if (a->sub_axis_info)
        buf_fmt(b, ":(%lld)%lld", (long long)a->sub_axis_info->pre_size, (long long)a->sub_axis_info->size);
}

void hlo_pb_axes(struct buf *b, const Xla__MeshProto *m, size_t n, Xla__AxisRefProto *const *axis,
                 const char *between)
{
    for (size_t i = 0; i < n; i++) {
        if (i) buf_puts(b, between);
        put_axis(b, m, axis[i]);
    }
}

static void put_axis_set(struct buf *b, const char *what, const Xla__MeshProto *m, size_t n,
                         Xla__AxisRefProto *const *axis)
{
    if (!n) return;
    buf_fmt(b, ", %s={", what);
    hlo_pb_axes(b, m, n, axis, ", ");
    buf_c(b, '}');
}

static void put_dimensions(struct buf *b, const Xla__NamedShardingProto *s)
{
    buf_puts(b, ", [");
    for (size_t i = 0; i < s->n_dim_shardings; i++) {
        const Xla__NamedShardingProto__DimensionSharding *d = s->dim_shardings[i];
        buf_puts(b, i ? ", {" : "{");
        hlo_pb_axes(b, s->mesh, d->n_axes, d->axes, ", ");
        if (!d->is_closed) buf_puts(b, d->n_axes ? ", ?" : "?");
        buf_c(b, '}');
    }
    buf_c(b, ']');
}

static void put_named(struct buf *b, const Xla__NamedShardingProto *s)
{
    size_t naxes = s->mesh ? s->mesh->n_axes : 0;
    bool bare = !s->n_dim_shardings && !s->n_replicated_axes;
    buf_c(b, '{');
    if (s->mesh) hlo_pb_mesh(b, s->mesh);
    if (bare && naxes && !s->n_unreduced_axes && !s->n_manual_axes) {
        buf_puts(b, ", replicated");
    } else if (bare && naxes && s->n_unreduced_axes == naxes) {
        buf_puts(b, ", unreduced");
    } else if (bare && naxes && s->n_manual_axes == naxes) {
        buf_puts(b, ", manual");
    } else if (naxes) {
        put_dimensions(b, s);
        put_axis_set(b, "replicated", s->mesh, s->n_replicated_axes, s->replicated_axes);
        put_axis_set(b, "unreduced", s->mesh, s->n_unreduced_axes, s->unreduced_axes);
        put_axis_set(b, "manual", s->mesh, s->n_manual_axes, s->manual_axes);
    }
    if (s->n_metadata) {
        buf_puts(b, ", metadata={");
        put_metadata(b, s->n_metadata, s->metadata, true);
        buf_c(b, '}');
    }
    buf_c(b, '}');
}

static void put_tuple(struct buf *b, const Xla__OpSharding *s)
{
    buf_c(b, '{');
    for (size_t i = 0; i < s->n_tuple_shardings; i++) {
        if (i) buf_puts(b, ", ");
        if (i && i % 5 == 0) buf_fmt(b, "/*index=%zu*/", i);
        hlo_pb_sharding(b, s->tuple_shardings[i]);
    }
    buf_c(b, '}');
}

void hlo_pb_sharding(struct buf *b, const Xla__OpSharding *s)
{
    if (s->named_sharding) {
        put_named(b, s->named_sharding);
        return;
    }
    if (s->type == TUPLE) {
        put_tuple(b, s);
        return;
    }
    buf_c(b, '{');
    if (s->type == MAXIMAL) {
        buf_puts(b, "maximal device=");
        buf_i64(b, s->n_tile_assignment_devices ? s->tile_assignment_devices[0] : 0);
    } else if (s->type == OTHER) {
        put_devices(b, s);
        if (s->replicate_on_last_tile_dim) buf_puts(b, " last_tile_dim_replicate");
        for (size_t i = 0; i < s->n_last_tile_dims; i++)
            buf_fmt(b, "%s%s", i ? ", " : " last_tile_dims={", name_of(s->last_tile_dims[i]));
        if (s->n_last_tile_dims) buf_c(b, '}');
    } else {
        buf_puts(b, name_of(s->type));
    }
    if (s->is_shard_group)
        buf_fmt(b, " shard_%s %lld", s->shard_group_type ? "like" : "as", (long long)s->shard_group_id);
    if (s->n_metadata) {
        buf_puts(b, " metadata={");
        put_metadata(b, s->n_metadata, s->metadata, false);
        buf_c(b, '}');
    }
    buf_c(b, '}');
}
