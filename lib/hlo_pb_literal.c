/* LiteralProto as XLA prints it on one line. */
#include "hlo_pb.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_RANK = 100, MAX_ROWS = 1000 };

/* Formats of 16 bits and less, printed with as many digits as tell all values apart (max_digits10). */
enum special {
    IEEE,
    FINITE_NAN, /* no infinity */
    FNUZ,       /* no infinity, no -0: its bits are NaN */
    FINITE,
    POWER /* of two, no sign */
};
static const struct minifloat {
    enum prim type;
    int exponent, mantissa, bias, digits;
    enum special special;
} minifloat[] = {
    {PRIM_F16, 5, 10, 15, 5, IEEE},          {PRIM_BF16, 8, 7, 127, 4, IEEE},
    {PRIM_F8E5M2, 5, 2, 15, 2, IEEE},        {PRIM_F8E4M3FN, 4, 3, 7, 3, FINITE_NAN},
    {PRIM_F8E4M3B11FNUZ, 4, 3, 11, 3, FNUZ}, {PRIM_F8E5M2FNUZ, 5, 2, 16, 2, FNUZ},
    {PRIM_F8E4M3FNUZ, 4, 3, 8, 3, FNUZ},     {PRIM_F8E4M3, 4, 3, 7, 3, IEEE},
    {PRIM_F8E3M4, 3, 4, 3, 3, IEEE},         {PRIM_F4E2M1FN, 2, 1, 1, 2, FINITE},
    {PRIM_F8E8M0FNU, 8, 0, 127, 2, POWER},   {PRIM_F6E3M2FN, 3, 2, 3, 2, FINITE},
    {PRIM_F6E2M3FN, 2, 3, 1, 3, FINITE},
};

static void put_nan(struct buf *b, bool negative, uint64_t payload, uint64_t quiet)
{
    buf_puts(b, negative ? "-nan" : "nan");
    if (payload != quiet) buf_fmt(b, "(0x%llx)", (unsigned long long)payload);
}

static void put_double(struct buf *b, double v, int digits, int more)
{
    char text[40];
    if (isinf(v)) {
        buf_puts(b, v < 0 ? "-inf" : "inf");
        return;
    }
    snprintf(text, sizeof text, "%.*g", digits, v);
    if (more && (more == 9 ? strtof(text, NULL) != (float)v : strtod(text, NULL) != v))
        snprintf(text, sizeof text, "%.*g", more, v);
    buf_puts(b, text);
}

static void put_f32(struct buf *b, float v)
{
    uint32_t bits;
    memcpy(&bits, &v, 4);
    if (isnan(v))
        put_nan(b, bits >> 31, bits & 0x7fffff, 0x400000);
    else
        put_double(b, (double)v, 6, 9);
}

static void put_f64(struct buf *b, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    if (isnan(v))
        put_nan(b, bits >> 63, bits & 0xfffffffffffff, 0x8000000000000);
    else
        put_double(b, v, 15, 17);
}

static void put_minifloat(struct buf *b, const struct minifloat *f, unsigned bits)
{
    unsigned man = bits & ((1u << f->mantissa) - 1), top = (1u << f->exponent) - 1;
    unsigned exp = bits >> f->mantissa & top, all = (1u << f->mantissa) - 1;
    bool negative = f->special != POWER && bits >> (f->exponent + f->mantissa) & 1;
    if (f->special == IEEE && exp == top && man) {
        put_nan(b, negative, man, 1u << (f->mantissa - 1));
    } else if ((f->special == FINITE_NAN && exp == top && man == all) ||
               (f->special == POWER && exp == top)) {
        put_nan(b, negative, 0, 0);
    } else if (f->special == FNUZ && negative && !exp && !man) {
        put_nan(b, true, 0, 0);
    } else if (f->special == IEEE && exp == top) {
        buf_puts(b, negative ? "-inf" : "inf");
    } else {
        double v = f->special == POWER ? ldexp(1, (int)exp - f->bias)
                   : exp               ? ldexp(1 + ldexp(man, -f->mantissa), (int)exp - f->bias)
                                       : ldexp(man, 1 - f->bias - f->mantissa);
        put_double(b, negative ? -v : v, f->digits, 0);
    }
}

