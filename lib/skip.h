/* SKIP's launch metrics per program and device, for plain and for graph launches (spec: skip 1-6), and chains
 * of kernels that always follow each other.
 *
 * Delays are never clamped; negative ones are counted. */
#ifndef SKIP_H
#define SKIP_H
#include "dist.h"
#include "threads.h"

struct skip {
    uint32_t plane, program; /* EV_NONE: device work that no program is named for */
    uint64_t launches, graph_launches, kernels, graph_kernels;
    uint64_t unmatched_launches; /* calls without device events */
    uint64_t unmatched_kernels;  /* device events without a call */
    int64_t tklqt_skip_ps;       /* sum over kernels of start - start of its call */
    int64_t tklqt_ps;            /* sum over launches of first start - start of the call */
    int64_t floor_ps;            /* 5th percentile of that where the stream was idle at the call */
    uint64_t floor_n;            /* launches that met an idle stream; 0: no floor */
    double queue_share; /* 1 - launches * floor / tklqt; NAN without a floor, or where it is no share */
    int64_t kernel_ps;  /* sum of durations */
    int64_t il_ps;      /* first call (first start without calls) to last end */
    int64_t idle_sum_ps, idle_ps; /* il - sum of durations (SKIP's form), il - union */
    int64_t cpu_idle_ps;          /* of il, where the launching thread has no event; -1: unknown */
    struct dist api, to_start,
        from_end; /* call duration, call start to start, call end to start; per launch */
};
struct skips {
    struct skip *row; /* by plane, then program, in order of first appearance */
    size_t n, cap;
};
struct skips skip_metrics(const struct events *t, const struct launches *l, struct threads *h);
void skip_free(struct skips *s);

struct chain {
    uint32_t plane, program;
    const uint32_t *kernel; /* names, in the arena of the result */
    uint32_t length;
    uint64_t count, first_count; /* of the chain (no kernel in two), of its first kernel */
    double score;     /* the share of its first kernel's places where the others follow; 1: always */
    uint64_t removed; /* launches saved if each chain were one kernel */
    double gain;      /* launches now / launches then, this chain alone */
    int64_t time_ps;
};
struct chains {
    struct chain *row; /* by plane, most removed launches first */
    size_t n, cap;
    struct arena arena;
};
enum { CHAIN_MAX = 16 };
/* Chains of 2 to CHAIN_MAX kernels of one program and stream, with score >= least and count >= 2; no event is
 * in two (the longer chain has it). */
struct chains chain_find(const struct events *t, double least);
void chain_free(struct chains *c);
#endif
