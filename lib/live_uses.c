#include "live_uses.h"
#include "live_hlo_in.h"
#include <stdlib.h>

enum { CLIMB_MAX = 1000, WORK_MAX = 50000000 }; /* nested calls; nodes of operands looked at */

struct uses {
    const struct live *l;
    struct hv h;
    uint32_t *owner;          /* per node that is a value: its plan->buffer, the one with memory */
    struct hv_interval *loop; /* per computation: numbers of the outermost loop around it */
    struct near {
        uint32_t before, after;
    } * near;         /* per plan->buffer: HV_NONE: no use on that side */
    bool *busy;       /* per plan->buffer: in use at the peak */
    uint32_t *number; /* per step: of the instruction that makes what it makes, never falling */
    uint32_t peak;    /* number of the peak */
};

/* ---- whose value is it? ---- */

static uint32_t with_memory(const struct plan *p, const struct map64 *ids, uint32_t b)
{
    for (int n = 0; n < CLIMB_MAX && p->buffer[b].share_with >= 0; n++) {
        uint64_t to;
        if (!map64_get(ids, (uint64_t)p->buffer[b].share_with, &to)) break;
        b = (uint32_t)to;
    }
    return b;
}

static uint32_t node_of(const struct hv *h, const struct plan_buffer *b)
{
    int64_t index[16];
    uint32_t i = hlo_find(h->m, b->instr);
    size_t n = hlo_ints(b->index, index, 16);
    if (i == HLO_NONE || n > 16 || h->node[i] == h->node[i + 1]) return HV_NONE;
    return hv_below(h, h->node[i], index, n);
}

static void find_owners(struct uses *u)
{
    const struct plan *p = u->l->plan;
    struct map64 ids = {0};
    u->owner = mem_alloc((size_t)u->h.nnode + 1, sizeof *u->owner);
    for (uint32_t v = 0; v < u->h.nnode; v++) u->owner[v] = PLAN_NONE;
    for (uint32_t i = 0; i < p->nbuffer; i++) map64_set(&ids, (uint64_t)p->buffer[i].id, i);
    if (u->l->basis == LIVE_ESTIMATE) { /* a buffer's id is its number among the joined values */
        hv_join(&u->h);
        for (uint32_t v = 0; v < u->h.nnode; v++) {
            uint64_t i;
            if (u->h.of[v] != HV_NONE && map64_get(&ids, u->h.of[v], &i)) u->owner[v] = (uint32_t)i;
        }
    } else
        for (uint32_t i = 0; i < p->nbuffer; i++) {
            uint32_t v = node_of(&u->h, &p->buffer[i]);
            if (v != HV_NONE) u->owner[u->h.value[v]] = with_memory(p, &ids, i);
        }
    map64_free(&ids);
}

/* ---- the clock of the steps ---- */

static void number_steps(struct uses *u)
{
    const struct live *l = u->l;
    uint32_t last = 0;
    u->number = mem_alloc((size_t)l->nstep + 1, sizeof *u->number);
    for (uint32_t k = 0; k < l->nstep; k++) {
        uint32_t i = l->step[k].what == LIVE_FREE ? HLO_NONE : hlo_find(u->h.m, l->step[k].instr);
        if (l->basis == LIVE_ESTIMATE)
            last = (uint32_t)l->step[k].order;
        else if (i != HLO_NONE && u->h.number[i] != HV_NONE && u->h.number[i] > last)
            last = u->h.number[i];
        u->number[k] = last;
    }
    u->peak = u->number[l->peak_step];
}

