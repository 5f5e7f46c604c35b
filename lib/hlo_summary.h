/* The row that stands for a whole module in table module: kept when the module is gone, so that rows can be
 * sorted.  Its texts live in the arena given to hlo_summarise. */
#ifndef HLO_SUMMARY_H
#define HLO_SUMMARY_H
#include "cost.h"
#include "tsv.h"

struct hlo_summary {
    struct str name, file, module_id, pass_index, pass, stage, entry; /* in the arena given */
    uint64_t program_id, computations, instrs, unmodelled, unknown_trips, missing, runs, run_ps;
    double flops, transcendentals, bytes, flops_total, transcendentals_total, bytes_total;
    int64_t parameter_bytes, output_bytes; /* -1: unknown */
    bool has_id, scheduled, ran, longest;  /* ran: runs and run_ps are known */
};
void hlo_summarise(struct hlo_summary *s, const struct hlo_module *m, const struct cost_set *cost,
                   struct arena *a);
void hlo_row_module(const struct hlo_summary *s, struct tab *t);
/* Most instructions first, then most bytes accessed, then by name and file. */
int hlo_summary_cmp(const void *a, const void *b);
#endif
