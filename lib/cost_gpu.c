/* Where XLA's GPU cost model, as XProf shows it, differs from the base (spec: cost 5.4). */
#include "cost_in.h"
#include "hlo_window.h"
#include "num.h"
#include <math.h>
#include <stdlib.h>

/* ---- clock cycles per element, as XLA measured them on sm_86 ---- */

enum { CYCLES = 3 }; /* of whatever is not in the table */

static const struct {
    const char *op;
    uint16_t cycles[PRIM_COUNT];
} measured[] = {
    {"add", {[PRIM_F64] = 97, [PRIM_C128] = 97}},
    {"atan2",
     {[PRIM_F16] = 482, [PRIM_F32] = 486, [PRIM_F64] = 3747, [PRIM_C64] = 5353, [PRIM_C128] = 39027}},
    {"cbrt", {[PRIM_F16] = 925, [PRIM_F32] = 867, [PRIM_F64] = 6339}},
    {"cosine", {[PRIM_F16] = 691, [PRIM_F32] = 662, [PRIM_F64] = 1717, [PRIM_C128] = 6613}},
    {"divide",
     {[PRIM_S8] = 370,
      [PRIM_S16] = 367,
      [PRIM_S32] = 306,
      [PRIM_S64] = 918,
      [PRIM_U8] = 306,
      [PRIM_U16] = 302,
      [PRIM_U32] = 115,
      [PRIM_U64] = 838,
      [PRIM_F64] = 2016,
      [PRIM_C64] = 687,
      [PRIM_C128] = 7941}},
    {"exponential",
     {[PRIM_F16] = 108, [PRIM_F32] = 86, [PRIM_F64] = 1652, [PRIM_C64] = 1360, [PRIM_C128] = 4028}},
    {"exponential-minus-one",
     {[PRIM_F16] = 396, [PRIM_F32] = 381, [PRIM_F64] = 1900, [PRIM_C64] = 1400, [PRIM_C128] = 4161}},
    {"log", {[PRIM_F16] = 266, [PRIM_F32] = 244, [PRIM_F64] = 608, [PRIM_C64] = 950, [PRIM_C128] = 7599}},
    {"log-plus-one",
     {[PRIM_F16] = 284, [PRIM_F32] = 262, [PRIM_F64] = 2073, [PRIM_C64] = 842, [PRIM_C128] = 6962}},
    {"logistic", {[PRIM_F16] = 226, [PRIM_F32] = 176, [PRIM_F64] = 2412}},
    {"multiply", {[PRIM_F64] = 97, [PRIM_C128] = 270}},
    {"power",
     {[PRIM_S8] = 392,
      [PRIM_S16] = 396,
      [PRIM_S64] = 601,
      [PRIM_U8] = 388,
      [PRIM_U16] = 399,
      [PRIM_U64] = 604,
      [PRIM_F16] = 975,
      [PRIM_F32] = 925,
      [PRIM_F64] = 5511,
      [PRIM_C64] = 3351,
      [PRIM_C128] = 18205}},
    {"rsqrt", {[PRIM_F16] = 97, [PRIM_F32] = 75, [PRIM_F64] = 698, [PRIM_C64] = 2383, [PRIM_C128] = 11318}},
    {"sine", {[PRIM_F32] = 662, [PRIM_F64] = 1789, [PRIM_C128] = 5878}},
    {"sqrt", {[PRIM_F16] = 97, [PRIM_F32] = 75, [PRIM_F64] = 986, [PRIM_C64] = 3193, [PRIM_C128] = 15606}},
    {"subtract", {[PRIM_F64] = 97, [PRIM_C128] = 97}},
    {"tanh", {[PRIM_F16] = 212, [PRIM_F32] = 190, [PRIM_F64] = 1609, [PRIM_C128] = 9939}},
};

static int64_t cycles(struct str op, const struct shape *s)
{
    unsigned type = s->type;
    for (size_t k = 0; k < sizeof measured / sizeof *measured && type < PRIM_COUNT; k++)
        if (str_is(op, measured[k].op)) return measured[k].cycles[type] ? measured[k].cycles[type] : CYCLES;
    return CYCLES;
}

static float cycles_of(struct str op, const struct shape *s)
{
    int64_t n = cost_elements(s);
    return n < 0 ? -1 : (float)num_mul(cycles(op, s), n);
}

void cost_cycles(struct costing *c, const struct site *s, struct cost *v)
{
    v->flops = cycles_of(s->op->name, s->result);
    v->bytes = cost_moved(c, s);
}

/* ---- rules ---- */

/* A compare and a branch per element; both sides of the branch where a warp of 32 straddles the seam. */
void cost_gpu_concatenate(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t dim = 0, n = cost_elements(s->result);
    const struct shape *first = cost_operand(c, s->i, 0);
    hlo_ints(hlo_attr(s->i, "dimensions"), &dim, 1);
    bool seam = first && dim > 0 && dim < first->rank && first->dim[dim] % 32;
    v->flops = n < 0 ? -1 : (float)num_mul(seam ? 400 : 6, n);
    v->bytes = cost_moved(c, s);
}

