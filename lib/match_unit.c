#include "match_in.h"
#include <stdlib.h>

/* Launches that the tracer does not name: which events they hold, and of which program they are. */

/* ---- finding them ---- */

static void add_unit(struct plane *p, size_t beg, size_t end, bool graphs, bool annotations)
{
    const struct match_event *e = match_at(p, beg);
    uint64_t host;
    p->unit = mem_grow(p->unit, &p->unit_cap, p->nunit + 1, sizeof *p->unit);
    struct unit *u = &p->unit[p->nunit++];
    *u = (struct unit){.beg = (uint32_t)beg,
                       .end = (uint32_t)end,
                       .program = e->program,
                       .graph = MATCH_UNKNOWN,
                       .left = MATCH_UNKNOWN,
                       .right = MATCH_UNKNOWN};
    if (u->program == MATCH_UNKNOWN && map64_get(&p->x->launch, e->correlation, &host))
        u->program = (uint32_t)host;
    bool graph = e->graph || e->label || u->program != MATCH_UNKNOWN || (!graphs && end - beg > 1);
    u->stray = !graph;
    for (size_t k = beg; k < end && u->stray && annotations; k++) p->r[p->order[k]].reason = REASON_NOT_XLA;
}

/* Without graph ids a graph is what shares its correlation id. */
static void find_units(struct plane *p)
{
    bool graphs = false, annotations = false;
    for (size_t k = 0; k < p->norder; k++) {
        graphs |= match_at(p, k)->graph != 0;
        annotations |= match_at(p, k)->program != MATCH_UNKNOWN;
    }
    for (size_t k = 0, end; k < p->norder; k = end) {
        const struct match_event *e = match_at(p, k);
        end = k + 1;
        if (match_annotated(e)) continue;
        while (end < p->norder && e->correlation && !match_annotated(match_at(p, end)) &&
               match_at(p, end)->correlation == e->correlation)
            end++;
        add_unit(p, k, end, graphs, annotations);
    }
}

/* The program that was last annotated on each line. */
struct last {
    struct map64 at;
    const struct match_event *known; /* the event that was noted last */
};

static void note(struct last *l, const struct match_event *e)
{
    if (!match_annotated(e)) return;
    if (l->known && l->known->line == e->line && l->known->program == e->program) return;
    map64_set(&l->at, e->line, e->program);
    l->known = e;
}

static void recall(const struct last *l, const struct match_event *e, uint32_t *program)
{
    uint64_t v;
    if (map64_get(&l->at, e->line, &v)) *program = (uint32_t)v;
}

/* The programs of the nearest annotated launches on the same line, going forth and back. */
static void find_neighbours(struct plane *p)
{
    struct last before = {0}, behind = {0};
    size_t u = 0;
    for (size_t k = 0; k < p->norder; k++) {
        if (u < p->nunit && p->unit[u].beg == k) recall(&before, match_at(p, k), &p->unit[u++].left);
        note(&before, match_at(p, k));
    }
    for (size_t k = p->norder; k-- > 0;) {
        note(&behind, match_at(p, k));
        if (u && p->unit[u - 1].beg == k) recall(&behind, match_at(p, k), &p->unit[--u].right);
    }
    map64_free(&before.at);
    map64_free(&behind.at);
}

void match_units(struct plane *p)
{
    p->loud = mem_alloc(p->x->nprogram + 1, sizeof *p->loud);
    for (size_t k = 0; k < p->norder; k++)
        if (match_annotated(match_at(p, k))) p->loud[match_at(p, k)->program] = true;
    find_units(p);
    find_neighbours(p);
}

/* ---- programs: where the annotations around agree ---- */

/* How many kernels of a unit does a program know by name? */
static size_t known_names(struct plane *p, const struct unit *u, uint32_t program)
{
    size_t n = 0;
    for (uint32_t k = u->beg; k < u->end && match_usable(p->x, program); k++)
        n += match_look(p->x, program, match_at(p, k)->name, match_at(p, k)->kind).name != MAP_NONE;
    return n;
}

static void see_unit(struct plane *p, const struct unit *u)
{
    struct graph *g = u->graph == MATCH_UNKNOWN ? NULL : &p->graph[u->graph];
    if (g && g->seen && !g->unstable) return; /* its names are known from another launch */
    if (g && match_usable(p->x, u->program) && u->end - u->beg >= g->end - g->beg) g->seen = true;
    for (uint32_t k = u->beg; k < u->end && match_usable(p->x, u->program); k++)
        match_seen(p->x, u->program, match_at(p, k)->name, match_at(p, k)->kind);
}

/* Could it be of a program that never runs but in graphs?  Then it must know at least as many of the names.
 */
static bool silent(struct plane *p, const struct unit *u, uint32_t program, size_t known)
{
    if (p->loud[program] || !match_usable(p->x, program)) return false;
    size_t n = known_names(p, u, program);
    return n && n >= known;
}

static bool rivals(struct plane *p, const struct unit *u)
{
    size_t known = known_names(p, u, u->left);
    for (uint32_t g = 0; g < p->x->nprogram; g++)
        if (silent(p, u, g, known)) return true;
    return false;
}

void match_clear(struct plane *p)
{
    for (size_t i = 0; i < p->nunit; i++) {
        struct unit *u = &p->unit[i];
        bool agree = u->left == u->right && u->left != MATCH_UNKNOWN;
        if (u->stray && !(agree && known_names(p, u, u->left))) continue; /* ours only if its name says so */
        if (u->program == MATCH_UNKNOWN && agree && !rivals(p, u)) u->program = u->left;
        if (u->program == MATCH_UNKNOWN) continue;
        see_unit(p, u);
        if (u->graph != MATCH_UNKNOWN) p->graph[u->graph].program = u->program;
    }
}

