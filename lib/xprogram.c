#include "xprogram.h"
#include "inp.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct ctx {
    struct xprograms *x;
    const struct xsurvey *survey;
};

static int on_program(const struct hlo_embedded *p, void *arg)
{
    struct ctx *c = arg;
    struct xprograms *x = c->x;
    const struct xprogram *ran = c->survey ? xsurvey_program(c->survey, p->id) : NULL;
    struct str digits;
    x->v = mem_grow(x->v, &x->cap, x->n + 1, sizeof *x->v);
    x->v[x->n++] = (struct xembedded){.module = ev_module_name(p->name, &digits),
                                      .id = p->id,
                                      .proto = p->proto,
                                      .time_ps = ran ? xprogram_ps(ran) : 0,
                                      .runs = ran ? ran->runs : 0};
    return 0;
}

int xprograms_read(struct xprograms *x, const struct xspace *s, const struct xsurvey *v, struct err *e)
{
    struct ctx c = {x, v};
    return hlo_embedded(s->base, s->size, s->file, on_program, &c, NULL, e);
}

const struct xembedded *xprograms_main(const struct xprograms *x)
{
    const struct xembedded *best = NULL;
    for (size_t i = 0; i < x->n; i++) {
        const struct xembedded *p = &x->v[i];
        if (!best || p->time_ps > best->time_ps ||
            (p->time_ps == best->time_ps && p->proto.n > best->proto.n))
            best = p;
    }
    return best;
}

/* What can be counted without unpacking: HloProto.hlo_module 1, HloModuleProto.computations 3,
 * HloComputationProto.instructions 2, HloProto.buffer_assignment 3. */
static void count(struct str proto, uint64_t *computations, uint64_t *instructions, bool *plan)
{
    struct wire w = wire_of(proto.p, proto.n), m, c;
    struct wire_field f = {0};
    *computations = *instructions = 0;
    *plan = false;
    while (wire_next(&w, &f) > 0) {
        *plan |= f.num == 3;
        if (f.num != 1 || f.type != WIRE_BYTES) continue;
        for (m = f.sub; wire_next(&m, &f) > 0;) {
            if (f.num != 3 || f.type != WIRE_BYTES) continue;
            ++*computations;
            for (c = f.sub; wire_next(&c, &f) > 0;) *instructions += f.num == 2;
        }
    }
}

void xtable_hlo(struct tab *t, const struct xprograms *x)
{
    const struct xembedded *best = xprograms_main(x);
    for (size_t i = 0; i < x->n; i++) {
        const struct xembedded *p = &x->v[i];
        uint64_t computations, instructions;
        bool plan;
        count(p->proto, &computations, &instructions, &plan);
        tab_text(t, p->module);
        tab_u64(t, p->id);
        tab_u64(t, p->proto.n);
        tab_u64(t, computations);
        tab_u64(t, instructions);
        tab_u64(t, plan);
        tab_i64(t, p->time_ps);
        if (p->runs)
            tab_u64(t, p->runs);
        else
            tab_none(t);
        tab_u64(t, p == best);
        tab_end(t);
    }
}

/* ---- files ---- */

void xembedded_file(const struct xembedded *x, struct buf *name)
{
    enum { LONGEST = 200 };
    for (size_t i = 0; i < x->module.n && i < LONGEST; i++) {
        char c = x->module.p[i];
        buf_c(name, (unsigned char)c <= ' ' || c == '/' || c == 0x7f || (c == '.' && !i) ? '_' : c);
    }
    if (!x->module.n) buf_puts(name, "NO_MODULE");
    buf_fmt(name, "(%llu).hlo_proto.pb", (unsigned long long)x->id);
}

static int write_all(int fd, struct str s)
{
    while (s.n) {
        ssize_t n = write(fd, s.p, s.n);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return -1;
        s = str_from(s, (size_t)n);
    }
    return 0;
}

static bool same_bytes(const char *path, struct str s)
{
    struct err e = {0};
    struct inp in;
    if (inp_open(&in, path, &e)) return false;
    bool same = !in.gz && !inp_whole(&in, &e) && str_eq(s, str_n(in.data, in.size));
    inp_close(&in, &e);
    return same;
}

int xembedded_write(const struct xembedded *x, const char *dir, const char *name, struct err *e)
{
    struct buf path = {0};
    int r = -1;
    buf_fmt(&path, "%s/%s", dir, name);
    const char *to = buf_cstr(&path);
    int fd = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0 && errno == EEXIST) {
        r = same_bytes(to, x->proto) ? 0 : err_set(e, NULL, "%s: other bytes stand there: not replaced", to);
    } else if (fd < 0) {
        err_set(e, NULL, "%s: %s", to, strerror(errno));
    } else {
        r = write_all(fd, x->proto) ? -1 : 1;
        if (close(fd)) r = -1;
        if (r < 0) {
            err_set(e, NULL, "%s: %s", to, strerror(errno));
            unlink(to);
        }
    }
    buf_free(&path);
    return r;
}
