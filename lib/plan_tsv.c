#include "plan_tsv.h"
#include "num.h"
#include <stdlib.h>

enum column {
    MODULE,
    ALLOCATION,
    ALLOCATION_BYTES,
    PARAMETER,
    MAYBE_LIVE_OUT,
    CONSTANT,
    THREAD_LOCAL,
    TUPLE,
    MEMORY_SPACE,
    BUFFER,
    COLOR,
    INSTR,
    SHAPE_INDEX,
    OFFSET,
    SIZE,
    UNPADDED,
    TRACE,
    TRACE_EVENTS,
    ALLOC_ORDER,
    FREE_ORDER,
    SHARE_WITH,
    START,
    END,
    SHAPE,
    OP_NAME,
    SOURCE,
    STACK,
    OPCODE,
    LAYOUT_CHANGE,
    TARGET,
    SCOPED_VMEM,
    OPAQUE_CALLS,
    COPY_OF,
    KIND,
    OPAQUE_IO,
    COLUMNS
};
static const struct {
    const char *name;
    bool needed;
} column[COLUMNS] = {
    [MODULE] = {"module", false},
    [ALLOCATION] = {"allocation", true},
    [ALLOCATION_BYTES] = {"allocation_bytes", true},
    [PARAMETER] = {"parameter", true},
    [MAYBE_LIVE_OUT] = {"maybe_live_out", true},
    [CONSTANT] = {"constant", true},
    [THREAD_LOCAL] = {"thread_local", true},
    [TUPLE] = {"tuple", false},
    [MEMORY_SPACE] = {"memory_space", true},
    [BUFFER] = {"buffer", true},
    [COLOR] = {"color", false},
    [INSTR] = {"instr", true},
    [SHAPE_INDEX] = {"shape_index", false},
    [OFFSET] = {"offset_bytes", true},
    [SIZE] = {"size_bytes", true},
    [UNPADDED] = {"unpadded_bytes", false},
    [TRACE] = {"trace", false},
    [TRACE_EVENTS] = {"trace_events", false},
    [ALLOC_ORDER] = {"alloc_order", false},
    [FREE_ORDER] = {"free_order", false},
    [SHARE_WITH] = {"share_with", false},
    [START] = {"start", false},
    [END] = {"end", false},
    [SHAPE] = {"shape", false},
    [OP_NAME] = {"op_name", false},
    [SOURCE] = {"source", false},
    [STACK] = {"stack", false},
    [OPCODE] = {"opcode", false},
    [LAYOUT_CHANGE] = {"layout_change", false},
    [TARGET] = {"custom_call_target", false},
    [SCOPED_VMEM] = {"scoped_vmem_bytes", false},
    [OPAQUE_CALLS] = {"opaque_calls", false},
    [OPAQUE_IO] = {"opaque_io_bytes", false},
    [COPY_OF] = {"copy_of", false},
    [KIND] = {"kind", false},
};

/* A plan in the making.  Buffers stand in order of their rows until the end. */
struct making {
    struct plan *p;
    struct map64 alloc, pair, trace; /* index -> place, (place, id) seen, trace number -> place */
    struct map text, about;          /* interned cells; instruction -> p's about */
    struct plan_about **abouts;
    size_t alloc_cap, buffer_cap, trace_cap, text_cap, about_cap;
    struct str *texts; /* decoded, by index of text */
    struct named_trace {
        int64_t number, events;
    } * traces;
    uint32_t ntrace;
};

struct reader {
    struct tsv *t;
    int col[COLUMNS];
    struct map module; /* name -> the latest plan of that name, in `latest` */
    uint32_t *latest;
    struct making *plan;
    size_t nplan, plan_cap, latest_cap;
    struct buf scratch;
};

static int get(const struct reader *r, enum column c, int64_t *out, struct err *e)
{
    int col = r->col[c];
    *out = -1;
    if (col < 0 || tsv_none(r->t->cell[col]) || tsv_i64(r->t, col, out)) return 0;
    return tsv_bad(r->t, col, "whole number", e);
}

static int get_flag(const struct reader *r, enum column c, bool *out, struct err *e)
{
    int64_t v;
    if (get(r, c, &v, e)) return -1;
    *out = v > 0;
    return 0;
}

