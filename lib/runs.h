/* A stable sort that is linear on what is sorted already: tables come as a few sorted runs, line after line.
 */
#ifndef RUNS_H
#define RUNS_H
#include <stdbool.h>
#include <stddef.h>

/* `after(a, b)`: must a stand behind b?  Elements that are not after each other keep their order.
 * O(n log k), k the number of ascending runs found. */
typedef bool runs_after(const void *a, const void *b);
void runs_sort(void *v, size_t n, size_t size, runs_after *after);
#endif
