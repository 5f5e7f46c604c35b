/* Captures made by hand: every wire type, every kind of line, origins, cuts at every byte. */
#include "check.h"
#include "xrow.h"
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

/* ---- a writer of wire bytes ---- */

static void num(struct buf *b, uint64_t v)
{
    for (; v > 127; v >>= 7) buf_c(b, (char)(v | 128));
    buf_c(b, (char)v);
}
static void fv(struct buf *b, unsigned field, int64_t v)
{
    num(b, field << 3);
    num(b, (uint64_t)v);
}
static void fb(struct buf *b, unsigned field, struct str s)
{
    num(b, field << 3 | 2);
    num(b, s.n);
    buf_str(b, s);
}
static void fm(struct buf *b, unsigned field, struct buf *m) /* takes m */
{
    fb(b, field, buf_view(m));
    buf_free(m);
}

enum {
    MODULE = 1,
    PROGRAM,
    OP,
    CORR,
    FLOPS,
    SOURCE,
    FILE_,
    LINE,
    STEP,
    ADD,
    KIND,
    MEMCPY,
    ODD,
    STRING_F1,
    TEXT
};
static const struct {
    int id;
    const char *name;
} stat_name[] = {{MODULE, "hlo_module"},   {PROGRAM, "program_id"}, {OP, "hlo_op"},
                 {CORR, "correlation_id"}, {FLOPS, "flops"},        {SOURCE, "source"},
                 {FILE_, "source_file"},   {LINE, "source_line"},   {STEP, "step_num"},
                 {ADD, "all-reduce.1"},    {KIND, "hlo_category"},  {MEMCPY, "memcpy_details"},
                 {ODD, "my stat"},         {STRING_F1, "jit_f\t1"}, {TEXT, "long text"}};

static void plane_start(struct buf *p, const char *name)
{
    fv(p, 1, 7);
    fb(p, 2, str_of(name));
}

static void plane_names(struct buf *p)
{
    for (size_t i = 0; i < sizeof stat_name / sizeof *stat_name; i++) {
        struct buf entry = {0}, m = {0};
        fv(&entry, 1, stat_name[i].id);
        fv(&m, 1, stat_name[i].id);
        fb(&m, 2, str_of(stat_name[i].name));
        fm(&entry, 2, &m);
        fm(p, 5, &entry);
    }
}

static void stat(struct buf *m, unsigned field, int id, int which, int64_t v)
{
    struct buf s = {0};
    fv(&s, 1, id);
    fv(&s, (unsigned)which, v);
    fm(m, field, &s);
}
static void stat_text(struct buf *m, unsigned field, int id, int which, struct str v)
{
    struct buf s = {0};
    fv(&s, 1, id);
    fb(&s, (unsigned)which, v);
    fm(m, field, &s);
}

/* An event's name, with room for stats of its own: finish with event_name_end. */
static void event_name(struct buf *p, int64_t id, const char *name, const char *display, struct buf *stats)
{
    struct buf entry = {0}, m = {0};
    fv(&m, 1, id);
    fb(&m, 2, str_of(name));
    if (display) fb(&m, 4, str_of(display));
    if (stats) {
        buf_str(&m, buf_view(stats));
        buf_free(stats);
    }
    fv(&entry, 1, id);
    fm(&entry, 2, &m);
    fm(p, 4, &entry);
}

static void event(struct buf *line, int64_t id, int64_t offset, int64_t dur, struct buf *stats)
{
    struct buf e = {0};
    fv(&e, 1, id);
    fv(&e, 2, offset);
    if (dur) fv(&e, 3, dur);
    if (stats) {
        buf_str(&e, buf_view(stats));
        buf_free(stats);
    }
    fm(line, 4, &e);
}

static void line_start(struct buf *l, int64_t id, const char *name, int64_t ns)
{
    fv(l, 1, id);
    fb(l, 2, str_of(name));
    fv(l, 3, ns);
}

