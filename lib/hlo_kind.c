/* What an instruction is by its opcode: whether it is work, and XLA's op category (spec: HLO text 4.8). */
#include "hlo.h"

enum { IDLE = 1, DATA = 2, ELEMENTWISE = 4 }; /* launches nothing; moves data only; one element at a time */

static const struct opcode {
    struct str name;
    int is;
} opcode[] = {
    /* in the order of str_cmp_length */
    {STR("or"), ELEMENTWISE},
    {STR("abs"), ELEMENTWISE},
    {STR("add"), ELEMENTWISE},
    {STR("and"), ELEMENTWISE},
    {STR("erf"), ELEMENTWISE},
    {STR("log"), ELEMENTWISE},
    {STR("not"), ELEMENTWISE},
    {STR("rng"), ELEMENTWISE},
    {STR("tan"), ELEMENTWISE},
    {STR("xor"), ELEMENTWISE},
    {STR("acos"), ELEMENTWISE},
    {STR("asin"), ELEMENTWISE},
    {STR("cbrt"), ELEMENTWISE},
    {STR("ceil"), ELEMENTWISE},
    {STR("copy"), DATA},
    {STR("cosh"), ELEMENTWISE},
    {STR("imag"), ELEMENTWISE},
    {STR("real"), ELEMENTWISE},
    {STR("sign"), ELEMENTWISE},
    {STR("sine"), ELEMENTWISE},
    {STR("sinh"), ELEMENTWISE},
    {STR("sqrt"), ELEMENTWISE},
    {STR("tanh"), ELEMENTWISE},
    {STR("acosh"), ELEMENTWISE},
    {STR("asinh"), ELEMENTWISE},
    {STR("atan2"), ELEMENTWISE},
    {STR("atanh"), ELEMENTWISE},
    {STR("clamp"), ELEMENTWISE},
    {STR("floor"), ELEMENTWISE},
    {STR("power"), ELEMENTWISE},
    {STR("rsqrt"), ELEMENTWISE},
    {STR("tuple"), IDLE},
    {STR("cosine"), ELEMENTWISE},
    {STR("divide"), ELEMENTWISE},
    {STR("domain"), IDLE},
    {STR("negate"), ELEMENTWISE},
    {STR("popcnt"), ELEMENTWISE},
    {STR("select"), ELEMENTWISE},
    {STR("bitcast"), IDLE},
    {STR("compare"), ELEMENTWISE},
    {STR("complex"), ELEMENTWISE},
    {STR("convert"), ELEMENTWISE},
    {STR("maximum"), ELEMENTWISE},
    {STR("minimum"), ELEMENTWISE},
    {STR("reshape"), DATA},
    {STR("constant"), ELEMENTWISE | IDLE},
    {STR("logistic"), ELEMENTWISE},
    {STR("multiply"), ELEMENTWISE},
    {STR("subtract"), ELEMENTWISE},
    {STR("after-all"), IDLE},
    {STR("is-finite"), ELEMENTWISE},
    {STR("parameter"), IDLE},
    {STR("remainder"), ELEMENTWISE},
    {STR("transpose"), DATA},
    {STR("shift-left"), ELEMENTWISE},
    {STR("exponential"), ELEMENTWISE},
    {STR("opt-barrier"), IDLE},
    {STR("log-plus-one"), ELEMENTWISE},
    {STR("add-dependency"), IDLE},
    {STR("bitcast-convert"), ELEMENTWISE},
    {STR("dynamic-reshape"), DATA},
    {STR("reduce-precision"), ELEMENTWISE},
    {STR("get-tuple-element"), IDLE},
    {STR("round-nearest-afz"), ELEMENTWISE},
    {STR("get-dimension-size"), IDLE},
    {STR("round-nearest-even"), ELEMENTWISE},
    {STR("stochastic-convert"), ELEMENTWISE},
    {STR("count-leading-zeros"), ELEMENTWISE},
    {STR("shift-right-logical"), ELEMENTWISE},
    {STR("optimization-barrier"), IDLE},
    {STR("exponential-minus-one"), ELEMENTWISE},
    {STR("shift-right-arithmetic"), ELEMENTWISE},
};

static int kind(struct str name)
{
    size_t lo = 0, hi = sizeof opcode / sizeof *opcode;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = str_cmp_length(name, opcode[mid].name);
        if (!c) return opcode[mid].is;
        if (c < 0)
            hi = mid;
        else
            lo = mid + 1;
    }
    return 0;
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
