#include "re.h"

int re_compile(regex_t *re, const char *pattern, struct err *e)
{
    char why[200], q[200];
    int r = regcomp(re, pattern, REG_EXTENDED | REG_NOSUB);
    if (!r) return 0;
    regerror(r, re, why, sizeof why);
    return err_set(e, NULL, "%s is no regular expression: %s", err_quote(q, pattern, strlen(pattern)), why);
}

bool re_matches(const regex_t *re, struct str s)
{
    regmatch_t m = {.rm_so = 0, .rm_eo = (regoff_t)s.n};
    return !regexec(re, s.n ? s.p : "", 1, &m, REG_STARTEND);
}
