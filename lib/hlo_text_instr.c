/* Instructions of HLO text (spec: HLO text 4.4). */
#include "hlo_text_in.h"

static void add_operand(struct ht_reader *r, struct str name)
{
    uint32_t at = hlo_names_get(&r->scope, r->m->instr, name);
    r->operand = mem_grow(r->operand, &r->cap_operand, r->noperand + 1, sizeof *r->operand);
    r->operand[r->noperand++] = at;
    if (at != HLO_NONE) return;
    r->late = mem_grow(r->late, &r->cap_late, r->nlate + 1, sizeof *r->late);
    r->late[r->nlate++] = (struct ht_late){NULL, name};
}

/* "[shape ][%]name" up to ',' or ')'. */
static int one_operand(struct ht_reader *r)
{
    const char *at, *q;
    struct str name = {r->p, 0};
    while ((r->p = lex_blank(r->p, r->end)) < r->end && *r->p != ',' && *r->p != ')') {
        at = r->p;
        q = lex_name(at, r->end);
        if (*at == '(' || (q < r->end && (*q == '[' || *q == '(')))
            r->p = shape_end(at, r->end);
        else
            name = ht_name(r);
        if (r->p > at) continue;
        q = lex_value(at, r->end); /* "...(+3)" and the like: whatever it is, it is no instruction */
        if (!q || q == at) return ht_bad_at(r, at, "an operand is expected");
        name = str_n(at, (size_t)((r->p = q) - at));
    }
    add_operand(r, name);
    return 0;
}

static int operands(struct ht_reader *r)
{
    r->p = lex_blank(r->p, r->end);
    while (r->p < r->end && *r->p != ')') {
        if (one_operand(r)) return -1;
        if (r->p < r->end && *r->p == ',') r->p = lex_blank(r->p + 1, r->end);
    }
    if (r->p == r->end) return ht_bad_at(r, r->p, "\")\" is expected");
    r->p++;
    return 0;
}

static void called(struct ht_reader *r, enum hlo_role role, struct str v)
{
    const char *p = v.p, *end = v.p + v.n, *q;
    while (p < end) {
        while (p < end && memchr("{}, %\n\t\r", *p, 8)) p++;
        for (q = p; q < end && !memchr("}, \n\t\r", *q, 6);) q++;
        if (q == p) break;
        r->call = mem_grow(r->call, &r->cap_call, r->ncall + 1, sizeof *r->call);
        r->call[r->ncall++] = (struct hlo_call){role, ht_computation(r, str_n(p, (size_t)(q - p)))};
        p = q;
    }
}

