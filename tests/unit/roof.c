/* The roofline: self time against a quadratic count, executions counted once, limits, names of devices. */
#include "check.h"
#include "num.h"
#include "roof.h"
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned rnd(unsigned n)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return (unsigned)(s % n);
}

#define HEADER                                                                                               \
    "plane\tline\tline_id\tclass\tstart_ps\tdur_ps\tmodule\tdevice\tmatch\tprogram\tinstr\topcode\tdtype\t"  \
    "flops\tbytes\texecution\n"

static void read_rows(struct roof *r, const char *text)
{
    struct err e = {0};
    struct tsv t;
    char path[64];
    const char *paths[] = {path};
    int k = -1, fd = memfd_create("rows", 0);
    sprintf(path, "/proc/self/fd/%d", fd);
    CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text) && !tsv_open(&t, paths, 1, &e));
    CHECK(!roof_open(r, &t, &e));
    while ((k = tsv_next(&t, &e)) > 0) CHECK(!roof_add(r, &t, &e));
    CHECK(k == 0);
    tsv_close(&t);
    close(fd);
    roof_done(r);
}

static const struct roof_row *row_of(const struct roof *r, const char *instr)
{
    for (size_t k = 0; k < r->nrow; k++)
        if (str_is(r->row[k].cell[ROOF_INSTR], instr)) return &r->row[k];
    CHECK(!"no such row");
    return r->row;
}

/* Properly nested random intervals: each event's self time is its own less that of its direct children. */
static void self_times(void)
{
    for (int round = 0; round < 200; round++) {
        int64_t start[40], end[40], self[40];
        int n = 0;
        struct roof r = {0};
        struct buf b = {0};
        for (int64_t at = 0; n < 30; at += 1 + rnd(3)) { /* a tree in order of its starts */
            int64_t stop = at + 1 + rnd(30);
            for (int k = 0; k < n; k++)
                if (end[k] > at && end[k] < stop) stop = end[k]; /* inside all that is open */
            start[n] = at, end[n] = stop, self[n] = stop - at, n++;
        }
        for (int k = 0; k < n; k++) {
            int parent = -1;
            for (int i = 0; i < k; i++)
                if (start[i] <= start[k] && end[i] >= end[k]) parent = i;
            if (parent >= 0) self[parent] -= end[k] - start[k];
        }
        buf_puts(&b, HEADER);
        for (int k = 0; k < n; k++)
            buf_fmt(&b, "p\tl\t1\top\t%lld\t%lld\tm\td\texact\t1\ti%d\tadd\tf32\t1\t1\t0\n",
                    (long long)start[k], (long long)(end[k] - start[k]), k);
        read_rows(&r, buf_cstr(&b));
        CHECK(r.disordered == 0 && r.nrow == (size_t)n);
        for (int k = 0; k < n; k++) {
            char name[16];
            sprintf(name, "i%d", k);
            CHECK(row_of(&r, name)->time_ps[ROOF_WORK] == self[k]);
        }
        buf_free(&b);
        roof_free(&r);
    }
}

