/* HLO text: print modes, pieces, frames, trips, layouts; every prefix of a text gives a prefix of its rows.
 */
#include "check.h"
#include "hlo.h"
#include "hlo_dump.h"
#include "lex.h"

static struct hlo_module *read_n(const char *text, size_t n, struct err *e)
{
    struct hlo_module *m;
    *e = (struct err){0};
    hlo_read_text(text, n, "t", &m, e);
    return m;
}

/* A module that must read without a fault. */
static struct hlo_module *read(const char *text)
{
    struct err e;
    struct hlo_module *m = read_n(text, strlen(text), &e);
    if (e.text[0]) printf("line %d: %s\n", (int)e.at, e.text);
    CHECK(m && !e.text[0]);
    return m;
}

static const struct hlo_instr *at(const struct hlo_module *m, const char *name)
{
    uint32_t k = hlo_find(m, str_of(name));
    CHECK(k != HLO_NONE);
    return &m->instr[k];
}

static bool operand_is(const struct hlo_module *m, const char *name, uint32_t k, const char *operand)
{
    const struct hlo_instr *i = at(m, name);
    return k < i->noperand && i->operand[k] != HLO_NONE && str_is(m->instr[i->operand[k]].name, operand);
}

static void modes(void)
{
    static const char *const text[] = {
        /* long */
        "HloModule m, is_scheduled=true\n\n%f (p: f32[2]) -> f32[2] {\n"
        "  %p = f32[2]{0} parameter(0)\n  ROOT %n.1 = f32[2]{0} negate(f32[2]{0} %p)\n}\n\n"
        "ENTRY %e.2 (x: f32[2], y: (f32[2], s32[])) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n"
        "  %y = (f32[2]{0}, s32[]) parameter(1)\n"
        "  ROOT %u = f32[2]{0} fusion((f32[2]{0}, s32[]) %y, /*index=1*/f32[2]{0} %x), kind=kLoop, "
        "calls=%f\n}\n",
        /* short */
        "HloModule m, is_scheduled=true\n\nf {\n  p = f32[2]{0} parameter(0)\n  ROOT n.1 = f32[2]{0} "
        "negate(p)\n}\n"
        "ENTRY e.2 {\n  x = f32[2]{0} parameter(0)\n  y = (f32[2]{0}, s32[]) parameter(1)\n"
        "  ROOT u = f32[2]{0} fusion(y, x), kind=kLoop, calls=f\n}\n",
        /* mixed, on few lines, with comments and breaks where XLA has none */
        "// made by hand\nHloModule m, is_scheduled=true\r\n f { p = f32[2]{0} parameter(0)\n  ROOT n.1 = "
        "f32[2]{0}\n"
        "negate(p) }\nENTRY e.2 { // the entry\n  x = f32[2]{0} parameter(0)\n  y = (f32[2]{0}, s32[]) "
        "parameter(1)\n"
        "  ROOT %u = f32[2]{0} fusion(%y, x), // two\n    kind=kLoop\n    , calls=%f }\n",
    };
    for (size_t k = 0; k < sizeof text / sizeof *text; k++) {
        struct hlo_module *m = read(text[k]);
        if (!m) continue;
        CHECK(m->ninstr == 5 && m->ncomputation == 2 && m->entry == 1 && m->scheduled &&
              str_is(m->name, "m"));
        CHECK(operand_is(m, "n.1", 0, "p") && operand_is(m, "u", 0, "y") && operand_is(m, "u", 1, "x"));
        CHECK(hlo_called(at(m, "u"), HLO_CALLS) == 0 && m->computation[0].embedded &&
              !m->computation[1].embedded);
        CHECK(str_is(m->computation[1].name, "e.2") && m->computation[1].root == 4 && m->instr[4].root);
        CHECK(str_is(hlo_attr(at(m, "u"), "kind"), "kLoop") && at(m, "y")->number == 1);
        hlo_free(m);
    }
}

static void pieces(void)
{
    struct hlo_module *m = read("  %a = f32[] add(%b, %c)\n  ROOT b = f32[] parameter(0)"); /* no line end */
    CHECK(m && m->ninstr == 2 && m->missing == 1 && operand_is(m, "a", 0, "b") &&
          m->instr[0].operand[1] == HLO_NONE);
    hlo_free(m);
    m = read("{\n  ROOT b = f32[] parameter(0)\n}\n%g (x: s32[]) -> s32[] {\n  x = s32[] parameter(0)\n}\n");
    CHECK(m && m->ncomputation == 2 && m->entry == 1 && m->computation[1].root == 1);
    hlo_free(m);
    m = read("HloModule a\na { ROOT p = f32[] parameter(0) }\nb { ROOT p = f32[9] parameter(0)\n q = f32[] "
             "copy(p) }\n"
             "ENTRY e { ROOT q = f32[2] parameter(0) }\nc { z = f32[] parameter(0) }\n");
    CHECK(m && m->entry == 2 && at(m, "p")->computation == 0 && at(m, "q")->computation == 2);
    CHECK(m && m->instr[2].operand[0] == 1); /* a name means the one of its own computation */
    hlo_free(m);
}

