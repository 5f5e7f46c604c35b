/* Which values share a buffer, and when a buffer is live (spec: liveness from HLO 3-7). */
#include "live_hlo_in.h"
#include "num.h"
#include <stdlib.h>

/* ---- sizes ---- */

int64_t hv_shape_bytes(const struct hv *h, const struct shape *s)
{
    if (s->type == PRIM_TUPLE) {
        int64_t n = s->nelem;
        return h->tpu ? (4 * n + 511) / 512 * 512 : 8 * n;
    }
    if (h->tpu && !s->rank && !s->layout.ntile && prim_bytes(s->type)) return 1024 * prim_bytes(s->type);
    int64_t bytes = shape_bytes(s), meta = 0;
    for (uint32_t d = 0; !h->tpu && s->dynamic && d < s->rank; d++) meta = s->dynamic[d] ? 4 * s->rank : meta;
    return bytes < 0 ? -1 : num_add(bytes, meta); /* CPU and GPU keep the real dimensions behind the array */
}

int64_t hv_bytes(const struct hv *h, uint32_t node) { return hv_shape_bytes(h, h->shape[node]); }

/* ---- joining ---- */

static uint32_t find(struct hv *h, uint32_t v)
{
    while (h->join[v] != v) v = h->join[v] = h->join[h->join[v]];
    return v;
}

static void unite(struct hv *h, uint32_t a, uint32_t b)
{
    if (a == HV_NONE || b == HV_NONE) return;
    a = find(h, h->value[a]);
    b = find(h, h->value[b]);
    if (a < b)
        h->join[b] = a;
    else
        h->join[a] = b;
}

/* Two trees, node by node. */
static void unite_trees(struct hv *h, uint32_t a, uint32_t b)
{
    if (a == HV_NONE || b == HV_NONE || h->size[a] != h->size[b]) return;
    for (uint32_t k = 0; k < h->size[a]; k++) unite(h, a + k, b + k);
}

static uint32_t instr_node(const struct hv *h, uint32_t i)
{
    return i == HLO_NONE || h->node[i] == h->node[i + 1] ? HV_NONE : h->node[i];
}

static void j_while(struct hv *h, uint32_t i)
{
    const struct hlo_module *m = h->m;
    uint32_t v = h->node[i];
    unite_trees(h, v, hv_operand(h, i, 0));
    for (enum hlo_role r = HLO_CONDITION; r <= HLO_BODY; r++) {
        uint32_t c = hlo_called(&m->instr[i], r);
        if (c == HLO_NONE || h->place[c].caller != i) continue; /* placed for another loop */
        unite_trees(h, v, instr_node(h, hv_parameter(h, c, 0)));
        if (r == HLO_BODY) unite_trees(h, v, instr_node(h, m->computation[c].root));
    }
}

static void j_conditional(struct hv *h, uint32_t i)
{
    const struct hlo_instr *x = &h->m->instr[i];
    for (uint32_t k = 0; k < x->ncall; k++) {
        const struct hlo_computation *c = &h->m->computation[x->call[k].computation];
        if (c->count) unite_trees(h, h->node[i], instr_node(h, c->root));
    }
}

static void j_first_operand(struct hv *h, uint32_t i) { unite_trees(h, h->node[i], hv_operand(h, i, 0)); }

static void j_all_reduce_start(struct hv *h, uint32_t i)
{
    uint32_t v = h->node[i], n = h->m->instr[i].noperand;
    if (n == 1) unite_trees(h, v, hv_operand(h, i, 0));
    for (uint32_t k = 0, c = v + 1; n > 1 && h->shape[v]->type == PRIM_TUPLE && k < h->shape[v]->nelem;
         k++, c += h->size[c])
        unite_trees(h, c, hv_operand(h, i, k));
}

static void j_permute_start(struct hv *h, uint32_t i) /* operands: input, output, where from, where to */
{
    if (h->m->instr[i].noperand == 4) unite_trees(h, hv_child(h, h->node[i], 1), hv_operand(h, i, 1));
}

static uint32_t skip(const struct hlo_module *m, uint32_t i, const char *a, const char *b)
{
    for (int n = 0; n < 1000 && i != HLO_NONE; n++) { /* text may be circular */
        const struct hlo_instr *x = &m->instr[i];
        if (!(hlo_is(x, a) || hlo_is(x, b)) || !x->noperand) break;
        i = x->operand[0];
    }
    return i;
}

