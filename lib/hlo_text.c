/* HLO text to a module (spec: HLO text 4.2-4.5), all print modes, in one pass.
 *
 * Brackets, not lines, carry the structure: an instruction ends at a line end outside brackets and quotes
 * that no comma stands before or behind; a computation at an unmatched '}'.  Names that are used before they
 * are there (operands, computations) are noted and looked up once their scope is complete. */
#include "hlo.h"
#include "hlo_frames.h"
#include "kind.h"
#include "lex.h"
#include <stdlib.h>

struct late { /* an operand that had not been seen when it was named */
    uint32_t *operand;
    struct str name;
};

struct reader {
    const char *p, *end, *from;
    const char *file;
    struct err *e;
    struct hlo_module *m;
    size_t cap_instr, cap_computation;
    uint32_t *operand; /* scratch: those of the current instruction */
    size_t noperand, cap_operand;
    struct hlo_call *call; /* scratch likewise; computation: index into `names` until the end */
    size_t ncall, cap_call;
    struct late *late;
    size_t nlate, cap_late;
    struct hlo_names scope; /* instructions of the current computation */
    struct shape_table shapes;
    struct map names;  /* of computations, as they are named or defined */
    uint32_t *defined; /* names' index -> computation, HLO_NONE */
    size_t cap_defined;
    struct hlo_frames frames;
    struct str lost, lost_at; /* the first name that is never defined; where in the text */
    bool header;              /* "HloModule" was there */
    uint32_t loose; /* one more than the computation that instructions outside any are put in; 0: none */
};

/* ---- errors, names, unescaped text ---- */

static uint64_t line_of(const struct reader *r, const char *at)
{
    uint64_t line = 1;
    for (const char *p = r->from; p < at && (p = memchr(p, '\n', (size_t)(at - p))); p++) line++;
    return line;
}

/* The first bytes of what stands there, for a message. */
static const char *quoted(const struct reader *r, const char *at, char out[200])
{
    size_t n = (size_t)(r->end - at);
    const char *eol = n ? memchr(at, '\n', n < 60 ? n : 60) : NULL;
    return err_quote(out, at, eol ? (size_t)(eol - at) : n < 60 ? n : 60);
}

static int bad_at(struct reader *r, const char *at, const char *expected)
{
    char q[200];
    if (at >= r->end || r->p >= r->end)
        return err_line(r->e, r->file, line_of(r, r->end), "the file ends where %s", expected);
    return err_line(r->e, r->file, line_of(r, at), "%s, not %s", expected, quoted(r, at, q));
}

/* Something that begins at `at` has no end. */
static int never_ends(struct reader *r, const char *at)
{
    char q[200];
    return err_line(r->e, r->file, line_of(r, at), "the file ends inside what begins here: %s",
                    quoted(r, at, q));
}

static struct str unescaped(struct reader *r, struct str s)
{
    struct buf b = {0};
    if (!s.n || !memchr(s.p, '\\', s.n)) return s;
    lex_unescape(&b, s);
    struct str copy = str_n(arena_copy(&r->m->arena, b.p, b.n), b.n);
    buf_free(&b);
    return copy;
}

/* A value in quotes without them, unescaped; any other as it stands. */
static struct str text_of(struct reader *r, struct str v)
{
    if (v.n < 2 || v.p[0] != '"' || v.p[v.n - 1] != '"') return v;
    return unescaped(r, str_n(v.p + 1, v.n - 2));
}

/* A name, with or without '%': with it anything but what ends a token. */
static struct str take_name(struct reader *r)
{
    const char *from = r->p;
    if (r->p < r->end && *r->p == '%') {
        from = ++r->p;
        while ((r->p = lex_name(r->p, r->end)) < r->end && !memchr(" ,()={}\t\r\n", *r->p, 10)) r->p++;
    } else
        r->p = lex_name(r->p, r->end);
    return str_n(from, (size_t)(r->p - from));
}

static uint32_t name_of_computation(struct reader *r, struct str name)
{
    bool fresh;
    uint32_t i = map_put(&r->names, name, &fresh);
    if (fresh) {
        r->defined = mem_grow(r->defined, &r->cap_defined, (size_t)i + 1, sizeof *r->defined);
        r->defined[i] = HLO_NONE;
    }
    return i;
}

/* ---- one instruction ---- */