static void environment(struct buf *space, uint64_t start)
{
    struct buf p = {0}, entry = {0}, m = {0}, s = {0};
    fb(&p, 2, STR("Task Environment"));
    fv(&m, 1, 4);
    fb(&m, 2, STR("profile_start_time"));
    fv(&entry, 1, 4);
    fm(&entry, 2, &m);
    fm(&p, 5, &entry);
    fv(&s, 1, 4);
    fv(&s, 3, (int64_t)start);
    fm(&p, 6, &s);
    fm(space, 1, &p);
}

/* ---- running it ---- */

static struct xrow_counts counts;

/* The event table of the bytes, with columns `extra`; the first fault in e. */
static char *table(struct str bytes, const char *extra, struct err *e)
{
    static char text[1 << 16];
    struct ev_pick pick = {.extra = {str_of(extra)}, .nextra = extra != NULL};
    struct xspace s;
    struct out out;
    struct tab tab;
    struct xrows r = {.tab = &tab, .pick = &pick};
    int fd = memfd_create("t", 0);
    out_init(&out, dup(fd), "t");
    tab_init(&tab, &out, false);
    *e = (struct err){0};
    int bad = xspace_read(&s, bytes.p, bytes.n, "t", e);
    for (size_t i = 0; i < s.nplane; i++) {
        struct xnames n;
        struct err late = {0};
        if (xnames_read(&n, &s, &s.plane[i], &late)) bad = -1;
        xrows_plane(&r, &n);
        for (size_t k = 0; k < s.plane[i].nline; k++)
            if (xrows_line(&r, &s.plane[i].line[k], &late)) bad = -1;
        xnames_free(&n);
        if (!e->text[0]) *e = late;
    }
    CHECK((bad != 0) == (e->text[0] != 0));
    counts = r.count;
    xrows_free(&r);
    xspace_free(&s);
    CHECK(!out_close(&out, &(struct err){0}));
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    text[got < 0 ? 0 : got] = 0;
    close(fd);
    return text;
}

#define HAS(text, row) CHECK(strstr(text, row) != NULL || (printf("%s", text), 0))

/* A GPU's stream: refs, numbers of both signs, the event's own stat over its name's, copies, collectives. */
static void gpu(void)
{
    struct buf space = {0}, p = {0}, l = {0}, st = {0}, md = {0};
    struct err e;
    plane_start(&p, "/device:GPU:0");
    line_start(&l, 20, "Stream #20(Compute)", 1000);
    stat(&st, 4, CORR, 3, 9);
    stat(&st, 4, MODULE, 7, STRING_F1);
    stat(&st, 4, PROGRAM, 4, -2);
    stat(&st, 4, FLOPS, 4, 50);
    event(&l, 1, 5, 2, &st);
    event(&l, 1, 8, 0, NULL);
    stat(&st, 4, OP, 7, ADD);
    event(&l, 1, 9, 1, &st);
    event(&l, 2, 10, 1, NULL);
    event(&l, 3, 11, 1, NULL);
    stat_text(&st, 4, MEMCPY, 5, STR("size:4"));
    event(&l, 1, 12, 1, &st);
    event(&l, 99, 13, 1, NULL);
    fm(&p, 3, &l);
    line_start(&l, 20, "XLA Ops", 1000); /* made from the streams; the id repeats */
    event(&l, 1, 0, 1, NULL);
    fm(&p, 3, &l);
    stat(&md, 5, FLOPS, 3, 7);
    stat_text(&md, 5, FILE_, 5, STR("a.py"));
    stat(&md, 5, LINE, 4, 12);
    event_name(&p, 1, "fusion", NULL, &md);
    event_name(&p, 2, "ncclDevKernel_AllReduce", NULL, NULL);
    event_name(&p, 3, "__amd_rocclr_fillBufferAligned.kd", NULL, NULL);
    plane_names(&p);
    fm(&space, 1, &p);
    char *t = table(buf_view(&space), NULL, &e);
    CHECK(!e.text[0] && counts.rows == 8 && counts.nameless == 1);
    HAS(t, "/device:GPU:0\tStream "
           "#20(Compute)\t20\tfusion\tkernel\t1000005\t2\tjit_f\\t1\t18446744073709551614\t-\t-\t9\t-\t-\t-\t"
           "-\t-\t50\t-\ta.py:12\n");
    HAS(t, "\tfusion\tkernel\t1000008\t0\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t7\t-\ta.py:12\n");
    HAS(t, "\tfusion\tcollective\t1000009\t1\t-\t-\t-\tall-reduce.1\t");
    HAS(t, "\tncclDevKernel_AllReduce\tcollective\t");
    HAS(t, "\t__amd_rocclr_fillBufferAligned.kd\tmemset\t");
    HAS(t, "\tfusion\tmemcpy\t1000012\t");
    HAS(t, "\t-\tkernel\t1000013\t");
    HAS(t, "XLA Ops\t20\tfusion\tother\t1000000\t");
    buf_free(&space);
}

