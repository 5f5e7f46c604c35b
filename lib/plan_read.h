/* What plan_read is made of: one reader for each form.  Ownership as in plan.h. */
#ifndef PLAN_READ_H
#define PLAN_READ_H
#include "inp.h"
#include "plan.h"

struct plan_text { /* a text that may hold several plans, one after the other */
    struct str left;
    uint64_t line; /* of the line last read */
    const char *file;
};
bool plan_text_is(struct str text); /* does it hold a section of a buffer assignment? */
/* The next plan: 1, 0 at the end, -1 with e set where the text is cut; *out is then what came before it.
 * more[0 .. nmore) are texts of the same plan: its live ranges, its values. */
int plan_text_next(struct plan_text *t, struct plan_text *more, size_t nmore, struct plan **out,
                   struct err *e);

/* The plan of an HloProto (spec: memory viewer 2.1-2.3): 0, or -1 with e set.  A proto without a buffer
 * assignment gives *out = NULL and 0. */
int plan_proto_read(const void *p, size_t n, const char *file, const void *base, struct plan **out,
                    struct err *e);

/* Every out-of-memory message of a log, one plan each; a message that was met before is left out.  Returns
 * how many there are. */
uint64_t plan_log_read(const struct inp *in, plan_on *on_plan, void *ctx);

/* ---- shared ---- */
/* Joining a plan with p->hlo: each instruction is described once, on demand. */
struct plan_link {
    struct plan *p;
    const struct plan_about **about; /* by instruction */
    struct map value;                /* "name{index}" -> index into size: what the plan gives a value */
    int64_t *size;
    uint64_t leaves; /* looked at so far */
    struct buf b;
};
void plan_link_init(struct plan_link *l, struct plan *p);
void plan_link_free(struct plan_link *l);
const struct plan_about *plan_about_of(struct plan_link *l, uint32_t instr);
void plan_kernels(struct plan_link *l); /* scoped_vmem, opaque_calls, opaque_io */

extern const struct plan_buffer plan_no_buffer; /* everything unknown */
/* The text as a string of the plan's own: equal ones are kept once. */
struct str plan_keep(struct plan *p, struct str s);
/* Fill what a peak row can take from the buffer: shape, kind, memory space, unpadded size, about. */
void plan_peak_of(struct plan *p, const struct plan_buffer *b, struct plan_peak *k);
/* A printed shape without blanks and comments: the text itself where it has none, else a copy. */
struct str plan_bare_shape(struct str text, struct arena *a);
#endif
