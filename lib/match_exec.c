#include "match_in.h"
#include <stdlib.h>

/* Executions: events of one instruction that follow each other are one execution of it, unless it can follow
 * itself; then their names repeat with the execution. */

struct run { /* of a program: its latest events, all of one instruction */
    uint32_t instr;
    uint32_t *event;
    size_t n, cap;
    uint64_t *count; /* per instruction: executions so far */
};

static size_t period(const struct plane *p, const struct run *w)
{
    for (size_t d = 1; d < w->n; d++) {
        size_t k = d;
        if (w->n % d) continue;
        while (k < w->n && p->ev[w->event[k]].name == p->ev[w->event[k - d]].name) k++;
        if (k == w->n) return d;
    }
    return w->n;
}

static bool one_kernel(const struct match_program *g, uint32_t instr)
{
    const struct schedule *s = &g->schedule;
    uint32_t j = s->instr_first[instr];
    return j < s->instr_first[instr + 1] && s->node[s->instr_node[j]].launch == LAUNCH_NAMED;
}

static void flush(struct plane *p, const struct match_program *g, struct run *w)
{
    size_t n = w->n;
    if (!n) return;
    if (n > 1 && (one_kernel(g, w->instr) || window_repeats(&g->space, w->instr))) n = period(p, w);
    for (size_t k = 0; k < w->n; k++) {
        struct match_result *r = &p->r[w->event[k]];
        r->execution = w->count[w->instr] + k / n;
        r->part = (uint32_t)(k % n);
        r->parts = (uint32_t)n;
    }
    w->count[w->instr] += w->n / n;
    w->n = 0;
}

static void next_event(struct plane *p, struct run *run, uint32_t event, bool alone)
{
    const struct match_result *r = &p->r[event];
    if (r->instr == HLO_NONE) return;
    const struct match_program *g = p->x->program[r->program];
    struct run *w = &run[r->program];
    if (!w->count) w->count = mem_alloc((size_t)g->schedule.m->ninstr + 1, sizeof *w->count);
    if (w->n && (alone || w->instr != r->instr)) flush(p, g, w);
    w->event = mem_grow(w->event, &w->cap, w->n + 1, sizeof *w->event);
    w->event[w->n++] = event;
    w->instr = r->instr;
}

void match_executions(struct plane *p)
{
    struct run *run = mem_alloc(p->x->nprogram + 1, sizeof *run);
    for (size_t k = 0; k < p->norder; k++) next_event(p, run, p->order[k], false);
    for (size_t k = 0; k < p->n && p->norder < p->n; k++) /* those whose place is not known: each by itself */
        if (!p->ev[k].correlation) next_event(p, run, (uint32_t)k, true);
    for (size_t i = 0; i < p->x->nprogram; i++) {
        flush(p, p->x->program[i], &run[i]);
        free(run[i].event);
        free(run[i].count);
    }
    free(run);
}
