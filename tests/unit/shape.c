/* Shapes: the sizes that the specification works out, what has no size, and print(parse(text)) is text. */
#include "check.h"
#include "shape.h"

static struct arena arena;

static const struct shape *parse(const char *text)
{
    const char *p = text, *end = text + strlen(text);
    struct err e = {0};
    const struct shape *s = shape_parse(&arena, &p, end, &e);
    return s && p == end ? s : NULL;
}

static bool is(int64_t got, const char *text, int64_t want)
{
    if (got != want) printf("%s: %lld, not %lld\n", text, (long long)got, (long long)want);
    return got == want;
}

static void sizes(void)
{
    static const struct {
        const char *text;
        int64_t bytes, unpadded;
    } t[] = {
        {"f32[]", 4, 4},
        {"pred[3]{0}", 3, 3},
        {"c128[2]{0}", 32, 32},
        {"bf16[3,5]{1,0:T(8,128)(2,1)}", 2048, 30},
        {"f32[100]{0:T(128)}", 512, 400},
        {"f32[]{:T(128)}", 512, 4},
        {"s8[33,130]{1,0:T(32,128)(4,1)}", 16384, 4290},
        {"f32[2,3,5]{0,1,2:T(8,128)}", 5 * 8 * 128 * 4, 120},
        {"s4[63,50257]{1,0:E(4)}", 1583096, 1583096},
        {"s4[5]{0}", 5, 5},
        {"u1[9]{0:E(1)}", 2, 2},
        {"f4e2m1fn[3]{0:E(4)}", 2, 2},
        {"f8e8m0fnu[3]{0}", 3, 3},
        {"f32[10]{0:L(8)}", 64, 40},
        {"f32[10,7]{1,0:SC(0:4)}", 6 * 7 * 4, 280},
        {"bf16[3,5]{1,0:T(*,128)(2,1)}", 4 * 128 * 2, 30},
        {"bf16[3,5]{1,0:T(*,128)}", 4 * 128 * 2, 30},
        {"f32[0,9223372036854775807,9]{2,1,0:T(8,128)}", 0, 0},
        {"f32[<=5,3]{1,0}", 60, 60},
        {"f32[3]{0:S(1)}", 12, 12},
        {"f32[3]{0:M(16)D(D)P(f32[8]{0})}", 12, 12},
        {"(f32[2]{0}, (s32[], token[]))", 16, 16},
        {"()", 0, 0},
        {"token[]", 0, 0},
        {"opaque[]", 8, 8},
        {"b(f32[3]{0})", 12, 12},
        {"f32[?,3]{1,0}", -1, -1},
        {"f99[3]{0}", -1, -1},
        {"f32[4611686018427387904,8]{1,0}", -1, -1},
        {"f32[9223372036854775807]{0:T(128)}", -1, -1},
        {"f32[3,3]{0,0:T(8,128)}", 36, 36}, /* no layout of two dimensions: as if none */
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        const struct shape *s = parse(t[k].text);
        CHECK(s);
        if (!s) continue;
        CHECK(is(shape_bytes(s), t[k].text, t[k].bytes));
        CHECK(is(shape_bytes_unpadded(s), t[k].text, t[k].unpadded));
    }
    CHECK(shape_leaf_bytes(parse("(f32[2]{0}, (s32[], token[]))")) == 12);
    CHECK(shape_leaf_padded(parse("(f32[2]{0:T(128)}, s8[])")) == 513);
    CHECK(shape_elements(parse("(f32[2,3]{1,0}, s8[])")) == 7);
}

static void refused(void)
{
    static const char *const t[] = {"",
                                    "f32",
                                    "f32[",
                                    "f32[2",
                                    "f32[2]{",
                                    "f32[2]{0",
                                    "(f32[]",
                                    "(f32[],",
                                    "f32[-1]",
                                    "f32[2]{0:T(8",
                                    "f32[2]{0:T(8,",
                                    "[2]",
                                    "f32[2]{x}",
                                    "b(f32[2]",
                                    "f32[9223372036854775808]"};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) CHECK(!parse(t[k]));
    char deep[1000];
    memset(deep, '(', sizeof deep - 1);
    deep[sizeof deep - 1] = 0;
    CHECK(!parse(deep));
}

