#include "hlo_tsv.h"
#include "num.h"
#include <stdlib.h>

enum column {
    MODULE,
    PROGRAM_ID,
    COMPUTATION,
    ORDER,
    INSTR,
    OPCODE,
    ASYNC_OP,
    SHAPE,
    LAYOUT,
    PLAN_BYTES,
    OPERANDS,
    CALLS,
    TARGET,
    OP_NAME,
    SOURCE,
    STACK,
    ROOT,
    ENTRY,
    INDEX,
    ALIAS,
    ATTRIBUTES,
    BACKEND_CONFIG,
    COLUMNS
};
static const struct {
    const char *name;
    bool needed;
} column[COLUMNS] = {
    [MODULE] = {"module", false},
    [PROGRAM_ID] = {"program_id", false},
    [COMPUTATION] = {"computation", true},
    [ORDER] = {"order", true},
    [INSTR] = {"instr", true},
    [OPCODE] = {"opcode", true},
    [ASYNC_OP] = {"async_op", false},
    [SHAPE] = {"shape", true},
    [LAYOUT] = {"layout", true},
    [PLAN_BYTES] = {"plan_bytes", false},
    [OPERANDS] = {"operands", true},
    [CALLS] = {"calls", true},
    [TARGET] = {"custom_call_target", false},
    [OP_NAME] = {"op_name", false},
    [SOURCE] = {"source", false},
    [STACK] = {"stack", false},
    [ROOT] = {"root", true},
    [ENTRY] = {"entry", true},
    [INDEX] = {"index", true},
    [ALIAS] = {"alias", false},
    [ATTRIBUTES] = {"attributes", false},
    [BACKEND_CONFIG] = {"backend_config", false},
};

/* A module in the making: its rows as they come. */
struct making {
    struct hlo_module *m;
    struct row {
        struct hlo_instr i;
        struct str operands, calls, alias, stack; /* decoded, to be looked up at the end */
        int64_t order;
    } * row;
    uint32_t nrow, ncomputation;
    size_t cap, computation_cap;
    struct map names, computations, frames; /* "computation TAB instr"; name; "parent TAB frame" */
    struct shape_table shapes;
    struct map stacks;
    uint32_t *stack_frame; /* by stacks */
    size_t frame_cap, stack_cap;
};

struct reader {
    struct tsv *t;
    int col[COLUMNS];
    struct map key; /* "module TAB program_id" -> the latest of that key */
    uint32_t *latest;
    struct making *of;
    size_t n, cap, latest_cap;
    struct buf a, b; /* scratch */
};

bool hlo_is_table(const struct tsv *t)
{
    return tsv_col(t, "computation") >= 0 && tsv_col(t, "opcode") >= 0 && tsv_col(t, "operands") >= 0;
}

/* ---- cells ---- */

static int text(struct reader *r, struct making *m, enum column c, struct str *out, struct err *e)
{
    struct str cell = tsv_str(r->t, r->col[c]);
    *out = (struct str){0};
    if (tsv_none(cell)) return 0;
    r->a.n = 0;
    if (tsv_unescape(&r->a, cell)) return tsv_bad(r->t, r->col[c], "text with known escapes", e);
    *out = str_n(arena_copy(&m->m->arena, r->a.p, r->a.n), r->a.n);
    return 0;
}

static int number(const struct reader *r, enum column c, int64_t *out, struct err *e)
{
    int col = r->col[c];
    *out = -1;
    if (col < 0 || tsv_none(r->t->cell[col]) || tsv_i64(r->t, col, out)) return 0;
    return tsv_bad(r->t, col, "whole number", e);
}

/* The next leaf's layout of "({1,0},-)": "" for `-`. */
static struct str next_layout(struct str *s)
{
    const char *p = s->p, *end = s->p + s->n;
    while (p < end && (*p == '(' || *p == ')' || *p == ',')) p++;
    const char *from = p;
    int depth = 0;
    for (; p < end; p++) {
        if (!depth && (*p == ',' || *p == ')')) break;
        depth += *p == '{';
        depth -= *p == '}';
    }
    *s = str_n(p, (size_t)(end - p));
    return p - from == 1 && *from == '-' ? str_n(from, 0) : str_n(from, (size_t)(p - from));
}

