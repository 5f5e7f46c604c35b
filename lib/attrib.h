/* Attribution of an event table, row by row: what cmd/attrib does between reading and closing.
 *
 * Rows of the host pass at once; those of a device are held until its plane ends, because a graph is
 * understood from all its launches.  Output order is input order.  The caller owns the table, the programs
 * and the sinks; everything else is freed by attrib_free. */
#ifndef ATTRIB_H
#define ATTRIB_H
#include "evclass.h"
#include "match.h"
#include "programs.h"

struct attrib_cols {
    int plane, line, line_id, name, cls, start, dur, module, program, op, correlation, graph, node;
    int flops, bytes, source; /* of the trace */
};

/* What became of device time: one entry per plane, program, instruction, kernel name, class and reason. */
struct fact {
    uint32_t plane, program, instr, name; /* program: PROGRAM_NONE; instr: HLO_NONE */
    uint32_t source;                      /* in attrib.sources, where the trace says it; MAP_NONE */
    uint8_t match, reason, cls;           /* enum match_class, match_reason, ev_class */
    uint64_t events, executions, ps;      /* ps: self time */
};

struct held_row {
    size_t at;         /* in attrib.text, n bytes */
    uint32_t n, event; /* its place among the match events; UINT32_MAX: it is not on a stream */
    uint32_t name, line, program, instr, source;
    uint8_t cls;
    bool traced;   /* it says its own flops, bytes or source */
    bool misnamed; /* it names an instruction that its program does not have */
    int64_t start, dur;
};

/* What is said of one row. */
struct verdict {
    uint8_t match, reason;
    uint32_t program, instr;
    uint32_t other[2]; /* candidates of REASON_AMBIGUOUS */
    uint64_t execution;
    uint32_t part, parts;
};

struct attrib {
    const struct tsv *in;
    struct programs *programs;
    const struct thunk_lists *thunks; /* --thunks */
    struct tab *event;                /* NULL: not asked for */
    struct attrib_cols col;
    uint32_t fallback; /* --program; PROGRAM_NONE */
    struct matcher match;
    uint32_t *matched, *found; /* program -> the matcher's + 1, and back */
    size_t matched_cap, found_cap;
    struct map planes, lines, sources;
    uint32_t plane; /* the current one */
    bool device;    /* its rows are held */
    bool *ended;    /* per plane */
    size_t ended_cap;
    struct buf text;
    struct held_row *row;
    size_t nrow, row_cap;
    struct match_event *ev;
    struct match_result *result;
    size_t nev, ev_cap, result_cap;
    struct map64 executions; /* op lines: program, instruction, line -> how many so far */
    struct map fact_keys;
    struct fact *fact;
    size_t fact_cap;
    struct open_events { /* of an op line */
        uint32_t line;
        struct open_event {
            int64_t end;
            uint32_t fact;
        } * at;
        size_t n, cap;
    } open;
    struct buf last_id, last_module, last_line; /* cells of the row before, */
    uint32_t last_program, last_line_index;     /* and what they were */
    struct buf scratch;
    /* for the messages */
    uint64_t named, misnamed; /* rows that name an instruction; of these, those whose program lacks it */
    uint64_t split_planes;    /* planes that came in pieces */
    uint64_t source_differs, cost_differs; /* the trace says otherwise than the HLO */
    size_t held_max;                       /* bytes of rows held at once */
};

int attrib_open(struct attrib *a, const struct tsv *in, struct programs *p, struct err *e);
int attrib_row(struct attrib *a, struct err *e); /* the current row of the table */
void attrib_end(struct attrib *a);               /* the table ends */
void attrib_free(struct attrib *a);

/* Write a row with what is said of it (attrib_row.c). */
void attrib_put(struct attrib *a, struct str row, const struct verdict *v, bool traced);
void attrib_pass(struct attrib *a, struct str row);
/* Count its device time (attrib_time.c). nested: it lies on an op line, in start order. */
void attrib_count(struct attrib *a, const struct held_row *h, const struct verdict *v, bool nested);

/* Tables made from the facts, by name: how, kernel, op, line, scope, folded, summary (attrib_table.c). */
void attrib_table(struct attrib *a, const char *name, unsigned depth, struct tab *t);
#endif
