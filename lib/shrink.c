#include "shrink.h"
#include "live_uses.h"
#include "num.h"
#include <stdlib.h>

enum { LINES_MAX = 10, CHAIN_MAX = 1000 };

const char *shrink_cause_name(enum shrink_cause c)
{
    static const char *const name[SHRINK_CAUSES] = {"layout_copy", "f32_to_bf16", "recompute",
                                                    "undonated_argument", "padding"};
    return name[c];
}

/* One value changed: a hold gets other sizes or is not held over some steps; or the fixed part falls. */
struct change {
    enum shrink_cause cause;
    uint32_t buffer, hold;     /* hold UINT32_MAX: a fixed value */
    int64_t bytes;             /* the hold's new size; how much a fixed value falls by */
    uint32_t cut_from, cut_to; /* steps over which it is not held; from > to: none */
    int64_t touched;
    struct str source, op_name; /* op_name only where there is no source */
};

struct shrinking {
    const struct live *l;
    struct change *change;
    size_t n, cap;
    struct map names;       /* "instr{index}" -> index of value */
    uint32_t *value;        /* name -> plan->buffer */
    struct map64 ids;       /* value id -> plan->buffer */
    uint32_t *first, *next; /* plan->buffer -> its holds: first + 1, next + 1; 0 ends */
};

static struct change *add(struct shrinking *s, enum shrink_cause cause, uint32_t buffer, uint32_t hold)
{
    const struct live *l = s->l;
    s->change = mem_grow(s->change, &s->cap, s->n + 1, sizeof *s->change);
    struct change *c = &s->change[s->n++];
    *c = (struct change){.cause = cause, .buffer = buffer, .hold = hold, .cut_from = 1};
    c->touched = l->plan->buffer[buffer].size;
    if (hold != UINT32_MAX) c->bytes = l->hold[hold].bytes;
    return c;
}

/* ---- whose copy is it? ---- */

static void index_values(struct shrinking *s)
{
    const struct plan *p = s->l->plan;
    struct buf b = {0};
    s->value = mem_alloc((size_t)p->nbuffer + 1, sizeof *s->value);
    s->first = mem_alloc((size_t)p->nbuffer + 1, sizeof *s->first);
    s->next = mem_alloc((size_t)s->l->nhold + 1, sizeof *s->next);
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        b.n = 0;
        buf_str(&b, p->buffer[i].instr);
        buf_str(&b, p->buffer[i].index);
        s->value[map_put(&s->names, buf_view(&b), NULL)] = i;
        map64_set(&s->ids, (uint64_t)p->buffer[i].id, i);
    }
    for (uint32_t i = s->l->nhold; i-- > 0;) {
        s->next[i] = s->first[s->l->hold[i].buffer];
        s->first[s->l->hold[i].buffer] = i + 1;
    }
    buf_free(&b);
}

/* The hold of a value, or of the one whose memory it shares, at a step; UINT32_MAX: none. */
static uint32_t hold_at(const struct shrinking *s, uint32_t buffer, uint32_t step)
{
    const struct live *l = s->l;
    for (int n = 0; n < CHAIN_MAX; n++) {
        for (uint32_t h = s->first[buffer]; h; h = s->next[h - 1])
            if (l->hold[h - 1].from <= step && step <= l->hold[h - 1].to) return h - 1;
        uint64_t to;
        if (!map64_get(&s->ids, (uint64_t)l->plan->buffer[buffer].share_with, &to) || to == buffer) break;
        buffer = (uint32_t)to;
    }
    return UINT32_MAX;
}

/* Without the copy what it copies stays until the copy would end: the copy is gone while both are there. */
static void without_copy(struct shrinking *s, uint32_t hold)
{
    const struct live *l = s->l;
    const struct live_hold *h = &l->hold[hold];
    struct str from = l->plan->buffer[h->buffer].about->copy_of;
    uint32_t name = from.n ? map_get(&s->names, from) : MAP_NONE, source = UINT32_MAX;
    if (name != MAP_NONE) {
        const struct plan_buffer *b = &l->plan->buffer[s->value[name]];
        if (l->plan->alloc[b->alloc].color != l->rules.space) return; /* it moves between memories: needed */
        source = hold_at(s, s->value[name], h->from);
    }
    struct change *c = add(s, SHRINK_LAYOUT_COPY, h->shown, hold);
    c->cut_from = h->from;
    c->cut_to = source == UINT32_MAX || l->hold[source].to > h->to ? h->to : l->hold[source].to;
}

