#include "attrib.h"
#include "num.h"
#include <stdlib.h>

enum { NO_EVENT = UINT32_MAX };

int attrib_open(struct attrib *a, const struct tsv *in, struct programs *p, struct err *e)
{
    struct attrib_cols *c = &a->col;
    const struct tsv_want want[] = {{"plane", &c->plane, true},
                                    {"line", &c->line, true},
                                    {"name", &c->name, true},
                                    {"class", &c->cls, true},
                                    {"start_ps", &c->start, true},
                                    {"dur_ps", &c->dur, true},
                                    {"line_id", &c->line_id, false},
                                    {"module", &c->module, false},
                                    {"program_id", &c->program, false},
                                    {"hlo_op", &c->op, false},
                                    {"correlation_id", &c->correlation, false},
                                    {"graph_id", &c->graph, false},
                                    {"graph_node_id", &c->node, false},
                                    {"trace_flops", &c->flops, false},
                                    {"trace_bytes", &c->bytes, false},
                                    {"trace_source", &c->source, false}};
    a->in = in;
    a->programs = p;
    a->plane = a->last_line_index = MAP_NONE;
    a->last_program = PROGRAM_NONE;
    return tsv_want(in, want, sizeof want / sizeof *want, "xplane2tsv", e);
}

void attrib_free(struct attrib *a)
{
    match_free(&a->match);
    free(a->matched);
    free(a->found);
    map_free(&a->planes);
    map_free(&a->lines);
    map_free(&a->sources);
    free(a->ended);
    buf_free(&a->text);
    free(a->row);
    free(a->ev);
    free(a->result);
    map64_free(&a->executions);
    map_free(&a->fact_keys);
    free(a->fact);
    free(a->open.at);
    buf_free(&a->last_id);
    buf_free(&a->last_module);
    buf_free(&a->last_line);
    buf_free(&a->scratch);
}

/* ---- what the row says ---- */

static struct str cell(const struct attrib *a, int col) { return tsv_str(a->in, col); }

/* Is it what the row before said?  If not it is remembered. */
static bool again(struct buf *last, struct str now)
{
    if (last->n && str_eq(buf_view(last), now)) return true;
    last->n = 0;
    buf_str(last, now);
    return false;
}

static uint32_t row_program(struct attrib *a)
{
    struct str id = cell(a, a->col.program), module = cell(a, a->col.module);
    bool same = again(&a->last_id, id);
    if (again(&a->last_module, module) && same) return a->last_program;
    return a->last_program = programs_find(a->programs, id, module);
}

static uint32_t row_line(struct attrib *a)
{
    struct str id = cell(a, a->col.line_id >= 0 ? a->col.line_id : a->col.line);
    if (again(&a->last_line, id)) return a->last_line_index;
    return a->last_line_index = map_put(&a->lines, id, NULL);
}

/* The matcher's number of a program. */
static uint32_t matched(struct attrib *a, uint32_t program)
{
    if (program == PROGRAM_NONE) return MATCH_UNKNOWN;
    size_t old = a->matched_cap;
    a->matched = mem_grow(a->matched, &a->matched_cap, (size_t)program + 1, sizeof *a->matched);
    if (a->matched_cap > old) memset(a->matched + old, 0, (a->matched_cap - old) * sizeof *a->matched);
    if (!a->matched[program]) {
        const struct program *g = &a->programs->program[program];
        const struct thunk_list *t = g->m && a->thunks ? thunks_of(a->thunks, g->m) : NULL;
        uint32_t k = match_add(&a->match, g->m, t);
        a->matched[program] = k + 1;
        a->found = mem_grow(a->found, &a->found_cap, (size_t)k + 1, sizeof *a->found);
        a->found[k] = program;
    }
    return a->matched[program] - 1;
}

/* "outer::inner" is inner. */
static struct str innermost(struct str op)
{
    for (size_t i = op.n; i-- > 1;)
        if (op.p[i] == ':' && op.p[i - 1] == ':') return str_from(op, i + 1);
    return op;
}

/* The label of a graph, or of a node that stands for no instruction (spec: matching 2). */
static bool placeholder(struct str op)
{
    return str_starts(op, "command_buffer") || str_is(op, "driver_conditional_helper") || str_is(op, "Thunk");
}

