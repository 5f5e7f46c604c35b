/* The clock: the schedule flattened, one number per instruction; and which value each node holds. */
#include "live_hlo_in.h"
#include <stdlib.h>

/* ---- nodes ---- */

static uint64_t count_nodes(const struct shape *s)
{
    uint64_t n = 1;
    if (s->type == PRIM_TUPLE)
        for (uint32_t k = 0; k < s->nelem; k++) n += count_nodes(s->elem[k]);
    return n;
}

static uint32_t fill_nodes(struct hv *h, uint32_t i, uint32_t at, const struct shape *s)
{
    uint32_t v = at++;
    h->shape[v] = s;
    h->instr[v] = i;
    h->value[v] = h->join[v] = v;
    if (s->type == PRIM_TUPLE)
        for (uint32_t k = 0; k < s->nelem; k++) at = fill_nodes(h, i, at, s->elem[k]);
    h->size[v] = at - v;
    return at;
}

/* Instructions whose nodes would pass 2^31 together get none: such a module is no module. */
static void make_nodes(struct hv *h)
{
    const struct hlo_module *m = h->m;
    uint64_t n = 0;
    h->node = mem_alloc((size_t)m->ninstr + 1, sizeof *h->node);
    for (uint32_t i = 0; i < m->ninstr; i++) {
        h->node[i] = (uint32_t)n;
        uint64_t more = m->instr[i].shape && h->number[i] != HV_NONE ? count_nodes(m->instr[i].shape) : 0;
        if (n + more < INT32_MAX) n += more;
        if (m->instr[i].shape && shape_tiled(m->instr[i].shape)) h->tpu = true;
    }
    h->node[m->ninstr] = h->nnode = (uint32_t)n;
    h->shape = mem_alloc(n + 1, sizeof *h->shape);
    h->size = mem_alloc(n + 1, sizeof *h->size);
    h->instr = mem_alloc(n + 1, sizeof *h->instr);
    h->value = mem_alloc(n + 1, sizeof *h->value);
    h->join = mem_alloc(n + 1, sizeof *h->join);
    h->last = mem_alloc(n + 1, sizeof *h->last);
    for (uint32_t i = 0; i < m->ninstr; i++)
        if (h->node[i] < h->node[i + 1]) fill_nodes(h, i, h->node[i], m->instr[i].shape);
}

uint32_t hv_child(const struct hv *h, uint32_t v, uint32_t k)
{
    if (v == HV_NONE || h->shape[v]->type != PRIM_TUPLE || k >= h->shape[v]->nelem) return HV_NONE;
    if (h->size[v] == h->shape[v]->nelem + 1) return v + 1 + k; /* all of them leaves */
    uint32_t c = v + 1;
    while (k-- > 0) c += h->size[c];
    return c;
}

uint32_t hv_below(const struct hv *h, uint32_t v, const int64_t *index, size_t n)
{
    for (size_t i = 0; i < n && v != HV_NONE; i++)
        v = index[i] < 0 || index[i] > INT32_MAX ? HV_NONE : hv_child(h, v, (uint32_t)index[i]);
    return v;
}

/* Parameter k of a computation stands in the place of its k-th instruction: it has no more than those. */
static void find_parameters(struct hv *h)
{
    const struct hlo_module *m = h->m;
    h->parameter = mem_alloc((size_t)m->ninstr + 1, sizeof *h->parameter);
    for (uint32_t i = 0; i < m->ninstr; i++) h->parameter[i] = HLO_NONE;
    for (uint32_t i = 0; i < m->ninstr; i++) {
        const struct hlo_computation *c = &m->computation[m->instr[i].computation];
        int64_t k = m->instr[i].number;
        if (hlo_is(&m->instr[i], "parameter") && k >= 0 && k < c->count) h->parameter[c->first + k] = i;
    }
}

uint32_t hv_parameter(const struct hv *h, uint32_t computation, int64_t number)
{
    if (computation == HLO_NONE) return HLO_NONE;
    const struct hlo_computation *c = &h->m->computation[computation];
    return number < 0 || number >= c->count ? HLO_NONE : h->parameter[c->first + number];
}