/* The initial value is read for each output element. */
void cost_gpu_reduce(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t out = cost_elements(cost_first(s->result));
    uint32_t inputs = s->i->noperand / 2;
    bool bad = out < 0 || cost_add_leaves(c, s->result, false, &v->bytes);
    for (uint32_t k = 0; k < s->i->noperand && !bad; k++) {
        int64_t size = cost_size(c, cost_operand(c, s->i, k));
        bad = size < 0;
        v->bytes += (float)(k < inputs ? size : num_mul(size, out));
    }
    if (bad) v->bytes = -1;
    cost_reduce_flops(c, s, v);
}

static int64_t group(const struct site *s) { return hlo_group_size(hlo_attr(s->i, "replica_groups")); }

/* One application of the reduction, by its root, for each element of the result. */
static float combine(const struct costing *c, const struct site *s)
{
    bool known = cost_callee(c, s->i, HLO_TO_APPLY) != NULL;
    uint32_t body = hlo_called(s->i, HLO_TO_APPLY);
    return cycles_of(known ? c->op[c->m->computation[body].root]->name : STR(""), s->result);
}

void cost_gpu_all_reduce(struct costing *c, const struct site *s, struct cost *v)
{
    v->flops = combine(c, s);
    v->bytes = cost_moved(c, s);
}

void cost_gpu_all_reduce_start(struct costing *c, const struct site *s, struct cost *v)
{
    v->flops = combine(c, s);
    if (cost_add_leaves(c, s->result, true, &v->bytes)) v->bytes = -1;
}

/* A ring over n devices, each with its n-th of `all`: 2n - 1 pieces on the one side, n on the other. */
static float ring(int64_t all, int64_t n)
{
    int64_t piece = all / n;
    return all < 0 ? -1 : (float)num_add(num_mul(piece, num_add(n, n - 1)), num_mul(piece, n));
}

static void all_gather(const struct site *s, uint32_t from, struct cost *v)
{
    const struct shape *r = s->result;
    int64_t all = from ? 0 : r ? shape_leaf_bytes(r) : -1;
    for (uint32_t k = from; from && r && r->type == PRIM_TUPLE && k < r->nelem && all >= 0; k++) {
        int64_t size = shape_leaf_bytes(r->elem[k]);
        all = size < 0 ? -1 : num_add(all, size);
    }
    v->bytes = ring(all, group(s));
}

void cost_gpu_all_gather(struct costing *c, const struct site *s, struct cost *v)
{
    (void)c;
    all_gather(s, 0, v);
}

void cost_gpu_all_gather_start(struct costing *c, const struct site *s,
                               struct cost *v) /* behind the operands */
{
    (void)c;
    all_gather(s, 1, v);
}

void cost_gpu_reduce_scatter(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t in = 0;
    for (uint32_t k = 0; k < s->i->noperand && in >= 0; k++) {
        int64_t size = cost_size(c, cost_operand(c, s->i, k));
        in = size < 0 ? -1 : num_add(in, size);
    }
    v->flops = combine(c, s);
    v->bytes = ring(in, group(s));
}

/* XProf sees the cost on the wrapped instruction, which sugared text does not show; a reduce-scatter has it
 * on both. */
void cost_gpu_async_start(struct costing *c, const struct site *s, struct cost *v)
{
    if (str_is(s->i->async_op, "reduce-scatter")) cost_async_start(c, s, v);
}

void cost_gpu_custom_call(struct costing *c, const struct site *s, struct cost *v)
{
    if (!cost_of_call(c, s->i, true, v)) *v = (struct cost){.flops = -1, .bytes = -1};
}

/* ---- how much of each fused instruction is used ----
 *
 * Work backwards from the root.  An instruction is computed once for each distinct access root that reaches
 * it; all that is elementwise between a root and it shares that root.  Where an operand is read otherwise
 * (broadcast, reduced, sliced ...) it becomes a root of its own, used in proportion.  Sets of roots are
 * sorted lists in an arena, shared where they are equal. */

enum {
    ROOTS_MAX = 1 << 23
}; /* list entries in one fusion: beyond it, and no compiler comes near, nothing is known */

struct roots {
    const uint32_t *id;
    uint32_t n;
};

struct use {
    struct roots *set; /* per instruction of the computation */
    float *root;       /* utilization as an access root */
    struct arena arena;
    size_t entries;
};

static struct roots join(struct use *u, struct roots a, struct roots b)
{
    uint32_t i = 0, k = 0, n = 0;
    if (!b.n || (a.id == b.id && a.n == b.n)) return a;
    if (!a.n) return b;
    if (u->entries > ROOTS_MAX) return a;
    uint32_t *id = arena_alloc(&u->arena, (size_t)a.n + b.n, sizeof *id);
    while (i < a.n || k < b.n) {
        uint32_t x = i < a.n ? a.id[i] : UINT32_MAX, y = k < b.n ? b.id[k] : UINT32_MAX;
        id[n++] = x < y ? x : y;
        i += x <= y;
        k += y <= x;
    }
    u->entries += n;
    return n == a.n ? a : n == b.n ? b : (struct roots){id, n};
}

