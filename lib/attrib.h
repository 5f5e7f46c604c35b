/* Attribution of an event table, row by row: what cmd/attrib does between reading and closing.
 *
 * Rows of other planes pass at once; those of a device are held until the plane ends, because a graph is
 * understood from all its launches.  Output order is input order.  The caller owns the tables and programs.
 */
#ifndef ATTRIB_H
#define ATTRIB_H
#include "evclass.h"
#include "match.h"
#include "programs.h"

struct attrib_cols {
    int plane, line, name, cls, start, dur, module, program, op, correlation, graph, node, flops, bytes,
        source;
};

/* What happened to device time: one entry per plane, program, instruction, kernel name, class and reason. */
struct fact {
    uint32_t plane, program, instr, name;
    uint8_t match, reason, cls;
    uint64_t events, executions, ps;
};

struct held_row {
    size_t at;                     /* in attrib.text */
    uint32_t n, event;             /* its place among the match events; UINT32_MAX: not device work */
    uint32_t name, program, instr; /* exact rows of op lines; names of all device work */
    uint8_t cls;
    bool exact, timed; /* timed: counts as device time */
    int64_t start, dur;
    uint32_t line;
};

struct attrib {
    struct programs *programs;
    struct matcher match;
    uint32_t *matched; /* program -> the matcher's */
    uint32_t *found;   /* and back */
    size_t matched_cap, found_cap;
    uint32_t fallback; /* --program; PROGRAM_NONE */
    struct tab *event; /* NULL: not asked for */
    const struct tsv *in;
    struct attrib_cols col;
    struct map planes, lines;
    uint32_t plane; /* current */
    bool device;    /* its rows are held */
    bool *done;     /* per plane: seen before */
    size_t done_cap;
    struct buf text; /* held rows */
    struct held_row *row;
    size_t nrow, row_cap;
    struct match_event *ev;
    struct match_result *result;
    size_t nev, ev_cap;
    struct map64 executions; /* op lines: program, instruction, line -> how many so far */
    struct map facts_key;
    struct fact *fact;
    size_t nfact, fact_cap;
    struct self_stack { /* op lines: events that are still open */
        uint32_t line;
        struct self_item {
            int64_t end;
            uint32_t fact;
        } * open;
        size_t n, cap;
    } self;
    struct buf out;
    char last_module[256], last_id[32]; /* cells of the row before, and its program */
    uint32_t last_program;
    /* for the messages */
    uint64_t held_max, named, unknown_names; /* annotated rows; those whose instruction is not in the HLO */
    uint64_t split_planes, no_hlo, source_differs, flops_differ;
};

int attrib_open(struct attrib *a, const struct tsv *in, struct programs *p, struct tab *event, struct err *e);
int attrib_row(struct attrib *a, struct err *e); /* the current row of the table */
void attrib_end(struct attrib *a);               /* the last plane ends */
void attrib_free(struct attrib *a);

/* Tables made from the facts, by name ("how", "kernel", "op", "line", "scope", "folded", "summary"). */
void attrib_table(struct attrib *a, const char *name, unsigned depth, struct tab *t);
#endif
