/* Out-of-memory messages that XLA prints into a log: the TPU compiler's table of a memory space (hbm, vmem,
 * smem ...), its one-line forms, the GPU's "BufferAssignment OOM Debugging".  Any prefix may stand before a
 * line, and a table may stand on one line: words are looked for, not columns.
 *
 * Between messages only their opening words are searched for; inside one, every line is read for its keys
 * until IDLE lines have none. */
#include "lex.h"
#include "num.h"
#include "plan_read.h"
#include "take.h"
#include <ctype.h>
#include <stdlib.h>

enum { IDLE = 64 };

struct reader {
    struct plan *p; /* the message at hand, NULL: none */
    size_t space_cap, peak_cap;
    uint32_t space;  /* the one that lines speak of */
    bool totals;     /* inside "Total X usage": reserved, program, arguments follow */
    bool unsized;    /* the last row waits for "Scoped allocation with size" */
    struct map seen; /* messages as text: a traceback prints them again */
    uint64_t messages, line;
    const char *file;
    plan_on *on_plan;
    void *ctx;
    bool stop;
};

/* ---- numbers ---- */

/* "21.32G", "47.68MiB", "512B", "1024": the nearest byte.  *rounded: a unit stood behind it. */
static bool size(struct str *s, int64_t *v, bool *rounded)
{
    static const char unit[] = "KMGTPE";
    struct str at = *s;
    unsigned __int128 n = 0, ten = 1;
    bool dot = false;
    size_t digits = 0, i = 0;
    take_blanks(&at);
    for (; i < at.n && (isdigit((unsigned char)at.p[i]) || (at.p[i] == '.' && !dot)); i++) {
        if (at.p[i] == '.') {
            if (i + 1 == at.n || !isdigit((unsigned char)at.p[i + 1])) break;
            dot = true;
            continue;
        }
        if (++digits > 18) return false;
        n = n * 10 + (unsigned)(at.p[i] - '0');
        if (dot) ten *= 10;
    }
    if (!digits) return false;
    at = str_from(at, i);
    const char *u = at.n ? memchr(unit, *at.p, sizeof unit - 1) : NULL;
    if (u) {
        n <<= 10 * (u - unit + 1);
        at = str_from(at, 1);
        take_lit(&at, "i");
    }
    take_lit(&at, "B");
    n = (n + ten / 2) / ten;
    if (n > INT64_MAX) return false;
    *v = (int64_t)n;
    *rounded = u != NULL;
    *s = at;
    return true;
}

static void sum(struct str *s, int64_t *v)
{
    bool rounded;
    if (!size(s, v, &rounded)) *v = -1; /* "unknown size" */
}

/* ---- messages ---- */

static void describe(struct buf *b, const struct plan *p)
{
    buf_str(b, p->module);
    for (uint32_t i = 0; i < p->nspace; i++) {
        const struct plan_space *s = &p->space[i];
        buf_fmt(b, "\n%.*s %lld %lld %lld %lld %lld %lld", (int)s->memory_space.n, s->memory_space.p,
                (long long)s->argument, (long long)s->constant, (long long)s->maybe_live_out,
                (long long)s->temp, (long long)s->total, (long long)s->limit);
    }
    for (uint32_t i = 0; i < p->npeak; i++) {
        const struct plan_peak *k = &p->peak[i];
        buf_fmt(b, "\n%.*s %lld %lld %.*s %.*s", (int)k->instr.n, k->instr.p, (long long)k->size,
                (long long)k->unpadded, (int)k->shape.n, k->shape.p, (int)k->op_name.n, k->op_name.p);
    }
}

static void largest(struct plan *p)
{
    for (uint32_t i = 0; i < p->nspace; i++)
        for (uint32_t k = 0; k < p->npeak; k++) {
            struct plan_space *s = &p->space[i];
            const struct plan_peak *b = &p->peak[k];
            if (!str_eq(b->memory_space, s->memory_space) || b->size <= s->largest) continue;
            s->largest = b->size;
            s->largest_instr = b->instr;
            s->largest_source = b->source;
        }
}

static void finish(struct reader *r)
{
    struct plan *p = r->p;
    struct buf b = {0};
    bool fresh = true;
    if (!p) return;
    r->p = NULL;
    describe(&b, p);
    map_put(&r->seen, buf_view(&b), &fresh);
    buf_free(&b);
    if (!fresh) {
        plan_free(p);
        return;
    }
    largest(p);
    r->messages++;
    r->stop = r->on_plan(p, r->ctx) != 0;
}

