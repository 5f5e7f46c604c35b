/* Attribution on hand-made programs and events. */
#include "check.h"
#include "match.h"

static struct hlo_module *module(const char *text)
{
    struct hlo_module *m = NULL;
    struct err e = {0};
    CHECK(!hlo_read_text(text, strlen(text), "t", &m, &e) && m);
    return m;
}

struct scene {
    struct matcher x;
    struct hlo_module *m;
    uint32_t program;
    struct match_event ev[64];
    struct match_result r[64];
    size_t n;
};

static void scene_start(struct scene *s, const char *text)
{
    *s = (struct scene){.m = module(text)};
    s->program = match_add(&s->x, s->m, NULL);
}

static enum kernel_kind kind_of_name(const char *name) { return kernel_of(str_of(name)).kind; }

/* A kernel launched by itself; op: what its annotation names, NULL: it has none. */
static void plain(struct scene *s, const char *name, const char *op)
{
    struct match_event *e = &s->ev[s->n++];
    *e = (struct match_event){.name = match_name(&s->x, str_of(name)),
                              .program = op ? s->program : MATCH_UNKNOWN,
                              .instr = op ? hlo_find(s->m, str_of(op)) : HLO_NONE,
                              .kind = (uint8_t)kind_of_name(name),
                              .correlation = 10 * s->n,
                              .start = (int64_t)s->n};
}

/* A kernel of graph `graph` (0: the tracer gives no ids), launched by the call `launch`. */
static void in_graph(struct scene *s, uint64_t launch, uint64_t graph, uint64_t node, const char *name)
{
    struct match_event *e = &s->ev[s->n++];
    *e = (struct match_event){.name = match_name(&s->x, str_of(name)),
                              .program = MATCH_UNKNOWN,
                              .instr = HLO_NONE,
                              .kind = (uint8_t)kind_of_name(name),
                              .correlation = launch,
                              .graph = graph,
                              .node = graph ? graph << 32 | node : 0,
                              .start = (int64_t)s->n};
}

static void decide(struct scene *s) { match_plane(&s->x, s->ev, s->n, s->r); }

static bool is(const struct scene *s, size_t k, enum match_class c, const char *instr)
{
    struct str got = s->r[k].instr == HLO_NONE ? STR("-") : s->m->instr[s->r[k].instr].name;
    if (s->r[k].match == c && str_is(got, instr)) return true;
    printf("event %zu: %s %s %.*s\n", k, match_class_name(s->r[k].match), match_reason_name(s->r[k].reason),
           (int)got.n, got.p);
    return false;
}

static bool is_none(const struct scene *s, size_t k, enum match_reason r)
{
    return is(s, k, MATCH_NONE, "-") && s->r[k].reason == r;
}

static void scene_end(struct scene *s)
{
    match_free(&s->x);
    hlo_free(s->m);
}

#define F32 "f32[8]{0}"
#define FUSED(n, op)                                                                                         \
    "%f" n " (p: " F32 ") -> " F32 " {\n  %p" n " = " F32 " parameter(0)\n  ROOT %r" n " = " F32 " " op      \
    "(%p" n ")\n}\n\n"

/* first, then a graph of three copies and two library calls, then last */
static const char COPIES[] = "HloModule jit_c, is_scheduled=true\n\n" FUSED(
    "a", "exponential") "ENTRY %main (p: " F32 ") -> " F32 " {\n"
                        "  %p = " F32 " parameter(0)\n"
                        "  %first = " F32 " fusion(%p), kind=kLoop, calls=%fa\n"
                        "  %copy.1 = " F32 " copy(%first)\n"
                        "  %copy.2 = " F32 " copy(%copy.1)\n"
                        "  %copy.3 = " F32 " copy(%copy.2)\n"
                        "  %gemm.1 = " F32
                        " custom-call(%copy.3), custom_call_target=\"__cublas$lt$matmul\"\n"
                        "  %gemm.2 = " F32
                        " custom-call(%gemm.1), custom_call_target=\"__cublas$lt$matmul\"\n"
                        "  ROOT %last = " F32 " fusion(%gemm.2), kind=kLoop, calls=%fa\n}\n";

