#include "window_in.h"
#include <stdlib.h>

/* ---- what is known of the program ---- */

void window_space_init(struct window_space *w, const struct schedule *s)
{
    uint32_t n = s->nnode, e = s->first[n];
    *w = (struct window_space){.s = s};
    w->own = mem_alloc(n + 1, sizeof *w->own);
    w->leader = mem_alloc(n + 1, sizeof *w->leader);
    w->twins = mem_alloc((size_t)s->ntwin + 1, sizeof *w->twins);
    w->owner = mem_alloc((size_t)s->names.count + 1, sizeof *w->owner);
    w->learned = mem_alloc((size_t)s->m->ninstr + 1, sizeof *w->learned);
    memset(w->leader, 0xff, (n + 1) * sizeof *w->leader);
    memset(w->learned, 0xff, ((size_t)s->m->ninstr + 1) * sizeof *w->learned);
    w->plain = mem_alloc((size_t)s->m->ninstr + 1, sizeof *w->plain);
    w->before_first = mem_alloc((size_t)n + 2, sizeof *w->before_first);
    w->before = mem_alloc((size_t)e + 1, sizeof *w->before);
    w->ahead = mem_alloc(n + 1, sizeof *w->ahead);
    w->back = mem_alloc(n + 1, sizeof *w->back);
    w->local = mem_alloc(n + 1, sizeof *w->local);
    for (uint32_t k = 0; k < n; k++) w->ahead[k] = w->back[k] = FAR;
    for (uint32_t k = n; k-- > 0;)
        if (s->node[k].name != MAP_NONE) w->owner[s->node[k].name] = k;
    for (uint32_t k = 0; k < e; k++) w->before_first[s->edge[k].to + 2]++;
    for (uint32_t k = 0; k < n; k++) w->before_first[k + 2] += w->before_first[k + 1];
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t j = s->first[k]; j < s->first[k + 1]; j++) {
            struct sched_edge b = s->edge[j];
            b.to = k;
            w->before[w->before_first[s->edge[j].to + 1]++] = b;
        }
}

void window_space_free(struct window_space *w)
{
    free(w->own);
    free(w->leader);
    free(w->twins);
    free(w->owner);
    free(w->learned);
    free(w->plain);
    free(w->before_first);
    free(w->before);
    free(w->ahead);
    free(w->back);
    free(w->local);
    *w = (struct window_space){0};
}

int window_names(struct window_space *w, const bool *seen)
{
    const struct schedule *s = w->s;
    struct map64 leader = {0};
    int changed = 0;
    for (uint32_t k = 0; k < s->nnode; k++) {
        const struct sched_node *n = &s->node[k];
        if (n->name == MAP_NONE || !seen[n->name]) continue;
        changed |= !w->own[k];
        w->own[k] = true;
        if (n->twin == MAP_NONE) continue;
        w->twins[n->twin] = true;
        map64_at(&leader, (uint64_t)n->twin << 32 | n->config, n->name);
    }
    for (uint32_t k = 0; k < s->nnode; k++) {
        const struct sched_node *n = &s->node[k];
        uint64_t name;
        if (n->twin != MAP_NONE && map64_get(&leader, (uint64_t)n->twin << 32 | n->config, &name))
            w->leader[k] = (uint32_t)name;
    }
    map64_free(&leader);
    return changed;
}

/* ---- costs ---- */

int32_t window_skip(const struct sched_node *n)
{
    if (n->instr == HLO_NONE) return 0;
    if (n->launch & LAUNCH_PERHAPS) return 1;
    if (n->launch & LAUNCH_PREDICATE) return 6;
    return WINDOW_SKIP;
}

static int32_t library_cost(const struct sched_node *n, struct kernel is)
{
    if (!(n->launch & LAUNCH_LIBRARY) || is.emitted) return FAR;
    if (n->family == is.family) return 0;
    return n->family && is.family ? 3 : 1;
}

/* The cost of a kernel of this program's naming as node k's.  The emitters share one kernel among equal
 * computations (not among all of them) and name it after the first: an instruction goes by its own name if
 * that occurs, else by one of its twins' (spec: matching 9.2). */