/* A TPU: the instruction as name, display names, modules and programs by the module's name. */
static void tpu(void)
{
    struct buf space = {0}, p = {0}, l = {0}, md = {0}, st = {0};
    struct err e;
    plane_start(&p, "/device:TPU:0");
    line_start(&l, 2, "XLA Modules", 0);
    event(&l, 4, 1, 5, NULL);
    fm(&p, 3, &l);
    line_start(&l, 3, "XLA Ops", 0);
    event(&l, 1, 1, 5, NULL);
    event(&l, 2, 1, 5, NULL);
    event(&l, 3, 1, 5, NULL);
    fm(&p, 3, &l);
    line_start(&l, 4, "Async XLA Ops", 0);
    event(&l, 1, 1, 5, NULL);
    fm(&p, 3, &l);
    line_start(&l, 5, "Steps", 0);
    event(&l, 5, 1, 5, NULL);
    fm(&p, 3, &l);
    stat(&md, 5, PROGRAM, 3, -1); /* uint64 */
    event_name(&p, 1, "%add.1 = (f32[2]{0:T(8,128)}, u32[]) add(f32[2] %p)", "add.1", &md);
    event_name(&p, 2, "%all-reduce-start.3 = f32[2]{0} all-reduce-start(f32[2] %p)", NULL, NULL);
    stat_text(&md, 5, KIND, 5, STR("all-reduce fusion"));
    event_name(&p, 3, "%f = f32[] fusion(f32[] %x), kind=kCustom", "f", &md);
    event_name(&p, 4, "jit_f(12190760917235803885)", NULL, NULL);
    event_name(&p, 5, "17", NULL, NULL);
    plane_names(&p);
    fm(&space, 1, &p);
    char *t = table(buf_view(&space), "long_name", &e);
    CHECK(!e.text[0] && counts.rows == 6);
    HAS(t, "\tadd.1\top\t1\t5\t-\t18446744073709551615\t-\tadd.1\t");
    HAS(t, "\t%add.1 = (f32[2]{0:T(8,128)}, u32[]) add(f32[2] %p)\n");
    HAS(t, "\tcollective\t1\t5\t-\t-\t-\tall-reduce-start.3\t");
    HAS(t, "\tf\tcollective\t1\t5\t-\t-\t-\tf\t");
    HAS(t, "\tjit_f(12190760917235803885)\tmodule\t1\t5\tjit_f\t12190760917235803885\t");
    HAS(t, "Async XLA Ops\t4\tadd.1\tasync\t");
    HAS(t, "Steps\t5\t17\tstep\t1\t5\t-\t-\t-\t-\t-\t-\t-\t-\t17\t");
    buf_free(&space);

    plane_start(&p, "/host:CPU");
    line_start(&l, 1, "threads", 0);
    stat(&st, 4, OP, 7, ADD);
    event(&l, 1, 1, 5, &st);
    stat(&st, 4, OP, 7, ADD);
    stat(&st, 4, CORR, 3, 1);
    event(&l, 2, 1, 5, &st);
    stat(&st, 4, CORR, 3, 1);
    event(&l, 3, 1, 5, &st);
    stat(&st, 4, STEP, 3, 3);
    event(&l, 4, 1, 5, &st);
    fm(&p, 3, &l);
    event_name(&p, 1, "all-reduce.1", NULL, NULL);
    event_name(&p, 2, "cuLaunchKernelEx", NULL, NULL);
    event_name(&p, 3, "loop_add_fusion", NULL, NULL); /* a tracer that names the call by its kernel */
    event_name(&p, 4, "train", NULL, NULL);
    plane_names(&p);
    fm(&space, 1, &p);
    t = table(buf_view(&space), NULL, &e);
    HAS(t, "\tall-reduce.1\tcollective\t");
    HAS(t, "\tcuLaunchKernelEx\tlaunch\t");
    HAS(t, "\tloop_add_fusion\tlaunch\t");
    HAS(t, "\ttrain\thost\t1\t5\t-\t-\t-\t-\t-\t-\t-\t-\t3\t");
    buf_free(&space);
}

