/* A module's cost: computations callees first, instructions operands first, sums in float32 in XLA's order
 * (spec: cost 5.1).  All walks keep their own stacks. */
#include "cost_in.h"
#include <stdlib.h>

const struct comp *cost_callee(const struct costing *c, const struct hlo_instr *i, enum hlo_role role)
{
    uint32_t k = hlo_called(i, role);
    return k < c->m->ncomputation && c->comp[k].state == COMP_DONE ? &c->comp[k] : NULL;
}

uint32_t cost_parameter(const struct costing *c, uint32_t computation, int64_t number)
{
    if (computation >= c->m->ncomputation) return HLO_NONE;
    const struct hlo_computation *f = &c->m->computation[computation];
    return number >= 0 && number < f->count ? c->parameter[f->first + number] : HLO_NONE;
}

/* ---- orders ---- */

struct frame { /* of a depth-first walk: a node and its next edge */
    uint32_t node, edge;
};

struct stack {
    struct frame *f;
    size_t n, cap;
};

static void push(struct stack *s, uint32_t node)
{
    s->f = mem_grow(s->f, &s->cap, s->n + 1, sizeof *s->f);
    s->f[s->n++] = (struct frame){node, 0};
}

/* What `from` needs, behind what is already in post[0..*n): operands left to right, each before its users. */
static void post_order_from(const struct costing *c, const struct hlo_computation *f, uint32_t from,
                            bool *seen, struct stack *s, uint32_t *post, uint32_t *n)
{
    if (seen[from - f->first]) return;
    seen[from - f->first] = true;
    push(s, from);
    while (s->n) {
        struct frame *top = &s->f[s->n - 1];
        const struct hlo_instr *i = &c->m->instr[top->node];
        if (top->edge == i->noperand) {
            post[(*n)++] = top->node;
            s->n--;
            continue;
        }
        uint32_t y = i->operand[top->edge++];
        if (y - f->first >= f->count || seen[y - f->first])
            continue; /* not there, or of another computation */
        seen[y - f->first] = true;
        push(s, y);
    }
}

static void post_order(const struct costing *c, const struct hlo_computation *f, struct stack *s)
{
    bool *seen = mem_alloc(f->count, sizeof *seen);
    uint32_t n = 0, *post = c->post + f->first;
    for (uint32_t x = f->first; x < f->first + f->count; x++)
        if (x != f->root && c->users.first[x] == c->users.first[x + 1])
            post_order_from(c, f, x, seen, s, post, &n);
    post_order_from(c, f, f->root, seen, s, post, &n);
    for (uint32_t x = f->first; x < f->first + f->count; x++)
        post_order_from(c, f, x, seen, s, post, &n); /* cycles */
    free(seen);
}

/* ---- one computation ---- */

static const struct shape *first_leaf(const struct shape *s)
{
    while (s && (s->type == PRIM_TUPLE || s->type == PRIM_BUFFER)) s = s->nelem ? s->elem[0] : NULL;
    return s;
}

static enum prim wider(enum prim a, enum prim b) { return prim_bits(b) > prim_bits(a) ? b : a; }

/* The type of i's contraction, PRIM_INVALID if it has none. */
static enum prim contracts(const struct costing *c, const struct hlo_instr *i, const struct op *op)
{
    const struct comp *inside = op->flags & OP_FUSION ? cost_callee(c, i, HLO_CALLS) : NULL;
    enum prim t = inside ? inside->widest : PRIM_INVALID;
    bool library = op->flags & OP_LIBRARY &&
                   (cost_is_gemm(i->custom_call_target, true) || cost_is_conv(i->custom_call_target));
    if (op->flags & OP_DOT || library)
        for (uint32_t k = 0; k < 2; k++) {
            const struct shape *s = first_leaf(cost_operand(c, i, k));
            if (s) t = t == PRIM_INVALID ? s->type : wider(t, s->type);
        }
    return t;
}

static void add_float(float *sum, float v)
{
    if (v != -1) *sum += v;
}

static void add(struct cost *sum, const struct cost *v)
{
    add_float(&sum->flops, v->flops);
    add_float(&sum->transcendentals, v->transcendentals);
    add_float(&sum->bytes, v->bytes);
}

enum { FLOPS, TRANS, BYTES };

static void of_cost(const struct cost *v, double d[3])
{
    d[FLOPS] = (double)v->flops, d[TRANS] = (double)v->transcendentals, d[BYTES] = (double)v->bytes;
}

