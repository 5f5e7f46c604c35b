#include "inp.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

enum { CHUNK = 1 << 16 };

struct inp_gz {
    z_stream s;
    unsigned char in[CHUNK];
    bool between; /* a member has just ended: another one or the end may follow */
};

static int read_fd(struct inp *in, void *p, size_t n, size_t *got)
{
    ssize_t r;
    do r = read(in->fd, p, n);
    while (r < 0 && errno == EINTR);
    if (r < 0) return err_set(&in->bad, in->name, "%s", strerror(errno));
    *got = (size_t)r;
    in->raw += (size_t)r;
    return r > 0;
}

/* Raw bytes: first those peeked by inp_open, then the file's. */
static int read_raw(struct inp *in, void *p, size_t n, size_t *got)
{
    size_t left = in->own.n - in->peek;
    if (!left) return read_fd(in, p, n, got);
    *got = left < n ? left : n;
    memcpy(p, in->own.p + in->peek, *got);
    in->peek += *got;
    return 1;
}

int inp_open(struct inp *in, const char *path, struct err *e)
{
    struct stat st;
    bool std = !strcmp(path, "-");
    *in = (struct inp){.name = std ? "<stdin>" : path, .fd = std ? 0 : -1};
    if (!std) in->fd = open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0 || fstat(in->fd, &st)) return err_set(e, in->name, "%s", strerror(errno));
    if (S_ISDIR(st.st_mode)) {
        if (!std) close(in->fd);
        in->fd = -1;
        return err_set(e, in->name, "is a folder, not a file");
    }
    while (in->own.n < 2) { /* enough for gzip's magic number */
        size_t got = 0;
        int r = read_fd(in, buf_room(&in->own, 2), 2 - in->own.n, &got);
        if (r < 0) {
            *e = in->bad;
            inp_close(in, &(struct err){0});
            return -1;
        }
        if (!r) break;
        in->own.n += got;
    }
    in->gz = in->own.n == 2 && !memcmp(in->own.p, "\x1f\x8b", 2);
    if (!in->gz) return 0;
    in->z = mem_alloc(1, sizeof *in->z);
    in->z->between = true;
    if (inflateInit2(&in->z->s, 15 + 16) != Z_OK) mem_oom(sizeof *in->z);
    return 0;
}

static int bad_gz(struct inp *in, const char *what)
{
    return err_byte(&in->bad, in->name, in->raw - in->z->s.avail_in, "gzip: %s", what);
}

/* Inflate up to n bytes; members may follow one another, zero bytes may pad the end. */
static int read_gz(struct inp *in, void *p, size_t n, size_t *got)
{
    z_stream *s = &in->z->s;
    s->next_out = p;
    s->avail_out = n > 1u << 30 ? 1u << 30 : (uInt)n;
    uInt room = s->avail_out;
    while (s->avail_out == room) {
        if (!s->avail_in) {
            size_t k = 0;
            int r = read_raw(in, in->z->in, sizeof in->z->in, &k);
            if (r < 0) return -1;
            if (!r) return in->z->between ? 0 : bad_gz(in, "the stream is cut");
            s->next_in = in->z->in;
            s->avail_in = (uInt)k;
        }
        if (in->z->between) {
            while (s->avail_in && !*s->next_in) s->next_in++, s->avail_in--;
            if (!s->avail_in) continue;
            in->z->between = false;
        }
        int r = inflate(s, Z_NO_FLUSH);
        if (r == Z_STREAM_END) {
            in->z->between = true;
            inflateReset(s);
        } else if (r == Z_MEM_ERROR)
            mem_oom(0);
        else if (r != Z_OK && r != Z_BUF_ERROR)
            return bad_gz(in, s->msg ? s->msg : "damaged");
    }
    *got = room - s->avail_out;
    return 1;
}

static int read_any(struct inp *in, void *p, size_t n, size_t *got)
{
    if (in->bad.text[0]) return -1;
    return in->gz ? read_gz(in, p, n, got) : read_raw(in, p, n, got);
}

struct str inp_look(struct inp *in, size_t n)
{
    size_t got = 0;
    while (in->ahead.n < n && read_any(in, buf_room(&in->ahead, n), n - in->ahead.n, &got) > 0)
        in->ahead.n += got;
    return buf_view(&in->ahead);
}

int inp_read(struct inp *in, void *p, size_t n, size_t *got, struct err *e)
{
    *got = 0;
    if (in->given < in->ahead.n) {
        *got = in->ahead.n - in->given < n ? in->ahead.n - in->given : n;
        memcpy(p, in->ahead.p + in->given, *got);
        in->given += *got;
        return 1;
    }
    if (in->data) { /* after inp_whole: from memory */
        size_t left = in->size - in->peek;
        if (!left && in->bad.text[0]) return *e = e->text[0] ? *e : in->bad, -1;
        *got = left < n ? left : n;
        if (*got) memcpy(p, in->data + in->peek, *got);
        in->peek += *got;
        return *got > 0;
    }
    int r = in->eof ? 0 : read_any(in, p, n, got);
    if (!r) in->eof = true;
    if (r < 0) *e = e->text[0] ? *e : in->bad;
    return r;
}

int inp_whole(struct inp *in, struct err *e)
{
    struct stat st;
    if (!in->gz && !fstat(in->fd, &st) && S_ISREG(st.st_mode) && (size_t)st.st_size >= in->raw &&
        lseek(in->fd, 0, SEEK_CUR) == (off_t)in->raw) {
        void *p = st.st_size ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, in->fd, 0) : MAP_FAILED;
        if (p != MAP_FAILED) {
            in->mapped = true;
            if (in->fd > 0) close(in->fd); /* whoever maps thousands of files has descriptors left */
            in->fd = -1;
            in->peek = 0;
            buf_free(&in->ahead);
            in->data = p;
            in->size = (size_t)st.st_size;
            return 0;
        }
    }
    struct buf all = in->ahead;
    in->ahead = (struct buf){0};
    for (size_t got = 0;; all.n += got) {
        char *to = buf_room(&all, CHUNK);
        if (read_any(in, to, all.cap - all.n, &got) <= 0) break;
    }
    buf_free(&in->own);
    in->peek = 0;
    in->own = all;
    in->data = all.p;
    in->size = all.n;
    if (in->bad.text[0] && !all.n) return *e = in->bad, -1;
    return 0;
}

int inp_close(struct inp *in, struct err *e)
{
    int r = in->bad.text[0] ? -1 : 0;
    if (r && !e->text[0]) *e = in->bad;
    if (in->mapped) munmap((void *)(uintptr_t)in->data, in->size);
    if (in->z) inflateEnd(&in->z->s);
    free(in->z);
    buf_free(&in->own);
    buf_free(&in->ahead);
    if (in->fd > 0) close(in->fd);
    in->fd = -1;
    in->z = NULL;
    in->mapped = false;
    return r;
}