static struct str gzipped(struct str s)
{
    static unsigned char z[500];
    z_stream d = {0};
    deflateInit2(&d, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    d.next_in = (unsigned char *)(uintptr_t)s.p, d.avail_in = (unsigned)s.n;
    d.next_out = z, d.avail_out = sizeof z;
    deflate(&d, Z_FINISH);
    deflateEnd(&d);
    return str_n((char *)z, sizeof z - d.avail_out);
}

/* A stat of each wire type as a further column; aggregated events; times beyond 64 bits. */
static void types(void)
{
    struct buf space = {0}, p = {0}, l = {0}, st = {0}, ev = {0};
    struct err e;
    plane_start(&p, "a plane\nof nobody");
    line_start(&l, -3, "x", 0);
    stat(&st, 4, ODD, 3, -1);
    event(&l, 1, 0, 1, &st);
    stat(&st, 4, ODD, 4, -1);
    event(&l, 1, 1, 1, &st);
    stat_text(&st, 4, ODD, 5, STR("-"));
    event(&l, 1, 2, 1, &st);
    stat_text(&st, 4, ODD, 6, STR("\001\377"));
    event(&l, 1, 3, 1, &st);
    stat(&st, 4, ODD, 7, TEXT);
    event(&l, 1, 4, 1, &st);
    stat_text(&st, 4, ODD, 8, gzipped(STR("packed")));
    event(&l, 1, 5, 1, &st);
    stat(&st, 4, ODD, 7, 12345); /* a ref to nothing */
    event(&l, 1, 6, 1, &st);
    buf_str(&st, STR("\x22\x0b\x08\x0d\x11\0\0\0\0\0\0\xf8\x3f")); /* the double 1.5 */
    event(&l, 1, 7, 1, &st);
    event(&l, 1, INT64_MAX, 1, NULL);
    fv(&ev, 1, 1);
    fv(&ev, 5, 77);
    fv(&ev, 3, 6);
    fm(&l, 4, &ev);
    fm(&p, 3, &l);
    line_start(&l, 5, "late", INT64_MAX / 2);
    event(&l, 1, 0, 1, NULL);
    fm(&p, 3, &l);
    plane_names(&p);
    fm(&space, 1, &p);
    char *t = table(buf_view(&space), "my stat", &e);
    CHECK(!e.text[0] && counts.rows == 11 && counts.aggregated == 1 && counts.unprintable == 1);
    HAS(t, "a plane\\nof nobody\tx\t-3\t-\tother\t0\t1\t");
    static const char *const value[] = {
        "18446744073709551615", "-1", "\\x2d", "01ff", "long text", "packed", "-", "1.5"};
    for (int i = 0; i < 8; i++) {
        char row[200];
        snprintf(row, sizeof row, "\t%d\t1\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t%s\n", i, value[i]);
        HAS(t, row);
    }
    HAS(t, "\tother\t-\t6\t");
    HAS(t, "\tlate\t5\t-\tother\t-\t1\t");
    t = table(buf_view(&space), "num_occurrences", &e);
    HAS(t, "\tother\t-\t6\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t77\n");
    buf_free(&space);
}

static int64_t first_start(struct buf *space)
{
    struct xspace s;
    struct err e = {0};
    int64_t ps = -1;
    CHECK(!xspace_read(&s, space->p, space->n, "t", &e));
    if (xline_start(&s, &s.plane[0].line[0], &ps)) ps = -2;
    xspace_free(&s);
    buf_free(space);
    return ps;
}

static void one_line(struct buf *space, int64_t ns)
{
    struct buf p = {0}, l = {0};
    plane_start(&p, "/host:CPU");
    line_start(&l, 1, "x", ns);
    event(&l, 1, 0, 1, NULL);
    fm(&p, 3, &l);
    line_start(&l, 2, "empty", 0);
    fm(&p, 3, &l);
    fm(space, 1, &p);
}

static void origins(void)
{
    struct buf b = {0};
    const int64_t epoch = 1790000000000000000;
    one_line(&b, 5000);
    CHECK(first_start(&b) == 5000000);
    one_line(&b, epoch);
    CHECK(first_start(&b) == 0); /* the smallest */
    one_line(&b, epoch + 7);
    environment(&b, epoch);
    CHECK(first_start(&b) == 7000);
    one_line(&b, 5000); /* relative already */
    environment(&b, epoch);
    CHECK(first_start(&b) == 5000000);
}

/* Cut at every byte: a fault at the end, never more rows than the whole has; every byte changed: no crash. */
static void cuts(void)
{
    struct buf space = {0}, p = {0}, l = {0}, st = {0};
    struct err e;
    for (int i = 0; i < 3; i++) {
        plane_start(&p, "/device:GPU:0");
        for (int k = 0; k < 2; k++) {
            line_start(&l, 20, "Stream #20(Compute)", 1000);
            stat(&st, 4, CORR, 3, 1000000);
            stat(&st, 4, MODULE, 7, STRING_F1);
            event(&l, 1, 5, 2, &st);
            event(&l, 1, 8, 3, NULL);
            fm(&p, 3, &l);
        }
        event_name(&p, 1, "fusion", NULL, NULL);
        plane_names(&p);
        fm(&space, 1, &p);
    }
    char *copy = mem_alloc(1, space.n);
    uint64_t rows = 0;
    size_t plane = space.n / 3;
    for (size_t n = 1; n <= space.n; n++) {
        char *exact = mem_alloc(1, n); /* a block of exactly this size: the sanitizer sees one byte over */
        memcpy(exact, space.p, n);
        table(str_n(exact, n), NULL, &e);
        CHECK((e.text[0] == 0) == (n % plane == 0));
        CHECK(n % plane == 0 || (e.unit == ERR_BYTE && e.at <= n));
        CHECK(counts.rows >= rows && counts.rows >= 4 * (n / plane));
        rows = counts.rows;
        free(exact);
    }
    CHECK(rows == 12);
    for (size_t i = 0; i < space.n; i++)
        for (int k = 0; k < 3; k++) {
            memcpy(copy, space.p, space.n);
            copy[i] = (char)(k == 0 ? 0xff : k == 1 ? 0 : copy[i] ^ 1 << i % 8);
            table(str_n(copy, space.n), "my stat", &e);
        }
    free(copy);
    buf_free(&space);
}

int main(void)
{
    gpu();
    tpu();
    types();
    origins();
    cuts();
    DONE;
}
