/* What would lower a peak: the program's holds are changed as if a cause were gone, and the peak is taken
 * again.  Everything here is a guess: nothing was compiled or run.
 *
 * Rows borrow from the plan. */
#ifndef SHRINK_H
#define SHRINK_H
#include "live.h"

enum shrink_cause {
    SHRINK_LAYOUT_COPY, /* values that only change a layout: what they copy stays in their place */
    SHRINK_BF16,        /* f32 temporaries at half the size */
    SHRINK_RECOMPUTE,   /* temporaries made early and next used after the peak: dropped in between */
    SHRINK_UNDONATED,   /* arguments that an output of the same shape could take over */
    SHRINK_PADDING,     /* every value at its unpadded size */
    SHRINK_CAUSES
};
const char *shrink_cause_name(enum shrink_cause c);

struct shrink {
    struct shrink_row {
        enum shrink_cause cause;
        bool all;                   /* the whole cause; else the values of one source line or op_name */
        struct str source, op_name; /* "": not told; op_name only where there is no source */
        uint32_t buffers;
        int64_t touched;     /* their sizes, summed */
        int64_t peak_after;  /* with the fixed part */
        int64_t cause_after; /* peak_after of the whole cause */
        uint32_t largest;    /* of the values, in plan->buffer */
    } * row;                 /* cause by cause, what helps most first */
    size_t n;
};
void shrink_peak(const struct live *l, struct shrink *s);
void shrink_free(struct shrink *s);
#endif
