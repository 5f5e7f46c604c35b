#include "ivl.h"
#include "mem.h"
#include "num.h"
#include "runs.h"
#include <stdlib.h>
#include <string.h>

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

/* Walk the bounds of both sets in order; keep[inside a + 2 * inside b] says whether an instant belongs to the
 * result. */
static struct ivls combine(const struct ivls *a, const struct ivls *b, const bool keep[4])
{
    const struct ivls *s[2] = {a, b};
    size_t i[2] = {0, 0};
    bool in[2] = {false, false};
    struct ivls out = {0};
    int64_t since = 0;
    for (;;) {
        int64_t t = INT64_MAX;
        for (int k = 0; k < 2; k++)
            if (i[k] < s[k]->n) {
                int64_t bound = in[k] ? s[k]->v[i[k]].b : s[k]->v[i[k]].a;
                if (bound < t) t = bound;
            }
        if (i[0] >= a->n && i[1] >= b->n) return out;
        if (keep[in[0] + 2 * in[1]]) ivls_add(&out, since, t);
        for (int k = 0; k < 2; k++)
            while (i[k] < s[k]->n && (in[k] ? s[k]->v[i[k]].b : s[k]->v[i[k]].a) <= t) {
                i[k] += in[k];
                in[k] = !in[k];
            }
        since = t;
    }
}

static struct ivls copy(const struct ivls *s)
{
    struct ivls c = {mem_realloc(NULL, s->n, sizeof *s->v), s->n, s->n, false};
    if (s->n) memcpy(c.v, s->v, s->n * sizeof *s->v);
    return c;
}

struct ivls ivls_or(const struct ivls *a, const struct ivls *b)
{
    if (!a->n || !b->n) return copy(a->n ? a : b);
    return combine(a, b, (const bool[]){false, true, true, true});
}
struct ivls ivls_minus(const struct ivls *a, const struct ivls *b)
{
    if (!b->n) return copy(a);
    return combine(a, b, (const bool[]){false, true, false, false});
}
