#include "checks.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *check_word(enum check_verdict v) { return (const char *const[]){"holds", "fails", "cannot"}[v]; }

static struct check *put(struct checks *c, const char *name, struct str scope, const char *fmt, va_list ap)
{
    char t[1200];
    int n = vsnprintf(t, sizeof t, fmt, ap);
    size_t len = tsv_cut(str_n(t, n < 0 ? 0 : strlen(t)), sizeof t - 1);
    c->row = mem_grow(c->row, &c->cap, c->n + 1, sizeof *c->row);
    struct check *k = &c->row[c->n++];
    *k = (struct check){.name = name, .share = NAN};
    k->detail = str_n(arena_copy(&c->arena, t, len), len);
    k->scope = str_n(arena_copy(&c->arena, scope.p, scope.n), scope.n);
    return k;
}

void check_equal(struct checks *c, const char *name, struct str scope, int64_t expected, int64_t found,
                 double share, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct check *k = put(c, name, scope, fmt, ap);
    va_end(ap);
    k->expected = expected;
    k->found = found;
    k->counted = true;
    k->count = expected > found ? (uint64_t)expected - (uint64_t)found : (uint64_t)found - (uint64_t)expected;
    k->verdict = k->count ? CHECK_FAILS : CHECK_HOLDS;
    k->share = share;
}

void check_none(struct checks *c, const char *name, struct str scope, uint64_t count, double share,
                const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct check *k = put(c, name, scope, fmt, ap);
    va_end(ap);
    k->found = count > INT64_MAX ? INT64_MAX : (int64_t)count;
    k->counted = true;
    k->count = count;
    k->verdict = count ? CHECK_FAILS : CHECK_HOLDS;
    k->share = share;
}

void check_rule(struct checks *c, const char *name, uint64_t left_out, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct check *k = put(c, name, STR("-"), fmt, ap);
    va_end(ap);
    k->verdict = CHECK_HOLDS;
    k->count = left_out;
}

void check_cannot(struct checks *c, const char *name, struct str scope, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct check *k = put(c, name, scope, fmt, ap);
    va_end(ap);
    k->verdict = CHECK_CANNOT;
}

double check_share(double part, double whole) { return whole > 0 ? part / whole : NAN; }

void checks_free(struct checks *c)
{
    free(c->row);
    arena_free(&c->arena);
    *c = (struct checks){0};
}