static uint32_t node_of(const struct hv *h, uint32_t i)
{
    return i == HLO_NONE || h->node[i] == h->node[i + 1] ? HV_NONE : h->node[i];
}

uint32_t hv_operand(const struct hv *h, uint32_t instr, uint32_t k)
{
    const struct hlo_instr *i = &h->m->instr[instr];
    return k < i->noperand ? node_of(h, i->operand[k]) : HV_NONE;
}

/* ---- numbers ---- */

/* What an async-start runs: the wrapped computation, or of a sugared call-start what that applies. */
static uint32_t wrapped(const struct hlo_instr *i)
{
    uint32_t c = hlo_called(i, HLO_CALLS);
    return c == HLO_NONE && str_is(i->async_op, "call") ? hlo_called(i, HLO_TO_APPLY) : c;
}

/* The k-th computation that runs before i, in the order in which they run; HLO_NONE: no more. */
static uint32_t callee(const struct hlo_instr *i, uint32_t k, uint32_t *branch)
{
    *branch = 0;
    if (hlo_is(i, "while"))
        return k == 0 ? hlo_called(i, HLO_CONDITION) : k == 1 ? hlo_called(i, HLO_BODY) : HLO_NONE;
    if (hlo_is(i, "call")) return k ? HLO_NONE : hlo_called(i, HLO_TO_APPLY);
    if (hlo_is(i, "async-start")) return k ? HLO_NONE : wrapped(i);
    if (!hlo_is(i, "conditional")) return HLO_NONE;
    *branch = k;
    if (k < 2 && hlo_called(i, HLO_TRUE) != HLO_NONE) return hlo_called(i, k ? HLO_FALSE : HLO_TRUE);
    return k < i->ncall && i->call[k].role == HLO_BRANCH ? i->call[k].computation : HLO_NONE;
}

struct frame {
    uint32_t computation, at, call; /* instruction within it, callee of that */
};

static void enter(struct hv *h, struct frame **stack, size_t *depth, size_t *cap, uint32_t c, uint32_t caller,
                  uint32_t branch)
{
    h->place[c] = (struct hv_place){.caller = caller, .first = h->end, .branch = branch, .walked = true};
    *stack = mem_grow(*stack, cap, *depth + 1, sizeof **stack);
    (*stack)[(*depth)++] = (struct frame){.computation = c};
}

/* Number the entry; callees go before the instruction that calls them, each computation once. */
static void number_all(struct hv *h)
{
    const struct hlo_module *m = h->m;
    struct frame *stack = NULL;
    size_t depth = 0, cap = 0;
    h->number = mem_alloc((size_t)m->ninstr + 1, sizeof *h->number);
    h->at = mem_alloc((size_t)m->ninstr + 1, sizeof *h->at);
    h->place = mem_alloc((size_t)m->ncomputation + 1, sizeof *h->place);
    for (uint32_t i = 0; i < m->ninstr; i++) h->number[i] = HV_NONE;
    for (uint32_t c = 0; c < m->ncomputation; c++) h->place[c].caller = HV_NONE;
    if (m->entry != HLO_NONE) enter(h, &stack, &depth, &cap, m->entry, HV_NONE, 0);
    while (depth) {
        struct frame *f = &stack[depth - 1];
        const struct hlo_computation *c = &m->computation[f->computation];
        uint32_t i = c->first + f->at, branch;
        if (f->at == c->count) {
            depth--;
            continue;
        }
        uint32_t to = callee(&m->instr[i], f->call++, &branch);
        if (to != HLO_NONE) {
            if (!h->place[to].walked) enter(h, &stack, &depth, &cap, to, i, branch);
            continue;
        }
        h->at[h->end] = i;
        h->number[i] = h->end++;
        f->at++;
        f->call = 0;
    }
    free(stack);
}

/* ---- values ---- */

/* The nodes below `to` hold the values of those below `from`, if the trees are alike. */
static void forward(struct hv *h, uint32_t to, uint32_t from)
{
    if (to == HV_NONE || from == HV_NONE || h->size[to] != h->size[from]) return;
    for (uint32_t k = 0; k < h->size[to]; k++) h->value[to + k] = h->value[from + k];
}

