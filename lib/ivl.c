#include "ivl.h"
#include "mem.h"
#include "num.h"
#include "runs.h"
#include <stdlib.h>

void ivls_add(struct ivls *s, int64_t a, int64_t b)
{
    if (b <= a) return;
    struct ivl *last = s->n ? &s->v[s->n - 1] : NULL;
    if (last && a >= last->a && a <= last->b) {
        if (b > last->b) last->b = b;
        return;
    }
    if (last && a < last->a) s->unsettled = true;
    s->v = mem_grow(s->v, &s->cap, s->n + 1, sizeof *s->v);
    s->v[s->n++] = (struct ivl){a, b};
}

static bool starts_after(const void *x, const void *y)
{
    return ((const struct ivl *)x)->a > ((const struct ivl *)y)->a;
}

void ivls_settle(struct ivls *s)
{
    if (!s->unsettled) return;
    size_t n = s->n;
    runs_sort(s->v, n, sizeof *s->v, starts_after);
    s->n = 0;
    for (size_t i = 0; i < n; i++) ivls_add(s, s->v[i].a, s->v[i].b);
    s->unsettled = false;
}

void ivls_free(struct ivls *s)
{
    free(s->v);
    *s = (struct ivls){0};
}

void ivls_add_all(struct ivls *to, const struct ivls *from)
{
    for (size_t i = 0; i < from->n; i++) ivls_add(to, from->v[i].a, from->v[i].b);
}

int64_t ivls_len(const struct ivls *s)
{
    int64_t sum = 0;
    for (size_t i = 0; i < s->n; i++) sum = num_add(sum, s->v[i].b - s->v[i].a);
    return sum;
}

size_t ivls_from(const struct ivls *s, int64_t t)
{
    size_t lo = 0, hi = s->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (s->v[mid].b <= t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

bool ivls_has(const struct ivls *s, int64_t t)
{
    size_t i = ivls_from(s, t);
    return i < s->n && s->v[i].a <= t;
}

int64_t ivls_len_in(const struct ivls *s, struct ivl w)
{
    int64_t sum = 0;
    for (size_t i = ivls_from(s, w.a); i < s->n && s->v[i].a < w.b; i++) {
        int64_t a = s->v[i].a > w.a ? s->v[i].a : w.a, b = s->v[i].b < w.b ? s->v[i].b : w.b;
        sum = num_add(sum, b - a);
    }
    return sum;
}

struct ivls ivls_or(const struct ivls *a, const struct ivls *b)
{
    struct ivls out = {0};
    out.v = mem_grow(out.v, &out.cap, a->n + b->n, sizeof *out.v);
    for (size_t i = 0, k = 0; i < a->n || k < b->n;) {
        const struct ivl *x = k == b->n || (i < a->n && a->v[i].a <= b->v[k].a) ? &a->v[i++] : &b->v[k++];
        ivls_add(&out, x->a, x->b);
    }
    return out;
}

struct ivls ivls_minus(const struct ivls *a, const struct ivls *b)
{
    struct ivls out = {0};
    for (size_t i = 0, k = 0; i < a->n; i++) {
        int64_t t = a->v[i].a, end = a->v[i].b;
        while (k < b->n && b->v[k].b <= t) k++;
        for (size_t m = k; m < b->n && b->v[m].a < end; m++) {
            ivls_add(&out, t, b->v[m].a);
            t = b->v[m].b;
        }
        ivls_add(&out, t, end);
    }
    return out;
}
