/* The estimate from HLO, on programs small enough to count by hand; sizes are CPU's (no tiles) but where
 * said. */
#include "check.h"
#include "live_hlo.h"
#include "shrink.h"
#include <string.h>

struct answer {
    int64_t peak, fixed;
};

static struct answer estimate(const char *text)
{
    struct hlo_module *m = NULL;
    struct err e = {0};
    struct live_estimate x;
    struct live l;
    if (hlo_read_text(text, strlen(text), "test", &m, &e) || !m) {
        hlo_free(m);
        return (struct answer){-1, -1};
    }
    live_estimate(m, &x);
    live_run(x.plan, &(struct live_rules){.event_time = x.event_time, .end_time = x.end_time}, &l);
    struct answer a = {l.peak, l.indefinite};
    CHECK(l.basis == LIVE_ESTIMATE && !l.faults);
    CHECK(live_peak(l.hold, l.nhold, l.nstep, true, NULL) + l.fixed == l.peak);
    live_free(&l);
    live_estimate_free(&x);
    return a;
}
#define IS(text, p, f)                                                                                       \
    do {                                                                                                     \
        struct answer a_ = estimate(text);                                                                   \
        CHECK(a_.peak == (p) && a_.fixed == (f));                                                            \
        if (a_.peak != (p) || a_.fixed != (f))                                                               \
            printf("  %lld %lld\n", (long long)a_.peak, (long long)a_.fixed);                                \
    } while (0)
#define HEAD "HloModule m, is_scheduled=true\n\n"

/* Two temporaries of 400 bytes are there at once; neither fits the output. */
static void straight(void)
{
    IS(HEAD "ENTRY e {\n  p = f32[100]{0} parameter(0)\n  a = f32[100]{0} sine(p)\n"
            "  b = f32[100]{0} reverse(a), dimensions={0}\n  ROOT c = f32[1]{0} slice(b), slice={[0:1]}\n}\n",
       400 + 4 + 800, 404);
    /* elementwise: b is written over a */
    IS(HEAD "ENTRY e {\n  p = f32[100]{0} parameter(0)\n  a = f32[100]{0} sine(p)\n"
            "  b = f32[100]{0} cosine(a)\n  ROOT c = f32[1]{0} slice(b), slice={[0:1]}\n}\n",
       400 + 4 + 400, 404);
    /* the output has room: a lives in it */
    IS(HEAD "ENTRY e {\n  p = f32[100]{0} parameter(0)\n  a = f32[100]{0} sine(p)\n"
            "  ROOT c = f32[100]{0} cosine(a)\n}\n",
       800, 800);
    /* but not where both are needed at once */
    IS(HEAD "ENTRY e {\n  p = f32[100]{0} parameter(0)\n  a = f32[100]{0} sine(p)\n"
            "  ROOT c = f32[100]{0} reverse(a), dimensions={0}\n}\n",
       1200, 800);
}

static void tuples(void)
{
    /* table of 16 bytes; forwarding costs nothing */
    IS(HEAD "ENTRY e {\n  p = f32[10]{0} parameter(0)\n  t = (f32[10]{0}, f32[10]{0}) tuple(p, p)\n"
            "  g = f32[10]{0} get-tuple-element(t), index=1\n  ROOT r = f32[1]{0} slice(g), "
            "slice={[0:1]}\n}\n",
       40 + 4 + 16, 44);
    /* donated: the output is the parameter */
    IS("HloModule m, is_scheduled=true, input_output_alias={ {}: (0, {}, may-alias) }\n\nENTRY e {\n"
       "  p = f32[10]{0} parameter(0)\n  ROOT r = f32[10]{0} negate(p)\n}\n",
       40, 40);
}

/* State of a loop is one buffer; what the body needs beside it comes on top. */
static void loops(void)
{
    const char *loop = HEAD
        "body {\n  s = (s32[], f32[100]{0}) parameter(0)\n  i = s32[] get-tuple-element(s), index=0\n"
        "  x = f32[100]{0} get-tuple-element(s), index=1\n  one = s32[] constant(1)\n"
        "  j = s32[] add(i, one)\n  y = f32[100]{0} reverse(x), dimensions={0}\n"
        "  z = f32[100]{0} add(x, y)\n  ROOT t = (s32[], f32[100]{0}) tuple(j, z)\n}\n\n"
        "cond {\n  s.1 = (s32[], f32[100]{0}) parameter(0)\n  i.1 = s32[] get-tuple-element(s.1), index=0\n"
        "  n = s32[] constant(9)\n  ROOT c = pred[] compare(i.1, n), direction=LT\n}\n\n"
        "ENTRY e {\n  p = f32[100]{0} parameter(0)\n  zero = s32[] constant(0)\n  q = f32[100]{0} copy(p)\n"
        "  k = s32[] copy(zero)\n  t.1 = (s32[], f32[100]{0}) tuple(k, q)\n"
        "  w = (s32[], f32[100]{0}) while(t.1), condition=cond, body=body\n"
        "  ROOT r = f32[100]{0} get-tuple-element(w), index=1\n}\n";
    /* p, the state (it is the output), three constants; j, the condition, y: the state's table is not read
     * any more */
    IS(loop, 400 + 400 + 12 + 4 + 1 + 400, 812);
}