static uint32_t root_node(const struct hv *h, uint32_t computation)
{
    if (computation == HLO_NONE || !h->m->computation[computation].count) return HV_NONE;
    return node_of(h, h->m->computation[computation].root);
}

/* {0} or {0,k} <- the operands from `first` on. */
static void forward_operands(struct hv *h, uint32_t i, uint32_t first)
{
    uint32_t to = hv_child(h, h->node[i], 0), from = hv_operand(h, i, first);
    uint32_t n = h->m->instr[i].noperand, c = to == HV_NONE ? HV_NONE : to + 1;
    if (to == HV_NONE || from == HV_NONE) return;
    if (h->shape[to]->type != PRIM_TUPLE) {
        forward(h, to, from);
        return;
    }
    for (uint32_t k = 0; k < h->shape[to]->nelem && first + k < n; k++, c += h->size[c])
        forward(h, c, hv_operand(h, i, first + k));
}

static void f_same(struct hv *h, uint32_t i) { forward(h, h->node[i], hv_operand(h, i, 0)); }

static void f_element(struct hv *h, uint32_t i)
{
    int64_t k = h->m->instr[i].number;
    forward(h, h->node[i], hv_below(h, hv_operand(h, i, 0), &k, 1));
}

static void f_tuple(struct hv *h, uint32_t i)
{
    uint32_t v = h->node[i], c = v + 1;
    if (h->shape[v]->type != PRIM_TUPLE) return;
    for (uint32_t k = 0; k < h->shape[v]->nelem; k++, c += h->size[c]) forward(h, c, hv_operand(h, i, k));
}

static void f_call(struct hv *h, uint32_t i)
{
    forward(h, h->node[i], root_node(h, hlo_called(&h->m->instr[i], HLO_TO_APPLY)));
}

static void f_parameter(struct hv *h, uint32_t i)
{
    const struct hlo_instr *p = &h->m->instr[i];
    const struct hv_place *at = &h->place[p->computation];
    if (at->caller == HV_NONE || p->number < 0 || p->number > INT32_MAX) return;
    const struct hlo_instr *caller = &h->m->instr[at->caller];
    if (hlo_is(caller, "while")) return; /* a value of its own, in the loop's buffer */
    uint32_t k = hlo_is(caller, "conditional") ? at->branch + 1 : (uint32_t)p->number;
    forward(h, h->node[i], hv_operand(h, at->caller, k));
}

static void f_first(struct hv *h, uint32_t i) { forward(h, h->node[i], hv_child(h, hv_operand(h, i, 0), 0)); }
static void f_second(struct hv *h, uint32_t i)
{
    forward(h, h->node[i], hv_child(h, hv_operand(h, i, 0), 1));
}
static void f_copy_start(struct hv *h, uint32_t i)
{
    forward(h, hv_child(h, h->node[i], 1), hv_operand(h, i, 0));
}
static void f_start(struct hv *h, uint32_t i) { forward_operands(h, i, 0); }

static void f_async_start(struct hv *h, uint32_t i)
{
    forward_operands(h, i, 0);
    forward(h, hv_child(h, h->node[i], 1), root_node(h, wrapped(&h->m->instr[i])));
}

static void f_async_update(struct hv *h, uint32_t i)
{
    uint32_t v = h->node[i], from = hv_operand(h, i, 0);
    bool brings = h->m->instr[i].noperand > 1;
    if (h->shape[v]->type != PRIM_TUPLE || from == HV_NONE || h->shape[from]->type != PRIM_TUPLE) return;
    uint32_t n = h->shape[v]->nelem < h->shape[from]->nelem ? h->shape[v]->nelem : h->shape[from]->nelem;
    for (uint32_t k = 0, to = v + 1, c = from + 1; k < n; k++, to += h->size[to], c += h->size[c])
        if (!(brings && k == 0) && shape_same(h->shape[to], h->shape[c], false)) forward(h, to, c);
    if (brings) forward_operands(h, i, 1);
}

static void f_recv_done(struct hv *h, uint32_t i)
{
    forward(h, hv_child(h, h->node[i], 0), hv_child(h, hv_operand(h, i, 0), 0));
}

