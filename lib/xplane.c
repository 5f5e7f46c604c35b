#include "xplane.h"
#include "mem.h"
#include "num.h"
#include <stdlib.h>

#define V WIRE_VARINT
#define B WIRE_BYTES
#define A WIRE_ANY
static const uint8_t space_fields[XPLANE_FIELDS] = {A, B, B, B, B, A, A, A, A, A, A, A};
static const uint8_t plane_fields[XPLANE_FIELDS] = {A, V, B, B, B, B, B, A, A, A, A, A};
static const uint8_t line_fields[XPLANE_FIELDS] = {A, V, B, V, B, A, A, A, A, V, V, B};
#undef V
#undef B
#undef A

bool xfield_fits(const struct wire_field *f, const uint8_t type[XPLANE_FIELDS])
{
    return f->num >= XPLANE_FIELDS || type[f->num] == WIRE_ANY || type[f->num] == f->type;
}

int xspace_bad(const struct xspace *s, const unsigned char *at, struct err *e, const char *what)
{
    return err_byte(e, s->file, (uint64_t)(at - (const unsigned char *)s->base), "%s", what);
}

/* Like wire_next, but a field whose length runs past the end gives what is there: *cut is set, e filled. */
static int next_field(const struct xspace *s, struct wire *w, struct wire_field *f,
                      const uint8_t type[XPLANE_FIELDS], bool *cut, struct err *e)
{
    const unsigned char *at = w->p, *file_end = (const unsigned char *)s->base + s->size;
    int r = wire_next(w, f);
    if (r > 0 && !xfield_fits(f, type))
        return w->p = at, xspace_bad(s, at, e, "a field of the wrong type (corrupt)");
    if (r >= 0) return r;
    uint64_t tag, n;
    struct wire t = *w;
    if (!wire_varint(&t, &tag) && (tag & 7) == WIRE_BYTES && tag >> 3 && tag >> 3 < XPLANE_FIELDS &&
        !wire_varint(&t, &n) && n > wire_size(t) && t.end == file_end) {
        *f = (struct wire_field){.num = (uint32_t)(tag >> 3), .type = WIRE_BYTES, .sub = t};
        *cut = true;
        w->p = w->end;
        err_byte(e, s->file, s->size, "the file is cut: a message of %llu bytes has %zu",
                 (unsigned long long)n, wire_size(t));
        return 1;
    }
    if (w->end == file_end && wire_size(*w) < 20) /* a tag or number may be cut, too */
        return err_byte(e, s->file, s->size, "the file is cut inside a field");
    return xspace_bad(s, w->p, e, "not a protobuf field (corrupt)");
}

static void read_line_field(struct xline *l, struct str *shown, const struct wire_field *f)
{
    switch (f->num) {
    case 1: l->id = (int64_t)f->u; break;
    case 2: l->name = wire_str(f->sub); break;
    case 3: l->timestamp_ns = (int64_t)f->u; break;
    case 4: l->events++; break;
    case 9: l->duration_ps = (int64_t)f->u; break;
    case 10: l->display_id = (int64_t)f->u; break;
    case 11: *shown = wire_str(f->sub); break;
    default: break;
    }
}

static int read_line(const struct xspace *s, struct wire w, struct xline *l, struct err *e)
{
    struct wire_field f;
    struct str shown = {0};
    const unsigned char *first = w.p;
    bool cut = false;
    int r = 0;
    *l = (struct xline){.body = w};
    while (!cut && (r = next_field(s, &w, &f, line_fields, &cut, e)) > 0) {
        l->body = wire_of(first, (size_t)(w.p - first));
        if (cut && f.num == 4) /* that event is not whole */
            l->body.end = f.sub.p;
        else
            read_line_field(l, &shown, &f);
    }
    if (shown.n) l->name = shown;
    if (!l->display_id) l->display_id = l->id;
    return cut || r < 0 ? -1 : 0;
}

static int read_plane(struct xspace *s, struct wire w, struct xplane *p, struct err *e)
{
    struct wire_field f;
    size_t cap = 0;
    const unsigned char *first = w.p;
    bool cut = false;
    int r = 0, bad = 0;
    *p = (struct xplane){.body = w};
    while (!bad && !cut && (r = next_field(s, &w, &f, plane_fields, &cut, e)) > 0) {
        if (!cut) p->body = wire_of(first, (size_t)(w.p - first));
        if (f.num == 1)
            p->id = (int64_t)f.u;
        else if (f.num == 2)
            p->name = wire_str(f.sub);
        else if (f.num == 3) {
            p->line = mem_grow(p->line, &cap, p->nline + 1, sizeof *p->line);
            bad = read_line(s, f.sub, &p->line[p->nline++], e);
        }
    }
    p->kind = ev_plane_kind(p->name);
    for (size_t i = 0; i < p->nline; i++) {
        p->line[i].kind = ev_line_kind(p->kind, p->line[i].name);
        p->line[i].first = s->events;
        s->events += p->line[i].events;
    }
    p->bad = bad || cut || r < 0;
    return p->bad ? -1 : 0;
}

