#include "hlo_window.h"
#include "num.h"

/* The leading integer of *s, which moves behind it; 0, or -1 where there is none. */
static int take_int(struct str *s, int64_t *v)
{
    size_t n = s->n && s->p[0] == '-';
    while (n < s->n && s->p[n] >= '0' && s->p[n] <= '9') n++;
    if (num_i64(str_n(s->p, n), v)) return -1;
    *s = str_from(*s, n);
    return 0;
}

static bool take(struct str *s, char c)
{
    if (!s->n || s->p[0] != c) return false;
    *s = str_from(*s, 1);
    return true;
}

/* ---- windows ---- */

static int64_t *window_field(struct hlo_window_dim *d, struct str key)
{
    return str_is(key, "size")         ? &d->size
           : str_is(key, "stride")     ? &d->stride
           : str_is(key, "pad")        ? &d->pad_low
           : str_is(key, "lhs_dilate") ? &d->lhs_dilate
           : str_is(key, "rhs_dilate") ? &d->rhs_dilate
                                       : NULL;
}

/* "2x2" or "0_1x-1_1" into that field of each dimension; how many, or -1. */
static int window_values(struct str *s, struct hlo_window_dim *d, struct str key)
{
    int n = 0;
    do {
        int64_t *at, v;
        if (n == HLO_RANK || take_int(s, &v)) return -1;
        at = window_field(&d[n++], key);
        if (at) *at = v;
        if (take(s, '_') && take_int(s, at ? at + 1 : &v)) return -1; /* pad_high follows pad_low */
    } while (take(s, 'x'));
    return n;
}

int hlo_window(struct str s, struct hlo_window_dim *d)
{
    int rank = 0;
    for (int k = 0; k < HLO_RANK; k++) d[k] = (struct hlo_window_dim){1, 1, 0, 0, 1, 1};
    take(&s, '{');
    while (s.n && !take(&s, '}')) {
        if (take(&s, ' ') || take(&s, ',')) continue;
        const char *eq = memchr(s.p, '=', s.n);
        if (!eq) return -1;
        struct str key = str_n(s.p, (size_t)(eq - s.p));
        s = str_from(s, key.n + 1);
        int n = window_values(&s, d, key);
        if (n < 0) return -1;
        rank = n > rank ? n : rank;
    }
    return rank;
}

/* gcd(a, m) with *inverse so that a * inverse = gcd (mod m); both positive and under 2^31. */
static int64_t gcd_inverse(int64_t a, int64_t m, int64_t *inverse)
{
    int64_t r = m, s = a % m, u = 0, v = 1;
    while (s) {
        int64_t q = r / s, t = r - q * s;
        r = s, s = t;
        t = u - q * v;
        u = v, v = t;
    }
    *inverse = (u % m + m) % m;
    return r;
}

/* How many o in [low, high] have (base + o * stride) divisible by hole. */
static int64_t hits(int64_t base, int64_t low, int64_t high, int64_t gcd, int64_t inverse, int64_t hole)
{
    int64_t period = hole / gcd;
    if (low > high || base % gcd) return 0;
    int64_t first = ((-base / gcd) % period + period) % period * (inverse % period) % period;
    if (first < low) first += (low - first + period - 1) / period * period;
    return first > high ? 0 : (high - first) / period + 1;
}

int64_t hlo_window_pairs(const struct hlo_window_dim *w, int64_t input, int64_t kernel, int64_t output)
{
    /* position = out * stride + k * rhs_dilate - pad_low must be lhs_dilate * j with 0 <= j < input.  Walk
     * the shorter of the two ranges; along the other one the hits are an arithmetic progression. */
    bool by_kernel = kernel <= output;
    int64_t walk = by_kernel ? kernel : output, other = by_kernel ? output : kernel;
    int64_t step = by_kernel ? w->rhs_dilate : w->stride, stride = by_kernel ? w->stride : w->rhs_dilate;
    int64_t hole = w->lhs_dilate, sum = 0, inverse;
    const int64_t most = INT64_C(1) << 31;
    if (walk > 1 << 24 || hole < 1 || stride < 1 || step < 0 || hole >= most || stride >= most ||
        step >= most || other >= most || input >= most || w->pad_low >= most || w->pad_low <= -most)
        return -1;
    int64_t last = (input - 1) * hole, gcd = gcd_inverse(stride, hole, &inverse);
    for (int64_t k = 0; k < walk && input > 0; k++) {
        int64_t base = k * step - w->pad_low;
        if (base > last) continue;
        int64_t low = base < 0 ? (-base + stride - 1) / stride : 0, high = (last - base) / stride;
        sum += hits(base, low, high < other - 1 ? high : other - 1, gcd, inverse, hole);
    }
    return sum;
}

/* ---- labels ---- */

static int one_label(struct str *s, char batch, char feature, struct hlo_labels *l)
{
    *l = (struct hlo_labels){.batch = -1, .feature = -1};
    for (; s->n; *s = str_from(*s, 1), l->rank++) {
        char c = s->p[0];
        if (l->rank == HLO_RANK) return -1;
        if (c == batch)
            l->batch = l->rank;
        else if (c == feature)
            l->feature = l->rank;
        else if (c >= '0' && c <= '9') {
            l->spatial[c - '0'] = l->rank;
            if (c - '0' >= l->nspatial) l->nspatial = c - '0' + 1;
        } else if (c != '?')
            break;
    }
    return l->batch < 0 || l->feature < 0 ? -1 : 0;
}

int hlo_dim_labels(struct str s, struct hlo_labels label[3])
{
    if (one_label(&s, 'b', 'f', &label[0]) || !take(&s, '_') || one_label(&s, 'o', 'i', &label[1])) return -1;
    if (!take(&s, '-') || !take(&s, '>')) return -1;
    return one_label(&s, 'b', 'f', &label[2]);
}

/* ---- replica groups ---- */

static int64_t listed_groups(struct str s)
{
    int64_t most = 0, n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c >= '0' && c <= '9' && (i == 0 || s.p[i - 1] < '0' || s.p[i - 1] > '9')) n++;
        if (c == '}') {
            most = n > most ? n : most;
            n = 0;
        }
    }
    return most ? most : 1;
}

/* mesh['a'=4,'b'=2] {'a'}: the sizes of the axes named in the last braces, multiplied. */
static int64_t mesh_groups(struct str s)
{
    size_t open = str_rfind(s, '{'), close = str_rfind(s, '}'), at;
    int64_t n = 1, size;
    if (open == SIZE_MAX || close == SIZE_MAX || close < open) return 1;
    struct str axes = str_n(s.p + open + 1, close - open - 1), mesh = str_n(s.p, open);
    while ((at = str_find(axes, STR("'"))) != SIZE_MAX) {
        struct str rest = str_from(axes, at + 1);
        size_t end = str_find(rest, STR("'"));
        if (end == SIZE_MAX) break;
        size_t def = str_find(mesh, str_n(axes.p + at, end + 2)); /* with both quotes */
        struct str value = str_from(mesh, def == SIZE_MAX ? mesh.n : def + end + 2);
        if (take(&value, '=') && !take_int(&value, &size)) n = num_mul(n, size);
        axes = str_from(rest, end + 1);
    }
    return n;
}

int64_t hlo_group_size(struct str s)
{
    int64_t v = 1;
    if (str_has(s, "'")) return mesh_groups(s);
    if (!take(&s, '[')) return listed_groups(s);
    do
        if (take_int(&s, &v)) return 1;
    while (take(&s, ','));
    return v > 0 ? v : 1;
}
