/* Liveness: what a plan holds in one memory space over program order, its peak, and what is live there.
 *
 * A struct live borrows its plan and owns the rest (live_free).  Three bases: the heap simulator's trace,
 * replayed exactly as XProf's Memory Viewer does (spec: memory viewer 2.3-2.7); the live ranges of the text
 * form, as the union of the occupied addresses; a trace estimated from HLO alone (live_hlo.h).
 *
 * The fixed part (parameters, constants, values that may live out) counts from the first order to the last.
 */
#ifndef LIVE_H
#define LIVE_H
#include "plan.h"

enum live_basis {
    LIVE_FIXED /* temporaries are unknown, or there are none */,
    LIVE_PLAN,
    LIVE_RANGES,
    LIVE_ESTIMATE
};
const char *live_basis_name(enum live_basis b); /* "fixed", "plan", "ranges", "estimate" */

struct live_rules {
    int64_t space;         /* memory space (color) */
    bool old_thread_local; /* XProf 2.23: thread-local allocations count in totals and in the fixed part */
    const int64_t *event_time; /* estimate: program order of each event of the plan; NULL: its index */
    int64_t end_time;          /* estimate: one behind the last order */
};

enum live_what { LIVE_ALLOC, LIVE_FREE, LIVE_SHARE, LIVE_UNKNOWN /* the event names no buffer */ };
struct live_step {
    int64_t order;
    enum live_what what;
    uint32_t buffer; /* in plan->buffer; PLAN_NONE: unknown */
    struct str instr;
    int64_t delta, unpadded; /* change of the heap, bytes */
};

/* A stretch of time in which a buffer takes memory: steps [from, to]; the buffer shown may be an alias. */
struct live_hold {
    uint32_t buffer, shown;
    uint32_t from, to;
    int64_t base, bytes, unpadded; /* address, the allocation's place added; base -1: none known */
};

struct live {
    const struct plan *plan;
    struct live_rules rules;
    enum live_basis basis;
    uint32_t trace;         /* replayed, or PLAN_NONE */
    struct live_step *step; /* in order; the heap before step 0 is the fixed part */
    uint32_t nstep;
    int64_t end_order;      /* of the last row: one behind the last order */
    struct live_hold *hold; /* temporaries only, in order of `from` */
    uint32_t nhold;
    bool additive; /* holds never share memory: the heap is their sum; else the union of their addresses */

    int64_t fixed;                              /* sizes of the allocations that have a buffer of a size */
    int64_t peak, peak_unpadded, occupied_peak; /* with the fixed part; occupied: by address, -1: unknown */
    uint32_t peak_step;                         /* UINT32_MAX: no step */
    int64_t argument, constant, live_out, non_reusable, total, indefinite;

    /* why Memory Viewer may say something else, and what cannot be trusted */
    uint32_t heaps;      /* traces that could be the one of this memory space */
    uint32_t allocs;     /* allocations that the replayed trace touches: Memory Viewer gives up unless 1 */
    uint64_t unknown;    /* events that name no buffer of the plan */
    uint64_t unsized;    /* buffers without a size: they count nothing */
    uint64_t unranged;   /* text: temporaries without a live range: they count nothing */
    uint64_t faults;     /* frees of what is not there, a heap below zero */
    uint32_t fault_step; /* the first; the heap from here on is unknown */
};

/* Replay or sweep, whichever the plan allows.  Never fails: see the counts. */
void live_run(const struct plan *p, const struct live_rules *r, struct live *l);
void live_free(struct live *l);

/* Does the allocation count whole, from the first order to the last? */
bool live_is_fixed(const struct plan_alloc *a, const struct live_rules *r);
/* The largest buffer of a fixed allocation (first on ties), PLAN_NONE if none has a size. */
uint32_t live_representative(const struct plan *p, const struct plan_alloc *a);

/* What is live after the step `at` (program order within it is the order of steps). */
struct live_item {
    uint32_t buffer; /* the one to show */
    uint32_t alloc;  /* its allocation; kind and size of a fixed item come from there */
    bool fixed;
    uint32_t hold;      /* temporaries: in live->hold */
    int64_t size;       /* of the buffer shown */
    int64_t held;       /* bytes of the heap that are its own: their sum is the heap */
    int64_t start, end; /* orders, both inclusive */
};
/* Items in Memory Viewer's order: fixed ones (one per allocation), then temporaries as they came.  *out is
 * free()d by the caller; returns how many. */
size_t live_at(const struct live *l, uint32_t at, struct live_item **out);
/* The step whose state is that of the program order: its last step at or before it, UINT32_MAX: none. */
uint32_t live_step_at(const struct live *l, int64_t order);

/* The last order at which the hold is there: that of the event that ends it. */
int64_t live_last_order(const struct live *l, const struct live_hold *h);

/* Peak of the temporaries for another list of holds (a what-if), over steps [0, nstep). */
int64_t live_peak(const struct live_hold *h, uint32_t n, uint32_t nstep, bool additive, uint32_t *at);

/* ---- within (live.c, live_ranges.c) ---- */
void live_sweep_ranges(struct live *l, const int64_t *place); /* steps and holds from the live ranges */
int64_t live_occupied(const struct live *l); /* most bytes of addresses taken at once, -1: unknown */
void live_own_bytes(const struct live *l, struct live_item *it, size_t n); /* fill held by address */
#endif