/* "all_to_all.3.1": text prints an async collective without the instruction inside that annotations name. */
static bool hidden_inside(struct str op)
{
    static const char *const name[] = {"all", "reduce", "collective", "ragged", "send", "recv"};
    for (size_t i = 0; i < sizeof name / sizeof *name; i++)
        if (str_starts(op, name[i])) return true;
    return false;
}

/* The instruction that the row names, HLO_NONE: none, or none of that program (*misnamed). */
static uint32_t row_instr(struct attrib *a, uint32_t program, bool *misnamed)
{
    *misnamed = false;
    struct str op = innermost(cell(a, a->col.op));
    if (tsv_none(op) || placeholder(op) || program == PROGRAM_NONE) return HLO_NONE;
    if (!a->programs->program[program].m) return HLO_NONE;
    uint32_t k = hlo_find(a->programs->program[program].m, op);
    *misnamed = k == HLO_NONE && !hidden_inside(op);
    a->named++;
    a->misnamed += *misnamed;
    return k;
}

static bool row_traced(const struct attrib *a)
{
    return !tsv_none(cell(a, a->col.flops)) || !tsv_none(cell(a, a->col.bytes)) ||
           !tsv_none(cell(a, a->col.source));
}

static int read_row(struct attrib *a, enum ev_class cls, struct held_row *h, struct err *e)
{
    const struct tsv *t = a->in;
    *h = (struct held_row){.event = NO_EVENT, .cls = (uint8_t)cls, .traced = row_traced(a)};
    if (!tsv_i64(t, a->col.start, &h->start)) return tsv_bad(t, a->col.start, "number of picoseconds", e);
    if (!tsv_i64(t, a->col.dur, &h->dur)) return tsv_bad(t, a->col.dur, "number of picoseconds", e);
    h->name = match_name(&a->match, t->cell[a->col.name]);
    h->line = row_line(a);
    h->source =
        tsv_none(cell(a, a->col.source)) ? MAP_NONE : map_put(&a->sources, cell(a, a->col.source), NULL);
    h->program = row_program(a);
    if (h->program == PROGRAM_NONE && !tsv_none(cell(a, a->col.op))) h->program = a->fallback;
    h->instr = row_instr(a, h->program, &h->misnamed);
    return 0;
}

/* ---- op lines: every event is one execution of the instruction that it names ---- */

static struct verdict op_verdict(struct attrib *a, const struct held_row *h)
{
    struct verdict v = {.match = MATCH_NONE, .program = h->program, .instr = h->instr, .parts = 1};
    if (h->instr == HLO_NONE) {
        v.reason = h->program == PROGRAM_NONE            ? REASON_NO_PROGRAM
                   : !a->programs->program[h->program].m ? REASON_NO_HLO
                                                         : REASON_NO_CANDIDATE;
        return v;
    }
    v.match = MATCH_EXACT;
    uint64_t key[2] = {(uint64_t)h->program << 32 | h->instr, h->line};
    v.execution = (*map64_at(&a->executions, map_hash(key, sizeof key, 7), 0))++;
    return v;
}

/* ---- streams: the matcher decides when the plane ends ---- */

static enum kernel_kind kernel_kind_of(enum ev_class c)
{
    return c == EV_MEMCPY       ? KERNEL_COPY
           : c == EV_MEMSET     ? KERNEL_SET
           : c == EV_COLLECTIVE ? KERNEL_COLLECTIVE
                                : KERNEL_OTHER;
}

static void hold_event(struct attrib *a, struct held_row *h)
{
    a->ev = mem_grow(a->ev, &a->ev_cap, a->nev + 1, sizeof *a->ev);
    struct match_event *v = &a->ev[a->nev];
    *v = (struct match_event){.name = h->name,
                              .line = h->line,
                              .program = matched(a, h->program),
                              .instr = h->instr,
                              .kind = kernel_kind_of((enum ev_class)h->cls),
                              .label = h->instr == HLO_NONE && !tsv_none(cell(a, a->col.op)),
                              .misnamed = h->misnamed,
                              .start = h->start};
    tsv_u64(a->in, a->col.correlation, &v->correlation);
    tsv_u64(a->in, a->col.graph, &v->graph);
    tsv_u64(a->in, a->col.node, &v->node);
    h->event = (uint32_t)a->nev++;
}

