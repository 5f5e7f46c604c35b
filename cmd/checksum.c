/* An event table in; independent records that must agree, what the capture cannot support, what to capture
 * instead out.  In memory: 48 bytes for each event on a device or with an id, names once; the JSON's and the
 * CSVs' sums by line, kernel and instruction. */
#include "checks.h"
#include "jsonside.h"
#include "programs.h"
#include "scene.h"
#include "tool.h"
#include <stdlib.h>

enum { JSON = OPT_LONG, HLO, BUFFERS, CSV, META, CSV_OUT };
static const struct opt options[] = {
    {JSON, "json", "FILE", "the trace.json.gz beside the capture, or trace2tsv's table of it"},
    {HLO, "hlo", "FILE", "HLO of the programs: file, folder or capture; may be given several times"},
    {BUFFERS, "buffers", "FILE", "buffer assignment, or bufassign2tsv's table; may be given several times"},
    {CSV, "csv", "FILE", "XProf's kernel_stats or hlo_stats; may be given several times"},
    {META, "meta", "FILE", "the capture itself, or its meta table: window, messages, empty planes"},
    {CSV_OUT, "csv-out", NULL, "write CSV instead of TSV"},
    {0}};

static const struct column check_columns[] = {
    {"check", "text", "-", "what is compared"},
    {"scope", "text", "-", "plane, line, program or table; -: everything"},
    {"expected", "int", "-", "what one record says; the unit is in detail"},
    {"found", "int", "-", "what the other says"},
    {"verdict", "enum", "-", "holds, fails, cannot (not with these inputs)"},
    {"count", "int", "-", "how many disagree; of a rule, how many it left out"},
    {"share", "float", "fraction", "of the time or the events the check is about"},
    {"detail", "text", "-", "what was counted, and where it differs first"},
    {0}};
static const struct column unreliable_columns[] = {
    {"statement", "text", "-", "what this capture cannot support"},
    {"scope", "text", "-", "plane, line, program or table"},
    {"count", "int", "-", "how many events, launches, steps ..."},
    {"share", "float", "fraction", "of the time or the events it is about"},
    {"check", "text", "-", "the check that says so"},
    {"verdict", "enum", "-", "fails, cannot"},
    {"detail", "text", "-", "that check's detail"},
    {0}};
static const struct column capture_columns[] = {
    {"question", "text", "-",
     "what stays open; script: the lines of a program that captures what answers all"},
    {"capture", "text", "-", "what to capture; a line of the script"},
    {0}};
static const struct table tables[] = {
    {"check", "a comparison of two records", check_columns, false},
    {"unreliable", "something the capture cannot support", unreliable_columns, false},
    {"capture", "an open question and what answers it; then a ready script, line by line", capture_columns,
     false},
    {0}};
static const struct tool tool = {
    "checksum",
    "[FILE ...]",
    "Event table in; independent records of the run that must agree, with verdicts, out.\n"
    "Exit status 1 if a check fails.",
    "xplane2tsv cap.xplane.pb | checksum --json cap.trace.json.gz",
    options,
    tables};

struct paths {
    const char **v;
    size_t n, cap;
};
static void add_path(struct paths *p, const char *path)
{
    p->v = mem_grow(p->v, &p->cap, p->n + 1, sizeof *p->v);
    p->v[p->n++] = path;
}

static void table_check(struct tab *o, const struct checks *c)
{
    for (size_t i = 0; i < c->n; i++) {
        const struct check *k = &c->row[i];
        tab_texts(o, k->name);
        tab_cell(o, k->scope);
        k->counted ? tab_i64(o, k->expected) : tab_none(o);
        k->counted ? tab_i64(o, k->found) : tab_none(o);
        tab_texts(o, check_word(k->verdict));
        k->verdict == CHECK_CANNOT ? tab_none(o) : tab_u64(o, k->count);
        tab_f64(o, k->share);
        tab_cell(o, k->detail);
        tab_end(o);
    }
}

static void table_unreliable(struct tab *o, const struct checks *c)
{
    struct unreliable *u;
    size_t n = checks_unreliable(c, &u);
    for (size_t i = 0; i < n; i++) {
        const struct check *k = u[i].because;
        tab_texts(o, u[i].statement);
        tab_cell(o, k->scope);
        k->verdict == CHECK_CANNOT ? tab_none(o) : tab_u64(o, k->count);
        tab_f64(o, k->share);
        tab_texts(o, k->name);
        tab_texts(o, check_word(k->verdict));
        tab_cell(o, k->detail);
        tab_end(o);
    }
    free(u);
}

