/* Where each instruction stands under the roof: time, executions, work, and what the hardware could do at
 * most.
 *
 * Rows of the attributed event table are added one after the other; held are the instructions, which
 * executions of them were seen, and the events open on each line.  Or rows of the instr table, which know no
 * time.  A struct roof owns all; start with {0}, free with roof_free. */
#ifndef ROOF_H
#define ROOF_H
#include "peaks.h"
#include "tsv.h"

enum roof_cell { /* columns that are passed on as they stand */
                 ROOF_DEVICE,
                 ROOF_MODULE,
                 ROOF_INSTR,
                 ROOF_OPCODE,
                 ROOF_OP_NAME,
                 ROOF_SOURCE,
                 ROOF_DTYPE,
                 ROOF_COST_FROM,
                 ROOF_CELLS
};

enum roof_place {                  /* what becomes of device time */
                  ROOF_ON,         /* has a place on the roofline */
                  ROOF_UNMATCHED,  /* no instruction is known for it */
                  ROOF_CONTAINER,  /* of a while, call or conditional itself */
                  ROOF_COPY,       /* memcpy, memset */
                  ROOF_COLLECTIVE, /* moved over links, not memory */
                  ROOF_NO_COST,    /* flops or bytes unknown */
                  ROOF_NO_PEAK,    /* the device's, or for this element type */
                  ROOF_PLACES
};
extern const char *const roof_place_name[ROOF_PLACES];

enum roof_kind { ROOF_WORK, ROOF_COPIES, ROOF_LINKS, ROOF_KINDS }; /* classes of events */

struct roof_row {
    struct str cell[ROOF_CELLS]; /* encoded */
    struct str program;          /* id, or name, "-": unknown; encoded */
    int64_t executions;          /* distinct ones, over all devices of this kind */
    int64_t time_ps[ROOF_KINDS]; /* self time */
    int64_t flops, bytes;        /* once per execution; in the instr table of one */
    bool no_flops, no_bytes;     /* unknown for at least one execution */
    bool container, unmatched;   /* unmatched: all such time of a device, no row of the table */
};

struct roof {
    struct roof_row *row; /* longest first once roof_done; from an instr table in its order */
    size_t nrow, cap;
    bool timed; /* from events */
    uint64_t
        disordered; /* events that start before one already seen on their line: nesting is a guess there */
    struct roof_in *in; /* private */
};

int roof_open(struct roof *r, const struct tsv *t,
              struct err *e);                                     /* which table it is, and its columns; -1 */
int roof_add(struct roof *r, const struct tsv *t, struct err *e); /* one row: 0, -1 */
void roof_done(struct roof *r);
void roof_free(struct roof *r);

int64_t roof_time(const struct roof_row *row); /* of all kinds, ps */

/* What a row comes to under its limits. */
struct roof_limit {
    double flops, bytes_per_s; /* 0: unknown */
    struct str label;          /* "read": a datasheet's; "capture"; "" */
    struct buf source;         /* free it */
};
struct roof_point {
    int64_t time_ps;                                   /* -1: no times */
    double intensity, flops_per_s, bytes_per_s, share; /* -1: unknown */
    const char *bound;                                 /* "compute", "memory"; NULL: unknown */
};
/* The limits for a row: figures of `first` (a user's file, a capture) win over those of `second`. Either may
 * be NULL. */
void roof_limits(struct roof_limit *l, const struct peak *first, const struct peak *second, struct str dtype);
void roof_point(struct roof_point *p, const struct roof_row *row, const struct roof_limit *l, bool timed);
/* Where the time of that kind of a row goes. */
enum roof_place roof_place(const struct roof_row *row, enum roof_kind kind, const struct roof_point *p);
#endif
