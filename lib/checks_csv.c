/* Tables that XProf exports as CSV, against sums over the events: an independent reading of the same capture.
 *
 * kernel_stats has a row per kernel, op and launch shape; hlo_stats one per program and instruction.  Units
 * stand in the headers.  XProf counts whole nanoseconds per event, so that a sum may differ by 1 ns an event.
 */
#include "checks.h"
#include "num.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

struct sum {
    double csv_ps, csv_n;
    int64_t ps;
    uint64_t n;
    bool in_csv;
};
struct sums {
    struct map key; /* kernel name; or program TAB instruction */
    struct sum *v;
    size_t cap;
};

static struct sum *sum_of(struct sums *s, struct str key)
{
    bool fresh;
    uint32_t i = map_put(&s->key, key, &fresh);
    if (fresh) {
        s->v = mem_grow(s->v, &s->cap, i + 1u, sizeof *s->v);
        s->v[i] = (struct sum){0};
    }
    return &s->v[i];
}

/* A column by the start of its name, as in "Total Duration (us)", and what its unit is in ps; 0: none. */
static int find(const struct tsv *t, const char *start, double *unit)
{
    static const struct {
        const char *word;
        double ps;
    } units[] = {{"(ps)", 1},          {"(ns)", 1e3}, {"(us)", 1e6}, {"(\316\274s)", 1e6},
                 {"(\302\265s)", 1e6}, {"(ms)", 1e9}, {"(s)", 1e12}};
    for (unsigned i = 0; i < t->ncol; i++) {
        if (!str_starts(t->col[i], start)) continue;
        for (size_t k = 0; unit && k < sizeof units / sizeof *units; k++)
            if (str_ends(t->col[i], units[k].word)) *unit = units[k].ps;
        return (int)i;
    }
    return -1;
}

/* XProf's names are text: the cell spells the same text as ours, except that a CSV cell holds no backslash
 * escapes of ours but for line ends. */
static int read_rows(struct sums *s, struct tsv *t, int key, int program, int count, int time, double unit,
                     struct err *e)
{
    struct buf b = {0};
    int r;
    while ((r = tsv_next(t, e)) > 0) {
        double n, ps;
        uint64_t id = 0;
        double as_float;
        if (!tsv_f64(t, count, &n) && (tsv_bad(t, count, "number", e), r = -1)) break;
        if (!tsv_f64(t, time, &ps) && (tsv_bad(t, time, "number", e), r = -1)) break;
        b.n = 0;
        if (program >= 0) {
            if (!tsv_u64(t, program, &id) && tsv_f64(t, program, &as_float) && as_float >= 0)
                id = (uint64_t)as_float;
            buf_u64(&b, id);
            buf_c(&b, '\t');
        }
        buf_str(&b, t->cell[key]);
        struct sum *x = sum_of(s, buf_view(&b));
        x->csv_n += n;
        x->csv_ps += ps * unit;
        x->in_csv = true;
    }
    buf_free(&b);
    return r;
}

/* Ours: by kernel name the kernels and collectives; by instruction all device work that names one. */
static void add_events(struct sums *s, const struct events *t, bool by_op)
{
    struct buf b = {0};
    for (uint32_t i = 0; i < t->nline; i++) {
        const struct event_line *l = &t->line[i];
        for (size_t k = l->from; l->work && k < l->from + l->n; k++) {
            const struct event *v = &t->event[k];
            uint32_t what = by_op ? v->op : v->name;
            if (!event_is(v, EV_DEVICE) || what == EV_NONE) continue;
            if (by_op && v->program == EV_NONE) continue;
            b.n = 0;
            if (by_op) buf_str(&b, t->program[v->program].id), buf_c(&b, '\t');
            struct str name = event_name(t, what);
            size_t nested = str_rfind(name, ':'); /* outer::inner: XProf's op is the last */
            buf_str(&b, by_op && nested != SIZE_MAX ? str_from(name, nested + 1) : name);
            struct sum *x = sum_of(s, buf_view(&b));
            x->n++;
            x->ps = num_add(x->ps, v->dur);
        }
    }
    buf_free(&b);
}

/* The device's own durations, where the table has them. */
static bool use_clock(struct sums *s, const struct events *t)
{
    struct buf b = {0};
    if (!t->clock.count) return false;
    for (uint32_t i = 0; i < s->key.count; i++) s->v[i].ps = 0;
    for (size_t i = 0; i <= t->clock.mask; i++) {
        const struct map64_slot *k = &t->clock.slot[i];
        uint32_t program = (uint32_t)(k->key >> 32), op = (uint32_t)k->key;
        if (!k->used || program == EV_NONE || op == EV_NONE) continue;
        b.n = 0;
        buf_str(&b, t->program[program].id);
        buf_c(&b, '\t');
        buf_str(&b, event_name(t, op));
        struct sum *x = sum_of(s, buf_view(&b));
        x->ps = num_add(x->ps, (int64_t)k->value);
    }
    buf_free(&b);
    return true;
}