static void begin(struct reader *r)
{
    finish(r);
    r->p = plan_new(PLAN_FROM_LOG, r->file);
    r->space_cap = r->peak_cap = 0;
    r->totals = r->unsized = false;
    r->space = PLAN_NONE;
}

static struct plan_space *space(struct reader *r, struct str name)
{
    struct plan *p = r->p;
    char low[32];
    if (name.n > sizeof low) name.n = sizeof low;
    for (size_t i = 0; i < name.n; i++) low[i] = (char)tolower((unsigned char)name.p[i]);
    name.p = low;
    for (r->space = 0; r->space < p->nspace; r->space++)
        if (str_eq(p->space[r->space].memory_space, name)) return &p->space[r->space];
    p->space = mem_grow(p->space, &r->space_cap, (size_t)p->nspace + 1, sizeof *p->space);
    p->space[p->nspace++] = (struct plan_space){
        .memory_space = str_n(name.n ? arena_copy(&p->arena, name.p, name.n) : NULL, name.n),
        .argument = -1,
        .constant = -1,
        .maybe_live_out = -1,
        .thread_local_ = -1,
        .temp = -1,
        .total = -1,
        .limit = -1,
        .buffers = -1,
        .largest = -1};
    return &p->space[r->space];
}

static struct plan_space *here(struct reader *r)
{
    if (!r->p) begin(r);
    return r->space == PLAN_NONE ? space(r, str_n(NULL, 0)) : &r->p->space[r->space];
}

static struct plan_peak *row(struct reader *r)
{
    struct plan *p = r->p;
    const struct plan_space *s = here(r);
    p->peak = mem_grow(p->peak, &r->peak_cap, (size_t)p->npeak + 1, sizeof *p->peak);
    p->peak[p->npeak] =
        (struct plan_peak){.size = -1, .unpadded = -1, .kind = -1, .memory_space = s->memory_space};
    return &p->peak[p->npeak++];
}

static struct plan_peak *last(struct reader *r)
{
    return r->p && r->p->npeak ? &r->p->peak[r->p->npeak - 1] : NULL;
}

/* ---- what stands behind a key ---- */

static struct str word(struct str *s)
{
    size_t n = 0;
    take_blanks(s);
    while (n < s->n && (isalnum((unsigned char)s->p[n]) || s->p[n] == '_')) n++;
    struct str w = str_n(s->p, n);
    *s = str_from(*s, n);
    return w;
}

static struct str kept(struct reader *r, struct str s)
{
    s = str_trim(s);
    return s.n ? str_n(arena_copy(&r->p->arena, s.p, s.n), s.n) : s;
}

static struct str quoted(struct reader *r, struct str s, const char *key)
{
    size_t at = str_find(s, str_of(key));
    struct buf b = {0};
    if (at == SIZE_MAX) return str_n(NULL, 0);
    s = str_from(s, at + strlen(key));
    size_t n = 0;
    while (n < s.n && s.p[n] != '"') n += s.p[n] == '\\' && n + 1 < s.n ? 2 : 1;
    lex_unescape(&b, str_n(s.p, n));
    struct str text = kept(r, buf_view(&b));
    buf_free(&b);
    return text;
}

/* op_name="..." source_file="..." source_line=12 */
static void metadata(struct reader *r, struct str s, struct plan_peak *k)
{
    struct str file = quoted(r, s, "source_file=\"");
    size_t at = str_find(s, STR("source_line="));
    k->op_name = quoted(r, s, "op_name=\"");
    k->source = file;
    if (!file.n || at == SIZE_MAX) return;
    struct str number = str_from(s, at + strlen("source_line="));
    struct buf b = {0};
    int64_t line;
    if (!take_nat(&number, &line)) return;
    buf_fmt(&b, "%.*s:%lld", (int)file.n, file.p, (long long)line);
    k->source = kept(r, buf_view(&b));
    buf_free(&b);
}

static struct str shape_text(struct reader *r, struct str s)
{
    return plan_bare_shape(kept(r, s), &r->p->arena);
}

/* "%copy.4 = f32[..] copy(...)", "copy.4 = copy(...)", "fusion" */
static struct str label(struct reader *r, struct str s)
{
    take_lit(&s, "%");
    size_t at = str_find(s, STR(" = "));
    return kept(r, at == SIZE_MAX ? s : str_n(s.p, at));
}

