/* HloProto and HloModuleProto to the model (spec: memory viewer 2.1).
 *
 * Modules are large, so they are never unpacked whole.  Pass 1 walks the wire and finds computations,
 * instructions, their names and ids, and the schedule; pass 2 unpacks one instruction after the other into a
 * scratch arena and keeps what the model keeps.  What stands before a cut or a fault is handed over. */
#include "hlo_pb.h"
#include "kind.h"
#include <stdlib.h>

static const size_t max_size = (size_t)1 << 31;

static int fault(struct hlo_pb *r, const unsigned char *at, const char *what)
{
    return err_byte(r->e, r->file, r->base + (uint64_t)(at - r->from), "%s", what);
}

static struct str keep(struct hlo_pb *r, struct str s)
{
    return s.n ? str_n(arena_copy(&r->m->arena, s.p, s.n), s.n) : STR("");
}

/* As wire_next, but bytes that are longer than what is left give what is left; the error is noted. */
int hlo_pb_next(struct hlo_pb *r, struct wire *w, struct wire_field *f)
{
    struct wire at = *w;
    uint64_t tag, n, begin = r->base + (uint64_t)(w->p - r->from);
    int rc = wire_next(w, f);
    if (rc >= 0) return rc;
    bool bytes = !wire_varint(&at, &tag) && (tag & 7) == WIRE_BYTES && tag >> 3 && tag >> 3 <= UINT32_MAX &&
                 !wire_varint(&at, &n);
    if (!bytes) {
        fault(r, w->p, "not a protobuf field (cut or corrupt)");
        return 0;
    }
    err_byte(r->e, r->file, r->base + (uint64_t)(w->end - r->from),
             "cut or corrupt: the field that begins at byte %llu goes on for %llu bytes more",
             (unsigned long long)begin, (unsigned long long)(n - wire_size(at)));
    *f = (struct wire_field){.num = (uint32_t)(tag >> 3), .type = WIRE_BYTES, .sub = {at.p, w->end}};
    w->p = w->end;
    return 1;
}

/* ---- pass 1: what there is ---- */

/* An instruction's name and id; false if it is cut, or has no opcode (so memory stays in proportion to
 * bytes). */
static bool scan_instruction(struct wire w, struct str *name, int64_t *id)
{
    struct wire_field f = {0};
    bool opcode = false;
    int rc;
    while ((rc = wire_next(&w, &f)) > 0)
        if (f.num == 1 && f.type == WIRE_BYTES)
            *name = wire_str(f.sub);
        else if (f.num == 2 && f.type == WIRE_BYTES)
            opcode = wire_size(f.sub) > 0;
        else if (f.num == 35 && f.type == WIRE_VARINT)
            *id = (int64_t)f.u;
    return rc == 0 && opcode;
}

static void add_instruction(struct hlo_pb *r, struct hlo_computation *c, struct wire body)
{
    struct hlo_module *m = r->m;
    struct hlo_instr i = {.id = 0, .number = -1, .plan_bytes = -1};
    struct str name = {"", 0};
    if (m->ninstr == HLO_NONE - 1 || !scan_instruction(body, &name, &i.id)) {
        fault(r, body.p, "an instruction is cut or corrupt");
        return;
    }
    i.name = keep(r, name);
    i.computation = m->ncomputation;
    m->instr = mem_grow(m->instr, &r->instr_cap, m->ninstr + (size_t)1, sizeof *m->instr);
    r->body = mem_grow(r->body, &r->body_cap, m->ninstr + (size_t)1, sizeof *r->body);
    r->body[m->ninstr] = body;
    m->instr[m->ninstr++] = i;
    c->count++;
}

