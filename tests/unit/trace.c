/* JSON and traces made by hand: structure, text, damage, cuts, phases, names behind their events. */
#include "check.h"
#include "tracerow.h"
#include <sys/mman.h>
#include <unistd.h>

static struct trace_rows rows;
static uint64_t damaged, processes;

/* The event table of a trace, and what the reader counted; the fault, if any, in e. */
static char *table(struct str json, struct err *e)
{
    static char text[1 << 14];
    static const struct ev_pick pick = {.extra = {STR("x")}, .nextra = 1};
    char path[64];
    struct trace t;
    struct trace_event ev;
    struct out out;
    struct tab tab;
    int in = memfd_create("in", 0), fd = memfd_create("t", 0);
    CHECK(write(in, json.p, json.n) == (ssize_t)json.n);
    sprintf(path, "/proc/self/fd/%d", in);
    out_init(&out, dup(fd), "t");
    tab_init(&tab, &out, false);
    *e = (struct err){0};
    rows = (struct trace_rows){.tab = &tab, .trace = &t, .pick = &pick};
    CHECK(!trace_open(&t, path, e));
    while (trace_next(&t, &ev, e) > 0)
        if (ev.ph == 'M')
            trace_learn(&t, &ev);
        else
            trace_row(&rows, &ev);
    trace_rows_end(&rows);
    trace_rows_free(&rows);
    damaged = t.damaged;
    processes = t.nprocess;
    trace_close(&t, &(struct err){0});
    CHECK(!out_close(&out, &(struct err){0}));
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    text[got < 0 ? 0 : got] = 0;
    close(fd);
    close(in);
    return text;
}
#define TABLE(s)       table(STR(s), &e)
#define HAS(text, row) CHECK(strstr(text, row) != NULL || (printf("%s", text), 0))

#define NAMES                                                                                                \
    "{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{\"name\":\"vm /device:GPU:0\"}},"           \
    "{\"ph\":\"M\",\"pid\":1,\"tid\":7,\"name\":\"thread_name\",\"args\":{\"name\":\"Stream #7\"}},"
#define X(name) "{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":1.5,\"dur\":2,\"name\":\"" name "\"}"

static void events(void)
{
    struct err e;
    char *t = TABLE(
        "{\"a\":[1,{\"b\":null}],\"traceEvents\":[" NAMES
        "{\"args\":{\"hlo_op\":\"add.1\",\"x\":\"q\\u00e9\\n\",\"correlation_id\":25,\"program_id\":-2},"
        "\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":1.000001,\"dur\":9.9999999999999995e-07,\"name\":\"k\"},"
        "{\"ph\":\"C\",\"pid\":1,\"tid\":7,\"ts\":3,\"name\":\"c\",\"args\":{\"x\":1.5}},{}],\"z\":true}");
    CHECK(!e.text[0] && !damaged && rows.rows == 2);
    HAS(t, "/device:GPU:0\tStream "
           "#7\t7\tk\tkernel\t1000001\t1\t-\t18446744073709551614\t-\tadd.1\t25\t-\t-\t-\t-\t-\t-\t-\t-\t"
           "q\xc3\xa9\\n\n");
    HAS(t, "\tc\tcounter\t3000000\t0\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t1.5\n");
    t = TABLE("[" NAMES X("raw \001 \xb9 byte") "," X("MemcpyD2H") "," X("d\\u0000"));
    CHECK(!e.text[0] && !damaged && rows.rows == 3); /* an array may stay open */
    HAS(t, "\traw \\x01 \xb9 byte\tkernel\t1500000\t2000000\t");
    HAS(t, "\tMemcpyD2H\tmemcpy\t");
    HAS(t, "\td\\x00\tkernel\t");
    t = TABLE("[" X("k") ",{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":\"x\",\"name\":\"k2\"}]");
    HAS(t, "pid 1\ttid 7\t7\tk\tother\t");
    HAS(t, "\tk2\tother\t-\t-\t");
    CHECK(rows.timeless == 1);
}

