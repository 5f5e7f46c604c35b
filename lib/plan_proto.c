/* The plan in an HloProto (spec: memory viewer 2.1-2.3).  The program is read first, for names and shapes;
 * then each message of the buffer assignment is unpacked by itself, so that a cut file still gives the
 * allocations before the cut. */
#include "hlo.pb-c.h"
#include "num.h"
#include "pb.h"
#include "plan_read.h"
#include <stdlib.h>

struct reader {
    struct plan *p;
    const void *base;
    struct arena scratch;    /* what protobuf-c unpacks */
    struct map64 instr;      /* id -> index into the program */
    struct map64 logical_at; /* id -> index into logical */
    struct map64 buffer_at;  /* id -> index into the plan's buffers, the last */
    Xla__LogicalBufferProto **logical;
    struct plan_link link;
    size_t nlogical, logical_cap, alloc_cap, buffer_cap, trace_cap, event_cap, peak_cap;
};

/* ---- one logical buffer in its place ---- */

static struct str index_text(struct reader *r, const Xla__LogicalBufferProto *b)
{
    struct buf t = {0};
    for (size_t i = 0; i < b->defined_at->n_shape_index; i++)
        buf_fmt(&t, "%c%lld", i ? ',' : '{', (long long)b->defined_at->shape_index[i]);
    if (t.n) buf_c(&t, '}');
    struct str s = plan_keep(r->p, buf_view(&t));
    buf_free(&t);
    return s;
}

/* By the last component of the index alone, at the top level: so Memory Viewer does (2.3.4). */
static const struct shape *subshape(const Xla__LogicalBufferProto *b, const struct shape *s)
{
    size_t n = b->defined_at->n_shape_index;
    int64_t last = n ? b->defined_at->shape_index[n - 1] : -1;
    return s->type == PRIM_TUPLE && last >= 0 && last < s->nelem ? s->elem[last] : s;
}

static bool fill(struct reader *r, struct plan_buffer *b, int64_t id)
{
    struct plan *p = r->p;
    uint64_t at, i;
    if (!map64_get(&r->logical_at, (uint64_t)id, &at)) {
        plan_fault(p, PLAN_UNKNOWN_ID, ERR_NOWHERE, 0,
                   "allocation %lld lists buffer %lld, which is not there",
                   (long long)p->alloc[p->nalloc - 1].index, (long long)id);
        return false;
    }
    const Xla__LogicalBufferProto *l = r->logical[at];
    int64_t instr = l->defined_at ? l->defined_at->instruction_id : -1;
    if (!l->defined_at || !map64_get(&r->instr, (uint64_t)instr, &i)) {
        plan_fault(p, PLAN_UNKNOWN_ID, ERR_NOWHERE, 0,
                   "buffer %lld is defined by instruction %lld, which is not there", (long long)id,
                   (long long)instr);
        return false;
    }
    const struct shape *s = subshape(l, p->hlo->instr[i].shape);
    struct buf t = {0};
    shape_put_full(&t, s, false);
    *b = plan_no_buffer;
    b->alloc = p->nalloc - 1;
    b->id = id;
    b->color = l->color;
    b->size = l->size;
    b->unpadded = shape_bytes_unpadded(s);
    b->instr = p->hlo->instr[i].name;
    b->index = index_text(r, l);
    b->shape = plan_bare_shape(plan_keep(p, buf_view(&t)), &p->arena);
    b->about = plan_about_of(&r->link, (uint32_t)i);
    buf_free(&t);
    return true;
}

/* ---- the messages ---- */

static int logical_buffer(struct reader *r, struct wire w, struct err *e)
{
    Xla__LogicalBufferProto *b =
        pb_unpack(&xla__logical_buffer_proto__descriptor, w, &r->scratch, r->base, r->p->file, e);
    if (!b) return -1;
    r->logical = mem_grow(r->logical, &r->logical_cap, r->nlogical + 1, sizeof *r->logical);
    map64_set(&r->logical_at, (uint64_t)b->id, r->nlogical);
    r->logical[r->nlogical++] = b;
    return 0;
}