static void values(void)
{
    struct hlo_module *m =
        read("HloModule a, input_output_alias={ {1}: (0, {}, must-alias), {}: (2, {3,0}, may-alias) }\n"
             "ENTRY e {\n  p = f32[] parameter(0), origin={{\"p\"}}\n"
             "  c = c64[2]{0} constant({(1, 2), (3, \"}\")})\n"
             "  z = f32[] custom-call(p), custom_call_target=\"x\\\"y\", "
             "frontend_attributes={a={\n\"b\":\"}\"\n}}, "
             "metadata={op_name=\"a\\\\b/\\303\\251\" source_file=\"\" source_line=3 stack_frame_id=7}, "
             "backend_config=\"{\\\"n\\\":1}\"\n  w = (f32[]) custom-call(z), k={1}, metadata={}, late=2\n}, "
             "execution_thread=\"t\"\n");
    if (!m) return;
    const struct hlo_instr *z = at(m, "z");
    CHECK(str_is(at(m, "c")->literal, "{(1, 2), (3, \"}\")}") &&
          str_is(at(m, "p")->attributes, "origin={{\"p\"}}"));
    CHECK(str_is(z->custom_call_target, "x\"y") && str_is(z->op_name, "a\\b/\303\251") &&
          z->stack_frame == 7);
    CHECK(str_is(z->backend_config, "{\"n\":1}") && !z->source_file.n && str_ends(z->attributes, "\n}}"));
    CHECK(str_is(at(m, "w")->attributes, "k={1}, late=2") && str_is(m->computation[0].execution_thread, "t"));
    CHECK(m->nalias == 2 && m->alias[0].must && m->alias[0].output[0] == 1 && !m->alias[0].nparam_index);
    CHECK(!m->alias[1].must && m->alias[1].parameter == 2 && m->alias[1].nparam_index == 2 &&
          !m->alias[1].noutput);
    hlo_free(m);
}

static void async(void)
{
    struct hlo_module *m = read(
        "HloModule a\nw { p = f32[4] parameter(0)\n ROOT s = f32[2] slice(p), slice={[0:2]} }\n"
        "v { q = f32[4] parameter(0)\n n = f32[4] negate(q)\n ROOT s2 = f32[2] slice(n), slice={[0:2]} }\n"
        "ENTRY e { x = f32[4] parameter(0)\n a = ((f32[4]), f32[2]) async-start(x), calls=w\n"
        " b = ((f32[4]), f32[2]) slice-start(x), slice={[0:2]}\n c = ((f32[4]), f32[2]) async-start(x), "
        "calls=v\n"
        " d = f32[2] async-done(a)\n f = f32[2] slice-done(b)\n g = f32[8] all-gather-start(x), "
        "dimensions={0}\n"
        " h = f32[4] dynamic-update-slice(x, d)\n i = (f32[4]) reduce-scatter-start(x), to_apply=r }\n"
        "r { ROOT z = f32[] parameter(0) }\n");
    if (!m) return;
    CHECK(m->computation[0].hidden && !m->computation[1].hidden && !m->computation[0].embedded);
    CHECK(str_is(at(m, "a")->async_op, "slice") && str_is(at(m, "d")->async_op, "slice"));
    CHECK(hlo_is(at(m, "b"), "async-start") && hlo_is(at(m, "f"), "async-done") &&
          str_is(at(m, "f")->async_op, "slice"));
    CHECK(hlo_is(at(m, "g"), "all-gather-start") && !at(m, "g")->async_op.n &&
          hlo_is(at(m, "h"), "dynamic-update-slice"));
    CHECK(m->computation[3].embedded && hlo_launches(m, at(m, "b")) && !hlo_launches(m, at(m, "f")));
    CHECK(!hlo_launches(m, at(m, "x")) && !hlo_launches(m, at(m, "z")) && hlo_launches(m, at(m, "h")));
    hlo_free(m);
}

