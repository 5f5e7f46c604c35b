#include "events.h"
#include "num.h"
#include "runs.h"
#include <stdlib.h>

enum { LIMIT_SHIFT = 61 }; /* times beyond 2^61 ps (26 days) either way are refused: sums stay in 64 bits */

struct columns {
    int plane, line, line_id, name, class, start, dur; /* needed */
    int module, program, hlo_op, corr, graph, run, step, device, instr, attributed, ordinal, clock, opcode,
        op_name;
};

static int find_columns(const struct tsv *in, struct columns *c, struct err *e)
{
    const struct tsv_want want[] = {{"plane", &c->plane, true},
                                    {"line", &c->line, true},
                                    {"name", &c->name, true},
                                    {"class", &c->class, true},
                                    {"start_ps", &c->start, true},
                                    {"dur_ps", &c->dur, true},
                                    {"line_id", &c->line_id, false},
                                    {"module", &c->module, false},
                                    {"program_id", &c->program, false},
                                    {"hlo_op", &c->hlo_op, false},
                                    {"correlation_id", &c->corr, false},
                                    {"graph_id", &c->graph, false},
                                    {"run_id", &c->run, false},
                                    {"step", &c->step, false},
                                    {"device", &c->device, false},
                                    {"instr", &c->instr, false},
                                    {"program", &c->attributed, false},
                                    {"device_ordinal", &c->ordinal, false},
                                    {"device_duration_ps", &c->clock, false},
                                    {"opcode", &c->opcode, false},
                                    {"op_name", &c->op_name, false}};
    return tsv_want(in, want, sizeof want / sizeof *want, "xplane2tsv or trace2tsv", e);
}

/* ---- planes, lines, programs ---- */

/* Planes of one process share what follows the name: merged captures put " [pid]" there. */
static uint32_t process_of(struct events *t, struct str plane)
{
    size_t at = str_rfind(plane, '[');
    bool tail = at != SIZE_MAX && at && plane.p[at - 1] == ' ' && str_ends(plane, "]");
    return map_put(&t->processes, tail ? str_from(plane, at) : STR("-"), NULL);
}

static uint32_t put_plane(struct events *t, struct str name)
{
    bool fresh;
    uint32_t i = map_put(&t->planes, name, &fresh);
    if (!fresh) return i;
    t->plane = mem_grow(t->plane, &t->plane_cap, i + 1u, sizeof *t->plane);
    size_t tail = name.n;
    uint64_t ordinal = EV_NONE;
    enum ev_plane kind = ev_plane_kind(name);
    while (tail && name.p[tail - 1] >= '0' && name.p[tail - 1] <= '9') tail--;
    if (num_u64(str_from(name, tail), &ordinal) || ordinal > EV_NONE) ordinal = EV_NONE;
    t->plane[i] = (struct event_plane){.ordinal = (uint32_t)ordinal,
                                       .name = t->planes.key[i],
                                       .device = STR("-"),
                                       .process = process_of(t, name),
                                       .is_host = kind == PLANE_HOST,
                                       .is_device = kind == PLANE_GPU || kind == PLANE_DEVICE};
    t->nplane = i + 1;
    return i;
}

static struct str keep_cell(struct events *t, struct str s)
{
    return str_n(arena_copy(&t->arena, s.p, s.n), s.n);
}

/* The line of these cells: plane, name, id; key is them joined. */
static uint32_t put_line(struct events *t, const struct str *cell, struct str key)
{
    struct str plane = cell[0], line = cell[1];
    bool fresh;
    uint32_t i = map_put(&t->lines, key, &fresh);
    if (!fresh) return i;
    uint32_t p = put_plane(t, plane);
    enum ev_plane plane_kind = ev_plane_kind(plane);
    enum ev_line kind = ev_line_kind(plane_kind, line);
    t->line = mem_grow(t->line, &t->line_cap, i + 1u, sizeof *t->line);
    t->line[i] = (struct event_line){.plane = p,
                                     .name = keep_cell(t, line),
                                     .id = keep_cell(t, cell[2]),
                                     .nested = kind != LINE_STREAM && plane_kind != PLANE_GPU};
    t->nline = i + 1;
    return i;
}

