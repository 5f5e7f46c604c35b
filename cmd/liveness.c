/* What a program holds in memory over its schedule: from a plan, or estimated from HLO alone.
 *
 * In: the buffer table of bufassign2tsv (with its heap table beside it, where that is needed), the instr
 * table of hlo2tsv, or the artifacts themselves.  One module at a time is worked on; a table is held whole,
 * so that its rows may come in any order. */
#include "hlo_tsv.h"
#include "kind.h"
#include "live_hlo.h"
#include "live_tab.h"
#include "num.h"
#include "plan_heap.h"
#include "plan_tsv.h"
#include "tool.h"
#include "xevents.h"
#include <stdlib.h>

enum { MEMORY = OPT_LONG, AT, SORT, SMALL, XPROF, EVENTS };
static const struct opt options[] = {
    {MEMORY, "memory", "SPACE", "memory space: hbm (0), vmem (1), host (5) or a number; default hbm"},
    {AT, "at", "N", "-t peak: what is held at program order N instead"},
    {SORT, "sort", "KEY", "-t peak: order (as Memory Viewer), size or padding"},
    {SMALL, "small", "BYTES", "-t peak: fold what is smaller into one row (Memory Viewer: 16384)"},
    {XPROF, "xprof", "VERSION", "2.23: count thread-local allocations as that release did; default 2.24"},
    {EVENTS, "events", "FILE", "-t run: the capture, or its event table"},
    {0}};

static const struct tool tool = {
    .name = "liveness",
    .synopsis = "[FILE ...]",
    .summary =
        "From a memory plan (bufassign2tsv's buffer table, HloProto, buffer-assignment text) or from HLO\n"
        "alone (hlo2tsv's instr table, HLO text: an estimate): the heap over program order, its peak,\n"
        "what is held there, who put it there, and what would lower it.",
    .example =
        "bufassign2tsv module_0001.jit_f.tpu_after_optimizations.hlo.pb | liveness -t peak --sort size",
    .opt = options,
    .table = live_tables,
};

struct work {
    struct run *run;
    struct live_rules rules;
    enum live_sort sort;
    int64_t at, small; /* at -1: the peak */
    uint64_t rows;
    struct live_brief *brief; /* of every module so far */
    size_t nbrief, brief_cap;
    struct arena arena;
    struct plan_heaps heaps; /* heap tables among the operands */
};

/* ---- what a reader of the numbers must know ---- */

static const char *name_of(const struct plan *p, char out[200])
{
    return err_quote(out, p->module.n ? p->module.p : "-", p->module.n ? p->module.n : 1);
}

static void report_faults(const struct work *w, const struct plan *p)
{
    for (int k = 0; k < PLAN_FAULTS; k++) {
        struct buf b = {0};
        if (!p->fault[k]) continue;
        err_format(&p->fault_at[k], "plan", &b);
        tool_note(w->run, "%.*s (%llu of this kind)", (int)b.n, b.p, (unsigned long long)p->fault[k]);
        buf_free(&b);
    }
}

/* Why Memory Viewer would say something else, or nothing. */
static void report_viewer(const struct work *w, const struct live *l, const char *module)
{
    if (l->basis != LIVE_PLAN) return;
    if (l->allocs > 1)
        tool_note(
            w->run,
            "module %s: the heap trace covers %u allocations: Memory Viewer gives up; this is all of them",
            module, l->allocs);
    if (l->heaps > 1)
        tool_note(
            w->run,
            "module %s: %u heaps in memory %lld, each with a trace of its own: only the first is replayed, "
            "as in Memory Viewer; total_bytes counts all",
            module, l->heaps, (long long)l->rules.space);
    if (l->unknown)
        tool_note(
            w->run,
            "module %s: %llu of %u heap events name no value that is here (a table says two events a value: "
            "give the heap table too, or the artifact itself)",
            module, (unsigned long long)l->unknown, l->nstep);
}

static void report(struct work *w, const struct live *l)
{
    char q[200];
    const char *module = name_of(l->plan, q);
    report_faults(w, l->plan);
    report_viewer(w, l, module);
    if (l->faults) {
        struct err e = {0};
        err_set(&e, l->plan->file,
                "module %s: event %u frees what is not there (%llu such): the heap is unknown from there on",
                module, l->fault_step, (unsigned long long)l->faults);
        tool_warn(w->run, &e);
    }
    if (l->unsized)
        tool_note(w->run, "module %s: %llu values of unknown size count nothing: sums are lower bounds",
                  module, (unsigned long long)l->unsized);
    if (l->unranged)
        tool_note(w->run, "module %s: %llu temporaries without a live range or place count nothing", module,
                  (unsigned long long)l->unranged);
    if (l->basis == LIVE_FIXED && l->total > l->indefinite)
        tool_note(
            w->run,
            "module %s: neither heap trace nor live ranges for memory %lld: the peak is what counts for the "
            "whole program, temporaries are unknown",
            module, (long long)l->rules.space);
    if (l->plan->opaque_calls > 0)
        tool_note(w->run,
                  "module %s: what %lld opaque calls (Pallas, Triton, Mosaic) use inside is not in the plan",
                  module, (long long)l->plan->opaque_calls);
}

