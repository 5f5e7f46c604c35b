#include "modrun.h"
#include "num.h"
#include <stdlib.h>

enum {
    SMALL_PER_TOP = 3,
    CALLERS_SHOWN = 5
}; /* fragmented: so many small runs for each of the top program */

struct one {
    int64_t start, dur;
    uint64_t run;
    uint32_t program;
    bool whole; /* an event of a module line; else a piece of device work */
};

static int by_start(const void *x, const void *y)
{
    const struct one *a = x, *b = y;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    return (a->program > b->program) - (a->program < b->program);
}

/* ---- which events are runs ---- */

static size_t count_class(const struct events *t, uint32_t plane, unsigned classes)
{
    size_t n = 0;
    for (uint32_t k = 0; k < t->plane[plane].nline; k++) {
        const struct event_line *l = events_line(t, plane, k);
        for (size_t i = l->from; i < l->from + l->n; i++)
            n += event_is(&t->event[i], classes) && t->event[i].program != EV_NONE;
    }
    return n;
}

/* The first plane with events of the classes, EV_NONE: none.  One device stands for all. */
static uint32_t plane_with(const struct events *t, unsigned classes)
{
    for (uint32_t p = 0; p < t->nplane; p++)
        if (count_class(t, p, classes)) return p;
    return EV_NONE;
}

static size_t gather(const struct events *t, struct one **out)
{
    unsigned classes = EV_BIT(EV_MODULE);
    uint32_t p = plane_with(t, classes);
    size_t n = 0;
    if (p == EV_NONE) p = plane_with(t, classes = EV_DEVICE);
    *out = NULL;
    if (p == EV_NONE) return 0;
    *out = mem_alloc(count_class(t, p, classes) + 1, sizeof **out);
    for (uint32_t k = 0; k < t->plane[p].nline; k++) {
        const struct event_line *l = events_line(t, p, k);
        for (size_t i = l->from; i < l->from + l->n; i++) {
            const struct event *v = &t->event[i];
            if (!event_is(v, classes) || v->program == EV_NONE) continue;
            (*out)[n++] = (struct one){v->start, v->dur, v->flags & EV_HAS_RUN ? v->corr : 0, v->program,
                                       event_is(v, EV_BIT(EV_MODULE))};
        }
    }
    qsort(*out, n, sizeof **out, by_start);
    return n;
}

/* ---- runs in a row ---- */

/* Pieces of device work melt into one run: of one program and run id, nothing of another between. */
static void make_rows(struct modruns *r, const struct one *v, size_t n)
{
    size_t cap = 0;
    int64_t end = 0;
    for (size_t i = 0; i < n; i++) {
        bool row = !i || v[i].program != v[i - 1].program;
        bool run = row || v[i].whole || v[i].run != v[i - 1].run;
        if (row) {
            r->row = mem_grow(r->row, &cap, r->n + 1, sizeof *r->row);
            r->row[r->n++] = (struct modrun){.program = v[i].program, .start = v[i].start};
        }
        struct modrun *x = &r->row[r->n - 1];
        int64_t stop = num_add(v[i].start, v[i].dur), from = run || v[i].start > end ? v[i].start : end;
        x->runs += run;
        x->counted = v[i].whole || v[i].run;
        if (stop > from) x->dur = num_add(x->dur, stop - from);
        end = run || stop > end ? stop : end;
    }
}

static void find_top(struct modruns *r, uint32_t nprogram)
{
    int64_t *ps = mem_alloc((size_t)nprogram + 1, sizeof *ps);
    uint64_t *runs = mem_alloc((size_t)nprogram + 1, sizeof *runs);
    r->top = EV_NONE;
    for (size_t i = 0; i < r->n; i++) {
        uint32_t p = r->row[i].program;
        r->programs += !runs[p];
        ps[p] = num_add(ps[p], r->row[i].dur);
        runs[p] += r->row[i].runs;
        r->all += r->row[i].runs;
        r->total = num_add(r->total, r->row[i].dur);
        if (r->top == EV_NONE || ps[p] > r->top_ps) {
            r->top = p;
            r->top_ps = ps[p];
        }
    }
    if (r->top != EV_NONE) r->top_runs = runs[r->top];
    r->fragmented = r->programs > 2 && r->all - r->top_runs >= SMALL_PER_TOP * r->top_runs;
    free(ps);
    free(runs);
}

/* ---- who did it ---- */

