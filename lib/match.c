#include "match_in.h"
#include <stdlib.h>

const char *match_class_name(enum match_class c)
{
    static const char *const name[] = {"-", "exact", "name", "order", "thunk", "none"};
    return name[c];
}

const char *match_reason_name(enum match_reason r)
{
    static const char *const name[] = {
        "-",      "no-program", "no-hlo", "no-candidate", "ambiguous", "outside-window", "dropped-neighbour",
        "not-xla"};
    return name[r];
}

uint32_t match_add(struct matcher *x, const struct hlo_module *m, const struct thunk_list *t)
{
    x->program = mem_grow(x->program, &x->program_cap, x->nprogram + 1, sizeof *x->program);
    struct match_program *p = x->program[x->nprogram] = mem_alloc(1, sizeof *p);
    p->has_hlo = m != NULL;
    if (m) {
        schedule_make(m, &p->schedule, &p->cut);
        if (t) thunks_apply(t, &p->schedule);
        window_space_init(&p->space, &p->schedule);
        p->seen = mem_alloc((size_t)p->schedule.names.count + 1, sizeof *p->seen);
    }
    return (uint32_t)x->nprogram++;
}

uint32_t match_name(struct matcher *x, struct str name)
{
    bool fresh;
    uint32_t k = map_put(&x->names, name, &fresh);
    if (!fresh) return k;
    x->kernel = mem_grow(x->kernel, &x->kernel_cap, (size_t)k + 1, sizeof *x->kernel);
    x->kernel[k] = kernel_of(name);
    return k;
}

void match_launch(struct matcher *x, uint64_t correlation, uint32_t program)
{
    map64_set(&x->launch, correlation, program);
}

void match_free(struct matcher *x)
{
    for (size_t i = 0; i < x->nprogram; i++) {
        schedule_free(&x->program[i]->schedule);
        window_space_free(&x->program[i]->space);
        free(x->program[i]->seen);
        free(x->program[i]->name);
        free(x->program[i]);
    }
    free(x->program);
    free(x->kernel);
    map_free(&x->names);
    map64_free(&x->launch);
    *x = (struct matcher){0};
}

/* ---- names ---- */

struct window_event match_look(struct matcher *x, uint32_t program, uint32_t name, uint8_t kind)
{
    struct match_program *p = x->program[program];
    struct window_event e = {.name = MAP_NONE, .is = x->kernel[name]};
    e.is.kind = kind;
    if (name >= p->name_cap) {
        size_t old = p->name_cap;
        p->name = mem_grow(p->name, &p->name_cap, x->names.count, sizeof *p->name);
        memset(p->name + old, 0, (p->name_cap - old) * sizeof *p->name);
    }
    struct match_name *n = &p->name[name];
    if (!n->known) {
        struct str text = kernel_plain(x->names.key[name]), base;
        n->known = true;
        n->name = map_get(&p->schedule.names, text);
        if (n->name == MAP_NONE && kernel_suffix(text, &base, &n->suffix))
            n->name = map_get(&p->schedule.names, base);
    }
    if (kind == KERNEL_OTHER) e.name = n->name, e.suffix = n->suffix;
    return e;
}

void match_seen(struct matcher *x, uint32_t program, uint32_t name, uint8_t kind)
{
    uint32_t k = match_look(x, program, name, kind).name;
    if (k != MAP_NONE) x->program[program]->seen[k] = true;
}

/* ---- one device ---- */

struct launch_order { /* spec: matching 9.1 */
    uint64_t correlation, node;
    int64_t start;
    uint32_t event;
};

static int compare_launch(const struct launch_order *x, const struct launch_order *y)
{
    if (x->correlation != y->correlation) return x->correlation < y->correlation ? -1 : 1;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    if (x->start != y->start) return x->start < y->start ? -1 : 1;
    return (x->event > y->event) - (x->event < y->event);
}

/* Merge sort that takes the runs as they come: each line's events are in order already, or nearly. */
static void sort_launches(struct launch_order *o, size_t n)
{
    struct launch_order *other = mem_alloc(n + 1, sizeof *other), *from = o, *to = other;
    size_t *run = NULL, nrun = 0, cap = 0;
    for (size_t k = 0; k < n; k++)
        if (!k || compare_launch(&o[k - 1], &o[k]) > 0) {
            run = mem_grow(run, &cap, nrun + 2, sizeof *run);
            run[nrun++] = k;
        }
    for (; nrun > 1; nrun = (nrun + 1) / 2) {
        run[nrun] = n;
        for (size_t r = 0; r < nrun; r += 2) {
            size_t a = run[r], mid = run[r + 1], b = mid, end = r + 1 < nrun ? run[r + 2] : mid, w = a;
            while (a < mid && b < end)
                to[w++] = compare_launch(&from[a], &from[b]) <= 0 ? from[a++] : from[b++];
            memcpy(to + w, a < mid ? from + a : from + b, (end - w) * sizeof *to);
            run[r / 2] = run[r];
        }
        struct launch_order *swap = from;
        from = to, to = swap;
    }
    if (from != o && n) memcpy(o, from, n * sizeof *o);
    free(other);
    free(run);
}