static uint32_t put_program(struct events *t, struct str module, struct str id, struct buf *key)
{
    bool fresh;
    if (tsv_none(id) && tsv_none(module)) return EV_NONE;
    key->n = 0;
    if (tsv_none(id))
        buf_c(key, '\t'), buf_str(key, module); /* no id has a TAB */
    else
        buf_str(key, id);
    uint32_t i = map_put(&t->programs, buf_view(key), &fresh);
    if (fresh) {
        t->program = mem_grow(t->program, &t->program_cap, i + 1u, sizeof *t->program);
        t->program[i] = (struct event_program){STR("-"), keep_cell(t, id)};
        t->nprogram = i + 1;
    }
    if (tsv_none(t->program[i].module)) t->program[i].module = keep_cell(t, module);
    return i;
}

/* ---- rows ---- */

/* A cell that is often the same as in the row before: hashed once per change. */
struct last {
    struct buf cell;
    uint32_t index;
};

struct reader {
    struct columns c;
    struct last name, op, graph;
    struct buf where, program_cells, key; /* cells of the row before, joined */
    uint32_t line, program;
};

static uint32_t put_name(struct events *t, struct last *l, struct str cell)
{
    if (tsv_none(cell)) return EV_NONE;
    if (!tsv_repeats(&l->cell, &cell, 1)) l->index = map_put(&t->name, cell, NULL);
    return l->index;
}

static unsigned class_of(struct str cell)
{
    int class = ev_class_from(cell);
    return class < 0 ? EV_OTHER
                     : (unsigned)class; /* a class of a later version is carried, never device time */
}

static int times(const struct tsv *in, const struct columns *c, struct event *v, struct err *e)
{
    const int64_t limit = (int64_t)1 << LIMIT_SHIFT;
    if (!tsv_i64(in, c->start, &v->start) || v->start > limit || v->start < -limit)
        return tsv_bad(in, c->start, "time in ps", e);
    if (tsv_none(in->cell[c->dur]))
        v->dur = 0; /* an aggregated event */
    else if (!tsv_i64(in, c->dur, &v->dur) || v->dur > limit || v->dur < -limit)
        return tsv_bad(in, c->dur, "duration in ps", e);
    return 0;
}

static void count_row(struct events *t, struct event_line *l, const struct event *v, int64_t dur)
{
    struct event_plane *p = &t->plane[l->plane];
    bool work = event_is(v, EV_DEVICE);
    if (work && !p->is_host) p->is_device = true;
    if (work && p->is_device && !str_starts(l->name, "Async")) l->work = true;
    if (!l->rows || v->start < l->first) l->first = v->start;
    if (!l->rows || event_end(v) > l->last) l->last = event_end(v);
    if (!t->rows || v->start < t->first) t->first = v->start;
    if (!t->rows || event_end(v) > t->last) t->last = event_end(v);
    l->unsorted += l->rows && v->start < l->before;
    l->before = v->start;
    l->negative += dur < 0;
    l->before_origin += v->start < 0;
    l->count[v->class]++;
    l->rows++;
    p->rows++;
    t->rows++;
}

static void take_ids(const struct tsv *in, const struct columns *c, struct event *v)
{
    if (tsv_u64(in, c->corr, &v->corr))
        v->flags |= EV_HAS_CORR;
    else if (tsv_u64(in, c->run, &v->corr))
        v->flags |= EV_HAS_RUN;
    uint64_t ordinal;
    v->ordinal =
        tsv_u64(in, c->ordinal, &ordinal) && ordinal < EV_NO_ORDINAL ? (uint16_t)ordinal : EV_NO_ORDINAL;
}

void event_tally_add(struct event_tally *y, int64_t start, int64_t dur, uint64_t name)
{
    int64_t d = dur < 1 ? 1 : dur;
    y->floored += dur < 1;
    if (!y->n || start < y->first) y->first = start;
    if (!y->n || start + d > y->last) y->last = start + d;
    y->sum = num_add(y->sum, d);
    y->names += name;
    y->n++;
}

