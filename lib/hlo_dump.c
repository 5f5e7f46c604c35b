#include "hlo_dump.h"

static size_t digits(struct str s)
{
    size_t n = 0;
    while (n < s.n && s.p[n] >= '0' && s.p[n] <= '9') n++;
    return n;
}

static struct str without_ending(struct str s)
{
    static const char *const ending[] = {".gz", ".txt", ".pb", ".hlo", ".hlo_proto", ".hlo_module", NULL};
    for (const char *const *e = ending; *e;)
        if (str_ends(s, *e) && s.n > strlen(*e))
            s.n -= strlen(*e), e = ending;
        else
            e++;
    return s;
}

/* Up to the next dot, and *rest behind it. */
static struct str part(struct str *rest)
{
    const char *dot = rest->n ? memchr(rest->p, '.', rest->n) : NULL;
    struct str s = str_n(rest->p, dot ? (size_t)(dot - rest->p) : rest->n);
    *rest = str_from(*rest, s.n + 1);
    return s;
}

/* "34.pipeline.after_dce.before_cse" or "34.dce" behind the module's name. */
static void numbered_pass(struct hlo_dump_name *d, struct str rest)
{
    d->pass_index = part(&rest);
    size_t after = str_find(rest, STR(".after_")); /* a pipeline may be called after_layout_assignment */
    if (after == SIZE_MAX) {
        d->pass = str_starts(rest, "after_") ? str_from(rest, strlen("after_")) : rest;
        return;
    }
    d->stage = str_n(rest.p, after);
    d->pass = str_from(rest, after + strlen(".after_"));
    size_t before = str_find(d->pass, STR(".before_"));
    if (before != SIZE_MAX) d->pass.n = before;
}

struct hlo_dump_name hlo_dump_name(struct str path)
{
    static const char *const stage[] = {"before_optimizations", "after_optimizations", NULL};
    struct hlo_dump_name d = {STR(""), STR(""), STR(""), STR("")};
    struct str s = without_ending(path);
    size_t slash = str_rfind(s, '/');
    if (slash != SIZE_MAX) s = str_from(s, slash + 1);
    for (const char *const *name = stage; *name; name++) {
        size_t at = str_find(s, str_of(*name));
        if (at != SIZE_MAX) d.stage = str_from(s, at);
    }
    size_t at = str_find(s, STR("module_"));
    if (at == SIZE_MAX) return d;
    struct str rest = str_from(s, at + strlen("module_"));
    size_t n = digits(rest);
    if (!n || (n < rest.n && rest.p[n] != '.')) return d;
    d.module_id = str_n(rest.p, n);
    rest = str_from(rest, n + 1);
    part(&rest); /* the module's name, as far as its first dot */
    while (rest.n && !d.stage.n) {
        struct str look = rest, one = part(&look);
        if (one.n >= 4 && digits(one) == one.n && look.n) {
            numbered_pass(&d, rest);
            break;
        }
        rest = look;
    }
    return d;
}