/* A result of a fusion that is a dynamic-update-slice of a parameter is written in place. */
static void in_place(struct hv *h, uint32_t fusion, uint32_t inner, uint32_t out)
{
    const struct hlo_module *m = h->m;
    inner = skip(m, inner, "bitcast", "bitcast");
    if (inner == HLO_NONE || out == HV_NONE || !hlo_is(&m->instr[inner], "dynamic-update-slice")) return;
    uint32_t p = skip(m, inner, "dynamic-update-slice", "bitcast");
    if (p == HLO_NONE || !hlo_is(&m->instr[p], "parameter") || m->instr[p].number < 0) return;
    if (m->instr[p].number > INT32_MAX) return;
    uint32_t v = hv_operand(h, fusion, (uint32_t)m->instr[p].number);
    if (v != HV_NONE && hv_bytes(h, v) == hv_bytes(h, out)) unite(h, v, out);
}

static void j_fusion(struct hv *h, uint32_t i)
{
    const struct hlo_module *m = h->m;
    uint32_t c = hlo_called(&m->instr[i], HLO_CALLS), v = h->node[i];
    if (c == HLO_NONE || !m->computation[c].count || m->computation[c].root == HLO_NONE) return;
    const struct hlo_instr *root = &m->instr[m->computation[c].root];
    if (!hlo_is(root, "tuple")) {
        in_place(h, i, m->computation[c].root, v);
        return;
    }
    for (uint32_t k = 0, to = v + 1;
         h->shape[v]->type == PRIM_TUPLE && k < h->shape[v]->nelem && k < root->noperand;
         k++, to += h->size[to])
        in_place(h, i, root->operand[k], to);
}

static const struct {
    const char *opcode;
    void (*joins)(struct hv *h, uint32_t i);
} rule[] = {
    {"while", j_while},
    {"conditional", j_conditional},
    {"dynamic-update-slice", j_first_operand},
    {"set-dimension-size", j_first_operand},
    {"fusion", j_fusion},
    {"all-reduce-start", j_all_reduce_start},
    {"collective-permute-start", j_permute_start},
};

/* "{0}: (1, {})" pairs of output_to_operand_aliasing={{0}: (1, {}), ...}. */
static void join_attribute(struct hv *h, uint32_t i)
{
    struct str s = hlo_attr(&h->m->instr[i], "output_to_operand_aliasing");
    int64_t out[16], in[16], number;
    if (s.n > 2) s = str_n(s.p + 1, s.n - 2);
    for (;;) {
        size_t open = str_find(s, STR("{")), close = str_find(s, STR("}"));
        size_t paren = str_find(s, STR("(")), end = str_find(s, STR(")"));
        if (open >= close || close >= paren || paren >= end || end == SIZE_MAX) return;
        struct str of = str_n(s.p + paren + 1, end - paren - 1);
        size_t comma = str_find(of, STR(","));
        if (comma == SIZE_MAX || num_i64(str_trim(str_n(of.p, comma)), &number)) return;
        size_t nout = hlo_ints(str_n(s.p + open, close - open + 1), out, 16);
        size_t nin = hlo_ints(str_trim(str_from(of, comma + 1)), in, 16);
        if (nout > 16 || nin > 16 || number < 0 || number > INT32_MAX) return;
        uint32_t v = hv_below(h, h->node[i], out, nout);
        unite_trees(h, v, hv_below(h, hv_operand(h, i, (uint32_t)number), in, nin));
        s = str_from(s, end + 1);
    }
}

static void join_donated(struct hv *h)
{
    const struct hlo_module *m = h->m;
    if (m->entry == HLO_NONE || !m->computation[m->entry].count) return;
    uint32_t root = instr_node(h, m->computation[m->entry].root);
    for (uint32_t k = 0; k < m->nalias; k++) {
        const struct hlo_alias *a = &m->alias[k];
        uint32_t in = instr_node(h, hv_parameter(h, m->entry, a->parameter));
        unite(h, hv_below(h, in, a->param_index, a->nparam_index), hv_below(h, root, a->output, a->noutput));
    }
}

static void join_all(struct hv *h)
{
    for (uint32_t n = 0; n < h->end; n++) {
        uint32_t i = h->at[n];
        if (instr_node(h, i) == HV_NONE) continue;
        for (size_t k = 0; k < sizeof rule / sizeof *rule; k++)
            if (hlo_is(&h->m->instr[i], rule[k].opcode)) rule[k].joins(h, i);
        if (str_has(h->m->instr[i].attributes, "output_to_operand_aliasing")) join_attribute(h, i);
    }
    join_donated(h);
}

