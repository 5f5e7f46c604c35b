#include "blame.h"
#include "num.h"
#include <stdlib.h>

enum { HOPS_MAX = 8 }; /* copies of copies */

const char *blame_by_name(enum blame_by by)
{
    static const char *const name[BLAME_WAYS] = {"kind",   "source",      "op_name",
                                                 "opcode", "layout_copy", "opaque_call"};
    return name[by];
}

/* Names of values, "a" and "a{1}", to buffers: for copies that have no line of their own. */
struct names {
    struct map map;
    uint32_t *buffer;
};

static void index_names(const struct plan *p, struct names *n)
{
    struct buf b = {0};
    n->buffer = mem_alloc((size_t)p->nbuffer + 1, sizeof *n->buffer);
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        b.n = 0;
        buf_str(&b, p->buffer[i].instr);
        buf_str(&b, p->buffer[i].index);
        n->buffer[map_put(&n->map, buf_view(&b), NULL)] = i;
    }
    buf_free(&b);
}

/* Its own, else that of what it copies. */
static struct str told(const struct plan *p, const struct names *n, uint32_t buffer, enum blame_by by)
{
    for (int hop = 0; hop < HOPS_MAX; hop++) {
        const struct plan_about *a = p->buffer[buffer].about;
        struct str s = by == BLAME_SOURCE ? a->source : a->op_name;
        uint32_t k = s.n || !a->copy_of.n ? MAP_NONE : map_get(&n->map, a->copy_of);
        if (k == MAP_NONE) return s;
        buffer = n->buffer[k];
    }
    return (struct str){0};
}

/* What the buffer counts under; false: it has no part in this way of looking. */
static bool key_of(const struct live *l, const struct names *n, const struct live_item *it, enum blame_by by,
                   struct str *key)
{
    const struct plan_buffer *b = &l->plan->buffer[it->buffer];
    switch (by) {
    case BLAME_KIND: *key = str_of(plan_kind_name(plan_alloc_kind(&l->plan->alloc[it->alloc]))); return true;
    case BLAME_SOURCE:
    case BLAME_OP_NAME: *key = told(l->plan, n, it->buffer, by); return true;
    case BLAME_OPCODE: *key = b->about->opcode; return true;
    case BLAME_LAYOUT_COPY: *key = b->instr; return b->about->layout_change.n > 0;
    case BLAME_OPAQUE: *key = b->instr; return plan_opaque(b->about->custom_call_target);
    default: return false;
    }
}

static int by_bytes(const void *x, const void *y)
{
    const struct blame_row *a = x, *b = y;
    if (a->by != b->by) return a->by < b->by ? -1 : 1;
    if (a->bytes != b->bytes) return a->bytes > b->bytes ? -1 : 1;
    return str_cmp(a->key, b->key);
}

static void add_way(const struct live *l, const struct names *names, const struct live_item *it, size_t nit,
                    enum blame_by by, struct blame *b, size_t *cap)
{
    struct map keys = {0};
    size_t first = b->n;
    for (size_t i = 0; i < nit; i++) {
        struct str key;
        bool fresh;
        if (!it[i].held || !key_of(l, names, &it[i], by, &key)) continue;
        uint32_t k = map_put(&keys, key, &fresh);
        if (fresh) {
            b->row = mem_grow(b->row, cap, b->n + 1, sizeof *b->row);
            b->row[b->n++] = (struct blame_row){.by = by, .key = key};
        }
        b->row[first + k].bytes = num_add(b->row[first + k].bytes, it[i].held);
        b->row[first + k].buffers++;
    }
    map_free(&keys);
}

void blame_peak(const struct live *l, struct blame *b)
{
    struct live_item *it;
    size_t n = live_at(l, l->peak_step, &it), cap = 0;
    struct names names = {0};
    *b = (struct blame){0};
    index_names(l->plan, &names);
    for (int by = 0; by < BLAME_WAYS; by++) add_way(l, &names, it, n, (enum blame_by)by, b, &cap);
    if (b->n) qsort(b->row, b->n, sizeof *b->row, by_bytes);
    map_free(&names.map);
    free(names.buffer);
    free(it);
}

void blame_free(struct blame *b)
{
    if (!b) return;
    free(b->row);
    *b = (struct blame){0};
}
