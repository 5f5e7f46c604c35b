#include "steps.h"
#include "budget.h"
#include "dist.h"
#include "runs.h"
#include <stdlib.h>

const char *step_source_word(enum step_source s)
{
    return (const char *const[]){"-", "annotation", "steps_line", "module", "repeats"}[s];
}

/* Where steps begin and end, on the host or on one device. */
struct mark {
    int64_t start, end;
    uint32_t label;
};
struct marks {
    struct mark *v;
    size_t n, cap;
};

static void add_mark(struct marks *m, int64_t start, int64_t end, uint32_t label)
{
    m->v = mem_grow(m->v, &m->cap, m->n + 1, sizeof *m->v);
    m->v[m->n++] = (struct mark){start, end, label};
}

/* The events of one class on a line that carry the name that is most frequent there. */
static struct marks marks_on_line(const struct events *t, const struct event_line *l, unsigned class,
                                  bool by_name)
{
    struct marks m = {0};
    struct map64 count = {0};
    uint64_t best = 0, best_name = EV_NONE;
    for (size_t i = l->from; i < l->from + l->n; i++) {
        if (t->event[i].class != class) continue;
        uint64_t c = ++*map64_at(&count, t->event[i].name, 0);
        if (c > best) best = c, best_name = t->event[i].name;
    }
    for (size_t i = l->from; i < l->from + l->n; i++) {
        const struct event *v = &t->event[i];
        if (v->class == class && (!by_name || v->name == best_name))
            add_mark(&m, v->start, event_end(v), v->op != EV_NONE ? v->op : v->name);
    }
    map64_free(&count);
    return m;
}

/* The host line with the most step annotations. */
static struct marks annotations(const struct events *t)
{
    const struct event_line *best = NULL;
    for (uint32_t i = 0; i < t->nline; i++) {
        const struct event_line *l = &t->line[i];
        if (!t->plane[l->plane].is_host || !l->count[EV_STEP]) continue;
        if (!best || l->count[EV_STEP] > best->count[EV_STEP]) best = l;
    }
    return best ? marks_on_line(t, best, EV_STEP, true) : (struct marks){0};
}

static struct marks marks_of_plane(const struct events *t, uint32_t plane, unsigned class)
{
    for (uint32_t i = 0; i < t->plane[plane].nline; i++)
        if (events_line(t, plane, i)->count[class])
            return marks_on_line(t, events_line(t, plane, i), class, false);
    return (struct marks){0};
}

/* Runs of the module that takes the most time, from a device's module line. */
static struct marks module_runs(const struct events *t, uint32_t plane)
{
    struct marks all = marks_of_plane(t, plane, EV_MODULE), top = {0};
    struct map64 time = {0};
    uint64_t best = 0, best_label = EV_NONE;
    for (size_t i = 0; i < all.n; i++) {
        uint64_t *sum = map64_at(&time, all.v[i].label, 0);
        *sum += (uint64_t)(all.v[i].end - all.v[i].start);
        if (*sum > best) best = *sum, best_label = all.v[i].label;
    }
    for (size_t i = 0; i < all.n; i++)
        if (all.v[i].label == best_label) add_mark(&top, all.v[i].start, all.v[i].end, EV_NONE);
    map64_free(&time);
    free(all.v);
    return top;
}

/* ---- repeats of a program on a device ---- */

struct item { /* a device event in order of launch */
    int64_t when;
    uint64_t kind; /* instruction and kernel name */
    uint32_t event;
};

static bool item_after(const void *x, const void *y)
{
    return ((const struct item *)x)->when > ((const struct item *)y)->when;
}

static int64_t when_launched(const struct events *t, const struct launches *l, uint32_t i)
{
    uint32_t at = l->of[i];
    return at == EV_NONE ? t->event[i].start : t->event[l->launch[at].host].start;
}

static uint32_t top_program(const struct events *t, uint32_t plane)
{
    struct map64 time = {0};
    uint64_t best = 0, program = EV_NONE;
    for (uint32_t k = 0; k < t->plane[plane].nline; k++) {
        const struct event_line *l = events_line(t, plane, k);
        for (size_t i = l->from; i < l->from + l->n; i++) {
            const struct event *v = &t->event[i];
            if (!event_is(v, EV_DEVICE) || v->program == EV_NONE) continue;
            uint64_t *sum = map64_at(&time, v->program, 1); /* 1: a program of no time is one, too */
            *sum += (uint64_t)v->dur;
            if (*sum > best) best = *sum, program = v->program;
        }
    }
    map64_free(&time);
    return (uint32_t)program;
}