static void add_computation(struct hlo_pb *r, struct wire w)
{
    struct hlo_module *m = r->m;
    struct hlo_computation c = {.first = m->ninstr, .root = HLO_NONE, .name = {"", 0}};
    struct hlo_pb_computation seen = {0};
    struct wire_field f = {0};
    while (hlo_pb_next(r, &w, &f) > 0) {
        if (f.num == 1 && f.type == WIRE_BYTES) c.name = keep(r, wire_str(f.sub));
        if (f.num == 2 && f.type == WIRE_BYTES) add_instruction(r, &c, f.sub);
        if (f.num == 5 && f.type == WIRE_VARINT) seen.id = (int64_t)f.u;
        if (f.num == 6 && f.type == WIRE_VARINT) seen.root = (int64_t)f.u, seen.has_root = true;
        if (f.num == 8 && f.type == WIRE_BYTES) c.execution_thread = keep(r, wire_str(f.sub));
    }
    m->computation =
        mem_grow(m->computation, &r->computation_cap, m->ncomputation + (size_t)1, sizeof *m->computation);
    r->computation =
        mem_grow(r->computation, &r->seen_cap, m->ncomputation + (size_t)1, sizeof *r->computation);
    r->computation[m->ncomputation] = seen;
    map64_set(&r->names.computation, (uint64_t)seen.id, m->ncomputation);
    m->computation[m->ncomputation++] = c;
}

/* The sequence of a computation: field 1 of HloScheduleProto, a map entry of id and message. */
static void add_schedule(struct hlo_pb *r, struct wire w)
{
    struct wire_field entry = {0}, f = {0};
    r->m->scheduled = true;
    while (hlo_pb_next(r, &w, &entry) > 0) {
        uint64_t key = 0;
        struct wire ids = {NULL, NULL};
        if (entry.num != 1 || entry.type != WIRE_BYTES) continue;
        while (hlo_pb_next(r, &entry.sub, &f) > 0) {
            if (f.num == 1 && f.type == WIRE_VARINT) key = f.u;
            if (f.num == 2 && f.type == WIRE_BYTES) ids = f.sub;
        }
        r->sequence = mem_grow(r->sequence, &r->sequence_cap, r->nsequence + 1, sizeof *r->sequence);
        map64_set(&r->sequence_of, key, r->nsequence);
        r->sequence[r->nsequence++] = ids;
    }
}

static void add_payload(struct hlo_pb *r, struct wire w)
{
    r->payload = mem_grow(r->payload, &r->payload_cap, r->names.npayload + 1, sizeof *r->payload);
    r->payload[r->names.npayload++] = w;
    r->names.payload = r->payload;
}

static void scan_module(struct hlo_pb *r, struct wire w)
{
    struct wire_field f = {0};
    while (hlo_pb_next(r, &w, &f) > 0) {
        if (f.type == WIRE_VARINT && f.num == MODULE_ID) r->m->program_id = f.u, r->m->has_id = true;
        if (f.type == WIRE_VARINT && f.num == MODULE_ENTRY_ID)
            r->entry_id = (int64_t)f.u, r->has_entry_id = true;
        if (f.type != WIRE_BYTES) continue;
        if (f.num == MODULE_COMPUTATION)
            add_computation(r, f.sub);
        else if (f.num == MODULE_SCHEDULE)
            add_schedule(r, f.sub);
        else if (f.num == MODULE_PAYLOAD)
            add_payload(r, f.sub);
        else if (f.num < MODULE_PARTS)
            r->part[f.num] = f.sub;
    }
    r->m->name = keep(r, wire_str(r->part[MODULE_NAME]));
}

/* ---- ids ---- */

uint32_t hlo_pb_computation(const struct hlo_pb_names *n, int64_t id)
{
    uint64_t at;
    return map64_get(&n->computation, (uint64_t)id, &at) ? (uint32_t)at : HLO_NONE;
}

/* Newer ids hold the computation's in their upper half, but what refers to one may hold only the lower. */
uint32_t hlo_pb_instr(const struct hlo_pb_names *n, int64_t id)
{
    uint64_t at;
    if (map64_get(&n->instr, (uint64_t)id, &at)) return (uint32_t)at;
    return map64_get(&n->instr, (uint64_t)id & UINT32_MAX, &at) ? (uint32_t)at : HLO_NONE;
}

