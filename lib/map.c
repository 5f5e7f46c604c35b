#include "map.h"
#include <stdlib.h>

static uint64_t mix(uint64_t a, uint64_t b)
{
    __uint128_t r = (__uint128_t)a * b;
    return (uint64_t)r ^ (uint64_t)(r >> 64);
}

uint64_t map_hash(const void *p, size_t n, uint64_t seed)
{
    const unsigned char *s = p;
    uint64_t h = seed ^ 0x9e3779b97f4a7c15u, a, b;
    size_t left = n;
    for (; left >= 16; left -= 16, s += 16) {
        memcpy(&a, s, 8);
        memcpy(&b, s + 8, 8);
        h = mix(a ^ 0xa0761d6478bd642fu ^ h, b ^ 0xe7037ed1a0b428dbu);
    }
    a = b = 0;
    if (left >= 8) {
        memcpy(&a, s, 8);
        memcpy(&b, s + left - 8, 8);
    } else if (left)
        memcpy(&a, s, left);
    return mix(a ^ 0x8ebc6af09c88c6e3u ^ h, b ^ (n + 0x589965cc75374cc3u));
}

static uint32_t *find(const struct map *m, struct str key)
{
    size_t i = map_hash(key.p, key.n, m->seed) & m->mask;
    while (m->slot[i] != MAP_NONE && !str_eq(m->key[m->slot[i]], key)) i = (i + 1) & m->mask;
    return &m->slot[i];
}

uint32_t map_get(const struct map *m, struct str key) { return m->slot ? *find(m, key) : MAP_NONE; }

static void rehash(struct map *m)
{
    size_t n = m->slot ? (m->mask + 1) * 2 : 64;
    free(m->slot);
    m->slot = mem_realloc(NULL, n, sizeof *m->slot);
    memset(m->slot, 0xff, n * sizeof *m->slot);
    m->mask = n - 1;
    m->seed = (uint64_t)(uintptr_t)m->slot;
    for (uint32_t i = 0; i < m->count; i++) *find(m, m->key[i]) = i;
}

uint32_t map_put(struct map *m, struct str key, bool *fresh)
{
    if (!m->slot || m->count >= m->mask / 2) rehash(m);
    uint32_t *slot = find(m, key);
    if (fresh) *fresh = *slot == MAP_NONE;
    if (*slot != MAP_NONE) return *slot;
    if (m->count == MAP_NONE - 1) mem_oom(SIZE_MAX);
    m->key = mem_grow(m->key, &m->cap, (size_t)m->count + 1, sizeof *m->key);
    m->key[m->count] = str_n(arena_copy(&m->arena, key.p, key.n), key.n);
    return *slot = m->count++;
}

void map_free(struct map *m)
{
    free(m->key);
    free(m->slot);
    arena_free(&m->arena);
    *m = (struct map){0};
}

/* Keys count up (ids, indexes): eight in a row share a place, so that the next one's slot is in the cache. */
static struct map64_slot *find64(const struct map64 *m, uint64_t key)
{
    uint64_t h = mix(key >> 3 ^ 0x9e3779b97f4a7c15u ^ (uint64_t)(uintptr_t)m->slot, 0xe7037ed1a0b428dbu);
    size_t i = (h << 3 | (key & 7)) & m->mask;
    while (m->slot[i].used && m->slot[i].key != key) i = (i + 1) & m->mask;
    return &m->slot[i];
}

bool map64_get(const struct map64 *m, uint64_t key, uint64_t *value)
{
    struct map64_slot *s = m->slot ? find64(m, key) : NULL;
    if (!s || !s->used) return false;
    *value = s->value;
    return true;
}

uint64_t *map64_at(struct map64 *m, uint64_t key, uint64_t fresh)
{
    if (!m->slot || m->count >= m->mask / 2) {
        struct map64 old = *m;
        size_t n = old.slot ? (old.mask + 1) * 2 : 64;
        m->slot = mem_alloc(n, sizeof *m->slot);
        m->mask = n - 1;
        for (size_t i = 0; old.slot && i <= old.mask; i++)
            if (old.slot[i].used) *find64(m, old.slot[i].key) = old.slot[i];
        free(old.slot);
    }
    struct map64_slot *s = find64(m, key);
    if (!s->used) {
        *s = (struct map64_slot){key, fresh, true};
        m->count++;
    }
    return &s->value;
}

void map64_set(struct map64 *m, uint64_t key, uint64_t value) { *map64_at(m, key, value) = value; }

void map64_free(struct map64 *m)
{
    free(m->slot);
    *m = (struct map64){0};
}
