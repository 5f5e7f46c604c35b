/* Memory: allocation that never fails from the caller's view, checked sizes, arenas.
 *
 * When memory runs out, mem_oom() is called; it must not return.  The program supplies it (cmd/tool.c prints
 * and ends with 2; a test may longjmp): the library itself neither prints nor exits. */
#ifndef MEM_H
#define MEM_H
#include <stddef.h>
#include <stdint.h>

_Noreturn void mem_oom(size_t wanted); /* supplied by the program */

/* *out = a * b (a + b); -1 if that does not fit, *out untouched. */
int mem_mul(size_t a, size_t b, size_t *out) __attribute__((warn_unused_result));
int mem_add(size_t a, size_t b, size_t *out) __attribute__((warn_unused_result));

void *mem_alloc(size_t count, size_t size); /* zeroed; free() it */
void *mem_realloc(void *p, size_t count, size_t size);

void *mem_more(void *p, size_t *cap, size_t need, size_t size); /* mem_grow where need > *cap */
/* Make room for `need` elements of `size` bytes in a growing array: returns p or its new place, *cap updated
 * (at least doubled).  New elements are not zeroed. */
static inline void *mem_grow(void *p, size_t *cap, size_t need, size_t size)
{
    return need <= *cap ? p : mem_more(p, cap, need, size);
}

/* An arena: many small pieces, freed together.  Start with {0}.  Pieces are zeroed and aligned to 16. */
struct arena {
    struct arena_block *block;
    size_t used, cap, total; /* total: bytes handed out */
};
void *arena_alloc(struct arena *a, size_t count, size_t size);
char *arena_copy(struct arena *a, const void *p, size_t n); /* n bytes and a NUL behind them */
void arena_free(struct arena *a);                           /* leaves {0} */
#endif
