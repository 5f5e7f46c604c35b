#include "json.h"
#include "mem.h"
#include <stdlib.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

static void blanks(struct json *j)
{
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\n' || *j->p == '\r' || *j->p == '\t')) j->p++;
}

/* The next quote or backslash from p on. */
static const char *stop_in_string(const char *p, const char *end)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    for (; end - p >= 16; p += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
        int m = _mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, slash)));
        if (m) return p + __builtin_ctz((unsigned)m);
    }
#endif
    while (p < end && *p != '"' && *p != '\\') p++;
    return p;
}

int json_string(struct json *j, struct json_value *v)
{
    blanks(j);
    if (j->p == j->end) return JSON_MORE;
    if (*j->p != '"') return JSON_BAD;
    const char *from = j->p + 1, *p = from;
    v->kind = JSON_STRING;
    v->escaped = false;
    for (;; p += 2) {
        p = stop_in_string(p, j->end);
        if (p == j->end) return JSON_MORE;
        if (*p == '"') break;
        v->escaped = true;
        if (j->end - p < 2) return JSON_MORE;
    }
    v->text = str_n(from, (size_t)(p - from));
    j->p = p + 1;
    return JSON_OK;
}

/* A number or a word: what stands up to the next blank or mark. */
static int scalar(struct json *j, struct json_value *v)
{
    static const struct {
        const char *word;
        enum json_kind kind;
    } word[] = {{"true", JSON_TRUE}, {"false", JSON_FALSE}, {"null", JSON_NULL}};
    const char *from = j->p, *p = from;
    while (p < j->end && ((*p >= '0' && *p <= '9') || (*p >= 'a' && *p <= 'z') || *p == '-' || *p == '+' ||
                          *p == '.' || *p == 'E'))
        p++;
    if (p == j->end) return JSON_MORE;
    v->text = str_n(from, (size_t)(p - from));
    v->kind = JSON_NUMBER;
    for (int i = 0; i < 3 && *from >= 'a'; i++)
        if (str_is(v->text, word[i].word)) v->kind = word[i].kind;
    bool number = v->text.n && (*from == '-' || (*from >= '0' && *from <= '9'));
    if (v->kind == JSON_NUMBER && !number) return JSON_BAD;
    j->p = p;
    return JSON_OK;
}

/* An object or array, skipped: a bit per level says which of the two it is. */
static int nested(struct json *j, struct json_value *v)
{
    const char *from = j->p;
    uint64_t object = 0;
    unsigned depth = 0;
    bool first = true;
    struct json_value x;
    int r;
    v->kind = *from == '{' ? JSON_OBJECT : JSON_ARRAY;
    do {
        blanks(j);
        if (j->p == j->end) return JSON_MORE;
        if (*j->p == '{' || *j->p == '[') {
            if (depth == JSON_DEPTH) return JSON_BAD;
            object = object << 1 | (*j->p++ == '{');
            depth++;
            first = true;
        } else if ((r = *j->p == '"' ? json_string(j, &x) : scalar(j, &x)) != JSON_OK)
            return r;
        /* behind a value, or at the start of a container */
        while (depth && (r = object & 1 ? json_member(j, &first, &x) : json_item(j, &first)) == JSON_CLOSED) {
            object >>= 1;
            depth--;
            first = false;
        }
        if (depth && r != JSON_OK) return r;
    } while (depth);
    v->text = str_n(from, (size_t)(j->p - from));
    return JSON_OK;
}

int json_value(struct json *j, struct json_value *v)
{
    blanks(j);
    v->escaped = false;
    if (j->p == j->end) return JSON_MORE;
    if (*j->p == '"') return json_string(j, v);
    return *j->p == '{' || *j->p == '[' ? nested(j, v) : scalar(j, v);
}

int json_open(struct json *j, char bracket)
{
    blanks(j);
    if (j->p == j->end) return JSON_MORE;
    if (*j->p != bracket) return JSON_BAD;
    j->p++;
    return JSON_OK;
}

/* Behind a comma, or at the first one; CLOSED behind the closing bracket. */
static int separator(struct json *j, bool *first, char close)
{
    blanks(j);
    if (j->p == j->end) return JSON_MORE;
    if (*j->p == close) {
        j->p++;
        return JSON_CLOSED;
    }
    if (!*first) {
        if (*j->p != ',') return JSON_BAD;
        j->p++;
        blanks(j);
        if (j->p == j->end) return JSON_MORE;
    }
    *first = false;
    return JSON_OK;
}

int json_item(struct json *j, bool *first) { return separator(j, first, ']'); }

