/* HLO modules to tables.  In: HLO text, HloProto, HloModuleProto, or a capture with programs in it.  Held:
 * one module at a time, in about the size of its text, beside the mapped input; of table module a row each.
 */
#include "hlo_columns.h"
#include "hlo_ran.h"
#include "hlo_rows.h"
#include "hlo_summary.h"
#include "tool.h"
#include <stdlib.h>

enum { OPT_COST = OPT_LONG, OPT_USER_RE, OPT_CAPTURE };

static const struct opt options[] = {
    {OPT_COST, "cost", "MODEL",
     "xla: as XLA's cost analysis (the default); gpu: as XProf shows for GPU programs"},
    {OPT_USER_RE, "user-re", "RE",
     "files that match are the user's (default: outside site-packages, dist-packages, jax)"},
    {OPT_CAPTURE, "capture", "FILE",
     "table module also says how long each ran in this capture (or xplane2tsv -t module of it)"},
    {0, NULL, NULL, NULL},
};

static const struct table tables[] = {
    {"instr", "an instruction", instr_columns, false},
    {"computation", "a computation", computation_columns, false},
    {"module", "a module, largest first", module_columns, false},
    {"operand", "an operand of an instruction", operand_columns, false},
    {"frame", "a stack frame", frame_columns, false},
    {"alias", "an output that shares a parameter's buffer", alias_columns, false},
    {NULL, NULL, NULL, false},
};

static const struct tool tool = {
    .name = "hlo2tsv",
    .synopsis = "[FILE ...]",
    .summary =
        "Reads HLO modules (text, HloProto, HloModuleProto, plain or gzip) and writes one of their tables.",
    .example = "hlo2tsv -t module dump/*after_optimizations.txt",
    .opt = options,
    .table = tables,
};

struct job {
    struct run run;
    enum cost_kind cost;
    regex_t user;
    bool user_on;
    struct hlo_summary *module;
    size_t nmodule, cap;
    struct arena arena;
    struct hlo_ran ran; /* --capture */
    uint64_t rows;
};

static void instr_tables(struct job *j, struct hlo_rows *r)
{
    struct tab *instr = tool_sink(&j->run, "instr", STR("")),
               *operand = tool_sink(&j->run, "operand", STR(""));
    for (uint32_t k = 0; k < r->m->ninstr; k++) {
        if (instr) hlo_row_instr(r, instr, k), j->rows++;
        for (uint32_t n = 0; operand && n < r->m->instr[k].noperand; n++)
            hlo_row_operand(r, operand, k, n), j->rows++;
    }
}

static void other_tables(struct job *j, struct hlo_rows *r)
{
    struct tab *t = tool_sink(&j->run, "computation", STR(""));
    for (uint32_t k = 0; t && k < r->m->ncomputation; k++) hlo_row_computation(r, t, k), j->rows++;
    t = tool_sink(&j->run, "frame", STR(""));
    for (uint32_t k = 1; t && k < r->m->nframe; k++) hlo_row_frame(r, t, k), j->rows++;
    t = tool_sink(&j->run, "alias", STR(""));
    for (uint32_t k = 0; t && k < r->m->nalias; k++) hlo_row_alias(r, t, k), j->rows++;
}

static int on_module(struct hlo_module *m, void *ctx)
{
    struct job *j = ctx;
    struct hlo_rows r;
    struct cost_set cost = {0};
    bool costs =
        tool_wants(&j->run, "instr") || tool_wants(&j->run, "computation") || tool_wants(&j->run, "module");
    if (costs) cost_module(m, j->cost, &cost);
    if (m->missing && !m->cut)
        tool_note(&j->run,
                  "%s: %llu operands or computations are named but not in this fragment; costs lack them",
                  m->source_name, (unsigned long long)m->missing);
    hlo_rows_start(&r, m, costs ? &cost : NULL, j->user_on ? &j->user : NULL);
    instr_tables(j, &r);
    other_tables(j, &r);
    hlo_rows_end(&r);
    if (tool_wants(&j->run, "module")) {
        j->module = mem_grow(j->module, &j->cap, j->nmodule + 1, sizeof *j->module);
        hlo_summarise(&j->module[j->nmodule++], m, &cost, &j->arena);
    }
    cost_free(&cost);
    hlo_free(m);
    return 0;
}

/* One bad file does not stop the others: the status is 2 in the end. */
static void file(struct job *j, const char *path)
{
    struct inp in;
    struct err e = {0};
    if (!inp_open(&in, path, &e)) {
        if (!inp_whole(&in, &e)) hlo_read(&in, on_module, j, &e);
        inp_close(&in, &e);
    }
    if (e.text[0]) tool_warn(&j->run, &e);
}

static void capture(struct job *j)
{
    struct err e = {0};
    if (hlo_ran_read(&j->ran, j->run.arg, &e)) tool_die(&j->run, &e);
    const struct hlo_ran_program *p = hlo_ran_longest(&j->ran);
    if (!p)
        tool_note(&j->run, "%s: no program was seen to run", j->run.arg);
    else
        tool_note(&j->run, "%s: %.*s ran longest, %.3f ms", j->run.arg, (int)p->module.n, p->module.p,
                  (double)p->time_ps / 1e9);
}

static void ran(const struct job *j, struct hlo_summary *s)
{
    const struct hlo_ran_program *p = hlo_ran_find(&j->ran, s->name, s->has_id, s->program_id);
    if (!p) return;
    s->ran = true;
    s->runs = p->runs, s->run_ps = p->time_ps;
    s->longest = p == hlo_ran_longest(&j->ran);
}

static void module_table(struct job *j)
{
    struct tab *t = tool_sink(&j->run, "module", STR(""));
    if (!t) return;
    if (j->nmodule) qsort(j->module, j->nmodule, sizeof *j->module, hlo_summary_cmp);
    for (size_t k = 0; k < j->nmodule; k++) {
        ran(j, &j->module[k]);
        hlo_row_module(&j->module[k], t), j->rows++;
    }
    free(j->module);
    arena_free(&j->arena);
}

static void option(struct job *j, int c)
{
    struct err e = {0};
    if (c == OPT_COST) {
        if (strcmp(j->run.arg, "gpu") && strcmp(j->run.arg, "xla"))
            tool_usage(&j->run, "--cost is xla or gpu");
        j->cost = !strcmp(j->run.arg, "gpu") ? COST_GPU : COST_BASE;
    } else if (c == OPT_USER_RE) {
        if (re_compile(&j->user, j->run.arg, &e)) tool_usage(&j->run, "--user-re: %s", e.text);
        j->user_on = true;
    } else if (c == OPT_CAPTURE)
        capture(j);
}

int main(int argc, char **argv)
{
    struct job j = {.cost = COST_BASE};
    int c;
    tool_start(&j.run, &tool);
    while ((c = tool_option(&j.run, argc, argv)) >= 0) option(&j, c);
    for (int k = 0; k < j.run.noperand; k++) file(&j, j.run.operand[k]);
    if (!j.run.noperand) file(&j, "-");
    module_table(&j);
    if (!j.rows && j.run.status < 2)
        tool_note(&j.run, "table %s is empty: nothing in the input makes a row of it", j.run.table->name);
    if (j.user_on) regfree(&j.user);
    hlo_ran_free(&j.ran);
    return tool_end(&j.run);
}
