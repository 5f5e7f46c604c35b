/* A capture, pass 2: events become rows of the event table, in file order, without an allocation per event.
 *
 * What is constant for an event's name on a kind of line is formatted once (struct xcells, in names->arena):
 * its name, class, and the cells of all columns behind the times.  A row is a copy of these with the event's
 * own times and stats written over them. */
#ifndef XROW_H
#define XROW_H
#include "evpick.h"
#include "tsv.h"
#include "xnames.h"

struct xcells;

struct xevent {
    const struct xline *line;
    const struct xcells *cells;
    struct wire msg;
    int64_t id, offset_ps, dur_ps, occurrences;
    uint64_t number;  /* in the file, from 0 */
    int64_t start_ps; /* from the origin */
    bool aggregated;  /* occurrences instead of an offset */
    bool timed;       /* start_ps is good */
    enum ev_class class;
    struct vals own; /* what its own stats say */
};

struct xrow_counts {
    uint64_t events;      /* walked */
    uint64_t rows;        /* of a wanted class */
    uint64_t aggregated;  /* without a start */
    uint64_t nameless;    /* their metadata id is unknown */
    uint64_t unprintable; /* times beyond 64 bits, printed as '-' */
    uint64_t clocked;     /* with a device_offset_ps */
};

struct xrows {
    struct tab *tab; /* NULL: no rows */
    int (*each)(void *arg, struct xrows *r, const struct xevent *ev,
                struct err *e); /* NULL, or for each event */
    void *arg;
    const struct ev_pick *pick; /* classes; further columns: stats, also long_name and num_occurrences */
    struct xrow_counts count;
    struct xnames *names; /* of the current plane */
    /* private */
    struct str device; /* a cell */
    struct buf prefix, text, row;
    struct arena inflated; /* this event's compressed text */
};

/* Start with {0} and the public fields set.  For each plane xrows_plane, then its lines; xrows_free last. */
void xrows_plane(struct xrows *r, struct xnames *n);
int xrows_line(struct xrows *r, const struct xline *l, struct err *e); /* 0, -1 after the good rows */
void xrows_free(struct xrows *r);

/* For `each`: the cell of column col ("-": nothing); valid until the next call, or the end of the plane. */
struct str xevent_cell(struct xrows *r, const struct xevent *ev, unsigned col);
struct str xevent_name_cell(const struct xevent *ev);
#endif
