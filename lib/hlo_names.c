#include "hlo_names.h"
#include "hlo.h"
#include <stdlib.h>

enum { SMALL = 64 };

static uint32_t hash_of(const struct hlo_names *t, struct str name)
{
    return (uint32_t)map_hash(name.p, name.n, t->seed);
}

static struct hlo_names_slot *slot_of(const struct hlo_names *t, const struct hlo_instr *instr,
                                      struct str name, uint32_t hash)
{
    size_t i = hash & t->mask;
    while (t->slot[i].at != HLO_NONE && (t->slot[i].hash != hash || !str_eq(instr[t->slot[i].at].name, name)))
        i = (i + 1) & t->mask;
    return &t->slot[i];
}

static void resize(struct hlo_names *t, size_t n)
{
    t->mask = n - 1;
    if (n > t->cap) {
        t->slot = mem_realloc(t->slot, n, sizeof *t->slot);
        t->cap = n;
    }
    memset(t->slot, 0xff, n * sizeof *t->slot);
    if (!t->seed) t->seed = (uint64_t)(uintptr_t)t->slot;
}

static void grow(struct hlo_names *t)
{
    size_t n = t->cap ? t->mask + 1 : 0;
    struct hlo_names_slot *old = mem_alloc(n, sizeof *old);
    if (n) memcpy(old, t->slot, n * sizeof *old);
    resize(t, n ? n * 2 : SMALL);
    for (size_t k = 0; k < n; k++) {
        size_t i = old[k].hash & t->mask;
        if (old[k].at == HLO_NONE) continue;
        while (t->slot[i].at != HLO_NONE) i = (i + 1) & t->mask;
        t->slot[i] = old[k];
    }
    free(old);
}

uint32_t hlo_names_get(const struct hlo_names *t, const struct hlo_instr *instr, struct str name)
{
    return t->slot ? slot_of(t, instr, name, hash_of(t, name))->at : HLO_NONE;
}

bool hlo_names_set(struct hlo_names *t, const struct hlo_instr *instr, uint32_t at, bool replace)
{
    if (!t->slot || t->count >= t->mask / 2) grow(t);
    uint32_t hash = hash_of(t, instr[at].name);
    struct hlo_names_slot *slot = slot_of(t, instr, instr[at].name, hash);
    bool fresh = slot->at == HLO_NONE;
    if (fresh || replace) *slot = (struct hlo_names_slot){at, hash};
    t->count += fresh;
    return fresh;
}

void hlo_names_clear(struct hlo_names *t)
{
    t->count = 0;
    resize(t, SMALL);
}

void hlo_names_free(struct hlo_names *t)
{
    free(t->slot);
    *t = (struct hlo_names){0};
}
