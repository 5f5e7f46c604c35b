#include "plan_tab.h"
#include "num.h"

static const struct column buffer_columns[] = {
    {"module", "text", "-", "name of the module; #2, #3 behind a name that occurs again"},
    {"allocation", "int", "-", "index of the allocation"},
    {"allocation_bytes", "int", "bytes", "its size"},
    {"parameter", "int", "-", "number of the entry parameter it holds; - if none"},
    {"maybe_live_out", "bool", "-", "1: it may live after the program ends"},
    {"constant", "bool", "-", "1: it holds a constant"},
    {"thread_local", "bool", "-", "1: made anew for each call"},
    {"tuple", "bool", "-",
     "1: marked as a tuple's table of pointers (text does not say: - where a value is a tuple)"},
    {"memory_space", "text", "-", "0 is main memory (HBM), 1 a TPU's VMEM, 5 host; in logs the printed name"},
    {"buffer", "int", "-", "id of the value in this place; - if the allocation holds none"},
    {"color", "int", "-", "memory space of the value itself"},
    {"kind", "enum", "-", "parameter output thread_local constant temporary scoped"},
    {"instr", "text", "-", "instruction that defines the value"},
    {"shape_index", "text", "-", "its part of a tuple, as {0,1}; - is the whole value"},
    {"offset_bytes", "int", "bytes", "place in the allocation"},
    {"size_bytes", "int", "bytes", "size with padding"},
    {"unpadded_bytes", "int", "bytes", "size without padding"},
    {"trace", "int", "-", "index of the heap trace that names the value"},
    {"trace_events", "int", "-", "number of its events"},
    {"alloc_order", "int", "-", "index of the event that allocates or shares"},
    {"free_order", "int", "-", "index of the event that frees"},
    {"share_with", "int", "-", "id of the value whose memory it shares"},
    {"start", "int", "-", "first program order at which it lives (text)"},
    {"end", "int", "-", "last, inclusive (text)"},
    {"shape", "text", "-", "with layout"},
    {"op_name", "text", "-", "op_name of the instruction"},
    {"source", "text", "-", "line of the user's program"},
    {"stack", "text", "-", "the call stack, innermost first"},
    {"opcode", "text", "-", "HLO opcode"},
    {"layout_change", "text", "-", "{from}->{to} where the instruction only changes the layout"},
    {"custom_call_target", "text", "-", "of a custom-call"},
    {"scoped_vmem_bytes", "int", "bytes",
     "most VMEM that an instruction takes while it runs; first row only"},
    {"opaque_calls", "int", "-", "custom calls whose scratch is not in the plan; first row only"},
    {"opaque_io_bytes", "int", "bytes", "plan sizes of their operands and results; first row only"},
    {"copy_of", "text", "-", "the value that a layout change copies, as x{1}"},
    {0}};

static const struct column allocation_columns[] = {
    {"module", "text", "-", "name of the module"},
    {"allocation", "int", "-", "index"},
    {"size_bytes", "int", "bytes", "size"},
    {"memory_space", "int", "-", "memory space"},
    {"kind", "enum", "-", "parameter output thread_local constant temporary"},
    {"parameter", "int", "-", "number of the entry parameter; - if none"},
    {"maybe_live_out", "bool", "-", "1: it may live after the program ends"},
    {"constant", "bool", "-", "1: it holds a constant"},
    {"thread_local", "bool", "-", "1: made anew for each call"},
    {"tuple", "bool", "-",
     "1: marked as a tuple's table of pointers (text does not say: - where a value is a tuple)"},
    {"buffers", "int", "-", "number of values in it"},
    {"value_bytes", "int", "bytes", "sum of their sizes"},
    {"reuse", "float", "-", "value_bytes / size_bytes: over 1 where values take turns"},
    {"largest_instr", "text", "-", "instruction of the largest value"},
    {"largest_bytes", "int", "bytes", "its size"},
    {0}};

static const struct column heap_columns[] = {
    {"module", "text", "-", "name of the module"},
    {"trace", "int", "-", "index of the heap simulator's trace"},
    {"event", "int", "-", "index of the event in its trace"},
    {"kind", "enum", "-", "alloc free share_with"},
    {"buffer", "int", "-", "id of the value"},
    {"computation", "text", "-", "computation"},
    {"instr", "text", "-", "instruction that defines the value, not the moment of the event"},
    {"share_with", "int", "-", "id of the value whose memory is shared"},
    {0}};

