#include "dist.h"
#include "mem.h"
#include "num.h"
#include <math.h>
#include <stdlib.h>

void dist_add(struct dist *d, int64_t x)
{
    d->v = mem_grow(d->v, &d->cap, d->n + 1, sizeof *d->v);
    d->v[d->n++] = x;
    d->sum = num_add(d->sum, x);
    d->negative += x < 0;
    d->sorted = false;
}

int64_t dist_mean(const struct dist *d) { return d->n ? d->sum / (int64_t)d->n : 0; }

static int cmp(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

int64_t dist_quantile(struct dist *d, double q)
{
    if (!d->n) return 0;
    if (!d->sorted) qsort(d->v, d->n, sizeof *d->v, cmp);
    d->sorted = true;
    double rank = ceil(q * (double)d->n);
    size_t i = rank < 1 ? 0 : (size_t)rank - 1;
    return d->v[i < d->n ? i : d->n - 1];
}

void dist_free(struct dist *d)
{
    free(d->v);
    *d = (struct dist){0};
}
