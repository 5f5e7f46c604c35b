/* What an instruction is by its opcode: whether it is work, and XLA's op category (spec: HLO text 4.8). */
#include "hlo.h"
#include <stdlib.h>

enum { IDLE = 1, DATA = 2, ELEMENTWISE = 4 }; /* launches nothing; moves data only; one element at a time */

static const struct opcode {
    const char *name;
    int is;
} opcode[] = {
    /* in byte order: searched by halves */
    {"abs", ELEMENTWISE},
    {"acos", ELEMENTWISE},
    {"acosh", ELEMENTWISE},
    {"add", ELEMENTWISE},
    {"add-dependency", IDLE},
    {"after-all", IDLE},
    {"and", ELEMENTWISE},
    {"asin", ELEMENTWISE},
    {"asinh", ELEMENTWISE},
    {"atan2", ELEMENTWISE},
    {"atanh", ELEMENTWISE},
    {"bitcast", IDLE},
    {"bitcast-convert", ELEMENTWISE},
    {"cbrt", ELEMENTWISE},
    {"ceil", ELEMENTWISE},
    {"clamp", ELEMENTWISE},
    {"compare", ELEMENTWISE},
    {"complex", ELEMENTWISE},
    {"constant", ELEMENTWISE | IDLE},
    {"convert", ELEMENTWISE},
    {"copy", DATA},
    {"cosh", ELEMENTWISE},
    {"cosine", ELEMENTWISE},
    {"count-leading-zeros", ELEMENTWISE},
    {"divide", ELEMENTWISE},
    {"domain", IDLE},
    {"dynamic-reshape", DATA},
    {"erf", ELEMENTWISE},
    {"exponential", ELEMENTWISE},
    {"exponential-minus-one", ELEMENTWISE},
    {"floor", ELEMENTWISE},
    {"get-dimension-size", IDLE},
    {"get-tuple-element", IDLE},
    {"imag", ELEMENTWISE},
    {"is-finite", ELEMENTWISE},
    {"log", ELEMENTWISE},
    {"log-plus-one", ELEMENTWISE},
    {"logistic", ELEMENTWISE},
    {"maximum", ELEMENTWISE},
    {"minimum", ELEMENTWISE},
    {"multiply", ELEMENTWISE},
    {"negate", ELEMENTWISE},
    {"not", ELEMENTWISE},
    {"opt-barrier", IDLE},
    {"optimization-barrier", IDLE},
    {"or", ELEMENTWISE},
    {"parameter", IDLE},
    {"popcnt", ELEMENTWISE},
    {"power", ELEMENTWISE},
    {"real", ELEMENTWISE},
    {"reduce-precision", ELEMENTWISE},
    {"remainder", ELEMENTWISE},
    {"reshape", DATA},
    {"rng", ELEMENTWISE},
    {"round-nearest-afz", ELEMENTWISE},
    {"round-nearest-even", ELEMENTWISE},
    {"rsqrt", ELEMENTWISE},
    {"select", ELEMENTWISE},
    {"shift-left", ELEMENTWISE},
    {"shift-right-arithmetic", ELEMENTWISE},
    {"shift-right-logical", ELEMENTWISE},
    {"sign", ELEMENTWISE},
    {"sine", ELEMENTWISE},
    {"sinh", ELEMENTWISE},
    {"sqrt", ELEMENTWISE},
    {"stochastic-convert", ELEMENTWISE},
    {"subtract", ELEMENTWISE},
    {"tan", ELEMENTWISE},
    {"tanh", ELEMENTWISE},
    {"transpose", DATA},
    {"tuple", IDLE},
    {"xor", ELEMENTWISE},
};

static int cmp(const void *key, const void *o)
{
    return str_cmp(*(const struct str *)key, str_of(((const struct opcode *)o)->name));
}

static int kind(struct str name)
{
    const struct opcode *o = bsearch(&name, opcode, sizeof opcode / sizeof *opcode, sizeof *opcode, cmp);
    return o ? o->is : 0;
}

/* Custom calls that are only marks for the compiler, or names for memory. */
static bool idle_call(struct str target)
{
    static const char *const idle[] = {
        "Sharding",      "SPMDFullToShardShape", "SPMDShardToFullShape",      "LayoutConstraint",
        "ConcatBitcast", "AllocateBuffer",       "AssumeGatherIndicesInBound"};
    for (size_t k = 0; k < sizeof idle / sizeof *idle; k++)
        if (str_is(target, idle[k])) return true;
    return false;
}

bool hlo_launches(const struct hlo_module *m, const struct hlo_instr *i)
{
    if (m->computation[i->computation].embedded || kind(i->opcode) & IDLE) return false;
    if (str_ends(i->opcode, "-done") || str_ends(i->opcode, "-update")) return false;
    return !hlo_is(i, "custom-call") || !idle_call(i->custom_call_target);
}

struct str hlo_category(const struct hlo_instr *i, struct buf *scratch)
{
    int is = kind(i->opcode);
    if (is & DATA) return STR("data formatting");
    if (is & ELEMENTWISE) return STR("non-fusion elementwise");
    if (!hlo_is(i, "fusion")) return i->opcode;
    struct str of = hlo_attr(i, "kind"); /* kLoop: "loop fusion" */
    if (of.n < 2 || of.p[0] != 'k') return i->opcode;
    scratch->n = 0;
    buf_c(scratch, (char)(of.p[1] | 32));
    buf_str(scratch, str_from(of, 2));
    buf_puts(scratch, " fusion");
    return buf_view(scratch);
}