/* The text of a cell, kept once per plan. */
static int text(struct reader *r, struct making *m, enum column c, struct str *out, struct err *e)
{
    struct str cell = tsv_str(r->t, r->col[c]);
    bool fresh;
    *out = (struct str){0};
    if (tsv_none(cell)) return 0;
    uint32_t i = map_put(&m->text, cell, &fresh);
    if (fresh) {
        m->texts = mem_grow(m->texts, &m->text_cap, (size_t)i + 1, sizeof *m->texts);
        r->scratch.n = 0;
        if (tsv_unescape(&r->scratch, cell)) return tsv_bad(r->t, r->col[c], "text with known escapes", e);
        m->texts[i] = str_n(arena_copy(&m->p->arena, r->scratch.p, r->scratch.n), r->scratch.n);
    }
    *out = m->texts[i];
    return 0;
}

static int about(struct reader *r, struct making *m, struct plan_buffer *b, struct err *e)
{
    bool fresh;
    uint32_t i = map_put(&m->about, tsv_str(r->t, r->col[INSTR]), &fresh);
    if (fresh) {
        struct plan_about *a = arena_alloc(&m->p->arena, 1, sizeof *a);
        m->abouts = mem_grow(m->abouts, &m->about_cap, (size_t)i + 1, sizeof *m->abouts);
        m->abouts[i] = a;
        if (text(r, m, OP_NAME, &a->op_name, e) || text(r, m, SOURCE, &a->source, e) ||
            text(r, m, STACK, &a->stack, e) || text(r, m, OPCODE, &a->opcode, e) ||
            text(r, m, LAYOUT_CHANGE, &a->layout_change, e) ||
            text(r, m, TARGET, &a->custom_call_target, e) || text(r, m, COPY_OF, &a->copy_of, e))
            return -1;
    }
    b->about = m->abouts[i];
    return 0;
}

static int add_alloc(struct reader *r, struct making *m, int64_t index, uint32_t *out, struct err *e)
{
    struct plan *p = m->p;
    struct plan_alloc a = {.index = index};
    uint64_t *at = map64_at(&m->alloc, (uint64_t)index, p->nalloc);
    *out = (uint32_t)*at;
    if (*at < p->nalloc) {
        int64_t size;
        if (get(r, ALLOCATION_BYTES, &size, e)) return -1;
        if (size == p->alloc[*at].size) return 0;
        return tsv_bad(r->t, r->col[ALLOCATION_BYTES], "size that the allocation has in an earlier row", e);
    }
    if (get(r, ALLOCATION_BYTES, &a.size, e) || get(r, PARAMETER, &a.parameter, e) ||
        get_flag(r, MAYBE_LIVE_OUT, &a.maybe_live_out, e) || get_flag(r, CONSTANT, &a.constant, e) ||
        get_flag(r, THREAD_LOCAL, &a.thread_local_, e) || get_flag(r, TUPLE, &a.tuple, e) ||
        get(r, MEMORY_SPACE, &a.color, e))
        return -1;
    a.is_parameter = a.parameter >= 0 || str_is(tsv_str(r->t, r->col[KIND]), "parameter");
    p->alloc = mem_grow(p->alloc, &m->alloc_cap, (size_t)p->nalloc + 1, sizeof *p->alloc);
    p->alloc[p->nalloc++] = a;
    return 0;
}

static int add_trace(struct reader *r, struct making *m, struct plan_buffer *b, struct err *e)
{
    int64_t number, events;
    b->trace = PLAN_NONE;
    if (get(r, TRACE, &number, e) || get(r, TRACE_EVENTS, &events, e)) return -1;
    if (number < 0) return 0;
    uint64_t *at = map64_at(&m->trace, (uint64_t)number, m->ntrace);
    if (*at == m->ntrace) {
        m->traces = mem_grow(m->traces, &m->trace_cap, (size_t)m->ntrace + 1, sizeof *m->traces);
        m->traces[m->ntrace++] = (struct named_trace){number, events};
    }
    b->trace = (uint32_t)*at;
    return 0;
}

static int add_buffer(struct reader *r, struct making *m, uint32_t alloc, int64_t id, struct err *e)
{
    struct plan *p = m->p;
    struct plan_buffer b = {.alloc = alloc, .id = id};
    if (get(r, COLOR, &b.color, e) || get(r, OFFSET, &b.offset, e) || get(r, SIZE, &b.size, e) ||
        get(r, UNPADDED, &b.unpadded, e) || get(r, ALLOC_ORDER, &b.alloc_order, e) ||
        get(r, FREE_ORDER, &b.free_order, e) || get(r, SHARE_WITH, &b.share_with, e) ||
        get(r, START, &b.start, e) || get(r, END, &b.end, e) || text(r, m, INSTR, &b.instr, e) ||
        text(r, m, SHAPE_INDEX, &b.index, e) || text(r, m, SHAPE, &b.shape, e) || about(r, m, &b, e) ||
        add_trace(r, m, &b, e))
        return -1;
    if (b.start >= 0) p->has_ranges = true;
    p->buffer = mem_grow(p->buffer, &m->buffer_cap, (size_t)p->nbuffer + 1, sizeof *p->buffer);
    p->buffer[p->nbuffer++] = b;
    return 0;
}

