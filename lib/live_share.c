/* Who takes over whose memory (spec: liveness from HLO 8).
 *
 * On CPU and GPU a temporary may live in the memory of an output that is not there yet: the largest choose
 * first.  Everywhere an instruction that works element by element may write over an operand that ends with
 * it. */
#include "live_hlo_in.h"
#include <stdlib.h>

enum { TRIES_MAX = 100000000 }; /* pairs looked at: 10,000 temporaries and as many outputs */

struct sharing {
    struct hv *h;
    bool *through; /* per instruction of a fusion: all ways from it to the root keep elements in place */
    struct occupied {
        uint32_t buffer; /* the output */
        uint32_t n;
        size_t cap;
        struct stay {
            uint32_t from, to, buffer;
        } * stay; /* in order, disjoint but for hand-overs */
    } * output;
    uint32_t noutput;
    uint64_t tries;
};

/* ---- may an instruction write over an operand? ---- */

static bool elementwise(const struct hlo_instr *i, struct buf *scratch)
{
    return hlo_is(i, "copy") || str_is(hlo_category(i, scratch), "non-fusion elementwise");
}

/* Users stand behind their operands: from the last instruction back, every user is known. */
static void find_through(struct sharing *s)
{
    const struct hlo_module *m = s->h->m;
    struct buf scratch = {0};
    s->through = mem_alloc((size_t)m->ninstr + 1, sizeof *s->through);
    memset(s->through, 1, m->ninstr);
    for (uint32_t i = m->ninstr; i-- > 0;) {
        const struct hlo_instr *x = &m->instr[i];
        if (s->h->number[i] != HV_NONE) continue; /* only what is inside fusions */
        bool ok = s->through[i] && (hlo_is(x, "bitcast") || hlo_is(x, "tuple") || elementwise(x, &scratch));
        for (uint32_t k = 0; !ok && k < x->noperand; k++)
            if (x->operand[k] != HLO_NONE) s->through[x->operand[k]] = false;
    }
    buf_free(&scratch);
}

static bool same_place(const struct shape *a, const struct shape *b)
{
    if (a->type == PRIM_TUPLE || b->type == PRIM_TUPLE || a->rank != b->rank) return false;
    if (a->layout.nminor != b->layout.nminor) return false;
    return (!a->rank || !memcmp(a->dim, b->dim, a->rank * sizeof *a->dim)) &&
           (!a->layout.nminor || !memcmp(a->layout.minor_to_major, b->layout.minor_to_major,
                                         a->layout.nminor * sizeof *a->layout.minor_to_major));
}

static bool in_place(const struct sharing *s, uint32_t i, uint32_t operand, uint32_t out)
{
    const struct hlo_module *m = s->h->m;
    const struct hlo_instr *x = &m->instr[i];
    struct buf scratch = {0};
    uint32_t v = s->h->node[i];
    if (hlo_is(x, "fusion")) {
        uint32_t p = hv_parameter(s->h, hlo_called(x, HLO_CALLS), operand);
        return p != HLO_NONE && s->through[p];
    }
    if (hlo_is(x, "triangular-solve")) return operand == 1;
    if (hlo_is(x, "sort") || hlo_is(x, "scatter"))
        return s->h->shape[v]->type == PRIM_TUPLE ? hv_child(s->h, v, operand) == out : operand == 0;
    bool yes = elementwise(x, &scratch);
    buf_free(&scratch);
    return yes;
}

/* Could it ever write over an operand?  Spares most instructions the search among theirs. */
static bool ever_in_place(const struct hlo_instr *x)
{
    struct buf scratch = {0};
    bool yes = hlo_is(x, "fusion") || hlo_is(x, "triangular-solve") || hlo_is(x, "sort") ||
               hlo_is(x, "scatter") || elementwise(x, &scratch);
    buf_free(&scratch);
    return yes;
}

/* May node `out` of instruction i be written over operand k? */
static bool may_take(struct sharing *s, uint32_t i, uint32_t k, uint32_t out)
{
    const struct hv *h = s->h;
    uint32_t a = hv_operand(h, i, k);
    s->tries++;
    return a != HV_NONE && h->value[out] == out && same_place(h->shape[a], h->shape[out]) &&
           hv_bytes(h, a) == hv_bytes(h, out) && in_place(s, i, k, out);
}