/* ---- buffers ---- */

static struct hv_interval life_of(const struct hv *h, uint32_t v)
{
    const struct hlo_instr *i = &h->m->instr[h->instr[v]];
    const struct hv_place *p = &h->place[i->computation];
    struct hv_interval t = {hv_number(h, v), hv_number(h, v)};
    if (h->last[v] != HV_NONE && h->last[v] > t.to) t.to = h->last[v];
    if (t.to >= h->end) t.to = h->end - 1;
    if (hlo_is(i, "parameter") && p->caller == HV_NONE) t.from = 0; /* wherever the text lists it */
    if (hlo_is(i, "parameter") && p->caller != HV_NONE && hlo_is(&h->m->instr[p->caller], "while")) {
        uint32_t c =
            hlo_called(&h->m->instr[p->caller], HLO_CONDITION); /* the state is there from the test on */
        if (c != HLO_NONE && h->place[c].walked && h->place[c].first < t.from) t.from = h->place[c].first;
    }
    return t;
}

/* One buffer for each set of joined values, in order of the nodes; sizes and what they are. */
static void make_buffers(struct hv *h)
{
    const struct hlo_module *m = h->m;
    h->of = mem_alloc((size_t)h->nnode + 1, sizeof *h->of);
    h->buffer = mem_alloc((size_t)h->nnode + 1, sizeof *h->buffer);
    for (uint32_t v = 0; v < h->nnode; v++) h->of[v] = HV_NONE;
    for (uint32_t v = 0; v < h->nnode; v++) {
        if (h->value[v] != v) continue;
        uint32_t r = find(h, v);
        if (h->of[r] == HV_NONE) {
            h->of[r] = h->nbuffer;
            h->buffer[h->nbuffer++] = (struct hv_buffer){.node = v, .size = -1, .host = HV_NONE};
        }
        struct hv_buffer *b = &h->buffer[h->of[v] = h->of[r]];
        const struct hlo_instr *i = &m->instr[h->instr[v]];
        int64_t bytes = hv_bytes(h, v);
        h->unsized += bytes < 0;
        b->count++;
        b->parameter |= hlo_is(i, "parameter") && i->computation == m->entry;
        b->constant |= hlo_is(i, "constant");
        if (bytes < b->size || (bytes == b->size && hv_number(h, v) >= hv_number(h, b->node))) continue;
        b->size = bytes;
        b->node = v;
        b->space = h->shape[v]->layout.memory_space;
        b->table = h->shape[v]->type == PRIM_TUPLE;
    }
    if (m->entry == HLO_NONE || !m->computation[m->entry].count) return;
    uint32_t root = m->computation[m->entry].root;
    for (uint32_t v = root == HLO_NONE ? 0 : h->node[root]; root != HLO_NONE && v < h->node[root + 1]; v++)
        h->buffer[h->of[h->value[v]]].root = true;
}

static int by_from(const void *x, const void *y)
{
    const struct hv_interval *a = x, *b = y;
    if (a->from != b->from) return a->from < b->from ? -1 : 1;
    return (a->to > b->to) - (a->to < b->to);
}

/* Sort a buffer's intervals and melt those that touch; what is left are the times with real gaps between. */
static void melt(struct hv *h, struct hv_buffer *b)
{
    struct hv_interval *t = h->interval + b->first;
    uint32_t n = 0;
    qsort(t, b->count, sizeof *t, by_from);
    for (uint32_t k = 0; k < b->count; k++) {
        if (!n || t[k].from > t[n - 1].to + 1)
            t[n++] = t[k];
        else if (t[k].to > t[n - 1].to)
            t[n - 1].to = t[k].to;
    }
    b->count = n;
}

static void make_intervals(struct hv *h)
{
    uint32_t at = 0;
    for (uint32_t k = 0; k < h->nbuffer; k++) {
        h->buffer[k].first = at;
        at += h->buffer[k].count;
        h->buffer[k].count = 0;
    }
    h->interval = mem_alloc((size_t)at + 1, sizeof *h->interval);
    for (uint32_t v = 0; v < h->nnode; v++) {
        if (h->value[v] != v) continue;
        struct hv_buffer *b = &h->buffer[h->of[v]];
        h->interval[b->first + b->count++] = life_of(h, v);
    }
    for (uint32_t k = 0; k < h->nbuffer; k++) melt(h, &h->buffer[k]);
}

void hv_join(struct hv *h)
{
    join_all(h);
    make_buffers(h);
    make_intervals(h);
}
