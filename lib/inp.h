/* Input: a file or standard input, plain or gzip (known by its first bytes), never NUL-terminated.
 *
 * Open, then either inp_whole() once, or inp_read() until it returns 0, or both: inp_read then reads from
 * memory, so that a file can be looked at first; then inp_close().  inp_look() shows the first bytes alone: a
 * pipe must never be opened twice.  A gzip stream that is cut or damaged gives what came before; the error
 * comes from inp_read (after the good bytes), or for inp_whole from inp_close, so that the caller can use the
 * good part first. */
#ifndef INP_H
#define INP_H
#include "buf.h"
#include "err.h"

struct inp {
    const char *name; /* for messages: the path, or "<stdin>" */
    const char *data; /* after inp_whole */
    size_t size;
    int fd;
    bool gz, mapped, eof;
    struct err bad;   /* how the stream ended, if badly */
    struct inp_gz *z; /* inflate's state */
    struct buf own;   /* what inp_whole read, if it could not map; before that the bytes peeked */
    size_t peek;      /* how many of own's bytes (after inp_whole: of data's) inp_read has handed on */
    size_t raw;       /* bytes read from fd */
    struct buf ahead; /* what inp_look read */
    size_t given;     /* how many of its bytes inp_read has handed on */
};

/* "-" is standard input; a folder is an error. */
int inp_open(struct inp *in, const char *path, struct err *e);
/* data, size: all of it; mmap where possible. */
int inp_whole(struct inp *in, struct err *e);
/* The first bytes, up to n, before anything else is read; valid until the next call.  What stops it is met
 * again by inp_read or inp_whole. */
struct str inp_look(struct inp *in, size_t n);
/* 1: *got > 0 bytes, 0: end, -1. */
int inp_read(struct inp *in, void *p, size_t n, size_t *got, struct err *e);
/* -1 if the stream ended badly. */
int inp_close(struct inp *in, struct err *e);
#endif