static int64_t trips(const char *init, const char *step, const char *test, const char *config)
{
    struct buf b = {0};
    buf_fmt(&b,
            "HloModule a\nplus { p0 = s32[] parameter(0)\n one = s32[] constant(1)\n ROOT s = s32[] add(p0, "
            "one) }\n"
            "less { q0 = s32[] parameter(0)\n q1 = s32[] parameter(1)\n ROOT l = pred[] compare(q0, q1), "
            "direction=LT }\n"
            "body { t = (f32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=1\n"
            " f = f32[] get-tuple-element(t), index=0\n k = s32[] constant(2)\n n = s32[] %s\n"
            " ROOT r = (f32[], s32[]) tuple(f, n) }\n"
            "cond { t = (f32[], s32[]) parameter(0)\n i = s32[] get-tuple-element(t), index=1\n"
            " end = s32[] constant(10)\n ROOT c = pred[] %s }\n"
            "ENTRY e { x = f32[] parameter(0)\n y = s32[] parameter(1)\n z = s32[] constant(%s)\n"
            " c = s32[] copy(z)\n init = (f32[], s32[]) tuple(x, c)\n"
            " ROOT w = (f32[], s32[]) while(init), condition=cond, body=body%s }\n",
            step, test, init, config);
    struct hlo_module *m = read(buf_cstr(&b));
    int64_t n = m ? hlo_trip_count(m, at(m, "w")) : -2;
    CHECK(m && hlo_trip_count(m, at(m, "x")) == -1);
    hlo_free(m);
    buf_free(&b);
    return n;
}

static void loops(void)
{
    static const char lt[] = "compare(i, end), direction=LT", by2[] = "add(i, k)";
    CHECK(trips("0", by2, lt, "") == 5 && trips("1", by2, lt, "") == 5 && trips("9", by2, lt, "") == 1);
    CHECK(trips("10", by2, lt, "") == 0 && trips("0", by2, "compare(i, end), direction=LE", "") == 6);
    CHECK(trips("0", by2, "compare(end, i), direction=GT", "") == 5);
    CHECK(trips("0", by2, "compare(i, end), direction=NE", "") == 5);
    CHECK(trips("1", by2, "compare(i, end), direction=NE", "") == -1); /* steps over it */
    CHECK(trips("20", "subtract(i, k)", "compare(i, end), direction=GT", "") == 5);
    CHECK(trips("20", "subtract(i, k)", "compare(i, end), direction=GE", "") == 6);
    CHECK(trips("0", "add(k, i)", lt, "") == 5 && trips("0", "subtract(i, k)", lt, "") == -1);
    CHECK(trips("0", "multiply(i, k)", lt, "") == -1 &&
          trips("0", by2, "compare(i, i), direction=LT", "") == -1);
    CHECK(trips("0", "fusion(i), kind=kLoop, calls=plus", "fusion(i, end), kind=kLoop, calls=less", "") ==
          10);
    CHECK(trips("0", by2, lt, ", backend_config={\"known_trip_count\":{\"n\":\"3\"},\"x\":9}") == 3);
    CHECK(trips("0", by2, lt, ", backend_config=\"{\\\"known_trip_count\\\":{\\\"n\\\":\\\"4\\\"}}\"") == 4);
    CHECK(trips("-9223372036854775808", "add(i, i)", lt, "") == -1);
}

static void scalar_loop(void)
{
    struct hlo_module *m = read(
        "HloModule a\nb { one = s32[] constant(1)\n p = s32[] parameter(0)\n ROOT s = s32[] add(one, p) }\n"
        "c { end = s32[] constant(5)\n p = s32[] parameter(0)\n ROOT l = pred[] compare(end, p), "
        "direction=GT }\n"
        "ENTRY e { z = s32[] constant(0)\n ROOT w = s32[] while(z), condition=c, body=b }\n");
    CHECK(m && hlo_trip_count(m, at(m, "w")) == 5);
    hlo_free(m);
}

static bool change(const struct hlo_module *m, const char *name, const char *want)
{
    struct buf b = {0};
    bool is = hlo_layout_change(m, at(m, name), &b);
    bool good = want ? is && str_is(buf_view(&b), want) : !is;
    buf_free(&b);
    return good;
}