/* Where a literal of that type keeps its elements, and how many there are. */
static ProtobufCBinaryData bytes_of(const Xla__LiteralProto *l, enum prim t)
{
    switch (t) {
    case PRIM_S1: return l->s1s;
    case PRIM_S2: return l->s2s;
    case PRIM_S4: return l->s4s;
    case PRIM_S8: return l->s8s;
    case PRIM_S16: return l->s16s;
    case PRIM_U1: return l->u1s;
    case PRIM_U2: return l->u2s;
    case PRIM_U4: return l->u4s;
    case PRIM_U8: return l->u8s;
    case PRIM_U16: return l->u16s;
    case PRIM_F16: return l->f16s;
    case PRIM_BF16: return l->bf16s;
    case PRIM_F8E5M2: return l->f8e5m2s;
    case PRIM_F8E4M3FN: return l->f8e4m3fns;
    case PRIM_F8E4M3B11FNUZ: return l->f8e4m3b11fnuzs;
    case PRIM_F8E5M2FNUZ: return l->f8e5m2fnuzs;
    case PRIM_F8E4M3FNUZ: return l->f8e4m3fnuzs;
    case PRIM_F8E4M3: return l->f8e4m3s;
    case PRIM_F8E3M4: return l->f8e3m4s;
    case PRIM_F4E2M1FN: return l->f4e2m1fns;
    case PRIM_F8E8M0FNU: return l->f8e8m0fnus;
    case PRIM_F6E3M2FN: return l->f6e3m2fns;
    case PRIM_F6E2M3FN: return l->f6e2m3fns;
    default: return (ProtobufCBinaryData){0, NULL};
    }
}

static size_t count_of(const Xla__LiteralProto *l, enum prim t)
{
    switch (t) {
    case PRIM_PRED: return l->n_preds;
    case PRIM_S32: return l->n_s32s;
    case PRIM_S64: return l->n_s64s;
    case PRIM_U32: return l->n_u32s;
    case PRIM_U64: return l->n_u64s;
    case PRIM_F32: return l->n_f32s;
    case PRIM_F64: return l->n_f64s;
    case PRIM_C64: return l->n_c64s / 2;
    case PRIM_C128: return l->n_c128s / 2;
    default: return bytes_of(l, t).len / (prim_bits(t) == 16 ? 2 : 1);
    }
}

/* An element that is kept in bytes: small floats and integers of at most 16 bits. */
static void put_small(struct buf *b, const Xla__LiteralProto *l, enum prim t, size_t i)
{
    const unsigned char *p = bytes_of(l, t).data;
    unsigned width = (unsigned)prim_bits(t);
    unsigned v = width == 16 ? p[2 * i] | (unsigned)p[2 * i + 1] << 8 : p[i] & ((1u << width) - 1);
    for (size_t f = 0; f < sizeof minifloat / sizeof *minifloat; f++)
        if (minifloat[f].type == t) {
            put_minifloat(b, &minifloat[f], v);
            return;
        }
    bool is_signed = *prim_name(t) == 's';
    buf_i64(b, is_signed && v >> (width - 1) ? (int64_t)v - (1 << width) : (int64_t)v);
}

