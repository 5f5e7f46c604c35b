/* JSON: a cursor over text in memory, and a window over a stream that feeds it.
 *
 * The cursor is strict about structure and lax about text: strings may hold raw control bytes and bad UTF-8.
 * Everything it hands out is a view into the text.  Where the text ends too early it says JSON_MORE, so that
 * the caller can read on and try again from the start of the value; the depth of nesting is bounded. */
#ifndef JSON_H
#define JSON_H
#include "buf.h"
#include "err.h"
#include "inp.h"

enum { JSON_BAD = -1, JSON_MORE, JSON_OK, JSON_CLOSED };
enum { JSON_DEPTH = 64 };

struct json {
    const char *p, *end;
};

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };
struct json_value {
    enum json_kind kind;
    struct str text; /* STRING: between the quotes, still escaped; else: as it stands, brackets included */
    bool escaped;    /* STRING: it holds a backslash */
};

int json_string(struct json *j, struct json_value *v);
int json_value(struct json *j, struct json_value *v); /* any */
int json_open(struct json *j, char bracket);          /* OK: it stood there; BAD: something else does */
/* The next member of an object (its name, the cursor on its value) or item of an array; CLOSED behind the
 * last. *first: true before the first. */
int json_member(struct json *j, bool *first, struct json_value *name);
int json_item(struct json *j, bool *first);
void json_text(struct buf *b, struct str escaped); /* append a string with its escapes undone */

/* ---- the stream ---- */

struct json_in {
    struct inp in;
    char *p;
    size_t beg, end, cap;
    uint64_t base; /* of p in the stream (of a gzip file: inflated) */
    bool eof;
};

int json_in_open(struct json_in *s, const char *path, struct err *e);
void json_in_start(struct json_in *s); /* where in is open already */
/* More bytes behind those from beg on: 1, 0 there are none, -1 (also where one value is over 64 MiB). */
int json_in_more(struct json_in *s, struct err *e);
static inline struct json json_in_text(const struct json_in *s)
{
    return (struct json){s->p + s->beg, s->p + s->end};
}
static inline void json_in_to(struct json_in *s, const char *p)
{
    s->beg = (size_t)(p - s->p);
} /* done so far */
static inline uint64_t json_in_at(const struct json_in *s) { return s->base + s->beg; }
int json_in_close(struct json_in *s, struct err *e); /* -1 if the stream ended badly */
#endif