static void add_text(struct xtexts *t, struct wire w)
{
    t->v = mem_grow(t->v, &t->cap, t->n + 1, sizeof *t->v);
    t->v[t->n++] = wire_str(w);
}

/* A plane's stat `name` as a number, walked by hand: the one thing pass 1 needs of a plane's names. */
static uint64_t plane_number(const struct xplane *p, const char *name)
{
    struct wire w = p->body, m;
    struct wire_field f = {0}, g = {0};
    uint64_t id = UINT64_MAX, found = 0;
    for (w = p->body; wire_next(&w, &f) > 0;) { /* id of the name */
        if (f.num != 5 || f.type != WIRE_BYTES) continue;
        uint64_t key = 0;
        for (m = f.sub; wire_next(&m, &g) > 0;) {
            if (g.num == 1) key = g.u;
            if (g.num != 2 || g.type != WIRE_BYTES) continue;
            struct wire v = g.sub;
            while (wire_next(&v, &g) > 0)
                if (g.num == 2 && g.type == WIRE_BYTES && str_is(wire_str(g.sub), name)) id = key;
        }
    }
    for (w = p->body; wire_next(&w, &f) > 0;) {
        if (f.num != 6 || f.type != WIRE_BYTES) continue;
        uint64_t key = 0, value = 0;
        for (m = f.sub; wire_next(&m, &g) > 0;) {
            if (g.num == 1) key = g.u;
            if ((g.num == 3 || g.num == 4) && g.type == WIRE_VARINT) value = g.u;
        }
        if (key == id) found = value;
    }
    return found;
}

/* design: "Times are ps from the capture's origin".  Empty lines have no time to tell. */
static void find_origin(struct xspace *s)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < s->nplane; i++) {
        const struct xplane *p = &s->plane[i];
        if (str_is(p->name, "Task Environment")) {
            s->start_ns = plane_number(p, "profile_start_time");
            s->stop_ns = plane_number(p, "profile_stop_time");
        }
        for (size_t k = 0; k < p->nline; k++)
            if (p->line[k].events && p->line[k].timestamp_ns < least) least = p->line[k].timestamp_ns;
    }
    if (s->start_ns && s->start_ns <= INT64_MAX) {
        s->origin_ns = (int64_t)s->start_ns;
        s->origin_rule = "profile_start_time of the plane Task Environment";
    } else if (least == INT64_MAX || least < (1LL << 53) / 1000)
        s->origin_rule = "line timestamps are relative already";
    else {
        s->origin_ns = least;
        s->origin_rule = "the smallest line timestamp";
    }
}

int xspace_read(struct xspace *s, const void *p, size_t n, const char *file, struct err *e)
{
    struct wire w = wire_of(p, n);
    struct wire_field f;
    bool cut = false;
    int r = 0, bad = 0;
    *s = (struct xspace){.file = file, .base = p, .size = n};
    while (!bad && !cut && (r = next_field(s, &w, &f, space_fields, &cut, e)) > 0) {
        switch (f.num) {
        case 1:
            s->plane = mem_grow(s->plane, &s->cap, s->nplane + 1, sizeof *s->plane);
            bad = read_plane(s, f.sub, &s->plane[s->nplane++], e);
            break;
        case 2: add_text(&s->errors, f.sub); break;
        case 3: add_text(&s->warnings, f.sub); break;
        case 4: add_text(&s->hostnames, f.sub); break;
        default: break;
        }
    }
    find_origin(s);
    return bad || cut || r < 0 ? -1 : 0;
}

void xspace_free(struct xspace *s)
{
    for (size_t i = 0; i < s->nplane; i++) free(s->plane[i].line);
    free(s->plane);
    free(s->errors.v);
    free(s->warnings.v);
    free(s->hostnames.v);
    *s = (struct xspace){0};
}

int xline_start(const struct xspace *s, const struct xline *l, int64_t *ps)
{
    int64_t ns = l->timestamp_ns;
    if (s->origin_ns && ns >= s->origin_ns) ns -= s->origin_ns;
    return __builtin_mul_overflow(ns, 1000, ps) ? -1 : 0;
}
