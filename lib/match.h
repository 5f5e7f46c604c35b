/* Device events to instructions: the part of attribution that knows nothing of files and tables.
 *
 * Programs are added once; then match_plane is called for each device with its events, in any order.  What
 * one device teaches (kernel names that occur, instructions launched by themselves, the members of a graph)
 * is kept for the next.  The matcher owns its copies; modules must outlive it (spec: matching 5-9). */
#ifndef MATCH_H
#define MATCH_H
#include "thunks.h"
#include "window.h"

#define MATCH_UNKNOWN UINT32_MAX

struct match_event {
    uint32_t name;    /* in matcher.names */
    uint32_t line;    /* any number that tells lines apart */
    uint32_t program; /* index of match_add; MATCH_UNKNOWN */
    uint32_t instr;   /* what the tracer's annotation names; HLO_NONE: nothing, or a graph's label */
    uint8_t kind;     /* enum kernel_kind */
    bool label;    /* annotated, but only with the label of a graph, or with no instruction of the program */
    bool misnamed; /* ... with what should be an instruction of the program and is not */
    uint64_t correlation, graph, node; /* 0: none */
    int64_t start;
};

enum match_class {
    MATCH_NOTHING,
    MATCH_EXACT,
    MATCH_NAME,
    MATCH_ORDER,
    MATCH_THUNK,
    MATCH_NONE,
    MATCH_CLASSES
};
enum match_reason {
    REASON_NOTHING,
    REASON_NO_PROGRAM,
    REASON_NO_HLO,
    REASON_NO_CANDIDATE,
    REASON_AMBIGUOUS,
    REASON_OUTSIDE_WINDOW,
    REASON_DROPPED_NEIGHBOUR,
    REASON_NOT_XLA,
    REASON_COUNT
};
const char *match_class_name(enum match_class c);
const char *match_reason_name(enum match_reason r);

struct match_result {
    uint8_t match, reason;
    uint32_t program, instr;
    uint32_t other[2];    /* AMBIGUOUS: two of the candidates */
    uint64_t execution;   /* from 0, per program, instruction and device */
    uint32_t part, parts; /* part from 0 */
};

struct match_program {
    struct schedule schedule;
    struct window_space space;
    bool has_hlo;
    bool misfit;          /* HLO of another build, as the names show: nothing is placed by it */
    uint64_t fits, unfit; /* names of instructions and kernels that are in it, that are not */
    bool *seen;           /* per kernel name of the schedule: occurs */
    struct match_name {   /* per name of the matcher */
        uint32_t name, suffix;
        bool known; /* looked up */
    } * name;
    size_t name_cap;
    uint64_t cut; /* nodes left out of the schedule */
};

struct matcher {
    struct map names; /* event names */
    struct kernel *kernel;
    size_t kernel_cap, nkernel;
    struct match_program **program; /* each stays where it is */
    size_t nprogram, program_cap;
    struct map64 launch;   /* correlation id -> program, as the host's graph launches say */
    uint64_t unstable;     /* graphs whose kernels changed between launches */
    uint64_t contradicted; /* graph nodes that fell on several instructions */
    uint64_t cut;          /* windows too large to place */
};

/* The index of a program; m may be NULL: it runs, but its HLO is not known.
 * t: the compiler's list of its launches, or NULL. */
uint32_t match_add(struct matcher *x, const struct hlo_module *m, const struct thunk_list *t);
uint32_t match_name(struct matcher *x, struct str name);
/* The host says that this launch is of that program. */
void match_launch(struct matcher *x, uint64_t correlation, uint32_t program);
/* Attribute the events of one device: r[i] for ev[i]. */
void match_plane(struct matcher *x, const struct match_event *ev, size_t n, struct match_result *r);
void match_free(struct matcher *x);
#endif
