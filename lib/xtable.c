#include "xtable.h"
#include "mem.h"
#include <stdlib.h>

const char *const xtable_capability[] = {"device_vendor",
                                         "gpu_device_name",
                                         "device_type_string",
                                         "clock_rate",
                                         "core_count",
                                         "memory_size",
                                         "memory_bandwidth",
                                         "compute_cap_major",
                                         "compute_cap_minor",
                                         "peak_teraflops_per_second",
                                         "peak_hbm_bw_gigabytes_per_second",
                                         "peak_cmem_rd_bw_gigabytes_per_second",
                                         "peak_cmem_wr_bw_gigabytes_per_second",
                                         "peak_vmem_rd_bw_gigabytes_per_second",
                                         "peak_vmem_wr_bw_gigabytes_per_second",
                                         "peak_sram_rd_bw_gigabytes_per_second",
                                         "peak_sram_wr_bw_gigabytes_per_second",
                                         "has_megacore",
                                         "has_merged_vmem",
                                         NULL};

static void value(struct tab *t, struct val v)
{
    struct buf b = {0};
    val_cell(&b, v);
    tab_cell(t, buf_view(&b));
    buf_free(&b);
}

static const char *plane_kind(enum ev_plane k)
{
    return k == PLANE_HOST ? "host" : k == PLANE_GPU ? "gpu" : k == PLANE_DEVICE ? "device" : "other";
}

static void plane_row(struct tab *t, struct xnames *n)
{
    const struct xplane *p = n->plane;
    uint64_t events = 0;
    for (size_t i = 0; i < p->nline; i++) events += p->line[i].events;
    tab_text(t, p->name);
    tab_i64(t, p->id);
    tab_texts(t, plane_kind(p->kind));
    tab_u64(t, p->nline);
    tab_u64(t, events);
    tab_u64(t, n->nevent);
    tab_text(t, xplane_device(n));
    for (size_t i = 0; xtable_capability[i]; i++) value(t, xplane_stat(n, xtable_capability[i]));
    tab_end(t);
}

int xtable_plane(struct tab *t, const struct xspace *s, const struct ev_pick *pick, struct err *e)
{
    int bad = 0;
    for (size_t i = 0; i < s->nplane && !bad; i++) {
        struct xnames n;
        if (!ev_picks_plane(pick, s->plane[i].name)) continue;
        bad = xnames_read(&n, s, &s->plane[i], e);
        plane_row(t, &n);
        xnames_free(&n);
    }
    return bad;
}

void xtable_line(struct tab *t, const struct xspace *s, const struct xsurvey *v, const struct ev_pick *pick)
{
    size_t at = 0;
    for (size_t i = 0; i < s->nplane; i++)
        for (size_t k = 0; k < s->plane[i].nline; k++, at++) {
            const struct xline *l = &s->plane[i].line[k];
            const struct xline_sum *sum = &v->line[at];
            if (!ev_picks_plane(pick, s->plane[i].name) || !ev_picks_line(pick, l->name)) continue;
            tab_text(t, s->plane[i].name);
            tab_text(t, l->name);
            tab_i64(t, l->id);
            tab_i64(t, l->display_id);
            tab_texts(t, ev_line_name(l->kind));
            tab_u64(t, sum->events);
            tab_u64(t, sum->aggregated);
            if (sum->first_ps <= sum->last_ps) {
                tab_i64(t, sum->first_ps);
                tab_i64(t, sum->last_ps);
            } else {
                tab_none(t);
                tab_none(t);
            }
            tab_i64(t, sum->dur_ps);
            tab_i64(t, l->timestamp_ns);
            tab_end(t);
        }
}

/* ---- stats ---- */

static void stat_row(struct tab *t, struct xnames *n, struct str line, struct str event,
                     const struct xstat *st, struct val v, uint64_t events)
{
    struct str name = xstat_name(n, st);
    tab_text(t, n->plane->name);
    tab_text(t, line);
    tab_text(t, event);
    if (name.n)
        tab_text(t, name);
    else
        tab_i64(t, st->id); /* the scopes of __ScopeRangeCallStack__ are bare numbers */
    tab_texts(t, xstat_type(st->field));
    value(t, v);
    if (events)
        tab_u64(t, events);
    else
        tab_none(t);
    tab_end(t);
}

/* The stats of a plane (field 6) or of an event's metadata (5): their values. */
static int constant_stats(struct tab *t, struct xnames *n, struct wire w, unsigned field, struct str event,
                          struct err *e)
{
    struct xstat st = {0};
    struct val v;
    int got;
    while ((got = xstat_next(&w, field, &st, n->space, e)) > 0) {
        if (xstat_value(n, &st, &v, &n->arena, e)) return -1;
        stat_row(t, n, STR(""), event, &st, v, 0);
    }
    return got;
}

enum { TYPES = XSTAT_COMPRESSED + 1 };

