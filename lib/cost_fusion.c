/* Fusions: what is inside counts as flops, but only inputs, outputs and constants as bytes (spec: cost 5.3).
 */
#include "cost_in.h"
#include <math.h>
#include <stdlib.h>

/* Reading a whole value counts once, however many users need it. */
struct reading {
    int64_t bytes;
    bool full, unknown;
};

static void read_bytes(struct reading *r, int64_t n)
{
    if (n < 0)
        r->unknown = true;
    else
        r->bytes += n;
}

static void read_full(struct reading *r, int64_t n)
{
    if (!r->full) read_bytes(r, n);
    r->full = true;
}

static bool first_operand(const struct hlo_instr *user, uint32_t value)
{
    return user->noperand && user->operand[0] == value;
}

/* One user of a value of `size` bytes that reads parts of it: true if it is one of those that do. */
static bool read_part(const struct costing *c, const struct hlo_instr *user, uint32_t value, int64_t size,
                      struct reading *r)
{
    if (hlo_is(user, "slice")) {
        read_bytes(r, cost_size(c, user->shape));
        return true;
    }
    bool from = hlo_is(user, "dynamic-slice"), into = hlo_is(user, "dynamic-update-slice");
    if (!from && !into) return false;
    if (!first_operand(user, value))
        read_full(r, size);
    else if (from)
        read_bytes(r, cost_size(c, user->shape)); /* into: the operand is the output, not read */
    return true;
}

/* A nested fusion that reads `value` as its parameter q: by its own users if it only passes q on. */
static void read_nested(const struct costing *c, uint32_t nested, uint32_t q, struct reading *r)
{
    const struct hlo_instr *n = &c->m->instr[nested];
    const struct hlo_instr *root = &c->m->instr[c->m->computation[c->m->instr[q].computation].root];
    bool simple = !root->noperand || root->operand[0] == q;
    struct reading own = {0};
    for (uint32_t k = c->users.first[nested]; k < c->users.first[nested + 1]; k++) {
        const struct hlo_instr *user = &c->m->instr[c->users.user[k]];
        if (!simple || !read_part(c, user, nested, cost_size(c, n->shape), &own)) read_full(&own, c->read[q]);
    }
    read_bytes(r, own.unknown ? -1 : own.bytes);
}

/* Bytes read of a value inside a fusion; -1: unknown.  Nested fusions have been looked into before. */
static int64_t read_of(const struct costing *c, uint32_t value)
{
    int64_t size = cost_size(c, c->m->instr[value].shape);
    struct reading r = {0};
    for (uint32_t k = c->users.first[value]; k < c->users.first[value + 1]; k++) {
        const struct hlo_instr *user = &c->m->instr[c->users.user[k]];
        if (c->op[c->users.user[k]]->flags & OP_FUSION || read_part(c, user, value, size, &r)) continue;
        if (hlo_is(user, "broadcast") || hlo_is(user, "reshape"))
            read_bytes(&r, size);
        else
            read_full(&r, size);
    }
    for (uint32_t k = c->fused.first[value]; k < c->fused.first[value + 1]; k++) {
        const struct place *at = &c->fused.place[k];
        const struct hlo_instr *nested = &c->m->instr[at->fusion];
        uint32_t q = cost_parameter(c, hlo_called(nested, HLO_CALLS), at->operand);
        if (q != HLO_NONE && cost_callee(c, nested, HLO_CALLS)) read_nested(c, at->fusion, q, &r);
    }
    return r.unknown ? -1 : r.bytes;
}

/* Counting sort of the operands of all fusions by the value they name. */
void cost_fused_operands(struct costing *c)
{
    const struct hlo_module *m = c->m;
    uint32_t *first = c->fused.first = mem_alloc((size_t)m->ninstr + 2, sizeof *first);
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t x = 0; x < m->ninstr; x++) {
            if (!(c->op[x]->flags & OP_FUSION)) continue;
            const struct hlo_instr *i = &m->instr[x];
            for (uint32_t k = 0; k < i->noperand; k++) {
                if (i->operand[k] >= m->ninstr) continue;
                if (!pass)
                    first[i->operand[k] + 2]++;
                else
                    c->fused.place[first[i->operand[k] + 1]++] = (struct place){x, k};
            }
        }
        if (pass) break;
        for (uint32_t x = 0; x < m->ninstr; x++) first[x + 2] += first[x + 1];
        c->fused.place = mem_alloc((size_t)first[m->ninstr + 1] + 1, sizeof *c->fused.place);
    }
}

/* ---- tuple parameters, leaf by leaf ---- */

struct leaves {
    struct costing *c;
    int64_t sum;
    bool unknown;
};

static int64_t read_leaf(const struct costing *c, uint32_t value)
{
    if (c->kind == COST_BASE)
        return hlo_is(&c->m->instr[value], "parameter") ? c->read[value] : read_of(c, value);
    int64_t size = cost_size(c, c->m->instr[value].shape);
    return size < 0 ? -1 : llround((double)((float)size * fminf(c->used[value], 1)));
}

/* The first get-tuple-element of each index among the users of value: n of them, free() it. */
static uint32_t *elements_of(const struct costing *c, uint32_t value, uint32_t n)
{
    uint32_t *at = mem_alloc(n ? n : 1, sizeof *at);
    memset(at, 0xff, n * sizeof *at); /* HLO_NONE */
    for (uint32_t k = c->users.first[value + 1]; k-- > c->users.first[value];) {
        const struct hlo_instr *user = &c->m->instr[c->users.user[k]];
        if (hlo_is(user, "get-tuple-element") && user->number >= 0 && user->number < n)
            at[user->number] = c->users.user[k];
    }
    return at;
}