/* ---- the keys ---- */

static void ran_out_in(struct reader *r, struct str *s)
{
    begin(r);
    struct plan_space *m = space(r, word(s));
    if (!take_lit(s, " while allocating on stack for ")) return;
    struct plan_peak *k = row(r);
    k->kind = PLAN_SCOPED;
    k->instr = label(r, *s);
    k->memory_space = m->memory_space;
    size_t at = str_find(*s, STR(" = "));
    if (at != SIZE_MAX) {
        const char *p = s->p + at + 3;
        k->shape = shape_text(r, str_n(p, (size_t)(shape_end(p, s->p + s->n) - p)));
    }
    metadata(r, *s, k);
    r->unsized = true;
    size_t more = str_find(*s, STR("Scoped allocation with size"));
    *s = str_from(*s, more);
}

static void ran_out_on(struct reader *r, struct str *s)
{
    begin(r);
    struct plan_space *m = space(r, word(s));
    size_t at = str_find(*s, STR("temporaries ("));
    if (at == SIZE_MAX) return;
    *s = str_from(*s, at + strlen("temporaries ("));
    sum(s, &m->temp);
    at = str_find(*s, STR("exceeds available "));
    if (at == SIZE_MAX) return;
    *s = str_from(*s, at);
    take_until(s, '(');
    take_lit(s, "(");
    sum(s, &m->limit);
}

static void used(struct reader *r, struct str *s) /* "21.07G of 15.75G hbm" */
{
    int64_t n, limit;
    bool rounded;
    struct str at = *s;
    if (!size(&at, &n, &rounded) || !take_lit(&at, " of ") || !size(&at, &limit, &rounded)) return;
    struct plan_space *m = here(r);
    m->limit = limit;
    if (m->total < 0) m->total = n;
    *s = at;
}

static void total_usage(struct reader *r, struct str *s) /* "hbm usage >= 21.32G:" */
{
    struct str at = *s, name = word(&at);
    if (!name.n || !take_lit(&at, " usage >= ")) return;
    if (r->p && r->totals && r->p->space) { /* a message has one such table of a space */
        struct plan_space *old = here(r);
        if (str_eq(old->memory_space, name)) begin(r);
    }
    if (!r->p) begin(r);
    sum(&at, &space(r, name)->total);
    r->totals = true;
    *s = at;
}

static void program_needs(struct reader *r, struct str *s) /* "hbm requirement 12.57G:" */
{
    struct str at = *s, name = word(&at);
    if (!name.n || !take_lit(&at, " requirement ")) return;
    if (!r->p) begin(r);
    struct plan_space *m = space(r, name);
    int64_t n;
    sum(&at, &n);
    if (m->temp < 0) m->temp = n;
    r->totals = false;
    *s = at;
}

static void program(struct reader *r, struct str *s)
{
    if (r->totals) sum(s, &here(r)->temp);
}

static void arguments(struct reader *r, struct str *s)
{
    if (r->totals) sum(s, &here(r)->argument);
}

static void output_size(struct reader *r, struct str *s)
{
    if (r->p) sum(s, &here(r)->maybe_live_out);
}

static void largest_in(struct reader *r, struct str *s)
{
    if (r->p) space(r, word(s));
}

static void hlo_module(struct reader *r, struct str *s)
{
    size_t n = 0;
    while (n < s->n && !memchr(" \t,;\"')", s->p[n], 7)) n++;
    struct str name = str_n(s->p, n);
    while (name.n && name.p[name.n - 1] == '.') name.n--;
    if (r->p && !r->p->module.n) r->p->module = kept(r, name);
}

static void oom_debugging(struct reader *r, struct str *s)
{
    (void)s;
    begin(r);
}

static void stats(struct reader *r, struct str *s) /* in text that lost its title */
{
    (void)s;
    if (!r->p || r->p->nspace) begin(r);
    here(r);
}

#define STAT(name, field)                                                                                    \
    static void name(struct reader *r, struct str *s)                                                        \
    {                                                                                                        \
        if (r->p) sum(s, &here(r)->field);                                                                   \
    }
STAT(stat_parameter, argument)
STAT(stat_constant, constant)
STAT(stat_live_out, maybe_live_out)
STAT(stat_temp, temp)
STAT(stat_total, total)

