/* Plans: checks against brute force, protos made by hand, sizes in logs, text cut at every byte. */
#include "check.h"
#include "hlo.pb-c.h"
#include "inp.h"
#include "plan_read.h"
#include <string.h>

/* ---- the first plan of some bytes ---- */

struct got {
    struct plan *p[16];
    int n;
};
static int take(struct plan *p, void *ctx)
{
    struct got *g = ctx;
    if (g->n == 16) {
        plan_free(p);
        return 1;
    }
    g->p[g->n++] = p;
    return 0;
}
static int read_bytes(const void *p, size_t n, struct got *g, struct err *e)
{
    struct inp in = {.name = "test", .data = p, .size = n};
    *g = (struct got){0};
    *e = (struct err){0};
    return plan_read(&in, NULL, 0, take, g, e);
}
static void drop(struct got *g)
{
    while (g->n) plan_free(g->p[--g->n]);
}

/* ---- overlaps: the sweep finds some exactly where two values clash ---- */

static uint64_t seed = 1;
static int64_t dice(int64_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 33) % (uint64_t)n);
}

static bool clash(const struct plan_buffer *a, const struct plan_buffer *b)
{
    bool bytes = a->offset < b->offset + b->size && b->offset < a->offset + a->size;
    bool alias = a->offset == b->offset && a->size == b->size;
    bool life = a->start <= b->end && b->start <= a->end;
    /* one dies where the other is made */
    bool hands_over =
        (a->end == b->start && a->start < b->start) || (b->end == a->start && b->start < a->start);
    return bytes && life && !alias && !hands_over;
}

static void overlaps(void)
{
    int with = 0, without = 0;
    for (int round = 0; round < 3000; round++) {
        struct plan *p = plan_new(PLAN_FROM_TEXT, "test");
        uint32_t n = 2 + (uint32_t)dice(9);
        bool any = false;
        p->alloc = mem_alloc(1, sizeof *p->alloc);
        p->buffer = mem_alloc(n, sizeof *p->buffer);
        p->alloc[p->nalloc++] = (struct plan_alloc){.size = 400, .parameter = -1, .count = n};
        for (uint32_t i = 0; i < n; i++) {
            struct plan_buffer *b = &p->buffer[p->nbuffer++];
            *b = plan_no_buffer;
            b->offset = dice(12) * 10;
            b->size = 10 * (1 + dice(4));
            b->start = dice(60);
            b->end = b->start + dice(8);
            for (uint32_t k = 0; k < i; k++) any |= clash(b, &p->buffer[k]);
        }
        plan_check(p);
        CHECK(any == (p->fault[PLAN_OVERLAP] > 0));
        CHECK(!p->fault[PLAN_BEYOND]);
        any ? with++ : without++;
        plan_free(p);
    }
    CHECK(with > 300 && without > 300);
}

/* ---- a proto: one instruction of a nested tuple, buffers in it, a trace ---- */

static ProtobufCBinaryData bytes(const char *s)
{
    return (ProtobufCBinaryData){strlen(s), (uint8_t *)(uintptr_t)s};
}

struct made {
    Xla__ShapeProto f32, s32, pair, nested;
    Xla__LayoutProto layout;
    int64_t dims[2], minor[2];
    uint8_t packed[256]; /* the instruction's shape */
    Xla__ShapeProto *in_pair[2], *in_nested[2];
    Xla__HloInstructionProto instr;
    Xla__HloInstructionProto *instrs[1];
    Xla__HloComputationProto computation;
    Xla__HloComputationProto *computations[1];
    Xla__HloModuleProto module;
    Xla__LogicalBufferProto buffer[3], *buffers[3];
    Xla__LogicalBufferProto__Location at[3];
    int64_t index[2], last[1];
    Xla__BufferAllocationProto alloc[2], *allocs[2];
    Xla__BufferAllocationProto__Assigned assigned[4], *of_first[3], *of_second[1];
    Xla__HeapSimulatorTrace trace, *traces[1];
    Xla__HeapSimulatorTrace__Event event[5], *events[5];
    Xla__BufferAssignmentProto plan;
    Xla__HloProto hlo;
};

