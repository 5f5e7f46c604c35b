#include "roof.h"
#include "num.h"
#include <stdlib.h>

/* ---- input ---- */

enum { DENSE = 64 }; /* an execution's number may be this many times the rows read before it is held apart */

struct seen { /* executions of one instruction on one plane */
    unsigned char *bits;
    size_t nbyte;
    uint64_t last;
    bool any;
};

struct open { /* an event that may still have others inside */
    int64_t start, end;
    uint32_t row;
    enum roof_kind kind;
};

struct line {
    struct open *stack;
    size_t n, cap;
    int64_t last_start;
    uint32_t plane;
};

struct roof_in {
    int cell[ROOF_CELLS];
    int plane, line, line_id, class, start, dur, match, program, flops, bytes, execution; /* events */
    int computation, launches, calls, entry;                                              /* instr */
    struct map planes, lines, rows, apart, run; /* run: computations whose instructions run by themselves */
    struct line *of_line;
    size_t line_cap;
    struct map64 slot; /* row << 32 | plane -> index of seen */
    struct seen *seen;
    size_t nseen, seen_cap;
    uint64_t nread;
    struct buf key, last_line, last_row;
    uint32_t at_line, at_row;
    uint32_t *row_computation; /* instr: index in run's key space, per row */
    size_t computation_cap;
    struct map computations;
    struct arena arena;
};

static int open_events(struct roof_in *in, const struct tsv *t, struct err *e)
{
    const struct tsv_want want[] = {{"plane", &in->plane, true},
                                    {"line", &in->line, true},
                                    {"class", &in->class, true},
                                    {"start_ps", &in->start, true},
                                    {"dur_ps", &in->dur, true},
                                    {"match", &in->match, true},
                                    {"program", &in->program, true},
                                    {"instr", &in->cell[ROOF_INSTR], true},
                                    {"opcode", &in->cell[ROOF_OPCODE], true},
                                    {"flops", &in->flops, true},
                                    {"bytes", &in->bytes, true},
                                    {"line_id", &in->line_id, false},
                                    {"execution", &in->execution, false}};
    return tsv_want(t, want, sizeof want / sizeof *want, "attrib", e);
}

static int open_instrs(struct roof_in *in, const struct tsv *t, struct err *e)
{
    const struct tsv_want want[] = {{"module", &in->cell[ROOF_MODULE], true},
                                    {"computation", &in->computation, true},
                                    {"instr", &in->cell[ROOF_INSTR], true},
                                    {"opcode", &in->cell[ROOF_OPCODE], true},
                                    {"flops_total", &in->flops, true},
                                    {"bytes_total", &in->bytes, true},
                                    {"launches", &in->launches, false},
                                    {"calls", &in->calls, false},
                                    {"entry", &in->entry, false}};
    return tsv_want(t, want, sizeof want / sizeof *want, "hlo2tsv", e);
}

int roof_open(struct roof *r, const struct tsv *t, struct err *e)
{
    static const char *const name[ROOF_CELLS] = {"device",  "module", "instr", "opcode",
                                                 "op_name", "source", "dtype", "cost_from"};
    struct roof_in *in = r->in = mem_alloc(1, sizeof *in);
    for (int k = 0; k < ROOF_CELLS; k++) in->cell[k] = tsv_col(t, name[k]);
    in->at_line = in->at_row = MAP_NONE;
    r->timed = tsv_col(t, "start_ps") >= 0 || tsv_col(t, "launches") < 0;
    return r->timed ? open_events(in, t, e) : open_instrs(in, t, e);
}

static bool container(struct str opcode)
{
    return str_is(opcode, "while") || str_is(opcode, "call") || str_is(opcode, "conditional");
}

static struct str keep(struct roof_in *in, struct str s)
{
    return str_n(arena_copy(&in->arena, s.p, s.n), s.n);
}

static struct roof_row *new_row(struct roof *r, const struct tsv *t)
{
    r->row = mem_grow(r->row, &r->cap, r->nrow + 1, sizeof *r->row);
    struct roof_row *row = &r->row[r->nrow++];
    *row = (struct roof_row){0};
    for (int k = 0; k < ROOF_CELLS; k++) row->cell[k] = keep(r->in, tsv_str(t, r->in->cell[k]));
    row->container = container(row->cell[ROOF_OPCODE]);
    return row;
}

