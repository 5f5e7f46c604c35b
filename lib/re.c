#include "re.h"
#include "mem.h"
#include <stdlib.h>

int re_compile(regex_t *re, const char *pattern, struct err *e)
{
    char why[200], q[200];
    int r = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB);
    if (!r) return 0;
    regerror(r, re, why, sizeof why);
    return err_set(e, NULL, "%s is no regular expression: %s", err_quote(q, pattern, strlen(pattern)), why);
}

/* regexec wants a NUL behind the text: names are short, so they are copied. */
bool re_matches(const regex_t *re, struct str s)
{
    char small[512], *text = s.n < sizeof small ? small : mem_alloc(s.n + 1, 1);
    if (s.n) memcpy(text, s.p, s.n);
    text[s.n] = 0;
    bool found = !regexec(re, text, 0, NULL, 0);
    if (text != small) free(text);
    return found;
}