static void index_instructions(struct hlo_pb *r, const struct hlo_computation *c)
{
    map64_free(&r->names.instr);
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        uint64_t id = (uint64_t)r->m->instr[k].id;
        map64_set(&r->names.instr, id, k);
        if (id > UINT32_MAX) map64_at(&r->names.instr, id & UINT32_MAX, k);
    }
}

/* ---- schedule ---- */

/* The ids of a repeated int64, packed or not, one after the other. */
static bool next_id(struct wire *w, struct wire *packed, int64_t *id)
{
    struct wire_field f = {0};
    uint64_t v;
    while (packed->p == packed->end) {
        if (wire_next(w, &f) <= 0) return false;
        if (f.num != 1) continue;
        if (f.type == WIRE_VARINT) {
            *id = (int64_t)f.u;
            return true;
        }
        if (f.type == WIRE_BYTES) *packed = f.sub;
    }
    if (wire_varint(packed, &v)) return false;
    *id = (int64_t)v;
    return true;
}

/* Put a computation's instructions into the order of its sequence; those that it does not name go last. */
static void schedule(struct hlo_pb *r, struct hlo_computation *c, struct wire ids)
{
    struct hlo_instr *was = mem_alloc(c->count, sizeof *was), *instr = r->m->instr + c->first;
    struct wire *body = mem_alloc(c->count, sizeof *body), packed = {NULL, NULL};
    bool *placed = mem_alloc(c->count, sizeof *placed);
    uint32_t n = 0;
    int64_t id;
    memcpy(was, instr, c->count * sizeof *was);
    memcpy(body, r->body + c->first, c->count * sizeof *body);
    while (next_id(&ids, &packed, &id)) {
        uint32_t k = hlo_pb_instr(&r->names, id);
        if (k == HLO_NONE || placed[k - c->first]) continue;
        placed[k -= c->first] = true;
        instr[n] = was[k];
        r->body[c->first + n++] = body[k];
    }
    for (uint32_t k = 0; k < c->count; k++)
        if (!placed[k]) instr[n] = was[k], r->body[c->first + n++] = body[k];
    free(was);
    free(body);
    free(placed);
}

/* ---- pass 2: one instruction ---- */

static const struct shape *shape_of(struct hlo_pb *r, ProtobufCBinaryData raw)
{
    bool fresh;
    struct err e = {0};
    uint32_t at = map_put(&r->shape_text, pb_str(raw), &fresh);
    if (!fresh) return r->shape[at];
    r->shape = mem_grow(r->shape, &r->shape_cap, at + (size_t)1, sizeof *r->shape);
    r->shape[at] = NULL;
    const Xla__ShapeProto *p =
        pb_unpack(&xla__shape_proto__descriptor, wire_of(raw.data, raw.len), &r->scratch, raw.data, NULL, &e);
    return r->shape[at] = p ? hlo_pb_shape(&r->m->arena, p) : NULL;
}

static void operands(struct hlo_pb *r, struct hlo_instr *i, const Xla__HloInstructionProto *p)
{
    uint32_t *v = arena_alloc(&r->m->arena, p->n_operand_ids, sizeof *v);
    for (size_t k = 0; k < p->n_operand_ids; k++) {
        v[k] = hlo_pb_instr(&r->names, p->operand_ids[k]);
        r->m->missing += v[k] == HLO_NONE;
    }
    i->operand = v;
    i->noperand = (uint32_t)p->n_operand_ids;
}