static void add_operand(struct reader *r, struct str name)
{
    uint32_t at = hlo_names_get(&r->scope, r->m->instr, name);
    r->operand = mem_grow(r->operand, &r->cap_operand, r->noperand + 1, sizeof *r->operand);
    r->operand[r->noperand++] = at;
    if (at != HLO_NONE) return;
    r->late = mem_grow(r->late, &r->cap_late, r->nlate + 1, sizeof *r->late);
    r->late[r->nlate++] = (struct late){NULL, name};
}

/* "[shape ][%]name" up to ',' or ')'. */
static int one_operand(struct reader *r)
{
    const char *at, *q;
    struct str name = {r->p, 0};
    while ((r->p = lex_blank(r->p, r->end)) < r->end && *r->p != ',' && *r->p != ')') {
        at = r->p;
        q = lex_name(at, r->end);
        if (*at == '(' || (q < r->end && (*q == '[' || *q == '(')))
            r->p = shape_end(at, r->end);
        else
            name = take_name(r);
        if (r->p > at) continue;
        q = lex_value(at, r->end); /* "...(+3)" and the like: whatever it is, it is no instruction */
        if (!q || q == at) return bad_at(r, at, "an operand is expected");
        name = str_n(at, (size_t)((r->p = q) - at));
    }
    add_operand(r, name);
    return 0;
}

static int operands(struct reader *r)
{
    r->p = lex_blank(r->p, r->end);
    while (r->p < r->end && *r->p != ')') {
        if (one_operand(r)) return -1;
        if (r->p < r->end && *r->p == ',') r->p = lex_blank(r->p + 1, r->end);
    }
    if (r->p == r->end) return bad_at(r, r->p, "\")\" is expected");
    r->p++;
    return 0;
}

static void called(struct reader *r, enum hlo_role role, struct str v)
{
    const char *p = v.p, *end = v.p + v.n, *q;
    while (p < end) {
        while (p < end && memchr("{}, %\n\t\r", *p, 8)) p++;
        for (q = p; q < end && !memchr("}, \n\t\r", *q, 6);) q++;
        if (q == p) break;
        r->call = mem_grow(r->call, &r->cap_call, r->ncall + 1, sizeof *r->call);
        r->call[r->ncall++] = (struct hlo_call){role, name_of_computation(r, str_n(p, (size_t)(q - p)))};
        p = q;
    }
}

static void metadata(struct reader *r, struct hlo_instr *i, struct str v)
{
    struct str key, value;
    if (v.n >= 2 && v.p[0] == '{') v = str_n(v.p + 1, v.n - 2);
    i->metadata = v;
    for (const char *p = v.p; lex_field(&p, v.p + v.n, &key, &value) > 0;) {
        const char *end = value.p + value.n;
        if (str_is(key, "op_name"))
            i->op_name = text_of(r, value);
        else if (str_is(key, "source_file"))
            i->source_file = text_of(r, value);
        else if (str_is(key, "source_line"))
            lex_int(value.p, end, &i->source_line);
        else if (str_is(key, "stack_frame_id"))
            lex_int(value.p, end, &i->stack_frame);
    }
}

static const struct {
    struct str key;
    enum hlo_role role;
} calls[] = {
    {STR("calls"), HLO_CALLS},
    {STR("to_apply"), HLO_TO_APPLY},
    {STR("condition"), HLO_CONDITION},
    {STR("body"), HLO_BODY},
    {STR("true_computation"), HLO_TRUE},
    {STR("false_computation"), HLO_FALSE},
    {STR("branch_computations"), HLO_BRANCH},
    {STR("called_computations"), HLO_CALLS},
    {STR("select"), HLO_SELECT},
    {STR("scatter"), HLO_SCATTER},
};

/* What of an attribute the model has a place for. */
static void attribute(struct reader *r, struct hlo_instr *i, struct str key, struct str v)
{
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        if (str_eq(key, calls[k].key)) {
            called(r, calls[k].role, v);
            return;
        }
    if (str_is(key, "custom_call_target"))
        i->custom_call_target = text_of(r, v);
    else if (str_is(key, "index"))
        lex_int(v.p, v.p + v.n, &i->number);
}

/* Keep [from, to) as attribute text.  It is a view as long as all of it stands in one place. */
static void keep(struct reader *r, struct hlo_instr *i, const char *from, const char *to, bool split)
{
    if (!i->attributes.n)
        i->attributes = str_n(from, (size_t)(to - from));
    else if (!split)
        i->attributes.n = (size_t)(to - i->attributes.p);
    else {
        size_t n = i->attributes.n + 2 + (size_t)(to - from);
        char *p = arena_alloc(&r->m->arena, n, 1);
        memcpy(p, i->attributes.p, i->attributes.n);
        memcpy(p + i->attributes.n, ", ", 2);
        memcpy(p + i->attributes.n + 2, from, (size_t)(to - from));
        i->attributes = str_n(p, n);
    }
}

