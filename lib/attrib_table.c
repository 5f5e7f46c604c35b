#include "attrib.h"
#include <stdlib.h>

/* Tables of device time.  Facts are summed by what a table calls a row, and rows come by time, longest first;
 * shares are of the device time of the row's plane where the table has one, else of all. */

struct sum {
    uint32_t fact; /* the first of its facts: it says what the row is about */
    uint32_t order;
    uint64_t events, executions, ps, member_ps, instrs;
};

struct sums {
    struct map key;
    struct sum *at;
    size_t cap;
    uint64_t all;
    struct buf text;
};

/* The sum under the key in s->text. */
static struct sum *sum_at(struct sums *s, uint32_t fact)
{
    bool fresh;
    uint32_t k = map_put(&s->key, buf_view(&s->text), &fresh);
    s->text.n = 0;
    if (fresh) {
        s->at = mem_grow(s->at, &s->cap, (size_t)k + 1, sizeof *s->at);
        s->at[k] = (struct sum){.fact = fact, .order = k};
    }
    return &s->at[k];
}

static void add(struct sum *t, const struct fact *f)
{
    t->events += f->events;
    t->executions += f->executions;
    t->ps += f->ps;
}

static int by_time(const void *a, const void *b)
{
    const struct sum *x = a, *y = b;
    if (x->ps != y->ps) return x->ps > y->ps ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void sums_free(struct sums *s)
{
    map_free(&s->key);
    free(s->at);
    buf_free(&s->text);
}

static size_t nfact(const struct attrib *a) { return a->fact_keys.count; }
static double share(uint64_t part, uint64_t all) { return all ? (double)part / (double)all : 0; }

static const struct hlo_instr *instr_of(const struct attrib *a, const struct fact *f)
{
    return f->instr == HLO_NONE ? NULL : &a->programs->program[f->program].m->instr[f->instr];
}

static struct str program_cell(const struct attrib *a, const struct fact *f)
{
    return f->program == PROGRAM_NONE ? STR("-") : a->programs->program[f->program].cell;
}

/* The user's line as a cell: what the trace says, else the HLO. */
static struct str source_cell(struct attrib *a, const struct fact *f)
{
    if (f->source != MAP_NONE) return a->sources.key[f->source];
    if (f->instr == HLO_NONE) return STR("-");
    struct str place = programs_cells(a->programs, f->program, f->instr)->place;
    return str_n(place.p, str_rfind(place, '\t'));
}

static void put_sum(struct tab *t, const struct sum *s, uint64_t all)
{
    tab_u64(t, s->events);
    tab_u64(t, s->ps);
    tab_f64(t, share(s->ps, all));
    tab_end(t);
}

static uint64_t *plane_time(const struct attrib *a)
{
    uint64_t *ps = mem_alloc((size_t)a->planes.count + 1, sizeof *ps);
    for (size_t i = 0; i < nfact(a); i++) ps[a->fact[i].plane] += a->fact[i].ps;
    return ps;
}

/* Planes in order of arrival, classes in order of trust. */
static void table_how(struct attrib *a, struct tab *t)
{
    uint64_t *all = plane_time(a);
    struct sum(*sum)[MATCH_CLASSES] = mem_alloc((size_t)a->planes.count + 1, sizeof *sum);
    for (size_t i = 0; i < nfact(a); i++) add(&sum[a->fact[i].plane][a->fact[i].match], &a->fact[i]);
    for (uint32_t p = 0; p < a->planes.count; p++)
        for (int m = 0; m < MATCH_CLASSES; m++) {
            if (!sum[p][m].events) continue;
            tab_cell(t, a->planes.key[p]);
            tab_texts(t, match_class_name((enum match_class)m));
            tab_u64(t, sum[p][m].events);
            tab_u64(t, sum[p][m].ps);
            /* a plane whose events all take no time is spread by their number */
            uint64_t n = 0;
            for (int k = 0; k < MATCH_CLASSES; k++) n += sum[p][k].events;
            tab_f64(t, all[p] ? share(sum[p][m].ps, all[p]) : share(sum[p][m].events, n));
            tab_end(t);
        }
    free(sum);
    free(all);
}

static void summary_row(struct tab *t, struct str plane, const char *what, const char *reason, struct sum s,
                        uint64_t all)
{
    struct buf b = {0};
    buf_puts(&b, what);
    buf_puts(&b, reason);
    tab_cell(t, plane);
    tab_text(t, buf_view(&b));
    put_sum(t, &s, all);
    buf_free(&b);
}

static void table_summary(struct attrib *a, struct tab *t)
{
    uint64_t *all = plane_time(a);
    for (uint32_t p = 0; p < a->planes.count; p++) {
        struct sum device = {0}, matched = {0}, exact = {0}, none[REASON_COUNT] = {{0}};
        for (size_t i = 0; i < nfact(a); i++) {
            const struct fact *f = &a->fact[i];
            if (f->plane != p) continue;
            add(&device, f);
            add(f->match == MATCH_NONE ? &none[f->reason] : &matched, f);
            if (f->match == MATCH_EXACT) add(&exact, f);
        }
        if (!device.events) continue;
        struct str plane = a->planes.key[p];
        summary_row(t, plane, "device_time", "", device, all[p]);
        summary_row(t, plane, "matched", "", matched, all[p]);
        for (int r = 0; r < REASON_COUNT; r++)
            if (none[r].events)
                summary_row(t, plane, "none:", match_reason_name((enum match_reason)r), none[r], all[p]);
        summary_row(t, plane, "xprof_op_view", "", exact, all[p]);
    }
    free(all);
}

static void table_kernel(struct attrib *a, struct tab *t, const struct sums *s, const struct sum *m)
{
    const struct fact *f = &a->fact[m->fact];
    const struct hlo_instr *i = instr_of(a, f);
    tab_cell(t, a->match.names.key[f->name]);
    tab_texts(t, ev_class_name((enum ev_class)f->cls));
    tab_cell(t, program_cell(a, f));
    tab_text(t, i ? i->name : STR(""));
    tab_text(t, i ? i->opcode : STR(""));
    tab_texts(t, match_class_name((enum match_class)f->match));
    put_sum(t, m, s->all);
}

static void table_op(struct attrib *a, struct tab *t, const struct sums *s, const struct sum *m)
{
    const struct fact *f = &a->fact[m->fact];
    tab_cell(t, program_cell(a, f));
    tab_cells(t, f->instr == HLO_NONE ? STR("-\t-\t-\t-\t-")
                                      : programs_cells(a->programs, f->program, f->instr)->head);
    tab_cell(t, source_cell(a, f));
    tab_u64(t, m->executions);
    put_sum(t, m, s->all);
}

static void table_line(struct attrib *a, struct tab *t, const struct sums *s, const struct sum *m)
{
    (void)a;
    tab_cell(t, s->key.key[m->order]);
    tab_u64(t, m->instrs);
    tab_u64(t, m->executions);
    tab_u64(t, m->member_ps);
    put_sum(t, m, s->all);
}

static void table_text(struct attrib *a, struct tab *t, const struct sums *s, const struct sum *m)
{
    (void)a;
    tab_text(t, s->key.key[m->order]);
    put_sum(t, m, s->all);
}

static void table_folded(struct attrib *a, struct tab *t, const struct sums *s, const struct sum *m)
{
    (void)a;
    tab_text(t, s->key.key[m->order]);
    tab_u64(t, m->ps);
    tab_end(t);
}

/* ---- keys ---- */

static void key_kernel(struct attrib *a, struct sums *s, const struct fact *f, unsigned depth)
{
    (void)a, (void)depth;
    uint32_t k[4] = {f->name, f->program, f->instr, f->match};
    buf_put(&s->text, k, sizeof k);
}

static void key_op(struct attrib *a, struct sums *s, const struct fact *f, unsigned depth)
{
    (void)a, (void)depth;
    uint32_t k[2] = {f->program, f->instr};
    buf_put(&s->text, k, sizeof k);
}

static void key_line(struct attrib *a, struct sums *s, const struct fact *f, unsigned depth)
{
    (void)depth;
    buf_str(&s->text, source_cell(a, f));
}

/* The first `depth` elements of op_name: "jit(f)/jvp()/dot" at 2 is "jit(f)/jvp()". */
static struct str prefix(struct str path, unsigned depth)
{
    size_t i = 0;
    int nested = 0;
    for (; i < path.n; i++) {
        nested += (path.p[i] == '(') - (path.p[i] == ')');
        if (path.p[i] == '/' && nested <= 0 && --depth == 0) break;
    }
    return str_n(path.p, i);
}

static void key_scope(struct attrib *a, struct sums *s, const struct fact *f, unsigned depth)
{
    const struct hlo_instr *i = instr_of(a, f);
    buf_str(&s->text, i ? prefix(i->op_name, depth) : STR(""));
}

static void frame(struct buf *b, struct str text)
{
    if (b->n) buf_c(b, ';');
    for (size_t i = 0; i < text.n; i++) buf_c(b, text.p[i] == ';' ? ':' : text.p[i]);
}

/* program;each element of op_name;instruction, or program;(reason);kernel */
static void key_folded(struct attrib *a, struct sums *s, const struct fact *f, unsigned depth)
{
    (void)depth;
    const struct hlo_instr *i = instr_of(a, f);
    const struct program *g = f->program == PROGRAM_NONE ? NULL : &a->programs->program[f->program];
    frame(&s->text, !g ? STR("(no program)") : g->m ? g->m->name : g->cell);
    if (!i) {
        frame(&s->text, str_of(match_reason_name((enum match_reason)f->reason)));
        a->scratch.n = 0;
        tsv_unescape(&a->scratch, a->match.names.key[f->name]);
        frame(&s->text, buf_view(&a->scratch));
        return;
    }
    for (struct str rest = i->op_name; rest.n;) {
        struct str one = prefix(rest, 1);
        if (one.n) frame(&s->text, one);
        rest = str_from(rest, one.n + 1);
    }
    frame(&s->text, i->name);
}

/* ---- lines also get what the fusions that hold a piece of them take ---- */

static void add_members(struct attrib *a, struct sums *s, const struct fact *f)
{
    const struct hlo_instr *i = instr_of(a, f);
    if (!i || !hlo_is(i, "fusion")) return;
    const struct program *g = &a->programs->program[f->program];
    uint32_t c = hlo_called(i, HLO_CALLS);
    struct map seen = {0};
    struct buf line = {0}, cell = {0};
    if (c == HLO_NONE) return;
    map_put(&seen, source_cell(a, f), NULL);
    const struct hlo_computation *k = &g->m->computation[c];
    for (uint32_t j = k->first; j < k->first + k->count; j++) {
        bool fresh;
        line.n = cell.n = 0;
        hlo_source(g->m, &g->m->instr[j], a->programs->user, &line);
        if (!line.n) continue;
        tsv_escape(&cell, buf_view(&line));
        map_put(&seen, buf_view(&cell), &fresh);
        if (!fresh) continue;
        buf_str(&s->text, buf_view(&cell));
        sum_at(s, (uint32_t)(f - a->fact))->member_ps += f->ps;
    }
    map_free(&seen);
    buf_free(&line);
    buf_free(&cell);
}

/* How many instructions stand behind a line. */
static void count_instrs(struct attrib *a, struct sums *s)
{
    struct map64 seen = {0};
    for (size_t i = 0; i < nfact(a); i++) {
        const struct fact *f = &a->fact[i];
        uint64_t *known = map64_at(&seen, (uint64_t)f->program << 32 | f->instr, 0);
        if (f->instr == HLO_NONE || (*known)++) continue;
        buf_str(&s->text, source_cell(a, f));
        sum_at(s, (uint32_t)i)->instrs++;
    }
    map64_free(&seen);
}

void attrib_table(struct attrib *a, const char *name, unsigned depth, struct tab *t)
{
    static const struct {
        const char *name;
        void (*key)(struct attrib *, struct sums *, const struct fact *, unsigned);
        void (*row)(struct attrib *, struct tab *, const struct sums *, const struct sum *);
    } kind[] = {{"kernel", key_kernel, table_kernel},
                {"op", key_op, table_op},
                {"line", key_line, table_line},
                {"scope", key_scope, table_text},
                {"folded", key_folded, table_folded}};
    if (!strcmp(name, "how")) table_how(a, t);
    if (!strcmp(name, "summary")) table_summary(a, t);
    for (size_t k = 0; k < sizeof kind / sizeof *kind; k++) {
        struct sums s = {0};
        if (strcmp(name, kind[k].name) != 0) continue;
        for (size_t i = 0; i < nfact(a); i++) {
            kind[k].key(a, &s, &a->fact[i], depth);
            add(sum_at(&s, (uint32_t)i), &a->fact[i]);
            s.all += a->fact[i].ps;
            if (kind[k].key == key_line) add_members(a, &s, &a->fact[i]);
        }
        if (kind[k].key == key_line) count_instrs(a, &s);
        if (s.key.count) qsort(s.at, s.key.count, sizeof *s.at, by_time);
        for (uint32_t i = 0; i < s.key.count; i++) kind[k].row(a, t, &s, &s.at[i]);
        sums_free(&s);
    }
}
