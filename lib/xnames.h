/* A plane's names (metadata of events and stats), its stats' values, and what its hardware is called.
 *
 * struct xnames is made per plane and freed before the next, so that memory is bounded by the largest plane's
 * name tables.  Text lives in the capture's bytes or in names->arena. */
#ifndef XNAMES_H
#define XNAMES_H
#include "evcol.h"
#include "map.h"
#include "xplane.h"

struct xstat {
    int64_t id;     /* key into the stat metadata */
    unsigned field; /* which of XSTAT_*; 0: no value */
    uint64_t u;     /* number, bits of a double, id of a ref's string */
    struct wire w;  /* str, bytes, compressed */
};
enum xstat_field {
    XSTAT_DOUBLE = 2,
    XSTAT_UINT64,
    XSTAT_INT64,
    XSTAT_STR,
    XSTAT_BYTES,
    XSTAT_REF,
    XSTAT_COMPRESSED
};
const char *xstat_type(unsigned field); /* "double", ...; "-" for 0 */

struct xids { /* 64-bit ids to indexes: a plain array as long as they are dense */
    uint32_t *dense;
    size_t n;
    struct map64 sparse;
};

struct xname_stat { /* metadata of a stat; also the string of a ref */
    int64_t id;
    struct str name;
    struct str cell;   /* name as a TSV cell; p NULL: not made yet */
    uint64_t extra;    /* bits: the extra columns that it fills (xrow.h) */
    struct ev_key key; /* col COL_NONE: it fills no column of its own */
    bool used;         /* key or extra matter */
    uint8_t op_hints;  /* as an hlo_op; 0: not looked at yet */
};

struct xname_event { /* metadata of an event */
    int64_t id;
    struct wire msg;
    struct xcells *cells; /* of xrow.c */
};

struct xnames {
    const struct xspace *space;
    const struct xplane *plane;
    struct xname_event *event;
    struct xname_stat *stat;
    size_t nevent, nstat;
    struct xids event_ids, stat_ids;
    struct arena arena;
};

/* 0, or -1 with the first fault in e: what was read stays usable.  Freed either way. */
int xnames_read(struct xnames *n, const struct xspace *s, const struct xplane *p, struct err *e);
void xnames_free(struct xnames *n);

static inline uint32_t xids_get(const struct xids *x, int64_t id)
{
    uint64_t v;
    if (x->dense) return (uint64_t)id < x->n ? x->dense[id] : MAP_NONE;
    return map64_get(&x->sparse, (uint64_t)id, &v) ? (uint32_t)v : MAP_NONE;
}
static inline struct xname_event *xnames_event(const struct xnames *n, int64_t id) /* NULL: unknown */
{
    uint32_t i = xids_get(&n->event_ids, id);
    return i == MAP_NONE ? NULL : &n->event[i];
}
static inline struct xname_stat *xnames_stat(const struct xnames *n, int64_t id)
{
    uint32_t i = xids_get(&n->stat_ids, id);
    return i == MAP_NONE ? NULL : &n->stat[i];
}

struct xevent_names { /* an XEventMetadata taken apart */
    struct str name, display;
};
struct xevent_names xevent_names(struct wire msg);
static inline struct str xevent_shown(struct xevent_names m) { return m.display.n ? m.display : m.name; }

/* One XStat message: 0, -1. */
int xstat_parse(struct wire msg, struct xstat *out, const struct xspace *s, struct err *e);
/* The same for nearly all stats, quickly: at p stands the message's length, in one byte, then an id in one
 * byte and one value of up to seven bytes, or a short text.  Returns what is behind, NULL: not so, ask
 * xstat_parse.  Bytes up to `readable` may be loaded, none behind `end` belong to the stat. */
static inline const unsigned char *xstat_quick(const unsigned char *p, const unsigned char *end,
                                               const unsigned char *readable, struct xstat *out)
{
    const uint64_t all = ~0ull, top = 0x8080808080808080;
    if (readable - p < 16 || p[0] < 4 || p[0] >= 0x80 || p[0] >= end - p || p[1] != (1 << 3 | WIRE_VARINT) ||
        p[2] >= 0x80)
        return NULL;
    const unsigned char *value = p + 4, *behind = p + 1 + p[0];
    unsigned tag = p[3], bytes = (unsigned)(behind - value);
    out->id = p[2];
    out->field = tag >> 3;
    if (tag == (XSTAT_UINT64 << 3 | WIRE_VARINT) || tag == (XSTAT_INT64 << 3 | WIRE_VARINT) ||
        tag == (XSTAT_REF << 3 | WIRE_VARINT)) {
        if (bytes > 7) return NULL;
        uint64_t v, mask = all >> (64 - 8 * bytes) >> 8; /* of all bytes but the last */
        memcpy(&v, value, 8);
        if ((v & (mask << 8 | 0xff) & top) != (mask & top)) return NULL; /* they alone go on */
        out->u = wire_groups(v & (mask << 8 | 0xff));
        return behind;
    }
    bool text = tag == (XSTAT_STR << 3 | WIRE_BYTES) || tag == (XSTAT_BYTES << 3 | WIRE_BYTES) ||
                tag == (XSTAT_COMPRESSED << 3 | WIRE_BYTES);
    if (!text || *value != bytes - 1) return NULL;
    out->w = (struct wire){value + 1, behind};
    return behind;
}
/* The next stat among the fields numbered `field` of w (4 in events, 5 in event metadata, 6 in planes): 1, 0,
 * -1. */
int xstat_next(struct wire *w, unsigned field, struct xstat *out, const struct xspace *s, struct err *e);
struct str xstat_name(const struct xnames *n, const struct xstat *st); /* "": unknown id */
/* The value, references followed, compressed text inflated into `to`.  A ref to nothing is NONE. */
int xstat_value(const struct xnames *n, const struct xstat *st, struct val *v, struct arena *to,
                struct err *e);
/* The last value of the plane's own stat `name`; kind NONE if it has none. */
struct val xplane_stat(struct xnames *n, const char *name);

/* What the plane's capability stats call the hardware (design: "device"); "": they do not. */
struct str xplane_device(struct xnames *n);
#endif