/* Does the instruction at a number define a value of buffer `later` over an operand in buffer `earlier`? */
static bool takes(struct sharing *s, uint32_t number, uint32_t later, uint32_t earlier)
{
    const struct hv *h = s->h;
    if (number >= h->end) return false;
    uint32_t i = h->at[number], n = h->m->instr[i].noperand;
    if (!ever_in_place(&h->m->instr[i])) return false;
    for (uint32_t k = 0; k < n && s->tries < TRIES_MAX; k++, s->tries++) {
        uint32_t a = hv_operand(h, i, k);
        if (a == HV_NONE || h->of[h->value[a]] != earlier) continue;
        for (uint32_t out = h->node[i]; out < h->node[i + 1]; out++)
            if (h->of[h->value[out]] == later && may_take(s, i, k, out)) return true;
    }
    return false;
}

/* ---- temporaries in the memory of outputs: CPU and GPU ---- */

static void stay(struct occupied *o, uint32_t at, struct stay t)
{
    o->stay = mem_grow(o->stay, &o->cap, (size_t)o->n + 1, sizeof *o->stay);
    memmove(o->stay + at + 1, o->stay + at, (o->n - at) * sizeof *o->stay);
    o->stay[at] = t;
    o->n++;
}

/* The first stay that ends at or behind the number. */
static uint32_t stay_from(const struct occupied *o, uint32_t number)
{
    uint32_t lo = 0, hi = o->n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (o->stay[mid].to < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* 0: it does not fit, 1: it fits, 2: and one writes over the other where they touch. */
static int fits(struct sharing *s, const struct occupied *o, uint32_t b)
{
    const struct hv_buffer *t = &s->h->buffer[b];
    int how = 1;
    for (uint32_t k = 0; k < t->count; k++) {
        struct hv_interval life = s->h->interval[t->first + k];
        for (uint32_t at = stay_from(o, life.from); at < o->n && o->stay[at].from <= life.to; at++) {
            const struct stay *x = &o->stay[at];
            s->tries++;
            if (life.from < life.to && x->from == life.to && takes(s, life.to, x->buffer, b))
                how = 2;
            else if (life.from < life.to && x->to == life.from && takes(s, life.from, b, x->buffer))
                how = 2;
            else
                return 0;
        }
        s->tries++;
    }
    return how;
}

static void move_in(struct sharing *s, struct occupied *o, uint32_t b)
{
    struct hv_buffer *t = &s->h->buffer[b];
    t->host = o->buffer;
    for (uint32_t k = 0; k < t->count; k++) {
        struct hv_interval life = s->h->interval[t->first + k];
        uint32_t at = stay_from(o, life.from);
        while (at < o->n && o->stay[at].from < life.from) at++;
        stay(o, at, (struct stay){life.from, life.to, b});
    }
}

struct by_size {
    int64_t size;
    uint32_t start, buffer;
};

static int ascending(const void *x, const void *y)
{
    const struct by_size *a = x, *b = y;
    if (a->size != b->size) return a->size < b->size ? -1 : 1;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static int descending(const void *x, const void *y)
{
    const struct by_size *a = x, *b = y;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return (a->buffer > b->buffer) - (a->buffer < b->buffer);
}

static bool is_fixed(const struct hv_buffer *b) { return b->parameter || b->constant || b->root; }

/* Buffers of one kind by size: outputs that nobody donated, or temporaries. */
static struct by_size *sorted(const struct hv *h, bool outputs, uint32_t *n)
{
    struct by_size *x = mem_alloc((size_t)h->nbuffer + 1, sizeof *x);
    *n = 0;
    for (uint32_t b = 0; b < h->nbuffer; b++) {
        const struct hv_buffer *t = &h->buffer[b];
        if (t->space || t->size <= 0 || !t->count) continue;
        if (outputs ? !t->root || t->constant : is_fixed(t)) continue;
        x[(*n)++] = (struct by_size){t->size, h->interval[t->first].from, b};
    }
    qsort(x, *n, sizeof *x, outputs ? ascending : descending);
    return x;
}

static void host_one(struct sharing *s, uint32_t b)
{
    struct occupied *best = NULL;
    int64_t size = s->h->buffer[b].size;
    uint32_t lo = 0, hi = s->noutput;
    while (lo < hi) { /* the smallest output that is large enough */
        uint32_t mid = lo + (hi - lo) / 2;
        if (s->h->buffer[s->output[mid].buffer].size < size)
            lo = mid + 1;
        else
            hi = mid;
    }
    for (; lo < s->noutput; lo++) {
        int how = fits(s, &s->output[lo], b);
        if (how == 2) {
            best = &s->output[lo];
            break;
        }
        if (how && !best) best = &s->output[lo];
    }
    if (best) move_in(s, best, b);
}

static void host_all(struct sharing *s, struct hv_sharing *result)
{
    uint32_t ntemp;
    struct by_size *out = sorted(s->h, true, &s->noutput), *temp = sorted(s->h, false, &ntemp);
    s->output = mem_alloc((size_t)s->noutput + 1, sizeof *s->output);
    for (uint32_t k = 0; k < s->noutput; k++) {
        const struct hv_buffer *b = &s->h->buffer[out[k].buffer];
        s->output[k].buffer = out[k].buffer;
        for (uint32_t t = 0; t < b->count; t++) {
            struct hv_interval life = s->h->interval[b->first + t];
            stay(&s->output[k], t, (struct stay){life.from, life.to, out[k].buffer});
        }
    }
    for (uint32_t k = 0; k < ntemp && !result->gave_up; k++) {
        host_one(s, temp[k].buffer);
        result->gave_up = s->tries >= TRIES_MAX;
    }
    for (uint32_t k = 0; k < s->noutput; k++) free(s->output[k].stay);
    free(s->output);
    free(out);
    free(temp);
}

/* ---- an operand's memory ---- */

static bool is_temporary(const struct hv *h, uint32_t b)
{
    const struct hv_buffer *t = &h->buffer[b];
    return !is_fixed(t) && t->host == HV_NONE && t->count && t->size > 0;
}

/* The buffer of the first operand that node `out` may take over: it must end here. */
static uint32_t taken_operand(struct sharing *s, uint32_t number, uint32_t out, const bool *gone)
{
    const struct hv *h = s->h;
    uint32_t i = h->at[number], b = h->of[out];
    if (!ever_in_place(&h->m->instr[i])) return HV_NONE;
    for (uint32_t k = 0; k < h->m->instr[i].noperand && s->tries < TRIES_MAX; k++, s->tries++) {
        uint32_t v = hv_operand(h, i, k);
        if (v == HV_NONE) continue;
        uint32_t a = h->of[h->value[v]];
        if (a == b || gone[a] || !is_temporary(h, a) || h->buffer[a].space != h->buffer[b].space) continue;
        const struct hv_buffer *x = &h->buffer[a];
        if (h->interval[x->first + x->count - 1].to == number && may_take(s, i, k, out)) return a;
    }
    return HV_NONE;
}

static void take_operands(struct sharing *s, struct hv_sharing *result)
{
    const struct hv *h = s->h;
    for (uint32_t number = 0; number < h->end; number++) {
        uint32_t i = h->at[number];
        for (uint32_t v = h->node[i]; v < h->node[i + 1]; v++) {
            if (h->value[v] != v || h->shape[v]->type == PRIM_TUPLE) continue;
            uint32_t b = h->of[v];
            if (!is_temporary(h, b) || h->interval[h->buffer[b].first].from != number) continue;
            uint32_t a = taken_operand(s, number, v, result->handed_over);
            if (a != HV_NONE) result->handed_over[a] = true;
        }
    }
}

void hv_share(struct hv *h, struct hv_sharing *result)
{
    struct sharing s = {.h = h};
    *result = (struct hv_sharing){.handed_over = mem_alloc((size_t)h->nbuffer + 1, sizeof(bool))};
    find_through(&s);
    if (!h->tpu) host_all(&s, result);
    take_operands(&s, result);
    result->gave_up = s.tries >= TRIES_MAX;
    free(s.through);
}
