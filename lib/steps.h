/* Steps of a training loop, on each device: from the user's annotations, else from `Steps` lines, else from
 * the repeats of the program that runs longest.
 *
 * A device event belongs to the last step that began before it was launched (before it began, where no launch
 * is known).  A struct steps owns its array. */
#ifndef STEPS_H
#define STEPS_H
#include "launch.h"

enum step_source { STEP_NONE, STEP_ANNOTATION, STEP_LINE, STEP_MODULE, STEP_REPEAT };

struct step {
    uint32_t plane, number;       /* number: 0, 1, ... on each device; the same number is the same step */
    uint32_t label;               /* a name: the step_num of an annotation or the marker's name; EV_NONE */
    int64_t mark_start, mark_end; /* the annotation or marker; for repeats start and until */
    int64_t start, end;           /* first start and last end of its device events */
    int64_t until;                /* the next step's start, of the last step its end: steps tile the device */
    int64_t busy_ps;              /* of [start, until) */
    uint64_t events;              /* device events */
    bool cut;                     /* first or last, and with fewer events than the median */
    bool ended_last;              /* of all devices, in the step of this number */
    int64_t late_ps;              /* its end behind the first device's end of this step */
};
struct steps {
    struct step *step; /* by plane, then number; steps without device events are left out */
    size_t n;
    enum step_source source;
};
struct steps steps_find(const struct events *t, const struct launches *l);
void steps_free(struct steps *s);

const char *step_source_word(enum step_source s);
int64_t step_dur(const struct steps *s, const struct step *x); /* annotation: its own; else until - start */
int64_t step_median(const struct steps *s, uint32_t plane);    /* of step_dur over those not cut; 0: none */
/* The number of the step of median length (the longest of its devices), not cut on any; -1: there is none. */
int64_t step_median_number(const struct steps *s);
#endif
