/* Plans: where XLA put every value of a module in memory, as its readers make it (plan_text.c, plan_proto.c,
 * plan_log.c) and the tables and analyses use it (spec: memory viewer 2.1-2.3, buffer assignment text 3.2).
 *
 * Everything lives in plan->arena, in the input's bytes or in plan->hlo: the input must stay open as long as
 * the plan.  Sizes are bytes; -1 stands for an unknown size, order or id, an empty str for unknown text. */
#ifndef PLAN_H
#define PLAN_H
#include "err.h"
#include "hlo.h"
#include "map.h"
#include "mem.h"

#define PLAN_NONE UINT32_MAX

/* What an allocation is for; the first that holds wins, in this order (spec: memory viewer 2.3). */
enum plan_kind {
    PLAN_PARAMETER,
    PLAN_OUTPUT, /* maybe_live_out */
    PLAN_THREAD_LOCAL,
    PLAN_CONSTANT,
    PLAN_TEMPORARY,
    PLAN_SCOPED, /* logs only */
    PLAN_KINDS
};
const char *plan_kind_name(enum plan_kind k); /* "parameter", "output", "thread_local", ... */

struct plan_alloc {
    int64_t index, size;
    int64_t color;     /* memory space */
    int64_t parameter; /* number of the entry parameter it holds, -1: none */
    bool is_parameter; /* entry parameter (parameter may still be unknown: -1) */
    bool maybe_live_out, constant, thread_local_, tuple;
    bool maybe_tuple; /* text: a value in it is a tuple, but whether XLA marks the allocation is not told */
    uint32_t first, count; /* its buffers: plan->buffer[first .. first + count), in source order */
};
enum plan_kind plan_alloc_kind(const struct plan_alloc *a);

/* What the program says of an instruction; shared by its buffers.  "": unknown or none. */
struct plan_about {
    struct str op_name, source, stack, opcode;
    struct str layout_change; /* "{1,0}->{0,1}" */
    struct str
        copy_of; /* where it only changes the layout: the value that it copies, "copy.1" or "while{2}" */
    struct str custom_call_target;
};
/* A custom call's target whose kernel takes memory that no plan shows (Pallas, Triton, Mosaic). */
bool plan_opaque(struct str custom_call_target);

/* A value in its place.  A value that several allocations list occurs several times: the last one counts. */
struct plan_buffer {
    uint32_t alloc; /* in plan->alloc */
    uint32_t trace; /* the heap trace that names it, PLAN_NONE: none */
    int64_t id;
    int64_t color; /* the value's own, -1: not told */
    int64_t offset, size;
    int64_t unpadded;                /* proto: by the last-component rule (2.3.4), text: its own shape */
    int64_t alloc_order, free_order; /* event index of its ALLOC or SHARE_WITH, of its FREE; -1: none */
    int64_t share_with;              /* buffer id, -1: it has memory of its own */
    int64_t start, end;              /* live range of the text, both inclusive; -1: none */
    struct str instr;                /* name of the defining instruction */
    struct str index;                /* "{0,1}"; "": the whole value */
    struct str shape;                /* with layout, without blanks and comments */
    const struct plan_about *about;  /* never NULL */
};

enum plan_event_kind { PLAN_ALLOC, PLAN_FREE, PLAN_SHARE };
struct plan_event {
    enum plan_event_kind kind;
    int64_t buffer;     /* id */
    int64_t share_with; /* id, -1: not a SHARE_WITH */
    struct str computation, instr;
};
struct plan_trace {
    uint32_t first, count; /* events [first, first + count) of plan->event */
    bool whole_module;
    int64_t alloc_index; /* as the file has it: known to be wrong, never used to link */
};

/* A buffer that the source itself lists at its peak. */
struct plan_peak {
    struct str instr, index; /* index "" where none is printed */
    int64_t size, unpadded;
    int kind; /* enum plan_kind, -1: not told */
    struct str memory_space, shape, op_name, source;
    bool rounded; /* the size was printed with a unit: it is the nearest byte */
};

/* Sums over the allocations of one memory space; classes overlap (donated parameters are in two). */
struct plan_space {
    struct str memory_space; /* the number in plans, the printed name in logs */
    int64_t argument, constant, maybe_live_out, thread_local_, temp, total, limit;
    int64_t buffers;
    struct str largest_instr, largest_source;
    int64_t largest;
};