/* Behind a value: does the instruction go on?  r->p moves to what is next. */
static bool goes_on(struct reader *r)
{
    r->p = lex_spaces(r->p, r->end);
    if (r->p < r->end && *r->p == '\n') {
        const char *next = lex_blank(r->p, r->end);
        if (next == r->end || *next != ',') return false;
        r->p = next;
    }
    if (r->p == r->end || *r->p == '}') return false;
    if (*r->p == ',') r->p = lex_blank(r->p + 1, r->end);
    return r->p < r->end;
}

static int attributes(struct reader *r, struct hlo_instr *i)
{
    bool split = false; /* metadata or backend_config has been passed */
    while (goes_on(r)) {
        const char *from = r->p, *name = lex_name(from, r->end), *to = lex_value(from, r->end);
        if (!to) return never_ends(r, from);
        if (to == from) return bad_at(r, from, "an attribute is expected");
        r->p = to;
        while (to > from && memchr(" \t\r", to[-1], 3)) to--;
        struct str key = str_n(from, (size_t)(name - from)), v = {to, 0};
        if (name < to && *name == '=') v = str_trim(str_n(name + 1, (size_t)(to - name - 1)));
        if (str_is(key, "metadata"))
            split = true, metadata(r, i, v);
        else if (str_is(key, "backend_config"))
            split = true, i->backend_config = text_of(r, v);
        else {
            attribute(r, i, key, v);
            keep(r, i, from, to, split);
        }
    }
    return 0;
}

/* Sugar: "slice-start" is an async-start that wraps a slice, unless the opcode itself ends so. */
static void desugar(struct hlo_instr *i)
{
    static const struct str own[] = {STR("all-gather"), STR("all-reduce"), STR("collective-permute"),
                                     STR("copy"),       STR("send"),       STR("recv"),
                                     STR("async")};
    static const struct {
        struct str tail, is;
    } form[] = {{STR("-start"), STR("async-start")},
                {STR("-update"), STR("async-update")},
                {STR("-done"), STR("async-done")}};
    for (size_t k = 0; k < 3; k++) {
        size_t tail = form[k].tail.n;
        if (i->opcode.n <= tail || !str_eq(str_from(i->opcode, i->opcode.n - tail), form[k].tail)) continue;
        struct str op = str_n(i->opcode.p, i->opcode.n - tail);
        for (size_t o = 0; o < sizeof own / sizeof *own; o++)
            if (str_eq(op, own[o])) return;
        i->async_op = op;
        i->opcode = form[k].is;
        i->sugared = true;
    }
}

static int arguments(struct reader *r, struct hlo_instr *i)
{
    if (!str_is(i->opcode, "constant") && !str_is(i->opcode, "parameter")) return operands(r);
    const char *q = lex_close(r->p, r->end);
    if (!q) return never_ends(r, r->p);
    i->literal = str_n(r->p, (size_t)(q - r->p));
    if (i->opcode.p[0] == 'p') {
        const char *n = lex_blank(r->p, q);
        if (lex_int(n, q, &i->number) == n || i->number < 0)
            return bad_at(r, r->p, "a parameter number is expected");
        i->literal.n = 0;
    }
    r->p = q + 1;
    return 0;
}

static uint32_t *copy_operands(struct reader *r)
{
    uint32_t *v = arena_alloc(&r->m->arena, r->noperand, sizeof *v);
    size_t late = r->nlate;
    if (r->noperand) memcpy(v, r->operand, r->noperand * sizeof *v);
    for (size_t k = r->noperand; k--;) /* the last ones noted are these */
        if (v[k] == HLO_NONE) r->late[--late].operand = &v[k];
    return v;
}