static bool loop_of_elementwise(const struct costing *c, const struct hlo_instr *i)
{
    uint32_t k = hlo_called(i, HLO_CALLS);
    if (k >= c->m->ncomputation || !str_is(hlo_attr(i, "kind"), "kLoop")) return false;
    const struct hlo_computation *f = &c->m->computation[k];
    for (uint32_t j = f->first; j < f->first + f->count; j++)
        if (!(c->op[j]->flags & OP_ELEMENTWISE) && !hlo_is(&c->m->instr[j], "parameter")) return false;
    return true;
}

static bool same_place(const struct shape *a, const struct shape *b)
{
    if (!a || !b || a->rank != b->rank || a->type == PRIM_TUPLE || b->type == PRIM_TUPLE) return false;
    for (uint32_t k = 0; k < a->rank; k++)
        if (a->dim[k] != b->dim[k] || cost_minor(a, k) != cost_minor(b, k)) return false;
    return true;
}

/* Does i pass each element on from the same place of its operands? */
static bool passes(const struct costing *c, uint32_t x)
{
    const struct hlo_instr *i = &c->m->instr[x];
    if (c->op[x]->flags & OP_ELEMENTWISE || hlo_is(i, "tuple") || hlo_is(i, "get-tuple-element")) return true;
    if (hlo_is(i, "bitcast")) return same_place(i->shape, cost_operand(c, i, 0));
    return hlo_is(i, "fusion") && loop_of_elementwise(c, i);
}

/* Is this value an output of the fusion: its root, or an element of a root tuple? */
static bool is_output(const struct costing *c, uint32_t x)
{
    const struct hlo_instr *root = &c->m->instr[c->m->computation[c->m->instr[x].computation].root];
    if (root == &c->m->instr[x]) return true;
    for (uint32_t k = 0; k < root->noperand && hlo_is(root, "tuple"); k++)
        if (root->operand[k] == x) return true;
    return false;
}

/* The part of operand k that one full use of x needs. */
static float part_used(const struct costing *c, uint32_t x, uint32_t k)
{
    const struct hlo_instr *i = &c->m->instr[x];
    double out = (double)cost_elements(i->shape), in = (double)cost_elements(cost_operand(c, i, k));
    if (hlo_is(i, "fusion")) {
        uint32_t q = cost_parameter(c, hlo_called(i, HLO_CALLS), k);
        return q == HLO_NONE ? 1 : c->used[q];
    }
    if (hlo_is(i, "reduce")) return k < i->noperand / 2 ? 1 : (float)cost_elements(cost_first(i->shape));
    if (k) return 1;
    if (hlo_is(i, "slice") || hlo_is(i, "dynamic-slice") || hlo_is(i, "gather"))
        return in > 0 ? (float)(out / in) : 0;
    if (hlo_is(i, "dynamic-update-slice")) {
        double update = (double)cost_elements(cost_operand(c, i, 1));
        return is_output(c, x) || out <= 0 ? 0 : (float)((out - update) / out);
    }
    return 1;
}

/* Whole elements only. */
static float rounded_up(float used, const struct shape *s)
{
    int64_t n = cost_elements(s);
    return n <= 0 ? 0 : ceilf(used * (float)n) / (float)n;
}

static void use_operands(struct costing *c, struct use *u, const struct hlo_computation *f, uint32_t x)
{
    const struct hlo_instr *i = &c->m->instr[x];
    bool pass = passes(c, x);
    for (uint32_t k = 0; k < i->noperand; k++) {
        uint32_t y = i->operand[k], at = y - f->first;
        if (y == HLO_NONE || at >= f->count) continue;
        if (pass) {
            u->set[at] = join(u, u->set[at], u->set[x - f->first]);
            continue;
        }
        uint32_t *self = arena_alloc(&u->arena, 1, sizeof *self);
        *self = at;
        u->set[at] = join(u, u->set[at], (struct roots){self, 1});
        u->root[at] += rounded_up(c->used[x] * part_used(c, x, k), c->m->instr[y].shape);
    }
}

float cost_utilization(struct costing *c, uint32_t computation)
{
    const struct hlo_computation *f = &c->m->computation[computation];
    struct use u = {.set = mem_alloc(f->count, sizeof *u.set), .root = mem_alloc(f->count, sizeof *u.root)};
    uint32_t root = f->root - f->first;
    float flops = 0;
    u.set[root] = (struct roots){&root, 1};
    u.root[root] = 1;
    for (uint32_t k = f->count; k-- > 0;) {
        uint32_t x = c->post[f->first + k];
        struct roots set = u.set[x - f->first];
        float used = 0;
        for (uint32_t r = 0; r < set.n; r++) used += u.root[set.id[r]];
        u.entries += set.n;
        c->used[x] = used;
        if (c->set->instr[x].flops != -1) flops += used * c->set->instr[x].flops;
        use_operands(c, &u, f, x);
    }
    bool entangled = u.entries > ROOTS_MAX;
    arena_free(&u.arena);
    free(u.set);
    free(u.root);
    return entangled ? -1 : flops;
}