static const struct column module_columns[] = {
    {"module", "text", "-", "name of the module"},
    {"memory_space", "text", "-", "number; in logs the printed name"},
    {"argument_bytes", "int", "bytes",
     "allocations of entry parameters (donated ones are in maybe_live_out too)"},
    {"constant_bytes", "int", "bytes", "allocations of constants"},
    {"maybe_live_out_bytes", "int", "bytes", "allocations that may live after the program ends"},
    {"thread_local_bytes", "int", "bytes", "thread-local allocations"},
    {"temp_bytes", "int", "bytes", "allocations that are none of these; in a TPU log the table's program"},
    {"total_bytes", "int", "bytes", "all allocations; in a TPU log the total usage"},
    {"limit_bytes", "int", "bytes", "what there is (logs)"},
    {"buffers", "int", "-", "number of values"},
    {"largest_instr", "text", "-", "instruction of the largest value"},
    {"largest_bytes", "int", "bytes", "its size"},
    {"largest_source", "text", "-", "line of the user's program"},
    {0}};

static const struct column peak_columns[] = {
    {"module", "text", "-", "name of the module"},
    {"instr", "text", "-", "instruction, with the index into its tuple as x{1}"},
    {"size_bytes", "int", "bytes", "size, as the source has it"},
    {"unpadded_bytes", "int", "bytes", "size without padding"},
    {"kind", "enum", "-", "parameter output thread_local constant temporary scoped"},
    {"memory_space", "text", "-", "number; in logs the printed name"},
    {"shape", "text", "-", "with layout"},
    {"op_name", "text", "-", "op_name"},
    {"source", "text", "-", "line of the user's program"},
    {"rounded", "bool", "-", "1: printed with a unit, size_bytes is the nearest byte"},
    {0}};

const struct table plan_tables[] = {
    {"buffer", "a value in its place in memory", buffer_columns, false},
    {"allocation", "an allocation", allocation_columns, false},
    {"heap", "an event of the heap simulator (protos)", heap_columns, false},
    {"module", "a module in one memory space", module_columns, false},
    {"peak", "a value that the source itself lists at its peak", peak_columns, false},
    {0}};

/* ---- rows ---- */

static void number(struct tab *t, int64_t v)
{
    if (v < 0)
        tab_none(t);
    else
        tab_i64(t, v);
}

static void text(struct tab *t, struct str s)
{
    if (s.n)
        tab_text(t, s);
    else
        tab_none(t);
}

static void order(struct tab *t, uint32_t v) { number(t, v == PLAN_NONE ? -1 : (int64_t)v); }

static void nones(struct tab *t, unsigned n)
{
    while (n--) tab_none(t);
}

static void kind(struct tab *t, int k)
{
    if (k < 0)
        tab_none(t);
    else
        tab_texts(t, plan_kind_name((enum plan_kind)k));
}

static void flags(struct tab *t, const struct plan_alloc *a)
{
    number(t, a->parameter);
    tab_u64(t, a->maybe_live_out);
    tab_u64(t, a->constant);
    tab_u64(t, a->thread_local_);
    number(t, a->maybe_tuple ? -1 : a->tuple);
}

static void last_cells(struct tab *t, const struct plan *p, bool first, struct str copy_of)
{
    if (first) {
        number(t, p->scoped_vmem);
        number(t, p->opaque_calls);
        number(t, p->opaque_io);
    } else
        tab_cells(t, STR("-\t-\t-"));
    text(t, copy_of);
    tab_end(t);
}

static void cell(struct buf *b, int64_t v)
{
    buf_c(b, '\t');
    buf_i64(b, v);
}

/* The cells that all buffers of an allocation share, encoded once. */
static void place(struct buf *b, const struct plan *p, const struct plan_alloc *a)
{
    b->n = 0;
    tsv_escape(b, p->module);
    cell(b, a->index);
    cell(b, a->size);
    if (a->parameter < 0)
        buf_puts(b, "\t-");
    else
        cell(b, a->parameter);
    cell(b, a->maybe_live_out);
    cell(b, a->constant);
    cell(b, a->thread_local_);
    if (a->maybe_tuple)
        buf_puts(b, "\t-");
    else
        cell(b, a->tuple);
    cell(b, a->color);
}

static void trace(struct tab *t, const struct plan *p, const struct plan_buffer *b)
{
    if (b->trace == PLAN_NONE) {
        tab_cells(t, STR("-\t-\t-\t-\t-"));
        return;
    }
    tab_u64(t, b->trace);
    order(t, b->trace < p->ntrace ? p->trace[b->trace].count : PLAN_NONE);
    number(t, b->alloc_order);
    number(t, b->free_order);
    number(t, b->share_with);
}

static void about(struct tab *t, const struct plan_about *a)
{
    if (!a->opcode.n) {
        tab_cells(t, STR("-\t-\t-\t-\t-\t-"));
        return;
    }
    text(t, a->op_name);
    text(t, a->source);
    text(t, a->stack);
    text(t, a->opcode);
    text(t, a->layout_change);
    text(t, a->custom_call_target);
}

static void buffer(struct tab *t, const struct plan *p, const struct plan_buffer *b)
{
    number(t, b->id);
    number(t, b->color);
    kind(t, (int)plan_alloc_kind(&p->alloc[b->alloc]));
    text(t, b->instr);
    text(t, b->index);
    number(t, b->offset);
    number(t, b->size);
    number(t, b->unpadded);
    trace(t, p, b);
    if (p->has_ranges) {
        number(t, b->start);
        number(t, b->end);
    } else
        tab_cells(t, STR("-\t-"));
    text(t, b->shape);
    about(t, b->about);
}

