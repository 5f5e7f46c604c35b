#include "attrib.h"
#include "num.h"
#include <stdlib.h>

enum { NO_EVENT = UINT32_MAX };

int attrib_open(struct attrib *a, const struct tsv *in, struct programs *p, struct tab *event, struct err *e)
{
    struct attrib_cols *c = &a->col;
    a->programs = p;
    a->event = event;
    a->in = in;
    a->plane = MAP_NONE;
    a->last_program = PROGRAM_NONE;
    if (tsv_need(in, "plane", "xplane2tsv", &c->plane, e) ||
        tsv_need(in, "name", "xplane2tsv", &c->name, e) || tsv_need(in, "class", "xplane2tsv", &c->cls, e) ||
        tsv_need(in, "start_ps", "xplane2tsv", &c->start, e) ||
        tsv_need(in, "dur_ps", "xplane2tsv", &c->dur, e))
        return -1;
    c->line = tsv_col(in, "line_id") >= 0 ? tsv_col(in, "line_id") : tsv_col(in, "line");
    c->module = tsv_col(in, "module");
    c->program = tsv_col(in, "program_id");
    c->op = tsv_col(in, "hlo_op");
    c->correlation = tsv_col(in, "correlation_id");
    c->graph = tsv_col(in, "graph_id");
    c->node = tsv_col(in, "graph_node_id");
    c->flops = tsv_col(in, "trace_flops");
    c->bytes = tsv_col(in, "trace_bytes");
    c->source = tsv_col(in, "trace_source");
    return 0;
}

/* ---- programs and instructions ---- */

/* The matcher's number of a program. */
static uint32_t matched(struct attrib *a, uint32_t program)
{
    if (program == PROGRAM_NONE) return MATCH_UNKNOWN;
    size_t old = a->matched_cap;
    a->matched = mem_grow(a->matched, &a->matched_cap, (size_t)program + 1, sizeof *a->matched);
    if (a->matched_cap > old) memset(a->matched + old, 0, (a->matched_cap - old) * sizeof *a->matched);
    if (!a->matched[program]) {
        uint32_t k = match_add(&a->match, a->programs->program[program].m);
        a->matched[program] = k + 1;
        a->found = mem_grow(a->found, &a->found_cap, (size_t)k + 1, sizeof *a->found);
        a->found[k] = program;
    }
    return a->matched[program] - 1;
}

/* The program of the current row; most rows say the same as the one before. */
static uint32_t row_program(struct attrib *a)
{
    struct str id = tsv_str(a->in, a->col.program), module = tsv_str(a->in, a->col.module);
    if (id.n < sizeof a->last_id && module.n < sizeof a->last_module && str_eq(id, str_of(a->last_id)) &&
        str_eq(module, str_of(a->last_module)))
        return a->last_program;
    uint32_t g = programs_find(a->programs, id, module);
    if (id.n < sizeof a->last_id && module.n < sizeof a->last_module) {
        memcpy(a->last_id, id.p, id.n), a->last_id[id.n] = 0;
        memcpy(a->last_module, module.p, module.n), a->last_module[module.n] = 0;
        a->last_program = g;
    }
    return g;
}

/* The label of a graph, or of a node that stands for no instruction (spec: matching 2). */
static bool placeholder(struct str op)
{
    return str_starts(op, "command_buffer") || str_is(op, "driver_conditional_helper") || str_is(op, "Thunk");
}

/* The instruction that the row's hlo_op names; *label: it names something else. */
static uint32_t row_instr(struct attrib *a, uint32_t program, bool *label)
{
    struct str op = tsv_str(a->in, a->col.op);
    *label = false;
    if (tsv_none(op)) return HLO_NONE;
    for (size_t i = op.n; i-- > 1;)
        if (op.p[i] == ':' && op.p[i - 1] == ':') {
            op = str_from(op, i + 1);
            break;
        }
    *label = true;
    if (placeholder(op) || program == PROGRAM_NONE || !a->programs->program[program].m) return HLO_NONE;
    uint32_t k = hlo_find(a->programs->program[program].m, op);
    a->named++;
    a->unknown_names += k == HLO_NONE;
    *label = k == HLO_NONE;
    return k;
}

/* ---- writing rows ---- */

static void put(struct buf *b, struct str s)
{
    buf_c(b, '\t');
    buf_str(b, s);
}