static const struct {
    const char *opcode;
    void (*forwards)(struct hv *h, uint32_t i);
} rule[] = {
    {"bitcast", f_same},
    {"opt-barrier", f_same},
    {"domain", f_same},
    {"add-dependency", f_same},
    {"get-tuple-element", f_element},
    {"tuple", f_tuple},
    {"call", f_call},
    {"parameter", f_parameter},
    {"copy-start", f_copy_start},
    {"copy-done", f_first},
    {"async-start", f_async_start},
    {"async-update", f_async_update},
    {"async-done", f_second},
    {"all-gather-start", f_start},
    {"all-gather-done", f_second},
    {"collective-permute-start", f_start},
    {"collective-permute-done", f_second},
    {"all-reduce-done", f_same},
    {"send", f_start},
    {"recv-done", f_recv_done},
};

static void define_all(struct hv *h)
{
    for (uint32_t n = 0; n < h->end; n++) {
        uint32_t i = h->at[n];
        if (node_of(h, i) == HV_NONE) continue;
        for (size_t k = 0; k < sizeof rule / sizeof *rule; k++)
            if (hlo_is(&h->m->instr[i], rule[k].opcode)) {
                rule[k].forwards(h, i);
                break;
            }
    }
}

/* ---- uses ---- */

static void used_at(uint32_t *last, uint32_t number)
{
    if (*last == HV_NONE || *last < number) *last = number;
}

/* Uses of whole operands are gathered per instruction first: a huge tuple with many users costs once. */
static void use_operands(struct hv *h, uint32_t i, uint32_t *whole)
{
    const struct hlo_instr *x = &h->m->instr[i];
    uint32_t number = h->number[i], n = x->noperand, v;
    if (hlo_is(x, "tuple") || hlo_is(x, "call")) return;
    if (hlo_is(x, "get-tuple-element")) {
        if ((v = hv_operand(h, i, 0)) != HV_NONE) used_at(&h->last[h->value[v]], number);
        return;
    }
    if (hlo_is(x, "conditional") && n) n = 1;
    if (hlo_is(x, "while")) {
        uint32_t body = hlo_called(x, HLO_BODY);
        if (body != HLO_NONE && h->place[body].walked && h->place[body].caller == i)
            number = h->place[body].first;
    }
    for (uint32_t k = 0; k < n; k++)
        if (x->operand[k] != HLO_NONE) used_at(&whole[x->operand[k]], number);
}

static void use_all(struct hv *h)
{
    const struct hlo_module *m = h->m;
    uint32_t *whole = mem_alloc((size_t)m->ninstr + 1, sizeof *whole);
    for (uint32_t i = 0; i < m->ninstr; i++) whole[i] = HV_NONE;
    for (uint32_t v = 0; v < h->nnode; v++) h->last[v] = HV_NONE;
    for (uint32_t n = 0; n < h->end; n++) use_operands(h, h->at[n], whole);
    for (uint32_t c = 0; c < m->ncomputation; c++) {
        const struct hv_place *p = &h->place[c];
        if (!p->walked || !m->computation[c].count || m->computation[c].root == HLO_NONE) continue;
        used_at(&whole[m->computation[c].root], p->caller == HV_NONE ? h->end : h->number[p->caller]);
    }
    for (uint32_t i = 0; i < m->ninstr; i++) {
        if (whole[i] == HV_NONE) continue;
        for (uint32_t v = h->node[i]; v < h->node[i + 1]; v++) used_at(&h->last[h->value[v]], whole[i]);
    }
    free(whole);
}

void hv_clock(struct hv *h, const struct hlo_module *m)
{
    *h = (struct hv){.m = m};
    number_all(h);
    find_parameters(h);
    make_nodes(h);
    define_all(h);
    use_all(h);
}

void hv_free(struct hv *h)
{
    void *own[] = {h->number, h->at,   h->place, h->node, h->shape,  h->size,     h->instr,
                   h->value,  h->last, h->join,  h->of,   h->buffer, h->interval, h->parameter};
    for (size_t k = 0; k < sizeof own / sizeof *own; k++) free(own[k]);
    *h = (struct hv){0};
}
