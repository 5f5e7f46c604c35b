/* Attributed events (or the instr table) to one row per instruction: its time, its work, and how close it
 * comes to what the hardware can do.  Held in memory: the instructions and which executions of them were
 * seen. */
#include "peaks.h"
#include "roof.h"
#include "tool.h"
#include <stdlib.h>

enum { OPT_PEAKS = OPT_LONG, OPT_DEVICE };

static const struct opt options[] = {
    {OPT_PEAKS, "peaks", "FILE",
     "figures that win over the datasheets: a CSV like peaks.csv, a capture, its plane table"},
    {OPT_DEVICE, "device", "NAME",
     "take every device for this one: a name of peaks.csv (\"H100 SXM\") or of a capture"},
    {0, NULL, NULL, NULL},
};

static const struct column roofline_columns[] = {
    {"device", "text", "-", "what the hardware is called; all devices of a kind together"},
    {"module", "text", "-", "HLO module; its program id where no event names it"},
    {"instr", "text", "-", "instruction"},
    {"opcode", "text", "-", "its opcode"},
    {"op_name", "text", "-", "where in the user's program"},
    {"source", "text", "-", "file:line"},
    {"dtype", "text", "-", "the type computed in"},
    {"executions", "int", "-", "how often it ran, over all devices"},
    {"time_ps", "int", "ps", "self time of all executions; - from the instr table"},
    {"flops", "int", "flops", "of all executions; - if unknown, and of while, call, conditional"},
    {"bytes", "int", "bytes", "accessed by all executions"},
    {"intensity", "float", "flops/byte", "flops / bytes"},
    {"flops_per_s", "float", "flops/s", "flops / time"},
    {"bytes_per_s", "float", "bytes/s", "bytes / time"},
    {"bound", "enum", "-", "compute or memory: which roof is the lower one"},
    {"roof_share", "float", "fraction",
     "larger of flops_per_s/peak_flops and bytes_per_s/peak_bytes_per_s; above 1 is flagged"},
    {"peak_flops", "float", "flops/s", "dense rate for dtype, of the matrix unit where there is one"},
    {"peak_bytes_per_s", "float", "bytes/s", "memory bandwidth"},
    {"peak_label", "enum", "-", "read: from a datasheet; capture: the capture's own figure"},
    {"peak_source", "text", "-", "which datasheet, which plane"},
    {"cost_from", "enum", "-", "where flops and bytes come from: trace, hlo, model"},
    {NULL, NULL, NULL, NULL},
};

static const struct column summary_columns[] = {
    {"device", "text", "-", "what the hardware is called"},
    {"reason", "enum", "-",
     "roofline; off it: unmatched, containers, copies, collectives, no cost model, unknown peak"},
    {"time_ps", "int", "ps", "self time"},
    {"share", "float", "fraction", "of the device time of all rows: these sum to 1"},
    {"instructions", "int", "-", "how many"},
    {"roof_share", "float", "fraction", "time at the roof / time, of what is on the roofline"},
    {NULL, NULL, NULL, NULL},
};

static const struct table tables[] = {
    {"roofline", "one instruction on one kind of device, longest first", roofline_columns, false},
    {"summary", "device time on the roofline, and off it by reason", summary_columns, false},
    {NULL, NULL, NULL, false},
};

static const struct tool tool = {
    .name = "roofline",
    .synopsis = "[FILE ...]",
    .summary = "Reads attributed events (attrib) or instructions (hlo2tsv) and writes one row per "
               "instruction: time,\n"
               "work, and its share of what the hardware can do at most.",
    .example = "xplane2tsv cap.xplane.pb | attrib --hlo cap.xplane.pb | roofline -t summary",
    .opt = options,
    .table = tables,
};

struct sum { /* one device's part of the summary */
    struct str device;
    int64_t time[ROOF_PLACES];
    uint64_t count[ROOF_PLACES];
    double at_roof; /* ps */
};

struct job {
    struct run run;
    struct peaks user, sheets;
    const char *device; /* --device */
    struct roof roof;
    struct map asked; /* devices looked up already: their peaks in first, second */
    const struct peak **first, **second;
    size_t first_cap, second_cap;
    struct sum *sum; /* by the same index */
    size_t sum_cap;
    int64_t total;
    uint64_t above;
    double highest;
    struct str highest_name;
};