static void damage(void)
{
    struct err e;
    TABLE("{\"traceEvents\":[" NAMES X("a") ",{\"ph\":\"X\",\"pid\":1,,\"args\":{\"q\":[1,{\"r\":2}]}}," X(
        "b") "]}");
    CHECK(!e.text[0] && damaged == 1 && rows.rows == 2);
    TABLE("{\"traceEvents\":[" NAMES X("a") X("b") "]}"); /* the comma is missing */
    CHECK(!e.text[0] && damaged == 1 && rows.rows == 2);
    TABLE("{\"traceEvents\":[" NAMES X("a") ",{\"ph\":\"X\"bad}, {\"ph\":bad}," X("b") "," X("c") "]}");
    CHECK(!e.text[0] && damaged == 1 && rows.rows == 3);
    TABLE("{\"traceEvents\":[" NAMES X("a") ",5," X("b") "]}");
    CHECK(!e.text[0] && damaged == 1 && rows.rows == 2);
    TABLE("{\"traceEvents\":[" NAMES X("a") ",");
    CHECK(e.text[0] && e.unit == ERR_BYTE && rows.rows == 1);
    TABLE("{\"traceEvents\":[" NAMES X("a") ",{\"ph\":\"X\"");
    CHECK(strstr(e.text, "cut") && rows.rows == 1);
    TABLE("nothing");
    CHECK(e.text[0]);
    struct buf deep = {0};
    buf_puts(&deep, "[" NAMES "{\"ph\":\"X\",\"args\":");
    for (int i = 0; i < 1000; i++) buf_puts(&deep, i % 2 ? "[" : "{\"a\":");
    buf_puts(&deep, "}," X("b") "]");
    table(buf_view(&deep), &e);
    CHECK(damaged == 1 && rows.rows == 1);
    buf_free(&deep);
}

static void spans(void)
{
    struct err e;
#define PH(ph, ts, more) "{\"ph\":\"" ph "\",\"pid\":1,\"tid\":7,\"ts\":" #ts more "}"
    char *t = TABLE(
        "[" NAMES
            PH("B", 1, ",\"name\":\"outer\",\"args\":{\"x\":1}") "," PH("B", 2, ",\"name\":\"inner\"") "," PH("E", 3, ",\"args\":{\"x\":2}") "," PH(
                "E", 5,
                "") "," PH("E", 6,
                           "") "," PH("b", 1,
                                      ",\"id\":1,\"name\":\"p\"") "," PH("b", 2,
                                                                         ",\"id\":2,\"name\":"
                                                                         "\"q\"") "," PH("e", 4,
                                                                                         ",\"id\":"
                                                                                         "1") "," PH("s", 1,
                                                                                                     "") "]");
    CHECK(rows.rows == 4 && rows.unbegun == 1 && rows.unended == 1 && rows.other == 1);
    HAS(t, "\tinner\tkernel\t2000000\t1000000\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t2\n");
    HAS(t, "\touter\tkernel\t1000000\t4000000\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t-\t1\n");
    HAS(t, "\tp\tkernel\t1000000\t3000000\t");
    HAS(t, "\tq\tkernel\t2000000\t-\t");
}

/* Times since the epoch in microseconds fit no 64 bits of picoseconds. */
static void epoch(void)
{
    struct err e;
    char *t = TABLE("[" NAMES
                    "{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":1790000000000001.25,\"dur\":1,\"name\":\"a\"},"
                    "{\"ph\":\"X\",\"pid\":1,\"tid\":7,\"ts\":1789999999999999,\"dur\":1,\"name\":\"b\"}]");
    CHECK(rows.origin_us == 1790000000000000);
    HAS(t, "\ta\tkernel\t1250000\t1000000\t");
    HAS(t, "\tb\tkernel\t-1000000\t1000000\t");
}

/* Every cut of a trace gives no more rows than the whole, and an error. */
static void cuts(void)
{
    static const char whole[] = "{\"traceEvents\":[" NAMES X("a") "," X("b\\\\") "," X("c") ",{}]}";
    struct err e;
    for (size_t n = 1; n < sizeof whole - 1; n++) {
        table(str_n(whole, n), &e);
        CHECK(e.text[0] && rows.rows <= 3 && !damaged);
    }
    table(str_n(whole, sizeof whole - 1), &e);
    CHECK(!e.text[0] && rows.rows == 3 && processes == 1);
}

static void strings(void)
{
    struct buf b = {0};
    json_text(&b, STR("\\u20ac\\ud83d\\ude00\\ud83d\\/\\q\\u12"));
    CHECK(str_is(buf_view(&b), "\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbd/qu12"));
    buf_free(&b);
    struct json_value v;
    struct json j = {"[1, {\"a\" : []}, \"]\"] ", NULL};
    j.end = j.p + strlen(j.p);
    CHECK(json_value(&j, &v) == JSON_OK && v.kind == JSON_ARRAY && v.text.n == 20);
    j = (struct json){"[1 2]", NULL};
    j.end = j.p + 5;
    CHECK(json_value(&j, &v) == JSON_BAD);
}

int main(void)
{
    events();
    damage();
    spans();
    epoch();
    cuts();
    strings();
    DONE;
}
