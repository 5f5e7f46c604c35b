/* Bytes: views that carry their length, and a growable buffer.
 *
 * A struct str is a view: it owns nothing and need not end in NUL.  A struct buf owns its bytes; start with
 * {0}, free with buf_free. */
#ifndef BUF_H
#define BUF_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct str {
    const char *p;
    size_t n;
};
#define STR(lit) ((struct str){"" lit, sizeof(lit) - 1})

static inline struct str str_of(const char *s) { return (struct str){s, s ? strlen(s) : 0}; }
static inline struct str str_n(const char *p, size_t n) { return (struct str){p, n}; }
static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (!b.n || !memcmp(a.p, b.p, b.n));
}
static inline bool str_is(struct str a, const char *s) { return str_eq(a, str_of(s)); }
static inline bool str_starts(struct str a, const char *prefix)
{
    size_t n = strlen(prefix);
    return a.n >= n && (!n || !memcmp(a.p, prefix, n));
}
static inline bool str_ends(struct str a, const char *suffix)
{
    size_t n = strlen(suffix);
    return a.n >= n && (!n || !memcmp(a.p + a.n - n, suffix, n));
}
bool str_has(struct str a, const char *part);   /* part occurs in a */
size_t str_find(struct str a, struct str part); /* offset, or SIZE_MAX */
size_t str_rfind(struct str a, char c);         /* offset of the last c, or SIZE_MAX */
int str_cmp(struct str a, struct str b);        /* byte order, like memcmp */
/* By length, then by bytes: the order of tables that are only searched, as the length alone decides most
 * steps. */
static inline int str_cmp_length(struct str a, struct str b)
{
    return a.n != b.n ? (a.n < b.n ? -1 : 1) : a.n ? memcmp(a.p, b.p, a.n) : 0;
}
struct str str_trim(struct str a);                         /* without blanks at both ends */
static inline struct str str_from(struct str a, size_t at) /* from offset at on; empty beyond the end */
{
    if (at > a.n) at = a.n;
    return (struct str){at ? a.p + at : a.p, a.n - at};
}

struct buf {
    char *p;
    size_t n, cap;
};
char *buf_more(struct buf *b, size_t n); /* slow path of buf_room */
/* Room for n more bytes; returns where they go, b->n unchanged. */
static inline char *buf_room(struct buf *b, size_t n)
{
    return b->cap - b->n >= n ? b->p + b->n : buf_more(b, n);
}
void buf_put(struct buf *b, const void *p, size_t n);
void buf_str(struct buf *b, struct str s);
void buf_puts(struct buf *b, const char *s);
void buf_c(struct buf *b, char c);
void buf_u64(struct buf *b, uint64_t v);
void buf_i64(struct buf *b, int64_t v);
void buf_fmt(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
char *buf_cstr(struct buf *b); /* NUL behind the bytes (not counted); valid until the next append */
void buf_free(struct buf *b);  /* leaves {0} */
static inline struct str buf_view(const struct buf *b) { return (struct str){b->p, b->n}; }
#endif