/* What one execution of i costs with loops run as often as they run and library calls known. */
static void model(const struct costing *c, uint32_t x, double d[3])
{
    const struct hlo_instr *i = &c->m->instr[x];
    struct cost v = c->set->instr[x];
    of_cost(&v, d);
    if (!(c->op[x]->flags & OP_CONTROL)) return;
    const struct comp *body = cost_callee(c, i, HLO_BODY), *cond = cost_callee(c, i, HLO_CONDITION);
    if (body && cond) {
        int64_t trips = hlo_trip_count(c->m, i);
        double n = trips < 0 ? 1 : (double)trips, tests = trips < 0 ? 1 : n + 1; /* the last test fails */
        for (int k = 0; k < 3; k++) d[k] = n * body->model[k] + tests * cond->model[k];
    } else if (hlo_is(i, "conditional")) {
        for (uint32_t k = 0, first = 1; k < i->ncall; k++) {
            const struct comp *b = &c->comp[cost_comp(c, i->call[k].computation)];
            for (int p = 0; p < 3 && b->state == COMP_DONE; p++)
                d[p] = first || b->model[p] > d[p] ? b->model[p] : d[p];
            first &= b->state != COMP_DONE;
        }
    } else if (hlo_is(i, "call") || (hlo_is(i, "async-start") && !i->sugared)) {
        const struct comp *to = cost_callee(c, i, hlo_is(i, "call") ? HLO_TO_APPLY : HLO_CALLS);
        if (to) memcpy(d, to->model, sizeof to->model);
    } else if (hlo_is(i, "custom-call") && cost_of_call(c, i, false, &v))
        of_cost(&v, d);
}