/* Shape and layout are columns of their own: put each leaf's layout behind its dimensions again. */
static int shape(struct reader *r, struct making *m, const struct shape **out, struct err *e)
{
    struct str s = tsv_str(r->t, r->col[SHAPE]), layout = tsv_str(r->t, r->col[LAYOUT]);
    struct err why = {0};
    r->b.n = 0;
    for (size_t i = 0; i < s.n; i++) {
        buf_c(&r->b, s.p[i]);
        if (s.p[i] == ']') buf_str(&r->b, next_layout(&layout));
    }
    const char *p = r->b.p;
    *out = r->b.n ? shape_intern(&m->shapes, &m->m->arena, &p, r->b.p + r->b.n, &why) : NULL;
    return *out ? 0 : tsv_bad(r->t, r->col[SHAPE], "shape", e);
}

static uint32_t computation(struct reader *r, struct making *m, struct str name)
{
    bool fresh;
    uint32_t c = map_put(&m->computations, name, &fresh);
    if (!fresh) return c;
    m->m->computation =
        mem_grow(m->m->computation, &m->computation_cap, (size_t)c + 1, sizeof *m->m->computation);
    m->m->computation[c] = (struct hlo_computation){.root = HLO_NONE};
    m->m->computation[c].name = m->computations.key[c];
    m->m->ncomputation = c + 1;
    int64_t entry = 0;
    tsv_i64(r->t, r->col[ENTRY], &entry);
    if (entry > 0) m->m->entry = c;
    return c;
}

static int add_row(struct reader *r, struct making *m, struct err *e)
{
    struct row x = {.i = {.computation = computation(r, m, tsv_str(r->t, r->col[COMPUTATION]))}};
    struct hlo_instr *i = &x.i;
    int64_t root;
    i->id = -1;
    if (number(r, ORDER, &x.order, e) || number(r, ROOT, &root, e) || number(r, INDEX, &i->number, e) ||
        number(r, PLAN_BYTES, &i->plan_bytes, e) || text(r, m, INSTR, &i->name, e) ||
        text(r, m, OPCODE, &i->opcode, e) || text(r, m, ASYNC_OP, &i->async_op, e) ||
        shape(r, m, &i->shape, e) || text(r, m, OPERANDS, &x.operands, e) || text(r, m, CALLS, &x.calls, e) ||
        text(r, m, TARGET, &i->custom_call_target, e) || text(r, m, OP_NAME, &i->op_name, e) ||
        text(r, m, SOURCE, &i->source_file, e) || text(r, m, STACK, &x.stack, e) ||
        text(r, m, ALIAS, &x.alias, e) || text(r, m, ATTRIBUTES, &i->attributes, e) ||
        text(r, m, BACKEND_CONFIG, &i->backend_config, e))
        return -1;
    i->root = root > 0;
    m->row = mem_grow(m->row, &m->cap, (size_t)m->nrow + 1, sizeof *m->row);
    m->row[m->nrow++] = x;
    return 0;
}

static struct making *new_module(struct reader *r, uint32_t key, struct err *e)
{
    r->of = mem_grow(r->of, &r->cap, r->n + 1, sizeof *r->of);
    struct making *m = &r->of[r->n];
    *m = (struct making){.m = mem_alloc(1, sizeof *m->m)};
    m->m->entry = HLO_NONE;
    m->m->scheduled = true;
    m->m->source_name = r->t->name;
    r->latest[key] = (uint32_t)r->n++;
    if (text(r, m, MODULE, &m->m->name, e)) return NULL;
    m->m->has_id = tsv_u64(r->t, r->col[PROGRAM_ID], &m->m->program_id);
    return m;
}

static bool is_new(struct reader *r, struct making *m)
{
    bool fresh;
    r->a.n = 0;
    buf_str(&r->a, tsv_str(r->t, r->col[COMPUTATION]));
    buf_c(&r->a, '\t');
    buf_str(&r->a, tsv_str(r->t, r->col[INSTR]));
    map_put(&m->names, buf_view(&r->a), &fresh);
    return fresh;
}

static struct making *module_of(struct reader *r, struct err *e)
{
    bool fresh;
    r->a.n = 0;
    buf_str(&r->a, tsv_str(r->t, r->col[MODULE]));
    buf_c(&r->a, '\t');
    buf_str(&r->a, tsv_str(r->t, r->col[PROGRAM_ID]));
    uint32_t key = map_put(&r->key, buf_view(&r->a), &fresh);
    r->latest = mem_grow(r->latest, &r->latest_cap, (size_t)key + 1, sizeof *r->latest);
    struct making *m = fresh ? new_module(r, key, e) : &r->of[r->latest[key]];
    if (!m || is_new(r, m)) return m;
    m = new_module(r, key, e);
    if (m) is_new(r, m);
    return m;
}