/* The first step with a number of at least n. */
static uint32_t step_of(const struct uses *u, uint32_t n)
{
    uint32_t lo = 0, hi = u->l->nstep;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (u->number[mid] < n)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* ---- uses ---- */

static void find_loops(struct uses *u)
{
    const struct hlo_module *m = u->h.m;
    u->loop = mem_alloc((size_t)m->ncomputation + 1, sizeof *u->loop);
    for (uint32_t c = 0; c < m->ncomputation; c++) {
        uint32_t up = u->h.place[c].caller;
        u->loop[c] = (struct hv_interval){1, 0};
        for (int n = 0; n < CLIMB_MAX && up != HV_NONE; n++) {
            const struct hlo_instr *i = &m->instr[up];
            uint32_t test = hlo_is(i, "while") ? hlo_called(i, HLO_CONDITION) : HLO_NONE;
            if (test != HLO_NONE) u->loop[c] = (struct hv_interval){u->h.place[test].first, u->h.number[up]};
            up = u->h.place[i->computation].caller;
        }
    }
}

static void use(struct uses *u, uint32_t node, struct hv_interval t)
{
    uint32_t b = u->owner[u->h.value[node]];
    if (b == PLAN_NONE) return;
    struct near *x = &u->near[b];
    if (t.from <= u->peak && u->peak <= t.to)
        u->busy[b] = true;
    else if (t.to < u->peak && (x->before == HV_NONE || t.to > x->before))
        x->before = t.to;
    else if (t.from > u->peak && t.from < x->after)
        x->after = t.from;
}

/* Every operand is used where the instruction runs, a loop's state all through the loop. */
static bool find_uses(struct uses *u)
{
    const struct hlo_module *m = u->h.m;
    uint64_t work = 0;
    for (uint32_t n = 0; n < u->h.end; n++) {
        uint32_t at = u->h.at[n];
        const struct hlo_instr *i = &m->instr[at];
        struct hv_interval t = u->loop[i->computation];
        uint32_t test = hlo_is(i, "while") ? hlo_called(i, HLO_CONDITION) : HLO_NONE;
        if (hlo_is(i, "tuple") || hlo_is(i, "call") || hlo_is(i, "get-tuple-element")) continue;
        if (t.from > t.to) t = (struct hv_interval){test == HLO_NONE ? n : u->h.place[test].first, n};
        for (uint32_t v = u->h.node[at]; v < u->h.node[at + 1]; v++) use(u, v, t);
        for (uint32_t k = 0; k < i->noperand; k++) {
            uint32_t v = hv_operand(&u->h, at, k);
            if (v == HV_NONE) continue;
            if ((work += u->h.size[v]) > WORK_MAX) return false;
            for (uint32_t j = 0; j < u->h.size[v]; j++) use(u, v + j, t);
        }
    }
    return true;
}

/* ---- idle over the peak ---- */

static void from_program(struct uses *u, struct live_idle *idle)
{
    const struct live *l = u->l;
    for (uint32_t i = 0; i < l->nhold; i++) {
        const struct live_hold *h = &l->hold[i];
        const struct near *x = &u->near[h->buffer];
        if (idle[i].from > idle[i].to || (x->before == HV_NONE && x->after == HV_NONE && !u->busy[h->buffer]))
            continue;
        uint32_t from = x->before == HV_NONE ? h->from + 1 : step_of(u, x->before + 1);
        uint32_t to = x->after == HV_NONE ? h->to : step_of(u, x->after) - 1;
        if (from > idle[i].from) idle[i].from = from;
        if (to < idle[i].to) idle[i].to = to;
        if (u->busy[h->buffer] || idle[i].from > l->peak_step || idle[i].to < l->peak_step)
            idle[i] = (struct live_idle){1, 0};
    }
}

struct live_idle *live_idle(const struct live *l)
{
    struct live_idle *idle = mem_alloc((size_t)l->nhold + 1, sizeof *idle);
    struct uses u = {.l = l};
    for (uint32_t i = 0; i < l->nhold; i++) {
        const struct live_hold *h = &l->hold[i];
        bool over = h->from < l->peak_step && l->peak_step < h->to && l->peak_step != UINT32_MAX;
        idle[i] = over ? (struct live_idle){h->from + 1, h->to - 1} : (struct live_idle){1, 0};
    }
    if (!l->plan->hlo || l->basis == LIVE_RANGES || l->peak_step == UINT32_MAX) return idle;
    hv_clock(&u.h, l->plan->hlo);
    find_owners(&u);
    number_steps(&u);
    find_loops(&u);
    u.near = mem_alloc((size_t)l->plan->nbuffer + 1, sizeof *u.near);
    u.busy = mem_alloc((size_t)l->plan->nbuffer + 1, sizeof *u.busy);
    for (uint32_t i = 0; i < l->plan->nbuffer; i++) u.near[i] = (struct near){HV_NONE, HV_NONE};
    if (find_uses(&u)) from_program(&u, idle);
    free(u.owner);
    free(u.number);
    free(u.loop);
    free(u.near);
    free(u.busy);
    hv_free(&u.h);
    return idle;
}