static void make_program(struct made *m)
{
    xla__layout_proto__init(&m->layout);
    m->minor[0] = 1;
    m->layout.n_minor_to_major = 2;
    m->layout.minor_to_major = m->minor;
    xla__shape_proto__init(&m->f32);
    m->f32.element_type = PRIM_F32;
    m->dims[0] = 8, m->dims[1] = 16;
    m->f32.n_dimensions = 2;
    m->f32.dimensions = m->dims;
    m->f32.layout = &m->layout;
    xla__shape_proto__init(&m->s32);
    m->s32.element_type = PRIM_S32;
    xla__shape_proto__init(&m->pair);
    m->pair.element_type = PRIM_TUPLE;
    m->in_pair[0] = &m->s32, m->in_pair[1] = &m->f32;
    m->pair.n_tuple_shapes = 2;
    m->pair.tuple_shapes = m->in_pair;
    m->nested = m->pair; /* (f32[8,16], (s32[], f32[8,16])) */
    m->in_nested[0] = &m->f32, m->in_nested[1] = &m->pair;
    m->nested.tuple_shapes = m->in_nested;
    xla__hlo_instruction_proto__init(&m->instr);
    m->instr.name = bytes("call");
    m->instr.opcode = bytes("custom-call");
    m->instr.custom_call_target = bytes("tpu_custom_call");
    m->instr.backend_config =
        bytes("{\"used_scoped_memory_configs\":[{\"memory_space\":\"1\",\"size\":\"777\"},"
              "{\"memory_space\":1,\"offset\":\"4\",\"size\":12},{\"size\":\"9999\"}]}");
    m->instr.id = (int64_t)5 << 32 | 7;
    m->instr.shape = (ProtobufCBinaryData){xla__shape_proto__pack(&m->nested, m->packed), m->packed};
    m->instrs[0] = &m->instr;
    xla__hlo_computation_proto__init(&m->computation);
    m->computation.name = bytes("main");
    m->computation.id = 5;
    m->computation.root_id = m->instr.id;
    m->computation.n_instructions = 1;
    m->computation.instructions = m->instrs;
    m->computations[0] = &m->computation;
    xla__hlo_module_proto__init(&m->module);
    m->module.name = bytes("jit_f");
    m->module.entry_computation_id = 5;
    m->module.n_computations = 1;
    m->module.computations = m->computations;
}