/* What is wrong with a plan: counted by kind, the first of each kind kept with its place. */
enum plan_fault {
    PLAN_BEYOND,      /* offset + size passes the allocation's end */
    PLAN_OVERLAP,     /* two live values on the same bytes that are no aliases */
    PLAN_FREE_UNMADE, /* a FREE without an ALLOC before it */
    PLAN_UNKNOWN_ID,  /* an event or an assignment names a buffer or an instruction that is not there */
    PLAN_TOTAL,       /* the text's own total is not the sum of its allocations */
    PLAN_BAD_LINE,    /* a line that is none of the grammar's: skipped */
    PLAN_FAULTS
};

enum plan_source { PLAN_FROM_TEXT, PLAN_FROM_PROTO, PLAN_FROM_LOG, PLAN_FROM_TABLE };

struct plan {
    struct str module; /* "": not told */
    const char *file;
    enum plan_source source;
    struct plan_alloc *alloc;
    struct plan_buffer *buffer;
    struct plan_trace *trace;
    struct plan_event *event;
    struct plan_peak *peak;
    struct plan_space *space;
    uint32_t nalloc, nbuffer, ntrace, nevent, npeak, nspace;
    bool has_ranges;      /* live ranges were read */
    int64_t end_order;    /* HloLiveRange (max N), -1 */
    int64_t peak_order;   /* Live ranges at N (peak), -1 */
    int64_t total_used;   /* Total bytes used, -1 */
    int64_t scoped_vmem;  /* spec: memory viewer 2.6; -1: no program known */
    int64_t opaque_calls; /* custom calls whose scratch is not in the plan; -1: no program known */
    int64_t opaque_io;    /* plan sizes of their operands and results */
    uint64_t busy;        /* buffers with more heap events than alloc_order and free_order can say */
    uint64_t fault[PLAN_FAULTS];
    struct err fault_at[PLAN_FAULTS]; /* the first of each kind */
    struct hlo_module *hlo;           /* from a proto, or the one linked; NULL: none */
    bool owns_hlo;
    struct map text; /* strings that many values share */
    struct arena arena;
};

/* ---- reading ---- */
/* Read every plan of the bytes of `in` (after inp_whole): buffer-assignment text of any version (or the live
 * ranges alone), HloProto, a capture's embedded programs, out-of-memory messages in a log.  on_plan gets each
 * one and owns it (plan_free); nonzero from it stops.  0; -1 with e set: what came before the fault has been
 * handed over.  more[0 .. nmore): texts of the same plan in files of their own (live ranges, values). */
struct inp;
typedef int plan_on(struct plan *p, void *ctx);
int plan_read(const struct inp *in, const struct inp *more, size_t nmore, plan_on *on_plan, void *ctx,
              struct err *e);
/* The same for the file at path, "-" being standard input: opens it and, for a *-buffer-assignment.txt, the
 * -live-range.txt and -buffer-assignment-values.txt beside it.  The bytes are there until it returns: on_plan
 * must be done with the plan by then.  A text's module is named by the HLO text of the same stem beside
 * it, else by its file (module_0001.NAME.stage-...), else it is the stem. */
int plan_read_path(const char *path, plan_on *on_plan, void *ctx, struct err *e);
void plan_free(struct plan *p);

/* Join a plan read from text with its program: about, and shapes and sources of the peak rows.  The module
 * must outlive the plan.  A proto's plan is linked already. */
void plan_link(struct plan *p, struct hlo_module *m);

/* ---- for readers ---- */
struct plan *plan_new(enum plan_source source, const char *file);
/* Give each buffer its trace, orders and share_with from p->event, and count what does not fit. */
void plan_orders(struct plan *p);
/* Count values beyond their allocation, and values alive on the same bytes (by start and end; a plan without
 * live ranges has none).  O(n log n). */
void plan_check(struct plan *p);
/* Fill p->space from the allocations, lowest memory space first. */
void plan_spaces(struct plan *p);
/* One more fault of that kind; the first keeps its place (byte or line as unit says). */
void plan_fault(struct plan *p, enum plan_fault k, enum err_unit unit, uint64_t at, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));
#endif