/* An output that is a copy: what it copies could be the output. */
static void without_output_copy(struct shrinking *s, uint32_t buffer)
{
    struct str from = s->l->plan->buffer[buffer].about->copy_of;
    uint32_t name = from.n ? map_get(&s->names, from) : MAP_NONE;
    if (name == MAP_NONE) return;
    for (uint32_t h = s->first[s->value[name]]; h; h = s->next[h - 1]) {
        struct change *c = add(s, SHRINK_LAYOUT_COPY, buffer, h - 1);
        c->cut_from = s->l->hold[h - 1].from;
        c->cut_to = s->l->hold[h - 1].to;
    }
}

/* ---- the causes ---- */

static void temporaries(struct shrinking *s)
{
    const struct live *l = s->l;
    for (uint32_t i = 0; i < l->nhold; i++) {
        const struct live_hold *h = &l->hold[i];
        const struct plan_buffer *b = &l->plan->buffer[h->shown];
        if (b->about->layout_change.n) without_copy(s, i);
        if (str_starts(b->shape, "f32[")) add(s, SHRINK_BF16, h->shown, i)->bytes = h->bytes / 2;
        if (h->unpadded > 0 && h->unpadded < h->bytes) {
            struct change *c = add(s, SHRINK_PADDING, h->shown, i);
            c->bytes = h->unpadded;
            c->touched = h->bytes - h->unpadded;
        }
    }
}

static void fixed_values(struct shrinking *s)
{
    const struct live *l = s->l;
    struct live_item *it;
    size_t n = live_at(l, UINT32_MAX, &it);
    for (size_t i = 0; i < n; i++) {
        const struct plan_buffer *b = &l->plan->buffer[it[i].buffer];
        const struct plan_alloc *a = &l->plan->alloc[it[i].alloc];
        if (a->maybe_live_out && !a->is_parameter && b->about->layout_change.n)
            without_output_copy(s, it[i].buffer);
        if (b->unpadded <= 0 || b->unpadded >= b->size) continue;
        struct change *c = add(s, SHRINK_PADDING, it[i].buffer, UINT32_MAX);
        c->bytes = c->touched = b->size - b->unpadded;
    }
    free(it);
}

/* Arguments and outputs of one shape, each output taken once. */
static void undonated(struct shrinking *s)
{
    const struct live *l = s->l;
    const struct plan *p = l->plan;
    struct map shapes = {0};
    uint32_t *waiting = mem_alloc((size_t)p->nalloc + 1, sizeof *waiting); /* outputs of the shape */
    struct live_item *it;
    size_t n = live_at(l, UINT32_MAX, &it);
    for (size_t i = 0; i < n; i++) {
        const struct plan_alloc *a = &p->alloc[it[i].alloc];
        if (a->is_parameter || a->constant || !a->maybe_live_out || !p->buffer[it[i].buffer].shape.n)
            continue;
        waiting[map_put(&shapes, p->buffer[it[i].buffer].shape, NULL)]++;
    }
    for (size_t i = 0; i < n; i++) {
        const struct plan_alloc *a = &p->alloc[it[i].alloc];
        uint32_t k = map_get(&shapes, p->buffer[it[i].buffer].shape);
        if (!a->is_parameter || a->maybe_live_out || k == MAP_NONE || !waiting[k]) continue;
        waiting[k]--;
        add(s, SHRINK_UNDONATED, it[i].buffer, UINT32_MAX)->bytes = it[i].held;
    }
    free(waiting);
    free(it);
    map_free(&shapes);
}

/* What is held over the peak and idle there: dropped in between, made again before its next use. */
static void recompute(struct shrinking *s)
{
    const struct live *l = s->l;
    struct live_idle *idle = live_idle(l);
    for (uint32_t i = 0; i < l->nhold; i++) {
        if (idle[i].from > idle[i].to) continue;
        struct change *c = add(s, SHRINK_RECOMPUTE, l->hold[i].shown, i);
        c->cut_from = idle[i].from;
        c->cut_to = idle[i].to;
    }
    free(idle);
}

/* ---- what if ---- */