/* Types of TensorFlow's runtime that the writer drops. */
static bool is_internal(struct str name)
{
    static const char *const type[] = {"MemoryAllocation", "MemoryDeallocation", "PrefetchProduce",
                                       "PrefetchConsume",  "ParallelInterleave", "ParallelMap",
                                       "MapAndBatch",      "ParseExample",       NULL};
    static const char *const tail[] = {"Produce", "Consume", "InitializeInput", "InitializedInput", NULL};
    for (int i = 0; type[i]; i++) {
        if (!str_starts(name, type[i])) continue;
        struct str rest = str_from(name, strlen(type[i]));
        if (!rest.n) return i < 4;
        for (int k = 0; tail[k] && i >= 4; k++)
            if (str_is(rest, tail[k])) return true;
    }
    return false;
}

static void tally(struct events *t, uint32_t line, int64_t start, int64_t dur, struct str name)
{
    struct event_line *l = &t->line[line];
    uint64_t hash = map_hash(name.p, name.n, 1);
    if (str_is(l->name, "Async XLA Ops"))
        l->json.async++;
    else if (is_internal(name))
        l->json.internal++;
    else {
        event_tally_add(&l->json, start, dur, hash);
        if (!t->tally_rows) return;
        t->tally_row = mem_grow(t->tally_row, &t->tally_cap, t->ntally + 1, sizeof *t->tally_row);
        t->tally_row[t->ntally++] = (struct event_tally_row){start, dur, hash, line};
    }
}

/* What the program says of an instruction, once. */
static void mark_op(struct events *t, uint32_t op, const struct tsv *in, const struct columns *c)
{
    if (op >= t->op_marks) {
        size_t before = t->op_marks;
        t->op_mark = mem_grow(t->op_mark, &t->op_marks, op + 1u, 1);
        memset(t->op_mark + before, 0, t->op_marks - before);
    }
    if (t->op_mark[op]) return;
    struct str opcode = tsv_str(in, c->opcode), path = tsv_str(in, c->op_name), name = t->name.key[op];
    bool layout = str_is(opcode, "copy") || str_is(opcode, "transpose") || str_starts(opcode, "copy-") ||
                  (str_is(opcode, "fusion") && (str_has(name, "transpose") || str_starts(name, "copy")));
    bool remat = str_has(path, "rematted_computation") || str_has(name, ".remat");
    t->op_mark[op] = (uint8_t)(OP_KNOWN | (layout ? OP_LAYOUT : 0) | (remat ? OP_REMAT : 0));
}

static int take_row(struct events *t, struct tsv *in, struct reader *r, unsigned keep, struct err *e)
{
    const struct columns *c = &r->c;
    struct event v = {.class = (uint8_t)class_of(in->cell[c->class])};
    struct str where[] = {in->cell[c->plane], in->cell[c->line], tsv_str(in, c->line_id)};
    struct str prog[] = {tsv_str(in, c->module), tsv_str(in, c->program)};
    if (tsv_none(in->cell[c->start])) { /* an aggregated event has no place in time */
        t->aggregated++;
        return 0;
    }
    if (times(in, c, &v, e)) return -1;
    int64_t dur = v.dur;
    if (v.dur < 0) v.dur = 0;
    if (tsv_none(prog[1])) prog[1] = tsv_str(in, c->attributed);
    if (!tsv_repeats(&r->where, where, 3)) r->line = put_line(t, where, buf_view(&r->where));
    if (!tsv_repeats(&r->program_cells, prog, 2)) r->program = put_program(t, prog[0], prog[1], &r->key);
    v.line = r->line;
    v.program = r->program;
    take_ids(in, c, &v);
    struct event_line *l = &t->line[v.line];
    if (str_starts(l->name, "Async") && event_is(&v, EV_DEVICE)) v.class = EV_ASYNC;
    bool annotation = v.class == EV_HOST && t->plane[l->plane].is_host && !tsv_none(tsv_str(in, c->step));
    if (annotation) v.class = EV_STEP;
    count_row(t, l, &v, dur);
    if (t->tally) {
        struct str step = tsv_str(in, c->step); /* a step_name stands for the name there */
        bool named = !tsv_none(step) && (step.p[0] < '0' || step.p[0] > '9');
        tally(t, v.line, v.start, dur, named ? step : in->cell[c->name]);
    }
    t->has_launches |= (v.flags & EV_HAS_CORR) && t->plane[l->plane].is_host;
    if (t->plane[l->plane].device.p[0] == '-' && !tsv_none(tsv_str(in, c->device)))
        t->plane[l->plane].device = keep_cell(t, in->cell[c->device]);
    if (!(EV_BIT(v.class) & keep)) return 0;
    v.name = put_name(t, &r->name, in->cell[c->name]);
    v.graph = put_name(t, &r->graph, tsv_str(in, c->graph));
    struct str op = tsv_str(in, v.class == EV_STEP ? c->step : c->instr >= 0 ? c->instr : c->hlo_op);
    v.op = put_name(t, &r->op, op);
    if (c->opcode >= 0 && v.op != EV_NONE && event_is(&v, EV_DEVICE)) mark_op(t, v.op, in, c);
    int64_t clock;
    if (tsv_i64(in, c->clock, &clock) && clock >= 0 && event_is(&v, EV_DEVICE))
        *map64_at(&t->clock, (uint64_t)v.program << 32 | v.op, 0) += (uint64_t)clock;
    t->event = mem_grow(t->event, &t->cap, t->n + 1, sizeof *t->event);
    t->event[t->n++] = v;
    return 0;
}

