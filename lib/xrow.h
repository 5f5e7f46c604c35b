/* A capture, pass 2: events become rows of the event table, in file order, without an allocation per event.
 *
 * What is constant for an event's name on a kind of line is formatted once (struct xcells, in names->arena):
 * its name, class, and the cells of all columns behind the times.  A row is a copy of these with the event's
 * own times and stats written over them. */
#ifndef XROW_H
#define XROW_H
#include "tsv.h"
#include "xnames.h"

enum { XROW_EXTRA = 40 }; /* at most so many extra columns */

struct xrow_counts {
    uint64_t events;      /* walked */
    uint64_t rows;        /* written */
    uint64_t aggregated;  /* without a start */
    uint64_t nameless;    /* their metadata id is unknown */
    uint64_t unprintable; /* times beyond 64 bits, printed as '-' */
    uint64_t clocked;     /* with a device_offset_ps */
};

struct xrows {
    struct tab *tab;
    struct str extra[XROW_EXTRA]; /* stats to add as columns; also long_name, num_occurrences */
    unsigned nextra;
    uint32_t classes; /* 1 << class: those wanted */
    struct xrow_counts count;
    /* private */
    struct xnames *names;
    struct str device; /* a cell */
    struct buf prefix, text, row;
};

/* Start with {0}, tab, extra, classes set.  For each plane xrows_plane, then its lines; xrows_free last. */
void xrows_plane(struct xrows *r, struct xnames *n);
int xrows_line(struct xrows *r, const struct xline *l, struct err *e); /* 0, -1 after the good rows */
void xrows_free(struct xrows *r);
#endif