static void say(struct checks *c, const char *table, const struct sums *s, bool times)
{
    uint64_t rows = 0, off_n = 0, off_time = 0, only_csv = 0, only_ours = 0;
    double csv_ps = 0, off_ps = 0;
    int64_t ours_ps = 0, alone_ps = 0;
    struct str first = STR("");
    for (uint32_t i = 0; i < s->key.count; i++) {
        const struct sum *x = &s->v[i];
        ours_ps = num_add(ours_ps, x->ps);
        if (!x->in_csv) {
            only_ours++;
            alone_ps = num_add(alone_ps, x->ps);
            continue;
        }
        rows++;
        csv_ps += x->csv_ps;
        bool n_off = fabs(x->csv_n - (double)x->n) > 0.5;
        /* a ns for each event, and the 6th digit where the exporter rounds */
        bool t_off = fabs(x->csv_ps - (double)x->ps) > 1000 * ((double)x->n + 1) + 1e-6 * x->csv_ps;
        only_csv += !x->n;
        off_n += n_off;
        if (t_off) off_time++, off_ps += fabs(x->csv_ps - (double)x->ps);
        if ((n_off || (t_off && times)) && !first.n) first = s->key.key[i];
    }
    size_t tab = first.n ? str_rfind(first, '\t') : SIZE_MAX;
    if (tab != SIZE_MAX) first = str_from(first, tab + 1);
    int cut = (int)tsv_cut(first, 120);
    bool ops = !strcmp(table, "hlo_stats");
    check_equal(c, ops ? "csv_hlo_count" : "csv_kernel_count", str_of(table), (int64_t)rows,
                (int64_t)(rows - off_n), check_share((double)off_n, (double)rows),
                "%s whose occurrences agree with the events%s%.*s; %" PRIu64 " are in the CSV alone",
                ops ? "instructions" : "kernel names", first.n ? "; first that differs: " : "", cut, first.p,
                only_csv);
    if (!times)
        check_cannot(c, ops ? "csv_hlo_time" : "csv_kernel_time", str_of(table),
                     "XProf counts this device by its own clock: xplane2tsv -s device_duration_ps");
    else
        check_equal(c, ops ? "csv_hlo_time" : "csv_kernel_time", str_of(table), (int64_t)rows,
                    (int64_t)(rows - off_time), check_share(off_ps, csv_ps),
                    "%s whose time agrees to 1 ns an event; %.0f ps in the CSV",
                    ops ? "instructions" : "kernel names", csv_ps);
    check_rule(c, ops ? "csv_hlo_not_exported" : "csv_kernel_not_exported", only_ours,
               "%s of ours that the CSV leaves out (copies, fills, what names no op), %.4f of our time",
               ops ? "instructions" : "kernel names", ours_ps ? (double)alone_ps / (double)ours_ps : 0);
}

int checks_of_csv(struct checks *c, const struct events *t, const char *path, struct err *e)
{
    struct tsv in;
    struct sums s = {0};
    double unit = 0;
    bool tpu = false;
    if (tsv_open_any(&in, &path, 1, e)) return -1;
    int kernel = find(&in, "Kernel Name", NULL), op = find(&in, "HLO op name", NULL);
    int program = find(&in, "Program id", NULL);
    int count = find(&in, kernel >= 0 ? "Occurrences" : "#Occurrences", NULL);
    int time = find(&in, kernel >= 0 ? "Total Duration" : "Total time", &unit);
    int r = -1;
    if ((kernel < 0 && op < 0) || count < 0 || time < 0 || unit == 0)
        err_set(e, path,
                "no table of XProf's kernel_stats or hlo_stats: their columns (Kernel Name or HLO op name, "
                "Occurrences, Total ... with a unit) are not all there");
    else
        r = read_rows(&s, &in, kernel >= 0 ? kernel : op, kernel >= 0 ? -1 : program, count, time, unit, e);
    tsv_close(&in);
    if (!r) {
        add_events(&s, t, kernel < 0);
        for (uint32_t i = 0; i < t->nline && kernel < 0; i++) tpu |= t->line[i].work && t->line[i].nested;
        say(c, kernel >= 0 ? "kernel_stats" : "hlo_stats", &s, !tpu || use_clock(&s, t));
    }
    map_free(&s.key);
    free(s.v);
    return r;
}
