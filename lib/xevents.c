#include "xevents.h"
#include "evpick.h"
#include "kind.h"
#include "opt.h"
#include "xrow.h"
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

static void put_header(struct tab *t)
{
    static const struct column column[] = {
#include "event_columns.h"
    };
    for (size_t k = 0; k < sizeof column / sizeof *column; k++) tab_texts(t, column[k].name);
    tab_end(t);
}

static void put_rows(const struct inp *in, struct tab *t, struct err *e)
{
    struct xspace space = {0};
    const struct ev_pick all = {0};
    struct xrows rows = {.tab = t, .pick = &all};
    (void)xspace_read(&space, in->data, in->size, in->name, e);
    for (size_t p = 0; p < space.nplane; p++) {
        struct xnames names;
        (void)xnames_read(&names, &space, &space.plane[p], e);
        xrows_plane(&rows, &names);
        for (size_t i = 0; i < space.plane[p].nline; i++) (void)xrows_line(&rows, &space.plane[p].line[i], e);
        xnames_free(&names);
    }
    xrows_free(&rows);
    xspace_free(&space);
}

/* The capture's rows in `in`'s place. */
static int to_table(struct inp *in, struct err *e)
{
    struct out out;
    struct tab t;
    int fd = memfd_create("events", MFD_CLOEXEC), kept = fd < 0 ? -1 : dup(fd);
    const char *name = in->name;
    if (kept < 0) return err_set(e, name, "%s", strerror(errno));
    out_init(&out, fd, name);
    tab_init(&t, &out, false);
    put_header(&t);
    put_rows(in, &t, e);
    tab_free(&t);
    inp_close(in, e);
    if (!out_close(&out, e) && !lseek(kept, 0, SEEK_SET)) {
        *in = (struct inp){.name = name, .fd = kept};
        return 0;
    }
    close(kept);
    return -1;
}

int xevents_open(struct tsv *t, const char *path, struct err *e)
{
    struct inp in;
    if (inp_open(&in, path, e) || inp_whole(&in, e)) return -1;
    if (kind_of(in.data, in.size) == KIND_XPLANE && to_table(&in, e)) return -1;
    return tsv_open_inp(t, &in, e);
}
