/* Errors: what went wrong and where.
 *
 * A function that can fail takes a struct err * (never NULL), fills it and returns -1.  The first error
 * stays: a later one does not overwrite it.  Start with `struct err e = {0};`.  Nothing here prints. */
#ifndef ERR_H
#define ERR_H
#include <stddef.h>
#include <stdint.h>

struct buf;

enum err_unit { ERR_NOWHERE, ERR_LINE, ERR_BYTE };

struct err {
    char text[512];     /* "": no error */
    const char *file;   /* NULL: none; the caller keeps it alive (argv, struct inp) */
    enum err_unit unit; /* what `at` counts: lines from 1, bytes from 0 */
    uint64_t at;
};

/* Fill e (unless it is filled) and return -1. */
int err_set(struct err *e, const char *file, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_line(struct err *e, const char *file, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
int err_byte(struct err *e, const char *file, uint64_t byte, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A value for a message: in double quotes, escaped, cut at 60 bytes.  out holds 200 bytes; returns out. */
const char *err_quote(char out[200], const void *p, size_t n);

/* Append "tool: file:LINE: text", "tool: file: byte N: text" or "tool: text", no line end. */
void err_format(const struct err *e, const char *tool, struct buf *b);
#endif
