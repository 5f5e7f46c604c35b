/* The smallest test frame: CHECK(condition) prints where it fails; DONE ends main with the verdict. */
#ifndef CHECK_H
#define CHECK_H
#include "mem.h"
#include <stdio.h>
#include <stdlib.h>

static int check_failed, check_count;
#define CHECK(c)                                                                                             \
    (check_count++,                                                                                          \
     (c) ? (void)0 : (void)(check_failed++, printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #c)))
#define DONE return printf("%d checks, %d failed\n", check_count, check_failed), check_failed != 0

_Noreturn void mem_oom(size_t wanted)
{
    printf("out of memory: %zu\n", wanted);
    exit(2);
}
#endif
