/* The event table in memory: what the analyses over time work on.
 *
 * A struct events owns everything in it; start with {0}, events_free releases it.  Names are interned: the
 * encoded cell is kept once, an event holds its number.  48 bytes an event; classes that no analysis asked
 * for are counted on their line and not kept. */
#ifndef EVENTS_H
#define EVENTS_H
#include "evclass.h"
#include "map.h"
#include "tsv.h"

#define EV_BIT(c) (1u << (c))
enum {
    EV_DEVICE =
        EV_BIT(EV_KERNEL) | EV_BIT(EV_COLLECTIVE) | EV_BIT(EV_MEMCPY) | EV_BIT(EV_MEMSET) | EV_BIT(EV_OP),
    EV_API = EV_BIT(EV_LAUNCH) | EV_BIT(EV_GRAPH_LAUNCH) | EV_BIT(EV_SYNC) | EV_BIT(EV_ALLOC),
    EV_LAUNCHES = EV_BIT(EV_LAUNCH) | EV_BIT(EV_GRAPH_LAUNCH),
    EV_CALLS = EV_API | EV_BIT(EV_HOST),
    EV_ALL = (1u << EV_CLASSES) - 1
};
#define EV_NONE UINT32_MAX

struct event {
    int64_t start, dur; /* ps; dur is never negative here: the line counts those that were */
    uint64_t corr;      /* correlation id, or run id of a module or of what launched it (see flags) */
    uint32_t line, name;
    uint32_t program; /* EV_NONE: the event names none */
    uint32_t op;      /* the instruction (attrib's, else the tracer's hlo_op), of a step its number; a name */
    uint32_t graph;   /* graph id, a name; EV_NONE */
    uint8_t class, flags;
    uint16_t ordinal; /* a host call's device, where the table has a device_ordinal column */
};
#define EV_NO_ORDINAL UINT16_MAX
enum { OP_KNOWN = 1, OP_LAYOUT = 2, OP_REMAT = 4 }; /* OP_LAYOUT: moves data into another layout */
enum { EV_HAS_CORR = 1, EV_HAS_RUN = 2 };

struct event_plane {
    struct str name, device; /* cells; device `-` until one is seen */
    uint32_t process;        /* planes of one process share it: the " [pid]" behind the name */
    bool is_device, is_host;
    uint32_t ordinal; /* the number its name ends in; EV_NONE */
    uint64_t rows;
    uint32_t from, nline; /* its lines: events.by_plane[from .. from+nline) */
};

/* What the writer of trace.json makes of a line's events (spec: xplane 1.9): for comparing with such a file.
 */
struct event_tally {
    uint64_t n, names;                 /* names: sum of hashes, so that the order does not matter */
    int64_t sum, first, last;          /* ps; a duration under 1 ps is 1 */
    uint64_t async, internal, floored; /* left out: async lines, internal types; durations raised to 1 ps */
};
struct event_tally_row { /* one event, for the writer's cap */
    int64_t start, dur;
    uint64_t name;
    uint32_t line;
};

struct event_line {
    uint32_t plane;
    struct str name, id;
    bool nested; /* an op line: events lie inside each other */
    bool work;   /* has device work, and is a line of a device: a stream or op line */
    uint64_t rows, count[EV_CLASSES];
    uint64_t negative, unsorted; /* durations under 0; rows that start before the row above */
    int64_t first, last;         /* first start, last end */
    struct event_tally json;     /* with events.tally */
    uint64_t before_origin;      /* rows that start before 0 */
    int64_t before;              /* start of the row before */
    size_t from, n;              /* its kept events: event[from .. from+n), by start, longest first */
};

struct event_program {     /* one per id; without ids, per module */
    struct str module, id; /* cells; module: the first that is named */
};

struct events {
    struct event *event;
    size_t n, cap;
    struct event_plane *plane;
    struct event_line *line;
    struct event_program *program;
    uint32_t nplane, nline, nprogram;
    uint32_t *by_plane; /* line numbers, plane after plane */
    struct map name;    /* every name, op and graph id */
    uint8_t *op_mark;   /* by name, for instructions of an attributed table: OP_* */
    size_t op_marks;
    uint64_t rows, aggregated; /* aggregated: rows without a start, not counted in rows */
    int64_t first, last;       /* of everything */
    bool attributed;           /* the table has attrib's column instr: op is that alone */
    bool has_launches;         /* the table has a correlation_id column with something in it */
    struct map64
        clock; /* with a device_duration_ps column: its sum by program << 32 | op, device work only */
    bool tally, tally_rows; /* set before events_read: fill line.json; keep tally_row for the cap */
    struct event_tally_row *tally_row;
    size_t ntally, tally_cap;
    /* private */
    struct map planes, lines, programs, processes;
    struct arena arena;
    size_t plane_cap, line_cap, program_cap;
};

/* Read a whole event table; keep the events whose class is in `keep` (bits).  -1 with what was read before
 * the fault in place.  A missing column that is needed is an error that names the tool that makes it. */
int events_read(struct events *t, struct tsv *in, unsigned keep, struct err *e);
void events_free(struct events *t);
void event_tally_add(struct event_tally *y, int64_t start, int64_t dur, uint64_t name);

static inline int64_t event_end(const struct event *v) { return v->start + v->dur; } /* bounds were checked */
static inline bool event_is(const struct event *v, unsigned bits) { return EV_BIT(v->class) & bits; }
/* The k-th line of a plane, k < plane.nline. */
static inline const struct event_line *events_line(const struct events *t, uint32_t plane, uint32_t k)
{
    return &t->line[t->by_plane[t->plane[plane].from + k]];
}
static inline struct str event_name(const struct events *t, uint32_t name)
{
    return name == EV_NONE ? STR("-") : t->name.key[name];
}
#endif