/* ---- after the last row ---- */

static int by_place(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    if (a->i.computation != b->i.computation) return a->i.computation < b->i.computation ? -1 : 1;
    return (a->order > b->order) - (a->order < b->order);
}

/* The next piece of a list, up to a comma. */
static struct str piece(struct str *list)
{
    size_t at = str_find(*list, STR(","));
    struct str s = at == SIZE_MAX ? *list : str_n(list->p, at);
    *list = at == SIZE_MAX ? str_n(NULL, 0) : str_from(*list, at + 1);
    return s;
}

static uint32_t pieces(struct str list)
{
    uint32_t n = list.n > 0;
    for (size_t i = 0; i < list.n; i++) n += list.p[i] == ',';
    return n;
}

static enum hlo_role role_of(struct str name)
{
    for (enum hlo_role r = HLO_CALLS; r <= HLO_SCATTER; r++)
        if (str_is(name, hlo_role_name(r))) return r;
    return HLO_CALLS;
}

static void link_calls(struct making *m, struct hlo_instr *i, struct str list)
{
    struct hlo_call *call = arena_alloc(&m->m->arena, pieces(list) + 1, sizeof *call);
    while (list.n) {
        struct str s = piece(&list);
        size_t eq = str_find(s, STR("="));
        if (eq == SIZE_MAX) continue;
        uint32_t c = map_get(&m->computations, str_from(s, eq + 1));
        call[i->ncall++] = (struct hlo_call){role_of(str_n(s.p, eq)), c == MAP_NONE ? HLO_NONE : c};
        m->m->missing += c == MAP_NONE;
    }
    i->call = call;
}

/* Operands are names within the computation; names[] tells where each of its rows went. */
static void link_operands(struct reader *r, struct making *m, struct hlo_instr *i, struct str list,
                          const uint32_t *place)
{
    uint32_t *operand = arena_alloc(&m->m->arena, pieces(list) + 1, sizeof *operand);
    while (list.n) {
        struct str s = piece(&list);
        r->a.n = 0;
        buf_str(&r->a, m->m->computation[i->computation].name);
        buf_c(&r->a, '\t');
        tsv_escape(&r->a, s);
        uint32_t k = map_get(&m->names, buf_view(&r->a));
        operand[i->noperand++] = k < m->nrow ? place[k] : HLO_NONE;
        m->m->missing += k == MAP_NONE;
    }
    i->operand = operand;
}

/* Split "file:line". */
static struct str at_line(struct str s, int64_t *line)
{
    size_t colon = str_rfind(s, ':');
    *line = 0;
    if (colon == SIZE_MAX || num_i64(str_from(s, colon + 1), line)) return s;
    return str_n(s.p, colon);
}

static uint32_t frame(struct making *m, struct str s, uint32_t parent, struct buf *key)
{
    struct hlo_module *h = m->m;
    bool fresh;
    key->n = 0;
    buf_fmt(key, "%u\t", parent);
    buf_str(key, s);
    uint32_t k = map_put(&m->frames, buf_view(key), &fresh) + 1;
    if (!fresh) return k;
    h->frame = mem_grow(h->frame, &m->frame_cap, (size_t)k + 1, sizeof *h->frame);
    size_t blank = str_find(s, STR(" "));
    h->frame[0] = (struct hlo_frame){0};
    h->frame[k] = (struct hlo_frame){.parent = parent};
    h->frame[k].file = at_line(blank == SIZE_MAX ? s : str_n(s.p, blank), &h->frame[k].line);
    if (blank != SIZE_MAX) h->frame[k].function = str_from(s, blank + 1);
    h->nframe = k + 1;
    return k;
}

/* "file:line function < file:line function", innermost first: frames from the other end. */
static uint32_t stack(struct making *m, struct str s, struct buf *key)
{
    bool fresh;
    uint32_t k = map_put(&m->stacks, s, &fresh), parent = 0;
    if (!fresh) return m->stack_frame[k];
    m->stack_frame = mem_grow(m->stack_frame, &m->stack_cap, (size_t)k + 1, sizeof *m->stack_frame);
    for (size_t end = s.n; s.n; s.n = end) {
        size_t from = 0;
        for (size_t i = s.n; i-- > 3 && !from;)
            if (!memcmp(s.p + i - 3, " < ", 3)) from = i;
        parent = frame(m, str_from(s, from), parent, key);
        end = from ? from - 3 : 0;
    }
    return m->stack_frame[k] = parent;
}