/* A log knows no places: only what it lists. */
static uint64_t log_buffers(struct tab *t, const struct plan *p)
{
    for (uint32_t i = 0; i < p->npeak; i++) {
        const struct plan_peak *k = &p->peak[i];
        text(t, p->module);
        nones(t, 7);
        text(t, k->memory_space);
        nones(t, 2);
        kind(t, k->kind);
        text(t, k->instr);
        nones(t, 2);
        number(t, k->size);
        number(t, k->unpadded);
        nones(t, 7);
        text(t, k->shape);
        text(t, k->op_name);
        text(t, k->source);
        nones(t, 4);
        last_cells(t, p, i == 0, STR(""));
    }
    return p->npeak;
}

uint64_t plan_put_buffers(struct tab *t, const struct plan *p)
{
    struct buf shared = {0};
    uint64_t n = 0;
    if (p->source == PLAN_FROM_LOG) return log_buffers(t, p);
    for (uint32_t i = 0; i < p->nalloc; i++) {
        const struct plan_alloc *a = &p->alloc[i];
        place(&shared, p, a);
        for (uint32_t k = a->first; k < a->first + a->count; k++) {
            tab_cells(t, buf_view(&shared));
            buffer(t, p, &p->buffer[k]);
            last_cells(t, p, n++ == 0, p->buffer[k].about->copy_of);
        }
        if (a->count) continue;
        tab_cells(t, buf_view(&shared));
        nones(t, 2);
        kind(t, (int)plan_alloc_kind(a));
        nones(t, 19);
        last_cells(t, p, n++ == 0, STR(""));
    }
    buf_free(&shared);
    return n;
}

uint64_t plan_put_allocations(struct tab *t, const struct plan *p)
{
    for (uint32_t i = 0; i < p->nalloc; i++) {
        const struct plan_alloc *a = &p->alloc[i];
        const struct plan_buffer *largest = NULL;
        int64_t sum = 0;
        for (uint32_t k = a->first; k < a->first + a->count; k++) {
            const struct plan_buffer *b = &p->buffer[k];
            sum = num_add(sum, b->size > 0 ? b->size : 0);
            if (!largest || b->size > largest->size) largest = b;
        }
        text(t, p->module);
        tab_i64(t, a->index);
        number(t, a->size);
        tab_i64(t, a->color);
        kind(t, (int)plan_alloc_kind(a));
        flags(t, a);
        tab_u64(t, a->count);
        tab_i64(t, sum);
        if (a->size > 0)
            tab_f64(t, (double)sum / (double)a->size);
        else
            tab_none(t);
        text(t, largest ? largest->instr : STR(""));
        number(t, largest ? largest->size : -1);
        tab_end(t);
    }
    return p->nalloc;
}

uint64_t plan_put_heap(struct tab *t, const struct plan *p)
{
    static const char *const name[] = {"alloc", "free", "share_with"};
    for (uint32_t i = 0; i < p->ntrace; i++)
        for (uint32_t k = 0; k < p->trace[i].count; k++) {
            const struct plan_event *v = &p->event[p->trace[i].first + k];
            text(t, p->module);
            tab_u64(t, i);
            tab_u64(t, k);
            tab_texts(t, name[v->kind]);
            number(t, v->buffer);
            text(t, v->computation);
            text(t, v->instr);
            number(t, v->share_with);
            tab_end(t);
        }
    return p->nevent;
}

uint64_t plan_put_modules(struct tab *t, const struct plan *p)
{
    for (uint32_t i = 0; i < p->nspace; i++) {
        const struct plan_space *s = &p->space[i];
        text(t, p->module);
        text(t, s->memory_space);
        number(t, s->argument);
        number(t, s->constant);
        number(t, s->maybe_live_out);
        number(t, s->thread_local_);
        number(t, s->temp);
        number(t, s->total);
        number(t, s->limit);
        number(t, s->buffers);
        text(t, s->largest_instr);
        number(t, s->largest);
        text(t, s->largest_source);
        tab_end(t);
    }
    return p->nspace;
}

uint64_t plan_put_peak(struct tab *t, const struct plan *p)
{
    struct buf name = {0};
    for (uint32_t i = 0; i < p->npeak; i++) {
        const struct plan_peak *k = &p->peak[i];
        name.n = 0;
        buf_str(&name, k->instr);
        buf_str(&name, k->index);
        text(t, p->module);
        text(t, buf_view(&name));
        number(t, k->size);
        number(t, k->unpadded);
        kind(t, k->kind);
        text(t, k->memory_space);
        text(t, k->shape);
        text(t, k->op_name);
        text(t, k->source);
        tab_u64(t, k->rounded);
        tab_end(t);
    }
    buf_free(&name);
    return p->npeak;
}
