/* Protobuf's wire format: a cursor over bytes, every length checked.  It never reads outside [p, end). */
#ifndef WIRE_H
#define WIRE_H
#include "buf.h"
#include "err.h"

struct wire {
    const unsigned char *p, *end;
};

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

struct wire_field {
    uint32_t num;
    uint32_t type;
    uint64_t u;      /* varint, fixed value */
    struct wire sub; /* WIRE_BYTES: the bytes (a submessage can be walked at once) */
};

static inline struct wire wire_of(const void *p, size_t n)
{
    return (struct wire){p, n ? (const unsigned char *)p + n : p};
}
static inline size_t wire_size(struct wire w) { return (size_t)(w.end - w.p); }
static inline struct str wire_str(struct wire w) { return (struct str){(const char *)w.p, wire_size(w)}; }

/* The 7-bit groups of up to eight bytes, closed up. */
static inline uint64_t wire_groups(uint64_t x)
{
    x = (x & 0x7f007f007f007f00) >> 1 | (x & 0x007f007f007f007f);
    x = (x & 0x3fff00003fff0000) >> 2 | (x & 0x00003fff00003fff);
    return x >> 32 << 28 | (x & 0x0fffffff);
}

/* A varint at w->p: 0 and w->p moved on, -1 if it is cut or longer than ten bytes.  Bytes up to `readable`
 * (w->end or beyond: the end of the whole file) may be loaded, which is quicker near the end of a message. */
static inline int wire_varint_near(struct wire *w, const unsigned char *readable, uint64_t *v)
{
    const unsigned char *p = w->p;
    if (p < w->end && *p < 0x80) {
        *v = *p;
        w->p = p + 1;
        return 0;
    }
    uint64_t r = 0, last;
    if (readable - p >= 8) { /* most: the whole of it in one load */
        memcpy(&r, p, 8);
        last = ~r & 0x8080808080808080;
        p += (__builtin_ctzll(last | 1ull << 63) >> 3) + 1;
        if (last && p <= w->end) {
            *v = wire_groups(r & (last ^ (last - 1)));
            w->p = p;
            return 0;
        }
        p = w->p;
        r = 0;
    }
    for (unsigned shift = 0; shift < 70 && p < w->end; shift += 7) {
        unsigned char c = *p++;
        r |= shift < 64 ? (uint64_t)(c & 0x7f) << shift : 0;
        if (c < 0x80) {
            *v = r;
            w->p = p;
            return 0;
        }
    }
    return -1;
}
static inline int wire_varint(struct wire *w, uint64_t *v) { return wire_varint_near(w, w->end, v); }

/* The next field: 1, 0 at the end, -1 where the bytes are no field (w->p stays at its start). */
static inline int wire_next(struct wire *w, struct wire_field *f)
{
    struct wire at = *w;
    uint64_t tag;
    if (at.p >= at.end) return 0;
    if (wire_varint(&at, &tag) || tag >> 3 == 0 || tag >> 3 > 0x1fffffff) return -1;
    f->num = (uint32_t)(tag >> 3);
    f->type = (uint32_t)(tag & 7);
    switch (f->type) {
    case WIRE_VARINT:
        if (wire_varint(&at, &f->u)) return -1;
        break;
    case WIRE_64:
        if (wire_size(at) < 8) return -1;
        memcpy(&f->u, at.p, 8); /* little-endian, as all hosts that we build for */
        at.p += 8;
        break;
    case WIRE_32: {
        uint32_t u;
        if (wire_size(at) < 4) return -1;
        memcpy(&u, at.p, 4);
        f->u = u;
        at.p += 4;
        break;
    }
    case WIRE_BYTES: {
        uint64_t n;
        if (wire_varint(&at, &n) || n > wire_size(at)) return -1;
        f->sub = (struct wire){at.p, at.p + n};
        at.p += n;
        break;
    }
    default: return -1;
    }
    w->p = at.p;
    return 1;
}

static inline double wire_double(uint64_t u)
{
    double d;
    memcpy(&d, &u, 8);
    return d;
}

#endif
