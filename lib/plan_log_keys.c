/* What stands behind each key of an out-of-memory message. */
#include "lex.h"
#include "plan_log.h"
#include "take.h"
#include <ctype.h>

enum { WINDOW = 1 << 14 }; /* how far behind its key a value may stand */

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

/* ---- pieces of text ---- */

static struct str word(struct str *s)
{
    size_t n = 0;
    take_blanks(s);
    while (n < s->n && (isalnum((unsigned char)s->p[n]) || s->p[n] == '_')) n++;
    struct str w = str_n(s->p, n);
    *s = str_from(*s, n);
    return w;
}

static struct str kept(struct plan_log *r, struct str s)
{
    s = str_trim(s);
    return plan_keep(r->p, s);
}

/* The part of a long line in which a value is looked for: no line is searched again and again to its end. */
static struct str near(struct str s) { return str_n(s.p, s.n < WINDOW ? s.n : WINDOW); }

static struct str quoted(struct plan_log *r, struct str s, const char *key)
{
    size_t at = str_find(near(s), str_of(key));
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
static void metadata(struct plan_log *r, struct str s, struct plan_peak *k)
{
    struct str file = quoted(r, s, "source_file=\"");
    size_t at = str_find(near(s), STR("source_line="));
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

static struct str shape_text(struct plan_log *r, struct str s)
{
    return plan_bare_shape(kept(r, s), &r->p->arena);
}

/* "%copy.4 = f32[..] copy(...)", "copy.4 = copy(...)", "fusion" */
static struct str label(struct plan_log *r, struct str s)
{
    size_t n = 0;
    take_lit(&s, "%");
    while (n < s.n && !memchr(" \t,=", s.p[n], 4)) n++;
    return kept(r, str_n(s.p, n));
}

static struct plan_peak *last(struct plan_log *r)
{
    return r->p && r->p->npeak ? &r->p->peak[r->p->npeak - 1] : NULL;
}

/* ---- the keys ---- */

static void ran_out_in(struct plan_log *r, struct str *s)
{
    plan_log_begin(r);
    struct plan_space *m = plan_log_space(r, word(s));
    if (!take_lit(s, " while allocating on stack for ")) return;
    struct plan_peak *k = plan_log_row(r);
    k->kind = PLAN_SCOPED;
    k->instr = label(r, *s);
    k->memory_space = m->memory_space;
    size_t at = str_find(near(*s), STR(" = "));
    if (at != SIZE_MAX) {
        const char *p = s->p + at + 3;
        k->shape = shape_text(r, str_n(p, (size_t)(shape_end(p, s->p + s->n) - p)));
    }
    metadata(r, *s, k);
    r->unsized = true;
    size_t more = str_find(near(*s), STR("Scoped allocation with size"));
    *s = str_from(*s, more);
}

static void ran_out_on(struct plan_log *r, struct str *s)
{
    plan_log_begin(r);
    struct plan_space *m = plan_log_space(r, word(s));
    size_t at = str_find(near(*s), STR("temporaries ("));
    if (at == SIZE_MAX) return;
    *s = str_from(*s, at + strlen("temporaries ("));
    sum(s, &m->temp);
    at = str_find(near(*s), STR("exceeds available "));
    if (at == SIZE_MAX) return;
    *s = str_from(*s, at);
    take_until(s, '(');
    take_lit(s, "(");
    sum(s, &m->limit);
}

static void used(struct plan_log *r, struct str *s) /* "21.07G of 15.75G hbm" */
{
    int64_t n, limit;
    bool rounded;
    struct str at = *s;
    if (!size(&at, &n, &rounded) || !take_lit(&at, " of ") || !size(&at, &limit, &rounded)) return;
    struct plan_space *m = plan_log_here(r);
    m->limit = limit;
    if (m->total < 0) m->total = n;
    *s = at;
}

static void total_usage(struct plan_log *r, struct str *s) /* "hbm usage >= 21.32G:" */
{
    struct str at = *s, name = word(&at);
    if (!name.n || !take_lit(&at, " usage >= ")) return;
    if (r->p && r->totals && r->p->space) { /* a message has one such table of a space */
        struct plan_space *old = plan_log_here(r);
        if (str_eq(old->memory_space, name)) plan_log_begin(r);
    }
    if (!r->p) plan_log_begin(r);
    sum(&at, &plan_log_space(r, name)->total);
    r->totals = true;
    *s = at;
}

static void program_needs(struct plan_log *r, struct str *s) /* "hbm requirement 12.57G:" */
{
    struct str at = *s, name = word(&at);
    if (!name.n || !take_lit(&at, " requirement ")) return;
    if (!r->p) plan_log_begin(r);
    struct plan_space *m = plan_log_space(r, name);
    int64_t n;
    sum(&at, &n);
    if (m->temp < 0) m->temp = n;
    r->totals = false;
    *s = at;
}

static void program(struct plan_log *r, struct str *s)
{
    if (r->totals) sum(s, &plan_log_here(r)->temp);
}

static void arguments(struct plan_log *r, struct str *s)
{
    if (r->totals) sum(s, &plan_log_here(r)->argument);
}

static void output_size(struct plan_log *r, struct str *s)
{
    if (r->p) sum(s, &plan_log_here(r)->maybe_live_out);
}

static void largest_in(struct plan_log *r, struct str *s)
{
    if (r->p) plan_log_space(r, word(s));
}

static void hlo_module(struct plan_log *r, struct str *s)
{
    size_t n = 0;
    while (n < s->n && !memchr(" \t,;\"')", s->p[n], 7)) n++;
    struct str name = str_n(s->p, n);
    while (name.n && name.p[name.n - 1] == '.') name.n--;
    if (r->p && !r->p->module.n) r->p->module = kept(r, name);
}

static void oom_debugging(struct plan_log *r, struct str *s)
{
    (void)s;
    plan_log_begin(r);
}

static void stats(struct plan_log *r, struct str *s) /* in text that lost its title */
{
    (void)s;
    if (!r->p || r->p->nspace) plan_log_begin(r);
    plan_log_here(r);
}

#define STAT(name, field)                                                                                    \
    static void name(struct plan_log *r, struct str *s)                                                      \
    {                                                                                                        \
        if (r->p) sum(s, &plan_log_here(r)->field);                                                          \
    }
STAT(stat_parameter, argument)
STAT(stat_constant, constant)
STAT(stat_live_out, maybe_live_out)
STAT(stat_temp, temp)
STAT(stat_total, total)

static void item_size(struct plan_log *r, struct str *s)
{
    int64_t n;
    bool rounded;
    if (!r->p || !size(s, &n, &rounded)) return;
    struct plan_peak *k = plan_log_row(r);
    k->size = n;
    k->rounded = rounded;
    if (!k->memory_space.n) k->kind = PLAN_TEMPORARY; /* GPU: unless a line below says more */
}

static void item_unpadded(struct plan_log *r, struct str *s)
{
    if (last(r)) sum(s, &last(r)->unpadded);
}

static void item_operator(struct plan_log *r, struct str *s)
{
    if (last(r)) metadata(r, *s, last(r));
    s->n = 0;
}

static void item_shape(struct plan_log *r, struct str *s)
{
    if (last(r)) last(r)->shape = shape_text(r, *s);
    s->n = 0;
}

static void item_subshape(struct plan_log *r, struct str *s)
{
    if (last(r)) last(r)->kind = PLAN_PARAMETER;
    item_shape(r, s);
}

static void item_label(struct plan_log *r, struct str *s)
{
    struct plan_peak *k = last(r);
    if (k) {
        k->instr = label(r, *s);
        if (!k->memory_space.n && str_is(k->instr, "constant")) k->kind = PLAN_CONSTANT;
    }
    s->n = 0;
}

static void item_type(struct plan_log *r, struct str *s)
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
static void would_exceed(struct plan_log *r, struct str *s)
{
    struct str at = *s;
    int64_t n, limit;
    bool rounded;
    if (!size(&at, &n, &rounded) || !take_lit(&at, ") would exceed memory (size=") ||
        !size(&at, &limit, &rounded))
        return;
    plan_log_begin(r);
    size_t where = str_find(at, STR("space=")), what = str_find(at, STR("shape = '")),
           tag = str_find(at, STR("output of ")), end = str_find(at, STR("] :: "));
    struct str name = where == SIZE_MAX ? str_n(NULL, 0) : str_from(at, where + 6);
    struct plan_space *m = plan_log_space(r, word(&name));
    m->temp = n;
    m->limit = limit;
    struct plan_peak *k = plan_log_row(r);
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

static void scoped_allocation(struct plan_log *r, struct str *s) /* "18.00M and limit 16.00M exceeded ..." */
{
    int64_t n, limit;
    bool rounded, ignored;
    struct str at = *s;
    if (!size(&at, &n, &rounded) || !take_lit(&at, " and limit ") || !size(&at, &limit, &ignored)) return;
    if (!r->p || !r->unsized) {
        plan_log_begin(r);
        size_t where = str_find(near(at), STR("exceeded scoped "));
        struct str name = where == SIZE_MAX ? str_n(NULL, 0) : str_from(at, where + 16);
        plan_log_space(r, word(&name));
        plan_log_row(r)->kind = PLAN_SCOPED;
    }
    struct plan_space *m = plan_log_here(r);
    m->temp = last(r)->size = n;
    m->limit = limit;
    last(r)->rounded = rounded;
    r->unsized = false;
    *s = at;
}

const struct plan_log_key plan_log_keys[] = {
    {"Ran out of memory in memory space ", ran_out_in, true, false},
    {"Ran out of memory on ", ran_out_on, true, false},
    {"Allocation (size=", would_exceed, true, false},
    {"Scoped allocation with size ", scoped_allocation, true, false},
    {"Total ", total_usage, true, false},
    {"BufferAssignment OOM Debugging", oom_debugging, true, false},
    {"BufferAssignment stats:", stats, true, false},
    {"Used ", used, false, false},
    {"Program ", program_needs, false, false},
    {"program ", program, false, false},
    {"arguments ", arguments, false, false},
    {"Output size ", output_size, false, false},
    {"Largest program allocations in ", largest_in, false, false},
    {"HLO module: ", hlo_module, false, false},
    {"parameter allocation:", stat_parameter, false, false},
    {"constant allocation:", stat_constant, false, false},
    {"maybe_live_out allocation:", stat_live_out, false, false},
    {"preallocated temp allocation:", stat_temp, false, false},
    {"total allocation:", stat_total, false, false},
    {"Size: ", item_size, false, true},
    {"Unpadded size: ", item_unpadded, false, true},
    {"Operator: ", item_operator, false, true},
    {"Shape: ", item_shape, false, true},
    {"Entry Parameter Subshape: ", item_subshape, false, true},
    {"XLA label: ", item_label, false, true},
    {"XLA Label: ", item_label, false, true},
    {"Allocation type: ", item_type, false, true},
    {NULL, NULL, false, false},
};