static void counting(void)
{
    struct roof r = {0};
    read_rows(&r, HEADER
              /* one execution of two kernels, one more on the other device, a repeat of the first */
              "p0\tl\t1\tkernel\t0\t10\tm\td\texact\t7\tx\tdot\tbf16\t100\t10\t0\n"
              "p0\tl\t1\tkernel\t10\t10\tm\td\texact\t7\tx\tdot\tbf16\t100\t10\t0\n"
              "p1\tl\t1\tkernel\t0\t5\tm\td\texact\t7\tx\tdot\tbf16\t100\t10\t0\n"
              "p0\tl\t1\tkernel\t30\t5\tm\td\texact\t7\tx\tdot\tbf16\t100\t10\t900000000000\n"
              "p0\tl\t1\tkernel\t40\t5\tm\td\texact\t7\tx\tdot\tbf16\t100\t10\t900000000000\n"
              /* the same name in another program; no cost; what is not device time */
              "p0\tl\t1\tkernel\t50\t3\tm2\td\texact\t8\tx\tadd\tf32\t-\t10\t0\n"
              "p0\tl\t1\tasync\t50\t99\tm\td\texact\t7\tx\tdot\tbf16\t100\t10\t1\n"
              "h\tl\t1\thost\t0\t99\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\n"
              "p0\tl\t1\tkernel\t60\t4\t-\td\tnone\t-\t-\t-\t-\t-\t-\t-\n"
              /* the shorter one of two that begin together comes first */
              "p0\to\t1\top\t0\t4\tm\td\texact\t7\tin\tadd\tf32\t1\t1\t0\n"
              "p0\to\t1\top\t0\t9\tm\td\texact\t7\tout\twhile\tf32\t-\t-\t0\n"
              "p0\to\t1\top\t3\t1\tm\td\texact\t7\tlate\tadd\tf32\t1\t1\t0\n"
              "p0\to\t1\top\t2\t1\tm\td\texact\t7\tlate\tadd\tf32\t1\t1\t1\n");
    const struct roof_row *x = row_of(&r, "x");
    CHECK(x->executions == 3 && x->flops == 300 && x->bytes == 30 && x->time_ps[ROOF_WORK] == 35);
    CHECK(row_of(&r, "-")->unmatched && row_of(&r, "-")->time_ps[ROOF_WORK] == 4);
    CHECK(row_of(&r, "in")->time_ps[ROOF_WORK] == 4 && row_of(&r, "out")->time_ps[ROOF_WORK] == 9 - 4 - 2);
    CHECK(row_of(&r, "out")->container && row_of(&r, "late")->executions == 2 && r.disordered == 1);
    CHECK(r.nrow == 6);
    roof_free(&r);
}

static void points(void)
{
    struct peak a = {.sku = STR("A"), .source = STR("sheet"), .bytes_per_s = 1e12}, b = a;
    struct roof_row row = {.time_ps = {1000000}, .flops = 50000000, .bytes = 1000000};
    struct roof_limit l;
    struct roof_point p;
    a.flops[PEAK_BF16] = 1e14;
    b.capture = true, b.bytes_per_s = 2e12, b.source = STR("plane");
    roof_limits(&l, NULL, &a, STR("bf16"));
    roof_point(&p, &row, &l, true);
    CHECK(fabs(p.share - 1) < 1e-12 && p.intensity == 50 && fabs(p.flops_per_s / 5e13 - 1) < 1e-12);
    CHECK(str_is(l.label, "read") && !strcmp(p.bound, "memory") &&
          roof_place(&row, ROOF_WORK, &p) == ROOF_ON);
    CHECK(roof_place(&row, ROOF_LINKS, &p) == ROOF_COLLECTIVE);
    buf_free(&l.source);
    roof_limits(&l, &b, &a, STR("bf16")); /* the capture's bandwidth, the sheet's rate */
    roof_point(&p, &row, &l, true);
    CHECK(fabs(p.share - 0.5) < 1e-12 && str_is(l.label, "capture") &&
          str_is(buf_view(&l.source), "A: sheet; bytes: plane"));
    buf_free(&l.source);
    roof_limits(&l, NULL, &a, STR("s32")); /* no rate for the type */
    roof_point(&p, &row, &l, true);
    CHECK(p.share == -1 && !p.bound && roof_place(&row, ROOF_WORK, &p) == ROOF_NO_PEAK);
    row.flops = 0; /* but none is needed */
    roof_point(&p, &row, &l, true);
    CHECK(fabs(p.share - 1) < 1e-12);
    row.no_bytes = true;
    roof_point(&p, &row, &l, true);
    CHECK(p.share == -1 && roof_place(&row, ROOF_WORK, &p) == ROOF_NO_COST);
    buf_free(&l.source);
}