/* Events without a correlation id among others that have one are left out: their place is not known. */
static void make_order(struct plane *p)
{
    struct launch_order *o = mem_alloc(p->n + 1, sizeof *o);
    bool ids = false;
    for (size_t i = 0; i < p->n; i++) ids |= p->ev[i].correlation != 0;
    for (size_t i = 0; i < p->n; i++) {
        const struct match_event *e = &p->ev[i];
        if (ids && !e->correlation) continue;
        o[p->norder] = (struct launch_order){e->correlation, (uint32_t)e->node, e->start, (uint32_t)i};
        p->norder++;
    }
    sort_launches(o, p->norder);
    p->order = mem_alloc(p->norder + 1, sizeof *p->order);
    for (size_t k = 0; k < p->norder; k++) p->order[k] = o[k].event;
    free(o);
}

/* What the tracer itself says; names and instructions that occur are remembered. */
static void take_exact(struct plane *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct match_event *e = &p->ev[i];
        struct match_result *r = &p->r[i];
        *r = (struct match_result){.program = e->program, .instr = HLO_NONE, .parts = 1};
        r->match = MATCH_NONE;
        r->reason = e->program == MATCH_UNKNOWN       ? REASON_NO_PROGRAM
                    : !match_usable(p->x, e->program) ? REASON_NO_HLO
                                                      : REASON_NO_CANDIDATE;
        if (!match_annotated(e)) continue;
        r->match = MATCH_EXACT;
        r->reason = REASON_NOTHING;
        r->instr = e->instr;
        if (!match_usable(p->x, e->program)) continue;
        struct window_space *w = &p->x->program[e->program]->space;
        uint32_t name = match_look(p->x, e->program, e->name, e->kind).name;
        match_seen(p->x, e->program, e->name, e->kind);
        w->plain[e->instr] = true;
        if (name != MAP_NONE) w->learned[e->instr] = name;
    }
}

enum { UNFIT = 10 }; /* one name in so many may be missing */

/* Is a program's HLO that of the build that ran?  Its instructions must be those that annotations name, and
 * the kernels with names of the compiler's kind must be its own. */
static void check_fit(struct plane *p)
{
    for (size_t i = 0; i < p->n; i++) {
        const struct match_event *e = &p->ev[i];
        if (e->program == MATCH_UNKNOWN || !p->x->program[e->program]->has_hlo) continue;
        p->x->program[e->program]->fits += match_annotated(e);
        p->x->program[e->program]->unfit += e->misnamed;
    }
    for (size_t i = 0; i < p->nunit; i++) {
        const struct unit *u = &p->unit[i];
        for (uint32_t k = u->beg; k < u->end && match_usable(p->x, u->program); k++) {
            const struct match_event *e = match_at(p, k);
            if (!p->x->kernel[e->name].emitted) continue;
            bool known = match_look(p->x, u->program, e->name, KERNEL_OTHER).name != MAP_NONE;
            p->x->program[u->program]->fits += known;
            p->x->program[u->program]->unfit += !known;
        }
    }
    for (size_t i = 0; i < p->x->nprogram; i++) {
        struct match_program *g = p->x->program[i];
        if (g->unfit * UNFIT > g->fits + g->unfit) g->misfit = true;
    }
}

static void choose_names(struct plane *p)
{
    int changed = 0;
    for (size_t i = 0; i < p->x->nprogram; i++)
        if (p->x->program[i]->has_hlo)
            changed |= window_names(&p->x->program[i]->space, p->x->program[i]->seen);
    if (!changed) return;
    map_free(&p->windows);
    p->nsolved = p->nplaced = 0;
}

void match_plane(struct matcher *x, const struct match_event *ev, size_t n, struct match_result *r)
{
    struct plane p = {.x = x, .ev = ev, .r = r, .n = n};
    take_exact(&p);
    make_order(&p);
    match_units(&p);
    match_graphs(&p);
    match_clear(&p);
    check_fit(&p);
    choose_names(&p);
    match_between(&p);
    choose_names(&p);
    match_windows(&p);
    match_executions(&p);
    free(p.order);
    free(p.unit);
    free(p.loud);
    free(p.graph);
    free(p.member);
    map_free(&p.windows);
    free(p.solved);
    free(p.placed);
    buf_free(&p.key);
    free(p.we);
}