static void layouts(void)
{
    struct hlo_module *m =
        read("HloModule a\nf { p = f32[2,3]{1,0} parameter(0)\n b = f32[3,2]{0,1} bitcast(p)\n"
             " ROOT c = f32[3,2]{1,0} copy(b) }\ng { p = f32[2,3]{1,0} parameter(0)\n n = f32[2,3]{1,0} "
             "negate(p)\n"
             " ROOT c = f32[2,3]{0,1} copy(n) }\n"
             "ENTRY e { x = f32[2,3]{1,0} parameter(0)\n y = f32[2,3]{0,1} copy(x)\n same = f32[2,3]{1,0} "
             "copy(x)\n"
             " t = f32[3,2]{1,0} transpose(x), dimensions={1,0}\n free = f32[3,2]{0,1} transpose(x), "
             "dimensions={1,0}\n"
             " u = f32[3,2]{1,0} fusion(x), kind=kLoop, calls=f\n v = f32[2,3]{0,1} fusion(x), kind=kLoop, "
             "calls=g\n"
             " one = f32[1,3]{1,0} parameter(1)\n o = f32[1,3]{0,1} copy(one)\n"
             " s = (f32[2,3]{0,1}, f32[2,3]{1,0}, u32[]) copy-start(x) }\n");
    if (!m) return;
    CHECK(change(m, "y", "{1,0}->{0,1}") && change(m, "same", NULL) && change(m, "t", "{1,0}->{0,1}"));
    CHECK(change(m, "free", NULL) && change(m, "u", "{0,1}->{1,0}") && change(m, "v", NULL) &&
          change(m, "o", NULL));
    CHECK(change(m, "s", "{1,0}->{0,1}") && change(m, "x", NULL));
    hlo_free(m);
}

static void categories(void)
{
    static const struct {
        const char *opcode, *attributes, *want;
    } t[] = {{"or", "", "non-fusion elementwise"},
             {"exponential-minus-one", "", "non-fusion elementwise"},
             {"shift-right-arithmetic", "", "non-fusion elementwise"},
             {"abs", "", "non-fusion elementwise"},
             {"xor", "", "non-fusion elementwise"},
             {"constant", "", "non-fusion elementwise"},
             {"copy", "", "data formatting"},
             {"dynamic-reshape", "", "data formatting"},
             {"dot", "", "dot"},
             {"frobnicate", "", "frobnicate"},
             {"fusion", "kind=kLoop, calls=%f", "loop fusion"},
             {"fusion", "kind=kCustom", "custom fusion"},
             {"fusion", "", "fusion"}};
    struct buf b = {0};
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        struct hlo_instr i = {.opcode = str_of(t[k].opcode), .attributes = str_of(t[k].attributes)};
        CHECK(str_is(hlo_category(&i, &b), t[k].want));
    }
    buf_free(&b);
}

static void frames(void)
{
    struct hlo_module *m = read(
        "HloModule a\n\nFileNames\n1 \"/u/a.py\"\n2 \"/v/site-packages/b.py\"\n\nFunctionNames\n1 \"f\"\n\n"
        "FileLocations\n1 {file_name_id=1 function_name_id=1 line=5 end_line=6 column=7}\n"
        "2 {file_name_id=2 function_name_id=9 line=8}\n\nStackFrames\n1 {file_location_id=1 "
        "parent_frame_id=1}\n"
        "2 {file_location_id=2 parent_frame_id=2}\n3 {file_location_id=2 parent_frame_id=4}\n"
        "4 {file_location_id=3 parent_frame_id=77}\n5 {file_location_id=2}\n\n"
        "f { ROOT r = f32[] constant(1), metadata={stack_frame_id=1} }\nENTRY e {\n"
        " a = f32[] constant(1), metadata={stack_frame_id=2}\n b = f32[] constant(1), "
        "metadata={stack_frame_id=3}\n"
        " c = f32[] constant(1), metadata={source_file=\"/u/c.py\" source_line=3 stack_frame_id=99}\n"
        " d = f32[] fusion(), calls=f\n g = f32[] constant(2), metadata={stack_frame_id=4} }\n");
    static const struct {
        const char *name, *source, *stack;
    } t[] = {{"a", "/u/a.py:5", "/v/site-packages/b.py:8 < /u/a.py:5 f"},
             {"b", "/v/site-packages/b.py:8", "/v/site-packages/b.py:8"}, /* its own parent */
             {"c", "/u/c.py:3", "/u/c.py:3"},
             {"d", "/u/a.py:5", "/u/a.py:5 f"},
             {"g", "", "?:0"}};
    struct buf b = {0};
    for (size_t k = 0; m && k < sizeof t / sizeof *t; k++) {
        b.n = 0, hlo_source(m, at(m, t[k].name), NULL, &b);
        CHECK(str_is(buf_view(&b), t[k].source));
        b.n = 0, hlo_stack(m, at(m, t[k].name), &b);
        CHECK(str_is(buf_view(&b), t[k].stack));
    }
    CHECK(hlo_user_file(STR("/a/myjax/x.py"), NULL) && !hlo_user_file(STR("/a/jax/x.py"), NULL));
    CHECK(!hlo_user_file(STR("jax/x.py"), NULL) && !hlo_user_file(STR(""), NULL));
    buf_free(&b);
    hlo_free(m);
}