static const struct peak *look_up(struct job *j, const struct peaks *p, struct str name, bool *told)
{
    struct buf clash = {0};
    const struct peak *r = j->device ? peaks_sku(p, name) : NULL;
    if (!r) r = peaks_find(p, name, &clash);
    if (clash.n && !*told)
        tool_note(&j->run, "device \"%.*s\" may be %.*s: say which with --device; shares are -", (int)name.n,
                  name.p, (int)clash.n, clash.p);
    *told |= clash.n > 0;
    buf_free(&clash);
    return r;
}

/* The index of a device (as an encoded cell), its peaks looked up on the first call. */
static uint32_t device_of(struct job *j, struct str cell)
{
    bool fresh, told = false;
    uint32_t d = map_put(&j->asked, cell, &fresh);
    j->first = mem_grow(j->first, &j->first_cap, j->asked.count, sizeof *j->first);
    j->second = mem_grow(j->second, &j->second_cap, j->asked.count, sizeof *j->second);
    j->sum = mem_grow(j->sum, &j->sum_cap, j->asked.count, sizeof *j->sum);
    if (!fresh) return d;
    struct buf name = {0};
    if (j->device)
        buf_puts(&name, j->device);
    else
        tsv_unescape(&name, cell);
    j->first[d] = look_up(j, &j->user, buf_view(&name), &told);
    j->second[d] = look_up(j, &j->sheets, buf_view(&name), &told);
    j->sum[d] = (struct sum){.device = j->asked.key[d]};
    if (!j->first[d] && !j->second[d] && !told) {
        if (name.n)
            tool_note(&j->run,
                      "no peaks for device \"%.*s\": give --device NAME or --peaks FILE; shares are -",
                      (int)name.n, name.p);
        else
            tool_note(&j->run, "no device is named: give --device NAME or --peaks FILE; shares are -");
    }
    buf_free(&name);
    return d;
}

static void put_known(struct tab *t, double v)
{
    if (v < 0)
        tab_none(t);
    else
        tab_f64(t, v);
}

static void put_count(struct tab *t, int64_t v, bool known)
{
    if (known && v < INT64_MAX)
        tab_i64(t, v);
    else
        tab_none(t);
}

static void put_row(struct tab *t, const struct roof_row *row, const struct roof_limit *l,
                    const struct roof_point *p, bool timed)
{
    for (int k = 0; k <= ROOF_DTYPE; k++) tab_cell(t, row->cell[k]);
    put_count(t, row->executions, timed);
    put_count(t, p->time_ps, timed);
    put_count(t, row->flops, !row->no_flops && !row->container);
    put_count(t, row->bytes, !row->no_bytes && !row->container);
    put_known(t, p->intensity);
    put_known(t, p->flops_per_s);
    put_known(t, p->bytes_per_s);
    tab_texts(t, p->bound);
    put_known(t, p->share);
    put_known(t, l->flops > 0 ? l->flops : -1);
    put_known(t, l->bytes_per_s > 0 ? l->bytes_per_s : -1);
    tab_text(t, l->label);
    tab_text(t, buf_view(&l->source));
    tab_cell(t, row->cell[ROOF_COST_FROM]);
    tab_end(t);
}

static void note_above(struct job *j, const struct roof_row *row, const struct roof_point *p)
{
    if (p->share <= 1 + 1e-9) return;
    j->above++;
    if (p->share <= j->highest) return;
    j->highest = p->share;
    j->highest_name = row->cell[ROOF_INSTR];
}

static void add_sum(struct job *j, struct sum *s, const struct roof_row *row, const struct roof_point *p)
{
    for (int kind = 0; kind < ROOF_KINDS; kind++) {
        if (!row->time_ps[kind]) continue;
        enum roof_place at = roof_place(row, (enum roof_kind)kind, p);
        s->time[at] += row->time_ps[kind];
        s->count[at] += !row->unmatched;
        j->total += row->time_ps[kind];
        if (at == ROOF_ON && p->share > 0) s->at_roof += p->share * (double)row->time_ps[kind];
    }
}

