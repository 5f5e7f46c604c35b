#include "attrib.h"
#include "num.h"

/* Device time: the self time of work on streams and op lines. */

static uint32_t fact_of(struct attrib *a, const struct held_row *h, const struct verdict *v)
{
    uint32_t key[6] = {a->plane,  v->program,
                       v->instr,  h->name,
                       h->source, (uint32_t)v->match | (uint32_t)v->reason << 8 | (uint32_t)h->cls << 16};
    bool fresh;
    uint32_t k = map_put(&a->fact_keys, str_n((const char *)key, sizeof key), &fresh);
    if (!fresh) return k;
    a->fact = mem_grow(a->fact, &a->fact_cap, (size_t)k + 1, sizeof *a->fact);
    a->fact[k] = (struct fact){.plane = a->plane,
                               .program = v->program,
                               .instr = v->instr,
                               .name = h->name,
                               .source = h->source,
                               .match = v->match,
                               .reason = v->reason,
                               .cls = h->cls};
    return k;
}

/* What an event on an op line holds is taken from the one around it.  An event that outlasts the one around
 * it takes only what lies inside. */
static void nest(struct attrib *a, const struct held_row *h, uint32_t fact, int64_t dur)
{
    struct open_events *o = &a->open;
    int64_t end = num_add(h->start, dur);
    if (o->line != h->line) o->n = 0;
    o->line = h->line;
    while (o->n && o->at[o->n - 1].end <= h->start) o->n--;
    if (o->n) {
        struct open_event *up = &o->at[o->n - 1];
        uint64_t inside = (uint64_t)((end < up->end ? end : up->end) - h->start), *ps = &a->fact[up->fact].ps;
        *ps -= inside < *ps ? inside : *ps;
    }
    o->at = mem_grow(o->at, &o->cap, o->n + 1, sizeof *o->at);
    o->at[o->n++] = (struct open_event){end, fact};
}

void attrib_count(struct attrib *a, const struct held_row *h, const struct verdict *v, bool nested)
{
    if (!ev_is_work((enum ev_class)h->cls)) return; /* async lines are apart */
    uint32_t k = fact_of(a, h, v);
    int64_t dur = h->dur > 0 ? h->dur : 0;
    a->fact[k].events++;
    a->fact[k].executions += v->instr != HLO_NONE && v->part == 0;
    a->fact[k].ps += (uint64_t)dur;
    if (nested) nest(a, h, k, dur);
}