/* Which role the k-th called computation has (spec: HLO text 4.4). */
static enum hlo_role role_of(const struct hlo_module *m, const struct hlo_instr *i, size_t k)
{
    static const char *const apply[] = {"all-reduce",     "all-reduce-start", "call", "map",     "reduce",
                                        "reduce-scatter", "reduce-window",    "scan", "scatter", "sort"};
    if (hlo_is(i, "while")) return k ? HLO_CONDITION : HLO_BODY;
    if (hlo_is(i, "select-and-scatter")) return k ? HLO_SCATTER : HLO_SELECT;
    if (hlo_is(i, "conditional")) {
        const struct shape *s =
            i->noperand && i->operand[0] != HLO_NONE ? m->instr[i->operand[0]].shape : NULL;
        return !s || s->type != PRIM_PRED ? HLO_BRANCH : k ? HLO_FALSE : HLO_TRUE;
    }
    for (size_t a = 0; a < sizeof apply / sizeof *apply; a++)
        if (hlo_is(i, apply[a])) return HLO_TO_APPLY;
    return HLO_CALLS;
}

static void called(struct hlo_pb *r, struct hlo_instr *i, const Xla__HloInstructionProto *p)
{
    struct hlo_call *v = arena_alloc(&r->m->arena, p->n_called_computation_ids, sizeof *v);
    uint32_t n = 0;
    for (size_t k = 0; k < p->n_called_computation_ids; k++) {
        uint32_t c = hlo_pb_computation(&r->names, p->called_computation_ids[k]);
        if (c == HLO_NONE)
            r->m->missing++;
        else
            v[n++] = (struct hlo_call){role_of(r->m, i, k), c};
    }
    if (n == 2 && v[0].role == HLO_BODY) { /* text names the condition first */
        struct hlo_call body = v[0];
        v[0] = v[1];
        v[1] = body;
    }
    i->call = v;
    i->ncall = n;
}

static struct str literal(struct hlo_pb *r, struct hlo_instr *i, const Xla__HloInstructionProto *p)
{
    struct err e = {0};
    struct wire w = wire_of(p->literal.data, p->literal.len);
    int64_t n = shape_elements(i->shape);
    const Xla__LiteralProto *l = NULL;
    if (n >= 0 && n <= HLO_PB_MAX_ELEMENTS && wire_size(w))
        l = pb_unpack(&xla__literal_proto__descriptor, w, &r->scratch, w.p, NULL, &e);
    if (!l) return STR("{...}");
    r->text.n = 0;
    hlo_pb_literal(&r->text, l, l->shape ? hlo_pb_shape(&r->scratch, l->shape) : i->shape);
    return keep(r, buf_view(&r->text));
}

static void metadata(struct hlo_pb *r, struct hlo_instr *i, const Xla__OpMetadata *p)
{
    i->op_name = keep(r, pb_str(p->op_name));
    i->source_file = keep(r, pb_str(p->source_file));
    i->source_line = p->source_line;
    i->stack_frame = p->stack_frame_id;
    r->text.n = 0;
    hlo_pb_metadata(&r->text, p, &r->names);
    i->metadata = keep(r, buf_view(&r->text));
}

static void fill(struct hlo_pb *r, struct hlo_instr *i, const Xla__HloInstructionProto *p)
{
    i->opcode = keep(r, pb_str(p->opcode));
    i->shape = shape_of(r, p->shape);
    if (!i->shape) i->shape = r->unknown;
    operands(r, i, p);
    called(r, i, p);
    if (hlo_is(i, "parameter")) i->number = p->parameter_number;
    if (hlo_is(i, "get-tuple-element")) i->number = p->tuple_index;
    if (hlo_is(i, "constant")) i->literal = literal(r, i, p);
    i->custom_call_target = keep(r, pb_str(p->custom_call_target));
    if (p->metadata) metadata(r, i, p->metadata);
    i->backend_config = keep(r, p->backend_config.len ? pb_str(p->backend_config)
                                                      : hlo_pb_payload(p->backend_config_payload, &r->names));
    r->text.n = 0;
    hlo_pb_attributes(&r->text, p, i, &r->names);
    i->attributes = keep(r, buf_view(&r->text));
}

