#include "schedule.h"
#include <stdlib.h>

enum { DEPTH = 64, NODES = 4000000, VISITS = 16 * NODES, UNLIKELY = 6, SEED = 1 };

struct build {
    struct schedule *s;
    const uint64_t *hash; /* per computation */
    struct map64 twin;    /* hash -> class */
    struct sched_arc {
        uint32_t from;
        struct sched_edge e;
    } * arc;
    size_t narc, arc_cap, node_cap;
    struct buf scratch;
    uint64_t visits; /* instructions, each as often as control comes by: calls of calls double */
    uint64_t cut;
};

/* ---- what an instruction launches ---- */

static uint32_t fused(const struct hlo_instr *i) { return hlo_called(i, HLO_CALLS); }

static bool one_of(struct str op, const char *const *name)
{
    for (; *name; name++)
        if (str_is(op, *name)) return true;
    return false;
}

static enum kernel_family collective(struct str op)
{
    static const struct {
        const char *op;
        enum kernel_family family;
    } t[] = {{"all-gather", FAMILY_ALL_GATHER},
             {"all-reduce", FAMILY_ALL_REDUCE},
             {"reduce-scatter", FAMILY_REDUCE_SCATTER},
             {"all-to-all", FAMILY_SEND_RECV},
             {"ragged-all-to-all", FAMILY_SEND_RECV},
             {"collective-permute", FAMILY_SEND_RECV},
             {"send", FAMILY_SEND_RECV},
             {"recv", FAMILY_SEND_RECV},
             {"collective-broadcast", FAMILY_BROADCAST}};
    if (str_ends(op, "-start")) op.n -= 6;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (str_is(op, t[i].op)) return t[i].family;
    return FAMILY_NONE;
}

static enum kernel_family library(const struct hlo_instr *i)
{
    struct str t = i->custom_call_target;
    if (hlo_is(i, "dot") || str_has(t, "gemm") || str_has(t, "matmul")) return FAMILY_GEMM;
    if (hlo_is(i, "convolution") || str_has(t, "conv") || str_has(t, "fmha") || str_has(t, "cudnn"))
        return FAMILY_CONV;
    if (hlo_is(i, "fft")) return FAMILY_FFT;
    if (hlo_is(i, "cholesky") || hlo_is(i, "triangular-solve") || str_has(t, "solver")) return FAMILY_SOLVER;
    if (str_has(t, "Sort") || str_has(t, "sort")) return FAMILY_SORT;
    return FAMILY_NONE;
}

/* Does a fused computation only move data, or only fill? */
static uint16_t moves_or_fills(const struct hlo_module *m, uint32_t c)
{
    static const char *const moves[] = {"parameter", "copy",     "slice",   "dynamic-slice",
                                        "bitcast",   "constant", "reshape", "get-tuple-element",
                                        NULL};
    static const char *const fills[] = {"constant", "broadcast", "bitcast", "tuple", "reshape", NULL};
    const struct hlo_computation *k = &m->computation[c];
    bool move = true, fill = true;
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        struct str op = m->instr[i].opcode;
        move &= one_of(op, moves) || str_is(op, "dynamic-update-slice");
        fill &= one_of(op, fills);
    }
    return (uint16_t)((move ? LAUNCH_MAYBE_COPY : 0) | (fill ? LAUNCH_MAYBE_SET : 0));
}

static void describe_sort(const struct hlo_module *m, const struct hlo_instr *sort, struct sched_node *n)
{
    n->launch = LAUNCH_NAMED | LAUNCH_STAGES;
    for (uint32_t k = 0; k < sort->noperand; k++)
        if (sort->operand[k] == HLO_NONE || !hlo_is(&m->instr[sort->operand[k]], "iota"))
            n->copies += n->copies < 255;
}

static void name_node(struct build *b, struct sched_node *n, struct str instr)
{
    b->scratch.n = 0;
    kernel_sanitize(instr, &b->scratch);
    n->name = map_put(&b->s->names, buf_view(&b->scratch), NULL);
}

/* A fusion that the emitters hand to a library or to the copy engine: what it holds decides. */
static void describe_custom(const struct hlo_module *m, uint32_t c, struct sched_node *n)
{
    const struct hlo_computation *k = &m->computation[c];
    n->launch = 0;
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        const struct hlo_instr *in = &m->instr[i];
        enum kernel_family f = collective(in->opcode);
        if (f) n->launch |= LAUNCH_COLLECTIVE, n->family = (uint8_t)f;
        if (hlo_is(in, "custom-call") || hlo_is(in, "dot") || hlo_is(in, "convolution"))
            n->launch |= LAUNCH_LIBRARY, n->family = (uint8_t)library(in);
    }
    if (!n->launch) n->launch = LAUNCH_COPY;
}

