/* The tables about a capture as a whole: planes, lines, stats that are constant, embedded programs, meta. */
#ifndef XTABLE_H
#define XTABLE_H
#include "xsurvey.h"

extern const char
    *const xtable_capability[]; /* plane-level stats that are columns of table plane; NULL ends */

typedef bool xwant(void *arg, const struct xplane *,
                   const struct xline *); /* line NULL: the plane as a whole */

/* Each: 0, or -1 with e set after the good rows; want NULL: all. */
int xtable_plane(struct tab *t, const struct xspace *s, xwant *want, void *arg, struct err *e);
int xtable_stat(struct tab *t, const struct xspace *s, xwant *want, void *arg, struct err *e);
void xtable_line(struct tab *t, const struct xspace *s, const struct xsurvey *v, xwant *want, void *arg);
int xtable_meta(struct tab *t, const struct xspace *s, const struct xsurvey *v, const char *version,
                struct err *e);
#endif
