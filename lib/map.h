/* Tables: bytes to a dense index (a string table), and 64-bit keys to 64-bit values.
 *
 * Both start with {0} and own what they hold.  Indexes count from 0 in order of first arrival, so that output
 * order never depends on hashing.  The hash is seeded per table with its own address: no fixed collisions. */
#ifndef MAP_H
#define MAP_H
#include "buf.h"
#include "mem.h"

#define MAP_NONE UINT32_MAX

struct map {
    struct str *key; /* key[i], copied into the arena, NUL behind it */
    uint32_t *slot, count;
    size_t mask, cap;
    uint64_t seed;
    struct arena arena;
};
uint32_t map_get(const struct map *m, struct str key);        /* index, or MAP_NONE */
uint32_t map_put(struct map *m, struct str key, bool *fresh); /* index, new if unknown; fresh may be NULL */
void map_free(struct map *m);

struct map64 {
    struct map64_slot {
        uint64_t key, value;
        bool used;
    } * slot;
    size_t mask, count;
};
bool map64_get(const struct map64 *m, uint64_t key, uint64_t *value); /* false: unknown, *value untouched */
void map64_set(struct map64 *m, uint64_t key, uint64_t value);
/* The value of key, made and set to `fresh` if unknown; the pointer holds until the next set or at. */
uint64_t *map64_at(struct map64 *m, uint64_t key, uint64_t fresh);
void map64_free(struct map64 *m);

uint64_t map_hash(const void *p, size_t n, uint64_t seed);
#endif