static void printed(void)
{
    struct buf b = {0};
    const struct shape *s =
        parse("(f32[2,3]{1,0:T(8,128)S(1)}, /*index=1*/ s32[], (pred[<=4]{0}, b(u8[?]{0})))");
    CHECK(s);
    shape_put(&b, s);
    CHECK(str_is(buf_view(&b), "(f32[2,3],s32[],(pred[<=4],b(u8[?])))"));
    b.n = 0, shape_put_layout(&b, s);
    CHECK(str_is(buf_view(&b), "({1,0:T(8,128)S(1)},-,({0},{0}))"));
    b.n = 0, shape_put_layout(&b, parse("f32[]{:T(128)}"));
    CHECK(str_is(buf_view(&b), "{:T(128)}"));
    b.n = 0, shape_put_full(&b, parse("(s8[],s8[],s8[],s8[],s8[],s8[2]{0})"), true);
    CHECK(str_is(buf_view(&b), "(s8[], s8[], s8[], s8[], s8[], /*index=5*/s8[2]{0})"));
    buf_free(&b);
}

static uint64_t rnd(void)
{
    static uint64_t x = 88172645463325252u;
    x ^= x << 13, x ^= x >> 7, x ^= x << 17;
    return x >> 8;
}

/* A shape's text, of at most `depth` tuples in each other. */
static void random_shape(struct buf *b, int depth)
{
    unsigned n = (unsigned)(rnd() % 4);
    if (depth && rnd() % 3 == 0) {
        buf_c(b, '(');
        for (unsigned k = 0; k < n; k++) {
            if (k) buf_puts(b, ", ");
            random_shape(b, depth - 1);
        }
        buf_c(b, ')');
        return;
    }
    buf_puts(b, prim_name((enum prim)(1 + rnd() % 12)));
    for (unsigned k = 0; k < n; k++)
        buf_fmt(b, "%c%s%d", k ? ',' : '[', rnd() % 5 ? "" : "<=", (int)(rnd() % 300));
    buf_puts(b, n ? "]" : "[]");
    for (unsigned k = 0; k < n; k++) buf_fmt(b, "%c%u", k ? ',' : '{', n - 1 - k);
    if (n && rnd() % 2) buf_puts(b, ":T(8,128)(2,1)");
    if (n && rnd() % 2 && b->p[b->n - 1] == ')') buf_puts(b, "S(1)");
    if (n) buf_c(b, '}');
}

static void round_trip(void)
{
    struct shape_table table = {0};
    for (int k = 0; k < 2000; k++) {
        struct buf text = {0}, again = {0};
        struct err e = {0};
        random_shape(&text, 3);
        const char *p = text.p, *end = text.p + text.n, *q = p;
        const struct shape *s = shape_parse(&arena, &p, end, &e),
                           *one = shape_intern(&table, &arena, &q, end, &e);
        CHECK(s && p == end && one && q == end && shape_end(text.p, end) == end);
        if (!s || !one) break;
        shape_put_full(&again, s, false);
        CHECK(str_eq(buf_view(&text), buf_view(&again)));
        CHECK(shape_same(s, one, true) && shape_bytes(s) >= shape_bytes_unpadded(s));
        q = text.p;
        CHECK(shape_intern(&table, &arena, &q, end, &e) == one);
        buf_free(&text);
        buf_free(&again);
    }
    shape_table_free(&table);
}

int main(void)
{
    for (int t = PRIM_PRED; t < PRIM_COUNT; t++)
        if (prim_name((enum prim)t)[0] != '?')
            CHECK(prim_of(str_of(prim_name((enum prim)t))) == (enum prim)t);
    CHECK(prim_of(STR("f31")) == PRIM_UNKNOWN && prim_bytes(PRIM_S4) == 1 && prim_bits(PRIM_S4) == 4);
    sizes();
    refused();
    printed();
    round_trip();
    int64_t at[] = {1, 0}, off[] = {2};
    const struct shape *s = parse("(f32[2]{0}, (s32[], token[]))");
    CHECK(shape_at(s, at, 2) && shape_at(s, at, 2)->type == PRIM_S32 && !shape_at(s, off, 1));
    arena_free(&arena);
    DONE;
}
