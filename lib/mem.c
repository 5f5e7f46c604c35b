#include "mem.h"
#include <stdlib.h>
#include <string.h>

struct arena_block {
    struct arena_block *next;
    size_t pad; /* keeps what follows aligned to 16 */
};

int mem_mul(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_mul_overflow(a, b, &r)) return -1;
    *out = r;
    return 0;
}

int mem_add(size_t a, size_t b, size_t *out)
{
    size_t r;
    if (__builtin_add_overflow(a, b, &r)) return -1;
    *out = r;
    return 0;
}

void *mem_alloc(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);
    if (!p) mem_oom(size && count > SIZE_MAX / size ? SIZE_MAX : count * size);
    return p;
}

void *mem_realloc(void *p, size_t count, size_t size)
{
    size_t n;
    if (mem_mul(count, size, &n)) mem_oom(SIZE_MAX);
    void *q = realloc(p, n ? n : 1);
    if (!q) mem_oom(n);
    return q;
}

void *mem_more(void *p, size_t *cap, size_t need, size_t size)
{
    size_t n = *cap < 8 ? 8 : *cap;
    while (n < need)
        if (mem_mul(n, 2, &n)) mem_oom(SIZE_MAX);
    p = mem_realloc(p, n, size);
    *cap = n;
    return p;
}

void *arena_alloc(struct arena *a, size_t count, size_t size)
{
    size_t n, full;
    if (mem_mul(count, size, &n) || mem_add(n, 15, &n)) mem_oom(SIZE_MAX);
    n &= ~(size_t)15;
    if (n > a->cap - a->used || !a->block) {
        size_t cap = n > 65536 ? n : 65536;
        if (mem_add(cap, sizeof(struct arena_block), &full)) mem_oom(SIZE_MAX);
        struct arena_block *b = mem_realloc(NULL, full, 1);
        b->next = a->block;
        a->block = b;
        a->used = 0;
        a->cap = cap;
    }
    void *p = (char *)(a->block + 1) + a->used;
    a->used += n;
    a->total += n;
    return memset(p, 0, n);
}

char *arena_copy(struct arena *a, const void *p, size_t n)
{
    size_t m;
    if (mem_add(n, 1, &m)) mem_oom(SIZE_MAX);
    char *q = arena_alloc(a, m, 1);
    if (n) memcpy(q, p, n);
    return q;
}

void arena_free(struct arena *a)
{
    for (struct arena_block *b = a->block, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    *a = (struct arena){0};
}
