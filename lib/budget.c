#include "budget.h"
#include "nest.h"
#include "num.h"

unsigned budget_part(unsigned class)
{
    switch (class) {
    case EV_KERNEL:
    case EV_OP: return BUDGET_COMPUTE;
    case EV_COLLECTIVE: return BUDGET_COLLECTIVE;
    case EV_MEMCPY:
    case EV_MEMSET: return BUDGET_MEMCPY;
    default: return BUDGET_PARTS;
    }
}

static void widen(struct ivl *span, uint64_t before, struct ivl by)
{
    if (!before || by.a < span->a) span->a = by.a;
    if (!before || by.b > span->b) span->b = by.b;
}

/* ---- one line ---- */

/* A stream: what lies behind the latest end so far is the event's own, the rest is overlap. */
static void stream_event(struct owners *o, const struct event *v, int64_t *latest)
{
    unsigned part = budget_part(v->class);
    int64_t a = v->start, b = event_end(v);
    if (o->events && a < *latest) {
        int64_t covered = b < *latest ? b : *latest;
        ivls_add(&o->over[part], a, covered);
        o->overlap_ps = num_add(o->overlap_ps, covered - a);
        a = covered;
    }
    ivls_add(&o->own[part], a, b);
    o->sum_ps = num_add(o->sum_ps, v->dur);
    if (!o->events || b > *latest) *latest = b;
}

struct self { /* where an op line's self times go */
    const struct events *t;
    struct owners *o;
};

static void take_self(void *context, uint32_t event, int64_t a, int64_t b)
{
    struct self *s = context;
    ivls_add(&s->o->own[budget_part(s->t->event[event].class)], a, b);
    s->o->sum_ps = num_add(s->o->sum_ps, b - a);
}

struct owners budget_line(const struct events *t, const struct event_line *l)
{
    struct owners o = {0};
    struct self self = {t, &o};
    struct nest nest = {.emit = take_self, .context = &self};
    int64_t latest = 0;
    for (size_t i = l->from; i < l->from + l->n; i++) {
        const struct event *v = &t->event[i];
        if (!event_is(v, EV_DEVICE)) continue;
        if (l->nested)
            nest_push(&nest, (uint32_t)i, v->start, event_end(v));
        else
            stream_event(&o, v, &latest);
        widen(&o.span, o.events, (struct ivl){v->start, event_end(v)});
        o.events++;
    }
    nest_end(&nest);
    if (l->nested) o.overlap_ps = nest.crossing;
    return o;
}

void budget_owners_free(struct owners *o)
{
    for (int k = 0; k < BUDGET_PARTS; k++) ivls_free(&o->own[k]), ivls_free(&o->over[k]);
}

struct budget budget_of_line(const struct owners *o, struct ivl w)
{
    struct budget b = {.span_ps = w.b - w.a, .idle_ps = w.b - w.a};
    for (int k = 0; k < BUDGET_PARTS; k++) {
        b.part_ps[k] = ivls_len_in(&o->own[k], w);
        b.idle_ps -= b.part_ps[k];
    }
    return b;
}

/* ---- one device ---- */

struct device_time budget_device(const struct events *t, uint32_t plane)
{
    struct device_time d = {0};
    for (uint32_t i = 0; i < t->plane[plane].nline; i++) {
        const struct event_line *l = events_line(t, plane, i);
        if (!l->work) continue;
        struct owners o = budget_line(t, l);
        for (int k = 0; k < BUDGET_PARTS; k++) {
            ivls_add_all(&d.part[k], &o.own[k]);
            ivls_add_all(&d.part[k], &o.over[k]);
        }
        if (o.events) widen(&d.span, d.events, o.span);
        d.events += o.events;
        d.sum_ps = num_add(d.sum_ps, o.sum_ps);
        budget_owners_free(&o);
    }
    for (int k = 0; k < BUDGET_PARTS; k++) {
        ivls_settle(&d.part[k]);
        d.own[k] = ivls_minus(&d.part[k], &d.busy);
        struct ivls all = ivls_or(&d.part[k], &d.busy);
        ivls_free(&d.busy);
        d.busy = all;
    }
    return d;
}

void budget_device_free(struct device_time *d)
{
    for (int k = 0; k < BUDGET_PARTS; k++) ivls_free(&d->part[k]), ivls_free(&d->own[k]);
    ivls_free(&d->busy);
}

struct budget budget_of_device(const struct device_time *d, struct ivl w)
{
    struct budget b = {.span_ps = w.b - w.a, .idle_ps = w.b - w.a};
    for (int k = 0; k < BUDGET_PARTS; k++) {
        b.part_ps[k] = ivls_len_in(&d->own[k], w);
        b.hidden_ps[k] = ivls_len_in(&d->part[k], w) - b.part_ps[k];
        b.idle_ps -= b.part_ps[k];
    }
    return b;
}