/* ---- events ---- */

/* The class of device work; -1: other classes do not count as device time. */
static int kind_of(struct str class)
{
    if (str_is(class, "kernel") || str_is(class, "op")) return ROOF_WORK;
    if (str_is(class, "memcpy") || str_is(class, "memset")) return ROOF_COPIES;
    return str_is(class, "collective") ? ROOF_LINKS : -1;
}

static void key3(struct buf *b, struct str x, struct str y, struct str z)
{
    b->n = 0;
    buf_str(b, x);
    buf_c(b, '\t');
    buf_str(b, y);
    buf_c(b, '\t');
    buf_str(b, z);
}

static struct line *line_of(struct roof_in *in, const struct tsv *t)
{
    struct str key[] = {t->cell[in->plane], t->cell[in->line], tsv_str(t, in->line_id)};
    if (!tsv_repeats(&in->last_line, key, 3)) {
        bool fresh;
        in->at_line = map_put(&in->lines, buf_view(&in->last_line), &fresh);
        in->of_line = mem_grow(in->of_line, &in->line_cap, in->lines.count, sizeof *in->of_line);
        if (fresh)
            in->of_line[in->at_line] = (struct line){.last_start = INT64_MIN,
                                                     .plane = map_put(&in->planes, t->cell[in->plane], NULL)};
    }
    return &in->of_line[in->at_line];
}

static uint32_t row_of(struct roof *r, const struct tsv *t)
{
    struct roof_in *in = r->in;
    struct str match = t->cell[in->match], program = t->cell[in->program],
               instr = t->cell[in->cell[ROOF_INSTR]];
    bool unmatched = tsv_none(match) || str_is(match, "none") || tsv_none(instr), fresh;
    if (tsv_none(program)) program = tsv_str(t, in->cell[ROOF_MODULE]);
    if (unmatched) program = instr = STR("-");
    struct str key[] = {tsv_str(t, in->cell[ROOF_DEVICE]), program, instr};
    if (!tsv_repeats(&in->last_row, key, 3)) {
        in->at_row = map_put(&in->rows, buf_view(&in->last_row), &fresh);
        if (fresh) {
            struct roof_row *row = new_row(r, t);
            row->program = keep(in, program);
            row->unmatched = unmatched;
            row->container &= !unmatched;
        }
    }
    struct roof_row *row = &r->row[in->at_row];
    for (int k = 0; k < ROOF_CELLS; k++) /* what the first event does not know a later one may */
        if (row->cell[k].n == 1 && row->cell[k].p[0] == '-' && !tsv_none(tsv_str(t, in->cell[k])))
            row->cell[k] = keep(in, t->cell[in->cell[k]]);
    return in->at_row;
}

static void add_time(struct roof *r, const struct open *o, int64_t ps)
{
    int64_t *t = &r->row[o->row].time_ps[o->kind];
    *t = num_add(*t, ps);
}

/* An event out of order: only what encloses it loses its time.  Deep nesting is not searched to the bottom.
 */
static void nest_late(struct roof *r, const struct line *l, const struct open *now)
{
    r->disordered++;
    for (size_t k = l->n; k > 0 && l->n - k < 64; k--)
        if (l->stack[k - 1].start <= now->start && l->stack[k - 1].end >= now->end) {
            add_time(r, &l->stack[k - 1], now->start - now->end);
            return;
        }
}

/* Self time: an event's own, less that of the events right inside it.  Events come in order of their start;
 * the stack holds what may enclose later ones, ends falling: whatever lies in an event that ends before a
 * younger one lies in the younger one too. */
static void nest(struct roof *r, struct line *l, struct open now)
{
    add_time(r, &now, now.end - now.start);
    if (now.start < l->last_start) {
        nest_late(r, l, &now);
        return;
    }
    l->last_start = now.start;
    while (l->n && (l->stack[l->n - 1].end <= now.start || l->stack[l->n - 1].end < now.end)) {
        struct open *in = &l->stack[--l->n];
        if (in->start < now.start) continue;
        add_time(r, &now, in->start - in->end); /* began together and ends later: the one before is inside */
        if (l->n) add_time(r, in - 1, in->end - in->start);
    }
    if (l->n) add_time(r, &l->stack[l->n - 1], now.start - now.end);
    l->stack = mem_grow(l->stack, &l->cap, l->n + 1, sizeof *l->stack);
    l->stack[l->n++] = now;
}

