/* Costs against what XLA and XProf themselves say of small modules (tests/data/cost), and pieces by hand. */
#include "check.h"
#include "cost.h"
#include "hlo_window.h"
#include "inp.h"
#include "num.h"
#include "tsv.h"
#include <math.h>

struct loaded { /* one module and its bytes */
    struct inp in;
    struct hlo_module *m;
};

static bool load(struct loaded *l, const char *file)
{
    struct err e = {0};
    char path[300];
    snprintf(path, sizeof path, "cost/%s", file);
    if (inp_open(&l->in, path, &e) || inp_whole(&l->in, &e)) return false;
    return !hlo_read_text(l->in.data, l->in.size, "test", &l->m, &e);
}

static void unload(struct loaded *l)
{
    hlo_free(l->m);
    inp_close(&l->in, &(struct err){0});
}

/* XLA counts -1 for a custom call, we count nothing. */
static bool near(float ours, double theirs, double unknown)
{
    return fabs((double)ours - theirs) <= 1e-6 * fabs(theirs) + unknown;
}

static void as_xla(void)
{
    struct err e = {0};
    struct tsv t;
    const char *path = "cost/xla.tsv";
    int n = 0;
    CHECK(!tsv_open(&t, &path, 1, &e));
    while (tsv_next(&t, &e) > 0) {
        struct loaded l = {0};
        struct cost_set c;
        char file[100];
        double want[3] = {0};
        snprintf(file, sizeof file, "%.*s", (int)t.cell[0].n, t.cell[0].p);
        for (int k = 0; k < 3; k++) CHECK(tsv_f64(&t, k + 1, &want[k]));
        CHECK(load(&l, file));
        cost_module(l.m, COST_BASE, &c);
        bool ok = near(c.total.flops, want[0], (double)c.unmodelled) &&
                  near(c.total.transcendentals, want[1], 0) &&
                  near(c.total.bytes, want[2], (double)c.unmodelled);
        if (!ok) printf("%s\n", file);
        CHECK(ok);
        n++;
        cost_free(&c);
        unload(&l);
    }
    CHECK(n >= 25);
    tsv_close(&t);
}

static void as_xprof(void)
{
    struct err e = {0};
    struct tsv t;
    const char *path = "cost/xprof.tsv";
    char file[100] = "";
    struct loaded l = {0};
    struct cost_set c = {0};
    int n = 0;
    CHECK(!tsv_open(&t, &path, 1, &e));
    while (tsv_next(&t, &e) > 0) {
        if (!str_is(t.cell[0], file)) {
            if (l.m) cost_free(&c), unload(&l);
            l = (struct loaded){0};
            snprintf(file, sizeof file, "%.*s", (int)t.cell[0].n, t.cell[0].p);
            CHECK(load(&l, file));
            cost_module(l.m, COST_GPU, &c);
        }
        uint32_t i = hlo_find(l.m, t.cell[1]);
        double flops = -2, bytes = -2;
        CHECK(i != HLO_NONE && tsv_f64(&t, 2, &flops) && tsv_f64(&t, 3, &bytes));
        float f = fmaxf(c.instr[i].flops, 0), b = fmaxf(c.instr[i].bytes, 0); /* XProf: unknown is 0 */
        bool ok = fabs((double)f - flops) <= 1e-5 * flops && fabs((double)b - bytes) <= 1e-5 * bytes;
        if (!ok) printf("%s %.*s\n", file, (int)t.cell[1].n, t.cell[1].p);
        CHECK(ok);
        n++;
    }
    CHECK(n > 500);
    cost_free(&c);
    unload(&l);
    tsv_close(&t);
}

static struct cost model_of(const struct hlo_module *m, const struct cost_set *c, const char *name)
{
    uint32_t i = hlo_find(m, str_of(name));
    CHECK(i != HLO_NONE);
    return i == HLO_NONE ? (struct cost){0} : c->model[i];
}

