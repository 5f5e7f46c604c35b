#include "xsurvey.h"
#include "mem.h"
#include "num.h"
#include <stdlib.h>

enum { CLOCK_OFFSET, CLOCK_DURATION }; /* the extra columns of this walk */

struct xrun {                     /* of XLA:CPU, whose events name the run they belong to */
    uint32_t module, program, id; /* where these cells begin in its key; the plane's is first */
    int64_t first_ps, last_ps;
    uint64_t events;
};

int64_t xprogram_ps(const struct xprogram *p) { return p->module_ps ? p->module_ps : p->work_ps; }

static struct xprogram *program(struct xsurvey *s, uint64_t id)
{
    uint64_t *at = map64_at(&s->program_at, id, s->nprogram);
    if (*at == s->nprogram) {
        s->program = mem_grow(s->program, &s->program_cap, s->nprogram + 1, sizeof *s->program);
        s->program[s->nprogram++] = (struct xprogram){.id = id};
    }
    return &s->program[*at];
}

const struct xprogram *xsurvey_program(const struct xsurvey *s, uint64_t id)
{
    uint64_t at;
    return map64_get(&s->program_at, id, &at) ? &s->program[at] : NULL;
}

void xsurvey_init(struct xsurvey *s, const struct xspace *space)
{
    *s = (struct xsurvey){0};
    for (size_t i = 0; i < space->nplane; i++) s->nline += space->plane[i].nline;
    s->line = mem_alloc(s->nline ? s->nline : 1, sizeof *s->line);
    for (size_t i = 0; i < s->nline; i++)
        s->line[i] = (struct xline_sum){.first_ps = INT64_MAX, .last_ps = INT64_MIN};
}

static void sum_line(struct xline_sum *l, const struct xevent *ev)
{
    l->events++;
    l->aggregated += ev->aggregated;
    l->classes |= 1u << ev->class;
    l->dur_ps = num_add(l->dur_ps, ev->dur_ps);
    if (!ev->timed) return;
    if (ev->start_ps < l->first_ps) l->first_ps = ev->start_ps;
    int64_t end = num_add(ev->start_ps, ev->dur_ps);
    if (end > l->last_ps) l->last_ps = end;
}

static void start_cell(struct tab *t, const struct xevent *ev)
{
    if (ev->timed)
        tab_i64(t, ev->start_ps);
    else
        tab_none(t);
}

static void where(struct tab *t, struct xrows *r, const struct xevent *ev)
{
    tab_text(t, r->names->plane->name);
    tab_text(t, ev->line->name);
    tab_i64(t, ev->line->id);
}

static void module_row(struct tab *t, struct xrows *r, const struct xevent *ev, const char *from)
{
    where(t, r, ev);
    tab_cell(t, xevent_cell(r, ev, COL_MODULE));
    tab_cell(t, xevent_cell(r, ev, COL_PROGRAM));
    tab_cell(t, xevent_cell(r, ev, COL_RUN));
    start_cell(t, ev);
    tab_i64(t, ev->dur_ps);
    tab_none(t);
    tab_texts(t, from);
    tab_end(t);
}

static void step_row(struct tab *t, struct xrows *r, const struct xevent *ev)
{
    where(t, r, ev);
    tab_cell(t, xevent_name_cell(ev));
    tab_cell(t, xevent_cell(r, ev, COL_STEP));
    tab_cell(t, xevent_cell(r, ev, COL_GROUP));
    start_cell(t, ev);
    tab_i64(t, ev->dur_ps);
    tab_texts(t, ev->class == EV_STEP ? "line" : "annotation");
    tab_end(t);
}

/* A counter's values are the stats of its events. */
static int counter_rows(struct tab *t, struct xrows *r, const struct xevent *ev, struct err *e)
{
    struct wire w = ev->msg;
    struct xstat st = {0};
    struct val v;
    struct buf cell = {0};
    int got;
    while ((got = xstat_next(&w, 4, &st, r->names->space, e)) > 0) {
        if (xstat_value(r->names, &st, &v, &r->inflated, e)) return -1;
        where(t, r, ev);
        tab_cell(t, xevent_name_cell(ev));
        start_cell(t, ev);
        tab_text(t, xstat_name(r->names, &st));
        cell.n = 0;
        val_cell(&cell, v);
        tab_cell(t, buf_view(&cell));
        tab_end(t);
    }
    buf_free(&cell);
    return got;
}

/* ---- runs and programs ---- */

static void run_event(struct xsurvey *s, struct xrows *r, const struct xevent *ev)
{
    struct buf key = {0};
    struct xrun x = {.first_ps = INT64_MAX, .last_ps = INT64_MIN};
    tsv_escape(&key, r->names->plane->name);
    uint32_t *at[] = {&x.module, &x.program, &x.id};
    static const unsigned col[] = {COL_MODULE, COL_PROGRAM, COL_RUN};
    for (int i = 0; i < 3; i++) {
        buf_c(&key, '\t');
        *at[i] = (uint32_t)key.n;
        buf_str(&key, xevent_cell(r, ev, col[i]));
    }
    bool fresh;
    uint32_t i = map_put(&s->runs, buf_view(&key), &fresh);
    buf_free(&key);
    s->run = mem_grow(s->run, &s->run_cap, (size_t)i + 1, sizeof *s->run);
    if (fresh) s->run[i] = x;
    struct xrun *run = &s->run[i];
    run->events++;
    if (!ev->timed) return;
    int64_t end = num_add(ev->start_ps, ev->dur_ps);
    if (ev->start_ps < run->first_ps) run->first_ps = ev->start_ps;
    if (end > run->last_ps) run->last_ps = end;
}

