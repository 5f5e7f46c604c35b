/* The tables about a capture as a whole: planes, lines, stats that are constant, embedded programs, meta. */
#ifndef XTABLE_H
#define XTABLE_H
#include "xsurvey.h"

extern const char
    *const xtable_capability[]; /* plane-level stats that are columns of table plane; NULL ends */

/* Each: 0, or -1 with e set after the good rows. */
int xtable_plane(struct tab *t, const struct xspace *s, const struct ev_pick *pick, struct err *e);
int xtable_stat(struct tab *t, const struct xspace *s, const struct ev_pick *pick, struct err *e);
void xtable_line(struct tab *t, const struct xspace *s, const struct xsurvey *v, const struct ev_pick *pick);
int xtable_meta(struct tab *t, const struct xspace *s, const struct xsurvey *v, const char *version,
                struct err *e);
#endif
