/* HLO text as tokens: brackets, quotes, comments, so that nobody splits at a comma inside one (spec: HLO text
 * 4.1).  Nothing is copied; every function stays inside [p, end) and takes time linear in what it passes. */
#ifndef LEX_H
#define LEX_H
#include "buf.h"

const char *lex_skip(const char *p, const char *end, bool lines);
/* Behind blanks, line ends and comments.  Mostly that is one blank: it takes no call. */
static inline const char *lex_blank(const char *p, const char *end)
{
    p += p < end && *p == ' ';
    return p<end && * p> ' ' && *p != '/' ? p : lex_skip(p, end, true);
}
/* The same, but on this line. */
static inline const char *lex_spaces(const char *p, const char *end)
{
    return p<end && * p> ' ' && *p != '/' ? p : lex_skip(p, end, false);
}
const char *lex_string(const char *p,
                       const char *end); /* p at '"': behind the closing one; NULL: there is none */
/* p behind an opening bracket: at the bracket that closes it; NULL: none does. */
const char *lex_close(const char *p, const char *end);
/* From p to the ',' , line end, "//" or closing bracket that ends a value (outside brackets and quotes), or
 * to the end; NULL: a bracket or quote stays open. */
const char *lex_value(const char *p, const char *end);
const char *lex_name(const char *p, const char *end);            /* behind [A-Za-z0-9_.-]* */
const char *lex_int(const char *p, const char *end, int64_t *v); /* "-12": behind it; p itself: none there */
/* word stands at p and ends there */
static inline bool lex_word_is(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);
    return (size_t)(end - p) >= n && !memcmp(p, word, n) && lex_name(p + n, end) == p + n;
}
void lex_unescape(struct buf *b, struct str text); /* append, with C escapes undone: \" \n \303 \x41 */
/* The fields of "a=1 b={2} c=\"x, y\"" or of "a=1, b=2": 1 and *at moved, 0 at the end.  Values as they
 * stand. */
int lex_field(const char **at, const char *end, struct str *key, struct str *value);
#endif