static struct item *launch_order(const struct events *t, const struct launches *l, uint32_t plane,
                                 uint32_t program, size_t *n)
{
    struct item *v = NULL;
    size_t cap = 0;
    *n = 0;
    for (uint32_t k = 0; k < t->plane[plane].nline; k++) {
        const struct event_line *line = events_line(t, plane, k);
        for (size_t i = line->from; i < line->from + line->n; i++) {
            const struct event *x = &t->event[i];
            if (!event_is(x, EV_DEVICE) || x->program != program) continue;
            v = mem_grow(v, &cap, *n + 1, sizeof *v);
            v[(*n)++] =
                (struct item){when_launched(t, l, (uint32_t)i), (uint64_t)x->op << 32 | x->name, (uint32_t)i};
        }
    }
    runs_sort(v, *n, sizeof *v, item_after);
    return v;
}

/* The number of times that most kinds of event occur: the number of runs, if every run does the same.  Kinds
 * in a loop occur more often, kinds that lost an event less. */
static uint64_t usual_count(const struct map64 *count)
{
    struct map64 votes = {0};
    uint64_t best = 0, value = 0;
    for (size_t i = 0; count->slot && i <= count->mask; i++) {
        if (!count->slot[i].used || count->slot[i].value < 2) continue;
        uint64_t n = ++*map64_at(&votes, count->slot[i].value, 0);
        if (n > best || (n == best && count->slot[i].value < value)) best = n, value = count->slot[i].value;
    }
    map64_free(&votes);
    return value;
}

/* A run begins with the kind that the whole sequence begins with, as far before the run's anchor as in the
 * first run (nearly so, where events were lost); else with the anchor. */
static size_t run_start(const struct item *v, size_t low, size_t anchor, size_t before)
{
    size_t best = anchor, want = anchor > low + before ? anchor - before : low, best_off = SIZE_MAX;
    for (size_t i = anchor > low + 2 * before ? anchor - 2 * before : low; i <= anchor; i++) {
        size_t off = i > want ? i - want : want - i;
        if (v[i].kind == v[0].kind && off < best_off) best = i, best_off = off;
    }
    return best;
}

static struct marks repeats(const struct events *t, const struct launches *l, uint32_t plane)
{
    struct marks m = {0};
    struct map64 count = {0};
    size_t n, first = 0, low = 0;
    uint32_t program = top_program(t, plane);
    if (program == EV_NONE) return m;
    struct item *v = launch_order(t, l, plane, program, &n);
    for (size_t i = 0; i < n; i++) ++*map64_at(&count, v[i].kind, 0);
    uint64_t runs = usual_count(&count), c = 0;
    while (runs && first < n && map64_get(&count, v[first].kind, &c) && c != runs) first++;
    for (size_t i = first; runs && i < n; i++) {
        if (v[i].kind != v[first].kind) continue;
        size_t from = i == first ? 0 : run_start(v, low, i, first);
        add_mark(&m, v[from].when, v[from].when, EV_NONE);
        low = i + 1;
    }
    map64_free(&count);
    free(v);
    return m;
}

/* ---- steps of a device ---- */

static size_t mark_at(const struct marks *m,
                      int64_t t) /* the last mark that starts at or before t, or SIZE_MAX */
{
    size_t lo = 0, hi = m->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->v[mid].start <= t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo - 1;
}

static void fill_steps(const struct events *t, const struct launches *l, const struct marks *m, bool host,
                       uint32_t plane, struct step *v)
{
    for (uint32_t i = 0; i < t->plane[plane].nline; i++) {
        const struct event_line *line = events_line(t, plane, i);
        for (size_t k = line->from; k < line->from + line->n; k++) {
            const struct event *x = &t->event[k];
            if (!line->work || !event_is(x, EV_DEVICE)) continue;
            size_t at = mark_at(m, host ? when_launched(t, l, (uint32_t)k) : x->start);
            if (at == SIZE_MAX) continue;
            struct step *s = &v[at];
            if (!s->events || x->start < s->start) s->start = x->start;
            if (!s->events || event_end(x) > s->end) s->end = event_end(x);
            s->events++;
        }
    }
}

/* Steps tile the device: each lasts to the next one's start.  Where kernels of two steps interleave the later
 * start wins, so that no instant is in two. */
static void tile(const struct events *t, struct step *v, size_t n, const struct marks *m, uint32_t plane)
{
    struct device_time d = budget_device(t, plane);
    for (size_t i = 0; i < n; i++) {
        v[i].until = i + 1 < n ? v[i + 1].start : v[i].end;
        if (v[i].until < v[i].start) v[i].until = v[i].start;
        v[i].busy_ps = ivls_len_in(&d.busy, (struct ivl){v[i].start, v[i].until});
        const struct mark *k = &m->v[v[i].number];
        bool lasting = k->end > k->start;
        v[i].mark_start = lasting ? k->start : v[i].start;
        v[i].mark_end = lasting ? k->end : v[i].until;
    }
    budget_device_free(&d);
}

static void mark_cut(struct step *v, size_t n)
{
    struct dist count = {0};
    for (size_t i = 0; i < n; i++) dist_add(&count, (int64_t)v[i].events);
    int64_t usual = dist_quantile(&count, 0.51); /* of two the larger: a cut step has fewer */
    for (size_t i = 0; i < n; i++) v[i].cut = (i == 0 || i + 1 == n) && (int64_t)v[i].events < usual;
    dist_free(&count);
}

