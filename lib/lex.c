#include "lex.h"

enum { NAME = 1, OPEN, CLOSE, QUOTE, LINE, COMMA, SLASH };

static const unsigned char kind[256] = {
    ['('] = OPEN,  ['['] = OPEN,  ['{'] = OPEN,         [')'] = CLOSE,
    [']'] = CLOSE, ['}'] = CLOSE, ['"'] = QUOTE,        ['\n'] = LINE,
    [','] = COMMA, ['/'] = SLASH, ['0' ... '9'] = NAME, ['A' ... 'Z'] = NAME,
    ['_'] = NAME,  ['.'] = NAME,  ['-'] = NAME,         ['a' ... 'z'] = NAME,
};

static bool is_name(char c) { return kind[(unsigned char)c] == NAME; }

/* p at a slash: behind the block comment that starts here, else NULL. */
static const char *block_comment(const char *p, const char *end)
{
    if (end - p < 4 || p[1] != '*') return NULL;
    const char *q = memmem(p + 2, (size_t)(end - p - 2), "*/", 2);
    return q ? q + 2 : NULL;
}

static bool line_comment(const char *p, const char *end)
{
    return end - p >= 2 && p[0] == '/' && p[1] == '/';
}

const char *lex_skip(const char *p, const char *end, bool lines)
{
    while (p < end) {
        const char *q;
        if (*p == ' ' || *p == '\t' || *p == '\r' || (lines && *p == '\n'))
            p++;
        else if (*p != '/')
            break;
        else if (line_comment(p, end)) {
            q = memchr(p, '\n', (size_t)(end - p));
            p = q ? q : end;
        } else if ((q = block_comment(p, end)))
            p = q;
        else
            break;
    }
    return p;
}

const char *lex_string(const char *p, const char *end)
{
    for (const char *from = ++p; p < end; p++) {
        const char *q = memchr(p, '"', (size_t)(end - p)), *s = q;
        if (!q) return NULL;
        while (s > from && s[-1] == '\\') s--; /* an odd number of them escapes the quote */
        if ((q - s) % 2 == 0) return q + 1;
        p = q;
        from = q + 1;
    }
    return NULL;
}

/* The one loop over attribute text.  depth 0 and value: stops where a value ends; else at the closing
 * bracket. */
static const char *scan(const char *p, const char *end, bool value)
{
    const char *q;
    size_t depth = 0;
    for (; p < end; p++) {
        switch (kind[(unsigned char)*p]) {
        case OPEN: depth++; break;
        case CLOSE:
            if (!depth) return p;
            depth--;
            break;
        case QUOTE:
            q = lex_string(p, end);
            if (!q) return NULL;
            p = q - 1;
            break;
        case SLASH:
            if (value && !depth && line_comment(p, end)) return p;
            if (end - p < 2 || p[1] != '*') break;
            q = block_comment(p, end);
            if (!q) return NULL; /* and not looked for again at every other slash */
            p = q - 1;
            break;
        case LINE:
        case COMMA:
            if (value && !depth) return p;
            break;
        default: break;
        }
    }
    return value && !depth ? end : NULL;
}

const char *lex_close(const char *p, const char *end) { return scan(p, end, false); }
const char *lex_value(const char *p, const char *end) { return scan(p, end, true); }

const char *lex_name(const char *p, const char *end)
{
    while (p < end && is_name(*p)) p++;
    return p;
}

const char *lex_int(const char *p, const char *end, int64_t *v)
{
    const char *q = p + (p < end && *p == '-');
    const char *digits = q;
    int64_t r = 0;
    for (; q < end && *q >= '0' && *q <= '9'; q++)
        if (__builtin_mul_overflow(r, 10, &r) || __builtin_add_overflow(r, *q - '0', &r)) return p;
    if (q == digits) return p;
    *v = digits > p ? -r : r;
    return q;
}

static int digit(char c, int base)
{
    int v = c >= '0' && c <= '9' ? c - '0' : (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : 99;
    return v < base ? v : -1;
}

/* p behind a backslash: append what it spells, return what is behind it. */
static const char *unescape_one(struct buf *b, const char *p, const char *end)
{
    static const char letter[] = "abfnrtv", is[] = "\a\b\f\n\r\t\v";
    const char *at = memchr(letter, *p, 7);
    int base = *p == 'x' || *p == 'X' ? 16 : 8, most = base == 16 ? 2 : 3, v = 0, n = 0;
    if (at) return buf_c(b, is[at - letter]), p + 1;
    const char *q = p + (base == 16);
    for (; n < most && q < end && digit(*q, base) >= 0; n++, q++) v = v * base + digit(*q, base);
    if (!n) return buf_c(b, *p), p + 1; /* \" \\ \' and what has no meaning */
    return buf_c(b, (char)v), q;
}

void lex_unescape(struct buf *b, struct str text)
{
    const char *p = text.p, *end = text.p + text.n;
    while (p < end) {
        const char *q = memchr(p, '\\', (size_t)(end - p));
        if (!q || q + 1 == end) q = end;
        buf_put(b, p, (size_t)(q - p));
        p = q < end ? unescape_one(b, q + 1, end) : end;
    }
}

int lex_field(const char **at, const char *end, struct str *key, struct str *value)
{
    const char *p = *at;
    while (p < end && (*p == ' ' || *p == ',' || *p == '\n' || *p == '\t' || *p == '\r')) p++;
    const char *k = p;
    while (p < end && *p != '=' && *p != ' ' && *p != ',') p++;
    *key = str_n(k, (size_t)(p - k));
    *value = str_n(p, 0);
    if (p < end && *p == '=') {
        const char *v = ++p, *q;
        while (p < end && *p != ' ' && *p != ',' && *p != '\n') {
            int c = kind[(unsigned char)*p];
            q = c == QUOTE ? lex_string(p, end) : c == OPEN ? lex_close(p + 1, end) : p;
            if (!q) q = end;
            p = q == end ? end : c == QUOTE ? q : q + 1;
        }
        *value = str_n(v, (size_t)(p - v));
    }
    *at = p;
    return key->n > 0;
}
