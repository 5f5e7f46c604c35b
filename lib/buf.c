#include "buf.h"
#include "mem.h"
#include "num.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

size_t str_find(struct str a, struct str part)
{
    if (!part.n) return 0;
    const char *q = a.n ? memmem(a.p, a.n, part.p, part.n) : NULL;
    return q ? (size_t)(q - a.p) : SIZE_MAX;
}

bool str_has(struct str a, const char *part) { return a.n && str_find(a, str_of(part)) != SIZE_MAX; }

size_t str_rfind(struct str a, char c)
{
    const char *q = a.n ? memrchr(a.p, c, a.n) : NULL;
    return q ? (size_t)(q - a.p) : SIZE_MAX;
}

int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    return c ? c : (a.n > b.n) - (a.n < b.n);
}

struct str str_trim(struct str a)
{
    while (a.n && (a.p[0] == ' ' || a.p[0] == '\t' || a.p[0] == '\n' || a.p[0] == '\r')) a.p++, a.n--;
    while (a.n && strchr(" \t\n\r", a.p[a.n - 1]) && a.p[a.n - 1]) a.n--;
    return a;
}

char *buf_more(struct buf *b, size_t n)
{
    size_t need;
    if (mem_add(b->n, n, &need)) mem_oom(SIZE_MAX);
    b->p = mem_grow(b->p, &b->cap, need, 1);
    return b->p + b->n;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
    if (!n) return;
    memcpy(buf_room(b, n), p, n);
    b->n += n;
}

void buf_str(struct buf *b, struct str s) { buf_put(b, s.p, s.n); }
void buf_puts(struct buf *b, const char *s) { buf_put(b, s, strlen(s)); }
void buf_c(struct buf *b, char c) { *buf_room(b, 1) = c, b->n++; }
void buf_u64(struct buf *b, uint64_t v) { b->n += num_put_u64(buf_room(b, 20), v); }
void buf_i64(struct buf *b, int64_t v) { b->n += num_put_i64(buf_room(b, 20), v); }

void buf_fmt(struct buf *b, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n <= 0) return;
    va_start(ap, fmt);
    vsnprintf(buf_room(b, (size_t)n + 1), (size_t)n + 1, fmt, ap);
    va_end(ap);
    b->n += (size_t)n;
}

char *buf_cstr(struct buf *b)
{
    *buf_room(b, 1) = 0;
    return b->p;
}

void buf_free(struct buf *b)
{
    free(b->p);
    *b = (struct buf){0};
}