static void make_plan(struct made *m)
{
    for (int i = 0; i < 3; i++) {
        xla__logical_buffer_proto__init(&m->buffer[i]);
        xla__logical_buffer_proto__location__init(&m->at[i]);
        m->at[i].instruction_id = m->instr.id;
        m->buffer[i].defined_at = &m->at[i];
        m->buffer[i].id = 10 + i;
        m->buffer[i].size = 512 << i;
        m->buffers[i] = &m->buffer[i];
    }
    m->index[0] = 1, m->index[1] = 0; /* of buffer 11: the last component alone counts */
    m->at[1].n_shape_index = 2;
    m->at[1].shape_index = m->index;
    m->last[0] = 1; /* of buffer 12 */
    m->at[2].n_shape_index = 1;
    m->at[2].shape_index = m->last;
    for (int i = 0; i < 4; i++) {
        xla__buffer_allocation_proto__assigned__init(&m->assigned[i]);
        m->assigned[i].logical_buffer_id = i < 3 ? 10 + i : 99; /* 99: no such */
        m->assigned[i].offset = i == 2 ? 8000 : 0;              /* passes the end */
    }
    for (int i = 0; i < 2; i++) {
        xla__buffer_allocation_proto__init(&m->alloc[i]);
        m->alloc[i].index = i;
        m->alloc[i].size = 4096;
        m->allocs[i] = &m->alloc[i];
    }
    m->alloc[0].maybe_live_out = m->alloc[0].is_entry_computation_parameter = 1;
    m->alloc[0].parameter_number = 3;
    m->of_first[0] = &m->assigned[0], m->of_first[1] = &m->assigned[3];
    m->alloc[0].n_assigned = 2;
    m->alloc[0].assigned = m->of_first;
    m->of_second[0] = &m->assigned[1];
    m->alloc[1].color = 1;
    m->alloc[1].n_assigned = 1;
    m->alloc[1].assigned = m->of_second;
    for (int i = 0; i < 5; i++)
        xla__heap_simulator_trace__event__init(&m->event[i]), m->events[i] = &m->event[i];
    m->event[0].buffer_id = 11;
    m->event[1].buffer_id = 10, m->event[1].kind = XLA__HEAP_SIMULATOR_TRACE__EVENT__KIND__FREE; /* unmade */
    m->event[2].buffer_id = 11, m->event[2].kind = XLA__HEAP_SIMULATOR_TRACE__EVENT__KIND__FREE;
    m->event[3].buffer_id = 11; /* again: no room in the columns */
    m->event[4].buffer_id = 10, m->event[4].kind = XLA__HEAP_SIMULATOR_TRACE__EVENT__KIND__SHARE_WITH;
    m->event[4].share_with_canonical_id = 98; /* no such */
    xla__heap_simulator_trace__init(&m->trace);
    m->trace.n_events = 5;
    m->trace.events = m->events;
    m->traces[0] = &m->trace;
    xla__buffer_assignment_proto__init(&m->plan);
    m->plan.n_logical_buffers = 3;
    m->plan.logical_buffers = m->buffers;
    m->plan.n_buffer_allocations = 2;
    m->plan.buffer_allocations = m->allocs;
    m->plan.n_heap_simulator_traces = 1;
    m->plan.heap_simulator_traces = m->traces;
}

static void protos(void)
{
    static struct made m;
    struct got g;
    struct err e;
    make_program(&m);
    make_plan(&m);
    xla__hlo_proto__init(&m.hlo);
    m.hlo.hlo_module = &m.module;
    m.hlo.buffer_assignment = &m.plan;
    m.of_second[0] = &m.assigned[1];
    size_t n = xla__hlo_proto__get_packed_size(&m.hlo);
    unsigned char *data = mem_alloc(1, n);
    xla__hlo_proto__pack(&m.hlo, data);
    CHECK(!read_bytes(data, n, &g, &e));
    CHECK(g.n == 1);
    const struct plan *p = g.p[0];
    CHECK(p->nalloc == 2 && p->nbuffer == 2 && str_is(p->module, "jit_f"));
    CHECK(plan_alloc_kind(&p->alloc[0]) == PLAN_PARAMETER && p->alloc[0].parameter == 3);
    CHECK(p->alloc[0].maybe_live_out && plan_alloc_kind(&p->alloc[1]) == PLAN_TEMPORARY);
    CHECK(p->fault[PLAN_UNKNOWN_ID] == 2 && p->fault[PLAN_FREE_UNMADE] == 1 && p->busy == 2);
    const struct plan_buffer *whole = &p->buffer[0], *part = &p->buffer[1];
    CHECK(whole->id == 10 && !whole->index.n && whole->unpadded == 16 && str_is(whole->instr, "call"));
    CHECK(part->id == 11 && str_is(part->index, "{1,0}") && str_is(part->shape, "f32[8,16]{1,0}"));
    CHECK(part->unpadded == 512 && part->size == 1024); /* the outer tuple's element 0, not the inner one's */
    CHECK(part->trace == 0 && part->alloc_order == 0 && part->free_order == 2);
    CHECK(whole->share_with == 98 && whole->alloc_order == 4);
    CHECK(p->scoped_vmem == 777 && p->opaque_calls == 1);
    CHECK(p->opaque_io == 512 + 1024 + 512); /* leaves: the plan has a value at {1,0}, else by shape */
    CHECK(p->nspace == 2 && p->space[0].argument == 4096 && p->space[0].maybe_live_out == 4096);
    CHECK(p->space[1].temp == 4096 && p->space[0].temp == 0 && p->space[1].largest == 1024);
    drop(&g);
    int whole_reads = 0;
    for (size_t cut = 1; cut < n; cut++) { /* no cut is taken for a whole */
        unsigned char *part_of = mem_alloc(1, cut);
        memcpy(part_of, data, cut);
        whole_reads += !read_bytes(part_of, cut, &g, &e);
        drop(&g);
        free(part_of);
    }
    CHECK(whole_reads == 0);
    m.of_second[0] = &m.assigned[2]; /* buffer 12, 2048 bytes at 8000 */
    n = xla__hlo_proto__get_packed_size(&m.hlo);
    data = mem_realloc(data, n, 1);
    xla__hlo_proto__pack(&m.hlo, data);
    CHECK(!read_bytes(data, n, &g, &e));
    CHECK(g.n == 1 && g.p[0]->fault[PLAN_BEYOND] == 1);
    CHECK(g.n == 1 && str_is(g.p[0]->buffer[1].shape, "(s32[],f32[8,16]{1,0})"));
    drop(&g);
    free(data);
}

