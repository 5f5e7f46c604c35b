/* Numbers as text, without the locale.  Parsers take the whole of s or refuse it: 0, or -1 and *out
 * untouched. */
#ifndef NUM_H
#define NUM_H
#include "buf.h"

int num_u64(struct str s, uint64_t *out); /* decimal digits only */
int num_i64(struct str s, int64_t *out);  /* '-' and decimal digits */
int num_f64(struct str s, double *out);   /* C syntax; inf and nan refused */
/* Decimal microseconds (also 1e-06) to picoseconds, exact, half up. */
int num_us_to_ps(struct str s, int64_t *out);

size_t num_put_u64(char *p, uint64_t v); /* room for 20 bytes at p; returns how many it took */
size_t num_put_i64(char *p, int64_t v);
/* The shortest text that reads back equal, at most 32 bytes; inf, nan: "-". */
size_t num_put_f64(char *p, double v);

/* Saturating: INT64_MAX / INT64_MIN instead of wrapping. */
int64_t num_add(int64_t a, int64_t b);
int64_t num_mul(int64_t a, int64_t b);
#endif