static struct making *new_plan(struct reader *r, uint32_t name, struct str module)
{
    struct making *m;
    r->plan = mem_grow(r->plan, &r->plan_cap, r->nplan + 1, sizeof *r->plan);
    m = &r->plan[r->nplan];
    *m = (struct making){.p = plan_new(PLAN_FROM_TABLE, r->t->name)};
    r->scratch.n = 0;
    if (!tsv_unescape(&r->scratch, module))
        m->p->module = str_n(arena_copy(&m->p->arena, r->scratch.p, r->scratch.n), r->scratch.n);
    r->latest[name] = (uint32_t)r->nplan++;
    return m;
}

/* The plan that the row belongs to: the latest of its module, or a new one if that has this buffer already.
 */
static struct making *plan_of(struct reader *r, int64_t alloc, int64_t id)
{
    struct str module = tsv_str(r->t, r->col[MODULE]);
    bool fresh;
    uint32_t name = map_put(&r->module, module, &fresh);
    struct making *m;
    int64_t key[2] = {alloc, id};
    r->latest = mem_grow(r->latest, &r->latest_cap, (size_t)name + 1, sizeof *r->latest);
    m = fresh ? new_plan(r, name, module) : &r->plan[r->latest[name]];
    uint64_t *seen = map64_at(&m->pair, map_hash(key, sizeof key, 0), 0);
    if (*seen) {
        m = new_plan(r, name, module);
        seen = map64_at(&m->pair, map_hash(key, sizeof key, 0), 0);
    }
    *seen = 1;
    return m;
}

static int add_row(struct reader *r, struct err *e)
{
    int64_t alloc, id, scoped, calls, io;
    uint32_t a;
    if (get(r, ALLOCATION, &alloc, e) || get(r, BUFFER, &id, e) || get(r, SCOPED_VMEM, &scoped, e) ||
        get(r, OPAQUE_CALLS, &calls, e) || get(r, OPAQUE_IO, &io, e))
        return -1;
    if (alloc < 0) return 0; /* a log's row: it is in no allocation */
    struct making *m = plan_of(r, alloc, id);
    if (scoped >= 0) m->p->scoped_vmem = scoped;
    if (calls >= 0) m->p->opaque_calls = calls;
    if (io >= 0) m->p->opaque_io = io;
    if (add_alloc(r, m, alloc, &a, e)) return -1;
    return id < 0 ? 0 : add_buffer(r, m, a, id, e);
}

/* ---- after the last row ---- */

/* Allocations in order of their index, each one's buffers together, in order of their rows. */
static int by_index(const void *x, const void *y)
{
    const struct plan_alloc *a = x, *b = y;
    return (a->index > b->index) - (a->index < b->index);
}

static void order_buffers(struct plan *p)
{
    uint32_t *place = mem_alloc((size_t)p->nalloc + 1, sizeof *place), at = 0;
    struct plan_buffer *b = mem_alloc((size_t)p->nbuffer + 1, sizeof *b);
    for (uint32_t i = 0; i < p->nalloc; i++) p->alloc[i].first = i; /* where it stood */
    if (p->nalloc) qsort(p->alloc, p->nalloc, sizeof *p->alloc, by_index);
    for (uint32_t i = 0; i < p->nalloc; i++) place[p->alloc[i].first] = i;
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        p->buffer[i].alloc = place[p->buffer[i].alloc];
        p->alloc[p->buffer[i].alloc].count++;
    }
    for (uint32_t i = 0; i < p->nalloc; i++) {
        p->alloc[i].first = at;
        place[i] = at;
        at += p->alloc[i].count;
    }
    for (uint32_t i = 0; i < p->nbuffer; i++) b[place[p->buffer[i].alloc]++] = p->buffer[i];
    free(p->buffer);
    free(place);
    p->buffer = b;
}

static int by_number(const void *x, const void *y)
{
    const struct named_trace *a = x, *b = y;
    return (a->number > b->number) - (a->number < b->number);
}

