#include "runs.h"
#include "mem.h"
#include <stdlib.h>
#include <string.h>

/* The end of the ascending run that begins at element i. */
static size_t run_end(const char *v, size_t i, size_t n, size_t size, runs_after *after)
{
    while (++i < n && !after(v + (i - 1) * size, v + i * size)) continue;
    return i;
}

static void merge(const char *a, const char *mid, const char *end, char *to, size_t size, runs_after *after)
{
    const char *b = mid;
    for (; a < mid && b < end; to += size) {
        const char **from = after(a, b) ? &b : &a;
        memcpy(to, *from, size);
        *from += size;
    }
    memcpy(to, a, (size_t)(mid - a));
    memcpy(to + (mid - a), b, (size_t)(end - b));
}

/* Merge neighbouring runs, from one array into the other, until one is left. */
void runs_sort(void *v, size_t n, size_t size, runs_after *after)
{
    char *from = v, *to, *spare;
    if (n < 2 || run_end(v, 0, n, size, after) == n) return;
    size_t cap = 0, count = 0, *at = mem_grow(NULL, &cap, 2, sizeof *at); /* where each run begins, and n */
    for (size_t i = 0; i < n; i = run_end(v, i, n, size, after)) {
        at = mem_grow(at, &cap, count + 2, sizeof *at);
        at[count++] = i;
    }
    at[count] = n;
    to = spare = mem_realloc(NULL, n, size);
    while (count > 1) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i += 2) {
            size_t mid = at[i + 1], end = i + 2 <= count ? at[i + 2] : mid;
            merge(from + at[i] * size, from + mid * size, from + end * size, to + at[i] * size, size, after);
            at[kept++] = at[i];
        }
        at[kept] = n;
        count = kept;
        char *swap = from;
        from = to;
        to = swap;
    }
    if (from != v) memcpy(v, from, n * size);
    free(spare);
    free(at);
}
