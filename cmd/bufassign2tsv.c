/* Memory plans as tables: buffer-assignment text of any version, HloProto, captures, out-of-memory messages.
 *
 * One file at a time is held in memory, and its plan: linear in the number of buffers. */
#include "hlo_tsv.h"
#include "kind.h"
#include "plan_tab.h"
#include "programs.h"
#include "tool.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { HLO = 'H' };
static const struct opt options[] = {
    {HLO, "hlo", "FILE", "the program of a plan that is text: HLO in any form, a folder, or the instr table"},
    {0}};

static const struct tool tool = {
    .name = "bufassign2tsv",
    .synopsis = "[FILE ...]",
    .summary = "Turn XLA's memory plans into tables: *-buffer-assignment.txt of any version (with the live\n"
               "ranges beside it), HloProto, programs in a capture, out-of-memory messages in a log.",
    .example = "bufassign2tsv module_0001.jit_f.tpu_after_optimizations.hlo.pb | liveness -t peak | head",
    .opt = options,
    .table = plan_tables,
};

struct work {
    struct run *run;
    struct programs programs;
    struct map names; /* of the modules so far */
    uint64_t *count;  /* how often each was met */
    size_t ncount, count_cap;
    uint64_t plans, rows, renamed;
};

static int keep_module(struct hlo_module *m, void *ctx)
{
    struct programs *p = ctx;
    p->module = mem_grow(p->module, &p->module_cap, p->nmodule + 1, sizeof *p->module);
    p->module[p->nmodule++] = (struct loaded){.m = m};
    return 0;
}

/* HLO in any form, a folder of it, or the instr table made from it. */
static void read_program(struct run *r, struct programs *p, const char *path)
{
    struct err e = {0};
    struct stat st;
    if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
        if (programs_load(p, path, &e)) tool_die(r, &e);
        return;
    }
    struct inp *in = mem_alloc(1, sizeof *in);
    struct tsv t;
    if (inp_open(in, path, &e) || inp_whole(in, &e)) tool_die(r, &e);
    if (kind_of(in->data, in->size) == KIND_TABLE) {
        if (tsv_open_inp(&t, in, &e) || hlo_read_table(&t, keep_module, p, &e)) tool_die(r, &e);
        tsv_close(&t);
        free(in);
        return;
    }
    p->input = mem_grow(p->input, &p->input_cap, p->ninput + 1, sizeof *p->input);
    p->input[p->ninput++] = in;
    if (hlo_read(in, keep_module, p, &e)) tool_die(r, &e);
}

/* How many of the plan's values the program knows. */
static uint32_t known(const struct plan *p, const struct hlo_module *m)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->nbuffer; i++) n += hlo_find(m, p->buffer[i].instr) != HLO_NONE;
    for (uint32_t i = 0; i < p->npeak; i++) n += hlo_find(m, p->peak[i].instr) != HLO_NONE;
    return n;
}

/* The program of a plan that is text: the one of its name, else the one that knows most of its values. */
static void link_program(struct work *w, struct plan *p)
{
    struct hlo_module *best = NULL;
    uint32_t most = 0;
    if (!w->programs.nmodule || p->source == PLAN_FROM_PROTO) return;
    for (size_t i = 0; i < w->programs.nmodule; i++) {
        struct hlo_module *m = w->programs.module[i].m;
        uint32_t n = known(p, m);
        if (n > most || (n && n == most && str_eq(m->name, p->module))) best = m, most = n;
    }
    if (!best) {
        tool_note(w->run, "%s: no program given with --hlo knows a value of this plan", p->file);
        return;
    }
    if (most < p->nbuffer)
        tool_note(w->run, "%s: %u of %u values are not in program %.*s", p->file, p->nbuffer - most,
                  p->nbuffer, (int)best->name.n, best->name.p);
    plan_link(p, best);
    if (p->source == PLAN_FROM_TEXT) p->module = best->name;
}

