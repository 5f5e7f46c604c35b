/* What an instruction costs: flops, transcendentals, bytes accessed, as XLA's HloCostAnalysis defines them
 * (spec: cost 5.1-5.3), or as XProf shows them for GPU programs (5.4-5.5).  float32 arithmetic in XLA's
 * order, so that totals agree. */
#ifndef COST_H
#define COST_H
#include "hlo.h"

struct cost {
    float flops, transcendentals, bytes; /* -1: unknown (custom calls) */
    bool visited;                        /* false: nothing calls its computation */
};

struct cost_set {
    struct cost *instr;  /* per instruction of the module (base or gpu model) */
    struct cost total;   /* the entry's, loop bodies once; unknown ones add nothing */
    uint64_t unmodelled; /* custom calls met (at each call site) that the model does not know */
    /* with trip counts, and models of known custom calls (GEMM, convolution, cost estimates in
     * backend_config); per instruction: its own cost once per execution of it, -1 unknown */
    struct cost *model;
    double flops_total, transcendentals_total, bytes_total;
    uint64_t unknown_trips; /* loops counted once for want of a trip count */
    /* per instruction, the type it computes in: of a dot, convolution or GEMM (also inside a fusion) the
     * widest of its two operands, else the first leaf of the result */
    enum prim *dtype;
};

enum cost_kind { COST_BASE, COST_GPU };
void cost_module(const struct hlo_module *m, enum cost_kind kind, struct cost_set *c);
void cost_free(struct cost_set *c);
#endif
