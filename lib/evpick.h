/* Which events a user asked for, and which stats as further columns: the options -p -n -c -s of the
 * converters.
 *
 * Start with {0}; what it points to is freed by ev_pick_free. */
#ifndef EVPICK_H
#define EVPICK_H
#include "err.h"
#include "evclass.h"
#include "opt.h"
#include "re.h"

enum { EV_EXTRA = 40 }; /* at most so many further columns */

struct ev_pick {
    regex_t *plane, *line;      /* NULL: all */
    uint32_t classes;           /* 1 << class; 0: all */
    struct str extra[EV_EXTRA]; /* stats, by their own names */
    unsigned nextra;
};

/* An extended regular expression for -p or -n; a bad one is an error. */
int ev_pick_pattern(regex_t **p, const char *re, struct err *e);
int ev_pick_classes(struct ev_pick *p, const char *list, struct err *e); /* "kernel,memcpy" */
/* "KEY,...": each appended to columns (which end at the first without a name and have room for EV_EXTRA
 * more), unless a column of that name is there.  The list must stay. */
int ev_pick_stats(struct ev_pick *p, const char *list, struct column *columns, struct err *e);
void ev_pick_free(struct ev_pick *p);

bool ev_picks_plane(const struct ev_pick *p, struct str plane);
bool ev_picks_line(const struct ev_pick *p, struct str line);
static inline bool ev_picks_class(const struct ev_pick *p, enum ev_class c)
{
    return !p->classes || p->classes >> c & 1;
}
#endif
