#include "scene.h"
#include "kind.h"

/* A file that is clearly something else is called by its name. */
static int not_a_table(const struct tsv *in, struct err *e)
{
    enum kind k = kind_of(in->head, in->nhead);
    if (!in->nhead || k == KIND_TABLE || k == KIND_TEXT || k == KIND_BINARY || k == KIND_LOG) return -1;
    *e = (struct err){0};
    return err_set(e, in->name, "no event table: this is %s", kind_says(k));
}

int scene_read(struct scene *x, const char *const *path, size_t npath, unsigned keep, struct err *e)
{
    struct tsv in;
    if (tsv_open(&in, path, npath, e)) return not_a_table(&in, e);
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
