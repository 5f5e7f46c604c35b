#include "num.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Eight decimal digits at p, all at once: digits, then pairs, then halves; -1 if one is none. */
static int64_t read_eight(const char *p)
{
    const uint64_t each = 0x0101010101010101;
    uint64_t x;
    memcpy(&x, p, 8);
    x ^= each * '0';
    if ((x | (x + each * 6)) & each * 0xf0) return -1; /* a byte over 9 */
    x = (x * 10 + (x >> 8)) & 0x00ff00ff00ff00ff;
    x = (x * 100 + (x >> 16)) & 0x0000ffff0000ffff;
    return (x * 10000 + (x >> 32)) & 0xffffffff;
}

int num_u64(struct str s, uint64_t *out)
{
    uint64_t v = 0;
    size_t i = 0;
    if (!s.n || s.n > 20) return -1;
    for (; i + 8 <= s.n; i += 8) {
        int64_t eight = read_eight(s.p + i);
        if (eight < 0) return -1;
        v = v * 100000000 + (uint64_t)eight;
    }
    for (; i < s.n; i++) {
        unsigned d = (unsigned)(s.p[i] - '0');
        if (d > 9) return -1;
        if (i < 19)
            v = v * 10 + d; /* 19 digits always fit */
        else if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, d, &v))
            return -1;
    }
    *out = v;
    return 0;
}

int num_i64(struct str s, int64_t *out)
{
    uint64_t v;
    bool neg = s.n && s.p[0] == '-';
    if (num_u64(str_from(s, neg), &v) || v > (uint64_t)INT64_MAX + neg) return -1;
    *out = neg ? (int64_t)(0 - v) : (int64_t)v;
    return 0;
}

int num_f64(struct str s, double *out)
{
    char t[64], *end;
    if (!s.n || s.n >= sizeof t || strchr(" \t\n", s.p[0])) return -1;
    memcpy(t, s.p, s.n);
    t[s.n] = 0;
    double v = strtod(t, &end);
    if (end != t + s.n || !isfinite(v)) return -1;
    *out = v;
    return 0;
}

/* The digits make one integer v; v * 10^exp counts picoseconds.  Digits that no longer fit are dropped behind
 * the point (they are under 1e-12 of the value) and refused before it. */
int num_us_to_ps(struct str s, int64_t *out)
{
    uint64_t v = 0;
    int64_t exp = 6, e = 0;
    bool neg = s.n && s.p[0] == '-', point = false, round = false;
    size_t i = neg, digits = 0;
    for (; i < s.n; i++) {
        unsigned d = (unsigned)(s.p[i] - '0');
        if (s.p[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (d > 9) break;
        digits++;
        if (v > (UINT64_MAX - 9) / 10) {
            if (!point) return -1;
            continue;
        }
        v = v * 10 + d;
        exp -= point;
    }
    if (!digits) return -1;
    if (i < s.n) {
        struct str t = str_from(s, i + 1);
        if (s.p[i] != 'e' && s.p[i] != 'E') return -1;
        if (num_i64(t.n && t.p[0] == '+' ? str_from(t, 1) : t, &e) || e > 40 || e < -40) return -1;
    }
    for (exp += e; exp > 0 && v; exp--)
        if (__builtin_mul_overflow(v, 10, &v)) return -1;
    for (; exp < 0; exp++, v /= 10) round = v % 10 >= 5;
    v += round;
    if (v > INT64_MAX) return -1;
    *out = neg ? -(int64_t)v : (int64_t)v;
    return 0;
}

/* The eight decimal digits of v < 10^8, the first in the lowest byte: halves, then pairs, then digits, all at
 * once (a multiplication and a shift stand for the division). */
static uint64_t eight_digits(uint32_t v)
{
    uint64_t x = v / 10000 | (uint64_t)(v % 10000) << 32, q;
    q = (x * 10486 >> 20) & 0x0000007f0000007f;
    x = q | (x - q * 100) << 16;
    q = (x * 103 >> 10) & 0x000f000f000f000f;
    return q | (x - q * 10) << 8;
}

static void put_eight(char *p, uint32_t v)
{
    uint64_t x = eight_digits(v) + 0x3030303030303030;
    memcpy(p, &x, 8);
}

static size_t put_small(char *p, uint32_t v) /* v < 10^8; writes eight bytes */
{
    uint64_t x = eight_digits(v);
    unsigned zeros =
        (unsigned)__builtin_ctzll(x | 1ull << 56) & ~7u; /* bits of leading zeros; a last 0 stays */
    x = (x + 0x3030303030303030) >> zeros;
    memcpy(p, &x, 8);
    return 8 - zeros / 8;
}

size_t num_put_u64(char *p, uint64_t v)
{
    enum { E8 = 100000000 };
    size_t n;
    if (v < E8) return put_small(p, (uint32_t)v);
    if (v / E8 < E8)
        n = put_small(p, (uint32_t)(v / E8));
    else {
        n = put_small(p, (uint32_t)(v / E8 / E8));
        put_eight(p + n, (uint32_t)(v / E8 % E8));
        n += 8;
    }
    put_eight(p + n, (uint32_t)(v % E8));
    return n + 8;
}

size_t num_put_i64(char *p, int64_t v)
{
    if (v >= 0) return num_put_u64(p, (uint64_t)v);
    *p = '-';
    return 1 + num_put_u64(p + 1, 0 - (uint64_t)v);
}

size_t num_put_f64(char *p, double v)
{
    char t[40];
    int n = 1;
    if (!isfinite(v)) {
        *p = '-';
        return 1;
    }
    if (v == 0) {
        *p = '0';
        return 1;
    }
    if (fabs(v) < 1e15 && v == (double)(int64_t)v) return num_put_i64(p, (int64_t)v);
    for (int digits = 15; digits <= 17; digits++) {
        n = snprintf(t, sizeof t, "%.*g", digits, v);
        if (strtod(t, NULL) == v) break;
    }
    memcpy(p, t, (size_t)n);
    return (size_t)n;
}

int64_t num_add(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_add_overflow(a, b, &r) ? (b > 0 ? INT64_MAX : INT64_MIN) : r;
}

int64_t num_mul(int64_t a, int64_t b)
{
    int64_t r;
    return __builtin_mul_overflow(a, b, &r) ? ((a < 0) != (b < 0) ? INT64_MIN : INT64_MAX) : r;
}