/* ---- ... and where they do not: what leaves least unexplained ---- */

static uint32_t anchor(const struct plane *p, size_t at, bool ahead, uint32_t program)
{
    for (size_t k = at; ahead ? k < p->norder : k-- > 0; k += ahead)
        if (match_annotated(match_at(p, k)) && match_at(p, k)->program == program)
            return match_at(p, k)->instr;
    return HLO_NONE;
}

/* What units u[0..n) cost a program that has annotated launches on both sides, or on one. */
static int64_t side_cost(struct plane *p, uint32_t program, const uint32_t *u, size_t n)
{
    if (!n) return 0;
    if (!match_usable(p->x, program)) return (int64_t)n * WINDOW_SKIP * 2;
    uint32_t from = anchor(p, p->unit[u[0]].beg, false, program);
    uint32_t to = anchor(p, p->unit[u[n - 1]].end, true, program);
    return match_window(p, program, from, to, u, n).cost - match_window(p, program, from, to, NULL, 0).cost;
}

static void set_program(struct plane *p, uint32_t unit, uint32_t program)
{
    struct unit *u = &p->unit[unit];
    u->program = program;
    if (u->graph != MATCH_UNKNOWN) p->graph[u->graph].program = program;
}

/* The one program, annotated or not, along whose schedule a unit lies best by itself; at what cost. */
static uint32_t best_alone(struct plane *p, uint32_t unit, bool only_silent, int64_t *cost)
{
    const struct unit *u = &p->unit[unit];
    uint32_t best = MATCH_UNKNOWN;
    *cost = INT64_MAX;
    for (uint32_t g = 0; g < p->x->nprogram; g++) {
        if (only_silent ? !silent(p, u, g, known_names(p, u, u->left)) : !known_names(p, u, g)) continue;
        int64_t c = match_window(p, g, HLO_NONE, HLO_NONE, &unit, 1).cost;
        if (c == *cost) best = MATCH_UNKNOWN;
        if (c >= 0 && c < *cost) *cost = c, best = g;
    }
    return best;
}

/* Units between a program's last and another's first annotated launch: cut where it costs least. */
static void split_between(struct plane *p, const uint32_t *u, size_t n)
{
    uint32_t left = p->unit[u[0]].left, right = p->unit[u[0]].right;
    int64_t best = INT64_MAX;
    size_t cut = 0;
    bool tie = false;
    for (size_t k = 0; k <= n; k++) {
        if ((left == MATCH_UNKNOWN && k) || (right == MATCH_UNKNOWN && k < n)) continue;
        int64_t c = side_cost(p, left, u, k) + side_cost(p, right, u + k, n - k);
        tie = c == best;
        if (c < best) best = c, cut = k;
    }
    for (size_t k = 0; k < n && !tie; k++) set_program(p, u[k], k < cut ? left : right);
}

/* Is a unit that of a program that shows itself only in graphs, rather than of those around it?  At the edges
 * of a capture, where only one side is known, it may be of any. */
static bool take_other(struct plane *p, uint32_t unit)
{
    const struct unit *u = &p->unit[unit];
    int64_t alone, around = INT64_MAX;
    bool edge = u->left == MATCH_UNKNOWN || u->right == MATCH_UNKNOWN;
    uint32_t g = best_alone(p, unit, !edge, &alone);
    if (g == MATCH_UNKNOWN) return false;
    if (u->left != MATCH_UNKNOWN) around = side_cost(p, u->left, &unit, 1);
    if (u->right != MATCH_UNKNOWN && u->right != u->left) {
        int64_t c = side_cost(p, u->right, &unit, 1);
        if (c < around) around = c;
    }
    if (alone >= around) return false;
    set_program(p, unit, g);
    return true;
}

/* One unit without a program: settled by itself, or one of those to be split. */
static bool settle_unit(struct plane *p, uint32_t i)
{
    struct unit *u = &p->unit[i];
    int64_t cost;
    if (u->program == MATCH_UNKNOWN && u->graph != MATCH_UNKNOWN) u->program = p->graph[u->graph].program;
    if (u->program != MATCH_UNKNOWN || take_other(p, i)) return true;
    if (u->left != u->right) return false;
    set_program(p, i, u->left != MATCH_UNKNOWN ? u->left : best_alone(p, i, false, &cost));
    return true;
}

enum { BETWEEN = 16 }; /* units between two programs: more are not split but cut off there */

void match_between(struct plane *p)
{
    uint32_t run[BETWEEN] = {0};
    size_t n = 0;
    for (uint32_t i = 0; i <= p->nunit; i++) {
        const struct unit *u = i < p->nunit ? &p->unit[i] : NULL;
        if (u && u->stray) continue;
        bool open = u && !settle_unit(p, i);
        const struct unit *f = n ? &p->unit[run[0]] : u;
        if (n && (!open || n == BETWEEN || u->left != f->left || u->right != f->right)) {
            split_between(p, run, n);
            n = 0;
        }
        if (open) run[n++] = i;
    }
    for (size_t i = 0; i < p->nunit; i++)
        if (!p->unit[i].stray && p->unit[i].program != MATCH_UNKNOWN) see_unit(p, &p->unit[i]);
}