static int allocation(struct reader *r, struct wire w, struct err *e)
{
    struct plan *p = r->p;
    const Xla__BufferAllocationProto *m =
        pb_unpack(&xla__buffer_allocation_proto__descriptor, w, &r->scratch, r->base, p->file, e);
    if (!m) return -1;
    if (m->n_assigned >= PLAN_NONE - p->nbuffer || p->nalloc == PLAN_NONE - 1)
        return err_set(e, p->file, "more buffers than 32 bits can count");
    p->alloc = mem_grow(p->alloc, &r->alloc_cap, (size_t)p->nalloc + 1, sizeof *p->alloc);
    struct plan_alloc *a = &p->alloc[p->nalloc++];
    *a = (struct plan_alloc){.index = m->index,
                             .size = m->size,
                             .color = m->color,
                             .parameter = m->is_entry_computation_parameter ? m->parameter_number : -1,
                             .is_parameter = m->is_entry_computation_parameter,
                             .maybe_live_out = m->maybe_live_out,
                             .constant = m->is_constant,
                             .thread_local_ = m->is_thread_local,
                             .tuple = m->is_tuple,
                             .first = p->nbuffer};
    p->buffer = mem_grow(p->buffer, &r->buffer_cap, p->nbuffer + m->n_assigned, sizeof *p->buffer);
    for (size_t i = 0; i < m->n_assigned; i++) {
        struct plan_buffer *b = &p->buffer[p->nbuffer];
        if (!fill(r, b, m->assigned[i]->logical_buffer_id)) continue;
        b->offset = m->assigned[i]->offset;
        map64_set(&r->buffer_at, (uint64_t)b->id, p->nbuffer++);
        a->count++;
    }
    return 0;
}

static int heap_trace(struct reader *r, struct wire w, struct err *e)
{
    struct plan *p = r->p;
    const Xla__HeapSimulatorTrace *m =
        pb_unpack(&xla__heap_simulator_trace__descriptor, w, &r->scratch, r->base, p->file, e);
    if (!m) return -1;
    if (m->n_events >= PLAN_NONE - p->nevent || p->ntrace == PLAN_NONE - 1)
        return err_set(e, p->file, "more heap events than 32 bits can count");
    p->trace = mem_grow(p->trace, &r->trace_cap, (size_t)p->ntrace + 1, sizeof *p->trace);
    p->trace[p->ntrace++] = (struct plan_trace){.first = p->nevent,
                                                .count = (uint32_t)m->n_events,
                                                .whole_module = m->whole_module_simulation,
                                                .alloc_index = m->buffer_allocation_index};
    p->event = mem_grow(p->event, &r->event_cap, p->nevent + m->n_events, sizeof *p->event);
    for (size_t i = 0; i < m->n_events; i++) {
        const Xla__HeapSimulatorTrace__Event *v = m->events[i];
        unsigned kind = (unsigned)v->kind;
        bool known = kind <= PLAN_SHARE, share = kind == PLAN_SHARE;
        p->event[p->nevent++] = (struct plan_event){.kind = known ? (enum plan_event_kind)kind : PLAN_ALLOC,
                                                    .buffer = known ? v->buffer_id : -1, /* names nothing */
                                                    .share_with = share ? v->share_with_canonical_id : -1,
                                                    .computation = plan_keep(p, pb_str(v->computation_name)),
                                                    .instr = plan_keep(p, pb_str(v->instruction_name))};
    }
    return 0;
}

