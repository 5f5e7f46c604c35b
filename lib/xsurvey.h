/* What a walk over all events finds besides the events themselves: sums per line, runs of programs and how
 * long each program ran, steps, counters, and how far a second clock is off.
 *
 * Rows that follow from one event are written at once; kept are the lines, the programs, the runs, and the
 * graph launches (to give the time of a graph's kernels to their program). */
#ifndef XSURVEY_H
#define XSURVEY_H
#include "xrow.h"

struct xline_sum {
    uint64_t events, aggregated;
    int64_t first_ps, last_ps, dur_ps; /* first > last: no event has a time */
    uint32_t classes;                  /* 1 << class */
};

struct xprogram {
    uint64_t id;
    int64_t work_ps;   /* of kernels, copies and ops */
    int64_t module_ps; /* of module lines, where there are some */
    uint64_t runs;     /* 0: the capture does not say */
};

struct xspread { /* of a difference */
    uint64_t n;
    int64_t least, most;
};

struct xrun;

struct xsurvey {
    struct tab *module, *step, *counter; /* NULL: not wanted */
    uint64_t rows[3];                    /* written to these */
    struct xline_sum *line;              /* of every line of every plane, in file order */
    size_t nline, at;                    /* at: the current one */
    struct xprogram *program;
    size_t nprogram;
    struct xspread clock_start, clock_dur; /* line's minus device's, ps */
    /* private */
    size_t program_cap, run_cap;
    struct map64 program_at, launched, waiting;
    struct map runs;
    struct xrun *run;
};

void xsurvey_init(struct xsurvey *s, const struct xspace *space); /* then set the tables that are wanted */
/* Every event of the planes and lines that `pick` (NULL: all) picks. */
int xsurvey_walk(struct xsurvey *s, const struct xspace *space, const struct ev_pick *pick, struct err *e);
void xsurvey_free(struct xsurvey *s);
/* How long a program ran, by the best record there is; 0: not known. */
int64_t xprogram_ps(const struct xprogram *p);
const struct xprogram *xsurvey_program(const struct xsurvey *s, uint64_t id); /* NULL: it did not run */
#endif
