/* A profiler capture (XSpace, spec: xplane 1.1), pass 1: which planes and lines there are, and when time
 * begins.  Events are only skipped, by their lengths; names are read per plane (xnames.h), events one after
 * the other (xrow.h).
 *
 * Everything is a view into the capture's bytes, which must outlive it; the arrays belong to struct xspace.
 * Errors carry the byte of the capture.  What stands before a fault stays usable. */
#ifndef XPLANE_H
#define XPLANE_H
#include "err.h"
#include "evclass.h"
#include "wire.h"

struct xline {
    struct str name; /* the display name if there is one */
    int64_t id, display_id, timestamp_ns, duration_ps;
    struct wire body;       /* the whole message: fields and events */
    uint64_t first, events; /* the number of its first event in the file, and how many it has */
    enum ev_line kind;
};

struct xplane {
    struct str name;
    int64_t id;
    enum ev_plane kind;
    struct wire body;
    struct xline *line;
    size_t nline;
    bool bad; /* cut or corrupt: body ends before the fault, names may be missing */
};

struct xtexts {
    struct str *v;
    size_t n, cap;
};

struct xspace {
    const char *file;
    const void *base;
    size_t size;
    struct xplane *plane;
    size_t nplane, cap;
    uint64_t events; /* of all lines */
    struct xtexts errors, warnings, hostnames;
    int64_t origin_ns;          /* line timestamps at or above it have it subtracted */
    const char *origin_rule;    /* for people */
    uint64_t start_ns, stop_ns; /* profile_start_time, profile_stop_time; 0: not there */
};

/* 0, or -1 with the first fault in e; *s is usable and to be freed either way. */
int xspace_read(struct xspace *s, const void *p, size_t n, const char *file, struct err *e);
void xspace_free(struct xspace *s);

/* A line's first instant in ps from the capture's origin: 0, or -1 where that does not fit 64 bits. */
int xline_start(const struct xspace *s, const struct xline *l, int64_t *ps);

/* e: at is no `what`; returns -1. */
int xspace_bad(const struct xspace *s, const unsigned char *at, struct err *e, const char *what);

/* The types that a message's known fields have on the wire, by field number; anything else there is a fault.
 * WIRE_ANY: not known, may have any. */
enum { WIRE_ANY = 7 };
#define XPLANE_FIELDS 12
bool xfield_fits(const struct wire_field *f, const uint8_t type[XPLANE_FIELDS]);
#endif