static void describe_fusion(struct build *b, const struct hlo_instr *i, struct sched_node *n)
{
    const struct hlo_module *m = b->s->m;
    uint32_t c = fused(i);
    n->launch = LAUNCH_NAMED;
    if (c == HLO_NONE) return;
    const struct hlo_computation *k = &m->computation[c];
    const struct hlo_instr *root = k->count ? &m->instr[k->root] : i;
    if (str_has(i->backend_config, "__custom_fusion")) {
        describe_custom(m, c, n);
        return;
    }
    if (str_has(i->backend_config, "__cudnn")) {
        n->launch |= LAUNCH_LIBRARY;
        n->family = FAMILY_CONV;
    }
    if (hlo_is(root, "sort")) {
        describe_sort(m, root, n);
        name_node(b, n, root->name);
    }
    n->launch |= moves_or_fills(m, c);
    uint64_t *t = map64_at(&b->twin, b->hash[c], b->twin.count);
    n->twin = (uint32_t)*t;
    n->config = (uint32_t)map_hash(i->backend_config.p, i->backend_config.n, SEED);
}

static void describe(struct build *b, const struct hlo_instr *i, struct sched_node *n)
{
    static const char *const lib[] = {"custom-call",      "dot", "convolution", "fft", "cholesky",
                                      "triangular-solve", NULL};
    struct str op = i->async_op.n ? i->async_op : i->opcode;
    enum kernel_family f = collective(op);
    name_node(b, n, i->name);
    if (hlo_is(i, "fusion"))
        describe_fusion(b, i, n);
    else if (f)
        n->launch = LAUNCH_COLLECTIVE, n->family = (uint8_t)f;
    else if (str_is(op, "copy") || str_is(op, "copy-start"))
        n->launch = LAUNCH_COPY | LAUNCH_NAMED;
    else if (str_is(op, "partition-id") || str_is(op, "replica-id"))
        n->launch = LAUNCH_SET | LAUNCH_NAMED;
    else if (str_is(op, "sort"))
        describe_sort(b->s->m, i, n);
    else if (one_of(op, lib)) {
        n->family = (uint8_t)library(i);
        n->launch = LAUNCH_LIBRARY | LAUNCH_NAMED;
        if (n->family == FAMILY_NONE || n->family == FAMILY_SOLVER) n->launch |= LAUNCH_PERHAPS;
    } else
        n->launch = LAUNCH_NAMED;
}

/* ---- nodes and edges ---- */

static void edge(struct build *b, uint32_t from, uint32_t to, bool control, uint8_t cost)
{
    b->arc = mem_grow(b->arc, &b->arc_cap, b->narc + 1, sizeof *b->arc);
    b->arc[b->narc++] = (struct sched_arc){from, {to, cost, control, false}};
}

static uint32_t node(struct build *b, uint32_t instr, uint32_t after, bool control)
{
    struct schedule *s = b->s;
    s->node = mem_grow(s->node, &b->node_cap, (size_t)s->nnode + 1, sizeof *s->node);
    s->node[s->nnode] = (struct sched_node){.instr = instr, .name = MAP_NONE, .twin = MAP_NONE};
    if (after != HLO_NONE) edge(b, after, s->nnode, control, 0);
    return s->nnode++;
}

static uint32_t sequence(struct build *b, uint32_t computation, uint32_t tail, unsigned depth);

static uint32_t predicate(struct build *b, uint32_t instr, uint32_t tail)
{
    uint32_t n = node(b, instr, tail, false);
    b->s->node[n].launch = LAUNCH_PREDICATE | LAUNCH_COPY;
    return n;
}

/* Unknown trips: condition, the predicate's copy, body, again; known: the body alone, though some runtimes
 * ask all the same. */
static uint32_t loop(struct build *b, uint32_t instr, uint32_t tail, unsigned depth)
{
    const struct hlo_module *m = b->s->m;
    const struct hlo_instr *w = &m->instr[instr];
    bool known = hlo_trip_count(m, w) >= 0;
    uint32_t in = node(b, HLO_NONE, tail, true), ask = node(b, HLO_NONE, HLO_NONE, false);
    edge(b, in, ask, false, known ? UNLIKELY : 0);
    uint32_t p = predicate(b, instr, sequence(b, hlo_called(w, HLO_CONDITION), ask, depth + 1));
    uint32_t body = node(b, HLO_NONE, p, true);
    if (known) edge(b, in, body, false, 0);
    uint32_t end = sequence(b, hlo_called(w, HLO_BODY), body, depth + 1);
    edge(b, end, in, true, 0);
    uint32_t out = node(b, HLO_NONE, p, true);
    if (known) edge(b, end, out, true, 0);
    return out;
}

