#include "window_in.h"
#include <stdlib.h>

/* Which nodes a window can reach: shortest ways over the schedule, instructions passed over being their
 * length. */

static void heap_push(struct heap *h, int32_t cost, uint32_t node)
{
    h->at = mem_grow(h->at, &h->cap, h->n + 1, sizeof *h->at);
    size_t i = h->n++;
    for (; i && h->at[(i - 1) / 2].cost > cost; i = (i - 1) / 2) h->at[i] = h->at[(i - 1) / 2];
    h->at[i] = (struct heap_item){cost, node};
}

static struct heap_item heap_pop(struct heap *h)
{
    struct heap_item top = h->at[0], last = h->at[--h->n];
    size_t i = 0, c;
    while ((c = 2 * i + 1) < h->n) {
        if (c + 1 < h->n && h->at[c + 1].cost < h->at[c].cost) c++;
        if (h->at[c].cost >= last.cost) break;
        h->at[i] = h->at[c];
        i = c;
    }
    h->at[i] = last;
    return top;
}

static void touch(struct reach *r, int32_t *dist, uint32_t node, int32_t cost)
{
    if (cost >= dist[node]) return;
    if (r->w->ahead[node] == FAR && r->w->back[node] == FAR) {
        r->touched = mem_grow(r->touched, &r->cap, r->ntouched + 1, sizeof *r->touched);
        r->touched[r->ntouched++] = node;
    }
    dist[node] = cost;
    heap_push(&r->heap, cost, node);
}

/* ahead[n]: the least that is skipped on the way to n, n not counted, up to `bound` beyond what `goal` (a
 * node's distance, FAR: none yet) takes. */
static void reach_ahead(struct reach *r, uint32_t from, uint32_t to, int32_t need)
{
    struct window_space *w = r->w;
    const struct schedule *s = w->s;
    int32_t bound = to == HLO_NONE ? need : FAR - 1;
    if (from == HLO_NONE)
        for (uint32_t k = 0; k < s->nnode; k++) touch(r, w->ahead, k, k ? ANYWHERE : 0);
    else
        for (uint32_t j = s->instr_first[from]; j < s->instr_first[from + 1]; j++)
            for (uint32_t k = s->instr_node[j], e = s->first[k]; e < s->first[k + 1]; e++)
                touch(r, w->ahead, s->edge[e].to, s->edge[e].cost);
    touch(r, w->ahead, s->nnode - 1, LOST_TAIL);
    while (r->heap.n) {
        struct heap_item i = heap_pop(&r->heap);
        if (i.cost > w->ahead[i.node]) continue;
        if (i.cost > bound) continue;
        if (to != HLO_NONE && s->node[i.node].instr == to && i.cost + SLACK < bound)
            bound = (i.cost > need ? i.cost : need) + SLACK;
        int32_t over = i.cost + window_skip(&s->node[i.node]);
        for (uint32_t e = s->first[i.node]; e < s->first[i.node + 1]; e++)
            if (over + s->edge[e].cost <= bound) touch(r, w->ahead, s->edge[e].to, over + s->edge[e].cost);
    }
}

/* back[n]: the least that is skipped from n on, n counted, to the right edge. */
static void reach_back(struct reach *r, uint32_t to, int32_t bound)
{
    struct window_space *w = r->w;
    const struct schedule *s = w->s;
    if (to == HLO_NONE) {
        size_t n = r->ntouched;
        for (size_t k = 0; k < n; k++) touch(r, w->back, r->touched[k], ANYWHERE);
        if (w->ahead[s->nnode - 1] < FAR) touch(r, w->back, s->nnode - 1, 0);
    } else
        for (uint32_t j = s->instr_first[to]; j < s->instr_first[to + 1]; j++)
            touch(r, w->back, s->instr_node[j], 0);
    while (r->heap.n) {
        struct heap_item i = heap_pop(&r->heap);
        if (i.cost > w->back[i.node]) continue;
        for (uint32_t e = w->before_first[i.node]; e < w->before_first[i.node + 1]; e++) {
            uint32_t p = w->before[e].to;
            int32_t c = i.cost + w->before[e].cost + window_skip(&s->node[p]);
            if (w->ahead[p] < FAR && w->ahead[p] + c <= bound) touch(r, w->back, p, c);
        }
    }
}

void reach_find(struct reach *r, uint32_t from, uint32_t to, int32_t need)
{
    struct window_space *w = r->w;
    int32_t least = FAR;
    reach_ahead(r, from, to, need + SLACK);
    for (size_t k = 0; k < r->ntouched && to != HLO_NONE; k++)
        if (w->s->node[r->touched[k]].instr == to && w->ahead[r->touched[k]] < least)
            least = w->ahead[r->touched[k]];
    r->bound = (least < FAR && least > need ? least : need) + SLACK + 2 * ANYWHERE;
    reach_back(r, to, r->bound);
    int32_t tail = w->back[w->s->nnode - 1];
    for (size_t k = 0; k < r->ntouched && tail < FAR; k++)
        if (w->back[r->touched[k]] > tail + LOST_TAIL) w->back[r->touched[k]] = tail + LOST_TAIL;
}

void reach_free(struct reach *r)
{
    for (size_t k = 0; k < r->ntouched; k++) r->w->ahead[r->touched[k]] = r->w->back[r->touched[k]] = FAR;
    free(r->touched);
    free(r->heap.at);
}

bool window_repeats(const struct window_space *w, uint32_t instr)
{
    struct reach r = {.w = (struct window_space *)w};
    const struct schedule *s = w->s;
    bool yes = false;
    for (uint32_t j = s->instr_first[instr]; j < s->instr_first[instr + 1]; j++)
        for (uint32_t k = s->instr_node[j], e = s->first[k]; e < s->first[k + 1]; e++)
            touch(&r, w->ahead, s->edge[e].to, 0);
    while (r.heap.n) {
        uint32_t k = heap_pop(&r.heap).node;
        yes |= s->node[k].instr == instr;
        if (s->node[k].instr != HLO_NONE) continue;
        for (uint32_t e = s->first[k]; e < s->first[k + 1]; e++) touch(&r, w->ahead, s->edge[e].to, 0);
    }
    reach_free(&r);
    return yes;
}