/* ---- text ---- */

static const char text[] = "BufferAssignment:\n"
                           "allocation 0: size 64, color 1, preallocated-temp:\n"
                           " value: <3 a{} @1> (size=16,offset=0): (f32[2]{0}, /*index=1*/s32[])\n"
                           " value: <4 a{1} @1> (size=48,offset=16): s32[]\n"
                           "\nTotal bytes used: 64 (64B)\n\n"
                           "HloLiveRange (max 3):\n  InstructionSequence:\n    0:a\n"
                           "  BufferLiveRange:\n    a{}:0-3\n    a{1}:0-2\n"
                           "  Live ranges at 0 (peak):\n    a{1}: 4 bytes (cumulative: 4 bytes)\n";

static void texts(void)
{
    struct got g;
    struct err e;
    size_t n = sizeof text - 1;
    CHECK(!read_bytes(text, n, &g, &e));
    CHECK(g.n == 1 && g.p[0]->nbuffer == 2 && g.p[0]->npeak == 1 && g.p[0]->total_used == 64);
    const struct plan *p = g.p[0];
    CHECK(str_is(p->buffer[0].shape, "(f32[2]{0},s32[])") && p->buffer[0].end == 3 && p->buffer[1].end == 2);
    CHECK(p->buffer[0].unpadded == 16 && !p->buffer[0].index.n && str_is(p->buffer[1].index, "{1}"));
    CHECK(p->peak[0].size == 4 && str_is(p->peak[0].memory_space, "1") && p->peak[0].kind == PLAN_TEMPORARY);
    for (int k = 0; k < PLAN_FAULTS; k++) CHECK(!p->fault[k]);
    drop(&g);
    for (size_t cut = 1; cut < n;
         cut++) { /* inside a line: said; at the end of one: read as far as it goes */
        char *part = mem_alloc(1, cut);
        memcpy(part, text, cut);
        int rc = read_bytes(part, cut, &g, &e);
        if (cut > 20 && text[cut - 1] != '\n') CHECK(rc);
        drop(&g);
        free(part);
    }
    static char twice[2 * sizeof text];
    memcpy(twice, text, n);
    memcpy(twice + n, text, n);
    CHECK(!read_bytes(twice, 2 * n, &g, &e) && g.n == 2);
    drop(&g);
}

/* ---- logs ---- */

static int64_t size_of(const char *printed, bool *rounded)
{
    char line[256];
    struct got g;
    struct err e;
    int64_t v = -1;
    snprintf(line, sizeof line, "BufferAssignment stats:\nPeak buffers:\n Buffer 1:\n  Size: %s\n", printed);
    if (!read_bytes(line, strlen(line), &g, &e) && g.n == 1 && g.p[0]->npeak == 1)
        v = g.p[0]->peak[0].size, *rounded = g.p[0]->peak[0].rounded;
    drop(&g);
    return v;
}