static void copies(size_t ncopy, bool split)
{
    struct scene s;
    scene_start(&s, COPIES);
    plain(&s, "first", "first");
    for (size_t k = 0; k < ncopy; k++) in_graph(&s, 15, 0, 0, "MemcpyD2D");
    in_graph(&s, 15, 0, 0, "nvjet_tst_64x64_splitK");
    if (split) in_graph(&s, 15, 0, 0, "void cublasLt::splitKreduce_kernel<32>");
    in_graph(&s, 15, 0, 0, "nvjet_tst_128x64");
    s.ev[s.n].correlation = 0;
    plain(&s, "last", "last");
    decide(&s);
    CHECK(is(&s, 0, MATCH_EXACT, "first") && is(&s, s.n - 1, MATCH_EXACT, "last"));
    if (ncopy == 3)
        CHECK(is(&s, 1, MATCH_ORDER, "copy.1") && is(&s, 2, MATCH_ORDER, "copy.2") &&
              is(&s, 3, MATCH_ORDER, "copy.3"));
    else
        for (size_t k = 1; k <= ncopy; k++) CHECK(is_none(&s, k, REASON_DROPPED_NEIGHBOUR));
    CHECK(is(&s, ncopy + 1, MATCH_ORDER, "gemm.1") && is(&s, s.n - 2, MATCH_ORDER, "gemm.2"));
    CHECK(s.r[ncopy + 1].parts == (split ? 2 : 1) && s.r[s.n - 2].parts == 1);
    if (split) CHECK(is(&s, ncopy + 2, MATCH_ORDER, "gemm.1") && s.r[ncopy + 2].part == 1);
    scene_end(&s);
}

/* Equal computations share the kernel of the first; a loop of three trips is one graph, launched three times.
 */
static const char LOOP[] =
    "HloModule jit_l, is_scheduled=true\n\n" FUSED("a", "exponential") FUSED("b", "exponential")
        FUSED("d", "tanh") "%body (t: (s32[], " F32 ")) -> (s32[], " F32 ") {\n"
                           "  %t = (s32[], " F32 ") parameter(0)\n"
                           "  %i = s32[] get-tuple-element(%t), index=0\n"
                           "  %x = " F32 " get-tuple-element(%t), index=1\n"
                           "  %twin.1 = " F32 " fusion(%x), kind=kLoop, calls=%fa\n"
                           "  %twin.2 = " F32 " fusion(%twin.1), kind=kLoop, calls=%fb\n"
                           "  ROOT %o = (s32[], " F32 ") tuple(%i, %twin.2)\n}\n\n"
                           "%cond (t.1: (s32[], " F32 ")) -> pred[] {\n"
                           "  %t.1 = (s32[], " F32 ") parameter(0)\n"
                           "  %j = s32[] get-tuple-element(%t.1), index=0\n"
                           "  %three = s32[] constant(3)\n"
                           "  ROOT %lt = pred[] compare(%j, %three), direction=LT\n}\n\n"
                           "ENTRY %main (p: (s32[], " F32 ")) -> " F32 " {\n"
                           "  %p = (s32[], " F32 ") parameter(0)\n"
                           "  %begin = s32[] get-tuple-element(%p), index=0\n"
                           "  %w = (s32[], " F32 ") while(%p), condition=%cond, body=%body, "
                           "backend_config={\"known_trip_count\":{\"n\":\"3\"}}\n"
                           "  %y = " F32 " get-tuple-element(%w), index=1\n"
                           "  ROOT %end = " F32 " fusion(%y), kind=kLoop, calls=%fd\n}\n";

static void loop(void)
{
    struct scene s;
    scene_start(&s, LOOP);
    for (uint64_t trip = 0; trip < 3; trip++) {
        in_graph(&s, 1 + trip, 5, 0, "twin_1");
        if (trip != 1)
            in_graph(&s, 1 + trip, 5, 1, "twin_1"); /* once it is lost: its node tells all the same */
    }
    plain(&s, "end", "end");
    decide(&s);
    CHECK(is(&s, 0, MATCH_ORDER, "twin.1") && is(&s, 1, MATCH_ORDER, "twin.2") &&
          is(&s, 2, MATCH_ORDER, "twin.1"));
    CHECK(is(&s, 3, MATCH_ORDER, "twin.1") && is(&s, 4, MATCH_ORDER, "twin.2") &&
          is(&s, 5, MATCH_EXACT, "end"));
    CHECK(s.r[0].execution == 0 && s.r[2].execution == 1 && s.r[3].execution == 2 && s.r[4].execution == 1);
    scene_end(&s);
}