struct verdict { /* what is said of one row */
    uint8_t match, reason;
    uint32_t program, instr;
    const uint32_t *other;
    uint64_t execution;
    uint32_t part, parts;
    struct str flops, bytes, source; /* the trace's own */
};

static void put_reason(struct attrib *a, const struct verdict *v)
{
    struct buf *b = &a->out;
    put(b, str_of(match_reason_name(v->reason)));
    if (v->reason != REASON_AMBIGUOUS) return;
    for (int k = 0; k < 2; k++) {
        buf_c(b, k ? ',' : ':');
        if (v->other[k] != HLO_NONE)
            tsv_escape(b, a->programs->program[v->program].m->instr[v->other[k]].name);
        else
            buf_puts(b, "nothing");
    }
}

static void put_numbers(struct attrib *a, const struct verdict *v, const struct instr_cells *c)
{
    struct buf *b = &a->out;
    bool f = !tsv_none(v->flops), y = !tsv_none(v->bytes);
    put(b, f ? v->flops : c ? c->flops : STR("-"));
    put(b, y ? v->bytes : c ? c->bytes : STR("-"));
    put(b, f || y ? STR("trace") : c ? c->from : STR("-"));
}

static void write_row(struct attrib *a, struct str row, const struct verdict *v)
{
    struct buf *b = &a->out;
    if (!a->event) return;
    b->n = 0;
    buf_str(b, row);
    put(b, str_of(match_class_name(v->match)));
    put_reason(a, v);
    put(b, v->program == PROGRAM_NONE ? STR("-") : a->programs->program[v->program].cell);
    const struct instr_cells *c =
        v->instr == HLO_NONE ? NULL : programs_cells(a->programs, v->program, v->instr);
    put(b, c ? c->head : STR("-\t-\t-\t-\t-"));
    if (!tsv_none(v->source)) {
        put(b, v->source);
        buf_puts(b, "\ttrace");
    } else
        put(b, c ? c->place : STR("-\t-"));
    put(b, c ? c->dtype : STR("-"));
    put_numbers(a, v, c);
    if (c) {
        buf_c(b, '\t');
        buf_u64(b, v->execution);
        buf_c(b, '\t');
        buf_u64(b, (uint64_t)v->part + 1);
        buf_c(b, '/');
        buf_u64(b, v->parts);
    } else
        buf_puts(b, "\t-\t-");
    tab_cells(a->event, buf_view(b));
    tab_end(a->event);
}

static void pass_row(struct attrib *a, struct str row)
{
    if (!a->event) return;
    a->out.n = 0;
    buf_str(&a->out, row);
    buf_puts(&a->out, "\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-");
    tab_cells(a->event, buf_view(&a->out));
    tab_end(a->event);
}

/* ---- device time ---- */

static uint32_t fact_of(struct attrib *a, const struct verdict *v, uint32_t name, uint8_t cls)
{
    struct fact f = {a->plane, v->program, v->instr, name, v->match, v->reason, cls, 0, 0, 0};
    uint32_t key[5] = {f.plane, f.program, f.instr, f.name,
                       (uint32_t)f.match | (uint32_t)f.reason << 8 | (uint32_t)cls << 16};
    bool fresh;
    uint32_t k = map_put(&a->facts_key, str_n((const char *)key, sizeof key), &fresh);
    if (!fresh) return k;
    a->fact = mem_grow(a->fact, &a->fact_cap, (size_t)k + 1, sizeof *a->fact);
    a->fact[k] = f;
    a->nfact = (size_t)k + 1;
    return k;
}

/* Self time on an op line: what an event holds is taken from the one around it. */
static void count_nested(struct attrib *a, uint32_t line, uint32_t fact, int64_t start, int64_t dur)
{
    struct self_stack *s = &a->self;
    int64_t end = num_add(start, dur);
    if (s->line != line) s->n = 0;
    s->line = line;
    while (s->n && s->open[s->n - 1].end <= start) s->n--;
    if (s->n && dur > 0) {
        struct self_item *up = &s->open[s->n - 1];
        int64_t inside = (end < up->end ? end : up->end) - start;
        uint64_t *ps = &a->fact[up->fact].ps;
        *ps -= (uint64_t)inside < *ps ? (uint64_t)inside : *ps;
    }
    a->fact[fact].ps += (uint64_t)dur;
    s->open = mem_grow(s->open, &s->cap, s->n + 1, sizeof *s->open);
    s->open[s->n++] = (struct self_item){end, fact};
}