/* Modules of the same name stay apart: NAME, then NAME(program id) if it has one of its own, else NAME#2. */
static void name_module(struct work *w, struct plan *p)
{
    bool fresh = true;
    struct buf b = {0};
    if (!p->module.n) return;
    uint32_t k = map_put(&w->names, p->module, NULL);
    while (w->ncount <= k) {
        w->count = mem_grow(w->count, &w->count_cap, w->ncount + 1, sizeof *w->count);
        w->count[w->ncount++] = 0;
    }
    if (++w->count[k] == 1) return;
    buf_str(&b, p->module);
    if (p->owns_hlo && p->hlo->has_id) {
        buf_fmt(&b, "(%llu)", (unsigned long long)p->hlo->program_id);
        map_put(&w->names, buf_view(&b), &fresh);
        if (!fresh) b.n = p->module.n;
    }
    if (b.n == p->module.n) buf_fmt(&b, "#%llu", (unsigned long long)w->count[k]);
    p->module = str_n(arena_copy(&p->arena, b.p, b.n), b.n);
    w->renamed++;
    buf_free(&b);
}

static void report(struct work *w, struct plan *p)
{
    for (int k = 0; k < PLAN_FAULTS; k++) {
        struct err e = p->fault_at[k];
        size_t n = strlen(e.text);
        if (p->fault[k] > 1)
            snprintf(e.text + n, sizeof e.text - n, " (and %llu more like it)",
                     (unsigned long long)p->fault[k] - 1);
        if (p->fault[k]) tool_warn(w->run, &e);
    }
    if (p->busy)
        tool_note(w->run,
                  "%s: %llu values have more heap events than alloc_order and free_order can say: "
                  "for an exact replay give liveness the file itself, or -t heap",
                  p->file, (unsigned long long)p->busy);
}

static int on_plan(struct plan *p, void *ctx)
{
    static const struct {
        const char *table;
        uint64_t (*put)(struct tab *, const struct plan *);
    } out[] = {{"buffer", plan_put_buffers},
               {"allocation", plan_put_allocations},
               {"heap", plan_put_heap},
               {"module", plan_put_modules},
               {"peak", plan_put_peak}};
    struct work *w = ctx;
    link_program(w, p);
    name_module(w, p);
    for (size_t i = 0; i < sizeof out / sizeof *out; i++) {
        struct tab *t = tool_sink(w->run, out[i].table, STR(""));
        if (t) w->rows += out[i].put(t, p);
    }
    w->plans++;
    report(w, p);
    plan_free(p);
    return 0;
}

/* Was the assignment that this live-range or values file lies beside given too?  Then it is read with that.
 */
static bool is_companion(const struct run *r, const char *path)
{
    static const char *const ending[] = {"-live-range.txt", "-buffer-assignment-values.txt"};
    struct str s = str_of(path);
    if (str_ends(s, ".gz")) s.n -= 3;
    for (size_t i = 0; i < sizeof ending / sizeof *ending; i++) {
        if (!str_ends(s, ending[i])) continue;
        struct str stem = str_n(s.p, s.n - strlen(ending[i]));
        for (int k = 0; k < r->noperand; k++) {
            struct str other = str_of(r->operand[k]);
            if (other.n < stem.n || !str_eq(str_n(other.p, stem.n), stem)) continue;
            other = str_from(other, stem.n);
            if (str_is(other, "-buffer-assignment.txt") || str_is(other, "-buffer-assignment.txt.gz"))
                return true;
        }
    }
    return false;
}

static const char *why_empty(const struct run *r)
{
    if (!strcmp(r->table->name, "heap")) return "only protos carry the heap simulator's events";
    if (!strcmp(r->table->name, "peak")) return "the source lists nothing at its peak";
    return "the plan holds no allocation";
}

int main(int argc, char **argv)
{
    struct run r;
    struct work w = {.run = &r};
    tool_start(&r, &tool);
    while (tool_option(&r, argc, argv) == HLO) read_program(&r, &w.programs, r.arg);
    for (const struct table *t = plan_tables; t->name; t++) tool_sink(&r, t->name, STR(""));
    for (int k = 0; k < r.noperand || !k; k++) {
        const char *path = r.noperand ? r.operand[k] : "-";
        struct err e = {0};
        if (is_companion(&r, path)) continue;
        if (plan_read_path(path, on_plan, &w, &e)) tool_warn(&r, &e);
    }
    if (!w.rows && w.plans && r.status < 2) tool_note(&r, "%s has no rows: %s", r.table->name, why_empty(&r));
    if (w.renamed)
        tool_note(&r, "modules with the name of an earlier one: %llu (NAME(program id) or NAME#2 here)",
                  (unsigned long long)w.renamed);
    programs_free(&w.programs);
    map_free(&w.names);
    free(w.count);
    return tool_end(&r);
}