/* Is this execution of the row on that plane a new one? */
static bool first_time(struct roof_in *in, uint32_t row, uint32_t plane, uint64_t n)
{
    uint64_t *slot = map64_at(&in->slot, (uint64_t)row << 32 | plane, UINT64_MAX);
    if (*slot == UINT64_MAX) {
        *slot = in->nseen;
        in->seen = mem_grow(in->seen, &in->seen_cap, in->nseen + 1, sizeof *in->seen);
        in->seen[in->nseen++] = (struct seen){0};
    }
    struct seen *s = &in->seen[*slot];
    if (s->any && s->last == n) return false;
    s->any = true;
    s->last = n;
    if (n / DENSE > in->nread + 1024) {
        bool fresh;
        in->key.n = 0;
        buf_fmt(&in->key, "%llu\t%llu", (unsigned long long)*slot, (unsigned long long)n);
        map_put(&in->apart, buf_view(&in->key), &fresh);
        return fresh;
    }
    if (n / 8 >= s->nbyte) {
        size_t old = s->nbyte;
        s->bits = mem_grow(s->bits, &s->nbyte, (size_t)(n / 8) + 1, 1);
        memset(s->bits + old, 0, s->nbyte - old);
    }
    unsigned char bit = (unsigned char)(1u << (n % 8)), *at = &s->bits[n / 8];
    bool fresh = !(*at & bit);
    *at |= bit;
    return fresh;
}

/* A count of the cell, -1 where it is unknown. */
static int count(const struct tsv *t, int col, int64_t *v, struct err *e)
{
    double d;
    *v = -1;
    if (col < 0 || tsv_none(t->cell[col]) || tsv_i64(t, col, v)) return 0;
    if (!tsv_f64(t, col, &d)) return tsv_bad(t, col, "number", e);
    *v = d < 0 ? -1 : d < 0x1p63 ? (int64_t)d : INT64_MAX;
    return 0;
}

static int add_work(struct roof_row *row, const struct roof_in *in, const struct tsv *t, struct err *e)
{
    int64_t flops, bytes;
    if (count(t, in->flops, &flops, e) || count(t, in->bytes, &bytes, e)) return -1;
    row->executions++;
    row->no_flops |= flops < 0;
    row->no_bytes |= bytes < 0;
    row->flops = num_add(row->flops, flops < 0 ? 0 : flops);
    row->bytes = num_add(row->bytes, bytes < 0 ? 0 : bytes);
    return 0;
}

static int add_event(struct roof *r, const struct tsv *t, struct err *e)
{
    struct roof_in *in = r->in;
    int kind = kind_of(t->cell[in->class]);
    int64_t start, dur, n;
    in->nread++;
    if (kind < 0) return 0;
    if (count(t, in->start, &start, e) || count(t, in->dur, &dur, e) || count(t, in->execution, &n, e))
        return -1;
    dur = dur < 0 ? 0 : dur;
    struct line *l = line_of(in, t);
    uint32_t row = row_of(r, t);
    if (tsv_none(t->cell[in->start]))
        r->row[row].time_ps[kind] = num_add(r->row[row].time_ps[kind], dur); /* aggregated */
    else
        nest(r, l, (struct open){start, num_add(start, dur), row, (enum roof_kind)kind});
    if (r->row[row].unmatched) return 0;
    if (n >= 0 && !first_time(in, row, l->plane, (uint64_t)n)) return 0;
    return add_work(&r->row[row], in, t, e);
}

/* ---- instructions ---- */

static struct str computation(struct roof_in *in, struct str module, struct str name)
{
    key3(&in->key, module, name, STR(""));
    return buf_view(&in->key);
}

/* "body=b,condition=c" of what runs its callees' instructions one by one. */
static void note_callees(struct roof_in *in, struct str module, struct str calls)
{
    while (calls.n) {
        const char *comma = memchr(calls.p, ',', calls.n);
        struct str one = str_n(calls.p, comma ? (size_t)(comma - calls.p) : calls.n);
        const char *eq = one.n ? memchr(one.p, '=', one.n) : NULL;
        if (eq) map_put(&in->run, computation(in, module, str_from(one, (size_t)(eq - one.p) + 1)), NULL);
        calls = str_from(calls, one.n + 1);
    }
}

