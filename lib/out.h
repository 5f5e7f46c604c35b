/* Output: bytes to a descriptor through one buffer.  Errors stick and are reported once, by out_close. */
#ifndef OUT_H
#define OUT_H
#include "buf.h"
#include "err.h"

struct out {
    const char *name; /* for messages */
    int fd, error;    /* errno of the first failed write */
    char *p;
    size_t n, cap;
};
void out_init(struct out *o, int fd, const char *name); /* takes no ownership of fd */
int out_flush(struct out *o);                           /* -1 if a write failed */
/* Flush, free, close fd; -1 if any write failed (o->error says why). */
int out_close(struct out *o, struct err *e);
char *out_more(struct out *o, size_t n); /* slow path of out_room */

/* n contiguous bytes to fill; then out_took says how many were. */
static inline char *out_room(struct out *o, size_t n)
{
    return o->cap - o->n >= n ? o->p + o->n : out_more(o, n);
}
static inline void out_took(struct out *o, size_t n) { o->n += n; }
static inline void out_put(struct out *o, const void *p, size_t n)
{
    if (n) memcpy(out_room(o, n), p, n), o->n += n;
}
static inline void out_str(struct out *o, struct str s) { out_put(o, s.p, s.n); }
static inline void out_c(struct out *o, char c) { *out_room(o, 1) = c, o->n++; }
#endif
