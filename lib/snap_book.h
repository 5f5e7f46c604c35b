/* What a snapshot or a manifest says of files: tables that dumpsnap wrote earlier.
 *
 * The book owns everything in it. */
#ifndef SNAP_BOOK_H
#define SNAP_BOOK_H
#include "opt.h"
#include "snap.h"
#include "tsv.h"

extern const struct column snap_columns[];     /* the table: manifest's columns and `folder` */
extern const struct column manifest_columns[]; /* layer root file size_bytes mtime_ns digest state */

struct snap_seen {
    int64_t size, mtime_ns;
    struct str digest; /* "": it could not be read */
};
struct snap_book {
    struct map key;         /* root and file */
    struct snap_seen *seen; /* by key; the last row of a file counts */
    size_t cap;
    struct map layer;
    struct map root;
    struct str *folder; /* by root: snapshots only */
    int64_t *newest;    /* by root: the latest time of a file in it */
    size_t root_cap, newest_cap;
    struct arena arena;
};
/* Add the rows of the table at path: 0, -1. */
int snap_book_read(struct snap_book *b, const char *path, struct err *e);
void snap_book_free(struct snap_book *b);
const struct snap_seen *snap_book_find(const struct snap_book *b, struct str root, struct str file);
bool snap_book_newest(const struct snap_book *b, struct str root, int64_t *mtime_ns); /* false: no file */
/* Is the file the one that was seen?  By digest where both have one, else by size and time. */
bool snap_same(const struct snap_seen *s, const struct snap_file *f);

/* Why the file belongs to the layer that was just compiled: "new" or "changed" since the snapshot, "late"
 * (an earlier diff has recorded it, it has changed since; or it was made between that diff and the snapshot);
 * NULL: it does not. */
const char *snap_state(const struct snap_book *snapshot, const struct snap_book *manifest,
                       const struct snap_root *r, const struct snap_file *f);

void snap_put(struct tab *t, struct str layer, const struct snap_root *r, const struct snap_file *f,
              const char *state); /* the columns of a manifest; the row is not ended */
#endif