static void logs(void)
{
    static const struct {
        const char *printed;
        int64_t size;
        bool rounded;
    } size[] = {{"0B", 0, false},
                {"512B", 512, false},
                {"512", 512, false},
                {"1.0K", 1024, true},
                {"1.5KiB", 1536, true},
                {"276.0K", 282624, true},
                {"47.68MiB", 49996104, true},
                {"21.32G", 22892175688, true},
                {"0.001K", 1, true},
                {"2.00T", 2199023255552, true},
                {"7.00E", 8070450532247928832, true},
                {"9.00E", -1, true},
                {"99999999999999999999", -1, false},
                {"unknown", -1, false}};
    for (size_t i = 0; i < sizeof size / sizeof *size; i++) {
        bool rounded = false;
        CHECK(size_of(size[i].printed, &rounded) == size[i].size);
        CHECK(size[i].size < 0 || rounded == size[i].rounded);
    }
    struct got g;
    struct err e;
    static const char quiet[] = "all is well\nTotal 5\nSize: 4.0K\n";
    CHECK(read_bytes(quiet, sizeof quiet - 1, &g, &e) && g.n == 0 && e.text[0]);
    CHECK(read_bytes("", 0, &g, &e) && g.n == 0);
    static const char mixed[] =
        "x: Ran out of memory in memory space hbm. Used 2.00G of 1.00G hbm.\n"
        "[0] Batch Size: 8\n[0]   1. Size: 1.00G\n[0] Input Shape: f32[8]\n[0] Shape: u8[9]\n";
    CHECK(!read_bytes(mixed, sizeof mixed - 1, &g, &e));
    CHECK(g.n == 1 && g.p[0]->npeak == 1 && g.p[0]->peak[0].size == 1 << 30 &&
          str_is(g.p[0]->peak[0].shape, "u8[9]"));
    CHECK(g.n == 1 && g.p[0]->nspace == 1 && g.p[0]->space[0].total == 2ll << 30);
    drop(&g);
}

/* Two hosts write the same kind of message into one log, line by line in any order. */
static void hosts(void)
{
    static const char *const tag[][2] = {{"[host 0 rank=3] ", "[host 1 rank=4] "},
                                         {"(pid=1, ip=10.0.0.1) ", "(pid=2, ip=10.0.0.2) "},
                                         {"0: ", "1: "},
                                         {"[10:12:44.1] ", "[10:12:44.1] "}}; /* a time: one stream */
    for (size_t k = 0; k < 4; k++) {
        struct buf b = {0};
        struct got g;
        struct err e;
        int at[2] = {0, 0};
        while (at[0] < 4 || at[1] < 4) {
            int h = k == 3 ? at[0] == 4 : at[0] == 4 || (at[1] < 4 && dice(2));
            static const char *const line[] = {
                "Ran out of memory in memory space hbm. Used %d.00G of 1.00G hbm.\n",
                "Total hbm usage >= %d.00G:\n", "    program  %d.00G\n", "  1. Size: %d.00M\n"};
            buf_puts(&b, tag[k][h]);
            buf_fmt(&b, line[at[h]++], h + 2);
        }
        CHECK(!read_bytes(b.p, b.n, &g, &e));
        CHECK(g.n == 2);
        for (int h = 0; h < g.n && g.n == 2; h++) {
            int64_t n = g.p[h]->nspace == 1 ? g.p[h]->space[0].total >> 30 : 0;
            CHECK((n == 2 || n == 3) && g.p[h]->space[0].temp == n << 30 && g.p[h]->npeak == 1 &&
                  g.p[h]->peak[0].size == n << 20);
        }
        drop(&g);
        buf_free(&b);
    }
}

int main(void)
{
    overlaps();
    protos();
    texts();
    logs();
    hosts();
    DONE;
}
