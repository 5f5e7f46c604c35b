#include "snap.h"
#include "buf.h"
#include "sha256.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

static int64_t ns(struct timespec t) { return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec; }

/* ---- what is there ---- */

static void add_file(struct snap_root *r, const char *path, const struct stat *st)
{
    size_t n = strlen(path);
    r->file = mem_grow(r->file, &r->cap, r->nfile + 1, sizeof *r->file);
    r->file[r->nfile++] = (struct snap_file){
        .file = str_n(arena_copy(&r->arena, path, n), n), .size = st->st_size, .mtime_ns = ns(st->st_mtim)};
}

static int walk(struct snap_root *r, int parent, const char *name, struct buf *path, unsigned depth,
                struct err *e)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth ? O_NOFOLLOW : 0));
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0) close(fd);
        if (depth && errno == ENOENT) return 0; /* gone since */
        return err_set(e, r->folder, "%s%s%s", depth ? buf_cstr(path) : "", depth ? ": " : "",
                       strerror(errno));
    }
    size_t n = path->n;
    int rc = 0;
    for (struct dirent *entry; (entry = readdir(d));) {
        struct stat st;
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..")) continue;
        if (fstatat(fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        path->n = n;
        if (n) buf_c(path, '/');
        buf_puts(path, entry->d_name);
        if (S_ISREG(st.st_mode))
            add_file(r, buf_cstr(path), &st);
        else if (S_ISLNK(st.st_mode))
            r->links++;
        else if (!S_ISDIR(st.st_mode))
            r->special++;
        else if (depth + 1 >= SNAP_DEPTH)
            r->deep++;
        else if (walk(r, fd, entry->d_name, path, depth + 1, e))
            rc = -1;
    }
    path->n = n;
    closedir(d);
    return rc;
}

static int by_path(const void *x, const void *y)
{
    return str_cmp(((const struct snap_file *)x)->file, ((const struct snap_file *)y)->file);
}

int snap_walk(struct snap_root *r, struct err *e)
{
    struct buf path = {0};
    int rc = walk(r, AT_FDCWD, r->folder, &path, 0, e);
    if (r->nfile) qsort(r->file, r->nfile, sizeof *r->file, by_path);
    buf_free(&path);
    return rc;
}

void snap_root_free(struct snap_root *r)
{
    free(r->file);
    arena_free(&r->arena);
    *r = (struct snap_root){0};
}

static char *source(const struct snap_root *r, const struct snap_file *f, struct buf *b)
{
    b->n = 0;
    buf_puts(b, r->folder);
    buf_c(b, '/');
    buf_str(b, f->file);
    return buf_cstr(b);
}

/* Size and time as they are now; true if they differ from what f had. */
static bool update(struct snap_file *f, const struct stat *st)
{
    bool other = f->size != st->st_size || f->mtime_ns != ns(st->st_mtim);
    f->size = st->st_size;
    f->mtime_ns = ns(st->st_mtim);
    return other;
}

int snap_look(const struct snap_root *r, struct snap_file *f)
{
    struct buf b = {0};
    struct stat st;
    int rc = lstat(source(r, f, &b), &st);
    buf_free(&b);
    return rc || !S_ISREG(st.st_mode) ? -1 : update(f, &st);
}

/* ---- reading and copying ---- */

int snap_folders(char *path)
{
    for (char *p = path + 1; *p; p++) {
        if (*p != '/') continue;
        *p = 0;
        int rc = mkdir(path, 0777);
        *p = '/';
        if (rc && errno != EEXIST) return -1;
    }
    return 0;
}

static int put(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k < 0) return -1;
        p += k;
        n -= (size_t)k;
    }
    return 0;
}

/* At most `most` bytes from `in` (a writer may be faster than we are): their digest, and to `out` unless that
 * is -1.  Returns how many, or -1 with errno; *writing: the fault is out's. */
static int64_t pour(int in, int out, int64_t most, char digest[65], bool *writing)
{
    struct sha256 s;
    char *chunk = mem_alloc(1, CHUNK);
    int64_t all = 0;
    ssize_t n;
    sha256_init(&s);
    while ((n = read(in, chunk, most - all < CHUNK ? (size_t)(most - all) : CHUNK)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) break;
        sha256_add(&s, chunk, (size_t)n);
        all += n;
        if (out >= 0 && put(out, chunk, (size_t)n)) {
            *writing = true;
            n = -1;
            break;
        }
    }
    free(chunk);
    if (n < 0) return -1;
    sha256_hex(&s, digest);
    return all;
}

static int copy_open(const char *to, struct err *e)
{
    struct buf path = {0};
    buf_puts(&path, to);
    int fd = snap_folders(buf_cstr(&path))
                 ? -1
                 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0) err_set(e, to, "%s", strerror(errno));
    buf_free(&path);
    return fd;
}

int snap_take(const struct snap_root *r, struct snap_file *f, const char *to, struct err *e)
{
    struct buf b = {0};
    struct stat before, after;
    bool writing = false;
    int rc = 0, out = -1, in = open(source(r, f, &b), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    f->digest[0] = 0;
    if (in < 0 || fstat(in, &before) || !S_ISREG(before.st_mode)) {
        rc = err_set(e, r->folder, "%s: %s", f->file.p, in < 0 ? strerror(errno) : "no regular file now");
    } else if (to && (out = copy_open(to, e)) < 0)
        rc = -1;
    else {
        int64_t n = pour(in, out, before.st_size, f->digest, &writing);
        if (n < 0) rc = err_set(e, writing ? to : r->folder, "%s: %s", f->file.p, strerror(errno));
        update(f, &before);
        f->moving = n >= 0 && (fstat(in, &after) || ns(after.st_mtim) != f->mtime_ns || n != after.st_size);
        if (n >= 0) f->size = n;
        if (out >= 0) futimens(out, (struct timespec[]){before.st_atim, before.st_mtim});
    }
    if (out >= 0 && close(out) && !rc) rc = err_set(e, to, "%s", strerror(errno));
    if (in >= 0) close(in);
    buf_free(&b);
    return rc;
}

bool snap_inside(const struct snap_root *r, const char *path)
{
    struct buf b = {0};
    struct stat root, st, above = {0};
    bool inside = false;
    if (stat(r->folder, &root)) return false;
    buf_puts(&b, path);
    while (b.n && stat(buf_cstr(&b), &st)) { /* not made yet: the folder that it will be made in */
        size_t slash = str_rfind(buf_view(&b), '/');
        b.n = slash == SIZE_MAX ? 0 : slash ? slash : 1;
        if (b.n == 1 && b.p[0] == '/') break;
    }
    if (!b.n) buf_c(&b, '.');
    for (int up = 0; up < 4096 && !stat(buf_cstr(&b), &st); up++) {
        inside = st.st_dev == root.st_dev && st.st_ino == root.st_ino;
        if (inside || (up && st.st_dev == above.st_dev && st.st_ino == above.st_ino)) break; /* or the top */
        above = st;
        buf_puts(&b, "/..");
    }
    buf_free(&b);
    return inside;
}