static uint64_t plus(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

/* Figures that are missing in i and in what it calls. */
static uint64_t unknown_in(const struct costing *c, uint32_t x)
{
    const struct hlo_instr *i = &c->m->instr[x];
    const struct cost *v = &c->set->instr[x];
    uint64_t n = v->flops == -1 || v->transcendentals == -1 || v->bytes == -1;
    for (uint32_t k = 0; k < i->ncall && c->op[x]->flags & OP_CALLS; k++)
        n = plus(n, c->comp[cost_comp(c, i->call[k].computation)].unknown);
    return n;
}

static void cost_instr(struct costing *c, struct comp *to, uint32_t x)
{
    const struct hlo_instr *i = &c->m->instr[x];
    struct cost *v = &c->set->instr[x];
    struct site s = {i, c->op[x], i->shape};
    cost_rule *rule = c->kind == COST_GPU ? s.op->gpu : s.op->base;
    double d[3];
    if (rule)
        rule(c, &s, v);
    else
        *v = (struct cost){.flops = -1, .transcendentals = -1, .bytes = -1};
    v->visited = false;
    add(&to->sum, v);
    if (rule == cost_gpu_async_start) { /* what is started counts here, though this row does not show it */
        struct cost started = {0};
        cost_async_start(c, &s, &started);
        add(&to->sum, &started);
    }
    to->unknown = plus(to->unknown, unknown_in(c, x));
    model(c, x, d);
    for (int k = 0; k < 3; k++) to->model[k] += d[k] == -1 ? 0 : d[k];
    c->set->model[x] =
        (struct cost){.flops = (float)d[FLOPS], .transcendentals = (float)d[TRANS], .bytes = (float)d[BYTES]};
    enum prim dot = contracts(c, i, s.op);
    const struct shape *leaf = first_leaf(i->shape);
    to->widest = wider(to->widest, dot);
    c->set->dtype[x] = dot != PRIM_INVALID ? dot : leaf ? leaf->type : PRIM_INVALID;
}

static void cost_computation(struct costing *c, uint32_t k, struct stack *s)
{
    const struct hlo_computation *f = &c->m->computation[k];
    if (f->root - f->first >= f->count) return; /* empty, or cut before its root: stays unknown */
    post_order(c, f, s);
    for (uint32_t n = 0; n < f->count; n++) cost_instr(c, &c->comp[k], c->post[f->first + n]);
    c->comp[k].state = COMP_DONE;
}

/* ---- the module ---- */

/* Next computation that `k` calls, from its *edge-th instruction on (calls of one instruction are few: all
 * are looked at again). */
static uint32_t next_callee(const struct costing *c, uint32_t k, uint32_t *edge)
{
    const struct hlo_computation *f = &c->m->computation[k];
    for (; *edge < f->count; ++*edge) {
        if (!(c->op[f->first + *edge]->flags & (OP_CALLS | OP_COMBINES))) continue;
        const struct hlo_instr *i = &c->m->instr[f->first + *edge];
        for (uint32_t n = 0; n < i->ncall; n++)
            if (i->call[n].computation < c->m->ncomputation &&
                c->comp[i->call[n].computation].state == COMP_NEW)
                return i->call[n].computation;
    }
    return HLO_NONE;
}

/* Cost every computation, callees first; in order[]. A computation that calls itself is not known where it
 * does. */
static void cost_callees_first(struct costing *c, uint32_t *order)
{
    struct stack calls = {0}, operands = {0};
    uint32_t done = 0;
    for (uint32_t k = 0; k < c->m->ncomputation; k++) {
        if (c->comp[k].state != COMP_NEW) continue;
        c->comp[k].state = COMP_OPEN;
        push(&calls, k);
        while (calls.n) {
            struct frame *top = &calls.f[calls.n - 1];
            uint32_t to = next_callee(c, top->node, &top->edge);
            if (to != HLO_NONE) {
                c->comp[to].state = COMP_OPEN;
                push(&calls, to);
                continue;
            }
            cost_computation(c, top->node, &operands);
            order[done++] = top->node;
            calls.n--;
        }
    }
    free(calls.f);
    free(operands.f);
}

static void visit_callees(struct costing *c, uint32_t x)
{
    const struct hlo_instr *i = &c->m->instr[x];
    const struct op *op = i->sugared ? cost_op(i->async_op) : c->op[x]; /* the calls are async_op's own */
    uint32_t lone = op->flags & OP_FUSION ? cost_lone(c, i) : HLO_NONE;
    if (lone != HLO_NONE) i = &c->m->instr[lone]; /* of this fusion only its scatter's body */
    for (uint32_t k = 0; k < i->ncall && op->flags & OP_CALLS; k++)
        c->comp[cost_comp(c, i->call[k].computation)].visited = true;
    if (hlo_is(i, "while") && hlo_trip_count(c->m, i) < 0) c->set->unknown_trips++;
}

/* Callers first: what the entry's cost is made of.  The rest reads as 0. */
static void mark_visited(struct costing *c, const uint32_t *order)
{
    if (c->m->entry < c->m->ncomputation) c->comp[c->m->entry].visited = true;
    for (uint32_t n = c->m->ncomputation; n-- > 0;) {
        const struct hlo_computation *f = &c->m->computation[order[n]];
        bool visited = c->comp[order[n]].visited;
        for (uint32_t x = f->first; x < f->first + f->count; x++) {
            if (!visited)
                c->set->instr[x] = (struct cost){0};
            else if (c->op[x]->flags & OP_CALLS)
                visit_callees(c, x);
            c->set->instr[x].visited = visited;
        }
    }
}

/* Which rule each instruction follows, and which parameter has which number. */
static void prepare(struct costing *c)
{
    const struct hlo_module *m = c->m;
    memset(c->parameter, 0xff, ((size_t)m->ninstr + 1) * sizeof *c->parameter); /* HLO_NONE */
    for (uint32_t x = 0; x < m->ninstr; x++) {
        const struct hlo_instr *i = &m->instr[x];
        c->op[x] = cost_op(i->opcode);
        if (!(c->op[x]->flags & OP_PARAMETER) || i->computation >= m->ncomputation) continue;
        const struct hlo_computation *f = &m->computation[i->computation];
        if (i->number >= 0 && i->number < f->count) c->parameter[f->first + i->number] = x;
    }
}

void cost_module(const struct hlo_module *m, enum cost_kind kind, struct cost_set *set)
{
    size_t n = (size_t)m->ninstr + 1;
    struct costing c = {.m = m, .kind = kind, .set = set};
    *set = (struct cost_set){.instr = mem_alloc(n, sizeof *set->instr),
                             .model = mem_alloc(n, sizeof *set->model),
                             .dtype = mem_alloc(n, sizeof *set->dtype)};
    c.comp = mem_alloc((size_t)m->ncomputation + 1, sizeof *c.comp);
    c.op = mem_alloc(n, sizeof *c.op);
    c.post = mem_alloc(n, sizeof *c.post);
    c.parameter = mem_alloc(n, sizeof *c.parameter);
    c.read = kind == COST_BASE ? mem_alloc(n, sizeof *c.read) : NULL;
    c.used = kind == COST_GPU ? mem_alloc(n, sizeof *c.used) : NULL;
    uint32_t *order = mem_alloc((size_t)m->ncomputation + 1, sizeof *order);
    prepare(&c);
    hlo_users(m, &c.users);
    cost_fused_operands(&c);
    cost_callees_first(&c, order);
    mark_visited(&c, order);
    if (m->entry < m->ncomputation) {
        const struct comp *e = &c.comp[m->entry];
        set->total = e->sum;
        set->unmodelled = e->unknown;
        set->flops_total = e->model[FLOPS], set->transcendentals_total = e->model[TRANS],
        set->bytes_total = e->model[BYTES];
    }
    hlo_users_free(&c.users);
    free(c.fused.first), free(c.fused.place);
    free(c.comp), free(c.op), free(c.post), free(c.parameter), free(c.read), free(c.used), free(order);
}

void cost_free(struct cost_set *set)
{
    free(set->instr), free(set->model), free(set->dtype);
    *set = (struct cost_set){0};
}