/* "[ROOT ][%]name = shape opcode(operands), attributes": 0, or -1 and nothing is kept. */
static int instruction(struct reader *r, struct hlo_computation *c)
{
    struct hlo_module *m = r->m;
    const char *from = r->p;
    struct hlo_instr i = {.id = -1, .number = -1, .plan_bytes = -1};
    size_t nlate = r->nlate;
    r->noperand = r->ncall = 0;
    i.computation = (uint32_t)(c - m->computation);
    i.order = c->count;
    if (lex_word_is(r->p, r->end, "ROOT")) i.root = true, r->p = lex_blank(r->p + 4, r->end);
    i.name = take_name(r);
    r->p = lex_blank(r->p, r->end);
    if (!i.name.n || r->p == r->end || *r->p != '=')
        return bad_at(r, from, "\"name = shape opcode(\" is expected");
    r->p = lex_blank(r->p + 1, r->end);
    struct err why = {0};
    i.shape = shape_intern(&r->shapes, &m->arena, &r->p, r->end, &why);
    if (!i.shape) return bad_at(r, r->p, "a shape is expected");
    r->p = lex_blank(r->p, r->end);
    const char *op = r->p;
    r->p = lex_name(r->p, r->end);
    i.opcode = str_n(op, (size_t)(r->p - op));
    if (!i.opcode.n || r->p == r->end || *r->p != '(') return bad_at(r, op, "\"opcode(\" is expected");
    r->p++;
    if (arguments(r, &i) || attributes(r, &i)) return r->nlate = nlate, -1;
    if (r->p == r->end && !r->loose) return r->nlate = nlate, never_ends(r, from);
    desugar(&i);
    i.operand = copy_operands(r);
    i.noperand = (uint32_t)r->noperand;
    struct hlo_call *call = arena_alloc(&m->arena, r->ncall, sizeof *call);
    if (r->ncall) memcpy(call, r->call, r->ncall * sizeof *call);
    i.call = call;
    i.ncall = (uint32_t)r->ncall;
    if (m->ninstr == HLO_NONE - 1) return bad_at(r, from, "fewer than 2^32 instructions are expected");
    m->instr = mem_grow(m->instr, &r->cap_instr, (size_t)m->ninstr + 1, sizeof *m->instr);
    if (i.root) c->root = m->ninstr;
    m->instr[m->ninstr] = i;
    hlo_names_set(&r->scope, m->instr, m->ninstr++, true);
    c->count++;
    return 0;
}

/* ---- computations ---- */

/* Look up the operands of a complete computation that came late. */
static void late_operands(struct reader *r)
{
    for (size_t k = 0; k < r->nlate; k++) {
        uint32_t at = hlo_names_get(&r->scope, r->m->instr, r->late[k].name);
        if (at != HLO_NONE)
            *r->late[k].operand = at;
        else {
            r->m->missing++;
            if (!r->lost.p) r->lost = r->lost_at = r->late[k].name;
        }
    }
    r->nlate = 0;
}

static struct hlo_computation *new_computation(struct reader *r, struct str name)
{
    struct hlo_module *m = r->m;
    m->computation =
        mem_grow(m->computation, &r->cap_computation, (size_t)m->ncomputation + 1, sizeof *m->computation);
    struct hlo_computation *c = &m->computation[m->ncomputation];
    *c = (struct hlo_computation){.name = name, .first = m->ninstr, .root = HLO_NONE};
    uint32_t at = name_of_computation(r, name);
    r->defined[at] = m->ncomputation++;
    late_operands(r);
    hlo_names_clear(&r->scope);
    return c;
}

/* Behind the '{': instructions up to the unmatched '}'. */
static int body(struct reader *r)
{
    struct hlo_computation *c = &r->m->computation[r->m->ncomputation - 1];
    int rc = 0;
    for (;;) {
        r->p = lex_blank(r->p, r->end);
        if (r->p == r->end)
            rc = bad_at(r, r->p, "\"}\" or an instruction is expected");
        else if (*r->p != '}')
            rc = instruction(r, c);
        else
            break;
        if (rc) break;
    }
    late_operands(r);
    if (rc) return rc;
    r->p = lex_spaces(r->p + 1, r->end);
    while (r->p < r->end && *r->p == ',') { /* }, execution_thread="sparsecore" */
        const char *key = lex_spaces(r->p + 1, r->end), *name = lex_name(key, r->end),
                   *to = lex_value(key, r->end);
        if (!to || to == key) return bad_at(r, key, "an attribute of the computation is expected");
        if (lex_word_is(key, r->end, "execution_thread") && *name == '=')
            c->execution_thread = text_of(r, str_trim(str_n(name + 1, (size_t)(to - name - 1))));
        r->p = to;
    }
    return 0;
}