/* Another library's kernel among ours, and a name that no program knows in a graph of ours. */
static void strangers(void)
{
    struct scene s;
    scene_start(&s, COPIES);
    plain(&s, "first", "first");
    plain(&s, "void at::native::fill<float>", NULL);
    in_graph(&s, 25, 5, 1, "wrapped_unheard_of");
    in_graph(&s, 25, 5, 2, "MemcpyD2D");
    plain(&s, "last", "last");
    s.ev[4].correlation = 90;
    decide(&s);
    CHECK(is_none(&s, 1, REASON_NOT_XLA));
    CHECK(s.r[2].match == MATCH_NONE && s.r[3].match == MATCH_NONE);
    scene_end(&s);
}

/* Nothing but the kernels' names: the program along whose schedule they lie is found; without HLO none is. */
static void alone(void)
{
    struct scene s;
    scene_start(&s, LOOP);
    match_add(&s.x, NULL, NULL);
    in_graph(&s, 1, 5, 0, "twin_1");
    in_graph(&s, 1, 5, 1, "twin_1");
    in_graph(&s, 2, 6, 0, "end");
    decide(&s);
    CHECK(is(&s, 0, MATCH_ORDER, "twin.1") && is(&s, 1, MATCH_ORDER, "twin.2") &&
          is(&s, 2, MATCH_NAME, "end"));
    scene_end(&s);
}

/* Names that the program does not have: its HLO is of another build. */
static void other_build(void)
{
    struct scene s;
    scene_start(&s, COPIES);
    plain(&s, "first", "first");
    for (uint64_t k = 0; k < 8; k++) in_graph(&s, 15, 5, k, k & 1 ? "loop_add_fusion_7" : "MemcpyD2D");
    plain(&s, "last", "last");
    decide(&s);
    CHECK(s.x.program[s.program]->misfit);
    for (size_t k = 1; k < 9; k++) CHECK(is_none(&s, k, REASON_NO_HLO));
    CHECK(is(&s, 0, MATCH_EXACT, "first"));
    scene_end(&s);
}

/* One kernel ran in two orders under one graph id: the graph was updated, nothing is carried over. */
static void updated(void)
{
    struct scene s;
    scene_start(&s, LOOP);
    in_graph(&s, 1, 5, 0, "twin_1");
    in_graph(&s, 1, 5, 1, "twin_1");
    in_graph(&s, 2, 5, 0, "end");
    decide(&s);
    CHECK(s.x.unstable == 1 && is(&s, 2, MATCH_NAME, "end") && is(&s, 1, MATCH_ORDER, "twin.2"));
    scene_end(&s);
}

/* Twenty equal kernels in one graph: where many are lost, it is the run's tail; where one is, nobody knows.
 */
static void tail(size_t seen, enum match_class want)
{
    struct scene s;
    struct buf b = {0};
    buf_puts(&b,
             "HloModule jit_t, is_scheduled=true\n\n" FUSED("a", "exponential") "ENTRY %main (p: " F32
                                                                                ") -> " F32 " {\n  %p = " F32
                                                                                " parameter(0)\n");
    for (int k = 0; k < 20; k++)
        buf_fmt(&b, "  %s%%k.%d = %s fusion(%%p), kind=kLoop, calls=%%fa\n", k == 19 ? "ROOT " : "", k, F32);
    buf_puts(&b, "}\n");
    scene_start(&s, buf_cstr(&b));
    for (size_t k = 0; k < 20; k++) in_graph(&s, 1, 0, 0, "k_0");
    for (size_t k = 0; k < seen; k++) in_graph(&s, 2, 0, 0, "k_0");
    for (size_t k = 0; k < 20; k++) in_graph(&s, 3, 0, 0, "k_0");
    decide(&s);
    CHECK(is(&s, 0, MATCH_ORDER, "k.0") && is(&s, 19, MATCH_ORDER, "k.19"));
    CHECK(s.r[20].match == want && s.r[20 + seen - 1].match == want);
    if (want == MATCH_ORDER) CHECK(is(&s, 20, want, "k.0") && is(&s, 20 + seen - 1, want, "k.7"));
    CHECK(is(&s, 20 + seen, MATCH_ORDER, "k.0") && is(&s, 20 + seen + 19, MATCH_ORDER, "k.19"));
    scene_end(&s);
    buf_free(&b);
}

