#include "scene.h"

int scene_read(struct scene *x, const char *const *path, size_t npath, unsigned keep, struct err *e)
{
    struct tsv in;
    if (tsv_open(&in, path, npath, e)) return -1;
    int r = events_read(&x->t, &in, keep, e);
    tsv_close(&in);
    if (!(keep & EV_CALLS)) return r;
    x->l = launch_join(&x->t);
    launch_give_programs(&x->t, &x->l);
    x->h = threads_of(&x->t);
    x->s = steps_find(&x->t, &x->l);
    return r;
}

void scene_free(struct scene *x)
{
    steps_free(&x->s);
    threads_free(&x->h);
    launch_free(&x->l);
    events_free(&x->t);
}
