/* What a module's message holds besides its computations. */
#include "hlo_pb.h"

/* A part of the module, unpacked into the scratch arena; NULL if it is not there or unsound (the error is
 * noted). */
static void *part(struct hlo_pb *r, unsigned number, const ProtobufCMessageDescriptor *type)
{
    struct wire w = r->part[number];
    return w.p ? pb_unpack(type, w, &r->scratch, r->from - r->base, r->file, r->e) : NULL;
}

static void next(struct buf *b, const char *text)
{
    if (b->n) buf_puts(b, ", ");
    buf_puts(b, text);
}

/* ---- the module line ---- */

static void put_aliases(struct buf *b, const Xla__HloInputOutputAliasProto *a)
{
    if (!a || !a->n_entries) return;
    next(b, "input_output_alias={ ");
    for (size_t i = 0; i < a->n_entries; i++) {
        const Xla__HloInputOutputAliasProto__AliasEntryProto *e = a->entries[i];
        if (i) buf_puts(b, ", ");
        hlo_pb_ints(b, e->n_output_shape_index, e->output_shape_index);
        buf_fmt(b, ": (%lld, ", (long long)e->parameter_number);
        hlo_pb_ints(b, e->n_parameter_shape_index, e->parameter_shape_index);
        buf_puts(b, e->kind == 2 ? ", must-alias)" : ", may-alias)");
    }
    buf_puts(b, " }");
}

static void put_donors(struct buf *b, const Xla__HloBufferDonorProto *d)
{
    if (!d || !d->n_entries) return;
    next(b, "buffer_donor={ ");
    for (size_t i = 0; i < d->n_entries; i++) {
        buf_fmt(b, "%s(%lld, ", i ? ", " : "", (long long)d->entries[i]->parameter_number);
        hlo_pb_ints(b, d->entries[i]->n_parameter_shape_index, d->entries[i]->parameter_shape_index);
        buf_c(b, ')');
    }
    buf_puts(b, " }");
}

static void put_entry_layout(struct buf *b, struct arena *a, const Xla__ProgramShapeProto *p)
{
    if (!p) return;
    next(b, "entry_computation_layout={(");
    for (size_t i = 0; i < p->n_parameters; i++) {
        if (i) buf_puts(b, ", ");
        if (i && i % 5 == 0) buf_fmt(b, "/*index=%zu*/", i);
        shape_put_full(b, hlo_pb_shape(a, p->parameters[i]), true);
    }
    buf_puts(b, ")->");
    if (p->result) shape_put_full(b, hlo_pb_shape(a, p->result), true);
    buf_c(b, '}');
}

static void header(struct hlo_pb *r)
{
    struct buf b = {0};
    const Xla__DeviceAssignmentProto *d = part(r, MODULE_DEVICES, &xla__device_assignment_proto__descriptor);
    const Xla__FrontendAttributes *f = part(r, MODULE_FRONTEND, &xla__frontend_attributes__descriptor);
    if (r->m->scheduled) next(&b, "is_scheduled=true");
    put_aliases(&b, part(r, MODULE_ALIAS, &xla__hlo_input_output_alias_proto__descriptor));
    put_donors(&b, part(r, MODULE_DONOR, &xla__hlo_buffer_donor_proto__descriptor));
    put_entry_layout(&b, &r->scratch, part(r, MODULE_PROGRAM_SHAPE, &xla__program_shape_proto__descriptor));
    if (d && d->replica_count > 1) next(&b, "replica_count="), buf_i64(&b, d->replica_count);
    if (d && d->computation_count > 1) next(&b, "num_partitions="), buf_i64(&b, d->computation_count);
    if (f && f->n_map) next(&b, "frontend_attributes="), hlo_pb_frontend(&b, f);
    r->m->header = str_n(arena_copy(&r->m->arena, b.p, b.n), b.n);
    buf_free(&b);
}

/* ---- stack frames ---- */

static struct str name_at(struct arena *a, size_t n, const ProtobufCBinaryData *name, int32_t id)
{
    if (id < 1 || (size_t)id > n) return STR("");
    return str_n(arena_copy(a, name[id - 1].data, name[id - 1].len), name[id - 1].len);
}

