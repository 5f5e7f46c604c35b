/* The log reader's two halves: plan_log.c finds messages and their lines, plan_log_keys.c knows what stands
 * behind each key. */
#ifndef PLAN_LOG_H
#define PLAN_LOG_H
#include "plan_read.h"

struct plan_log {
    struct plan *p; /* the message at hand, NULL: none */
    size_t space_cap, peak_cap;
    uint32_t space;  /* the one that lines speak of */
    bool totals;     /* inside "Total X usage": reserved, program, arguments follow */
    bool unsized;    /* the last row waits for "Scoped allocation with size" */
    struct map seen; /* messages as text: a traceback prints them again */
    struct map tag;  /* of hosts, "-": none */
    size_t *read;    /* by tag: how far its lines have been read */
    size_t nread, read_cap;
    uint64_t patience; /* bytes of others' lines that may still be passed over */
    uint64_t messages;
    const char *file;
    plan_on *on_plan;
    void *ctx;
    bool stop;
};

struct plan_log_key {
    const char *text;                              /* NULL ends the list */
    void (*read)(struct plan_log *, struct str *); /* the cursor behind the key: moved behind what was read */
    bool opens;                                    /* a message may begin with it */
    bool field; /* it has a line to itself: no word stands right before it, as in "Batch Size: 8" */
};
extern const struct plan_log_key plan_log_keys[];

void plan_log_begin(struct plan_log *r); /* a new message; the one at hand is handed over */
/* The message's row for a memory space, by name in lower case; lines then speak of it. */
struct plan_space *plan_log_space(struct plan_log *r, struct str name);
struct plan_space *plan_log_here(struct plan_log *r); /* the one that lines speak of */
struct plan_peak *plan_log_row(struct plan_log *r);   /* a new buffer in it */
#endif
