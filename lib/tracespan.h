/* Events that a trace writes as a beginning and an end (ph B E, b e): the beginnings wait here, by thread or
 * by id, innermost on top.  Owns copies of their texts. */
#ifndef TRACESPAN_H
#define TRACESPAN_H
#include "trace.h"

struct trace_span {
    char *text;
    size_t n;
    uint32_t below, next; /* 1 + index, 0: none; next: the free list */
};
struct trace_spans {
    struct map keys;
    uint32_t *top, free;
    struct trace_span *span;
    size_t ntop, nspan, top_cap, span_cap, open;
};
void trace_span_begin(struct trace_spans *s, const struct trace_event *ev);
/* The beginning that ev ends, its text appended to *text and taken apart into *begin; false: there is none.
 */
bool trace_span_end(struct trace_spans *s, const struct trace_event *ev, struct buf *text,
                    struct trace_event *begin);
/* Any beginning that is still open, for the end of the file: as above, false when there are none left. */
bool trace_span_left(struct trace_spans *s, struct buf *text, struct trace_event *begin);
void trace_spans_free(struct trace_spans *s);
#endif
