/* bigcap FILE N: the capture with every line's events N times over, one after the other in time, as a longer
 * capture of the same program would have them: names once, correlation ids distinct. */
#include "inp.h"
#include "mem.h"
#include "wire.h"
#include <stdio.h>
#include <stdlib.h>

_Noreturn void mem_oom(size_t wanted)
{
    fprintf(stderr, "out of memory: %zu\n", wanted);
    exit(2);
}

enum { CORRELATION_STEP = 1 << 24, PERIOD_GAP = 1000000 };

static void put(struct buf *b, uint64_t v)
{
    for (; v > 127; v >>= 7) buf_c(b, (char)(v | 128));
    buf_c(b, (char)v);
}

static void put_message(struct buf *b, uint32_t num, struct buf *m) /* empties m */
{
    put(b, num << 3 | WIRE_BYTES);
    put(b, m->n);
    buf_str(b, buf_view(m));
    m->n = 0;
}

static void copy(struct buf *b, const unsigned char *from, struct wire w)
{
    buf_put(b, from, (size_t)(w.p - from));
}

/* When the last event of the capture ends, from its line's start. */
static uint64_t period(struct wire space)
{
    struct wire_field p = {0}, l = {0}, e = {0}, f = {0};
    uint64_t most = 0;
    while (wire_next(&space, &p) > 0)
        while (p.num == 1 && p.type == WIRE_BYTES && wire_next(&p.sub, &l) > 0)
            while (l.num == 3 && l.type == WIRE_BYTES && wire_next(&l.sub, &e) > 0) {
                uint64_t end = 0;
                while (e.num == 4 && e.type == WIRE_BYTES && wire_next(&e.sub, &f) > 0)
                    if ((f.num == 2 || f.num == 3) && f.type == WIRE_VARINT) end += f.u;
                if (end > most) most = end;
            }
    return most + PERIOD_GAP;
}

/* The id of the plane's stat correlation_id, 0: it has none. */
static uint64_t correlation_id(struct wire plane)
{
    struct wire_field e = {0}, f = {0}, g = {0};
    while (wire_next(&plane, &e) > 0) {
        uint64_t key = 0;
        while (e.num == 5 && e.type == WIRE_BYTES && wire_next(&e.sub, &f) > 0) {
            if (f.num == 1) key = f.u;
            while (f.num == 2 && f.type == WIRE_BYTES && wire_next(&f.sub, &g) > 0)
                if (g.num == 2 && g.type == WIRE_BYTES && str_is(wire_str(g.sub), "correlation_id"))
                    return key;
        }
    }
    return 0;
}

static void put_stat(struct buf *b, struct wire w, uint64_t corr, uint64_t add)
{
    struct wire_field f = {0};
    uint64_t id = 0;
    for (const unsigned char *at = w.p; wire_next(&w, &f) > 0; at = w.p) {
        if (f.num == 1) id = f.u;
        if (f.num == 3 && corr && id == corr) {
            put(b, 3 << 3);
            put(b, f.u + add);
        } else
            copy(b, at, w);
    }
}

static void put_event(struct buf *line, struct wire w, uint64_t k, uint64_t step_ps, uint64_t corr)
{
    static struct buf ev, st;
    struct wire_field f = {0};
    for (const unsigned char *at = w.p; wire_next(&w, &f) > 0; at = w.p)
        if (f.num == 2 && f.type == WIRE_VARINT) {
            put(&ev, 2 << 3);
            put(&ev, f.u + k * step_ps);
        } else if (f.num == 4 && f.type == WIRE_BYTES) {
            put_stat(&st, f.sub, corr, k * CORRELATION_STEP);
            put_message(&ev, 4, &st);
        } else
            copy(&ev, at, w);
    put_message(line, 4, &ev);
}

static void put_line(struct buf *plane, struct wire w, uint64_t times, uint64_t step_ps, uint64_t corr)
{
    struct buf line = {0};
    struct wire_field f = {0};
    for (uint64_t k = 0; k < times; k++) {
        struct wire each = w;
        for (const unsigned char *at = each.p; wire_next(&each, &f) > 0; at = each.p)
            if (f.num == 4 && f.type == WIRE_BYTES)
                put_event(&line, f.sub, k, step_ps, corr);
            else if (!k)
                copy(&line, at, each);
    }
    put_message(plane, 3, &line);
    buf_free(&line);
}

int main(int argc, char **argv)
{
    struct inp in;
    struct err e = {0};
    struct buf out = {0}, plane = {0};
    struct wire_field f = {0}, g = {0};
    if (argc != 3 || inp_open(&in, argv[1], &e) || inp_whole(&in, &e)) {
        fprintf(stderr, "bigcap: %s\n", argc == 3 ? e.text : "usage: bigcap FILE N >BIG");
        return 2;
    }
    struct wire w = wire_of(in.data, in.size);
    uint64_t times = strtoull(argv[2], NULL, 10), step_ps = period(w);
    for (const unsigned char *at = w.p; wire_next(&w, &f) > 0; at = w.p) {
        if (f.num != 1 || f.type != WIRE_BYTES) {
            copy(&out, at, w);
            continue;
        }
        struct wire p = f.sub;
        uint64_t corr = correlation_id(p);
        for (const unsigned char *q = p.p; wire_next(&p, &g) > 0; q = p.p)
            if (g.num == 3 && g.type == WIRE_BYTES)
                put_line(&plane, g.sub, times, step_ps, corr);
            else
                copy(&plane, q, p);
        put_message(&out, 1, &plane);
    }
    return fwrite(out.p, 1, out.n, stdout) == out.n && !fflush(stdout) ? 0 : 2;
}
