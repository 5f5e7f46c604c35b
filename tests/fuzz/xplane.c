/* Any bytes as a capture: all tables end with rows or an error. */
#include "mem.h"
#include "xprogram.h"
#include "xtable.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static void events(const struct xspace *s, struct tab *t)
{
    static const struct ev_pick pick = {
        .extra = {STR("long_name"), STR("num_occurrences"), STR("kernel_details")}, .nextra = 3};
    struct xrows r = {.tab = t, .pick = &pick};
    struct err e = {0};
    for (size_t i = 0; i < s->nplane; i++) {
        struct xnames n;
        xnames_read(&n, s, &s->plane[i], &e);
        xrows_plane(&r, &n);
        for (size_t k = 0; k < s->plane[i].nline; k++) xrows_line(&r, &s->plane[i].line[k], &e);
        xnames_free(&n);
    }
    xrows_free(&r);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    static const struct ev_pick all;
    struct xspace s;
    struct xsurvey v;
    struct xprograms x = {0};
    struct out out;
    struct tab t;
    struct err e = {0};
    out_init(&out, open("/dev/null", O_WRONLY), "null");
    tab_init(&t, &out, n & 1);
    xspace_read(&s, data, n, "fuzz", &e);
    events(&s, &t);
    xsurvey_init(&v, &s);
    v.module = v.step = v.counter = &t;
    xsurvey_walk(&v, &s, &all, &e);
    xtable_line(&t, &s, &v, &all);
    xtable_plane(&t, &s, &all, &e);
    xtable_stat(&t, &s, &all, &e);
    xtable_meta(&t, &s, &v, "fuzz", &e);
    xprograms_read(&x, &s, &v, &e);
    xtable_hlo(&t, &x);
    free(x.v);
    xsurvey_free(&v);
    xspace_free(&s);
    tab_free(&t);
    out_close(&out, &e);
    return 0;
}