static int32_t named_cost(const struct window_space *w, uint32_t k, uint32_t name)
{
    const struct sched_node *n = &w->s->node[k];
    if (n->instr == HLO_NONE) return FAR;
    uint32_t learned = w->learned[n->instr];
    if (learned != MAP_NONE) return name == learned ? 0 : FAR;
    if (name == n->name) return 0;
    uint32_t owner = w->owner[name];
    if (w->own[k] || n->twin == MAP_NONE || w->s->node[owner].twin != n->twin) return FAR;
    return (name != w->leader[k]) + (owner > k);
}

static bool kernel_known(const struct window_space *w, uint32_t k)
{
    uint32_t twin = w->s->node[k].twin;
    return w->own[k] || (twin != MAP_NONE && w->twins[twin]);
}

bool window_prepares(const struct window_space *w, uint32_t k, const struct window_event *e)
{
    uint16_t l = w->s->node[k].launch;
    if (e->is.kind == KERNEL_COPY)
        return !(l & (LAUNCH_COPY | LAUNCH_COLLECTIVE)) && !(l & LAUNCH_MAYBE_COPY && !kernel_known(w, k));
    if (e->is.kind == KERNEL_SET) return !(l & LAUNCH_SET) && !(l & LAUNCH_MAYBE_SET && !kernel_known(w, k));
    return false;
}

/* The cost of e as the first event of node k. */
static int32_t first_cost(const struct window_space *w, uint32_t k, const struct window_event *e)
{
    const struct sched_node *n = &w->s->node[k];
    uint16_t l = n->launch;
    bool known = kernel_known(w, k);
    switch (e->is.kind) {
    case KERNEL_COPY:
        if (l & LAUNCH_PREDICATE) return FAR; /* the host asks: never in a graph */
        if (l & LAUNCH_COPY) return 0;
        if (l & LAUNCH_STAGES && n->copies) return 1;
        if (l & LAUNCH_MAYBE_COPY && !known) return 1;
        return l & LAUNCH_COLLECTIVE ? 4 : l & LAUNCH_LIBRARY ? 5 : 14;
    case KERNEL_SET:
        if (l & LAUNCH_SET) return 0;
        if (l & LAUNCH_MAYBE_SET && !known) return 1;
        return l & LAUNCH_LIBRARY ? 4 : l & (LAUNCH_NAMED | LAUNCH_STAGES) ? 14 : FAR;
    case KERNEL_COLLECTIVE:
        if (!(l & LAUNCH_COLLECTIVE)) return FAR;
        return n->family == e->is.family || !e->is.family ? 0 : FAR;
    default: break;
    }
    if (e->name == MAP_NONE) {
        int32_t c = library_cost(n, e->is);
        return c < FAR && e->is.follows ? c + 6 : c;
    }
    int32_t c = named_cost(w, k, e->name);
    return c < FAR && l & LAUNCH_STAGES && e->suffix ? c + 2 : c;
}

/* The cost of e as the first event of node k; a little more where k is known to be launched by itself. */
int32_t window_start(const struct window_space *w, uint32_t k, const struct window_event *e)
{
    uint32_t instr = w->s->node[k].instr;
    if (instr == HLO_NONE) return FAR;
    int32_t c = first_cost(w, k, e);
    return c < FAR && w->plain[instr] ? c + 2 : c;
}

/* The cost of e as a further event of node k, whose last one was p. */
int32_t window_stay(const struct window_space *w, uint32_t k, const struct window_event *p,
                    const struct window_event *e)
{
    const struct sched_node *n = &w->s->node[k];
    int32_t again = e->first ? CONTROL : 0;
    bool opened = p->is.kind == KERNEL_COPY || p->is.kind == KERNEL_SET;
    bool own = e->is.kind == KERNEL_OTHER && e->name != MAP_NONE && named_cost(w, k, e->name) < FAR;
    if (n->launch & LAUNCH_STAGES) {
        if (e->is.kind == KERNEL_COPY && p->is.kind == KERNEL_COPY && n->copies > 1) return again + 1;
        return own && (opened || e->suffix > p->suffix) ? again : FAR;
    }
    if (n->launch & LAUNCH_LIBRARY && e->is.kind == KERNEL_OTHER && e->name == MAP_NONE)
        return again + (e->is.follows || opened ? 0 : 1);
    if (n->launch & LAUNCH_LIBRARY && e->is.kind == KERNEL_SET) return again + 3;
    return own && opened && !(n->launch & (LAUNCH_COPY | LAUNCH_SET)) ? again : FAR;
}
