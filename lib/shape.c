/* Element types, shapes as text, shapes in shapes; shape_parse.c reads them, shape_size.c measures them. */
#include "shape.h"

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

/* ---- parts ---- */

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
