/* A trace's events as rows of the event table: the same columns as from a capture, filled from args. */
#ifndef TRACEROW_H
#define TRACEROW_H
#include "evcol.h"
#include "evpick.h"
#include "trace.h"
#include "tracespan.h"
#include "tsv.h"

enum { TRACE_CACHE = 4096 };

struct trace_rows {
    struct tab *tab; /* NULL: no rows, sums only */
    struct trace *trace;
    const struct ev_pick *pick;
    uint64_t complete;    /* X events, which the writer's cap counts */
    uint64_t number;      /* of the next event, counted whether it is picked or not */
    uint64_t rows, other; /* other: flows and phases that are no events of ours */
    uint64_t timeless;    /* without a time that can be read: start_ps - */
    uint64_t unended, unbegun;
    int64_t origin_us; /* subtracted: times since the epoch do not fit 64 bits of ps */
    /* private */
    bool started;
    struct trace_spans spans;
    struct vals vals;
    struct buf text, name, source, span;
    struct arena arena;
    struct trace_hash {
        uint64_t hash;
        unsigned value;
    } cache[TRACE_CACHE];
};

void trace_row(struct trace_rows *r, const struct trace_event *ev); /* any phase but M */
void trace_rows_end(struct trace_rows *r);                          /* rows for what has no end */
void trace_rows_free(struct trace_rows *r);
#endif
