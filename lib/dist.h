/* A sample of whole numbers: its mean and its quantiles by nearest rank.  Start with {0}; owns its values. */
#ifndef DIST_H
#define DIST_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dist {
    int64_t *v, sum; /* sum saturates */
    size_t n, cap, negative;
    bool sorted;
};
void dist_add(struct dist *d, int64_t x);
int64_t dist_mean(const struct dist *d); /* towards zero; 0 of nothing */
int64_t dist_quantile(struct dist *d,
                      double q); /* the smallest value that at least the share q does not exceed */
static inline int64_t dist_median(struct dist *d) { return dist_quantile(d, 0.5); }
void dist_free(struct dist *d);
#endif