static int peak_buffers(struct reader *r, struct wire w, struct err *e)
{
    struct plan *p = r->p;
    const Xla__BufferAssignmentProto__PeakBuffers *m = pb_unpack(
        &xla__buffer_assignment_proto__peak_buffers__descriptor, w, &r->scratch, r->base, p->file, e);
    uint64_t i;
    if (!m) return -1;
    if (m->n_logical_buffer_ids >= PLAN_NONE - p->npeak)
        return err_set(e, p->file, "more buffers at the peak than 32 bits can count");
    p->peak = mem_grow(p->peak, &r->peak_cap, p->npeak + m->n_logical_buffer_ids, sizeof *p->peak);
    for (size_t k = 0; k < m->n_logical_buffer_ids; k++) {
        if (!map64_get(&r->buffer_at, (uint64_t)m->logical_buffer_ids[k], &i)) continue;
        p->peak[p->npeak] = (struct plan_peak){.size = p->buffer[i].size};
        plan_peak_of(p, &p->buffer[i], &p->peak[p->npeak++]);
    }
    return 0;
}

/* Fields in any order: what others refer to first. */
static int pass(struct reader *r, struct wire w, uint32_t want, struct err *e)
{
    static int (*const read[])(struct reader *, struct wire, struct err *) = {
        [1] = logical_buffer, [3] = allocation, [4] = heap_trace, [5] = peak_buffers};
    struct wire_field f;
    int more;
    while ((more = wire_next(&w, &f)) > 0)
        if (f.num == want && f.type == WIRE_BYTES && read[want](r, f.sub, e)) return -1;
    if (more < 0)
        return err_byte(e, r->p->file, (uint64_t)(w.p - (const unsigned char *)r->base),
                        "the buffer assignment is cut or corrupt");
    return 0;
}

static void assignment(struct reader *r, struct wire w, struct err *e)
{
    struct err quiet = {0};
    static const uint32_t order[] = {1, 3, 4, 5};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) pass(r, w, order[i], e->text[0] ? &quiet : e);
}

/* The fields of an HloProto: the program, the plan.  A last field that says more than there is: what there is
 * of it. */
static int fields(struct wire w, struct wire *program, struct wire *plan, const char *file, const void *base,
                  struct err *e)
{
    struct wire_field f;
    int r;
    while ((r = wire_next(&w, &f)) > 0) {
        if (f.type != WIRE_BYTES) continue;
        if (f.num == 1) *program = f.sub;
        if (f.num == 3) *plan = f.sub;
    }
    if (!r) return 0;
    err_byte(e, file, (uint64_t)(w.p - (const unsigned char *)base), "not a protobuf field (cut or corrupt)");
    uint64_t tag, n;
    if (!wire_varint(&w, &tag) && !wire_varint(&w, &n) && tag == (3 << 3 | WIRE_BYTES)) *plan = w;
    return -1;
}

int plan_proto_read(const void *p, size_t n, const char *file, const void *base, struct plan **out,
                    struct err *e)
{
    struct reader r = {.base = base};
    struct wire program = {0}, plan = {0};
    struct hlo_module *m = NULL;
    *out = NULL;
    if (fields(wire_of(p, n), &program, &plan, file, base, e) && !plan.p) return -1;
    if (!plan.p) return 0;
    if (program.p) /* up to the program's end: that much of the HloProto is whole */
        hlo_read_proto(p, (size_t)(program.end - (const unsigned char *)p), file,
                       (uint64_t)((const char *)p - (const char *)base), &m, e);
    if (!m) return e->text[0] ? -1 : err_set(e, file, "a plan without a program: no names, no shapes");
    r.p = *out = plan_new(PLAN_FROM_PROTO, file);
    r.p->hlo = m;
    r.p->owns_hlo = true;
    r.p->module = m->name;
    for (uint32_t i = 0; i < m->ninstr; i++) map64_set(&r.instr, (uint64_t)m->instr[i].id, i);
    plan_link_init(&r.link, r.p);
    assignment(&r, plan, e);
    plan_orders(r.p);
    plan_kernels(&r.link);
    plan_link_free(&r.link);
    map64_free(&r.instr);
    map64_free(&r.logical_at);
    map64_free(&r.buffer_at);
    free(r.logical);
    arena_free(&r.scratch);
    return e->text[0] ? -1 : 0;
}