static void count_time(struct attrib *a, const struct held_row *h, const struct verdict *v, bool nested)
{
    if (!h->timed) return;
    uint32_t f = fact_of(a, v, h->name, h->cls);
    int64_t dur = h->dur > 0 ? h->dur : 0;
    a->fact[f].events++;
    a->fact[f].executions += v->instr != HLO_NONE && v->part == 0;
    if (nested)
        count_nested(a, h->line, f, h->start, dur);
    else
        a->fact[f].ps += (uint64_t)dur;
}

/* ---- op lines: every event is one execution of the instruction it names ---- */

static struct verdict op_verdict(struct attrib *a, const struct held_row *h)
{
    struct verdict v = {.match = MATCH_NONE, .program = h->program, .instr = HLO_NONE, .parts = 1};
    if (h->instr != HLO_NONE) {
        v.match = MATCH_EXACT;
        v.instr = h->instr;
        uint64_t key[2] = {(uint64_t)h->program << 32 | h->instr, h->line};
        v.execution = (*map64_at(&a->executions, map_hash(key, sizeof key, 7), 0))++;
    } else
        v.reason = h->program == PROGRAM_NONE            ? REASON_NO_PROGRAM
                   : !a->programs->program[h->program].m ? REASON_NO_HLO
                                                         : REASON_NO_CANDIDATE;
    return v;
}

/* ---- one row in ---- */

static uint8_t kernel_kind_of(enum ev_class c)
{
    return c == EV_MEMCPY       ? KERNEL_COPY
           : c == EV_MEMSET     ? KERNEL_SET
           : c == EV_COLLECTIVE ? KERNEL_COLLECTIVE
                                : KERNEL_OTHER;
}

static int read_row(struct attrib *a, enum ev_class cls, struct held_row *h, bool *label, struct err *e)
{
    const struct tsv *t = a->in;
    *h = (struct held_row){.event = NO_EVENT, .cls = (uint8_t)cls, .timed = ev_is_work(cls)};
    if (!tsv_i64(t, a->col.start, &h->start)) return tsv_bad(t, a->col.start, "number of picoseconds", e);
    if (!tsv_i64(t, a->col.dur, &h->dur)) return tsv_bad(t, a->col.dur, "number of picoseconds", e);
    h->name = match_name(&a->match, t->cell[a->col.name]);
    h->line = map_put(&a->lines, tsv_str(t, a->col.line), NULL);
    h->program = row_program(a);
    if (h->program == PROGRAM_NONE && !tsv_none(tsv_str(t, a->col.op))) h->program = a->fallback;
    h->instr = row_instr(a, h->program, label);
    h->exact = h->instr != HLO_NONE;
    return 0;
}

static void hold_event(struct attrib *a, struct held_row *h, bool label)
{
    size_t cap = a->ev_cap;
    a->ev = mem_grow(a->ev, &a->ev_cap, a->nev + 1, sizeof *a->ev);
    if (a->ev_cap != cap) a->result = mem_realloc(a->result, a->ev_cap, sizeof *a->result);
    struct match_event *v = &a->ev[a->nev];
    *v = (struct match_event){.name = h->name,
                              .line = h->line,
                              .program = matched(a, h->program),
                              .instr = h->instr,
                              .kind = kernel_kind_of(h->cls),
                              .label = label,
                              .start = h->start};
    tsv_u64(a->in, a->col.correlation, &v->correlation);
    tsv_u64(a->in, a->col.graph, &v->graph);
    tsv_u64(a->in, a->col.node, &v->node);
    h->event = (uint32_t)a->nev++;
}

static struct str held_text(const struct attrib *a, const struct held_row *h)
{
    return str_n(a->text.p + h->at, h->n);
}

/* The cell of column col in a row of text. */
static struct str cell_of(struct str row, int col)
{
    size_t i = 0, end;
    if (col < 0) return STR("-");
    for (; col > 0; col--) i = (size_t)((const char *)memchr(row.p + i, '\t', row.n - i) - row.p) + 1;
    const char *q = memchr(row.p + i, '\t', row.n - i);
    end = q ? (size_t)(q - row.p) : row.n;
    return str_n(row.p + i, end - i);
}