static void item_size(struct reader *r, struct str *s)
{
    int64_t n;
    bool rounded;
    if (!r->p || !size(s, &n, &rounded)) return;
    struct plan_peak *k = row(r);
    k->size = n;
    k->rounded = rounded;
    if (!k->memory_space.n) k->kind = PLAN_TEMPORARY; /* GPU: unless a line below says more */
}

static void item_unpadded(struct reader *r, struct str *s)
{
    if (last(r)) sum(s, &last(r)->unpadded);
}

static void item_operator(struct reader *r, struct str *s)
{
    if (last(r)) metadata(r, *s, last(r));
    s->n = 0;
}

static void item_shape(struct reader *r, struct str *s)
{
    if (last(r)) last(r)->shape = shape_text(r, *s);
    s->n = 0;
}

static void item_subshape(struct reader *r, struct str *s)
{
    if (last(r)) last(r)->kind = PLAN_PARAMETER;
    item_shape(r, s);
}

static void item_label(struct reader *r, struct str *s)
{
    struct plan_peak *k = last(r);
    if (k) {
        k->instr = label(r, *s);
        if (!k->memory_space.n && str_is(k->instr, "constant")) k->kind = PLAN_CONSTANT;
    }
    s->n = 0;
}

static void item_type(struct reader *r, struct str *s)
{
    static const struct {
        const char *has;
        enum plan_kind kind;
    } type[] = {{"temp", PLAN_TEMPORARY},    {"scoped", PLAN_SCOPED},   {"stack", PLAN_SCOPED},
                {"constant", PLAN_CONSTANT}, {"param", PLAN_PARAMETER}, {"argument", PLAN_PARAMETER},
                {"output", PLAN_OUTPUT}};
    for (size_t i = 0; last(r) && i < sizeof type / sizeof *type; i++)
        if (str_has(*s, type[i].has)) {
            last(r)->kind = type[i].kind;
            break;
        }
    s->n = 0;
}

/* "12) would exceed memory (size=8) :: #allocation3 [shape = 'u8[12]{0}', space=vmem, size = 0xc, scoped,
 * tag = '...'] :: name"; without an instruction the tag may name it: 'output of fusion@{}'. */
static void would_exceed(struct reader *r, struct str *s)
{
    struct str at = *s;
    int64_t n, limit;
    bool rounded;
    if (!size(&at, &n, &rounded) || !take_lit(&at, ") would exceed memory (size=") ||
        !size(&at, &limit, &rounded))
        return;
    begin(r);
    size_t where = str_find(at, STR("space=")), what = str_find(at, STR("shape = '")),
           tag = str_find(at, STR("output of ")), end = str_find(at, STR("] :: "));
    struct str name = where == SIZE_MAX ? str_n(NULL, 0) : str_from(at, where + 6);
    struct plan_space *m = space(r, word(&name));
    m->temp = n;
    m->limit = limit;
    struct plan_peak *k = row(r);
    k->size = n;
    k->kind = str_has(at, ", scoped") ? PLAN_SCOPED : PLAN_TEMPORARY;
    if (what != SIZE_MAX) {
        struct str shape = str_from(at, what + 9);
        k->shape = shape_text(r, take_until(&shape, '\''));
    }
    struct str instr = end == SIZE_MAX ? str_n(NULL, 0) : str_from(at, end + 5);
    instr = str_n(instr.p, instr.n ? (size_t)(lex_name(instr.p, instr.p + instr.n) - instr.p) : 0);
    if (!instr.n && tag != SIZE_MAX) {
        struct str t = str_from(at, tag + strlen("output of "));
        instr = str_n(t.p, (size_t)(lex_name(t.p, t.p + t.n) - t.p));
    }
    k->instr = kept(r, instr);
    s->n = 0;
}

static void scoped_allocation(struct reader *r, struct str *s) /* "18.00M and limit 16.00M exceeded ..." */
{
    int64_t n, limit;
    bool rounded, ignored;
    struct str at = *s;
    if (!size(&at, &n, &rounded) || !take_lit(&at, " and limit ") || !size(&at, &limit, &ignored)) return;
    if (!r->p || !r->unsized) {
        begin(r);
        size_t where = str_find(at, STR("exceeded scoped "));
        struct str name = where == SIZE_MAX ? str_n(NULL, 0) : str_from(at, where + 16);
        space(r, word(&name));
        row(r)->kind = PLAN_SCOPED;
    }
    struct plan_space *m = here(r);
    m->temp = last(r)->size = n;
    m->limit = limit;
    last(r)->rounded = rounded;
    r->unsized = false;
    *s = at;
}

