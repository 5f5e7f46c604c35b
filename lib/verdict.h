/* What a capture proves about a run, claim by claim: yes, no, unknown or a figure, each with its evidence.
 *
 * Three claims about a device are never merged: it is there, a backend is connected to it, it executed.
 * A struct verdicts owns its rows; their texts are cells (encoded). */
#ifndef VERDICT_H
#define VERDICT_H
#include "joblog.h"
#include "steps.h"
#include "threads.h"

struct verdict {
    const char *claim;
    struct str scope, value, evidence, how;
};
struct verdicts {
    struct verdict *row;
    size_t n, cap;
    struct arena arena;
};
void verdict_find(struct verdicts *v, const struct events *t, const struct launches *l, const struct steps *s,
                  struct threads *h);
/* A telling line of the job's log (joblog_read's callback, context a struct verdicts). */
void verdict_log_line(void *verdicts, enum joblog_kind k, uint64_t pid, struct str text, uint64_t line);
void verdict_free(struct verdicts *v);
#endif
