/* A trace.json as sums per line, for comparing it with its capture: from the file itself or trace2tsv's
 * table. Owns its keys and sums; start with {0}. */
#ifndef JSONSIDE_H
#define JSONSIDE_H
#include "events.h"

struct json_side {
    struct map key;            /* plane TAB line TAB low 32 bits of the line's id, cells */
    struct event_tally *tally; /* by key */
    size_t cap;
    uint64_t rows;    /* complete events: what the writer's cap counts */
    uint64_t damaged; /* events that could not be read */
    bool viewer;      /* the trace viewer's export, which is another thing (spec: xplane 1.10) */
};
int json_side_read(struct json_side *s, const char *path, struct err *e);
bool json_side_capped(const struct json_side *s);
void json_side_free(struct json_side *s);
/* The key of a line; id as it is in the table. */
void json_side_key(struct buf *b, struct str plane, struct str line, struct str id);
#endif
