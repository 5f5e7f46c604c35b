/* How often a while loop runs. */
#include "hlo.h"
#include "lex.h"
#include "num.h"

/* "known_trip_count":{"n":"8"} of backend_config. */
static int64_t known(const struct hlo_instr *i)
{
    struct str key = STR("known_trip_count");
    size_t at = str_find(i->backend_config, key);
    int64_t n = -1;
    if (at == SIZE_MAX) return -1;
    const char *p = i->backend_config.p + at + key.n, *end = i->backend_config.p + i->backend_config.n;
    while (p < end && *p != '}' && (*p < '0' || *p > '9')) p++;
    lex_int(p, end, &n);
    return n;
}

/* An instruction as seen from outside the fusion it may be in. */
struct value {
    const struct hlo_instr *at, *fusion; /* fusion: NULL outside */
};

static const struct hlo_instr *operand(const struct hlo_module *m, const struct hlo_instr *i, uint32_t k)
{
    return i && k < i->noperand && i->operand[k] != HLO_NONE ? &m->instr[i->operand[k]] : NULL;
}

static const struct hlo_instr *root_of(const struct hlo_module *m, uint32_t c)
{
    return c == HLO_NONE || m->computation[c].root == HLO_NONE ? NULL : &m->instr[m->computation[c].root];
}

/* Through what hands a number on unchanged, into fusions and out of them, to where it is made. */
static struct value trace(const struct hlo_module *m, struct value v)
{
    static const char *const same[] = {"copy",      "bitcast",    "convert", "reshape",
                                       "copy-done", "copy-start", NULL};
    for (int step = 0; v.at && step < 64; step++) {
        bool hand_on = false;
        for (const char *const *s = same; *s; s++) hand_on |= hlo_is(v.at, *s);
        if (hlo_is(v.at, "parameter") && v.fusion && v.at->number >= 0 && v.at->number < UINT32_MAX)
            v = (struct value){operand(m, v.fusion, (uint32_t)v.at->number), NULL};
        else if (hlo_is(v.at, "fusion") && !v.fusion)
            v = (struct value){root_of(m, hlo_called(v.at, HLO_CALLS)), v.at};
        else if (hlo_is(v.at, "get-tuple-element") && operand(m, v.at, 0) && v.at->number >= 0 &&
                 v.at->number < UINT32_MAX && hlo_is(operand(m, v.at, 0), "tuple"))
            v.at = operand(m, operand(m, v.at, 0), (uint32_t)v.at->number);
        else if (hand_on)
            v.at = operand(m, v.at, 0);
        else
            break;
    }
    return v;
}

static struct value in(const struct hlo_module *m, struct value of, uint32_t k)
{
    return trace(m, (struct value){operand(m, of.at, k), of.fusion});
}

static bool constant(struct value v, int64_t *n)
{
    return v.at && hlo_is(v.at, "constant") && !num_i64(str_trim(v.at->literal), n);
}

enum { WHOLE = INT32_MAX }; /* what goes round is the variable itself, no tuple */

/* The loop variable's place in the tuple that goes round, or WHOLE; -1: it is none. */
static int64_t variable(const struct hlo_module *m, struct value v)
{
    if (v.at && hlo_is(v.at, "parameter") && !v.fusion && v.at->shape->type != PRIM_TUPLE) return WHOLE;
    const struct hlo_instr *tuple = v.at && hlo_is(v.at, "get-tuple-element") ? operand(m, v.at, 0) : NULL;
    return tuple && hlo_is(tuple, "parameter") && !v.fusion ? v.at->number : -1;
}

/* Element k of what goes round, where it is made. */
static struct value element(const struct hlo_module *m, const struct hlo_instr *i, int64_t k)
{
    if (k != WHOLE) i = i && hlo_is(i, "tuple") ? operand(m, i, (uint32_t)k) : NULL;
    return trace(m, (struct value){i, NULL});
}

/* How far one round moves element k; 0: unknown. */
static int64_t step_of(const struct hlo_module *m, const struct hlo_instr *w, int64_t k)
{
    struct value next = element(m, root_of(m, hlo_called(w, HLO_BODY)), k);
    int64_t n;
    if (!next.at) return 0;
    bool minus = hlo_is(next.at, "subtract");
    if (!minus && !hlo_is(next.at, "add")) return 0;
    struct value a = in(m, next, 0), b = in(m, next, 1);
    if (variable(m, a) == k && constant(b, &n)) return minus ? num_mul(n, -1) : n;
    if (!minus && variable(m, b) == k && constant(a, &n)) return n;
    return 0;
}

/* Rounds of `for (v = from; v DIR to; v += step)`. */
static int64_t rounds(int64_t from, int64_t to, int64_t step, struct str dir)
{
    if (str_is(dir, "GT") || str_is(dir, "GE")) {
        int64_t swap = from;
        from = to, to = swap, step = num_mul(step, -1);
        dir = str_is(dir, "GT") ? STR("LT") : STR("LE");
    }
    __int128 far = (__int128)to - from + str_is(dir, "LE");
    if (str_is(dir, "NE") && step && far % step == 0) return far / step >= 0 ? (int64_t)(far / step) : -1;
    if ((!str_is(dir, "LT") && !str_is(dir, "LE")) || step <= 0) return -1;
    if (far <= 0) return 0;
    __int128 n = (far + step - 1) / step;
    return n > INT64_MAX ? -1 : (int64_t)n;
}

static struct str mirrored(struct str dir)
{
    static const struct {
        struct str a, b;
    } pair[] = {
        {STR("LT"), STR("GT")}, {STR("LE"), STR("GE")}, {STR("GT"), STR("LT")}, {STR("GE"), STR("LE")}};
    for (size_t k = 0; k < 4; k++)
        if (str_eq(dir, pair[k].a)) return pair[k].b;
    return dir;
}

static int64_t inferred(const struct hlo_module *m, const struct hlo_instr *w)
{
    struct value test = trace(m, (struct value){root_of(m, hlo_called(w, HLO_CONDITION)), NULL});
    int64_t from, to;
    if (!test.at || !hlo_is(test.at, "compare")) return -1;
    struct str dir = hlo_attr(test.at, "direction");
    struct value a = in(m, test, 0), b = in(m, test, 1);
    if (constant(a, &to)) {
        struct value swap = a;
        a = b, b = swap;
        dir = mirrored(dir);
    }
    int64_t k = variable(m, a);
    if (k < 0 || k > WHOLE || !constant(b, &to) || !constant(element(m, operand(m, w, 0), k), &from))
        return -1;
    return rounds(from, to, step_of(m, w, k), dir);
}

int64_t hlo_trip_count(const struct hlo_module *m, const struct hlo_instr *i)
{
    if (!hlo_is(i, "while")) return -1;
    int64_t n = known(i);
    return n >= 0 ? n : inferred(m, i);
}