/* Where no get-tuple-element reads an element, the tuple itself stands for it: its pointers are read. */
static void each_leaf(struct leaves *l, uint32_t value, const uint32_t *at, uint32_t n, const struct shape *s)
{
    if (s->type != PRIM_TUPLE) {
        int64_t r = read_leaf(l->c, value);
        l->unknown |= r < 0;
        l->sum += r;
        return;
    }
    for (uint32_t k = 0; k < s->nelem; k++) {
        const struct shape *e = s->elem[k];
        uint32_t to = k < n ? at[k] : HLO_NONE;
        if (to == HLO_NONE || e->type != PRIM_TUPLE) {
            each_leaf(l, to == HLO_NONE ? value : to, at, n, e);
            continue;
        }
        uint32_t *deeper = elements_of(l->c, to, e->nelem);
        each_leaf(l, to, deeper, e->nelem, e);
        free(deeper);
    }
}

static int64_t parameter_bytes(struct costing *c, uint32_t p)
{
    const struct shape *s = c->m->instr[p].shape;
    if (!s || s->type != PRIM_TUPLE) return c->kind == COST_BASE ? c->read[p] : read_leaf(c, p);
    struct leaves l = {c, 0, false};
    uint32_t *at = elements_of(c, p, s->nelem);
    each_leaf(&l, p, at, s->nelem, s);
    free(at);
    return l.unknown ? -1 : l.sum;
}

/* ---- bytes ---- */

/* The update if this value is a dynamic-update-slice: it is written in place. */
static const struct shape *written(const struct costing *c, uint32_t value, const struct shape *s)
{
    const struct hlo_instr *i = value == HLO_NONE ? NULL : &c->m->instr[value];
    return i && hlo_is(i, "dynamic-update-slice") ? cost_operand(c, i, 1) : s;
}

static int output_bytes(const struct costing *c, const struct shape *s, uint32_t root, float *sum)
{
    const struct hlo_instr *r = &c->m->instr[root];
    if (!s) return -1;
    if (s->type != PRIM_TUPLE) return cost_add_leaves(c, written(c, root, s), true, sum);
    int bad = 0;
    for (uint32_t k = 0; k < s->nelem; k++) {
        bool direct = hlo_is(r, "tuple") && k < r->noperand && s->elem[k]->type != PRIM_TUPLE;
        bad |= cost_add_leaves(c, direct ? written(c, r->operand[k], s->elem[k]) : s->elem[k], true, sum);
    }
    return bad;
}

/* Constants too large to be immediate operands of the code, then what is read of the parameters. */
static float input_bytes(struct costing *c, uint32_t computation, float sum)
{
    const struct hlo_computation *f = &c->m->computation[computation];
    int64_t immediate = c->kind == COST_GPU ? 8 : 1;
    for (uint32_t k = f->first; k < f->first + f->count; k++) {
        const struct hlo_instr *i = &c->m->instr[k];
        if (!hlo_is(i, "constant") || cost_elements(i->shape) <= immediate || i->shape->type == PRIM_TUPLE)
            continue;
        int64_t size = c->kind == COST_GPU ? read_leaf(c, k) : cost_size(c, i->shape);
        if (size < 0) return -1;
        sum += (float)size;
    }
    for (uint32_t n = 0; n < f->count; n++) {
        uint32_t p = c->parameter[f->first + n];
        if (p == HLO_NONE) break;
        int64_t size = parameter_bytes(c, p);
        if (size < 0) return -1;
        sum += (float)size;
    }
    return sum;
}

static void look_inside(struct costing *c, uint32_t computation)
{
    const struct hlo_computation *f = &c->m->computation[computation];
    struct comp *in = &c->comp[computation];
    if (in->looked) return;
    in->looked = true;
    for (uint32_t n = 0; n < f->count && c->kind == COST_BASE; n++) {
        uint32_t p = c->parameter[f->first + n];
        if (p == HLO_NONE) break;
        c->read[p] = read_of(c, p);
    }
    if (c->kind == COST_GPU) in->used_flops = cost_utilization(c, computation);
}

uint32_t cost_lone(const struct costing *c, const struct hlo_instr *i)
{
    uint32_t computation = hlo_called(i, HLO_CALLS);
    if (computation >= c->m->ncomputation || !str_is(hlo_attr(i, "kind"), "kCustom")) return HLO_NONE;
    const struct hlo_computation *f = &c->m->computation[computation];
    for (uint32_t k = f->first; k < f->first + f->count; k++)
        if (hlo_is(&c->m->instr[k], "gather") || hlo_is(&c->m->instr[k], "scatter")) return k;
    return HLO_NONE;
}

void cost_fusion(struct costing *c, const struct site *s, struct cost *v)
{
    uint32_t computation = hlo_called(s->i, HLO_CALLS);
    *v = (struct cost){.flops = -1, .transcendentals = -1, .bytes = -1};
    if (!cost_callee(c, s->i, HLO_CALLS)) return;
    struct comp *in = &c->comp[computation];
    look_inside(c, computation);
    uint32_t only = cost_lone(c, s->i);
    if (only != HLO_NONE) {
        *v = c->set->instr[only];
        return;
    }
    *v = in->sum;
    if (c->kind == COST_GPU) v->flops = in->used_flops;
    float from = 0;
    if (output_bytes(c, s->result, c->m->computation[computation].root, &from)) {
        v->bytes = -1;
        return;
    }
    if (!in->bytes_known ||
        in->from != from) { /* fusions of one computation have one shape: once is enough */
        in->bytes_known = true;
        in->from = from;
        in->bytes = input_bytes(c, computation, from);
    }
    v->bytes = in->bytes;
}