/* ---- one module ---- */

static void tables(struct work *w, const struct live *l)
{
    struct run *r = w->run;
    struct live_facts f;
    struct tab *t;
    uint32_t step = w->at < 0 ? l->peak_step : live_step_at(l, w->at);
    live_facts(l, &f);
    if ((t = tool_sink(r, "timeline", STR("")))) w->rows += live_put_timeline(t, l);
    if ((t = tool_sink(r, "summary", STR("")))) w->rows += live_put_summary(t, l, &f);
    if ((t = tool_sink(r, "peak", STR("")))) w->rows += live_put_peak(t, l, step, w->sort, w->small);
    if ((t = tool_sink(r, "lifetime", STR("")))) w->rows += live_put_lifetime(t, l);
    if ((t = tool_sink(r, "blame", STR("")))) w->rows += live_put_blame(t, l);
    if ((t = tool_sink(r, "shrink", STR("")))) w->rows += live_put_shrink(t, l);
    w->brief = mem_grow(w->brief, &w->brief_cap, w->nbrief + 1, sizeof *w->brief);
    live_brief(l, &f, &w->arena, &w->brief[w->nbrief++]);
}

static void work_on(struct work *w, const struct plan *p, const struct live_rules *rules)
{
    struct live l;
    live_run(p, rules, &l);
    tables(w, &l);
    report(w, &l);
    live_free(&l);
}

static int on_plan(struct plan *p, void *ctx)
{
    struct work *w = ctx;
    if (p->source == PLAN_FROM_TABLE) plan_heaps_apply(&w->heaps, p);
    if (p->nalloc)
        work_on(w, p, &w->rules);
    else
        tool_note(w->run,
                  "%s: no allocations in it: what an out-of-memory message lists is bufassign2tsv -t peak",
                  p->file);
    plan_free(p);
    return 0;
}

static int on_module(struct hlo_module *m, void *ctx)
{
    struct work *w = ctx;
    struct live_estimate e;
    struct live_rules rules = w->rules;
    char q[200];
    live_estimate(m, &e);
    rules.event_time = e.event_time;
    rules.end_time = e.end_time;
    if (!m->scheduled)
        tool_note(w->run, "module %s: not scheduled: the order of the text is taken for one",
                  name_of(e.plan, q));
    if (e.unsized)
        tool_note(w->run, "module %s: %llu values of unknown size count nothing", name_of(e.plan, q),
                  (unsigned long long)e.unsized);
    if (e.gave_up)
        tool_note(w->run, "module %s: too large to try every reuse of memory: the estimate may be high",
                  name_of(e.plan, q));
    work_on(w, e.plan, &rules);
    live_estimate_free(&e);
    return 0;
}

/* ---- inputs ---- */

static int read_table(struct work *w, struct inp *in, struct err *e)
{
    struct tsv t;
    int rc;
    if (tsv_open_inp(&t, in, e)) return -1;
    if (plan_heap_is_table(&t))
        rc = 0; /* read already */
    else if (hlo_is_table(&t))
        rc = hlo_read_table(&t, on_module, w, e);
    else
        rc = plan_read_table(&t, on_plan, w, e);
    tsv_close(&t);
    return rc;
}

/* A plan with what lies beside it (live ranges, values); what came through a pipe has nothing beside it. */
static int read_plan(struct work *w, struct inp *in, const char *path, struct err *e)
{
    if (!strcmp(path, "-")) return plan_read(in, NULL, 0, on_plan, w, e);
    return plan_read_path(path, on_plan, w, e);
}

/* A program without a plan is estimated. */
static int read_proto(struct work *w, struct inp *in, const char *path, struct err *e)
{
    struct err no_plan = {0};
    size_t before = w->nbrief;
    int rc = read_plan(w, in, path, &no_plan);
    if (rc && w->nbrief == before) return hlo_read(in, on_module, w, e);
    if (rc) *e = no_plan;
    return rc;
}

static void read_input(struct work *w, const char *path)
{
    struct err e = {0};
    struct inp in;
    int rc = 0;
    if (inp_open(&in, path, &e) || inp_whole(&in, &e)) tool_die(w->run, &e);
    switch (kind_of(in.data, in.size)) {
    case KIND_EMPTY:
    case KIND_TABLE: rc = read_table(w, &in, &e); break;
    case KIND_HLO_TEXT:
    case KIND_HLO_MODULE: rc = hlo_read(&in, on_module, w, &e); break;
    case KIND_HLO_PROTO:
    case KIND_XPLANE: rc = read_proto(w, &in, path, &e); break;
    default: rc = read_plan(w, &in, path, &e);
    }
    if (inp_close(&in, &e)) rc = -1;
    if (rc) tool_warn(w->run, &e);
}

