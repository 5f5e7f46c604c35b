/* Copies and transposes that only move a value into another layout. */
#include "hlo.h"

enum { MEMBERS = 64 }; /* a fusion that only changes layout has few */

static void put_order(struct buf *b, const int64_t *v, uint32_t n)
{
    buf_c(b, '{');
    for (uint32_t k = 0; k < n; k++) {
        if (k) buf_c(b, ',');
        buf_i64(b, v[k]);
    }
    buf_c(b, '}');
}

/* Dimensions of size 1 lie anywhere: the order of the others decides. */
static bool same_order(const struct shape *s, const int64_t *a, const int64_t *b, uint32_t n)
{
    for (uint32_t x = 0, y = 0;; x++, y++) {
        while (x < n && s->dim[a[x]] == 1) x++;
        while (y < n && s->dim[b[y]] == 1) y++;
        if (x == n || y == n) return x == n && y == n;
        if (a[x] != b[y]) return false;
    }
}

/* Does `to` hold `from` (its dimensions permuted by perm, NULL: not) in another order in memory? */
static bool relayout(const struct shape *from, const struct shape *to, const int64_t *perm, struct buf *b)
{
    uint32_t n = from->rank;
    int64_t order[64];
    if (n > 64 || to->rank != n || from->layout.nminor != n || to->layout.nminor != n ||
        from->type != to->type)
        return false;
    for (uint32_t k = 0; k < n; k++) {
        int64_t d = to->layout.minor_to_major[k];
        if (d < 0 || d >= n || from->layout.minor_to_major[k] < 0 || from->layout.minor_to_major[k] >= n)
            return false;
        order[k] = perm ? perm[d] : d;
        if (order[k] < 0 || order[k] >= n || from->dim[order[k]] != to->dim[d]) return false;
    }
    if (same_order(from, from->layout.minor_to_major, order, n)) return false;
    put_order(b, from->layout.minor_to_major, n);
    buf_puts(b, "->");
    put_order(b, order, n);
    return true;
}

static bool changes_layout(const struct hlo_module *m, const struct hlo_instr *i, struct buf *b)
{
    int64_t perm[64];
    if (!i->noperand || i->operand[0] == HLO_NONE) return false;
    const struct shape *from = m->instr[i->operand[0]].shape, *to = i->shape;
    if (hlo_is(i, "copy")) return relayout(from, to, NULL, b);
    if (hlo_is(i, "copy-start") && to->nelem >= 2) return relayout(from, to->elem[0], NULL, b);
    if (!hlo_is(i, "transpose") || hlo_ints(hlo_attr(i, "dimensions"), perm, 64) != from->rank ||
        from->rank > 64)
        return false;
    return relayout(from, to, perm, b);
}

bool hlo_layout_change(const struct hlo_module *m, const struct hlo_instr *i, struct buf *b)
{
    const struct hlo_instr *only = i;
    if (!i->opcode.n || !memchr("cft", i->opcode.p[0], 3)) return false; /* copy, fusion, transpose */
    uint32_t in = hlo_is(i, "fusion") ? hlo_called(i, HLO_CALLS) : HLO_NONE;
    if (in != HLO_NONE) { /* one copy or transpose, and else nothing that touches a byte */
        const struct hlo_computation *c = &m->computation[in];
        if (c->count > MEMBERS) return false;
        only = NULL;
        for (uint32_t k = c->first; k < c->first + c->count; k++) {
            const struct hlo_instr *x = &m->instr[k];
            if (hlo_is(x, "parameter") || hlo_is(x, "bitcast")) continue;
            if (only || (!hlo_is(x, "copy") && !hlo_is(x, "transpose"))) return false;
            only = x;
        }
    }
    return only && changes_layout(m, only, b);
}
