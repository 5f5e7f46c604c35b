#include "shape.h"
#include "map.h"
#include "num.h"
#include <stdlib.h>

enum { DEPTH = 100 }; /* nested tuples; XLA itself has no use for more than a handful */

/* ---- element types (spec: HLO text 4.6) ---- */

static const struct {
    const char *name;
    int bits, bytes; /* bytes: ByteWidth; both 0: no elements */
} prim[PRIM_COUNT] = {
    [PRIM_PRED] = {"pred", 1, 1},
    [PRIM_S8] = {"s8", 8, 1},
    [PRIM_S16] = {"s16", 16, 2},
    [PRIM_S32] = {"s32", 32, 4},
    [PRIM_S64] = {"s64", 64, 8},
    [PRIM_U8] = {"u8", 8, 1},
    [PRIM_U16] = {"u16", 16, 2},
    [PRIM_U32] = {"u32", 32, 4},
    [PRIM_U64] = {"u64", 64, 8},
    [PRIM_F16] = {"f16", 16, 2},
    [PRIM_F32] = {"f32", 32, 4},
    [PRIM_F64] = {"f64", 64, 8},
    [PRIM_TUPLE] = {"tuple", 0, 0},
    [PRIM_OPAQUE] = {"opaque", 0, 0},
    [PRIM_C64] = {"c64", 64, 8},
    [PRIM_BF16] = {"bf16", 16, 2},
    [PRIM_TOKEN] = {"token", 0, 0},
    [PRIM_C128] = {"c128", 128, 16},
    [PRIM_F8E5M2] = {"f8e5m2", 8, 1},
    [PRIM_F8E4M3FN] = {"f8e4m3fn", 8, 1},
    [PRIM_S4] = {"s4", 4, 1},
    [PRIM_U4] = {"u4", 4, 1},
    [PRIM_F8E4M3B11FNUZ] = {"f8e4m3b11fnuz", 8, 1},
    [PRIM_F8E5M2FNUZ] = {"f8e5m2fnuz", 8, 1},
    [PRIM_F8E4M3FNUZ] = {"f8e4m3fnuz", 8, 1},
    [PRIM_S2] = {"s2", 2, 1},
    [PRIM_U2] = {"u2", 2, 1},
    [PRIM_F8E4M3] = {"f8e4m3", 8, 1},
    [PRIM_F8E3M4] = {"f8e3m4", 8, 1},
    [PRIM_S1] = {"s1", 1, 1},
    [PRIM_U1] = {"u1", 1, 1},
    [PRIM_F4E2M1FN] = {"f4e2m1fn", 4, 1},
    [PRIM_F8E8M0FNU] = {"f8e8m0fnu", 8, 1},
    [PRIM_BUFFER] = {"b", 0, 0},
    [PRIM_F6E3M2FN] = {"f6e3m2fn", 6, 1},
    [PRIM_F6E2M3FN] = {"f6e2m3fn", 6, 1},
};

const char *prim_name(enum prim t) { return (unsigned)t < PRIM_COUNT && prim[t].name ? prim[t].name : "?"; }

enum prim prim_of(struct str name)
{
    for (unsigned t = 0; t < PRIM_COUNT; t++)
        if (prim[t].name && str_is(name, prim[t].name)) return (enum prim)t;
    return PRIM_UNKNOWN;
}

int prim_bits(enum prim t) { return (unsigned)t < PRIM_COUNT ? prim[t].bits : 0; }
int prim_bytes(enum prim t) { return (unsigned)t < PRIM_COUNT ? prim[t].bytes : 0; }

/* ---- parsing ---- */

struct parse {
    struct arena *arena;
    struct shape_table *table; /* NULL: every shape is made anew */
    const char *p, *end;
    struct err *e;
};

static const struct shape *parse_shape(struct parse *s, int depth);

static const struct shape *no_shape(struct parse *s, const char *why)
{
    char q[200];
    size_t n = (size_t)(s->end - s->p);
    err_set(s->e, NULL, "no shape: %s at %s", why, err_quote(q, s->p, n < 40 ? n : 40));
    return NULL;
}

static void skip_blank(struct parse *s)
{
    for (;;) {
        while (s->p < s->end && strchr(" \t\r\n", *s->p) && *s->p) s->p++;
        if (s->end - s->p < 4 || s->p[0] != '/' || s->p[1] != '*') return;
        const char *q = memmem(s->p + 2, (size_t)(s->end - s->p - 2), "*/", 2);
        if (!q) return;
        s->p = q + 2;
    }
}

static bool take(struct parse *s, char c)
{
    skip_blank(s);
    if (s->p == s->end || *s->p != c) return false;
    s->p++;
    return true;
}