static void table_capture(struct tab *o, const struct checks *c, const struct events *t)
{
    struct question *q;
    size_t n = checks_questions(c, t, &q);
    for (size_t i = 0; i < n; i++) {
        tab_texts(o, q[i].question);
        tab_texts(o, q[i].capture);
        tab_end(o);
    }
    free(q);
}

static void check_hlo(struct run *r, struct checks *c, const struct events *t, const struct paths *hlo)
{
    struct programs p = {0};
    if (!hlo->n) {
        check_cannot(c, "program_has_hlo", STR("-"), "no HLO given: --hlo");
        return;
    }
    for (size_t i = 0; i < hlo->n; i++) {
        struct err e = {0};
        if (programs_load(&p, hlo->v[i], &e)) tool_die(r, &e);
        if (e.text[0]) tool_warn(r, &e);
    }
    checks_of_hlo(c, t, &p);
    programs_free(&p);
}

static void check_files(struct run *r, struct checks *c, const struct events *t, const struct paths *buffers,
                        const struct paths *csv)
{
    struct err e = {0};
    for (size_t i = 0; i < buffers->n; i++)
        if (checks_of_plan(c, buffers->v[i], &e)) tool_warn(r, &e), e = (struct err){0};
    for (size_t i = 0; i < csv->n; i++)
        if (checks_of_csv(c, t, csv->v[i], &e)) tool_warn(r, &e), e = (struct err){0};
    if (!buffers->n) check_cannot(c, "plan_total_is_allocations", STR("-"), "no plan given: --buffers");
    if (!csv->n) check_cannot(c, "csv_kernel_count", STR("-"), "no table of XProf given: --csv");
}

int main(int argc, char **argv)
{
    struct run r;
    struct err e = {0};
    struct scene x = {0};
    struct json_side json = {0};
    struct checks c = {0};
    struct capture_facts facts = {.window_ps = -1};
    struct paths hlo = {0}, buffers = {0}, csv = {0};
    const char *json_path = NULL, *meta = NULL;
    struct tab *o;
    int k;
    tool_start(&r, &tool);
    while ((k = tool_option(&r, argc, argv)) >= 0) switch (k) {
        case JSON: json_path = r.arg; break;
        case META: meta = r.arg; break;
        case HLO: add_path(&hlo, r.arg); break;
        case BUFFERS: add_path(&buffers, r.arg); break;
        case CSV: add_path(&csv, r.arg); break;
        case CSV_OUT: r.csv = true; break;
        }
    if (json_path && json_side_read(&json, json_path, &e)) tool_die(&r, &e);
    if (meta && capture_facts_read(&facts, meta, &e)) tool_die(&r, &e);
    x.t.tally = json_path;
    x.t.tally_rows = json_path && json_side_capped(&json);
    if (scene_read(&x, (const char *const *)r.operand, (size_t)r.noperand, SCENE_CLASSES, &e)) {
        if (!x.t.rows) tool_die(&r, &e);
        tool_warn(&r, &e); /* what stands before the fault */
    }
    checks_of_events(&c, &x.t, &x.l, &x.s, &facts);
    if (json_path)
        checks_of_json(&c, &x.t, &json);
    else
        check_cannot(&c, "json_events", STR("-"), "no JSON given: --json");
    check_hlo(&r, &c, &x.t, &hlo);
    check_files(&r, &c, &x.t, &buffers, &csv);
    if ((o = tool_sink(&r, "check", STR("")))) table_check(o, &c);
    if ((o = tool_sink(&r, "unreliable", STR("")))) table_unreliable(o, &c);
    if ((o = tool_sink(&r, "capture", STR("")))) table_capture(o, &c, &x.t);
    for (size_t i = 0; i < c.n && r.status < 1; i++) r.status = c.row[i].verdict == CHECK_FAILS;
    checks_free(&c);
    scene_free(&x);
    json_side_free(&json);
    free(hlo.v);
    free(buffers.v);
    free(csv.v);
    return tool_end(&r);
}