int json_member(struct json *j, bool *first, struct json_value *name)
{
    int r = separator(j, first, '}');
    if (r != JSON_OK || (r = json_string(j, name)) != JSON_OK) return r;
    return json_open(j, ':');
}

/* ---- text ---- */

static int hex4(const char *p)
{
    int v = 0;
    for (int i = 0; i < 4; i++) {
        char c = p[i];
        int d = c >= '0' && c <= '9'   ? c - '0'
                : c >= 'a' && c <= 'f' ? c - 'a' + 10
                : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                       : -1;
        if (d < 0) return -1;
        v = v << 4 | d;
    }
    return v;
}

static void put_utf8(struct buf *b, unsigned c)
{
    if (c < 0x80)
        buf_c(b, (char)c);
    else if (c < 0x800) {
        buf_c(b, (char)(0xc0 | c >> 6));
        buf_c(b, (char)(0x80 | (c & 63)));
    } else if (c < 0x10000) {
        buf_c(b, (char)(0xe0 | c >> 12));
        buf_c(b, (char)(0x80 | (c >> 6 & 63)));
        buf_c(b, (char)(0x80 | (c & 63)));
    } else {
        buf_c(b, (char)(0xf0 | c >> 18));
        buf_c(b, (char)(0x80 | (c >> 12 & 63)));
        buf_c(b, (char)(0x80 | (c >> 6 & 63)));
        buf_c(b, (char)(0x80 | (c & 63)));
    }
}

/* \uXXXX at s.p[i], perhaps two that make one character: returns the bytes used behind \u, 0: not
 * hexadecimal. */
static size_t unicode(struct buf *b, struct str s, size_t i)
{
    int c = s.n - i >= 4 ? hex4(s.p + i) : -1, low;
    if (c < 0) return 0;
    if (c >= 0xd800 && c < 0xdc00 && s.n - i >= 10 && s.p[i + 4] == '\\' && s.p[i + 5] == 'u' &&
        (low = hex4(s.p + i + 6)) >= 0xdc00 && low < 0xe000) {
        put_utf8(b, 0x10000u + ((unsigned)(c - 0xd800) << 10) + (unsigned)(low - 0xdc00));
        return 10;
    }
    put_utf8(b, c >= 0xd800 && c < 0xe000 ? 0xfffd : (unsigned)c);
    return 4;
}

void json_text(struct buf *b, struct str s)
{
    static const char from[] = "nrtbf", to[] = "\n\r\t\b\f";
    for (size_t i = 0; i < s.n; i++) {
        const char *slash = memchr(s.p + i, '\\', s.n - i);
        size_t plain = slash ? (size_t)(slash - (s.p + i)) : s.n - i, used;
        buf_put(b, s.p + i, plain);
        i += plain + 1;
        if (i >= s.n) break;
        const char *k = s.p[i] ? strchr(from, s.p[i]) : NULL;
        if (k)
            buf_c(b, to[k - from]);
        else if (s.p[i] == 'u' && (used = unicode(b, s, i + 1)))
            i += used;
        else
            buf_c(b, s.p[i]);
    }
}

/* ---- the stream ---- */

enum { CHUNK = 1 << 18, LEAST = 1 << 13, LARGEST = 1 << 26 };

void json_in_start(struct json_in *s)
{
    s->p = NULL;
    s->beg = s->end = s->cap = 0;
    s->base = 0;
    s->eof = false;
}

int json_in_open(struct json_in *s, const char *path, struct err *e)
{
    json_in_start(s);
    return inp_open(&s->in, path, e);
}

int json_in_more(struct json_in *s, struct err *e)
{
    size_t got = 0, have = s->end - s->beg;
    if (s->eof) return 0;
    if (have > LARGEST) return err_byte(e, s->in.name, json_in_at(s), "one value of over 64 MiB");
    if (s->beg) {
        memmove(s->p, s->p + s->beg, have);
        s->base += s->beg;
        s->beg = 0;
        s->end = have;
    }
    do { /* twice as much as before: trying again from the start of a value stays linear */
        s->p = mem_grow(s->p, &s->cap, s->end + CHUNK, 1);
        int r = inp_read(&s->in, s->p + s->end, s->cap - s->end, &got, e);
        if (r < 0) return -1;
        s->end += got;
        s->eof = !r;
    } while (!s->eof && (s->end < 2 * have || s->end < LEAST));
    return s->end > have;
}

int json_in_close(struct json_in *s, struct err *e)
{
    free(s->p);
    s->p = NULL;
    return inp_close(&s->in, e);
}