static void put_event(struct plan *p, const struct plan_buffer *b, int64_t at, enum plan_event_kind kind)
{
    const struct plan_trace *t = &p->trace[b->trace];
    if (at < 0 || at >= t->count) return;
    struct plan_event *v = &p->event[t->first + at];
    if (v->buffer >= 0 && (v->buffer != b->id || v->kind != kind)) {
        plan_fault(p, PLAN_UNKNOWN_ID, ERR_NOWHERE, 0, "heap event %lld: buffers %lld and %lld both claim it",
                   (long long)at, (long long)v->buffer, (long long)b->id);
        return;
    }
    *v = (struct plan_event){.kind = kind,
                             .buffer = b->id,
                             .share_with = kind == PLAN_SHARE ? b->share_with : -1,
                             .instr = b->instr};
}

/* The heap events again, from the orders of the buffers.  Orders that no row names stay unknown (buffer -1).
 */
static int make_events(struct making *m, struct err *e)
{
    struct plan *p = m->p;
    int64_t total = 0, most = 1000 + 16 * (int64_t)p->nbuffer;
    uint32_t *place = mem_alloc((size_t)m->ntrace + 1, sizeof *place);
    struct named_trace *sorted = mem_alloc((size_t)m->ntrace + 1, sizeof *sorted);
    if (m->ntrace) memcpy(sorted, m->traces, m->ntrace * sizeof *sorted);
    if (m->ntrace) qsort(sorted, m->ntrace, sizeof *sorted, by_number);
    p->trace = mem_alloc((size_t)m->ntrace + 1, sizeof *p->trace);
    for (uint32_t i = 0; i < m->ntrace; i++) {
        uint64_t from = 0;
        int64_t n = sorted[i].events < 0 ? 0 : sorted[i].events;
        map64_get(&m->trace, (uint64_t)sorted[i].number, &from);
        place[from] = i;
        if (n > most) n = most + 1;
        p->trace[i] = (struct plan_trace){.first = (uint32_t)total, .count = (uint32_t)n, .alloc_index = -1};
        total += n;
        if (total > most) break;
    }
    free(sorted);
    if (total > most || total > INT32_MAX) {
        free(place);
        return err_set(e, p->file, "module %.*s: trace_events says %lld or more heap events for %u buffers",
                       (int)p->module.n, p->module.p, (long long)total, p->nbuffer);
    }
    p->ntrace = m->ntrace;
    p->nevent = (uint32_t)total;
    p->event = mem_alloc((size_t)total + 1, sizeof *p->event);
    for (uint32_t i = 0; i < p->nevent; i++)
        p->event[i] = (struct plan_event){.buffer = -1, .share_with = -1};
    for (struct plan_buffer *b = p->buffer; b < p->buffer + p->nbuffer; b++) {
        if (b->trace == PLAN_NONE) continue;
        b->trace = place[b->trace];
        put_event(p, b, b->alloc_order, b->share_with >= 0 ? PLAN_SHARE : PLAN_ALLOC);
        put_event(p, b, b->free_order, PLAN_FREE);
    }
    free(place);
    return 0;
}

static void free_making(struct making *m)
{
    map64_free(&m->alloc);
    map64_free(&m->pair);
    map64_free(&m->trace);
    map_free(&m->text);
    map_free(&m->about);
    free(m->abouts);
    free(m->texts);
    free(m->traces);
    plan_free(m->p);
}

static int hand_over(struct reader *r, plan_on *on_plan, void *ctx, struct err *e)
{
    int rc = 0, stop = 0;
    for (size_t i = 0; i < r->nplan; i++) {
        struct making *m = &r->plan[i];
        order_buffers(m->p);
        if (make_events(m, e))
            rc = -1;
        else if (!stop && m->p->nalloc) {
            plan_check(m->p);
            plan_spaces(m->p);
            stop = on_plan(m->p, ctx);
            m->p = NULL;
        }
        free_making(m);
    }
    return rc;
}

int plan_read_table(struct tsv *t, plan_on *on_plan, void *ctx, struct err *e)
{
    struct reader r = {.t = t};
    int rc = 0;
    for (int c = 0; c < COLUMNS; c++) {
        r.col[c] = tsv_col(t, column[c].name);
        if (column[c].needed && tsv_need(t, column[c].name, "bufassign2tsv", &r.col[c], e)) return -1;
    }
    while (!rc && (rc = tsv_next(t, e)) > 0) rc = add_row(&r, e);
    if (hand_over(&r, on_plan, ctx, e)) rc = -1;
    map_free(&r.module);
    free(r.latest);
    free(r.plan);
    buf_free(&r.scratch);
    return rc;
}