static void frames(struct hlo_pb *r)
{
    const Xla__StackFrameIndexProto *s = part(r, MODULE_FRAMES, &xla__stack_frame_index_proto__descriptor);
    struct hlo_module *m = r->m;
    if (!s || !s->n_stack_frames) return;
    m->nframe = (uint32_t)s->n_stack_frames + 1;
    m->frame = mem_alloc(m->nframe, sizeof *m->frame);
    for (uint32_t i = 1; i < m->nframe; i++) {
        const Xla__StackFrameIndexProto__StackFrame *f = s->stack_frames[i - 1];
        if (f->parent_frame_id > 0 && (uint32_t)f->parent_frame_id < m->nframe)
            m->frame[i].parent = (uint32_t)f->parent_frame_id;
        if (f->file_location_id < 1 || (size_t)f->file_location_id > s->n_file_locations) continue;
        const Xla__StackFrameIndexProto__FileLocation *l = s->file_locations[f->file_location_id - 1];
        m->frame[i].file = name_at(&m->arena, s->n_file_names, s->file_names, l->file_name_id);
        m->frame[i].function =
            name_at(&m->arena, s->n_function_names, s->function_names, l->function_name_id);
        m->frame[i].line = l->line;
        m->frame[i].column = l->column;
        m->frame[i].end_line = l->end_line;
        m->frame[i].end_column = l->end_column;
    }
}

/* ---- aliases ---- */

static void aliases(struct hlo_pb *r)
{
    const Xla__HloInputOutputAliasProto *p =
        part(r, MODULE_ALIAS, &xla__hlo_input_output_alias_proto__descriptor);
    struct hlo_module *m = r->m;
    if (!p || !p->n_entries) return;
    m->nalias = (uint32_t)p->n_entries;
    m->alias = mem_alloc(m->nalias, sizeof *m->alias);
    for (uint32_t i = 0; i < m->nalias; i++) {
        const Xla__HloInputOutputAliasProto__AliasEntryProto *e = p->entries[i];
        m->alias[i] = (struct hlo_alias){
            .output = hlo_pb_copy_ints(&m->arena, e->n_output_shape_index, e->output_shape_index),
            .noutput = (uint32_t)e->n_output_shape_index,
            .parameter = e->parameter_number,
            .param_index = hlo_pb_copy_ints(&m->arena, e->n_parameter_shape_index, e->parameter_shape_index),
            .nparam_index = (uint32_t)e->n_parameter_shape_index,
            .must = e->kind == 2};
    }
}

/* ---- sizes of the plan ---- */

/* A logical buffer that is a whole value gives its instruction a size; older plans name the instruction. */
static void plan_sizes(struct hlo_pb *r, struct wire plan)
{
    struct map64 by_id = {0};
    struct wire_field f = {0};
    struct err e = {0}; /* the plan's own reader reports its faults */
    if (plan.p == plan.end) return;
    for (uint32_t k = 0; k < r->m->ninstr; k++) map64_at(&by_id, (uint64_t)r->m->instr[k].id, k);
    while (wire_next(&plan, &f) > 0) {
        if (f.num != 1 || f.type != WIRE_BYTES) continue;
        const Xla__LogicalBufferProto *b =
            pb_unpack(&xla__logical_buffer_proto__descriptor, f.sub, &r->scratch, f.sub.p, NULL, &e);
        uint64_t at = HLO_NONE;
        if (b && b->defined_at && !b->defined_at->n_shape_index) {
            if (b->defined_at->instruction_name.len)
                at = hlo_find(r->m, pb_str(b->defined_at->instruction_name));
            else
                map64_get(&by_id, (uint64_t)b->defined_at->instruction_id, &at);
        }
        if (at != HLO_NONE) r->m->instr[at].plan_bytes = b->size;
        arena_free(&r->scratch);
    }
    map64_free(&by_id);
}

void hlo_pb_module(struct hlo_pb *r, struct wire plan)
{
    header(r);
    frames(r);
    aliases(r);
    arena_free(&r->scratch);
    plan_sizes(r, plan);
}