static uint32_t branches(struct build *b, uint32_t instr, uint32_t tail, unsigned depth)
{
    const struct hlo_instr *c = &b->s->m->instr[instr];
    uint32_t p = predicate(b, instr, tail), ends[256], n = 0;
    for (uint32_t k = 0; k < c->ncall && n < 256; k++)
        ends[n++] = sequence(b, c->call[k].computation, node(b, HLO_NONE, p, true), depth + 1);
    uint32_t out = node(b, HLO_NONE, HLO_NONE, false);
    for (uint32_t k = 0; k < n; k++) edge(b, ends[k], out, true, 0);
    if (!n) edge(b, p, out, false, 0);
    return out;
}

/* The instructions of one computation behind node `tail`; returns the last node. */
static uint32_t sequence(struct build *b, uint32_t computation, uint32_t tail, unsigned depth)
{
    const struct hlo_module *m = b->s->m;
    if (computation == HLO_NONE) return tail;
    const struct hlo_computation *c = &m->computation[computation];
    if (depth > DEPTH || b->s->nnode > NODES || b->visits > VISITS) return b->cut++, tail;
    b->visits += c->count + 1;
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        const struct hlo_instr *i = &m->instr[k];
        uint32_t inner = hlo_is(i, "call")          ? hlo_called(i, HLO_TO_APPLY)
                         : hlo_is(i, "async-start") ? hlo_called(i, HLO_CALLS)
                                                    : HLO_NONE;
        if (hlo_is(i, "while"))
            tail = loop(b, k, tail, depth);
        else if (hlo_is(i, "conditional"))
            tail = branches(b, k, tail, depth);
        else if (inner != HLO_NONE)
            tail = sequence(b, inner, tail, depth + 1);
        else if (hlo_launches(m, i)) {
            tail = node(b, k, tail, false);
            struct sched_node n = b->s->node[tail];
            describe(b, i, &n);
            b->s->node[tail] = n;
        }
    }
    return tail;
}

/* Edges by their beginning, in the order in which they were made. */
static void sort_edges(struct build *b)
{
    struct schedule *s = b->s;
    s->first = mem_alloc((size_t)s->nnode + 2, sizeof *s->first);
    s->edge = mem_alloc(b->narc + 1, sizeof *s->edge);
    for (size_t k = 0; k < b->narc; k++) s->first[b->arc[k].from + 2]++;
    for (uint32_t n = 0; n < s->nnode; n++) s->first[n + 2] += s->first[n + 1];
    for (size_t k = 0; k < b->narc; k++) s->edge[s->first[b->arc[k].from + 1]++] = b->arc[k].e;
}

static void index_instr(struct schedule *s)
{
    uint32_t n = s->m->ninstr;
    s->instr_first = mem_alloc((size_t)n + 2, sizeof *s->instr_first);
    s->instr_node = mem_alloc((size_t)s->nnode + 1, sizeof *s->instr_node);
    for (uint32_t k = 0; k < s->nnode; k++)
        if (s->node[k].instr != HLO_NONE) s->instr_first[s->node[k].instr + 2]++;
    for (uint32_t i = 0; i < n; i++) s->instr_first[i + 2] += s->instr_first[i + 1];
    for (uint32_t k = 0; k < s->nnode; k++)
        if (s->node[k].instr != HLO_NONE) s->instr_node[s->instr_first[s->node[k].instr + 1]++] = k;
}

void schedule_make(const struct hlo_module *m, struct schedule *s, uint64_t *cut)
{
    *s = (struct schedule){.m = m};
    uint64_t *hash = schedule_hashes(m);
    struct build b = {.s = s, .hash = hash};
    uint32_t begin = node(&b, HLO_NONE, HLO_NONE, false);
    uint32_t end = node(&b, HLO_NONE, sequence(&b, m->entry, begin, 0), false);
    edge(&b, end, begin, true, 1);
    b.arc[b.narc - 1].e.run = true;
    sort_edges(&b);
    index_instr(s);
    s->ntwin = (uint32_t)b.twin.count;
    *cut = b.cut;
    free(b.arc);
    free(hash);
    map64_free(&b.twin);
    buf_free(&b.scratch);
}