/* "add" of PjitFunction(add). */
static struct str called(struct str name)
{
    if (!str_starts(name, "PjitFunction(") || !str_ends(name, ")")) return (struct str){0};
    return str_n(name.p + 13, name.n - 14);
}

/* Host calls by what they call: jit_add <- PjitFunction(add).  `count` how often, outermost ones only. */
struct callers {
    struct map name;
    uint32_t *event_name; /* by name: number of the call's name */
    uint64_t *count;
    size_t cap, count_cap;
};

static void find_callers(const struct events *t, struct callers *c)
{
    for (uint32_t k = 0; k < t->nline; k++) {
        const struct event_line *l = &t->line[k];
        int64_t inside = INT64_MIN;
        for (size_t i = l->from; i < l->from + l->n; i++) {
            const struct event *v = &t->event[i];
            struct str f = event_is(v, EV_BIT(EV_HOST)) ? called(event_name(t, v->name)) : STR("");
            bool fresh;
            if (!f.n || v->start < inside) continue; /* the fast path and the slow one are both recorded */
            inside = event_end(v);
            uint32_t n = map_put(&c->name, f, &fresh);
            c->event_name = mem_grow(c->event_name, &c->cap, (size_t)n + 1, sizeof *c->event_name);
            c->count = mem_grow(c->count, &c->count_cap, (size_t)n + 1, sizeof *c->count);
            if (fresh) c->event_name[n] = v->name, c->count[n] = 0;
            c->count[n]++;
        }
    }
}

static uint32_t caller_of(const struct events *t, const struct callers *c, uint32_t program)
{
    struct str m = t->program[program].module;
    return str_starts(m, "jit_") ? map_get(&c->name, str_from(m, 4)) : MAP_NONE;
}

struct often {
    uint64_t count;
    uint32_t name;
};

static int by_count(const void *x, const void *y)
{
    const struct often *a = x, *b = y;
    if (a->count != b->count) return a->count > b->count ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

/* The calls of every program but the top one, the most frequent first. */
static void name_callers(const struct events *t, const struct callers *c, struct modruns *r)
{
    struct often *o = mem_alloc((size_t)c->name.count + 1, sizeof *o);
    bool *seen = mem_alloc((size_t)c->name.count + 1, sizeof *seen);
    struct buf b = {0};
    size_t n = 0;
    for (size_t i = 0; i < r->n; i++) {
        uint32_t k = caller_of(t, c, r->row[i].program);
        if (k == MAP_NONE) continue;
        r->row[i].caller = event_name(t, c->event_name[k]);
        if (seen[k] || r->row[i].program == r->top) continue;
        seen[k] = true;
        o[n++] = (struct often){c->count[k], c->event_name[k]};
    }
    qsort(o, n, sizeof *o, by_count);
    for (size_t i = 0; i < n && i < CALLERS_SHOWN; i++) {
        if (i) buf_puts(&b, ", ");
        buf_str(&b, event_name(t, o[i].name));
        buf_fmt(&b, " %llu", (unsigned long long)o[i].count);
    }
    r->callers = buf_view(&b);
    free(o);
    free(seen);
}

/* Where the capture does not tell runs apart, its host calls may: one for each stretch, or all in one
 * stretch. */
static void count_runs(const struct events *t, const struct callers *c, struct modruns *r)
{
    uint64_t *stretches = mem_alloc((size_t)t->nprogram + 1, sizeof *stretches);
    for (size_t i = 0; i < r->n; i++) stretches[r->row[i].program]++;
    for (size_t i = 0; i < r->n; i++) {
        struct modrun *x = &r->row[i];
        uint32_t k = x->counted ? MAP_NONE : caller_of(t, c, x->program);
        if (k == MAP_NONE) continue;
        x->counted = stretches[x->program] == 1 || stretches[x->program] == c->count[k];
        if (x->counted && stretches[x->program] == 1) x->runs = c->count[k];
    }
    free(stretches);
}

void modruns_make(const struct events *t, struct modruns *r)
{
    struct one *v;
    struct callers c = {0};
    size_t n = gather(t, &v);
    *r = (struct modruns){0};
    make_rows(r, v, n);
    find_callers(t, &c);
    count_runs(t, &c, r);
    find_top(r, t->nprogram);
    name_callers(t, &c, r);
    map_free(&c.name);
    free(c.event_name);
    free(c.count);
    free(v);
}

void modruns_free(struct modruns *r)
{
    if (!r) return;
    free(r->row);
    free((void *)(uintptr_t)r->callers.p);
    *r = (struct modruns){0};
}
