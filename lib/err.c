#include "err.h"
#include "buf.h"
#include <stdarg.h>
#include <stdio.h>

static int fill(struct err *e, const char *file, enum err_unit unit, uint64_t at, const char *fmt, va_list ap)
{
    if (e->text[0]) return -1;
    vsnprintf(e->text, sizeof e->text, fmt, ap);
    e->file = file;
    e->unit = unit;
    e->at = at;
    return -1;
}

int err_set(struct err *e, const char *file, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill(e, file, ERR_NOWHERE, 0, fmt, ap);
    va_end(ap);
    return -1;
}

int err_line(struct err *e, const char *file, uint64_t line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill(e, file, ERR_LINE, line, fmt, ap);
    va_end(ap);
    return -1;
}

int err_byte(struct err *e, const char *file, uint64_t byte, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fill(e, file, ERR_BYTE, byte, fmt, ap);
    va_end(ap);
    return -1;
}

const char *err_quote(char out[200], const void *p, size_t n)
{
    const unsigned char *s = p;
    size_t k = 0, cut = n > 60 ? 60 : n;
    out[k++] = '"';
    for (size_t i = 0; i < cut && k < 180; i++) {
        if (s[i] == '\t') {
            out[k++] = '\\';
            out[k++] = 't';
        } else if (s[i] < 0x20 || s[i] == 0x7f || s[i] >= 0x80)
            k += (size_t)snprintf(out + k, 8, "\\x%02x", s[i]);
        else
            out[k++] = (char)s[i];
    }
    out[k++] = '"';
    for (const char *d = n > cut ? "..." : ""; *d; d++) out[k++] = *d;
    out[k] = 0;
    return out;
}

void err_format(const struct err *e, const char *tool, struct buf *b)
{
    buf_fmt(b, "%s: ", tool);
    if (e->file) buf_fmt(b, "%s:%s", e->file, e->unit == ERR_LINE ? "" : " ");
    if (e->unit == ERR_LINE) buf_fmt(b, "%llu: ", (unsigned long long)e->at);
    if (e->unit == ERR_BYTE) buf_fmt(b, "byte %llu: ", (unsigned long long)e->at);
    buf_fmt(b, "%s", e->text);
}
