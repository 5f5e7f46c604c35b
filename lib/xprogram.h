/* The programs embedded in a capture, as table hlo and as files. */
#ifndef XPROGRAM_H
#define XPROGRAM_H
#include "hlo_embed.h"
#include "xsurvey.h"

struct xembedded {
    struct str module; /* without the number in parentheses */
    uint64_t id;
    struct str proto;
    int64_t time_ps; /* 0: not seen to run */
    uint64_t runs;
};
struct xprograms {
    struct xembedded *v;
    size_t n, cap;
};
/* All of them, in file order: 0, -1 after the good ones.  Free v. */
int xprograms_read(struct xprograms *x, const struct xspace *s, const struct xsurvey *v, struct err *e);
/* The one that ran longest, else the largest; NULL: there are none. */
const struct xembedded *xprograms_main(const struct xprograms *x);
void xtable_hlo(struct tab *t, const struct xprograms *x);

/* "<module>(<id>).hlo_proto.pb", without characters that would leave the folder. */
void xembedded_file(const struct xembedded *x, struct buf *name);
/* Write it as dir/name, complete or not at all: 1 written, 0 a file with the same bytes was there, -1: an
 * error, also where other bytes stand there already (never replaced). */
int xembedded_write(const struct xembedded *x, const char *dir, const char *name, struct err *e);
#endif