static struct verdict stream_verdict(const struct attrib *a, const struct match_result *r)
{
    uint32_t g = r->program == MATCH_UNKNOWN ? PROGRAM_NONE : a->found[r->program];
    return (struct verdict){.match = r->match,
                            .reason = r->reason,
                            .program = g,
                            .instr = r->instr,
                            .other = {r->other[0], r->other[1]},
                            .execution = r->execution,
                            .part = r->part,
                            .parts = r->parts};
}

/* Where an event names no program, any of those given may be it. */
static void offer_programs(struct attrib *a)
{
    bool named = true;
    for (size_t i = 0; i < a->nev; i++) named &= a->ev[i].program != MATCH_UNKNOWN;
    for (size_t i = 0; !named && i < a->programs->nmodule; i++) matched(a, programs_of(a->programs, i));
}

static void end_plane(struct attrib *a)
{
    if (a->text.n > a->held_max) a->held_max = a->text.n;
    if (a->nev) {
        offer_programs(a);
        a->result = mem_grow(a->result, &a->result_cap, a->nev, sizeof *a->result);
        match_plane(&a->match, a->ev, a->nev, a->result);
    }
    for (size_t i = 0; i < a->nrow; i++) {
        const struct held_row *h = &a->row[i];
        struct str row = str_n(a->text.p + h->at, h->n);
        if (!ev_is_work((enum ev_class)h->cls) && h->cls != EV_ASYNC) {
            attrib_pass(a, row);
            continue;
        }
        bool op = h->event == NO_EVENT;
        struct verdict v = op ? op_verdict(a, h) : stream_verdict(a, &a->result[h->event]);
        attrib_count(a, h, &v, op);
        attrib_put(a, row, &v, h->traced);
    }
    a->nrow = a->nev = 0;
    a->text.n = 0;
    a->open.n = 0;
    map64_free(&a->executions);
}

static void new_plane(struct attrib *a, struct str plane)
{
    end_plane(a);
    uint32_t k = map_put(&a->planes, plane, NULL);
    size_t old = a->ended_cap;
    a->ended = mem_grow(a->ended, &a->ended_cap, (size_t)k + 1, sizeof *a->ended);
    if (a->ended_cap > old) memset(a->ended + old, 0, a->ended_cap - old);
    a->split_planes += a->ended[k];
    a->ended[k] = true;
    a->plane = k;
    a->device = str_starts(plane, "/device:");
}

void attrib_end(struct attrib *a) { end_plane(a); }

/* ---- one row ---- */

/* Which program a graph launch is of: its kernels may not say. */
static void host_launch(struct attrib *a)
{
    uint64_t id;
    if (!tsv_u64(a->in, a->col.correlation, &id)) return;
    uint32_t g = matched(a, row_program(a));
    if (g != MATCH_UNKNOWN) match_launch(&a->match, id, g);
}

static int host_row(struct attrib *a, int cls, bool ours, struct err *e)
{
    struct held_row h;
    if (cls == EV_GRAPH_LAUNCH) host_launch(a);
    if (!ours) {
        attrib_pass(a, a->in->row);
        return 0;
    }
    if (read_row(a, (enum ev_class)cls, &h, e)) return -1;
    struct verdict v = op_verdict(a, &h);
    attrib_count(a, &h, &v, true);
    attrib_put(a, a->in->row, &v, h.traced);
    return 0;
}

int attrib_row(struct attrib *a, struct err *e)
{
    const struct tsv *t = a->in;
    struct str plane = t->cell[a->col.plane];
    if (a->plane == MAP_NONE || !str_eq(plane, a->planes.key[a->plane])) new_plane(a, plane);
    int cls = ev_class_from(t->cell[a->col.cls]);
    bool ours = cls == EV_ASYNC || (cls >= 0 && ev_is_work((enum ev_class)cls));
    if (!a->device) return host_row(a, cls, ours, e);
    struct held_row h = {.event = NO_EVENT, .cls = (uint8_t)(cls < 0 ? EV_OTHER : cls)};
    if (ours) {
        if (read_row(a, (enum ev_class)cls, &h, e)) return -1;
        bool op = cls == EV_OP || cls == EV_ASYNC || str_ends(t->cell[a->col.line], " Ops");
        if (!op) hold_event(a, &h);
    }
    h.at = a->text.n;
    h.n = (uint32_t)t->row.n;
    buf_str(&a->text, t->row);
    a->row = mem_grow(a->row, &a->row_cap, a->nrow + 1, sizeof *a->row);
    a->row[a->nrow++] = h;
    return 0;
}
