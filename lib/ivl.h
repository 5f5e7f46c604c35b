/* Sets of instants: sorted, disjoint, half-open intervals [a, b).
 *
 * Start with {0}; a set owns its array, ivls_free releases it.  Intervals may be added in any order; before a
 * set is measured or combined it must be settled (added in order of start it costs nothing).  All lengths are
 * in the unit of the bounds; sums saturate. */
#ifndef IVL_H
#define IVL_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ivl {
    int64_t a, b;
};
struct ivls {
    struct ivl *v;
    size_t n, cap;
    bool unsettled;
};

void ivls_add(struct ivls *s, int64_t a,
              int64_t b); /* nothing if b <= a; joined to the last where they touch */
void ivls_settle(struct ivls *s);
void ivls_free(struct ivls *s);

int64_t ivls_len(const struct ivls *s);
int64_t ivls_len_in(const struct ivls *s, struct ivl w); /* length of what lies in w: O(log n + answer) */
bool ivls_has(const struct ivls *s, int64_t t);
size_t ivls_from(const struct ivls *s, int64_t t); /* the first interval that ends behind t */

/* What is in a or b, in a but not in b: a new set. */
struct ivls ivls_or(const struct ivls *a, const struct ivls *b);
struct ivls ivls_minus(const struct ivls *a, const struct ivls *b);
void ivls_add_all(struct ivls *to, const struct ivls *from); /* to becomes unsettled where it must */
#endif