/* In place: the update costs nothing but the update. */
static void updates(void)
{
    IS(HEAD
       "ENTRY e {\n  p = f32[100]{0} parameter(0)\n  i = s32[] parameter(1)\n  u = f32[1]{0} parameter(2)\n"
       "  q = f32[100]{0} reverse(p), dimensions={0}\n"
       "  ROOT d = f32[100]{0} dynamic-update-slice(q, u, i)\n}\n",
       400 + 4 + 4 + 400, 808);
}

/* An operand of an asynchronous pair lives until it is done; S(1) is another memory; TPU sizes. */
static void spaces(void)
{
    IS(HEAD "ENTRY e {\n  p = f32[1024]{0:T(1024)} parameter(0)\n"
            "  s = (f32[1024]{0:T(1024)S(1)}, f32[1024]{0:T(1024)}, u32[]{:S(2)}) copy-start(p)\n"
            "  d = f32[1024]{0:T(1024)S(1)} copy-done(s)\n"
            "  ROOT r = f32[1000]{0:T(1024)} slice(d), slice={[0:1000]}\n}\n",
       4096 + 4096 + 512, 8192);
}

static void branches(void)
{
    IS(HEAD
       "yes {\n  a = f32[100]{0} parameter(0)\n  b = f32[100]{0} reverse(a), dimensions={0}\n"
       "  ROOT c = f32[100]{0} add(a, b)\n}\n\nno {\n  ROOT d = f32[100]{0} parameter(0)\n}\n\n"
       "ENTRY e {\n  w = pred[] parameter(0)\n  p = f32[100]{0} parameter(1)\n  q = f32[100]{0} copy(p)\n"
       "  r = f32[100]{0} copy(p)\n"
       "  ROOT x = f32[100]{0} conditional(w, q, r), true_computation=yes, false_computation=no\n}\n",
       1 + 400 + 400 + 400 + 400, 801);
}

/* How far the peak falls if what is idle over it were dropped and made again. */
static int64_t recompute(const char *text)
{
    struct hlo_module *m = NULL;
    struct err e = {0};
    struct live_estimate x;
    struct live l;
    struct shrink s;
    int64_t falls = 0;
    if (hlo_read_text(text, strlen(text), "test", &m, &e) || !m) return -1;
    live_estimate(m, &x);
    live_run(x.plan, &(struct live_rules){.event_time = x.event_time, .end_time = x.end_time}, &l);
    shrink_peak(&l, &s);
    for (size_t i = 0; i < s.n; i++)
        if (s.row[i].cause == SHRINK_RECOMPUTE && s.row[i].all) falls = l.peak - s.row[i].peak_after;
    shrink_free(&s);
    live_free(&l);
    live_estimate_free(&x);
    return falls;
}

static void idle(void)
{
#define MIDDLE                                                                                               \
    HEAD "ENTRY e {\n  p = f32[100]{0} parameter(0)\n  a = f32[100]{0} reverse(p), dimensions={0}\n"         \
         "  b = f32[1000]{0} iota(), iota_dimension=0\n"
#define REST                                                                                                 \
    "  d = f32[1]{0} slice(c), slice={[0:1]}\n  g = f32[1]{0} slice(a), slice={[0:1]}\n"                     \
    "  ROOT r = f32[1]{0} subtract(d, g)\n}\n"
    CHECK(recompute(MIDDLE "  c = f32[1000]{0} reverse(b), dimensions={0}\n" REST) == 400);
    /* used at the peak: it must stay */
    CHECK(recompute(MIDDLE "  c = f32[1000]{0} dynamic-update-slice(b, a, p)\n"
                           "  f = f32[1000]{0} custom-call(c, a), custom_call_target=\"x\"\n" REST) == 0);
}

static void hostile(void)
{
    /* a computation that calls itself, operands that are not there, indexes beyond the tuple */
    estimate(
        HEAD
        "f {\n  a = f32[4]{0} parameter(0)\n  ROOT b = f32[4]{0} call(a), to_apply=f\n}\n\n"
        "ENTRY e {\n  p = f32[4]{0} parameter(0)\n  g = f32[4]{0} get-tuple-element(p), index=7\n"
        "  w = f32[4]{0} while(g), condition=f, body=f\n  ROOT c = f32[4]{0} call(nowhere), to_apply=f\n}\n");
    estimate(HEAD "ENTRY e {\n  ROOT p = (f32[], (f32[?], x99[3])) parameter(0)\n}\n");
    estimate("HloModule empty\n");
}

int main(void)
{
    straight();
    tuples();
    loops();
    updates();
    spaces();
    branches();
    idle();
    hostile();
    DONE;
}
