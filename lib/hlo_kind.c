/* What an instruction is by its opcode: whether it is work, and XLA's op category (spec: HLO text 4.8). */
#include "hlo.h"

enum { IDLE = 1, DATA = 2, ELEMENTWISE = 4 }; /* launches nothing; moves data only; one element at a time */

static const struct opcode {
    struct str name;
    int is;
} opcode[] = {
    /* in byte order: searched by halves */
    {STR("abs"), ELEMENTWISE},
    {STR("acos"), ELEMENTWISE},
    {STR("acosh"), ELEMENTWISE},
    {STR("add"), ELEMENTWISE},
    {STR("add-dependency"), IDLE},
    {STR("after-all"), IDLE},
    {STR("and"), ELEMENTWISE},
    {STR("asin"), ELEMENTWISE},
    {STR("asinh"), ELEMENTWISE},
    {STR("atan2"), ELEMENTWISE},
    {STR("atanh"), ELEMENTWISE},
    {STR("bitcast"), IDLE},
    {STR("bitcast-convert"), ELEMENTWISE},
    {STR("cbrt"), ELEMENTWISE},
    {STR("ceil"), ELEMENTWISE},
    {STR("clamp"), ELEMENTWISE},
    {STR("compare"), ELEMENTWISE},
    {STR("complex"), ELEMENTWISE},
    {STR("constant"), ELEMENTWISE | IDLE},
    {STR("convert"), ELEMENTWISE},
    {STR("copy"), DATA},
    {STR("cosh"), ELEMENTWISE},
    {STR("cosine"), ELEMENTWISE},
    {STR("count-leading-zeros"), ELEMENTWISE},
    {STR("divide"), ELEMENTWISE},
    {STR("domain"), IDLE},
    {STR("dynamic-reshape"), DATA},
    {STR("erf"), ELEMENTWISE},
    {STR("exponential"), ELEMENTWISE},
    {STR("exponential-minus-one"), ELEMENTWISE},
    {STR("floor"), ELEMENTWISE},
    {STR("get-dimension-size"), IDLE},
    {STR("get-tuple-element"), IDLE},
    {STR("imag"), ELEMENTWISE},
    {STR("is-finite"), ELEMENTWISE},
    {STR("log"), ELEMENTWISE},
    {STR("log-plus-one"), ELEMENTWISE},
    {STR("logistic"), ELEMENTWISE},
    {STR("maximum"), ELEMENTWISE},
    {STR("minimum"), ELEMENTWISE},
    {STR("multiply"), ELEMENTWISE},
    {STR("negate"), ELEMENTWISE},
    {STR("not"), ELEMENTWISE},
    {STR("opt-barrier"), IDLE},
    {STR("optimization-barrier"), IDLE},
    {STR("or"), ELEMENTWISE},
    {STR("parameter"), IDLE},
    {STR("popcnt"), ELEMENTWISE},
    {STR("power"), ELEMENTWISE},
    {STR("real"), ELEMENTWISE},
    {STR("reduce-precision"), ELEMENTWISE},
    {STR("remainder"), ELEMENTWISE},
    {STR("reshape"), DATA},
    {STR("rng"), ELEMENTWISE},
    {STR("round-nearest-afz"), ELEMENTWISE},
    {STR("round-nearest-even"), ELEMENTWISE},
    {STR("rsqrt"), ELEMENTWISE},
    {STR("select"), ELEMENTWISE},
    {STR("shift-left"), ELEMENTWISE},
    {STR("shift-right-arithmetic"), ELEMENTWISE},
    {STR("shift-right-logical"), ELEMENTWISE},
    {STR("sign"), ELEMENTWISE},
    {STR("sine"), ELEMENTWISE},
    {STR("sinh"), ELEMENTWISE},
    {STR("sqrt"), ELEMENTWISE},
    {STR("stochastic-convert"), ELEMENTWISE},
    {STR("subtract"), ELEMENTWISE},
    {STR("tan"), ELEMENTWISE},
    {STR("tanh"), ELEMENTWISE},
    {STR("transpose"), DATA},
    {STR("tuple"), IDLE},
    {STR("xor"), ELEMENTWISE},
};

static int kind(struct str name)
{
    size_t lo = 0, hi = sizeof opcode / sizeof *opcode;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = str_cmp(name, opcode[mid].name);
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
