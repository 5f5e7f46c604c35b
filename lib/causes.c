#include "causes.h"
#include "dist.h"
#include "num.h"
#include "runs.h"
#include <math.h>
#include <stdlib.h>

static const struct {
    const char *word, *assumption, *gpu, *tpu;
} about[CAUSE_KINDS] = {
    {"host event", "the thread does this elsewhere, or earlier",
     "another thread or process for input (prefetch), fewer python calls per step, jit around more of the "
     "step",
     NULL},
    {"dispatch", "XLA and jax spend no time there; kernels keep their order",
     "graphs on (--xla_gpu_enable_command_buffer); fewer, larger programs; lax.scan over steps; jit with "
     "fixed argument structure",
     "fewer, larger programs; lax.scan over steps; jit with fixed argument structure"},
    {"compile", "every program is compiled before the step",
     "warm up before the loop; fixed shapes; the compilation cache (jax_compilation_cache_dir)", NULL},
    {"launch overhead", "launching costs nothing; kernels keep their order",
     "--xla_gpu_enable_command_buffer=FUSION,CUBLAS,CUDNN,CUSTOM_CALL,WHILE (graphs on); one larger program "
     "instead of several; lax.scan over steps",
     "one larger program instead of several; lax.scan over steps; fewer, larger programs per step"},
    {"host, nothing recorded", "what the launching thread does there goes away",
     "host_tracer_level 2 and the python tracer to see what it is; profile the process with py-spy", NULL},
    {"exposed collectives", "collectives run under compute, or not at all",
     "--xla_gpu_enable_latency_hiding_scheduler=true, --xla_gpu_enable_pipelined_all_gather=true (and "
     "_all_reduce, _reduce_scatter); larger buckets: --xla_gpu_all_reduce_combine_threshold_bytes; another "
     "sharding",
     "--xla_tpu_enable_async_collective_fusion=true, --xla_enable_async_all_gather=true in LIBTPU_INIT_ARGS; "
     "another sharding"},
    {"exposed copies", "copies run under compute, or not at all",
     "donate_argnums for states that are replaced; device_put ahead of time; pinned host memory; no "
     "np.asarray in the loop",
     NULL},
    {"gaps between kernels", "kernels follow each other at once",
     "graphs on; fewer, larger kernels (fusion: skipstats -t chain)", "fewer, larger ops"},
    {"straggler", "the device's work takes as long as the other devices' median",
     "even shards; look for another process on that device, its clock and its links", NULL},
    {"layout copies", "producers write the layout that consumers read",
     "jax.experimental.layout for arguments; dimension order in the model; hlo2tsv: column layout_change",
     NULL},
    {"recomputation", "activations are kept: more memory (liveness)",
     "jax.checkpoint with a policy that saves more (dots_saveable), fewer remat boundaries", NULL},
    {"op under its roof", "the instruction reaches the roof of its dtype and memory",
     "roofline: what binds it; tile sizes, a library call instead of a fusion, larger shapes, bf16",
     "roofline: what binds it; shapes in multiples of 128, bf16, a Pallas kernel"},
};
const char *cause_word(enum cause_kind k) { return about[k].word; }
const char *cause_assumption(enum cause_kind k) { return about[k].assumption; }
const char *cause_knob(enum cause_kind k, bool tpu)
{
    return tpu && about[k].tpu ? about[k].tpu : about[k].gpu;
}

/* ---- what belongs to a cause ---- */

static bool has_mark(const struct path *p, const struct path_node *n, uint8_t mark)
{
    uint32_t op = p->t->event[n->event].op;
    return op != EV_NONE && op < p->t->op_marks && (p->t->op_mark[op] & mark);
}

/* Is this piece (a node, or the time before it that edge means) of the cause? */
static bool belongs(const struct cause *c, const struct path *p, uint32_t i, bool edge)
{
    const struct path_node *n = &p->node[i];
    const struct event *v = &p->t->event[n->event];
    bool host = p->lane[n->lane].host, call = host && event_is(v, EV_LAUNCHES);
    switch (c->kind) {
    case CAUSE_HOST:
    case CAUSE_DISPATCH: return !edge && host && !call && v->name == c->name;
    case CAUSE_COMPILE: return !edge && host && thread_is_compile(event_name(p->t, v->name));
    case CAUSE_LAUNCH: return edge ? n->edge == EDGE_LAUNCH : call;
    case CAUSE_HOST_GAP: return edge && host;
    case CAUSE_COLLECTIVE: return !edge && n->kind == PATH_COLLECTIVE;
    case CAUSE_COPY: return !edge && n->kind == PATH_COPY && !has_mark(p, n, OP_LAYOUT);
    case CAUSE_GAP: return edge && !host && n->edge != EDGE_LAUNCH;
    case CAUSE_STRAGGLER: return !edge && !host && p->lane[n->lane].plane == c->plane;
    case CAUSE_LAYOUT: return !edge && !host && has_mark(p, n, OP_LAYOUT);
    case CAUSE_REMAT: return !edge && !host && has_mark(p, n, OP_REMAT);
    case CAUSE_ROOF: return !edge && n->kind == PATH_COMPUTE && v->op == c->name;
    default: return false;
    }
}

struct world { /* without one cause, or without two */
    const struct cause *a, *b;
};
static int64_t weight(void *context, const struct path *p, uint32_t node, bool edge, int64_t ps)
{
    const struct world *w = context;
    if (w->a && belongs(w->a, p, node, edge)) ps = (int64_t)((double)ps * w->a->factor);
    if (w->b && belongs(w->b, p, node, edge)) ps = (int64_t)((double)ps * w->b->factor);
    return ps;
}

/* ---- finding them ---- */