/* "[ENTRY ][%]name [(p: shape, ...) -> shape ]{" */
static int computation(struct reader *r)
{
    bool entry = lex_word_is(r->p, r->end, "ENTRY");
    const char *from = r->p;
    if (entry) r->p = lex_blank(r->p + 5, r->end);
    struct str name = take_name(r);
    r->p = lex_blank(r->p, r->end);
    if (r->p < r->end && *r->p == '(') {
        const char *q = lex_close(r->p + 1, r->end);
        r->p = q ? lex_blank(q + 1, r->end) : r->end;
    }
    if (r->end - r->p > 2 && r->p[0] == '-' && r->p[1] == '>') {
        r->p = lex_blank(r->p + 2, r->end);
        r->p = lex_blank(shape_end(r->p, r->end), r->end);
    }
    if (r->p == r->end || *r->p != '{') return bad_at(r, from, "a computation or a line of HLO is expected");
    r->p++;
    struct hlo_computation *c = new_computation(r, name);
    c->entry = entry;
    if (entry) r->m->entry = r->m->ncomputation - 1;
    return body(r);
}

/* Instructions that stand in no computation: a piece somebody cut out. */
static int loose(struct reader *r)
{
    if (!r->loose || r->loose != r->m->ncomputation) {
        new_computation(r, STR(""));
        r->loose = r->m->ncomputation;
    }
    return instruction(r, &r->m->computation[r->m->ncomputation - 1]);
}

/* ---- the module line ---- */

/* "{1,0}" at p: its numbers into the arena; behind it, or NULL. */
static const char *index_of(struct reader *r, const char *p, const char *end, const int64_t **v, uint32_t *n)
{
    const char *close;
    p = lex_blank(p, end);
    if (p == end || *p != '{' || !(close = lex_close(p + 1, end))) return NULL;
    struct str text = str_n(p + 1, (size_t)(close - p - 1));
    size_t max = text.n / 2 + 1;
    int64_t *list = arena_alloc(&r->m->arena, max, sizeof *list);
    *n = (uint32_t)hlo_ints(text, list, max);
    *v = list;
    return close + 1;
}

/* "{ {0}: (3, {}, may-alias), ... }" */
static int aliases(struct reader *r, struct str v)
{
    struct hlo_module *m = r->m;
    const char *p = v.p + 1, *end = v.p + v.n - 1;
    size_t cap = 0;
    if (v.n < 2 || v.p[0] != '{') return bad_at(r, v.p, "input_output_alias={...} is expected");
    while ((p = lex_blank(p, end)) < end) {
        struct hlo_alias a = {.parameter = -1};
        const char *q = index_of(r, p, end, &a.output, &a.noutput), *close;
        if (!q || (q = lex_blank(q, end)) == end || *q != ':' || (q = lex_blank(q + 1, end)) == end ||
            *q != '(' || !(close = lex_close(q + 1, end)))
            return bad_at(r, p, "\"{output}: (parameter, {index}, kind)\" is expected");
        q = lex_int(lex_blank(q + 1, close), close, &a.parameter);
        const char *brace = memchr(q, '{', (size_t)(close - q));
        if (brace) brace = index_of(r, brace, close, &a.param_index, &a.nparam_index);
        a.must = brace && str_has(str_n(brace, (size_t)(close - brace)), "must");
        m->alias = mem_grow(m->alias, &cap, (size_t)m->nalias + 1, sizeof *m->alias);
        m->alias[m->nalias++] = a;
        p = lex_blank(close + 1, end);
        if (p < end && *p == ',') p++;
    }
    return 0;
}

static int module_line(struct reader *r)
{
    r->p = lex_blank(r->p + strlen("HloModule"), r->end);
    r->header = true;
    const char *from = r->p;
    while (r->p < r->end && *r->p != ',' && *r->p != '\n') r->p++;
    r->m->name = str_trim(str_n(from, (size_t)(r->p - from)));
    from = r->p;
    while (r->p < r->end && *r->p == ',') {
        const char *key = lex_blank(r->p + 1, r->end), *name = lex_name(key, r->end),
                   *to = lex_value(key, r->end);
        if (!to || to == key || name == r->end)
            return bad_at(r, key, "key=value of the module line is expected");
        struct str v = str_trim(str_n(name + 1, to > name ? (size_t)(to - name - 1) : 0));
        if (lex_word_is(key, r->end, "is_scheduled")) r->m->scheduled = str_is(v, "true");
        if (lex_word_is(key, r->end, "input_output_alias") && aliases(r, v)) return -1;
        r->p = to;
    }
    const char *at = lex_spaces(from + (from < r->p && *from == ','), r->p);
    r->m->header = str_trim(str_n(at, (size_t)(r->p - at)));
    return 0;
}

