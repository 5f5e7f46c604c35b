/* A plan joined with its program: what each defining instruction is, what kernels use that is not planned. */
#include "hlo_config.h"
#include "num.h"
#include "plan_read.h"
#include <stdlib.h>

static struct str keep(struct plan *p, struct buf *b)
{
    struct str s = plan_keep(p, buf_view(b));
    b->n = 0;
    return s;
}

/* ---- where a value comes from ---- */

enum { DEPTH = 16, HOPS = 64 };
struct path { /* a leaf of an instruction's value */
    const struct hlo_instr *i;
    uint32_t n;
    int64_t at[DEPTH];
};

/* One step towards the instruction that makes the leaf: through bitcasts, tuples and their elements. */
static bool towards(const struct hlo_module *m, struct path *t)
{
    const struct hlo_instr *i = t->i;
    if (!i->noperand) return false;
    uint32_t from = i->operand[0];
    if (hlo_is(i, "get-tuple-element")) {
        if (t->n == DEPTH) return false;
        memmove(t->at + 1, t->at, t->n++ * sizeof *t->at);
        t->at[0] = i->number;
    } else if (hlo_is(i, "tuple") && t->n) {
        if (t->at[0] < 0 || t->at[0] >= i->noperand) return false;
        from = i->operand[t->at[0]];
        memmove(t->at, t->at + 1, --t->n * sizeof *t->at);
    } else if (!hlo_is(i, "bitcast"))
        return false;
    if (from == HLO_NONE) return false;
    t->i = &m->instr[from];
    return true;
}

/* The name of the value that is behind the leaf, "copy.1" or "while{2}". */
static void maker(const struct hlo_module *m, struct path t, struct buf *b)
{
    for (int hop = 0; hop < HOPS && towards(m, &t); hop++) continue;
    b->n = 0;
    buf_str(b, t.i->name);
    for (uint32_t k = 0; k < t.n; k++) buf_fmt(b, "%c%lld", k ? ',' : '{', (long long)t.at[k]);
    if (t.n) buf_c(b, '}');
}

/* What a copy, or a fusion that is one, reads: only one of a fusion's parameters has a part in it. */
static void copied(const struct hlo_module *m, const struct hlo_instr *i, struct buf *b)
{
    uint32_t in = hlo_is(i, "fusion") ? hlo_called(i, HLO_CALLS) : HLO_NONE, operand = 0;
    if (in != HLO_NONE && m->computation[in].count && m->computation[in].root != HLO_NONE) {
        uint32_t x = m->computation[in].root;
        for (int hop = 0; hop < HOPS && x != HLO_NONE && m->instr[x].noperand; hop++)
            x = m->instr[x].operand[0];
        if (x == HLO_NONE || m->instr[x].number < 0 || m->instr[x].number >= i->noperand) return;
        operand = (uint32_t)m->instr[x].number;
    }
    if (operand < i->noperand && i->operand[operand] != HLO_NONE)
        maker(m, (struct path){.i = &m->instr[i->operand[operand]]}, b);
}

const struct plan_about *plan_about_of(struct plan_link *l, uint32_t instr)
{
    struct plan *p = l->p;
    const struct hlo_module *m = p->hlo;
    const struct hlo_instr *i = &m->instr[instr];
    if (l->about[instr]) return l->about[instr];
    struct plan_about *a = arena_alloc(&p->arena, 1, sizeof *a);
    a->op_name = i->op_name;
    a->opcode = i->opcode;
    a->custom_call_target = i->custom_call_target;
    hlo_source(m, i, NULL, &l->b);
    a->source = keep(p, &l->b);
    hlo_stack(m, i, &l->b);
    a->stack = keep(p, &l->b);
    if (hlo_layout_change(m, i, &l->b)) {
        a->layout_change = keep(p, &l->b);
        copied(m, i, &l->b);
        a->copy_of = keep(p, &l->b);
    }
    l->b.n = 0;
    return l->about[instr] = a;
}

void plan_link_init(struct plan_link *l, struct plan *p)
{
    *l = (struct plan_link){.p = p, .about = mem_alloc(p->hlo->ninstr, sizeof *l->about)};
}

void plan_link_free(struct plan_link *l)
{
    free(l->about);
    map_free(&l->value);
    free(l->size);
    buf_free(&l->b);
}

/* ---- opaque kernels ---- */

bool plan_opaque(struct str custom_call_target)
{
    static const char *const target[] = {"tpu_custom_call", "__gpu$xla.gpu.triton", "mosaic_gpu"};
    for (size_t k = 0; k < sizeof target / sizeof *target; k++)
        if (str_is(custom_call_target, target[k])) return true;
    return false;
}

static void index_sizes(struct plan_link *l)
{
    const struct plan *p = l->p;
    l->size = mem_alloc(p->nbuffer, sizeof *l->size);
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        const struct plan_buffer *b = &p->buffer[i];
        l->b.n = 0;
        buf_str(&l->b, b->instr);
        buf_str(&l->b, b->index);
        l->size[map_put(&l->value, buf_view(&l->b), NULL)] = b->size;
    }
    l->b.n = 0;
}