/* The stats of a line's events: how many events have each.  count: TYPES for each stat name. */
static int event_stats(struct tab *t, struct xnames *n, const struct xline *l, uint64_t *count, struct err *e)
{
    struct wire w = l->body;
    struct wire_field f = {0};
    struct xstat st = {0};
    int got = 0;
    memset(count, 0, n->nstat * TYPES * sizeof *count);
    while (got >= 0 && wire_next(&w, &f) > 0)
        while (f.num == 4 && f.type == WIRE_BYTES && (got = xstat_next(&f.sub, 4, &st, n->space, e)) > 0) {
            uint32_t i = xids_get(&n->stat_ids, st.id);
            if (i != MAP_NONE) count[i * TYPES + st.field]++;
        }
    for (size_t i = 0; i < n->nstat * TYPES; i++)
        if (count[i]) {
            st = (struct xstat){.id = n->stat[i / TYPES].id, .field = i % TYPES};
            stat_row(t, n, l->name, STR(""), &st, (struct val){0}, count[i]);
        }
    return got;
}

static int plane_stats(struct tab *t, struct xnames *n, const struct ev_pick *pick, struct err *e)
{
    const struct xplane *p = n->plane;
    int bad = constant_stats(t, n, p->body, 6, STR(""), e);
    for (size_t i = 0; i < n->nevent && !bad; i++)
        bad = constant_stats(t, n, n->event[i].msg, 5, xevent_shown(xevent_names(n->event[i].msg)), e);
    uint64_t *count = mem_alloc(n->nstat * TYPES + 1, sizeof *count);
    for (size_t i = 0; i < p->nline && !bad; i++)
        if (ev_picks_line(pick, p->line[i].name)) bad = event_stats(t, n, &p->line[i], count, e);
    free(count);
    return bad;
}

int xtable_stat(struct tab *t, const struct xspace *s, const struct ev_pick *pick, struct err *e)
{
    int bad = 0;
    for (size_t i = 0; i < s->nplane && !bad; i++) {
        struct xnames n;
        if (!ev_picks_plane(pick, s->plane[i].name)) continue;
        bad = xnames_read(&n, s, &s->plane[i], e);
        if (!bad) bad = plane_stats(t, &n, pick, e);
        xnames_free(&n);
    }
    return bad;
}

/* ---- meta ---- */

static void meta(struct tab *t, const char *key, struct str v)
{
    tab_texts(t, key);
    tab_text(t, v);
    tab_end(t);
}

static void meta_i64(struct tab *t, const char *key, int64_t v)
{
    tab_texts(t, key);
    tab_i64(t, v);
    tab_end(t);
}

static void meta_list(struct tab *t, const char *key, const struct xtexts *list)
{
    for (size_t i = 0; i < list->n; i++) meta(t, key, list->v[i]);
}

/* The stats of planes that describe the capture: versions, options. */
static int meta_stats(struct tab *t, const struct xspace *s, const struct xplane *p, struct err *e)
{
    struct xnames n;
    struct wire w = p->body;
    struct xstat st = {0};
    struct val v;
    int got = xnames_read(&n, s, p, e);
    while (!got && (got = xstat_next(&w, 6, &st, s, e)) > 0) {
        if ((got = xstat_value(&n, &st, &v, &n.arena, e))) break;
        tab_text(t, xstat_name(&n, &st));
        value(t, v);
        tab_end(t);
    }
    xnames_free(&n);
    return got;
}

static void meta_clock(struct tab *t, const char *key, const struct xspread *x)
{
    struct buf b = {0};
    if (!x->n) return;
    buf_fmt(&b, "%s_least_ps", key);
    meta_i64(t, buf_cstr(&b), x->least);
    b.n = 0;
    buf_fmt(&b, "%s_most_ps", key);
    meta_i64(t, buf_cstr(&b), x->most);
    buf_free(&b);
}

int xtable_meta(struct tab *t, const struct xspace *s, const struct xsurvey *v, const char *version,
                struct err *e)
{
    uint64_t lines = 0, events = 0;
    for (size_t i = 0; i < s->nplane; i++) {
        lines += s->plane[i].nline;
        for (size_t k = 0; k < s->plane[i].nline; k++) events += s->plane[i].line[k].events;
    }
    meta(t, "tool_version", str_of(version));
    meta(t, "format_version", STR("1"));
    meta_i64(t, "origin_ns", s->origin_ns);
    meta(t, "origin_rule", str_of(s->origin_rule));
    if (s->start_ns && s->stop_ns >= s->start_ns && s->stop_ns - s->start_ns < INT64_MAX / 1000)
        meta_i64(t, "window_ps", (int64_t)(s->stop_ns - s->start_ns) * 1000);
    meta_i64(t, "bytes", (int64_t)s->size);
    meta_i64(t, "planes", (int64_t)s->nplane);
    meta_i64(t, "lines", (int64_t)lines);
    meta_i64(t, "events", (int64_t)events);
    meta_list(t, "hostname", &s->hostnames);
    meta_list(t, "error", &s->errors);
    meta_list(t, "warning", &s->warnings);
    meta_clock(t, "device_clock_start_difference", &v->clock_start);
    meta_clock(t, "device_clock_duration_difference", &v->clock_dur);
    for (size_t i = 0; i < s->nplane; i++)
        if (str_is(s->plane[i].name, "Task Environment") || str_is(s->plane[i].name, "/host:metadata"))
            if (meta_stats(t, s, &s->plane[i], e)) return -1;
    return 0;
}