/* ---- the whole ---- */

static bool is_loose(const struct reader *r)
{
    struct reader look = *r;
    if (lex_word_is(look.p, look.end, "ROOT")) return true;
    if (!take_name(&look).n) return false;
    look.p = lex_spaces(look.p, look.end);
    return look.p < look.end && *look.p == '=';
}

static int top_level(struct reader *r)
{
    for (r->p = lex_blank(r->p, r->end); r->p < r->end; r->p = lex_blank(r->p, r->end)) {
        int rc = 1;
        if (lex_word_is(r->p, r->end, "HloModule")) {
            if (r->header || r->m->ncomputation) break; /* the next module's */
            rc = module_line(r);
        } else if ((rc = hlo_frames_table(&r->frames, &r->p, r->end)) < 0)
            rc = bad_at(r, r->p, "a row \"ID ...\" of this table is expected");
        else if (!rc)
            rc = is_loose(r) ? loose(r) : computation(r);
        if (rc < 0) return -1;
    }
    return 0;
}

/* Names of computations to computations; a call of one that is not there is dropped from the instruction. */
static void resolve_calls(struct reader *r)
{
    struct hlo_module *m = r->m;
    for (uint32_t k = 0; k < m->ninstr; k++) {
        struct hlo_call *call = (struct hlo_call *)m->instr[k].call; /* ours: made in instruction() */
        for (uint32_t c = 0; c < m->instr[k].ncall; c++) {
            uint32_t name = call[c].computation;
            call[c].computation = r->defined[name];
            if (call[c].computation != HLO_NONE) continue;
            m->missing++;
            if (!r->lost.p) r->lost = r->names.key[name], r->lost_at = m->instr[k].name;
        }
    }
}

static int finish(struct reader *r, int rc)
{
    struct hlo_module *m = r->m;
    char q[200];
    late_operands(r);
    resolve_calls(r);
    hlo_frames_resolve(&r->frames, m);
    hlo_finish(m);
    m->taken = (size_t)(r->p - r->from);
    if (!rc && r->header && !m->ncomputation) rc = bad_at(r, r->p, "a computation is expected");
    if (!rc && r->header && m->missing)
        rc = err_line(r->e, r->file, line_of(r, r->lost_at.p), "%s is named here but is not in the module",
                      err_quote(q, r->lost.p, r->lost.n));
    m->cut = rc;
    free(r->operand);
    free(r->call);
    free(r->late);
    free(r->defined);
    hlo_names_free(&r->scope);
    map_free(&r->names);
    shape_table_free(&r->shapes);
    hlo_frames_free(&r->frames);
    return rc;
}

int hlo_read_text(const char *p, size_t n, const char *file, struct hlo_module **out, struct err *e)
{
    struct err why = {0};
    struct reader r = {.p = p, .end = p + n, .from = p, .file = file, .e = &why};
    r.m = mem_alloc(1, sizeof *r.m);
    r.m->entry = HLO_NONE;
    r.m->source_name = file;
    int rc = finish(&r, top_level(&r));
    *out = r.m;
    if (!r.m->ncomputation) {
        enum kind kind = kind_of(p, n);
        hlo_free(r.m);
        *out = NULL;
        if (!rc || (kind != KIND_HLO_TEXT && kind != KIND_TEXT))
            return err_set(e, file, "this is %s", kind_says(kind));
    }
    if (rc && !e->text[0]) *e = why;
    return rc;
}

int hlo_read_texts(const char *p, size_t n, const char *file, hlo_on_module *on_module, void *ctx,
                   struct err *e)
{
    const char *from = p, *end = p + n;
    uint64_t lines = 0;
    int rc = 0, stop = 0;
    while (!rc && !stop && (from == p || p < end)) {
        struct hlo_module *m;
        struct err mine = {0};
        const char *at = p;
        rc = hlo_read_text(p, (size_t)(end - p), file, &m, &mine);
        if (rc && mine.unit == ERR_LINE) mine.at += lines;
        if (rc && !e->text[0]) *e = mine;
        if (!m) break;
        p += m->taken;
        while (!rc && at < p && (at = memchr(at, '\n', (size_t)(p - at)))) at++, lines++;
        stop = on_module(m, ctx);
        if (p == from) break;
    }
    return rc;
}
