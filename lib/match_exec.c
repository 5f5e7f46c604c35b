#include "match_in.h"
#include <stdlib.h>

/* Executions: events of one instruction that follow each other are one execution of it, unless it can follow
 * itself; then their names repeat with the execution. */

struct run { /* of a program: its latest events, all of one instruction */
    uint32_t instr;
    uint32_t *event;
    size_t n, cap;
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

static void flush(struct plane *p, uint32_t program, struct run *w, struct map64 *count)
{
    const struct match_program *g = p->x->program[program];
    size_t n = w->n;
    if (!n) return;
    if (n > 1 && g->has_hlo && (one_kernel(g, w->instr) || window_repeats(&g->space, w->instr)))
        n = period(p, w);
    uint64_t *c = map64_at(count, (uint64_t)program << 32 | w->instr, 0);
    for (size_t k = 0; k < w->n; k++) {
        struct match_result *r = &p->r[w->event[k]];
        r->execution = *c + k / n;
        r->part = (uint32_t)(k % n);
        r->parts = (uint32_t)n;
    }
    *c += w->n / n;
    w->n = 0;
}

void match_executions(struct plane *p)
{
    struct run *run = mem_alloc(p->x->nprogram + 1, sizeof *run);
    struct map64 count = {0};
    bool *placed = mem_alloc(p->n + 1, sizeof *placed);
    for (size_t k = 0; k < p->norder; k++) {
        const struct match_result *r = &p->r[p->order[k]];
        placed[p->order[k]] = true;
        if (r->instr == HLO_NONE || r->program == MATCH_UNKNOWN) continue;
        struct run *w = &run[r->program];
        if (w->n && w->instr != r->instr) flush(p, r->program, w, &count);
        w->event = mem_grow(w->event, &w->cap, w->n + 1, sizeof *w->event);
        w->event[w->n++] = p->order[k];
        w->instr = r->instr;
    }
    for (uint32_t i = 0; i < p->x->nprogram; i++) {
        flush(p, i, &run[i], &count);
        free(run[i].event);
    }
    for (size_t k = 0; k < p->n; k++) /* without a correlation id: each by itself */
        if (!placed[k] && p->r[k].instr != HLO_NONE)
            p->r[k].execution = (*map64_at(&count, (uint64_t)p->r[k].program << 32 | p->r[k].instr, 0))++;
    free(placed);
    free(run);
    map64_free(&count);
}