static bool take2(struct parse *s, const char *two)
{
    if (s->end - s->p < 2 || s->p[0] != two[0] || s->p[1] != two[1]) return false;
    s->p += 2;
    return true;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* A decimal number; false: none there, or over 63 bits. */
static bool take_int(struct parse *s, int64_t *v)
{
    const char *q = s->p;
    int64_t r = 0;
    for (; q < s->end && *q >= '0' && *q <= '9'; q++)
        if (__builtin_mul_overflow(r, 10, &r) || __builtin_add_overflow(r, *q - '0', &r)) return false;
    if (q == s->p) return false;
    s->p = q;
    *v = r;
    return true;
}

/* Numbers between here and the next closing bracket: how many there can be at most. */
static size_t commas(const struct parse *s)
{
    size_t n = 1;
    for (const char *q = s->p; q < s->end && *q != ']' && *q != ')' && *q != '}' && *q != ':'; q++)
        n += *q == ',';
    return n;
}

/* "8,128)" behind an opening parenthesis; '*' is INT64_MIN. */
static bool int_list(struct parse *s, const int64_t **list, uint32_t *n)
{
    int64_t *v = arena_alloc(s->arena, commas(s), sizeof *v);
    *list = v;
    for (*n = 0; !take(s, ')'); ++*n) {
        if (*n && !take(s, ',')) return false;
        skip_blank(s);
        if (take(s, '*'))
            v[*n] = INT64_MIN;
        else if (!take_int(s, &v[*n]))
            return false;
    }
    return true;
}

static bool tile_list(struct parse *s, struct layout *l)
{
    struct tile *tile = NULL;
    size_t cap = 0, n = 0;
    bool good = true;
    while (good && s->p < s->end && *s->p == '(') {
        s->p++;
        tile = mem_grow(tile, &cap, n + 1, sizeof *tile);
        good = int_list(s, &tile[n].dim, &tile[n].n);
        n += good;
    }
    struct tile *keep = arena_alloc(s->arena, n, sizeof *keep);
    if (n) memcpy(keep, tile, n * sizeof *keep);
    free(tile);
    l->tile = keep;
    l->ntile = (uint32_t)n;
    return good;
}

/* "0:4,8)": the dimension and where it is split. */
static bool split_one(struct parse *s, struct layout *l)
{
    struct split *grown = arena_alloc(s->arena, l->nsplit + 1, sizeof *grown);
    if (l->nsplit) memcpy(grown, l->split, l->nsplit * sizeof *grown);
    l->split = grown;
    struct split *one = &grown[l->nsplit++];
    return l->nsplit <= 64 && take_int(s, &one->dim) && take(s, ':') && int_list(s, &one->at, &one->n);
}

/* Behind an opening parenthesis: to behind its closing one. */
static bool skip_paren(struct parse *s)
{
    for (size_t depth = 1; s->p < s->end;) {
        char c = *s->p++;
        if (c == '(') depth++;
        if (c == ')' && !--depth) return true;
    }
    return false;
}

/* What stands between ':' and '}' of a layout; items that sizes do not depend on are only kept as text. */
static bool layout_items(struct parse *s, struct layout *l)
{
    const char *from = s->p;
    bool good = true;
    while (good && s->p < s->end && *s->p != '}') {
        if (take2(s, "T("))
            s->p--, good = tile_list(s, l);
        else if (take2(s, "L("))
            good = take_int(s, &l->tail_padding) && take(s, ')');
        else if (take2(s, "E("))
            good = take_int(s, &l->element_bits) && take(s, ')');
        else if (take2(s, "S("))
            good = take_int(s, &l->memory_space) && take(s, ')');
        else if (take2(s, "SC"))
            good = take(s, '(') && split_one(s, l);
        else if (*s->p++ == '(')
            good = skip_paren(s);
    }
    l->items = str_n(from, (size_t)(s->p - from));
    l->items.p = arena_copy(s->arena, from, l->items.n);
    return good;
}

static bool parse_layout(struct parse *s, struct layout *l)
{
    int64_t *v = arena_alloc(s->arena, commas(s), sizeof *v);
    l->present = true;
    l->minor_to_major = v;
    skip_blank(s);
    while (s->p < s->end && *s->p != '}' && *s->p != ':') {
        if (l->nminor && !take(s, ',')) return false;
        skip_blank(s);
        if (!take_int(s, &v[l->nminor])) return false;
        l->nminor++;
        skip_blank(s);
    }
    if (take(s, ':') && !layout_items(s, l)) return false;
    return take(s, '}');
}

static bool parse_dims(struct parse *s, struct shape *r)
{
    size_t max = commas(s);
    int64_t *dim = arena_alloc(s->arena, max, sizeof *dim);
    bool *dynamic = NULL;
    r->dim = dim;
    while (!take(s, ']')) {
        if (r->rank && !take(s, ',')) return false;
        skip_blank(s);
        bool open = take(s, '?'), bound = take2(s, "<=");
        if (open && !bound)
            dim[r->rank] = -1;
        else if (!take_int(s, &dim[r->rank]))
            return false;
        if (open || bound) {
            if (!dynamic) r->dynamic = dynamic = arena_alloc(s->arena, max, sizeof *dynamic);
            dynamic[r->rank] = true;
        }
        r->rank++;
    }
    return true;
}

static const struct shape *parse_array(struct parse *s, int depth)
{
    struct shape *r = arena_alloc(s->arena, 1, sizeof *r);
    const char *from = s->p;
    while (s->p < s->end && is_word(*s->p)) s->p++;
    struct str word = str_n(from, (size_t)(s->p - from));
    r->type = prim_of(word);
    r->type_name = r->type == PRIM_UNKNOWN ? str_n(arena_copy(s->arena, word.p, word.n), word.n)
                                           : str_of(prim_name(r->type));
    if (!word.n) return no_shape(s, "a type is expected");
    if (r->type == PRIM_BUFFER && take(s, '(')) {
        const struct shape **in = arena_alloc(s->arena, 1, sizeof(*in));
        r->elem = in;
        r->nelem = 1;
        in[0] = parse_shape(s, depth + 1);
        if (!in[0]) return NULL;
        return take(s, ')') ? r : no_shape(s, "\")\" is expected");
    }
    if (!take(s, '[')) return no_shape(s, "\"[\" is expected");
    if (!parse_dims(s, r)) return no_shape(s, "a dimension is expected");
    if (s->p < s->end && *s->p == '{' && (s->p++, !parse_layout(s, &r->layout)))
        return no_shape(s, "a layout is expected");
    return r;
}

static const struct shape *parse_tuple(struct parse *s, int depth)
{
    struct shape *r = arena_alloc(s->arena, 1, sizeof *r);
    const struct shape **elem = NULL;
    size_t cap = 0, n = 0;
    bool good = true;
    r->type = PRIM_TUPLE;
    r->type_name = str_of(prim_name(PRIM_TUPLE));
    for (s->p++; good && !take(s, ')'); n += good) {
        if (n && !take(s, ',')) {
            no_shape(s, "\",\" or \")\" is expected");
            good = false;
            break;
        }
        skip_blank(s);
        elem = mem_grow(elem, &cap, n + 1, sizeof *elem);
        elem[n] = parse_shape(s, depth + 1);
        good = elem[n];
    }
    const struct shape **keep = arena_alloc(s->arena, n, sizeof *keep);
    if (n) memcpy(keep, elem, n * sizeof *keep);
    free(elem);
    r->elem = keep;
    r->nelem = (uint32_t)n;
    return good ? r : NULL;
}

const char *shape_end(const char *p, const char *end)
{
    long depth = 0;
    bool tuple = p < end && *p == '(';
    for (; p < end; p++) {
        if (*p == '(' || *p == '[' || *p == '{')
            depth++;
        else if (*p == ')' || *p == ']' || *p == '}') {
            if (--depth < 0) return p;
            if (depth || (!tuple && *p == ']' && p + 1 < end && p[1] == '{')) continue;
            return p + 1;
        } else if (!depth && !is_word(*p))
            return p;
    }
    return end;
}

static const struct shape *parse_shape(struct parse *s, int depth)
{
    struct str text = {s->p, 0};
    if (depth > DEPTH) return no_shape(s, "tuples nested over 100 deep");
    if (s->table) {
        text.n = (size_t)(shape_end(s->p, s->end) - s->p);
        uint32_t known = map_get(&s->table->text, text);
        if (known != MAP_NONE) return s->p += text.n, s->table->shape[known];
    }
    const struct shape *r = s->p < s->end && *s->p == '(' ? parse_tuple(s, depth) : parse_array(s, depth);
    if (r && s->table && text.n == (size_t)(s->p - text.p)) {
        uint32_t i = map_put(&s->table->text, text, NULL);
        s->table->shape = mem_grow(s->table->shape, &s->table->cap, (size_t)i + 1, sizeof *s->table->shape);
        s->table->shape[i] = r;
    }
    return r;
}

const struct shape *shape_parse(struct arena *a, const char **p, const char *end, struct err *e)
{
    struct parse s = {a, NULL, *p, end, e};
    const struct shape *r = parse_shape(&s, 0);
    if (r) *p = s.p;
    return r;
}

const struct shape *shape_intern(struct shape_table *t, struct arena *a, const char **p, const char *end,
                                 struct err *e)
{
    struct parse s = {a, t, *p, end, e};
    const struct shape *r = parse_shape(&s, 0);
    if (r) *p = s.p;
    return r;
}

void shape_table_free(struct shape_table *t)
{
    map_free(&t->text);
    free(t->shape);
    *t = (struct shape_table){0};
}

/* ---- printing ---- */

static void put_dims(struct buf *b, const struct shape *s)
{
    buf_str(b, s->type_name);
    buf_c(b, '[');
    for (uint32_t i = 0; i < s->rank; i++) {
        if (i) buf_c(b, ',');
        if (s->dim[i] < 0)
            buf_c(b, '?');
        else {
            if (s->dynamic && s->dynamic[i]) buf_puts(b, "<=");
            buf_i64(b, s->dim[i]);
        }
    }
    buf_c(b, ']');
}

void shape_put(struct buf *b, const struct shape *s)
{
    bool tuple = s->type == PRIM_TUPLE;
    if (!tuple && !s->nelem) {
        put_dims(b, s);
        return;
    }
    if (!tuple) buf_str(b, s->type_name);
    buf_c(b, '(');
    for (uint32_t i = 0; i < s->nelem; i++) {
        if (i) buf_c(b, ',');
        shape_put(b, s->elem[i]);
    }
    buf_c(b, ')');
}

/* "{1,0:T(8,128)}": at least "{}". */
static void put_layout(struct buf *b, const struct layout *l)
{
    buf_c(b, '{');
    for (uint32_t i = 0; i < l->nminor; i++) {
        if (i) buf_c(b, ',');
        buf_i64(b, l->minor_to_major[i]);
    }
    if (l->items.n) buf_c(b, ':');
    buf_str(b, l->items);
    buf_c(b, '}');
}

static bool layout_says(const struct layout *l) { return l->nminor || l->items.n; }

void shape_put_layout(struct buf *b, const struct shape *s)
{
    if (s->type == PRIM_BUFFER && s->nelem) s = s->elem[0];
    if (s->type != PRIM_TUPLE) {
        if (layout_says(&s->layout))
            put_layout(b, &s->layout);
        else
            buf_c(b, '-');
        return;
    }
    buf_c(b, '(');
    for (uint32_t i = 0; i < s->nelem; i++) {
        if (i) buf_c(b, ',');
        shape_put_layout(b, s->elem[i]);
    }
    buf_c(b, ')');
}

static void put_printed(struct buf *b, const struct shape *s, bool comments, bool layouts)
{
    bool tuple = s->type == PRIM_TUPLE;
    if (!tuple && !s->nelem) {
        put_dims(b, s);
        if (layouts && layout_says(&s->layout)) put_layout(b, &s->layout);
        return;
    }
    if (!tuple) buf_str(b, s->type_name);
    buf_c(b, '(');
    for (uint32_t i = 0; i < s->nelem; i++) {
        if (i) buf_puts(b, ", ");
        if (comments && i && i % 5 == 0) buf_fmt(b, "/*index=%u*/", i);
        put_printed(b, s->elem[i], comments, layouts);
    }
    buf_c(b, ')');
}

void shape_put_full(struct buf *b, const struct shape *s, bool comments)
{
    put_printed(b, s, comments, true);
}
void shape_put_signature(struct buf *b, const struct shape *s) { put_printed(b, s, true, false); }

/* ---- sizes (spec: HLO text 4.7) ---- */

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

const struct shape *shape_at(const struct shape *s, const int64_t *index, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (s->type != PRIM_TUPLE || index[i] < 0 || index[i] >= s->nelem) return NULL;
        s = s->elem[index[i]];
    }
    return s;
}

static bool same_layout(const struct layout *a, const struct layout *b)
{
    return a->nminor == b->nminor && str_eq(a->items, b->items) &&
           (!a->nminor || !memcmp(a->minor_to_major, b->minor_to_major, a->nminor * sizeof(int64_t)));
}

bool shape_same(const struct shape *a, const struct shape *b, bool layouts)
{
    if (a == b) return true;
    if (!str_eq(a->type_name, b->type_name) || a->rank != b->rank || a->nelem != b->nelem) return false;
    if (a->rank && memcmp(a->dim, b->dim, a->rank * sizeof *a->dim)) return false;
    if (layouts && !same_layout(&a->layout, &b->layout)) return false;
    for (uint32_t i = 0; i < a->nelem; i++)
        if (!shape_same(a->elem[i], b->elem[i], layouts)) return false;
    return true;
}