static void write_rows(struct job *j)
{
    struct tab *t = tool_sink(&j->run, "roofline", STR(""));
    for (size_t k = 0; k < j->roof.nrow; k++) {
        struct roof_row *row = &j->roof.row[k];
        uint32_t d = device_of(j, row->cell[ROOF_DEVICE]);
        struct roof_limit l;
        struct roof_point p;
        if (j->device && str_is(row->cell[ROOF_DEVICE], "-")) row->cell[ROOF_DEVICE] = str_of(j->device);
        roof_limits(&l, j->first[d], j->second[d], row->cell[ROOF_DTYPE]);
        roof_point(&p, row, &l, j->roof.timed);
        add_sum(j, &j->sum[d], row, &p);
        if (!row->unmatched) note_above(j, row, &p);
        if (t && !row->unmatched) put_row(t, row, &l, &p, j->roof.timed);
        buf_free(&l.source);
    }
}

static void write_summary(struct job *j)
{
    struct tab *t = tool_sink(&j->run, "summary", STR(""));
    for (uint32_t d = 0; t && d < j->asked.count; d++)
        for (int k = 0; k < ROOF_PLACES; k++) {
            const struct sum *s = &j->sum[d];
            tab_cell(t, s->device);
            tab_texts(t, roof_place_name[k]);
            tab_i64(t, s->time[k]);
            put_known(t, j->total > 0 ? (double)s->time[k] / (double)j->total : -1);
            put_count(t, (int64_t)s->count[k], k != ROOF_UNMATCHED);
            put_known(t, k == ROOF_ON && s->time[k] > 0 ? s->at_roof / (double)s->time[k] : -1);
            tab_end(t);
        }
}

static void notes(const struct job *j)
{
    const struct run *r = &j->run;
    if (!j->roof.timed)
        tool_note(r, "a table of instructions has no times: intensity and bound only");
    else if (!j->roof.nrow)
        tool_note(r, "no device work among the events");
    if (j->roof.disordered)
        tool_note(r, "%llu events start before an earlier one of their line: self times are a guess there",
                  (unsigned long long)j->roof.disordered);
    if (j->above)
        tool_note(
            r,
            "%llu instruction%s above the roof, up to %.3g times (%.*s): work counted that was not done "
            "in that time, or another device's peak",
            (unsigned long long)j->above, j->above == 1 ? "" : "s", j->highest, (int)j->highest_name.n,
            j->highest_name.p);
}

/* A name that the user gives must be one that we know. */
static void check_device(struct job *j)
{
    struct buf known = {0}, clash = {0};
    const struct peaks *all[] = {&j->user, &j->sheets};
    struct str name = str_of(j->device);
    for (int k = 0; k < 2; k++) {
        if (peaks_sku(all[k], name) || peaks_find(all[k], name, &clash) || clash.n) return;
        for (size_t i = 0; i < all[k]->n; i++)
            buf_fmt(&known, "%s%.*s", known.n ? ", " : "", (int)all[k]->v[i].sku.n, all[k]->v[i].sku.p);
    }
    tool_usage(&j->run, "--device: no peaks for \"%s\", only for %.*s", j->device, (int)known.n, known.p);
}

static void read_options(struct job *j, int argc, char **argv)
{
    struct err e = {0};
    int c;
    while ((c = tool_option(&j->run, argc, argv)) != -1) {
        if (c == OPT_DEVICE) j->device = j->run.arg;
        if (c == OPT_PEAKS && peaks_file(&j->user, j->run.arg, &e)) tool_die(&j->run, &e);
    }
    if (peaks_builtin(&j->sheets, &e)) tool_die(&j->run, &e);
    if (j->device) check_device(j);
}

int main(int argc, char **argv)
{
    static struct job j;
    struct err e = {0};
    struct tsv in;
    int r = -1;
    tool_start(&j.run, &tool);
    read_options(&j, argc, argv);
    if (tsv_open(&in, (const char *const *)j.run.operand, (size_t)j.run.noperand, &e)) tool_die(&j.run, &e);
    if (roof_open(&j.roof, &in, &e)) tool_die(&j.run, &e);
    if (!j.roof.timed && !j.device && j.user.n == 1) j.device = j.user.v[0].sku.p; /* instr names no device */
    while ((r = tsv_next(&in, &e)) > 0)
        if (roof_add(&j.roof, &in, &e)) break;
    roof_done(&j.roof);
    write_rows(&j);
    write_summary(&j);
    notes(&j);
    tsv_close(&in);
    if (r) tool_die(&j.run, &e);
    int status = tool_end(&j.run);
    roof_free(&j.roof);
    peaks_free(&j.user);
    peaks_free(&j.sheets);
    map_free(&j.asked);
    free(j.first), free(j.second), free(j.sum);
    return status;
}