/* Loops times their trips, library calls by what they do. */
static void models(void)
{
    static const char text[] =
        "HloModule t\n\n"
        "%c { %p.1 = (s32[], f32[10]) parameter(0)\n %i.1 = s32[] get-tuple-element(%p.1), index=0\n"
        " %k.1 = s32[] constant(7)\n ROOT %l = pred[] compare(%i.1, %k.1), direction=LT }\n"
        "%b { %p.2 = (s32[], f32[10]) parameter(0)\n %i.2 = s32[] get-tuple-element(%p.2), index=0\n"
        " %x = f32[10] get-tuple-element(%p.2), index=1\n %o = s32[] constant(1)\n %j = s32[] add(%i.2, %o)\n"
        " %y = f32[10] tanh(%x)\n ROOT %t = (s32[], f32[10]) tuple(%j, %y) }\n"
        "%f { %fa = bf16[8,16] parameter(0)\n %fb = f8e4m3fn[16,4] parameter(1)\n"
        " ROOT %fd = f32[8,4] dot(%fa, %fb), lhs_contracting_dims={1}, rhs_contracting_dims={0} }\n"
        "ENTRY %e { %p = (s32[], f32[10]) parameter(0)\n %a = bf16[8,16] parameter(1)\n"
        " %q = f8e4m3fn[16,4] parameter(2)\n"
        " %w = (s32[], f32[10]) while(%p), condition=%c, body=%b, "
        "backend_config={\"known_trip_count\":{\"n\":\"7\"}}\n"
        " %u = (s32[], f32[10]) while(%p), condition=%c, body=%b\n"
        " %g = (f32[8,8], s8[99]) custom-call(%a, %a), custom_call_target=\"__cublas$gemm\", backend_config="
        "{\"gemm_backend_config\":{\"dot_dimension_numbers\":{\"lhs_contracting_dimensions\":[\"1\"]}}}\n"
        " %m = f32[8] custom-call(%a), custom_call_target=\"tpu_custom_call\", backend_config="
        "{\"custom_call_config\":{\"cost_estimate\":{\"flops\":\"5000\",\"transcendentals\":\"7\","
        "\"bytes_accessed\":\"900\"}}}\n"
        " %n = f32[8] custom-call(%a), custom_call_target=\"who\"\n"
        " %v = f32[4,8,8,16] parameter(3)\n %k = f32[3,3,16,32] parameter(4)\n %d = f32[4,8,8,32] "
        "parameter(5)\n"
        " %cf = (f32[4,8,8,32], u8[0]) custom-call(%v, %k), window={size=3x3 pad=1_1x1_1}, "
        "dim_labels=b01f_01io->b01f, custom_call_target=\"__cudnn$convForward\"\n"
        " %ci = (f32[4,8,8,16], u8[0]) custom-call(%d, %k), window={size=3x3 pad=1_1x1_1}, "
        "dim_labels=b01f_01io->b01f, custom_call_target=\"__cudnn$convBackwardInput\"\n"
        " %cw = (f32[3,3,16,32], u8[0]) custom-call(%v, %d), window={size=3x3 pad=1_1x1_1}, "
        "dim_labels=b01f_01io->b01f, custom_call_target=\"__cudnn$convBackwardFilter\"\n"
        " ROOT %z = f32[8,4] fusion(%a, %q), kind=kOutput, calls=%f }\n";
    struct hlo_module *m = NULL;
    struct cost_set c;
    struct err e = {0};
    CHECK(!hlo_read_text(text, sizeof text - 1, "t", &m, &e));
    cost_module(m, COST_BASE, &c);
    CHECK(model_of(m, &c, "w").transcendentals == 70 && model_of(m, &c, "w").flops == 7 * 1 + 8 * 1);
    CHECK(model_of(m, &c, "u").transcendentals == 10 || model_of(m, &c, "u").transcendentals == 70);
    CHECK(model_of(m, &c, "g").flops == 2 * 8 * 8 * 16 && model_of(m, &c, "g").bytes == 4 * 64 + 2 * 2 * 128);
    CHECK(model_of(m, &c, "m").flops == 5000 && model_of(m, &c, "m").bytes == 900);
    CHECK(model_of(m, &c, "n").flops == -1 && model_of(m, &c, "n").bytes == -1);
    float forward = model_of(m, &c, "cf").flops;    /* the three passes of a convolution do the same work */
    CHECK(forward == 2.0f * 16 * 32 * 4 * 22 * 22); /* 22 of 8 * 3 pairs hit the input, per dimension */
    CHECK(model_of(m, &c, "ci").flops == forward && model_of(m, &c, "cw").flops == forward);
    CHECK(c.unmodelled == 6 && c.instr[hlo_find(m, STR("g"))].flops == -1);
    CHECK(c.dtype[hlo_find(m, STR("z"))] == PRIM_BF16 && c.dtype[hlo_find(m, STR("g"))] == PRIM_BF16);
    CHECK(c.dtype[hlo_find(m, STR("n"))] == PRIM_F32);
    cost_free(&c);
    hlo_free(m);
}

static int64_t pairs_by_hand(const struct hlo_window_dim *w, int64_t input, int64_t kernel, int64_t output)
{
    int64_t n = 0;
    for (int64_t k = 0; k < kernel; k++)
        for (int64_t o = 0; o < output; o++) {
            int64_t at = o * w->stride + k * w->rhs_dilate - w->pad_low;
            n += at >= 0 && at % w->lhs_dilate == 0 && at / w->lhs_dilate < input;
        }
    return n;
}

static unsigned rnd(unsigned n)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (unsigned)(s % n);
}

static void windows(void)
{
    struct hlo_window_dim w[HLO_RANK];
    struct hlo_labels l[3];
    for (int i = 0; i < 20000; i++) {
        struct hlo_window_dim d = {1, 1 + rnd(5), (int64_t)rnd(14) - 5, 0, 1 + rnd(6), 1 + rnd(5)};
        int64_t in = rnd(12), k = rnd(12), out = rnd(12);
        CHECK(hlo_window_pairs(&d, in, k, out) == pairs_by_hand(&d, in, k, out));
    }
    CHECK(hlo_window(STR("{size=3x2 stride=2x1 pad=0_1x-1_4 rhs_dilate=1x5 rhs_reversal=1x0}"), w) == 2);
    CHECK(w[0].stride == 2 && w[0].pad_high == 1 && w[1].pad_low == -1 && w[1].rhs_dilate == 5 &&
          w[1].lhs_dilate == 1);
    CHECK(hlo_window(STR(""), w) == 0 && hlo_window(STR("{size=x}"), w) < 0);
    CHECK(!hlo_dim_labels(STR("b01f_o01i->f01b"), l));
    CHECK(l[0].feature == 3 && l[1].batch == 0 && l[1].spatial[1] == 2 && l[2].batch == 3 &&
          l[0].nspatial == 2);
    CHECK(hlo_dim_labels(STR("b01f"), l) && hlo_dim_labels(STR("b01_io->bf"), l));
    CHECK(hlo_group_size(STR("{{0,1},{2,3,4}}")) == 3 && hlo_group_size(STR("[2,4]<=[4,2]T(1,0)")) == 4);
    CHECK(hlo_group_size(STR("{}")) == 1 && hlo_group_size(STR("mesh['a'=4,'b'=2] {'a','b'}")) == 8);
}

int main(void)
{
    as_xla();
    as_xprof();
    models();
    windows();
    DONE;
}
