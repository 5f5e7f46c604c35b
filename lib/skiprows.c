#include "skiprows.h"
#include "skip.h"

static void put_program(struct tab *o, const struct events *t, uint32_t p)
{
    tab_cell(o, p == EV_NONE ? STR("-") : t->program[p].module);
    tab_cell(o, p == EV_NONE ? STR("-") : t->program[p].id);
}

static void put_launch(struct tab *o, const struct scene *w, const struct event *v, const struct launch *l,
                       bool times)
{
    const struct events *t = &w->t;
    const struct event *call = l ? &t->event[l->host] : NULL;
    tab_cell(o, v ? t->plane[t->line[v->line].plane].name : STR("-"));
    tab_cell(o, v ? t->line[v->line].name : STR("-"));
    tab_cell(o, v ? event_name(t, v->name) : STR("-"));
    const struct event *id = v ? v : call;
    bool known = id && (id->flags & (EV_HAS_CORR | EV_HAS_RUN));
    known ? tab_u64(o, id->corr) : tab_none(o);
    tab_cell(o, call ? t->line[call->line].name : STR("-"));
    tab_cell(o, call ? event_name(t, call->name) : STR("-"));
    call &&times ? tab_i64(o, call->start) : tab_none(o);
    call &&times ? tab_i64(o, call->dur) : tab_none(o);
    v ? tab_i64(o, v->start) : tab_none(o);
    v ? tab_i64(o, v->dur) : tab_none(o);
    v &&l &&times ? tab_i64(o, launch_to_start(t, l)) : tab_none(o);
    v &&l &&times ? tab_i64(o, launch_end_to_start(t, l)) : tab_none(o);
    tab_u64(o, l && l->graph);
    tab_texts(o, v && l ? "yes" : v ? "no_launch" : "no_device");
    tab_end(o);
}

void rows_launch(struct tab *o, const struct scene *w)
{
    const struct events *t = &w->t;
    for (uint32_t p = 0; p < t->nplane; p++)
        for (uint32_t k = 0; k < t->plane[p].nline; k++) {
            const struct event_line *l = events_line(t, p, k);
            unsigned want = l->nested ? EV_BIT(EV_MODULE) : EV_DEVICE; /* ops are not launched one by one */
            for (size_t i = l->from; t->plane[p].is_device && i < l->from + l->n; i++) {
                uint32_t at = w->l.of[i];
                if (event_is(&t->event[i], want))
                    put_launch(o, w, &t->event[i], at == EV_NONE ? NULL : &w->l.launch[at],
                               launch_is_first(&w->l, (uint32_t)i));
            }
        }
    for (size_t i = 0; i < w->l.n; i++)
        if (launch_missing(t, &w->l.launch[i])) put_launch(o, w, NULL, &w->l.launch[i], true);
}

static void put_dist(struct tab *o, struct dist *d)
{
    if (!d->n) {
        for (int i = 0; i < 4; i++) tab_none(o);
        return;
    }
    tab_i64(o, dist_mean(d));
    tab_i64(o, dist_median(d));
    tab_i64(o, dist_quantile(d, 0.95));
    tab_i64(o, dist_quantile(d, 1));
}

void rows_skip(struct tab *o, struct scene *w)
{
    struct skips x = skip_metrics(&w->t, &w->l, &w->h);
    for (size_t i = 0; i < x.n; i++) {
        struct skip *s = &x.row[i];
        tab_cell(o, w->t.plane[s->plane].name);
        put_program(o, &w->t, s->program);
        tab_u64(o, s->launches);
        tab_u64(o, s->graph_launches);
        tab_u64(o, s->kernels);
        s->launches ? tab_f64(o, (double)(s->kernels - s->unmatched_kernels) / (double)s->launches)
                    : tab_none(o);
        s->launches ? tab_i64(o, s->tklqt_skip_ps) : tab_none(o);
        s->launches ? tab_i64(o, s->tklqt_ps) : tab_none(o);
        s->floor_n ? tab_i64(o, s->floor_ps) : tab_none(o);
        tab_u64(o, s->floor_n);
        tab_f64(o, s->queue_share);
        s->kernels ? tab_i64(o, s->kernel_ps / (int64_t)s->kernels) : tab_none(o);
        tab_i64(o, s->il_ps);
        tab_i64(o, s->idle_sum_ps);
        tab_i64(o, s->idle_ps);
        s->cpu_idle_ps < 0 ? tab_none(o) : tab_i64(o, s->cpu_idle_ps);
        put_dist(o, &s->api);
        put_dist(o, &s->to_start);
        put_dist(o, &s->from_end);
        tab_u64(o, s->to_start.negative);
        tab_u64(o, s->from_end.negative);
        tab_u64(o, s->unmatched_launches);
        tab_u64(o, s->unmatched_kernels);
        tab_u64(o, s->graph_kernels);
        tab_end(o);
    }
    skip_free(&x);
}

void rows_step(struct tab *o, const struct scene *w)
{
    int64_t median = 0;
    for (size_t i = 0; i < w->s.n; i++) {
        const struct step *s = &w->s.step[i];
        if (!i || s->plane != s[-1].plane) median = step_median(&w->s, s->plane);
        int64_t dur = step_dur(&w->s, s);
        tab_texts(o, step_source_word(w->s.source));
        tab_cell(o, w->t.plane[s->plane].name);
        tab_u64(o, s->number);
        tab_cell(o, event_name(&w->t, s->label));
        tab_i64(o, s->mark_start);
        tab_i64(o, dur);
        tab_i64(o, s->start);
        tab_i64(o, s->end);
        tab_i64(o, s->until - s->start);
        tab_i64(o, s->busy_ps);
        tab_u64(o, s->events);
        tab_texts(o, s->cut ? "yes" : "no");
        tab_i64(o, median);
        median ? tab_f64(o, (double)dur / (double)median - 1) : tab_none(o);
        tab_texts(o, s->ended_last ? "yes" : "no");
        tab_i64(o, s->late_ps);
        tab_texts(o, s->ended_last && s->late_ps > dur / 20 ? "yes" : "no");
        tab_end(o);
    }
}

void rows_chain(struct tab *o, const struct scene *w, double least)
{
    struct chains x = chain_find(&w->t, least);
    struct buf b = {0};
    for (size_t i = 0; i < x.n; i++) {
        const struct chain *c = &x.row[i];
        tab_cell(o, w->t.plane[c->plane].name);
        put_program(o, &w->t, c->program);
        b.n = 0;
        for (uint32_t k = 0; k < c->length; k++) {
            if (k) buf_puts(&b, " > ");
            buf_str(&b, event_name(&w->t, c->kernel[k]));
        }
        tab_cell(o, buf_view(&b));
        tab_u64(o, c->length);
        tab_u64(o, c->count);
        tab_u64(o, c->first_count);
        tab_f64(o, c->score);
        tab_u64(o, c->removed);
        tab_f64(o, c->gain);
        tab_i64(o, c->time_ps);
        tab_end(o);
    }
    buf_free(&b);
    chain_free(&x);
}