/* Output indexes, comma between; a part of a tuple parameter has the index of its output. */
static void link_alias(struct making *m, const struct hlo_instr *i, struct str list, size_t *cap)
{
    struct hlo_module *h = m->m;
    while (list.n) {
        size_t end = str_find(list, STR("}"));
        int64_t v[16], *index;
        if (end == SIZE_MAX) return;
        size_t n = hlo_ints(str_n(list.p, end + 1), v, 16);
        list = str_from(list, end + 1);
        if (n > 16) continue;
        index = arena_alloc(&h->arena, n + 1, sizeof *index);
        memcpy(index, v, n * sizeof *v);
        h->alias = mem_grow(h->alias, cap, (size_t)h->nalias + 1, sizeof *h->alias);
        struct hlo_alias *a = &h->alias[h->nalias++];
        *a = (struct hlo_alias){.output = index, .noutput = (uint32_t)n, .parameter = i->number};
        if (i->shape->type == PRIM_TUPLE) a->param_index = index, a->nparam_index = (uint32_t)n;
    }
}

static void finish(struct reader *r, struct making *m)
{
    struct hlo_module *h = m->m;
    size_t alias_cap = 0;
    uint32_t *place = mem_alloc((size_t)m->nrow + 1, sizeof *place);
    for (uint32_t k = 0; k < m->nrow; k++) m->row[k].i.order = k; /* where its name is */
    if (m->nrow) qsort(m->row, m->nrow, sizeof *m->row, by_place);
    for (uint32_t k = 0; k < m->nrow; k++) place[m->row[k].i.order] = k;
    h->instr = mem_alloc((size_t)m->nrow + 1, sizeof *h->instr);
    h->ninstr = m->nrow;
    for (uint32_t k = 0; k < m->nrow; k++) {
        struct hlo_instr *i = &h->instr[k];
        *i = m->row[k].i;
        struct hlo_computation *c = &h->computation[i->computation];
        if (!c->count++) c->first = k;
        if (i->root) c->root = k, i->root = false; /* hlo_finish says so of the last one */
        i->order = k - c->first;
        i->source_file = at_line(i->source_file, &i->source_line);
        if (m->row[k].stack.n) i->stack_frame = stack(m, m->row[k].stack, &r->b);
        link_operands(r, m, i, m->row[k].operands, place);
        link_calls(m, i, m->row[k].calls);
        if (m->row[k].alias.n) link_alias(m, i, m->row[k].alias, &alias_cap);
    }
    free(place);
    for (uint32_t c = 0; c < h->ncomputation; c++) { /* their names stand in a table that goes */
        struct str *name = &h->computation[c].name;
        *name = str_n(arena_copy(&h->arena, name->p, name->n), name->n);
    }
    hlo_finish(h);
}

static void free_making(struct making *m)
{
    free(m->row);
    free(m->stack_frame);
    map_free(&m->names);
    map_free(&m->computations);
    map_free(&m->frames);
    map_free(&m->stacks);
    shape_table_free(&m->shapes);
}

int hlo_read_table(struct tsv *t, hlo_on_module *on_module, void *ctx, struct err *e)
{
    struct reader r = {.t = t};
    int rc = 0, stop = 0;
    for (int c = 0; c < COLUMNS; c++) {
        r.col[c] = tsv_col(t, column[c].name);
        if (column[c].needed && tsv_need(t, column[c].name, "hlo2tsv", &r.col[c], e)) return -1;
    }
    while (!rc && (rc = tsv_next(t, e)) > 0) {
        struct making *m = module_of(&r, e);
        rc = m ? add_row(&r, m, e) : -1;
    }
    for (size_t k = 0; k < r.n; k++) {
        finish(&r, &r.of[k]);
        free_making(&r.of[k]);
        if (stop)
            hlo_free(r.of[k].m);
        else
            stop = on_module(r.of[k].m, ctx);
    }
    map_free(&r.key);
    free(r.latest);
    free(r.of);
    buf_free(&r.a);
    buf_free(&r.b);
    return rc;
}
