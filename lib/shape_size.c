/* How many bytes a value takes (spec: HLO text 4.7). */
#include "shape.h"

static int64_t mul(int64_t a, int64_t b)
{
    int64_t r;
    return a < 0 || b < 0 || __builtin_mul_overflow(a, b, &r) ? -1 : r;
}

static int64_t add(int64_t a, int64_t b)
{
    int64_t r;
    return a < 0 || b < 0 || __builtin_add_overflow(a, b, &r) ? -1 : r;
}

static int64_t product(const struct shape *s)
{
    int64_t n = 1;
    for (uint32_t i = 0; i < s->rank; i++)
        if (!s->dim[i]) return 0; /* however large the others are */
    for (uint32_t i = 0; i < s->rank; i++) n = mul(n, s->dim[i]);
    return n;
}

int64_t shape_elements(const struct shape *s)
{
    int64_t n = 0;
    if (s->type == PRIM_TOKEN) return 0;
    if (s->type != PRIM_TUPLE && !s->nelem) return product(s);
    for (uint32_t i = 0; i < s->nelem; i++) n = add(n, shape_elements(s->elem[i]));
    return n;
}

/* n elements, E(n) bits or the type's bytes each. */
static int64_t element_bytes(const struct shape *s, int64_t n)
{
    int64_t bits = s->layout.element_bits;
    if (bits > 0) {
        bits = mul(n, bits);
        return bits < 0 ? -1 : bits / 8 + (bits % 8 != 0);
    }
    return prim_bytes(s->type) ? mul(n, prim_bytes(s->type)) : -1;
}

/* The sizes that are not those of an array: true and *v. */
static bool no_array(const struct shape *s, int64_t *v)
{
    switch (s->type) {
    case PRIM_TUPLE: *v = 8 * (int64_t)s->nelem; return true;
    case PRIM_OPAQUE: *v = 8; return true;
    case PRIM_TOKEN: *v = 0; return true;
    default: return false;
    }
}

int64_t shape_bytes_unpadded(const struct shape *s)
{
    int64_t v;
    if (no_array(s, &v)) return v;
    if (s->type == PRIM_BUFFER && s->nelem) return shape_bytes_unpadded(s->elem[0]);
    return element_bytes(s, product(s));
}

/* Dimension d, or its largest piece where the layout splits it. */
static int64_t piece(const struct shape *s, int64_t d)
{
    int64_t size = s->dim[d];
    for (uint32_t i = 0; i < s->layout.nsplit; i++) {
        const struct split *sp = &s->layout.split[i];
        int64_t from = 0, most = 0;
        if (sp->dim != d || size < 0) continue;
        for (uint32_t k = 0; k <= sp->n; k++) {
            int64_t to = k < sp->n ? sp->at[k] : s->dim[d];
            if (to < from || to > s->dim[d]) return size; /* no order in it: as if not split */
            if (to - from > most) most = to - from;
            from = to;
        }
        size = most;
    }
    return size;
}

static int64_t round_up(int64_t v, int64_t unit)
{
    if (v < 0 || unit <= 1) return v;
    int64_t over = v % unit;
    return over ? add(v, unit - over) : v;
}

/* What position i (from the minor end) of the first tile rounds to. */
static int64_t tile_unit(const struct shape *s, uint32_t i)
{
    const struct layout *l = &s->layout;
    const struct tile *t = l->tile, *second = l->ntile > 1 ? &t[1] : NULL;
    int64_t v = t->dim[t->n - 1 - i], bits = l->element_bits ? l->element_bits : prim_bits(s->type);
    if (v != INT64_MIN) return v;
    if (second && i < second->n && second->dim[second->n - 1 - i] > 0) return second->dim[second->n - 1 - i];
    return bits && bits < 32 ? 32 / bits : 1;
}

/* Does minor_to_major name each dimension once? Ranks are small; a huge one is checked by count alone. */
static bool proper_layout(const struct shape *s)
{
    const struct layout *l = &s->layout;
    if (l->nminor != s->rank) return false;
    for (uint32_t i = 0; i < l->nminor; i++) {
        if (l->minor_to_major[i] >= s->rank) return false;
        for (uint32_t k = 0; k < i && s->rank <= 64; k++)
            if (l->minor_to_major[k] == l->minor_to_major[i]) return false;
    }
    return true;
}

int64_t shape_bytes(const struct shape *s)
{
    const struct layout *l = &s->layout;
    int64_t v, n = 1;
    if (no_array(s, &v)) return v;
    if (s->type == PRIM_BUFFER && s->nelem) return shape_bytes(s->elem[0]);
    if ((!l->ntile && !l->nsplit && l->tail_padding <= 1) || !proper_layout(s))
        return shape_bytes_unpadded(s);
    if (!product(s)) return 0;
    uint32_t tiled = l->ntile ? l->tile->n : 0;
    for (uint32_t i = 0; i < s->rank || i < tiled; i++) {
        int64_t d = i < s->rank ? piece(s, l->minor_to_major[i]) : 1;
        n = mul(n, i < tiled ? round_up(d, tile_unit(s, i)) : d);
    }
    return element_bytes(s, round_up(n, l->tail_padding));
}

static int64_t leaf_sum(const struct shape *s, int64_t (*size)(const struct shape *))
{
    int64_t n = 0;
    if (s->type != PRIM_TUPLE) return size(s);
    for (uint32_t i = 0; i < s->nelem; i++) n = add(n, leaf_sum(s->elem[i], size));
    return n;
}

int64_t shape_leaf_bytes(const struct shape *s) { return leaf_sum(s, shape_bytes_unpadded); }
int64_t shape_leaf_padded(const struct shape *s) { return leaf_sum(s, shape_bytes); }

bool shape_tiled(const struct shape *s)
{
    for (uint32_t i = 0; i < s->nelem; i++)
        if (shape_tiled(s->elem[i])) return true;
    return s->layout.ntile > 0;
}