static const struct key {
    const char *text;
    void (*read)(struct reader *, struct str *);
    bool opens; /* a message may begin with it */
} keys[] = {
    {"Ran out of memory in memory space ", ran_out_in, true},
    {"Ran out of memory on ", ran_out_on, true},
    {"Allocation (size=", would_exceed, true},
    {"Scoped allocation with size ", scoped_allocation, true},
    {"Total ", total_usage, true},
    {"BufferAssignment OOM Debugging", oom_debugging, true},
    {"BufferAssignment stats:", stats, true},
    {"Used ", used, false},
    {"Program ", program_needs, false},
    {"program ", program, false},
    {"arguments ", arguments, false},
    {"Output size ", output_size, false},
    {"Largest program allocations in ", largest_in, false},
    {"HLO module: ", hlo_module, false},
    {"parameter allocation:", stat_parameter, false},
    {"constant allocation:", stat_constant, false},
    {"maybe_live_out allocation:", stat_live_out, false},
    {"preallocated temp allocation:", stat_temp, false},
    {"total allocation:", stat_total, false},
    {"Size: ", item_size, false},
    {"Unpadded size: ", item_unpadded, false},
    {"Operator: ", item_operator, false},
    {"Shape: ", item_shape, false},
    {"Entry Parameter Subshape: ", item_subshape, false},
    {"XLA label: ", item_label, false},
    {"XLA Label: ", item_label, false},
    {"Allocation type: ", item_type, false},
};
enum { NKEYS = sizeof keys / sizeof *keys };

/* Words that a message begins with, for the search between messages. */
static const char *const anchor[] = {
    "Ran out of memory ", ") would exceed memory (size=",   "Scoped allocation with size ",
    " usage >= ",         "BufferAssignment OOM Debugging", "BufferAssignment stats:"};
enum { NANCHORS = sizeof anchor / sizeof *anchor };

static bool word_start(struct str line, const char *p)
{
    return p == line.p || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
}

/* The key at the cursor, behind it then; outside a message only those that open one. */
static const struct key *key_at(const struct reader *r, struct str line, struct str *s)
{
    if (word_start(line, s->p))
        for (const struct key *k = keys; k < keys + NKEYS; k++)
            if ((r->p || k->opens) && take_lit(s, k->text)) return k;
    return NULL;
}

/* Read the keys of a line, left to right; how many. */
static unsigned keys_of(struct reader *r, struct str line)
{
    unsigned n = 0;
    for (struct str s = line; s.n && !r->stop;) {
        const struct key *k = key_at(r, line, &s);
        if (k)
            k->read(r, &s), n++;
        else
            s = str_from(s, 1);
    }
    return n;
}

/* The start of the next line that an anchor stands on, from `at` on. */
static size_t next_message(struct str text, size_t at, size_t found[NANCHORS])
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < NANCHORS; i++) {
        if (found[i] != SIZE_MAX && found[i] < at) {
            size_t k = str_find(str_from(text, at), str_of(anchor[i]));
            found[i] = k == SIZE_MAX ? k : at + k;
        }
        if (found[i] < best) best = found[i];
    }
    if (best == SIZE_MAX) return best;
    const char *nl = best > at ? memrchr(text.p + at, '\n', best - at) : NULL;
    return nl ? (size_t)(nl - text.p) + 1 : at;
}

uint64_t plan_log_read(const struct inp *in, plan_on *on_plan, void *ctx)
{
    struct reader r = {.file = in->name, .on_plan = on_plan, .ctx = ctx};
    struct str text = str_n(in->data, in->size), line;
    size_t found[NANCHORS] = {0};
    for (size_t i = 0; i < NANCHORS; i++) found[i] = str_find(text, str_of(anchor[i]));
    for (size_t at = 0; !r.stop && (at = next_message(text, at, found)) != SIZE_MAX;) {
        struct str left = str_from(text, at);
        bool cut;
        for (unsigned idle = 0; idle < IDLE && !r.stop && take_line(&left, &line, &cut);)
            idle = keys_of(&r, line) ? 0 : idle + 1;
        finish(&r);
        at = text.n - left.n;
    }
    map_free(&r.seen);
    return r.messages;
}