static void finish_runs(struct xsurvey *s)
{
    for (uint32_t i = 0; i < s->runs.count; i++) {
        struct str key = s->runs.key[i];
        const struct xrun *x = &s->run[i];
        struct str id = str_n(key.p + x->program, x->id - 1 - x->program);
        uint64_t n;
        if (!num_u64(id, &n)) program(s, n)->runs++;
        if (!s->module) continue;
        s->rows[0]++;
        tab_cell(s->module, str_n(key.p, x->module - 1));
        tab_none(s->module);
        tab_none(s->module);
        tab_cells(s->module, str_from(key, x->module));
        int64_t dur;
        if (x->first_ps > x->last_ps || __builtin_sub_overflow(x->last_ps, x->first_ps, &dur)) {
            tab_none(s->module);
            tab_none(s->module);
        } else {
            tab_i64(s->module, x->first_ps);
            tab_i64(s->module, dur);
        }
        tab_u64(s->module, x->events);
        tab_texts(s->module, "ops");
        tab_end(s->module);
    }
}

static void add_work(struct xsurvey *s, struct xrows *r, const struct xevent *ev)
{
    uint64_t id, corr;
    bool known = !num_u64(xevent_cell(r, ev, COL_PROGRAM), &id);
    bool joins = !num_u64(xevent_cell(r, ev, COL_CORRELATION), &corr);
    if (ev->class == EV_MODULE && known) {
        struct xprogram *p = program(s, id);
        p->module_ps = num_add(p->module_ps, ev->dur_ps);
        p->runs++;
    } else if (ev->class == EV_GRAPH_LAUNCH && known && joins)
        map64_set(&s->launched, corr, id);
    else if (ev_is_work(ev->class) && known) {
        struct xprogram *p = program(s, id);
        p->work_ps = num_add(p->work_ps, ev->dur_ps);
    } else if (ev_is_work(ev->class) && joins) {
        uint64_t *ps = map64_at(&s->waiting, corr, 0);
        *ps = (uint64_t)num_add((int64_t)*ps, ev->dur_ps);
    }
}

/* Kernels of graphs name no program; the launch that they share a correlation id with does. */
static void join_graphs(struct xsurvey *s)
{
    for (size_t i = 0; s->launched.slot && i <= s->launched.mask; i++) {
        uint64_t ps;
        const struct map64_slot *l = &s->launched.slot[i];
        if (!l->used || !map64_get(&s->waiting, l->key, &ps)) continue;
        struct xprogram *p = program(s, l->value);
        p->work_ps = num_add(p->work_ps, (int64_t)ps);
    }
}

static void spread(struct xspread *x, int64_t line, struct str device)
{
    int64_t d;
    if (num_i64(device, &d) || __builtin_sub_overflow(line, d, &d)) return;
    if (!x->n || d < x->least) x->least = d;
    if (!x->n || d > x->most) x->most = d;
    x->n++;
}

static int survey(void *arg, struct xrows *r, const struct xevent *ev, struct err *e)
{
    struct xsurvey *s = arg;
    sum_line(&s->line[s->at], ev);
    add_work(s, r, ev);
    if (ev->own.hints & HINT_CLOCK) {
        spread(&s->clock_start, ev->start_ps, xevent_cell(r, ev, COL_COUNT + CLOCK_OFFSET));
        spread(&s->clock_dur, ev->dur_ps, xevent_cell(r, ev, COL_COUNT + CLOCK_DURATION));
    }
    if (ev->line->kind == LINE_HOST && ev_is_work(ev->class) && !tsv_none(xevent_cell(r, ev, COL_RUN)))
        run_event(s, r, ev);
    bool host_run = ev->class == EV_HOST && !tsv_none(xevent_cell(r, ev, COL_MODULE));
    if (s->module && (host_run || ev->class == EV_MODULE)) {
        module_row(s->module, r, ev, host_run ? "host" : "line");
        s->rows[0]++;
    }
    if (s->step && !tsv_none(xevent_cell(r, ev, COL_STEP))) {
        step_row(s->step, r, ev);
        s->rows[1]++;
    }
    if (!s->counter || ev->class != EV_COUNTER) return 0;
    s->rows[2]++;
    return counter_rows(s->counter, r, ev, e);
}

static int walk_plane(struct xsurvey *s, struct xrows *r, const struct xspace *space, const struct xplane *p,
                      const struct ev_pick *pick, struct err *e)
{
    struct xnames names;
    int bad = xnames_read(&names, space, p, e);
    bool mine = ev_picks_plane(pick, p->name);
    xrows_plane(r, &names);
    for (size_t i = 0; i < p->nline; i++, s->at++)
        if (!bad && mine && ev_picks_line(pick, p->line[i].name)) bad = xrows_line(r, &p->line[i], e);
    xnames_free(&names);
    return bad;
}

int xsurvey_walk(struct xsurvey *s, const struct xspace *space, const struct ev_pick *pick, struct err *e)
{
    const struct ev_pick all = {.extra = {STR("device_offset_ps"), STR("device_duration_ps")}, .nextra = 2};
    struct xrows r = {.each = survey, .arg = s, .pick = &all};
    int bad = 0;
    for (size_t i = 0; i < space->nplane && !bad; i++)
        bad = walk_plane(s, &r, space, &space->plane[i], pick ? pick : &all, e);
    join_graphs(s);
    finish_runs(s);
    xrows_free(&r);
    return bad;
}

void xsurvey_free(struct xsurvey *s)
{
    free(s->line);
    free(s->program);
    free(s->run);
    map_free(&s->runs);
    map64_free(&s->program_at);
    map64_free(&s->launched);
    map64_free(&s->waiting);
}
