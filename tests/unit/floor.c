/* Floors 0 and 1: numbers, escapes, tables, gzip, CSV round trips. */
#include "check.h"
#include "map.h"
#include "num.h"
#include "tsv.h"
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

static uint64_t rnd(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

static void numbers(void)
{
    char t[64];
    uint64_t u = 7;
    int64_t i = 7, ps;
    double d;
    CHECK(!num_u64(STR("18446744073709551615"), &u) && u == UINT64_MAX);
    CHECK(num_u64(STR("18446744073709551616"), &u) && num_u64(STR(""), &u) && num_u64(STR("+1"), &u));
    for (unsigned n = 1; n <= 19; n++) /* no byte beside a digit, wherever it stands */
        for (unsigned at = 0; at < n; at++)
            for (const char *c = "/:*;?@pA \x80\xff"; *c; c++) {
                char digits[20] = "1234567890123456789";
                digits[at] = *c;
                CHECK(num_u64(str_n(digits, n), &u));
            }
    CHECK(!num_u64(STR("1234567890123456789"), &u) && u == 1234567890123456789u);
    CHECK(!num_i64(STR("-9223372036854775808"), &i) && i == INT64_MIN);
    CHECK(num_i64(STR("9223372036854775808"), &i) && num_i64(STR("-"), &i) && num_f64(STR("nan"), &d));
    CHECK(!num_us_to_ps(STR("9.9999999999999995e-07"), &ps) && ps == 1);
    CHECK(!num_us_to_ps(STR("123456789.123456"), &ps) && ps == 123456789123456);
    CHECK(!num_us_to_ps(STR("0.0000005"), &ps) && ps == 1);
    CHECK(!num_us_to_ps(STR("-1.5"), &ps) && ps == -1500000);
    CHECK(!num_us_to_ps(STR("1000000000.0299999714"), &ps) && ps == 1000000000030000);
    CHECK(num_us_to_ps(STR("x"), &ps) && num_us_to_ps(STR("1e99"), &ps) && num_us_to_ps(STR("."), &ps));
    for (int k = 0; k < 20000; k++) {
        uint64_t bits = rnd();
        memcpy(&d, &bits, 8);
        if (!isfinite(d)) continue;
        double back = 0;
        size_t n = num_put_f64(t, d);
        CHECK(!num_f64(str_n(t, n), &back) && back == d);
        CHECK(num_put_i64(t, (int64_t)bits) && !num_i64(str_n(t, num_put_i64(t, (int64_t)bits)), &i) &&
              i == (int64_t)bits);
    }
}

static void escapes(void)
{
    for (int k = 0; k < 2000; k++) {
        char raw[40];
        struct buf cell = {0}, back = {0};
        size_t n = k < 256 ? 1 : rnd() % sizeof raw;
        for (size_t i = 0; i < n; i++) raw[i] = k < 256 ? (char)k : (char)rnd();
        tsv_escape(&cell, str_n(raw, n));
        CHECK(!memchr(cell.p, '\t', cell.n) && !memchr(cell.p, '\n', cell.n) &&
              !memchr(cell.p, '\r', cell.n));
        CHECK(!tsv_unescape(&back, buf_view(&cell)) && str_eq(buf_view(&back), str_n(raw, n)));
        buf_free(&cell);
        buf_free(&back);
    }
    struct buf b = {0};
    CHECK(tsv_unescape(&b, STR("a\\q")) && tsv_unescape(&b, STR("a\\x1")) && tsv_unescape(&b, STR("\\")));
    buf_free(&b);
}

static int file_of(const char *p, size_t n, char path[64])
{
    int fd = memfd_create("t", 0);
    if (fd < 0 || write(fd, p, n) != (ssize_t)n) exit(3);
    sprintf(path, "/proc/self/fd/%d", fd);
    return fd;
}

/* How many rows a table has, or -1; the error in e. */
static int rows(const char *p, size_t n, struct err *e)
{
    char path[64];
    int fd = file_of(p, n, path), k = 0, r = -1;
    const char *paths[] = {path};
    struct tsv t;
    *e = (struct err){0};
    if (!tsv_open(&t, paths, 1, e)) {
        while ((r = tsv_next(&t, e)) > 0) k++;
        tsv_close(&t);
    }
    close(fd);
    return r < 0 ? -1 : k;
}
#define ROWS(s) rows(s, sizeof(s) - 1, &e)

static void tables(void)
{
    struct err e;
    CHECK(ROWS("") == -1 && strstr(e.text, "empty"));
    CHECK(ROWS("a\tb\n") == 0 && ROWS("a\tb\n1\t2\n") == 1);
    CHECK(ROWS("a\tb\n1\n") == -1 && e.at == 2);
    CHECK(ROWS("a\tb\n1\t2\t3\n") == -1 && ROWS("a\tb\n1\t2") == -1 && ROWS("a\ta\n") == -1);
    CHECK(ROWS("a\tb\r\n1\t2\r\n") == -1 && strstr(e.text, "carriage"));
    CHECK(ROWS("a\tb\n1\t\0\n") == -1 && ROWS("a,b\n1,\"x\ny\"\n,2\n") == 2 && ROWS("a,b\n\"x\n") == -1);
}

/* Every cut of a gzip file is noticed; what came before is read. */
static void cut_gzip(void)
{
    char text[600], path[64];
    unsigned char z[2000];
    size_t n = (size_t)sprintf(text, "a\tb\n");
    for (int i = 0; i < 50; i++) n += (size_t)sprintf(text + n, "%u\t%d\n", (unsigned)rnd() % 1000, i);
    z_stream s = {0};
    deflateInit2(&s, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    s.next_in = (unsigned char *)text, s.avail_in = (unsigned)n, s.next_out = z, s.avail_out = sizeof z;
    deflate(&s, Z_FINISH);
    size_t zn = sizeof z - s.avail_out;
    deflateEnd(&s);
    for (size_t k = 0; k <= zn; k++) {
        struct err e = {0}, e2 = {0};
        struct inp in;
        CHECK((rows((char *)z, k, &e) == 50) == (k == zn));
        int fd = file_of((char *)z, k, path);
        if (!inp_open(&in, path, &e2)) {
            int whole = inp_whole(&in, &e2), good = !whole && in.size == n && !memcmp(in.data, text, n);
            CHECK((inp_close(&in, &e2) == 0 && !whole) == (k == zn) || k < 2);
            CHECK(k != zn || good);
        }
        close(fd);
    }
}

static void maps(void)
{
    struct map m = {0};
    struct map64 q = {0};
    char t[24];
    for (uint32_t i = 0; i < 5000; i++) {
        bool fresh;
        CHECK(map_put(&m, str_n(t, (size_t)sprintf(t, "k%u", i)), &fresh) == i && fresh);
        map64_set(&q, i * 0x10001u, i);
    }
    for (uint32_t i = 0; i < 5000; i++) {
        uint64_t v = 0;
        CHECK(map_get(&m, str_n(t, (size_t)sprintf(t, "k%u", i))) == i);
        CHECK(map64_get(&q, i * 0x10001u, &v) && v == i && !map64_get(&q, i * 0x10001u + 1, &v));
    }
    CHECK(map_get(&m, STR("none")) == MAP_NONE);
    map_free(&m);
    map64_free(&q);
}

int main(void)
{
    numbers();
    escapes();
    tables();
    cut_gzip();
    maps();
    DONE;
}