/* The part of the path that is the cause's: a gap stands for the time before its node. */
static int64_t path_share(const struct cause *c, const struct path *p)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->nseg; i++) {
        const struct path_seg *s = &p->seg[i];
        bool of = s->kind == PATH_LAUNCH
                      ? c->kind == CAUSE_LAUNCH
                      : belongs(c, p, s->node, s->kind == PATH_GAP || s->kind == PATH_HOST_GAP);
        if (of) sum += s->b - s->a;
    }
    return sum;
}

static void add(struct causes *out, const struct path *p, struct cause c)
{
    c.path_ps = (int64_t)((double)path_share(&c, p) * (1 - c.factor));
    if (c.path_ps <= 0) return;
    struct world w = {&c, NULL};
    c.without_ps = path_replay(p, weight, &w);
    if (c.without_ps >= out->step_ps) return;
    out->row = mem_grow(out->row, &out->cap, out->n + 1, sizeof *out->row);
    out->row[out->n++] = c;
}

struct named {
    uint32_t name, event;
    double ps;
};
static bool named_after(const void *a, const void *b)
{
    return ((const struct named *)a)->ps < ((const struct named *)b)->ps;
}

/* The names that the path spends most on: of host events, or of instructions weighed by what a roof leaves.
 */
static size_t top_names(const struct path *p, bool host, cause_roof *roof, void *context, struct named out[],
                        size_t most)
{
    struct map64 index = {0};
    struct named *v = NULL;
    size_t cap = 0, n = 0;
    for (size_t i = 0; i < p->nseg; i++) {
        const struct path_seg *s = &p->seg[i];
        const struct event *e = &p->t->event[p->node[s->node].event];
        if (host ? s->kind != PATH_HOST || event_is(e, EV_LAUNCHES)
                 : s->kind != PATH_COMPUTE || e->op == EV_NONE)
            continue;
        uint32_t name = host ? e->name : e->op;
        if (name == EV_NONE) continue;
        double left = host ? 1 : 1 - roof(context, name);
        if (!(left > 0.01)) continue;
        uint64_t *at = map64_at(&index, name, n);
        if (*at == n) {
            v = mem_grow(v, &cap, n + 1, sizeof *v);
            v[n++] = (struct named){name, p->node[s->node].event, 0};
        }
        v[*at].ps += left * (double)(s->b - s->a);
    }
    runs_sort(v, n, sizeof *v, named_after);
    if (n > most) n = most;
    if (n) memcpy(out, v, n * sizeof *v);
    free(v);
    map64_free(&index);
    return n;
}

/* The device that ends the step last against the median of all. */
static void straggler(struct causes *out, const struct path *p, const struct steps *s)
{
    struct dist busy = {0};
    const struct step *last = NULL;
    for (size_t i = 0; i < s->n; i++) {
        const struct step *x = &s->step[i];
        if (x->number != p->step) continue;
        dist_add(&busy, x->busy_ps);
        if (x->ended_last && x->late_ps > 0) last = x;
    }
    int64_t median = dist_median(&busy);
    if (last && last->busy_ps > median && median > 0)
        add(out, p,
            (struct cause){CAUSE_STRAGGLER, EV_NONE, last->plane, (double)median / (double)last->busy_ps, 0,
                           0, 0});
    dist_free(&busy);
}

static bool less_saving(const void *a, const void *b)
{
    return ((const struct cause *)a)->without_ps > ((const struct cause *)b)->without_ps;
}

/* Two savings overlap if both causes together save less than the sum. */
static void overlaps(struct causes *out, const struct path *p)
{
    for (size_t i = 0; i < out->n; i++)
        for (size_t k = i + 1; k < out->n; k++) {
            struct world w = {&out->row[i], &out->row[k]};
            int64_t both = out->step_ps - path_replay(p, weight, &w);
            int64_t sum = 2 * out->step_ps - out->row[i].without_ps - out->row[k].without_ps;
            if (sum - both <= out->step_ps / 1000) continue;
            out->row[i].overlaps |= 1u << k;
            out->row[k].overlaps |= 1u << i;
        }
}

struct causes causes_find(const struct path *p, const struct threads *h, const struct steps *s,
                          cause_roof *roof, void *context)
{
    struct causes out = {.step_ps = p->end - p->start};
    struct named top[5];
    for (int k = CAUSE_COMPILE; k <= CAUSE_REMAT; k++)
        if (k != CAUSE_STRAGGLER)
            add(&out, p, (struct cause){(enum cause_kind)k, EV_NONE, EV_NONE, 0, 0, 0, 0});
    straggler(&out, p, s);
    size_t n = top_names(p, true, NULL, NULL, top, 5);
    for (size_t i = 0; i < n; i++) {
        if (thread_is_compile(event_name(p->t, top[i].name))) continue;
        const char *kind = thread_kind(h, &p->t->event[top[i].event]);
        bool own = !strcmp(kind, "xla") || !strcmp(kind, "pjit");
        add(&out, p, (struct cause){own ? CAUSE_DISPATCH : CAUSE_HOST, top[i].name, EV_NONE, 0, 0, 0, 0});
    }
    n = roof ? top_names(p, false, roof, context, top, 5) : 0;
    for (size_t i = 0; i < n; i++)
        add(&out, p, (struct cause){CAUSE_ROOF, top[i].name, EV_NONE, roof(context, top[i].name), 0, 0, 0});
    runs_sort(out.row, out.n, sizeof *out.row, less_saving);
    if (out.n > CAUSES_MOST) out.n = CAUSES_MOST;
    overlaps(&out, p);
    return out;
}

void causes_free(struct causes *c)
{
    free(c->row);
    *c = (struct causes){0};
}
