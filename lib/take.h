/* Tokens of text: the cursor is a struct str that gets shorter from the left.  Nothing is copied; a token
 * that is not there leaves the cursor where it was. */
#ifndef TAKE_H
#define TAKE_H
#include "buf.h"

static inline bool take_lit(struct str *s, const char *lit)
{
    size_t n = strlen(lit);
    if (s->n < n || memcmp(s->p, lit, n)) return false;
    *s = str_n(s->p + n, s->n - n);
    return true;
}

/* Decimal digits, at most INT64_MAX; false also if they say more. */
static inline bool take_nat(struct str *s, int64_t *v)
{
    size_t i = 0;
    int64_t r = 0;
    for (; i < s->n && (unsigned)(s->p[i] - '0') < 10; i++)
        if (__builtin_mul_overflow(r, 10, &r) || __builtin_add_overflow(r, s->p[i] - '0', &r)) return false;
    if (!i) return false;
    *v = r;
    *s = str_n(s->p + i, s->n - i);
    return true;
}

/* What stands before the next c (all of it where there is none); the cursor then is at c. */
static inline struct str take_until(struct str *s, char c)
{
    const char *q = s->n ? memchr(s->p, c, s->n) : NULL;
    struct str got = str_n(s->p, q ? (size_t)(q - s->p) : s->n);
    *s = str_n(s->p + got.n, s->n - got.n);
    return got;
}

/* The next line without its end ("\n" or "\r\n"); false at the end of the text.  *cut: it has no end. */
static inline bool take_line(struct str *s, struct str *line, bool *cut)
{
    if (!s->n) return false;
    *line = take_until(s, '\n');
    *cut = !take_lit(s, "\n");
    if (line->n && line->p[line->n - 1] == '\r') line->n--;
    return true;
}

static inline void take_blanks(struct str *s)
{
    while (s->n && (*s->p == ' ' || *s->p == '\t')) *s = str_n(s->p + 1, s->n - 1);
}
#endif
