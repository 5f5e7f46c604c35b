/* Liveness as the tables of liveness(1). */
#ifndef LIVE_TAB_H
#define LIVE_TAB_H
#include "live.h"
#include "modrun.h"
#include "opt.h"
#include "tsv.h"

extern const struct table
    live_tables[]; /* timeline summary peak lifetime blame shrink module run: live_columns.c */

enum live_sort { LIVE_BY_ORDER, LIVE_BY_SIZE, LIVE_BY_PADDING };

/* What the tables say of one module, worked out once. */
struct live_facts {
    int64_t layout_copy, scratch; /* bytes of layout copies, of custom calls' scratch; -1: opcodes unknown */
    int64_t padding, stack_temp, temp; /* -1 ... and below: see known */
    bool known;                        /* false: the replay met a fault, what depends on it is `-` */
    bool places;                       /* false: values overlap or pass their allocation's end */
    uint32_t largest;                  /* buffer that holds most at the peak, PLAN_NONE */
    int64_t largest_bytes;
    double fragmentation;
};
void live_facts(const struct live *l, struct live_facts *f);

/* What outlives a module: a row of `module`, and what `run` needs to know of it. */
struct live_brief {
    struct str module, largest_instr, largest_source; /* in the arena given */
    int64_t space, peak, argument, live_out, stack_temp, total, largest_bytes, layout_copy, opaque_calls;
    int64_t new_output; /* outputs that are no donated arguments */
    double fragmentation;
    enum live_basis basis;
    bool known;
};
void live_brief(const struct live *l, const struct live_facts *f, struct arena *a, struct live_brief *b);
/* Sorts: the largest peak first. */
uint64_t live_put_modules(struct tab *t, struct live_brief *b, size_t n);
/* The modules as a capture ran them, with what is known of each. */
uint64_t live_put_run(struct tab *t, const struct events *e, const struct modruns *r,
                      const struct live_brief *b, size_t n);

/* Each returns the number of rows. */
uint64_t live_put_timeline(struct tab *t, const struct live *l);
uint64_t live_put_summary(struct tab *t, const struct live *l, const struct live_facts *f);
uint64_t live_put_peak(struct tab *t, const struct live *l, uint32_t step, enum live_sort sort,
                       int64_t small);
uint64_t live_put_lifetime(struct tab *t, const struct live *l);
uint64_t live_put_blame(struct tab *t, const struct live *l);
uint64_t live_put_shrink(struct tab *t, const struct live *l);

/* Cells that several tables share: a number or `-` below 0; text or `-`. */
void live_number(struct tab *t, int64_t v);
void live_text(struct tab *t, struct str s);
void live_known(struct tab *t, bool is, int64_t v); /* may be negative; `-` if it is unknown */
#endif