static void put_element(struct buf *b, const Xla__LiteralProto *l, const struct shape *s, size_t i)
{
    switch (s->type) {
    case PRIM_PRED: buf_puts(b, s->rank ? l->preds[i] ? "1" : "0" : l->preds[i] ? "true" : "false"); break;
    case PRIM_S32: buf_i64(b, l->s32s[i]); break;
    case PRIM_S64: buf_i64(b, l->s64s[i]); break;
    case PRIM_U32: buf_u64(b, l->u32s[i]); break;
    case PRIM_U64: buf_u64(b, l->u64s[i]); break;
    case PRIM_F32: put_f32(b, l->f32s[i]); break;
    case PRIM_F64: put_f64(b, l->f64s[i]); break;
    case PRIM_C64:
        buf_c(b, '(');
        put_f32(b, l->c64s[2 * i]);
        buf_puts(b, ", ");
        put_f32(b, l->c64s[2 * i + 1]);
        buf_c(b, ')');
        break;
    case PRIM_C128:
        buf_c(b, '(');
        put_f64(b, l->c128s[2 * i]);
        buf_puts(b, ", ");
        put_f64(b, l->c128s[2 * i + 1]);
        buf_c(b, ')');
        break;
    default: put_small(b, l, s->type, i);
    }
}

/* The elements stand in the order of the literal's own layout: stride of each dimension. */
static bool strides(const struct shape *s, int64_t *stride)
{
    int64_t step = 1;
    bool seen[MAX_RANK] = {false};
    for (uint32_t i = 0; i < s->rank; i++) {
        int64_t d = s->layout.nminor == s->rank ? s->layout.minor_to_major[i] : (int64_t)(s->rank - 1 - i);
        if (d < 0 || d >= s->rank || seen[d]) return false;
        seen[d] = true;
        stride[d] = step;
        step *= s->dim[d];
    }
    return true;
}

/* The innermost dimension: "{1, 2}" of a vector; as a row of more "{ 1, 2 }", but "{1}" and "{}". */
static void put_row(struct buf *b, const Xla__LiteralProto *l, const struct shape *s, int64_t stride,
                    int64_t from)
{
    int64_t n = s->dim[s->rank - 1];
    bool wide = s->rank > 1 && n > 1;
    buf_puts(b, wide ? "{ " : "{");
    for (int64_t i = 0; i < n; i++) {
        if (i) buf_puts(b, ", ");
        put_element(b, l, s, (size_t)(from + i * stride));
    }
    buf_puts(b, wide ? " }" : "}");
}

/* Dimension `at`; from four dimensions on the outer ones are numbered in comments. */
static void put_rows(struct buf *b, const Xla__LiteralProto *l, const struct shape *s, const int64_t *stride,
                     uint32_t at, int64_t from, int64_t number)
{
    if (at + 1 == s->rank) {
        put_row(b, l, s, stride[at], from);
        return;
    }
    buf_puts(b, "{ ");
    if (s->rank > 3 && at) buf_fmt(b, "/*i%u=%lld*/ ", at - 1, (long long)number);
    for (int64_t i = 0; i < s->dim[at]; i++) {
        if (i) buf_puts(b, ", ");
        put_rows(b, l, s, stride, at + 1, from + i * stride[at], i);
    }
    buf_puts(b, " }");
}

/* Few enough elements, and (where a dimension is 0) few enough rows before it. */
static bool is_small(const struct shape *s, int64_t *count)
{
    int64_t n = 1;
    if (s->rank > MAX_RANK || s->nelem || !prim_bits(s->type)) return false;
    for (uint32_t i = 0; i < s->rank; i++) {
        if (s->dim[i] == 0) {
            *count = 0;
            return n <= MAX_ROWS;
        }
        if (s->dim[i] < 0 || __builtin_mul_overflow(n, s->dim[i], &n)) return false;
    }
    *count = n;
    return n <= HLO_PB_MAX_ELEMENTS;
}

void hlo_pb_literal(struct buf *b, const Xla__LiteralProto *l, const struct shape *s)
{
    int64_t stride[MAX_RANK] = {0}, n;
    if (!is_small(s, &n) || count_of(l, s->type) != (size_t)n || (n && !strides(s, stride)))
        buf_puts(b, "{...}");
    else if (!s->rank)
        put_element(b, l, s, 0);
    else
        put_rows(b, l, s, stride, 0, 0, 0);
}
