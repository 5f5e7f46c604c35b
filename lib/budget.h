/* Where the time of a stream and of a device goes: compute, collectives, copies, nothing.
 *
 * Every instant has one owner.  In a stream an overlap belongs to the earlier event; on an op line, where
 * events nest, the innermost event owns the instant.  On a device: compute, else collective, else copy
 * (memset is one), else nobody; so the four parts sum to the span exactly, whatever the streams do. */
#ifndef BUDGET_H
#define BUDGET_H
#include "events.h"
#include "ivl.h"

enum { BUDGET_COMPUTE, BUDGET_COLLECTIVE, BUDGET_MEMCPY, BUDGET_PARTS };

/* What one stream or op line did. */
struct owners {
    struct ivls own[BUDGET_PARTS];  /* disjoint: each instant once */
    struct ivls over[BUDGET_PARTS]; /* a stream's instants inside an event while an earlier one runs */
    int64_t overlap_ps; /* of each event with those before it; on an op line: of events that cross */
    int64_t sum_ps;     /* of the durations; on an op line of the self times */
    uint64_t events;
    struct ivl span; /* first start to last end; empty: no events */
};
struct owners budget_line(const struct events *t, const struct event_line *l);
void budget_owners_free(struct owners *o);

/* What a device did.  `part`: the union of its lines, so the parts overlap; `own`: without what an earlier
 * part has; `busy`: all of it. */
struct device_time {
    struct ivls part[BUDGET_PARTS], own[BUDGET_PARTS], busy;
    uint64_t events;
    int64_t sum_ps; /* of the durations (op lines: self times) */
    struct ivl span;
};
struct device_time budget_device(const struct events *t, uint32_t plane);
void budget_device_free(struct device_time *d);

struct budget {
    int64_t span_ps, part_ps[BUDGET_PARTS], idle_ps;
    int64_t hidden_ps[BUDGET_PARTS]; /* under a part that comes first; devices only */
};
struct budget budget_of_line(const struct owners *o, struct ivl window);
struct budget budget_of_device(const struct device_time *d, struct ivl window);

unsigned budget_part(unsigned event_class); /* BUDGET_PARTS: no device work */
#endif