/* Cut anywhere: the instructions are the first ones of the whole, and a cut is noticed. */
static void prefixes(void)
{
    static const char text[] =
        "HloModule a, x={1}\n\nStackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n"
        "%f (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n"
        "  ROOT %n = f32[2]{0} negate(%p), metadata={op_name=\"n\"}\n}\n\n"
        "ENTRY %e (x: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n"
        "  %c = f32[2]{0} constant({1, 2})\n  %u = f32[2]{0} fusion(%x), kind=kLoop, "
        "calls=%f, backend_config={\"a\":[1]}\n  ROOT %a = f32[2]{0} add(%u, %c)\n}\n";
    struct err e;
    struct hlo_module *all = read(text);
    uint32_t before = 0;
    size_t whole = (size_t)(strstr(text, "\n}\n\nENTRY") - text);
    for (size_t n = 0; all && n < sizeof text - 2; n++) {
        struct hlo_module *m = read_n(text, n, &e);
        CHECK(e.text[0] || (n > whole && n < whole + 5)); /* after the first computation: a whole module */
        uint32_t now = m ? m->ninstr : 0;
        CHECK(now >= before && now <= all->ninstr);
        for (uint32_t k = 0; k < now; k++)
            CHECK(str_eq(m->instr[k].name, all->instr[k].name) &&
                  str_eq(m->instr[k].attributes, all->instr[k].attributes));
        before = now;
        hlo_free(m);
    }
    hlo_free(all);
}

static void dump_names(void)
{
    static const struct {
        const char *path, *id, *index, *pass, *stage;
    } t[] = {
        {"d/module_0012.jit_f.0034.fusion.after_dce.before_cse.txt", "0012", "0034", "dce", "fusion"},
        {"module_0012.jit_f.0034.pass-name.txt.gz", "0012", "0034", "pass-name", ""},
        {"module_0012.jit_f.sm_9.0_gpu_after_optimizations.txt", "0012", "", "", "after_optimizations"},
        {"module_0001.jit_f.before_optimizations.txt", "0001", "", "", "before_optimizations"},
        {"1700.module_0001.jit_f.cpu_after_optimizations.hlo.pb", "0001", "", "", "after_optimizations"},
        {"after_optimizations.txt", "", "", "", "after_optimizations"},
        {"module_x.txt", "", "", "", ""},
        {"module_0001.txt", "0001", "", "", ""},
        {"", "", "", "", ""},
    };
    for (size_t k = 0; k < sizeof t / sizeof *t; k++) {
        struct hlo_dump_name d = hlo_dump_name(str_of(t[k].path));
        CHECK(str_is(d.module_id, t[k].id) && str_is(d.pass_index, t[k].index));
        CHECK(str_is(d.pass, t[k].pass) && str_is(d.stage, t[k].stage));
    }
}

static void tokens(void)
{
    struct buf b = {0};
    struct str key, value, text = STR("a=1, b={x, \"}\"} c=\"q\\\" \" d");
    const char *p = text.p, *end = text.p + text.n;
    int64_t v[3];
    lex_unescape(&b, STR("\\n\\t\\\"\\\\\\x41\\101\\q\\"));
    CHECK(str_is(buf_view(&b), "\n\t\"\\AAq\\"));
    CHECK(lex_field(&p, end, &key, &value) && str_is(key, "a") && str_is(value, "1"));
    CHECK(lex_field(&p, end, &key, &value) && str_is(key, "b") && str_is(value, "{x, \"}\"}"));
    CHECK(lex_field(&p, end, &key, &value) && str_is(key, "c") && str_is(value, "\"q\\\" \""));
    CHECK(lex_field(&p, end, &key, &value) && str_is(key, "d") && !value.n &&
          !lex_field(&p, end, &key, &value));
    CHECK(hlo_ints(STR("{{0,-1},{22}}"), v, 3) == 3 && v[1] == -1 && v[2] == 22 &&
          hlo_ints(STR("1,2,3,4"), v, 2) == 4);
    buf_free(&b);
}

int main(void)
{
    modes();
    pieces();
    values();
    async();
    loops();
    scalar_loop();
    layouts();
    categories();
    frames();
    prefixes();
    dump_names();
    tokens();
    DONE;
}
