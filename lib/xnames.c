#include "xnames.h"
#include "num.h"
#include <stdlib.h>
#include <zlib.h>

#define V WIRE_VARINT
#define B WIRE_BYTES
#define D WIRE_64
#define A WIRE_ANY
static const uint8_t stat_fields[XPLANE_FIELDS] = {A, V, D, V, V, B, B, V, B, A, A, A};
static const uint8_t entry_fields[XPLANE_FIELDS] = {A, V, B, A, A, A, A, A, A, A, A, A};
static const uint8_t event_fields[XPLANE_FIELDS] = {A, V, B, B, B, B, A, A, A, A, A, A};
static const uint8_t stat_meta_fields[XPLANE_FIELDS] = {A, V, B, B, A, A, A, A, A, A, A, A};
#undef V
#undef B
#undef D
#undef A

static int next(const struct xspace *s, struct wire *w, struct wire_field *f,
                const uint8_t type[XPLANE_FIELDS], struct err *e)
{
    const unsigned char *at = w->p;
    int r = wire_next(w, f);
    if (r < 0) return xspace_bad(s, at, e, "not a protobuf field (corrupt)");
    if (r && !xfield_fits(f, type)) return xspace_bad(s, at, e, "a field of the wrong type (corrupt)");
    return r;
}

/* ---- stats ---- */

const char *xstat_type(unsigned field)
{
    static const char *const name[] = {"-",   "-",     "double", "uint64",        "int64",
                                       "str", "bytes", "ref",    "compressed_str"};
    return name[field < sizeof name / sizeof *name ? field : 0];
}

int xstat_parse(struct wire msg, struct xstat *st, const struct xspace *s, struct err *e)
{
    struct wire_field f;
    int r;
    *st = (struct xstat){0};
    while ((r = next(s, &msg, &f, stat_fields, e)) > 0) {
        if (f.num == 1)
            st->id = (int64_t)f.u;
        else if (f.num >= XSTAT_DOUBLE && f.num <= XSTAT_COMPRESSED) { /* a oneof: the last one counts */
            st->field = f.num;
            if (f.type == WIRE_BYTES)
                st->w = f.sub;
            else
                st->u = f.u;
        }
    }
    return r;
}

int xstat_next(struct wire *w, unsigned field, struct xstat *out, const struct xspace *s, struct err *e)
{
    struct wire_field f;
    const unsigned char *at = w->p;
    int r;
    for (; (r = wire_next(w, &f)) > 0; at = w->p)
        if (f.num == field && f.type == WIRE_BYTES) return xstat_parse(f.sub, out, s, e) ? -1 : 1;
    return r < 0 ? xspace_bad(s, at, e, "not a protobuf field (corrupt)") : 0;
}

struct str xstat_name(const struct xnames *n, const struct xstat *st)
{
    const struct xname_stat *m = xnames_stat(n, st->id);
    return m ? m->name : STR("");
}

enum { INFLATED_MAX = 1 << 24 };

static int inflate_text(const struct xspace *s, struct wire w, struct str *out, struct arena *to,
                        struct err *e)
{
    z_stream z = {0};
    struct buf b = {0};
    int r = inflateInit2(&z, 15 + 32);
    z.next_in = (unsigned char *)(uintptr_t)w.p;
    z.avail_in = (uInt)(wire_size(w) < INFLATED_MAX ? wire_size(w) : INFLATED_MAX);
    while (r == Z_OK && b.n < INFLATED_MAX) {
        z.next_out = (unsigned char *)buf_room(&b, 4096);
        z.avail_out = 4096;
        r = inflate(&z, Z_NO_FLUSH);
        b.n += 4096 - z.avail_out;
    }
    inflateEnd(&z);
    *out = str_n(arena_copy(to, b.p, b.n), b.n);
    buf_free(&b);
    return r == Z_STREAM_END ? 0 : xspace_bad(s, w.p, e, "compressed text is damaged or over 16 MiB");
}

int xstat_value(const struct xnames *n, const struct xstat *st, struct val *v, struct arena *to,
                struct err *e)
{
    const struct xname_stat *m;
    *v = (struct val){0};
    switch (st->field) {
    case XSTAT_DOUBLE: *v = (struct val){.kind = VAL_F64, .f = wire_double(st->u)}; break;
    case XSTAT_UINT64: *v = (struct val){.kind = VAL_U64, .u = st->u}; break;
    case XSTAT_INT64: *v = (struct val){.kind = VAL_I64, .i = (int64_t)st->u}; break;
    case XSTAT_STR: *v = (struct val){.kind = VAL_TEXT, .s = wire_str(st->w)}; break;
    case XSTAT_BYTES: *v = (struct val){.kind = VAL_BYTES, .s = wire_str(st->w)}; break;
    case XSTAT_REF:
        m = xnames_stat(n, (int64_t)st->u);
        if (m) *v = (struct val){.kind = VAL_TEXT, .s = m->name};
        break;
    case XSTAT_COMPRESSED: v->kind = VAL_TEXT; return inflate_text(n->space, st->w, &v->s, to, e);
    default: break;
    }
    return 0;
}