static void trace_cells(const struct attrib *a, struct str row, struct verdict *v)
{
    v->flops = cell_of(row, a->col.flops);
    v->bytes = cell_of(row, a->col.bytes);
    v->source = cell_of(row, a->col.source);
}

/* ---- the end of a plane ---- */

static struct verdict match_verdict(const struct attrib *a, const struct match_result *r)
{
    uint32_t g = r->program == MATCH_UNKNOWN ? PROGRAM_NONE : a->found[r->program];
    return (struct verdict){.match = r->match,
                            .reason = r->reason,
                            .program = g,
                            .instr = r->instr,
                            .other = r->other,
                            .execution = r->execution,
                            .part = r->part,
                            .parts = r->parts};
}

static void end_plane(struct attrib *a)
{
    if (a->text.n > a->held_max) a->held_max = a->text.n;
    if (a->nev) match_plane(&a->match, a->ev, a->nev, a->result);
    for (size_t i = 0; i < a->nrow; i++) {
        struct held_row *h = &a->row[i];
        struct str row = held_text(a, h);
        bool async = h->cls == EV_ASYNC;
        if (!h->timed && !async) {
            pass_row(a, row);
            continue;
        }
        struct verdict v = h->event == NO_EVENT ? op_verdict(a, h) : match_verdict(a, &a->result[h->event]);
        trace_cells(a, row, &v);
        count_time(a, h, &v, h->event == NO_EVENT);
        write_row(a, row, &v);
    }
    a->nrow = a->nev = 0;
    a->text.n = 0;
    a->self.n = 0;
    map64_free(&a->executions);
}

static void new_plane(struct attrib *a, struct str plane, uint32_t k)
{
    end_plane(a);
    size_t old = a->done_cap;
    a->done = mem_grow(a->done, &a->done_cap, (size_t)k + 1, sizeof *a->done);
    memset(a->done + old, 0, a->done_cap - old);
    a->split_planes += a->done[k];
    a->done[k] = true;
    a->plane = k;
    a->device = str_starts(plane, "/device:");
}

int attrib_row(struct attrib *a, struct err *e)
{
    const struct tsv *t = a->in;
    struct str plane = t->cell[a->col.plane];
    struct held_row h;
    bool label;
    if (a->plane == MAP_NONE || !str_eq(plane, a->planes.key[a->plane]))
        new_plane(a, plane, map_put(&a->planes, plane, NULL));
    int cls = ev_class_from(t->cell[a->col.cls]);
    bool work = cls >= 0 && (ev_is_work((enum ev_class)cls) || cls == EV_ASYNC);
    if (!a->device) {
        uint64_t id;
        if (cls == EV_GRAPH_LAUNCH && tsv_u64(t, a->col.correlation, &id)) {
            uint32_t g = matched(a, row_program(a));
            if (g != MATCH_UNKNOWN) match_launch(&a->match, id, g);
        }
        if (!work) return pass_row(a, t->row), 0;
        if (read_row(a, (enum ev_class)cls, &h, &label, e)) return -1;
        struct verdict v = op_verdict(a, &h);
        trace_cells(a, t->row, &v);
        count_time(a, &h, &v, true);
        return write_row(a, t->row, &v), 0;
    }
    h = (struct held_row){.event = NO_EVENT, .cls = (uint8_t)(cls < 0 ? EV_OTHER : cls)};
    if (work && read_row(a, (enum ev_class)cls, &h, &label, e)) return -1;
    bool stream = work && cls != EV_ASYNC && cls != EV_OP &&
                  ev_line_kind(PLANE_GPU, tsv_str(t, tsv_col(t, "line"))) != LINE_OP;
    if (stream) hold_event(a, &h, label);
    h.at = a->text.n;
    h.n = (uint32_t)t->row.n;
    buf_str(&a->text, t->row);
    a->row = mem_grow(a->row, &a->row_cap, a->nrow + 1, sizeof *a->row);
    a->row[a->nrow++] = h;
    return 0;
}

void attrib_end(struct attrib *a) { end_plane(a); }

void attrib_free(struct attrib *a)
{
    match_free(&a->match);
    free(a->matched);
    free(a->found);
    map_free(&a->planes);
    map_free(&a->lines);
    free(a->done);
    buf_free(&a->text);
    free(a->row);
    free(a->ev);
    free(a->result);
    map64_free(&a->executions);
    map_free(&a->facts_key);
    free(a->fact);
    free(a->self.open);
    buf_free(&a->out);
}