/* The computation's instructions: all whose message is sound; the first that is not is the error. */
static void build(struct hlo_pb *r, uint32_t k)
{
    struct hlo_computation *c = &r->m->computation[k];
    uint64_t sequence;
    index_instructions(r, c);
    if (map64_get(&r->sequence_of, (uint64_t)r->computation[k].id, &sequence)) {
        schedule(r, c, r->sequence[sequence]);
        r->sequence[sequence] = (struct wire){NULL, NULL}; /* once: ids that repeat must not multiply work */
        index_instructions(r, c);
    }
    if (r->computation[k].has_root) c->root = hlo_pb_instr(&r->names, r->computation[k].root);
    for (uint32_t j = c->first; j < c->first + c->count; j++) {
        struct hlo_instr *i = &r->m->instr[j];
        const Xla__HloInstructionProto *p = pb_unpack(&xla__hlo_instruction_proto__descriptor, r->body[j],
                                                      &r->scratch, r->from - r->base, r->file, r->e);
        i->order = j - c->first;
        i->shape = r->unknown;
        if (p) fill(r, i, p);
        arena_free(&r->scratch);
    }
}

/* ---- the whole ---- */

static void release(struct hlo_pb *r)
{
    free(r->body);
    free(r->computation);
    free(r->sequence);
    free(r->payload);
    free(r->shape);
    map_free(&r->shape_text);
    map64_free(&r->names.computation);
    map64_free(&r->names.instr);
    map64_free(&r->sequence_of);
    buf_free(&r->text);
    arena_free(&r->scratch);
}

static void find_entry(struct hlo_pb *r)
{
    struct hlo_module *m = r->m;
    struct str name = wire_str(r->part[MODULE_ENTRY_NAME]);
    if (r->has_entry_id) m->entry = hlo_pb_computation(&r->names, r->entry_id);
    for (uint32_t k = 0; m->entry == HLO_NONE && name.n && k < m->ncomputation; k++)
        if (str_eq(m->computation[k].name, name)) m->entry = k;
}

/* The empty module to be filled. */
static void start(struct hlo_pb *r, size_t n)
{
    struct hlo_module *m = mem_alloc(1, sizeof *m);
    struct shape *unknown = arena_alloc(&m->arena, 1, sizeof *unknown);
    unknown->type = PRIM_UNKNOWN;
    unknown->type_name = STR("?");
    m->entry = HLO_NONE;
    m->source_name = r->file;
    m->from_proto = true;
    m->taken = n;
    r->unknown = unknown;
    r->names.m = r->m = m;
}

/* HloProto: the module, and the plan in *plan. */
static void scan_proto(struct hlo_pb *r, struct wire w, struct wire *plan)
{
    struct wire_field f = {0};
    while (hlo_pb_next(r, &w, &f) > 0) {
        if (f.num == 1 && f.type == WIRE_BYTES) scan_module(r, f.sub);
        if (f.num == 3 && f.type == WIRE_BYTES) *plan = f.sub;
    }
}

int hlo_read_proto(const void *p, size_t n, const char *file, uint64_t base, struct hlo_module **out,
                   struct err *e)
{
    struct hlo_pb r = {.file = file, .from = p, .base = base, .e = e};
    struct wire plan = {NULL, NULL};
    *out = NULL;
    if (n >= max_size) return err_set(e, file, "over 2 GiB: protobuf has no larger messages");
    start(&r, n);
    if (kind_of(p, n) == KIND_HLO_MODULE)
        scan_module(&r, wire_of(p, n));
    else
        scan_proto(&r, wire_of(p, n), &plan);
    find_entry(&r);
    for (uint32_t k = 0; k < r.m->ncomputation; k++) build(&r, k);
    hlo_finish(r.m); /* the plan's sizes look instructions up by name */
    hlo_pb_module(&r, plan);
    release(&r);
    if (r.m->missing && !e->text[0])
        err_set(e, file, "%llu operands or computations are named but not there",
                (unsigned long long)r.m->missing);
    if (r.m->ncomputation) {
        *out = r.m;
        return e->text[0] ? -1 : 0;
    }
    hlo_free(r.m);
    return err_set(e, file, "no HLO module in it");
}