static void names(void)
{
    struct str base;
    uint32_t n;
    struct buf b = {0};
    kernel_sanitize(STR("9loop-add.fusion$1"), &b);
    CHECK(str_is(buf_view(&b), "_9loop_add_fusion$1"));
    CHECK(kernel_suffix(STR("sort_4_1__12"), &base, &n) && n == 12 && str_is(base, "sort_4_1"));
    CHECK(!kernel_suffix(STR("sort_4_1"), &base, &n) && !kernel_suffix(STR("__3"), &base, &n));
    CHECK(str_is(kernel_plain(STR("x.kd")), "x"));
    CHECK(kernel_of(STR("ncclDevKernel_AllGather_RING_LL(args)")).family == FAMILY_ALL_GATHER);
    CHECK(kernel_of(STR("ncclDevKernel_Generic(args)")).kind == KERNEL_COLLECTIVE);
    CHECK(kernel_of(STR("__amd_rocclr_fillBufferAligned.kd")).kind == KERNEL_SET);
    CHECK(kernel_of(STR("loop_AllGather")).kind == KERNEL_OTHER &&
          kernel_of(STR("Cijk_Post_PostGSU4")).follows);
    CHECK(kernel_of(STR("loop_add_fusion_3.kd")).emitted && !kernel_of(STR("fusion::kernel<int>")).emitted);
    buf_free(&b);
}

static void lists(void)
{
    static const char sequence[] =
        "000: kCommandBuffer [source | sink] \n"
        "    001: kCopy          [source | next=002 (1)] kCopy\n"
        "    002: kCustomKernel [prev=001 (1) | sink] sort_4_1 grid: [8, 1, 1]\n"
        "    003: kCustomKernel [prev=002 (1) | sink] sort_4_1__1 grid: [8, 1, 1]\n"
        "004: kDynamicSliceFusion [source | sink] params=1\n"
        "    005: kCopy [source | sink] kCopy\n"
        "006: kKernel kernel=loop_add, profile_annotation=add.1\nnot a thunk\n";
    static const char metadata[] =
        "thunk_metadata {\n  thunk_info {\n    profile_annotation: \"fusion.4\"\n    thunk_id: 2\n"
        "  }\n}\nthunk_metadata {\n thunk_info {\n  profile_annotation: \"fusion.4\"\n  thunk_id: 3\n"
        "thunk_metadata {\n  thunk_id: 5\n thunk_metadata {\n profile_annotation: \"slice.1\"\n thunk_id: "
        "4\n";
    struct thunk_list t;
    thunks_read(&t, STR("t"), str_n(sequence, sizeof sequence - 1), str_n(metadata, sizeof metadata - 1));
    CHECK(t.n == 4);
    CHECK(str_is(t.thunk[0].instr, "fusion.4") && str_is(t.thunk[0].kernel, "sort_4_1"));
    CHECK(str_is(t.thunk[1].kernel, "sort_4_1__1") && t.thunk[1].launch == LAUNCH_NAMED);
    CHECK(str_is(t.thunk[2].instr, "slice.1") && t.thunk[2].launch == LAUNCH_COPY);
    CHECK(str_is(t.thunk[3].instr, "add.1") && str_is(t.thunk[3].kernel, "loop_add"));
    thunks_free(&t);
}

int main(void)
{
    copies(3, false);
    copies(3, true);
    copies(2, false);
    loop();
    strangers();
    alone();
    other_build();
    updated();
    tail(8, MATCH_ORDER);
    tail(19, MATCH_NONE);
    names();
    lists();
    DONE;
}