static void steps_of_device(struct steps *s, const struct events *t, const struct launches *l,
                            const struct marks *m, bool host, uint32_t plane)
{
    struct step *v = mem_alloc(m->n, sizeof *v);
    size_t n = 0;
    fill_steps(t, l, m, host, plane, v);
    for (size_t i = 0; i < m->n; i++) {
        if (!v[i].events) continue;
        v[n] = v[i];
        v[n].plane = plane;
        v[n].number = (uint32_t)i;
        v[n++].label = m->v[i].label;
    }
    if (n) {
        tile(t, v, n, m, plane);
        mark_cut(v, n);
        s->step = mem_realloc(s->step, s->n + n, sizeof *v);
        memcpy(s->step + s->n, v, n * sizeof *v);
        s->n += n;
    }
    free(v);
}

static void compare_devices(struct steps *s)
{
    struct map64 earliest = {0}, latest = {0};
    for (size_t i = 0; i < s->n; i++) {
        uint64_t end = (uint64_t)s->step[i].end ^ (uint64_t)1 << 63; /* order of int64_t as uint64_t */
        uint64_t *lo = map64_at(&earliest, s->step[i].number, end);
        if (end < *lo) *lo = end;
        uint64_t *hi = map64_at(&latest, s->step[i].number, end);
        if (end > *hi) *hi = end;
    }
    for (size_t i = 0; i < s->n; i++) {
        uint64_t end = (uint64_t)s->step[i].end ^ (uint64_t)1 << 63;
        s->step[i].ended_last = end == *map64_at(&latest, s->step[i].number, 0);
        s->step[i].late_ps = (int64_t)(end - *map64_at(&earliest, s->step[i].number, 0));
        if (s->step[i].late_ps <= s->step[i].until - s->step[i].start) continue;
        s->step[i].late_ps = 0; /* steps that lie apart are not the same step, though they have one number */
        s->step[i].ended_last = false;
    }
    map64_free(&earliest);
    map64_free(&latest);
}

struct steps steps_find(const struct events *t, const struct launches *l)
{
    struct steps s = {0};
    struct marks host = annotations(t);
    for (int source = host.n ? STEP_ANNOTATION : STEP_LINE; source <= STEP_REPEAT && !s.n; source++) {
        if (source > STEP_ANNOTATION && host.n) free(host.v), host = (struct marks){0};
        for (uint32_t p = 0; p < t->nplane; p++) {
            if (!t->plane[p].is_device) continue;
            struct marks m = source == STEP_ANNOTATION ? host
                             : source == STEP_LINE     ? marks_of_plane(t, p, EV_STEP)
                             : source == STEP_MODULE   ? module_runs(t, p)
                                                       : repeats(t, l, p);
            if (m.n) steps_of_device(&s, t, l, &m, source == STEP_ANNOTATION || source == STEP_REPEAT, p);
            if (source != STEP_ANNOTATION) free(m.v);
        }
        if (s.n) s.source = (enum step_source)source;
    }
    free(host.v);
    compare_devices(&s);
    return s;
}

void steps_free(struct steps *s)
{
    free(s->step);
    *s = (struct steps){0};
}

int64_t step_dur(const struct steps *s, const struct step *x)
{
    return s->source == STEP_ANNOTATION ? x->mark_end - x->mark_start : x->until - x->start;
}

int64_t step_median(const struct steps *s, uint32_t plane)
{
    struct dist d = {0};
    for (size_t i = 0; i < s->n; i++)
        if (s->step[i].plane == plane && !s->step[i].cut) dist_add(&d, step_dur(s, &s->step[i]));
    int64_t m = dist_median(&d);
    dist_free(&d);
    return m;
}

int64_t step_median_number(const struct steps *s)
{
    struct map64 longest = {0};
    struct dist d = {0};
    int64_t found = -1, best = INT64_MAX;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t *x = map64_at(&longest, s->step[i].number, 0), dur = (uint64_t)step_dur(s, &s->step[i]);
        if (s->step[i].cut) *x = UINT64_MAX;
        if (*x < dur) *x = dur;
    }
    for (size_t i = 0; longest.slot && i <= longest.mask; i++)
        if (longest.slot[i].used && longest.slot[i].value != UINT64_MAX)
            dist_add(&d, (int64_t)longest.slot[i].value);
    int64_t median = dist_median(&d);
    for (size_t i = 0; i < s->n; i++) {
        uint64_t x = 0;
        map64_get(&longest, s->step[i].number, &x);
        if (x == UINT64_MAX || llabs((int64_t)x - median) >= best) continue;
        best = llabs((int64_t)x - median);
        found = s->step[i].number;
    }
    map64_free(&longest);
    dist_free(&d);
    return found;
}
