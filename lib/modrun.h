/* The programs of a capture in the order in which they ran, from its events: runs of module lines (TPU), else
 * stretches of device work of one program on the first device that has any.
 *
 * struct modruns owns its rows; text in them belongs to the events. */
#ifndef MODRUN_H
#define MODRUN_H
#include "events.h"

struct modruns {
    struct modrun {
        uint32_t program;   /* in events.program */
        uint64_t runs;      /* without another program between; stretches if they are not counted */
        bool counted;       /* the capture tells its runs apart */
        int64_t start, dur; /* of the first; the sum of all, ps */
        struct str caller;  /* the host call that did it, "" if the capture does not tell */
    } * row;
    size_t n;
    int64_t total; /* ps, of all runs */
    uint64_t all;  /* runs */
    uint32_t top;  /* the program with most time, EV_NONE: no runs */
    int64_t top_ps;
    uint64_t top_runs;
    uint32_t programs;  /* different ones */
    bool fragmented;    /* many small programs run beside (or instead of) the top one: no jit around them */
    struct str callers; /* of the small ones: "PjitFunction(add) 12, ..." the most frequent first; owned */
};
enum { MODRUN_CLASSES = EV_DEVICE | EV_BIT(EV_MODULE) | EV_BIT(EV_HOST) }; /* to keep in events_read */
void modruns_make(const struct events *t, struct modruns *r);
void modruns_free(struct modruns *r);
#endif
