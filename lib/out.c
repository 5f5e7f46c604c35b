#include "out.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

void out_init(struct out *o, int fd, const char *name)
{
    *o = (struct out){.name = name, .fd = fd, .cap = 1 << 18};
    o->p = mem_realloc(NULL, o->cap, 1);
    (void)fcntl(fd, F_SETPIPE_SZ, 1 << 20); /* a pipe: fewer switches between the two ends; else no effect */
}

int out_flush(struct out *o)
{
    for (size_t at = 0; at < o->n && !o->error;) {
        ssize_t r = write(o->fd, o->p + at, o->n - at);
        if (r >= 0)
            at += (size_t)r;
        else if (errno != EINTR)
            o->error = errno;
    }
    o->n = 0;
    return o->error ? -1 : 0;
}

char *out_more(struct out *o, size_t n)
{
    out_flush(o);
    o->p = mem_grow(o->p, &o->cap, n, 1);
    return o->p;
}

int out_close(struct out *o, struct err *e)
{
    out_flush(o);
    free(o->p);
    o->p = NULL;
    if (o->fd >= 0 && close(o->fd) && !o->error) o->error = errno;
    o->fd = -1;
    return o->error ? err_set(e, o->name, "write error: %s", strerror(o->error)) : 0;
}