/* ---- order ---- */

static bool line_after(const void *x, const void *y)
{
    return ((const struct event *)x)->line > ((const struct event *)y)->line;
}

static bool event_after(const void *x, const void *y)
{
    const struct event *a = x, *b = y;
    return a->start > b->start || (a->start == b->start && a->dur < b->dur);
}

/* By line, and in each line by start, longest first; equals keep the order of the file.  Captures are written
 * so: then nothing moves. */
static void put_in_order(struct events *t)
{
    runs_sort(t->event, t->n, sizeof *t->event, line_after);
    for (size_t i = 0, k; i < t->n; i = k) {
        struct event_line *l = &t->line[t->event[i].line];
        for (k = i; k < t->n && t->event[k].line == t->event[i].line; k++) continue;
        l->from = i;
        l->n = k - i;
        runs_sort(t->event + i, l->n, sizeof *t->event, event_after);
    }
}

static void group_lines(struct events *t)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < t->nline; i++) t->plane[t->line[i].plane].nline++;
    for (uint32_t p = 0; p < t->nplane; p++) {
        t->plane[p].from = at;
        at += t->plane[p].nline;
        t->plane[p].nline = 0;
    }
    t->by_plane = mem_alloc(t->nline, sizeof *t->by_plane);
    for (uint32_t i = 0; i < t->nline; i++) {
        struct event_plane *p = &t->plane[t->line[i].plane];
        t->by_plane[p->from + p->nline++] = i;
    }
}

int events_read(struct events *t, struct tsv *in, unsigned keep, struct err *e)
{
    struct reader r = {0};
    int rc = find_columns(in, &r.c, e);
    t->attributed = r.c.instr >= 0;
    while (!rc) {
        rc = tsv_next(in, e);
        if (rc <= 0) break;
        rc = take_row(t, in, &r, keep, e);
    }
    put_in_order(t);
    group_lines(t);
    buf_free(&r.name.cell);
    buf_free(&r.op.cell);
    buf_free(&r.graph.cell);
    buf_free(&r.where);
    buf_free(&r.program_cells);
    buf_free(&r.key);
    return rc;
}

void events_free(struct events *t)
{
    free(t->event);
    free(t->plane);
    free(t->line);
    free(t->program);
    free(t->by_plane);
    free(t->tally_row);
    free(t->op_mark);
    map_free(&t->name);
    map64_free(&t->clock);
    map_free(&t->planes);
    map_free(&t->lines);
    map_free(&t->programs);
    map_free(&t->processes);
    arena_free(&t->arena);
    *t = (struct events){0};
}