static int by_first_step(const void *a, const void *b)
{
    const struct live_hold *x = a, *y = b;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* The peak with the changes [0, n) made. */
static int64_t peak_with(const struct live *l, const struct change *c, size_t n)
{
    struct live_hold *h = mem_alloc((size_t)l->nhold + n + 1, sizeof *h);
    uint32_t nhold = l->nhold;
    int64_t fixed = l->fixed;
    if (l->nhold) memcpy(h, l->hold, l->nhold * sizeof *h);
    for (size_t i = 0; i < n; i++) {
        if (c[i].hold == UINT32_MAX) {
            fixed -= c[i].bytes;
            continue;
        }
        struct live_hold *x = &h[c[i].hold];
        x->bytes = c[i].bytes;
        if (c[i].cut_from > c[i].cut_to) continue;
        if (c[i].cut_to < x->to) { /* it comes back */
            h[nhold] = *x;
            h[nhold++].from = c[i].cut_to + 1;
        }
        if (c[i].cut_from > x->from)
            x->to = c[i].cut_from - 1;
        else
            x->bytes = 0;
    }
    if (!l->additive) qsort(h, nhold, sizeof *h, by_first_step);
    int64_t peak = num_add(live_peak(h, nhold, l->nstep, l->additive, NULL), fixed);
    free(h);
    return peak;
}

/* ---- rows ---- */

static bool same_line(const struct change *a, const struct change *b)
{
    return a->cause == b->cause && str_eq(a->source, b->source) && str_eq(a->op_name, b->op_name);
}

static int by_line(const void *x, const void *y)
{
    const struct change *a = x, *b = y;
    if (a->cause != b->cause) return a->cause < b->cause ? -1 : 1;
    int r = str_cmp(a->source, b->source);
    if (!r) r = str_cmp(a->op_name, b->op_name);
    if (r) return r;
    if (a->hold != b->hold) return a->hold < b->hold ? -1 : 1;
    return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static void add_row(const struct live *l, struct shrink *out, size_t *cap, bool all, const struct change *c,
                    size_t n)
{
    struct shrink_row r = {
        .cause = c->cause, .all = all, .source = c->source, .op_name = c->op_name, .largest = c->buffer};
    r.buffers = (uint32_t)n;
    for (size_t i = 0; i < n; i++) {
        r.touched = num_add(r.touched, c[i].touched);
        if (l->plan->buffer[c[i].buffer].size > l->plan->buffer[r.largest].size) r.largest = c[i].buffer;
    }
    r.peak_after = peak_with(l, c, n);
    if (!all && r.peak_after >= l->peak) return;
    out->row = mem_grow(out->row, cap, out->n + 1, sizeof *out->row);
    out->row[out->n++] = r;
}

struct line {
    size_t from, n;
    int64_t touched;
};

static int by_touched(const void *x, const void *y)
{
    const struct line *a = x, *b = y;
    if (a->touched != b->touched) return a->touched > b->touched ? -1 : 1;
    return (a->from > b->from) - (a->from < b->from);
}

/* The whole cause, then its lines, the largest ones: each costs a pass over the program. */
static void rows_of_cause(const struct live *l, struct shrink *out, size_t *cap, const struct change *c,
                          size_t n)
{
    struct line *line = mem_alloc(n + 1, sizeof *line);
    size_t nline = 0;
    for (size_t i = 0; i < n; i++) {
        if (!i || !same_line(&c[i], &c[i - 1])) line[nline++].from = i;
        line[nline - 1].n++;
        line[nline - 1].touched = num_add(line[nline - 1].touched, c[i].touched);
    }
    qsort(line, nline, sizeof *line, by_touched);
    add_row(l, out, cap, true, c, n);
    for (size_t i = 0; nline > 1 && i < nline && i < LINES_MAX; i++)
        add_row(l, out, cap, false, c + line[i].from, line[i].n);
    free(line);
}

static int by_gain(const void *x, const void *y)
{
    const struct shrink_row *a = x, *b = y;
    if (a->cause_after != b->cause_after) return a->cause_after < b->cause_after ? -1 : 1;
    if (a->cause != b->cause) return a->cause < b->cause ? -1 : 1;
    if (a->all != b->all) return a->all ? -1 : 1;
    if (a->peak_after != b->peak_after) return a->peak_after < b->peak_after ? -1 : 1;
    int r = str_cmp(a->source, b->source);
    return r ? r : str_cmp(a->op_name, b->op_name);
}

void shrink_peak(const struct live *l, struct shrink *out)
{
    struct shrinking s = {.l = l};
    size_t cap = 0;
    *out = (struct shrink){0};
    index_values(&s);
    temporaries(&s);
    fixed_values(&s);
    undonated(&s);
    recompute(&s);
    for (size_t i = 0; i < s.n; i++) s.change[i].source = l->plan->buffer[s.change[i].buffer].about->source;
    if (s.n) qsort(s.change, s.n, sizeof *s.change, by_line);
    for (size_t i = 0, n; i < s.n; i += n) {
        size_t first = out->n;
        for (n = 1; i + n < s.n && s.change[i + n].cause == s.change[i].cause;) n++;
        rows_of_cause(l, out, &cap, s.change + i, n);
        for (size_t k = first; k < out->n; k++) out->row[k].cause_after = out->row[first].peak_after;
    }
    if (out->n) qsort(out->row, out->n, sizeof *out->row, by_gain);
    free(s.change);
    free(s.value);
    free(s.first);
    free(s.next);
    map_free(&s.names);
    map64_free(&s.ids);
}

void shrink_free(struct shrink *s)
{
    if (!s) return;
    free(s->row);
    *s = (struct shrink){0};
}