/* What the plan gives the leaf; by its shape where the plan has no value of that name. */
static int64_t leaf_size(struct plan_link *l, struct path t, const struct shape *s)
{
    maker(l->p->hlo, t, &l->b);
    uint32_t k = map_get(&l->value, buf_view(&l->b));
    l->b.n = 0;
    return k == MAP_NONE ? shape_bytes(s) : l->size[k];
}

enum { LEAVES = 1 << 22 }; /* of all calls together: beyond it the sum is unknown */

static void add_leaves(struct plan_link *l, struct path *t, const struct shape *s, int64_t *sum)
{
    if (l->leaves++ >= LEAVES) return;
    if (s->type != PRIM_TUPLE) {
        int64_t n = leaf_size(l, *t, s);
        *sum = num_add(*sum, n > 0 ? n : 0);
        return;
    }
    if (t->n == DEPTH) return;
    for (uint32_t k = 0; k < s->nelem; k++) {
        t->at[t->n++] = k;
        add_leaves(l, t, s->elem[k], sum);
        t->n--;
    }
}

static void opaque_calls(struct plan_link *l)
{
    struct plan *p = l->p;
    const struct hlo_module *m = p->hlo;
    p->opaque_calls = p->opaque_io = 0;
    for (uint32_t i = 0; i < m->ninstr; i++) {
        const struct hlo_instr *call = &m->instr[i];
        struct path t = {.i = call};
        if (!hlo_is(call, "custom-call") || !plan_opaque(call->custom_call_target)) continue;
        if (!p->opaque_calls++) index_sizes(l);
        add_leaves(l, &t, call->shape, &p->opaque_io);
        for (uint32_t k = 0; k < call->noperand; k++) {
            if (call->operand[k] == HLO_NONE) continue;
            t = (struct path){.i = &m->instr[call->operand[k]]};
            add_leaves(l, &t, t.i->shape, &p->opaque_io);
        }
    }
    if (l->leaves > LEAVES) p->opaque_io = -1;
}

/* ---- scoped memory: the compiler's own record of what an instruction takes while it runs ---- */

static int64_t scoped_vmem(struct str config)
{
    int64_t most = 0;
    size_t at = str_find(config, STR("used_scoped_memory_configs"));
    if (at == SIZE_MAX) return 0;
    struct str list = str_from(config, at);
    const char *end = list.n ? memchr(list.p, ']', list.n) : NULL;
    if (end) list.n = (size_t)(end - list.p);
    for (const char *q; (q = list.n ? memchr(list.p, '{', list.n) : NULL);) {
        list = str_from(list, (size_t)(q - list.p) + 1);
        const char *close = memchr(list.p, '}', list.n);
        struct str object = str_n(list.p, close ? (size_t)(close - list.p) : list.n);
        int64_t size = hlo_config_int(object, STR("size"));
        if (hlo_config_int(object, STR("memory_space")) == 1 && size > most) most = size;
        list = str_from(list, object.n);
    }
    return most;
}

void plan_kernels(struct plan_link *l)
{
    struct plan *p = l->p;
    p->scoped_vmem = 0;
    for (uint32_t i = 0; i < p->hlo->ninstr; i++) {
        int64_t n = scoped_vmem(p->hlo->instr[i].backend_config);
        if (n > p->scoped_vmem) p->scoped_vmem = n;
    }
    opaque_calls(l);
}

/* ---- text: by name ---- */

static void link_peak(struct plan_link *l, struct plan_peak *k)
{
    const struct hlo_module *m = l->p->hlo;
    uint32_t i = hlo_find(m, k->instr);
    int64_t index[DEPTH];
    if (i == HLO_NONE) return;
    const struct plan_about *a = plan_about_of(l, i);
    size_t n = hlo_ints(k->index, index, DEPTH);
    const struct shape *s = n > DEPTH ? NULL : shape_at(m->instr[i].shape, index, n);
    k->op_name = a->op_name;
    k->source = a->source;
    if (k->shape.n || !s) return;
    shape_put_full(&l->b, s, false);
    k->shape = plan_bare_shape(keep(l->p, &l->b), &l->p->arena);
    k->unpadded = shape_bytes_unpadded(s);
}

void plan_link(struct plan *p, struct hlo_module *m)
{
    struct plan_link l;
    p->hlo = m;
    plan_link_init(&l, p);
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        uint32_t k = hlo_find(m, p->buffer[i].instr);
        if (k != HLO_NONE) p->buffer[i].about = plan_about_of(&l, k);
    }
    for (uint32_t i = 0; i < p->npeak; i++) link_peak(&l, &p->peak[i]);
    plan_kernels(&l);
    plan_link_free(&l);
    plan_spaces(p);
}
