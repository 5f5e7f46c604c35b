/* Inside the cost model: what cost*.c share.  Nobody else includes it.
 *
 * Computations are costed callees first, each once; a rule finds the sums of what its instruction calls in
 * comp[].  A rule starts from {0, 0, 0}; -1 marks a figure that the model cannot know. */
#ifndef COST_IN_H
#define COST_IN_H
#include "cost.h"
#include "num.h"

struct comp { /* what is known of a computation once it is costed */
    struct cost sum;
    uint64_t unknown; /* instructions without a figure in it and below it */
    double model[3];  /* flops, transcendentals, bytes with trip counts */
    enum prim widest; /* operand type of its dots and convolutions; PRIM_INVALID: none */
    enum { COMP_NEW, COMP_OPEN, COMP_DONE } state;
    bool visited;
    /* as a fusion's: bytes after the constants and parameters for an output that starts at `from` */
    bool looked, bytes_known;
    float from, bytes, used_flops;
};

struct place { /* an operand of a fusion */
    uint32_t fusion, operand;
};

struct costing {
    const struct hlo_module *m;
    enum cost_kind kind;
    struct cost_set *set;
    struct comp *comp;
    struct hlo_users users;
    struct { /* where fusions take a value: place[first[value] .. first[value + 1]) */
        uint32_t *first;
        struct place *place;
    } fused;
    const struct op **op; /* per instruction */
    uint32_t *post;       /* post[first .. first + count) of a computation: operands before users */
    uint32_t *parameter;  /* parameter[first + number] of a computation, HLO_NONE: no such */
    int64_t *read;        /* per parameter of a fused computation: bytes read of it (spec: cost 5.3) */
    float *used;          /* GPU model: utilization inside the fusion (5.4) */
};

struct site { /* an instruction to cost; `result` is not its shape where an async start is costed as what it
                 starts */
    const struct hlo_instr *i;
    const struct op *op;
    const struct shape *result;
};

typedef void cost_rule(struct costing *c, const struct site *s, struct cost *v);

struct op {
    struct str name;
    cost_rule *base, *gpu;
    enum {
        OP_ELEMENTWISE = 1, /* each output element from the input elements at its place */
        OP_CALLS = 2,       /* the called computations are part of the cost */
        OP_DOT = 4,         /* contracts its first two operands */
        OP_FUSION = 8,
        OP_PARAMETER = 16,
        OP_CONTROL = 32,  /* its model differs from its cost: loops, branches, calls */
        OP_LIBRARY = 64,  /* may contract its first two operands: custom-call */
        OP_COMBINES = 128 /* the GPU model looks at the root of what it calls */
    } flags;
};
/* The table's entry, or one with base == NULL for an opcode that is not known. */
const struct op *cost_op(struct str opcode);

/* ---- shapes ---- */
const struct shape *cost_operand(const struct costing *c, const struct hlo_instr *i,
                                 uint32_t k); /* NULL: not there */
int64_t cost_size(const struct costing *c,
                  const struct shape *s);              /* one buffer: tuples 8n; -1 unknown, also for NULL */
int64_t cost_elements(const struct shape *s);          /* -1 unknown, also for NULL */
const struct shape *cost_first(const struct shape *s); /* of a tuple its first element, else s itself */
/* The logical dimension that is k-th from the fastest; the default layout where none stands. */
int64_t cost_minor(const struct shape *s, uint32_t k);
/* *sum += the result's leaves, float after float; only arrays if so asked. -1: unknown. */
int cost_add_leaves(const struct costing *c, const struct shape *s, bool arrays, float *sum);
/* Leaves of the result, then every operand. */
float cost_moved(const struct costing *c, const struct site *s);
static inline float cost_known(int64_t v) { return v < 0 ? -1 : (float)v; }
/* Of counts that may be unknown (-1): unknown stays unknown. */
static inline int64_t cost_plus(int64_t a, int64_t b) { return a < 0 || b < 0 ? -1 : num_add(a, b); }
static inline int64_t cost_times(int64_t a, int64_t b) { return a < 0 || b < 0 ? -1 : num_mul(a, b); }

/* Its index in comp[]; of one that is not there, the one behind the last, which is never costed. */
static inline uint32_t cost_comp(const struct costing *c, uint32_t computation)
{
    return computation < c->m->ncomputation ? computation : c->m->ncomputation;
}
/* What i calls in that role, if it is costed; NULL: it is not there. */
const struct comp *cost_callee(const struct costing *c, const struct hlo_instr *i, enum hlo_role role);
uint32_t cost_parameter(const struct costing *c, uint32_t computation,
                        int64_t number); /* HLO_NONE: no such */

/* ---- cost_body.c ---- */
cost_rule cost_map, cost_reduce, cost_reduce_window, cost_select_and_scatter, cost_scatter, cost_scan;
cost_rule cost_call, cost_loop, cost_conditional, cost_custom_call;
cost_rule cost_async_start; /* what is started, whoever shows it */
cost_rule cost_reduce_flops;

/* ---- cost_fusion.c, cost_gpu.c ---- */
cost_rule cost_fusion;
/* A custom fusion around a gather or a scatter is costed as the first of these alone, and nothing in it is
 * visited; HLO_NONE: i is no such fusion. */
uint32_t cost_lone(const struct costing *c, const struct hlo_instr *i);
void cost_fused_operands(struct costing *c); /* fills c->fused */
cost_rule cost_cycles, cost_gpu_concatenate, cost_gpu_reduce, cost_gpu_all_reduce, cost_gpu_all_reduce_start,
    cost_gpu_all_gather, cost_gpu_all_gather_start, cost_gpu_reduce_scatter, cost_gpu_async_start,
    cost_gpu_custom_call;
/* Fill c->used for a fused computation and return the flops of its utilized instructions (spec: cost 5.4);
 * -1: too entangled to tell. */
float cost_utilization(struct costing *c, uint32_t computation);

/* ---- cost_call.c ---- */
/* Dot flops: 2 * elements of the result * the contracted dimensions of lhs. -1: unknown. */
float cost_dot_flops(const struct shape *lhs, const struct shape *result, const int64_t *contracted,
                     size_t n);
/* Convolution flops of operands and result as labelled by the attributes of i. -1: unknown. */
float cost_conv_flops(const struct hlo_instr *i, const struct shape *lhs, const struct shape *rhs,
                      const struct shape *result);
bool cost_is_gemm(struct str target,
                  bool legacy); /* legacy: also __cublas$gemm, which XLA's GPU model leaves out */
bool cost_is_conv(struct str target);
/* The cost of a custom call that is known: 1, *v filled; 0: not known.  as_xprof: exactly what XProf counts.
 */
int cost_of_call(const struct costing *c, const struct hlo_instr *i, bool as_xprof, struct cost *v);
#endif