static void metadata(struct ht_reader *r, struct hlo_instr *i, struct str v)
{
    struct str key, value;
    if (v.n >= 2 && v.p[0] == '{') v = str_n(v.p + 1, v.n - 2);
    i->metadata = v;
    for (const char *p = v.p; lex_field(&p, v.p + v.n, &key, &value) > 0;) {
        const char *end = value.p + value.n;
        if (str_is(key, "op_name"))
            i->op_name = ht_text(r, value);
        else if (str_is(key, "source_file"))
            i->source_file = ht_text(r, value);
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
static void attribute(struct ht_reader *r, struct hlo_instr *i, struct str key, struct str v)
{
    for (size_t k = 0; k < sizeof calls / sizeof *calls; k++)
        if (str_eq(key, calls[k].key)) {
            called(r, calls[k].role, v);
            return;
        }
    if (str_is(key, "custom_call_target"))
        i->custom_call_target = ht_text(r, v);
    else if (str_is(key, "index"))
        lex_int(v.p, v.p + v.n, &i->number);
}

/* Attribute text is a view as long as all of it stands in one place; what follows metadata goes to `more`. */
static void keep(struct ht_reader *r, struct hlo_instr *i, const char *from, const char *to, bool split)
{
    if (split) {
        if (i->attributes.n || r->more.n) buf_puts(&r->more, ", ");
        buf_put(&r->more, from, (size_t)(to - from));
    } else {
        if (!i->attributes.n) i->attributes.p = from;
        i->attributes.n = (size_t)(to - i->attributes.p);
    }
}

static void join(struct ht_reader *r, struct hlo_instr *i)
{
    if (!r->more.n) return;
    char *p = arena_alloc(&r->m->arena, i->attributes.n + r->more.n, 1);
    if (i->attributes.n) memcpy(p, i->attributes.p, i->attributes.n);
    memcpy(p + i->attributes.n, r->more.p, r->more.n);
    i->attributes = str_n(p, i->attributes.n + r->more.n);
}

/* Behind a value: does the instruction go on?  r->p moves to what is next. */
static bool goes_on(struct ht_reader *r)
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

static int attributes(struct ht_reader *r, struct hlo_instr *i)
{
    bool split = false; /* metadata or backend_config has been passed */
    r->more.n = 0;
    while (goes_on(r)) {
        const char *from = r->p, *name = lex_name(from, r->end), *to = lex_value(from, r->end);
        if (!to) return ht_never_ends(r, from);
        if (to == from) return ht_bad_at(r, from, "an attribute is expected");
        r->p = to;
        while (to > from && memchr(" \t\r", to[-1], 3)) to--;
        struct str key = str_n(from, (size_t)(name - from)), v = {to, 0};
        if (name < to && *name == '=') v = str_trim(str_n(name + 1, (size_t)(to - name - 1)));
        if (str_is(key, "metadata"))
            split = true, metadata(r, i, v);
        else if (str_is(key, "backend_config"))
            split = true, i->backend_config = ht_text(r, v);
        else {
            attribute(r, i, key, v);
            keep(r, i, from, to, split);
        }
    }
    join(r, i);
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

static int arguments(struct ht_reader *r, struct hlo_instr *i)
{
    if (!str_is(i->opcode, "constant") && !str_is(i->opcode, "parameter")) return operands(r);
    const char *q = lex_close(r->p, r->end);
    if (!q) return ht_never_ends(r, r->p);
    i->literal = str_n(r->p, (size_t)(q - r->p));
    if (i->opcode.p[0] == 'p') {
        const char *n = lex_blank(r->p, q);
        if (lex_int(n, q, &i->number) == n || i->number < 0)
            return ht_bad_at(r, r->p, "a parameter number is expected");
        i->literal.n = 0;
    }
    r->p = q + 1;
    return 0;
}

static uint32_t *copy_operands(struct ht_reader *r)
{
    uint32_t *v = arena_alloc(&r->m->arena, r->noperand, sizeof *v);
    size_t late = r->nlate;
    if (r->noperand) memcpy(v, r->operand, r->noperand * sizeof *v);
    for (size_t k = r->noperand; k--;) /* the last ones noted are these */
        if (v[k] == HLO_NONE) r->late[--late].operand = &v[k];
    return v;
}

static struct hlo_call *copy_calls(struct ht_reader *r)
{
    struct hlo_call *v = arena_alloc(&r->m->arena, r->ncall, sizeof *v);
    if (r->ncall) memcpy(v, r->call, r->ncall * sizeof *v);
    return v;
}

/* "[ROOT ][%]name = shape opcode(": r->p behind the parenthesis. */
static int head(struct ht_reader *r, struct hlo_instr *i)
{
    const char *from = r->p;
    struct err why = {0}; /* our own words are nearer to the text */
    if (lex_word_is(r->p, r->end, "ROOT")) i->root = true, r->p = lex_blank(r->p + 4, r->end);
    i->name = ht_name(r);
    r->p = lex_blank(r->p, r->end);
    if (!i->name.n || r->p == r->end || *r->p != '=')
        return ht_bad_at(r, from, "\"name = shape opcode(\" is expected");
    r->p = lex_blank(r->p + 1, r->end);
    i->shape = shape_intern(&r->shapes, &r->m->arena, &r->p, r->end, &why);
    if (!i->shape) return ht_bad_at(r, r->p, "a shape is expected");
    const char *op = r->p = lex_blank(r->p, r->end);
    r->p = lex_name(r->p, r->end);
    i->opcode = str_n(op, (size_t)(r->p - op));
    if (!i->opcode.n || r->p == r->end || *r->p != '(') return ht_bad_at(r, op, "\"opcode(\" is expected");
    r->p++;
    return 0;
}

static int whole(struct ht_reader *r, struct hlo_instr *i)
{
    const char *from = r->p;
    if (head(r, i) || arguments(r, i) || attributes(r, i)) return -1;
    if (r->p == r->end && !r->loose) return ht_never_ends(r, from); /* it may have been longer */
    if (r->m->ninstr == HLO_NONE - 1) return ht_bad_at(r, from, "fewer than 2^32 instructions are expected");
    return 0;
}

int ht_instruction(struct ht_reader *r, struct hlo_computation *c)
{
    struct hlo_module *m = r->m;
    size_t nlate = r->nlate;
    r->noperand = r->ncall = 0;
    m->instr = mem_grow(m->instr, &r->cap_instr, (size_t)m->ninstr + 1, sizeof *m->instr);
    struct hlo_instr *i = &m->instr[m->ninstr];
    *i = (struct hlo_instr){.id = -1, .number = -1, .plan_bytes = -1};
    i->computation = (uint32_t)(c - m->computation);
    i->order = c->count;
    if (whole(r, i)) return r->nlate = nlate, -1;
    desugar(i);
    i->operand = copy_operands(r);
    i->noperand = (uint32_t)r->noperand;
    i->call = copy_calls(r);
    i->ncall = (uint32_t)r->ncall;
    if (i->root) c->root = m->ninstr, i->root = false; /* hlo_finish says so of the last one */
    c->count++;
    hlo_names_set(&r->scope, m->instr, m->ninstr++, true);
    return 0;
}

void ht_late_operands(struct ht_reader *r)
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
