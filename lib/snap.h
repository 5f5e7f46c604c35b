/* Folders that compilers dump into: what lies there, by size, time and digest; copies of it.
 *
 * A struct snap_root owns the list of its files.  Source folders are opened for reading only; symbolic links
 * are not followed, and what is no regular file is counted and passed over. */
#ifndef SNAP_H
#define SNAP_H
#include "err.h"
#include "map.h"
#include "mem.h"

enum { SNAP_DEPTH = 32 }; /* folders inside one another */

struct snap_file {
    struct str file; /* path below the root; NUL behind it */
    int64_t size, mtime_ns;
    char digest[65]; /* SHA-256 in hex; "": not read */
    bool moving;     /* it changed while it was read */
};

struct snap_root {
    struct str name;    /* of the root, as "hlo" */
    const char *folder; /* where it is */
    struct snap_file *file;
    size_t nfile, cap;
    uint64_t links, special, deep; /* passed over: symbolic links, no regular files, below SNAP_DEPTH */
    struct arena arena;
};

/* The files below r->folder, in byte order of their paths, without digests: 0, -1 with the first folder that
 * cannot be read in e (the others are there). */
int snap_walk(struct snap_root *r, struct err *e);
void snap_root_free(struct snap_root *r);

/* Look again: 1 if size or time differ from what f has (f is updated), 0 if not, -1 if it is gone. */
int snap_look(const struct snap_root *r, struct snap_file *f);
/* Digest of the file and, if `to` is not NULL, a copy at that path with the same time, folders made as
 * needed. f's size and time become those of the bytes read.  A copy never replaces or follows what is there:
 * -1. */
int snap_take(const struct snap_root *r, struct snap_file *f, const char *to, struct err *e);
/* Make the folders above path, which is changed meanwhile: 0, or -1 with errno. */
int snap_folders(char *path);
/* Does path, or the folder it will be made in, lie in the root's folder? */
bool snap_inside(const struct snap_root *r, const char *path);
#endif