static const char *sku_of(const struct peaks *p, const char *device, struct buf *clash)
{
    static char name[64];
    clash->n = 0;
    const struct peak *r = peaks_find(p, str_of(device), clash);
    snprintf(name, sizeof name, "%.*s", r ? (int)r->sku.n : 4, r ? r->sku.p : "none");
    return name;
}

static void devices(void)
{
    struct peaks p = {0};
    struct err e = {0};
    struct buf clash = {0};
    CHECK(!peaks_builtin(&p, &e) && p.n > 25);
    CHECK(!strcmp(sku_of(&p, "NVIDIA H100 80GB HBM3", &clash), "H100 SXM"));
    CHECK(peak_flops(peaks_find(&p, STR("NVIDIA H100 80GB HBM3"), &clash), STR("bf16")) == 989.4e12);
    CHECK(!strcmp(sku_of(&p, "NVIDIA H100 PCIe", &clash), "H100 PCIe"));
    CHECK(!strcmp(sku_of(&p, "NVIDIA H100 NVL", &clash), "H100 NVL") &&
          !strcmp(sku_of(&p, "NVIDIA H200", &clash), "H200 SXM"));
    CHECK(!strcmp(sku_of(&p, "AMD gfx942 304cu 192GiB", &clash), "MI300X"));
    CHECK(!strcmp(sku_of(&p, "AMD gfx942 304cu 256GiB", &clash), "MI325X"));
    CHECK(!strcmp(sku_of(&p, "TPU v6 Lite", &clash), "TPU v6e") &&
          !strcmp(sku_of(&p, "TPU v5", &clash), "TPU v5p"));
    CHECK(!strcmp(sku_of(&p, "TPU v5 Lite", &clash), "TPU v5e") &&
          !strcmp(sku_of(&p, "TPU v4", &clash), "TPU v4"));
    CHECK(!strcmp(sku_of(&p, "NVIDIA GeForce RTX 4090 D", &clash), "none") && !clash.n);
    CHECK(!strcmp(sku_of(&p, "", &clash), "none") && !clash.n);
    CHECK(!strcmp(sku_of(&p, "NVIDIA sm_70 80sm 16GiB", &clash), "none"));
    CHECK(str_is(buf_view(&clash), "V100 SXM2 16GB, V100 PCIe 16GB"));
    CHECK(!strcmp(sku_of(&p, "NVIDIA sm_80 108sm 40GiB", &clash),
                  "A100 SXM 40GB")); /* both cards are the same */
    const struct peak *h = peaks_sku(&p, STR("H100 SXM"));
    CHECK(h && peak_flops(h, STR("f8e4m3fn")) == peak_flops(h, STR("f8e5m2")) &&
          peak_flops(h, STR("f8e5m2")) > 1e15);
    CHECK(peak_flops(h, STR("f32")) < 1e14 && peak_flops(h, STR("s32")) == 0 &&
          peak_flops(h, STR("u8")) > 1e15);
    CHECK(!peaks_sku(&p, STR("H100")));
    peaks_free(&p);
    static const char bad[] = "sku,match,bytes_per_s,bf16\nX,a.c,1e9,fast\n",
                      odd[] = "sku,match,bytes_per_s\nX,a[,1\n", none[] = "a,b\n1,2\n";
    CHECK(peaks_csv(&p, bad, sizeof bad - 1, "f", &e) && e.at == 2 && strstr(e.text, "fast"));
    peaks_free(&p), e = (struct err){0};
    CHECK(peaks_csv(&p, odd, sizeof odd - 1, "f", &e) && strstr(e.text, "regular expression"));
    peaks_free(&p), e = (struct err){0};
    CHECK(peaks_csv(&p, none, sizeof none - 1, "f", &e) && strstr(e.text, "bytes_per_s"));
    peaks_free(&p);
    buf_free(&clash);
}

int main(void)
{
    self_times();
    counting();
    points();
    devices();
    DONE;
}
