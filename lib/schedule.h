/* The schedule of a module, flattened: every instruction that can launch device work, in launch order, the
 * bodies of loops, branches and calls in their places, and the ways control can take between them.
 *
 * Loops are not unrolled: a body stands once and an edge leads back.  The schedule belongs to the caller
 * (schedule_free) and refers to the module, which must outlive it (spec: matching 5, 6, 9). */
#ifndef SCHEDULE_H
#define SCHEDULE_H
#include "hlo.h"
#include "kernel.h"

enum {                         /* what a node may launch, bits */
       LAUNCH_NAMED = 1,       /* a kernel that carries its name, or that of an equal instruction */
       LAUNCH_LIBRARY = 2,     /* kernels of a library, one or more, any name; `family` is a preference */
       LAUNCH_COPY = 4,        /* a device copy */
       LAUNCH_SET = 8,         /* a fill */
       LAUNCH_COLLECTIVE = 16, /* a kernel of NCCL or RCCL; `family` says what it does */
       LAUNCH_MAYBE_COPY = 32, /* a copy, if no kernel of its name is known: it only moves data */
       LAUNCH_MAYBE_SET = 64,  /* likewise a fill */
       LAUNCH_STAGES = 128,    /* copies of operands, then kernels NAME, NAME__1, NAME__2 ... (sorts) */
       LAUNCH_PREDICATE = 256, /* the copy by which the host learns a loop's or conditional's predicate */
       LAUNCH_PERHAPS = 512    /* nothing may be seen of it: custom calls on the host, solvers */
};

struct sched_node {
    uint32_t instr;  /* HLO_NONE: a joint that launches nothing */
    uint16_t launch; /* LAUNCH_ bits */
    uint8_t family;  /* enum kernel_family */
    uint8_t copies;  /* STAGES: at most so many operands are copied first */
    bool listed;     /* the compiler's own list says so (thunks.h) */
    uint32_t name;   /* index in `names` of the kernel that is its own */
    uint32_t twin;   /* class of equal fused computations, MAP_NONE: none */
    uint32_t config; /* of the fusion's backend_config, to prefer one twin to another */
};

struct sched_edge {
    uint32_t to;
    uint8_t cost; /* of taking it; 0 unless it is unlikely */
    bool control; /* a loop, branch or run begins, repeats or ends here */
    bool run;     /* the next run of the program begins */
};

struct schedule {
    const struct hlo_module *m;
    struct sched_node *node; /* node 0: the program's begin; the last one: its end */
    uint32_t nnode;
    uint32_t *first; /* edges of n: edge[first[n] .. first[n + 1]) */
    struct sched_edge *edge;
    uint32_t *instr_first, *instr_node; /* nodes of instruction i: instr_node[instr_first[i] .. [i + 1]) */
    struct map names;                   /* sanitised kernel names of this program */
    uint32_t ntwin;
};

/* Never fails: nesting over 64 levels, nodes over 4 million and instructions met over 64 million times are
 * left out, *cut says how many. */
void schedule_make(const struct hlo_module *m, struct schedule *s, uint64_t *cut);
void schedule_free(struct schedule *s);

/* Classes of equal fused computations: equal opcodes, shapes with layouts, operands, attributes and literals;
 * names, ids, metadata and backend_config do not count.  hash[c] per computation, owned by the caller. */
uint64_t *schedule_hashes(const struct hlo_module *m);
#endif
