/* What an event is, from the names that tracers give to planes, lines, events and instructions (spec: xplane
 * 1.4-1.6, matching 1).  Plain functions on views; shared by the readers of captures and of trace JSON.
 *
 * kernel, collective, memcpy, memset and op are work of a device; everything else is not. */
#ifndef EVCLASS_H
#define EVCLASS_H
#include "buf.h"

enum ev_plane {
    PLANE_OTHER,  /* metadata, environment, per-chip counters ... */
    PLANE_HOST,   /* threads of the host */
    PLANE_GPU,    /* streams */
    PLANE_DEVICE, /* TPU cores, SparseCores, devices of plugins: op lines, or streams */
};

enum ev_line {
    LINE_DERIVED, /* made from other lines, or for looking at: never device time */
    LINE_HOST,
    LINE_STREAM,
    LINE_UNSURE, /* of a device, with a name nobody knows: the event's stats tell */
    LINE_OP,
    LINE_ASYNC,
    LINE_MODULE,
    LINE_STEP,
    LINE_COUNTER,
    LINE_KINDS
};

enum ev_class {
    EV_KERNEL,
    EV_COLLECTIVE,
    EV_MEMCPY,
    EV_MEMSET,
    EV_OP,
    EV_LAUNCH,
    EV_GRAPH_LAUNCH,
    EV_SYNC,
    EV_ALLOC,
    EV_HOST,
    EV_MODULE,
    EV_STEP,
    EV_COUNTER,
    EV_ASYNC,
    EV_OTHER,
    EV_CLASSES
};

/* What an event's stats say of its kind; see ev_refine. */
enum ev_hint {
    HINT_OP = 1,         /* an hlo_op */
    HINT_COLLECTIVE = 2, /* ... that is a collective */
    HINT_TRANSFER = 4,   /* ... that moves data (copy-start, infeed) */
    HINT_KERNEL = 8,     /* kernel_details */
    HINT_MEMCPY = 16,    /* memcpy_details */
    HINT_MEMSET = 32,    /* memset_details */
    HINT_CALL = 64,      /* a correlation_id: an API call or what it launched */
    HINT_CLOCK = 128,    /* device_offset_ps: a second clock */
    HINT_GRAPH = 256,    /* cuda_graph_id */
    HINT_API = 512       /* the name is that of a driver's or runtime's call */
};

const char *ev_class_name(enum ev_class c);
const char *ev_line_name(enum ev_line k); /* stream, op, derived, ... */
int ev_class_from(struct str name);       /* -1: no such class */
static inline bool ev_is_work(enum ev_class c) { return c <= EV_OP; }

enum ev_plane ev_plane_kind(struct str plane);
enum ev_line ev_line_kind(enum ev_plane plane, struct str line);

/* The class by the names alone.  `text`: the metadata name, on TPUs the whole instruction; `category`: its
 * hlo_category, or "". */
enum ev_class ev_classify(enum ev_line line, struct str name, struct str text, struct str category);
/* ... and by the event's stats (HINT_* or'ed). */
enum ev_class ev_refine(enum ev_class c, enum ev_line line, unsigned hints);

/* HINT_API where it is due.  Some tracers name a host call by the kernel that it launches. */
unsigned ev_name_hints(enum ev_line line, struct str name);
/* HINT_OP and what the opcode adds; op: an instruction's name ("all-reduce-start.3", also "outer::inner"). */
unsigned ev_op_hints(struct str op);
/* "%add.1 = f32[] add(...)": "add.1"; text that is no instruction: itself. */
struct str ev_instr_name(struct str text);
struct str ev_instr_opcode(struct str text); /* "add", or "" */
/* "jit_f(123)": "jit_f" and the digits "123"; without a number *id is empty. */
struct str ev_module_name(struct str text, struct str *id);
#endif
