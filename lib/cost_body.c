/* Rules for what calls computations: a body applied many times, and control flow (spec: cost 5.2). */
#include "cost_in.h"
#include "hlo_window.h"

/* ---- with a body applied many times ---- */

static void apply(const struct comp *body, int64_t times_applied, bool known, struct cost *v)
{
    v->flops = body && known ? v->flops + body->sum.flops * (float)times_applied : -1;
    v->transcendentals =
        body && known ? v->transcendentals + body->sum.transcendentals * (float)times_applied : -1;
}

void cost_map(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t n = cost_elements(s->result);
    apply(cost_callee(c, s->i, HLO_TO_APPLY), n, n >= 0, v);
    v->bytes = cost_moved(c, s);
}

void cost_reduce_flops(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t in = cost_elements(cost_operand(c, s->i, 0)), out = cost_elements(cost_first(s->result));
    apply(cost_callee(c, s->i, HLO_TO_APPLY), in - out, in >= 0 && out >= 0, v);
}

void cost_reduce(struct costing *c, const struct site *s, struct cost *v)
{
    cost_reduce_flops(c, s, v);
    v->bytes = cost_moved(c, s);
}

static int64_t window_elements(const struct hlo_window_dim *w, int n)
{
    int64_t all = n < 0 ? -1 : 1;
    for (int k = 0; k < n; k++) all = cost_times(all, w[k].size);
    return all;
}

/* A window that sums the whole of one dimension and broadcasts it back: its span, else 0. */
static int64_t window_span(const struct hlo_window_dim *w, int n, const struct shape *out)
{
    int at = -1, sized = 0, padded = 0;
    for (int k = 0; k < n; k++) {
        sized += w[k].size != 1;
        padded += w[k].pad_low || w[k].pad_high;
        if (at < 0 && w[k].size != 1 && w[k].pad_low && w[k].pad_low == w[k].pad_high &&
            w[k].size == 2 * w[k].pad_low + 1)
            at = k;
    }
    if (sized != 1 || padded != 1 || at < 0 || out->type == PRIM_TUPLE || at >= (int)out->rank) return 0;
    return w[at].pad_low == out->dim[at] - 1 ? out->dim[at] : 0;
}

void cost_reduce_window(struct costing *c, const struct site *s, struct cost *v)
{
    struct hlo_window_dim w[HLO_RANK];
    int n = hlo_window(hlo_attr(s->i, "window"), w);
    int64_t out = cost_elements(cost_first(s->result)), all = window_elements(w, n);
    int64_t span = out < 0 ? 0 : window_span(w, n, s->result);
    int64_t applied = span > 0 ? out / span + span - 1 : cost_times(all - 1, out);
    apply(cost_callee(c, s->i, HLO_TO_APPLY), applied, all > 0 && out >= 0, v);
    v->bytes = cost_moved(c, s);
}

void cost_select_and_scatter(struct costing *c, const struct site *s, struct cost *v)
{
    struct hlo_window_dim w[HLO_RANK];
    int64_t all = window_elements(w, hlo_window(hlo_attr(s->i, "window"), w));
    int64_t n = cost_elements(cost_operand(c, s->i, 1));
    apply(cost_callee(c, s->i, HLO_SELECT), cost_times(n, all - 1), n >= 0 && all > 0, v);
    if (v->flops != -1) apply(cost_callee(c, s->i, HLO_SCATTER), n, true, v);
    v->bytes = cost_moved(c, s);
}

/* Operands: the n targets, the indices, the n updates. */
void cost_scatter(struct costing *c, const struct site *s, struct cost *v)
{
    uint32_t n = s->i->noperand / 2;
    int64_t updates = 0, elements = cost_elements(cost_operand(c, s->i, n + 1));
    for (uint32_t k = n + 1; k < s->i->noperand; k++)
        updates = cost_plus(updates, cost_size(c, cost_operand(c, s->i, k)));
    v->bytes = cost_known(cost_plus(cost_times(3, updates), cost_size(c, cost_operand(c, s->i, n))));
    apply(cost_callee(c, s->i, HLO_TO_APPLY), elements, elements >= 0, v);
}

void cost_scan(struct costing *c, const struct site *s, struct cost *v)
{
    int64_t n = cost_elements(cost_operand(c, s->i, 1));
    apply(cost_callee(c, s->i, HLO_TO_APPLY), n, n >= 0, v);
    v->bytes = cost_moved(c, s);
}

/* ---- control flow: what is called is all of the cost ---- */

static const struct cost unknown = {.flops = -1, .transcendentals = -1, .bytes = -1};

void cost_call(struct costing *c, const struct site *s, struct cost *v)
{
    const struct comp *to = cost_callee(c, s->i, HLO_TO_APPLY);
    if (!to) to = cost_callee(c, s->i, HLO_CALLS);
    *v = to ? to->sum : unknown;
}

void cost_loop(struct costing *c, const struct site *s, struct cost *v)
{
    const struct comp *body = cost_callee(c, s->i, HLO_BODY), *cond = cost_callee(c, s->i, HLO_CONDITION);
    *v = body && cond ? body->sum : unknown;
    if (!body || !cond) return;
    v->flops += cond->sum.flops;
    v->transcendentals += cond->sum.transcendentals;
    v->bytes += cond->sum.bytes;
}

static float larger(float a, float b) { return b == 0 || a > b ? a : b; }

void cost_conditional(struct costing *c, const struct site *s, struct cost *v)
{
    *v = unknown;
    for (uint32_t k = 0, first = 1; k < s->i->ncall; k++) {
        const struct comp *b = &c->comp[cost_comp(c, s->i->call[k].computation)];
        if (b->state != COMP_DONE) continue;
        *v = first ? b->sum
                   : (struct cost){.flops = larger(v->flops, b->sum.flops),
                                   .transcendentals = larger(v->transcendentals, b->sum.transcendentals),
                                   .bytes = larger(v->bytes, b->sum.bytes)};
        first = 0;
    }
}

void cost_custom_call(struct costing *c, const struct site *s, struct cost *v)
{
    (void)c, (void)s;
    *v = (struct cost){.flops = -1, .bytes = -1};
}

/* An async start: the computation it wraps, or, printed as `slice-start(...)`, that opcode with element 1 of
 * the tuple as its result. */
void cost_async_start(struct costing *c, const struct site *s, struct cost *v)
{
    if (!s->i->sugared) {
        cost_call(c, s, v);
        return;
    }
    const struct shape *r = s->result;
    struct site started = {s->i, cost_op(s->i->async_op),
                           r && r->type == PRIM_TUPLE && r->nelem > 1 ? r->elem[1] : NULL};
    cost_rule *rule = c->kind == COST_GPU ? started.op->gpu : started.op->base;
    if (!rule || rule == cost_async_start || rule == cost_gpu_async_start)
        *v = unknown;
    else
        rule(c, &started, v);
}
