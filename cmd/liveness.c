/* What a program holds in memory over its schedule: from a plan, or estimated from HLO alone.
 *
 * In: the buffer table of bufassign2tsv (with its heap table beside it, where that is needed), the instr table
 * of hlo2tsv, or the artifacts themselves.  One module at a time is worked on; a table is held whole, so that
 * its rows may come in any order. */
#include "hlo_tsv.h"
#include "kind.h"
#include "live_hlo.h"
#include "live_tab.h"
#include "num.h"
#include "plan_tsv.h"
#include "tool.h"
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
    .summary = "From a memory plan (bufassign2tsv's buffer table, HloProto, buffer-assignment text) or from HLO\n"
               "alone (hlo2tsv's instr table, HLO text: an estimate): the heap over program order, its peak,\n"
               "what is held there, who put it there, and what would lower it.",
    .example = "bufassign2tsv module_0001.jit_f.tpu_after_optimizations.hlo.pb | liveness -t peak --sort size",
    .opt = options,
    .table = live_tables,
};

struct work {
    struct run *run;
    struct live_rules rules;
    enum live_sort sort;
    int64_t at, small; /* at -1: the peak */
    uint64_t modules, rows;
    struct live_modules all; /* for -t module and -t run */
};
