/* Sizes as XLA's cost analysis sees them (spec: cost 5.1). */
#include "cost_in.h"
#include "num.h"

const struct shape *cost_operand(const struct costing *c, const struct hlo_instr *i, uint32_t k)
{
    return k < i->noperand && i->operand[k] != HLO_NONE ? c->m->instr[i->operand[k]].shape : NULL;
}

int64_t cost_elements(const struct shape *s) { return s ? shape_elements(s) : -1; }

const struct shape *cost_first(const struct shape *s)
{
    return s && s->type == PRIM_TUPLE ? s->nelem ? s->elem[0] : NULL : s;
}

/* XLA's CPU client, whose figures the base model gives, keeps the sizes of dynamic dimensions behind the
 * array. */
int64_t cost_size(const struct costing *c, const struct shape *s)
{
    int64_t n = s ? shape_bytes_unpadded(s) : -1;
    bool dynamic = false;
    for (uint32_t d = 0; n >= 0 && c->kind == COST_BASE && s->dynamic && d < s->rank; d++)
        dynamic |= s->dynamic[d];
    return dynamic ? num_add(n, 4 * (int64_t)s->rank) : n;
}

int cost_add_leaves(const struct costing *c, const struct shape *s, bool arrays, float *sum)
{
    int r = 0;
    if (s && s->type == PRIM_TUPLE) { /* depth: a shape's own limit */
        for (uint32_t k = 0; k < s->nelem; k++) r |= cost_add_leaves(c, s->elem[k], arrays, sum);
        return r;
    }
    if (arrays && s && (s->type == PRIM_TOKEN || s->type == PRIM_OPAQUE)) return 0;
    int64_t n = cost_size(c, s);
    if (n < 0) return -1;
    *sum += (float)n;
    return 0;
}

float cost_moved(const struct costing *c, const struct site *s)
{
    float sum = 0;
    if (cost_add_leaves(c, s->result, false, &sum)) return -1;
    for (uint32_t k = 0; k < s->i->noperand; k++) {
        int64_t n = cost_size(c, cost_operand(c, s->i, k));
        if (n < 0) return -1;
        sum += (float)n;
    }
    return sum;
}

int64_t cost_minor(const struct shape *s, uint32_t k)
{
    return s->layout.nminor == s->rank ? s->layout.minor_to_major[k] : (int64_t)(s->rank - 1 - k);
}