void schedule_free(struct schedule *s)
{
    free(s->node);
    free(s->first);
    free(s->edge);
    free(s->instr_first);
    free(s->instr_node);
    map_free(&s->names);
    *s = (struct schedule){0};
}

/* ---- equal computations ---- */

/* Attributes that count: not the names of computations, nor what only the compiler's passes use. */
static bool counts(struct str a)
{
    static const char *const skip[] = {"calls=",
                                       "to_apply=",
                                       "condition=",
                                       "body=",
                                       "branch_computations=",
                                       "true_computation=",
                                       "false_computation=",
                                       "select=",
                                       "scatter=",
                                       "control-predecessors=",
                                       "called_computations=",
                                       "sharding=",
                                       "frontend_attributes=",
                                       "origin=",
                                       NULL};
    for (const char *const *p = skip; *p; p++)
        if (str_starts(a, *p)) return false;
    return a.n > 0;
}

static uint64_t hash_attributes(struct str a, uint64_t h)
{
    size_t from = 0;
    int depth = 0;
    bool quoted = false;
    for (size_t i = 0; i <= a.n; i++) {
        char c = i < a.n ? a.p[i] : ',';
        if (c == '"' && (!i || a.p[i - 1] != '\\')) quoted = !quoted;
        if (i < a.n && quoted) continue;
        if (c == '{' || c == '[' || c == '(') depth++;
        if (c == '}' || c == ']' || c == ')') depth--;
        if (c != ',' || (depth > 0 && i < a.n)) continue;
        struct str one = str_trim(str_n(a.p + from, i - from));
        if (counts(one)) h = map_hash(one.p, one.n, h);
        from = i + 1;
    }
    return h;
}

struct hashing {
    const struct hlo_module *m;
    uint64_t *hash;  /* per computation */
    uint64_t *value; /* per instruction: what it computes, from its operands' values */
    uint8_t *state;  /* 0 not yet, 1 being done, 2 done */
    struct buf text;
};

/* The order in which a computation lists its instructions does not count: parameters go by their numbers. */
static uint64_t hash_instr(struct hashing *g, const struct hlo_instr *in)
{
    g->text.n = 0;
    buf_str(&g->text, in->opcode);
    buf_c(&g->text, ' ');
    if (in->shape) shape_put_full(&g->text, in->shape, false);
    buf_fmt(&g->text, " %lld ", (long long)in->number);
    buf_str(&g->text, in->literal);
    buf_str(&g->text, in->custom_call_target);
    uint64_t h = hash_attributes(in->attributes, map_hash(g->text.p, g->text.n, SEED));
    for (uint32_t j = 0; j < in->noperand; j++) {
        uint64_t v = in->operand[j] == HLO_NONE ? 0 : g->value[in->operand[j]];
        h = map_hash(&v, sizeof v, h);
    }
    for (uint32_t j = 0; j < in->ncall; j++)
        if (in->call[j].computation != HLO_NONE) h = map_hash(&g->hash[in->call[j].computation], sizeof h, h);
    return h;
}

static void hash_computation(struct hashing *g, uint32_t c, unsigned depth)
{
    const struct hlo_computation *k = &g->m->computation[c];
    uint64_t all = 0;
    if (g->state[c] || depth > DEPTH) return;
    g->state[c] = 1;
    for (uint32_t i = k->first; i < k->first + k->count; i++) {
        const struct hlo_instr *in = &g->m->instr[i];
        for (uint32_t j = 0; j < in->ncall; j++)
            if (in->call[j].computation != HLO_NONE) hash_computation(g, in->call[j].computation, depth + 1);
        all += g->value[i] = hash_instr(g, in);
    }
    g->hash[c] = map_hash(&all, sizeof all, k->count ? g->value[k->root] : SEED);
    g->state[c] = 2;
}

uint64_t *schedule_hashes(const struct hlo_module *m)
{
    struct hashing g = {.m = m};
    g.hash = mem_alloc((size_t)m->ncomputation + 1, sizeof *g.hash);
    g.value = mem_alloc((size_t)m->ninstr + 1, sizeof *g.value);
    g.state = mem_alloc((size_t)m->ncomputation + 1, 1);
    for (uint32_t c = 0; c < m->ncomputation; c++) hash_computation(&g, c, 0);
    free(g.state);
    free(g.value);
    buf_free(&g.text);
    return g.hash;
}