struct val xplane_stat(struct xnames *n, const char *name)
{
    struct wire w = n->plane->body;
    struct xstat st;
    struct val v = {0};
    struct err ignored = {0}; /* xnames_read has reported it */
    while (xstat_next(&w, 6, &st, n->space, &ignored) > 0)
        if (str_is(xstat_name(n, &st), name)) xstat_value(n, &st, &v, &n->arena, &ignored);
    return v;
}

/* ---- name tables ---- */

static void index_ids(struct xids *x, const int64_t *id, size_t n)
{
    int64_t most = -1;
    bool negative = false;
    for (size_t i = 0; i < n; i++) {
        if (id[i] > most) most = id[i];
        negative |= id[i] < 0;
    }
    if (!negative && most < (int64_t)(4 * n + 1024)) {
        x->n = (size_t)(most + 1);
        x->dense = mem_realloc(NULL, x->n ? x->n : 1, sizeof *x->dense);
        memset(x->dense, 0xff, x->n * sizeof *x->dense);
        for (size_t i = 0; i < n; i++) x->dense[id[i]] = (uint32_t)i;
    } else
        for (size_t i = 0; i < n; i++) map64_set(&x->sparse, (uint64_t)id[i], i);
}

/* A map entry: its key, and its message (checked to hold fields of the right types; stats, too). */
static int read_entry(const struct xspace *s, struct wire w, const uint8_t type[XPLANE_FIELDS], int64_t *key,
                      struct wire *msg, struct err *e)
{
    struct wire_field f, g;
    struct xstat st;
    int r;
    *key = 0;
    *msg = wire_of(w.end, 0);
    while ((r = next(s, &w, &f, entry_fields, e)) > 0) {
        if (f.num == 1) *key = (int64_t)f.u;
        if (f.num == 2) *msg = f.sub;
    }
    for (w = *msg; !r && (r = next(s, &w, &g, type, e)) > 0;) {
        r = 0;
        if (type == event_fields && g.num == 5) r = xstat_parse(g.sub, &st, s, e);
    }
    return r;
}

static struct str field_text(struct wire msg, uint32_t num)
{
    struct wire_field f;
    struct str t = STR("");
    while (wire_next(&msg, &f) > 0)
        if (f.num == num && f.type == WIRE_BYTES) t = wire_str(f.sub);
    return t;
}

struct xevent_names xevent_names(struct wire msg)
{
    return (struct xevent_names){field_text(msg, 2), field_text(msg, 4)};
}

int xnames_read(struct xnames *n, const struct xspace *s, const struct xplane *p, struct err *e)
{
    struct wire w = p->body, msg;
    struct wire_field f;
    struct xstat st;
    size_t ecap = 0, scap = 0, eids = 0, sids = 0;
    int64_t *eid = NULL, *sid = NULL, key;
    int r = 0;
    *n = (struct xnames){.space = s, .plane = p};
    while (!r && wire_next(&w, &f) > 0) { /* xspace_read has walked these */
        if (f.type != WIRE_BYTES) continue;
        if (f.num == 4 && !(r = read_entry(s, f.sub, event_fields, &key, &msg, e))) {
            n->event = mem_grow(n->event, &ecap, n->nevent + 1, sizeof *n->event);
            eid = mem_grow(eid, &eids, n->nevent + 1, sizeof *eid);
            n->event[n->nevent] = (struct xname_event){.id = key, .msg = msg};
            eid[n->nevent++] = key;
        } else if (f.num == 5 && !(r = read_entry(s, f.sub, stat_meta_fields, &key, &msg, e))) {
            n->stat = mem_grow(n->stat, &scap, n->nstat + 1, sizeof *n->stat);
            sid = mem_grow(sid, &sids, n->nstat + 1, sizeof *sid);
            struct str name = field_text(msg, 2);
            const struct ev_key *k = ev_key(name);
            n->stat[n->nstat] = (struct xname_stat){.id = key, .name = name, .used = k};
            n->stat[n->nstat].key = k ? *k : (struct ev_key){.col = COL_NONE};
            sid[n->nstat++] = key;
        } else if (f.num == 6)
            r = xstat_parse(f.sub, &st, s, e);
    }
    index_ids(&n->event_ids, eid, n->nevent);
    index_ids(&n->stat_ids, sid, n->nstat);
    free(eid);
    free(sid);
    return r;
}

void xnames_free(struct xnames *n)
{
    free(n->event);
    free(n->stat);
    free(n->event_ids.dense);
    free(n->stat_ids.dense);
    map64_free(&n->event_ids.sparse);
    map64_free(&n->stat_ids.sparse);
    arena_free(&n->arena);
    *n = (struct xnames){0};
}
