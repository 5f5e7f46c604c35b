/* Extended regular expressions (regex(3)) over views.  The caller owns the regex_t: regfree() it. */
#ifndef RE_H
#define RE_H
#include "buf.h"
#include "err.h"
#include <regex.h>

int re_compile(regex_t *re, const char *pattern, struct err *e); /* 0; -1: what is wrong with the pattern */
bool re_matches(const regex_t *re, struct str s);                /* somewhere in s */
#endif
