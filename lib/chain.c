/* Chains: from the longest length down, count each sequence of that many kernels, keep those that (nearly)
 * always follow their first kernel, and take their events out of the search for shorter ones. */
#include "mem.h"
#include "num.h"
#include "runs.h"
#include "skip.h"
#include <stdlib.h>

struct seq {              /* the kernels of one line and program, in order */
    const uint32_t *item; /* event numbers */
    size_t n;
    const struct events *t;
    bool *used;
    uint64_t *prefix; /* rolling hash of the first i kinds, i = 0 .. n */
};
enum { BASE = 0x5bd1e995 };

static uint64_t kind(const struct seq *s, size_t i)
{
    const struct event *v = &s->t->event[s->item[i]];
    return (uint64_t)v->op << 32 | v->name;
}

static void fill_prefix(struct seq *s)
{
    s->prefix = mem_alloc(s->n + 1, sizeof *s->prefix);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t x = kind(s, i);
        s->prefix[i + 1] = s->prefix[i] * BASE + map_hash(&x, sizeof x, 0);
    }
}

static uint64_t hash_at(const struct seq *s, size_t i, size_t length)
{
    uint64_t power = 1;
    for (size_t k = 0; k < length; k++) power *= BASE;
    return s->prefix[i + length] - s->prefix[i] * power;
}

static bool free_at(const struct seq *s, size_t i, size_t length)
{
    for (size_t k = 0; k < length; k++)
        if (s->used[i + k]) return false;
    return true;
}

/* All places are counted, also overlapping ones: the share of the first kernel's places that the chain
 * follows. */
static uint64_t count_first(const struct map64 *first, const struct seq *s, size_t i)
{
    uint64_t n = 0;
    map64_get(first, kind(s, i), &n);
    return n;
}

struct found {
    size_t at;
    uint64_t count, all; /* places taken; places seen, overlapping ones too */
    int64_t time;
};

static void put_chain(struct chains *out, const struct seq *s, const struct found *f, size_t length,
                      uint64_t first)
{
    const struct event *head = &s->t->event[s->item[f->at]];
    uint32_t *kernel = arena_alloc(&out->arena, length, sizeof *kernel);
    for (size_t k = 0; k < length; k++) kernel[k] = s->t->event[s->item[f->at + k]].name;
    out->row = mem_grow(out->row, &out->cap, out->n + 1, sizeof *out->row);
    uint64_t removed = f->count * (length - 1);
    out->row[out->n++] = (struct chain){.plane = s->t->line[head->line].plane,
                                        .program = head->program,
                                        .kernel = kernel,
                                        .length = (uint32_t)length,
                                        .count = f->count,
                                        .first_count = first,
                                        .score = (double)f->all / (double)first,
                                        .removed = removed,
                                        .gain = (double)s->n / (double)(s->n - removed),
                                        .time_ps = f->time};
}

/* Take the places of chains of one length, from the left, each event once. */
static void take(struct chains *out, const struct seq *s, const struct map64 *first, size_t length,
                 double least)
{
    struct map64 count = {0}, taken = {0};
    struct found *found = NULL;
    size_t cap = 0, n = 0;
    for (size_t i = 0; i + length <= s->n; i++)
        if (free_at(s, i, length)) ++*map64_at(&count, hash_at(s, i, length), 0);
    for (size_t i = 0; i + length <= s->n; i++) {
        uint64_t c = 0;
        if (!free_at(s, i, length)) continue;
        uint64_t h = hash_at(s, i, length);
        if (!map64_get(&count, h, &c) || c < 2 || (double)c < least * (double)count_first(first, s, i))
            continue;
        uint64_t *at = map64_at(&taken, h, n);
        if (*at == n) {
            found = mem_grow(found, &cap, n + 1, sizeof *found);
            found[n++] = (struct found){.at = i, .all = c};
        }
        struct found *f = &found[*at];
        f->count++;
        for (size_t k = 0; k < length; k++) {
            s->used[i + k] = true;
            f->time = num_add(f->time, s->t->event[s->item[i + k]].dur);
        }
        i += length - 1;
    }
    for (size_t i = 0; i < n; i++)
        if (found[i].count > 1) put_chain(out, s, &found[i], length, count_first(first, s, found[i].at));
    free(found);
    map64_free(&count);
    map64_free(&taken);
}

static void chains_of(struct chains *out, const struct events *t, const uint32_t *item, size_t n,
                      double least)
{
    struct seq s = {item, n, t, mem_alloc(n, sizeof *s.used), NULL};
    struct map64 first = {0};
    fill_prefix(&s);
    for (size_t i = 0; i < n; i++) ++*map64_at(&first, kind(&s, i), 0);
    for (size_t length = CHAIN_MAX; length > 1; length--)
        if (n >= 2 * length) take(out, &s, &first, length, least);
    map64_free(&first);
    free(s.prefix);
    free(s.used);
}

static bool row_after(const void *x, const void *y)
{
    const struct chain *a = x, *b = y;
    return a->plane > b->plane || (a->plane == b->plane && a->removed < b->removed);
}

struct by_program {
    uint32_t program, event;
};

static bool program_after(const void *x, const void *y)
{
    return ((const struct by_program *)x)->program > ((const struct by_program *)y)->program;
}

/* The line's kernels and copies, program by program; those of no program are one, too. */
static void chains_of_line(struct chains *out, const struct events *t, const struct event_line *l,
                           double least)
{
    struct by_program *v = mem_alloc(l->n, sizeof *v);
    uint32_t *item = mem_alloc(l->n, sizeof *item);
    size_t n = 0;
    for (size_t i = l->from; i < l->from + l->n; i++)
        if (event_is(&t->event[i], EV_DEVICE)) v[n++] = (struct by_program){t->event[i].program, (uint32_t)i};
    runs_sort(v, n, sizeof *v, program_after);
    for (size_t i = 0, k; i < n; i = k) {
        for (k = i; k < n && v[k].program == v[i].program; k++) item[k] = v[k].event;
        chains_of(out, t, item + i, k - i, least);
    }
    free(v);
    free(item);
}

struct chains chain_find(const struct events *t, double least)
{
    struct chains c = {0};
    for (uint32_t i = 0; i < t->nline; i++)
        if (t->line[i].work && !t->line[i].nested) chains_of_line(&c, t, &t->line[i], least);
    runs_sort(c.row, c.n, sizeof *c.row, row_after);
    return c;
}

void chain_free(struct chains *c)
{
    free(c->row);
    arena_free(&c->arena);
    *c = (struct chains){0};
}