static int add_instr(struct roof *r, const struct tsv *t, struct err *e)
{
    struct roof_in *in = r->in;
    struct str module = t->cell[in->cell[ROOF_MODULE]], opcode = t->cell[in->cell[ROOF_OPCODE]];
    struct str calls = tsv_str(t, in->calls), mine = t->cell[in->computation];
    if (str_is(tsv_str(t, in->entry), "1")) map_put(&in->run, computation(in, module, mine), NULL);
    if (!tsv_none(calls) && (container(opcode) || str_is(opcode, "async-start")))
        note_callees(in, module, calls);
    if (!str_is(tsv_str(t, in->launches), "1") && !container(opcode)) return 0;
    struct roof_row *row = new_row(r, t);
    if (in->cell[ROOF_COST_FROM] < 0)
        row->cell[ROOF_COST_FROM] = str_is(opcode, "custom-call") ? STR("model") : STR("hlo");
    in->row_computation =
        mem_grow(in->row_computation, &in->computation_cap, r->nrow, sizeof *in->row_computation);
    in->row_computation[r->nrow - 1] = map_put(&in->computations, computation(in, module, mine), NULL);
    return add_work(row, in, t, e);
}

/* Only what runs by itself: not the inside of fusions and reducers. */
static void drop_fused(struct roof *r)
{
    struct roof_in *in = r->in;
    size_t n = 0;
    for (size_t k = 0; k < r->nrow; k++) {
        struct str c = in->computations.key[in->row_computation[k]];
        if (in->entry < 0 || map_get(&in->run, c) != MAP_NONE) r->row[n++] = r->row[k];
    }
    r->nrow = n;
}

int roof_add(struct roof *r, const struct tsv *t, struct err *e)
{
    return r->timed ? add_event(r, t, e) : add_instr(r, t, e);
}

/* ---- the end ---- */

static int longest_first(const void *a, const void *b)
{
    const struct roof_row *x = a, *y = b;
    int64_t p = roof_time(x), q = roof_time(y);
    int c = (p < q) - (p > q);
    for (int k = 0; !c && k <= ROOF_INSTR; k++) c = str_cmp(x->cell[k], y->cell[k]);
    return c;
}

/* Kernels of graphs do not name their module; others of the same program do.  Where none does (ops of TPUs),
 * the program's id keeps equal names of two programs apart. */
static void name_modules(struct roof *r)
{
    struct map known = {0};
    struct str *module = mem_alloc(r->nrow + 1, sizeof *module);
    for (size_t k = 0; k < r->nrow; k++)
        if (!tsv_none(r->row[k].cell[ROOF_MODULE]))
            module[map_put(&known, r->row[k].program, NULL)] = r->row[k].cell[ROOF_MODULE];
    for (size_t k = 0; k < r->nrow; k++) {
        if (!tsv_none(r->row[k].cell[ROOF_MODULE]) || r->row[k].unmatched) continue;
        uint32_t p = map_get(&known, r->row[k].program);
        r->row[k].cell[ROOF_MODULE] = p == MAP_NONE ? r->row[k].program : module[p];
    }
    map_free(&known);
    free(module);
}

void roof_done(struct roof *r)
{
    if (!r->timed) {
        drop_fused(r);
        return;
    }
    name_modules(r);
    if (r->nrow) qsort(r->row, r->nrow, sizeof *r->row, longest_first);
}

void roof_free(struct roof *r)
{
    struct roof_in *in = r->in;
    if (in) {
        for (size_t k = 0; k < in->lines.count; k++) free(in->of_line[k].stack);
        for (size_t k = 0; k < in->nseen; k++) free(in->seen[k].bits);
        map_free(&in->planes), map_free(&in->lines), map_free(&in->rows), map_free(&in->apart),
            map_free(&in->run);
        map_free(&in->computations), map64_free(&in->slot), arena_free(&in->arena);
        buf_free(&in->key), buf_free(&in->last_line), buf_free(&in->last_row);
        free(in->of_line), free(in->seen), free(in->row_computation);
    }
    free(in);
    free(r->row);
    *r = (struct roof){0};
}