/* Heap tables among several files come first: they belong to plans of the others. */
static void read_heaps(struct work *w, const char *path)
{
    struct err e = {0};
    struct inp in;
    struct tsv t;
    if (!strcmp(path, "-")) return;
    if (inp_open(&in, path, &e) || inp_whole(&in, &e)) tool_die(w->run, &e);
    if (kind_of(in.data, in.size) != KIND_TABLE) {
        inp_close(&in, &e);
        return;
    }
    if (tsv_open_inp(&t, &in, &e)) tool_die(w->run, &e);
    if (plan_heap_is_table(&t) && plan_heaps_read(&w->heaps, &t, &e)) tool_warn(w->run, &e);
    tsv_close(&t);
}

static int64_t memory(const struct run *r)
{
    static const struct {
        const char *name;
        int64_t space;
    } alias[] = {{"hbm", 0}, {"vmem", 1}, {"host", 5}};
    uint64_t v;
    for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
        if (!strcmp(r->arg, alias[i].name)) return alias[i].space;
    if (num_u64(str_of(r->arg), &v) || v > INT64_MAX)
        tool_usage(r, "--memory \"%s\": neither hbm, vmem, host nor a number", r->arg);
    return (int64_t)v;
}

static int64_t count(const struct run *r, const char *option)
{
    uint64_t v;
    if (num_u64(str_of(r->arg), &v) || v > INT64_MAX)
        tool_usage(r, "%s \"%s\": not a whole number", option, r->arg);
    return (int64_t)v;
}

static enum live_sort sort_key(const struct run *r)
{
    static const char *const key[] = {"order", "size", "padding"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(r->arg, key[i])) return (enum live_sort)i;
    tool_usage(r, "--sort \"%s\": order, size or padding", r->arg);
}

/* ---- the whole run ---- */

static void say_fragmented(const struct run *r, const struct events *e, const struct modruns *m)
{
    struct str top = e->program[m->top].module;
    double percent = m->total > 0 ? 100. * (double)m->top_ps / (double)m->total : 0;
    if (!m->fragmented) return;
    tool_note(
        r,
        "fragmented: %llu runs of %u programs; %.*s has %llu of them and %.1f %% of their time, the others "
        "%llu and %.1f %%: a jit around them would make them one%s%.*s",
        (unsigned long long)m->all, m->programs, (int)top.n, top.p, (unsigned long long)m->top_runs, percent,
        (unsigned long long)(m->all - m->top_runs), 100. - percent, m->callers.n ? "; called by " : "",
        (int)m->callers.n, m->callers.p);
}

static void run_table(struct work *w, struct tab *t, const char *path)
{
    struct tsv in;
    struct events e = {0};
    struct modruns m;
    struct err fault = {0};
    if (xevents_open(&in, path, &fault)) tool_die(w->run, &fault);
    if (fault.text[0]) tool_warn(w->run, &fault);
    fault = (struct err){0};
    if (events_read(&e, &in, MODRUN_CLASSES, &fault)) tool_warn(w->run, &fault);
    modruns_make(&e, &m);
    w->rows += live_put_run(t, &e, &m, w->brief, w->nbrief);
    if (m.n)
        say_fragmented(w->run, &e, &m);
    else
        tool_note(w->run, "%s: no event names a program that ran", in.name);
    modruns_free(&m);
    events_free(&e);
    tsv_close(&in);
}

int main(int argc, char **argv)
{
    struct run r;
    struct work w = {.run = &r, .at = -1};
    const char *events = NULL;
    struct tab *t;
    int c;
    tool_start(&r, &tool);
    while ((c = tool_option(&r, argc, argv)) >= 0) switch (c) {
        case MEMORY: w.rules.space = memory(&r); break;
        case AT: w.at = count(&r, "--at"); break;
        case SMALL: w.small = count(&r, "--small"); break;
        case SORT: w.sort = sort_key(&r); break;
        case EVENTS: events = r.arg; break;
        case XPROF:
            w.rules.old_thread_local = !strcmp(r.arg, "2.23");
            if (!w.rules.old_thread_local && strcmp(r.arg, "2.24")) tool_usage(&r, "--xprof: 2.23 or 2.24");
        }
    if (!events && !r.dir && tool_wants(&r, "run")) tool_usage(&r, "-t run needs --events FILE");
    if (!r.noperand) read_input(&w, "-");
    for (int i = 0; i < r.noperand && r.noperand > 1; i++) read_heaps(&w, r.operand[i]);
    for (int i = 0; i < r.noperand; i++) read_input(&w, r.operand[i]);
    if ((t = tool_sink(&r, "module", STR("")))) w.rows += live_put_modules(t, w.brief, w.nbrief);
    if (events && (t = tool_sink(&r, "run", STR("")))) run_table(&w, t, events);
    if (!w.rows && r.status < 2)
        tool_note(
            &r,
            w.nbrief
                ? "no rows"
                : "no rows: neither a plan nor a program in the input (a heap table needs the buffer table "
                  "beside it)");
    free(w.brief);
    plan_heaps_free(&w.heaps);
    arena_free(&w.arena);
    return tool_end(&r);
}
