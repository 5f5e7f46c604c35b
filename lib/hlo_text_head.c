/* The module line of HLO text (spec: HLO text 4.2). */
#include "hlo_text_in.h"

/* "{1,0}" at p: its numbers into the arena; behind it, or NULL. */
static const char *index_of(struct ht_reader *r, const char *p, const char *end, const int64_t **v,
                            uint32_t *n)
{
    const char *close;
    p = lex_blank(p, end);
    if (p == end || *p != '{' || !(close = lex_close(p + 1, end))) return NULL;
    struct str text = str_n(p + 1, (size_t)(close - p - 1));
    size_t max = text.n / 2 + 1;
    int64_t *list = arena_alloc(&r->m->arena, max, sizeof *list);
    *n = (uint32_t)hlo_ints(text, list, max);
    *v = list;
    return close + 1;
}

/* "{ {0}: (3, {}, may-alias), ... }" */
static int aliases(struct ht_reader *r, struct str v)
{
    struct hlo_module *m = r->m;
    const char *p = v.p + 1, *end = v.p + v.n - 1;
    size_t cap = 0;
    if (v.n < 2 || v.p[0] != '{') return ht_bad_at(r, v.p, "input_output_alias={...} is expected");
    while ((p = lex_blank(p, end)) < end) {
        struct hlo_alias a = {.parameter = -1};
        const char *q = index_of(r, p, end, &a.output, &a.noutput), *close;
        if (!q || (q = lex_blank(q, end)) == end || *q != ':' || (q = lex_blank(q + 1, end)) == end ||
            *q != '(' || !(close = lex_close(q + 1, end)))
            return ht_bad_at(r, p, "\"{output}: (parameter, {index}, kind)\" is expected");
        q = lex_int(lex_blank(q + 1, close), close, &a.parameter);
        const char *brace = memchr(q, '{', (size_t)(close - q));
        if (brace) brace = index_of(r, brace, close, &a.param_index, &a.nparam_index);
        a.must = brace && str_has(str_n(brace, (size_t)(close - brace)), "must");
        m->alias = mem_grow(m->alias, &cap, (size_t)m->nalias + 1, sizeof *m->alias);
        m->alias[m->nalias++] = a;
        p = lex_blank(close + 1, end);
        if (p < end && *p == ',') p++;
    }
    return 0;
}

int ht_module_line(struct ht_reader *r)
{
    r->p = lex_blank(r->p + strlen("HloModule"), r->end);
    r->header = true;
    const char *from = r->p;
    while (r->p < r->end && *r->p != ',' && *r->p != '\n') r->p++;
    r->m->name = str_trim(str_n(from, (size_t)(r->p - from)));
    from = r->p;
    while (r->p < r->end && *r->p == ',') {
        const char *key = lex_blank(r->p + 1, r->end), *name = lex_name(key, r->end),
                   *to = lex_value(key, r->end);
        if (!to || to == key || name == r->end)
            return ht_bad_at(r, key, "key=value of the module line is expected");
        struct str v = str_trim(str_n(name + 1, to > name ? (size_t)(to - name - 1) : 0));
        if (lex_word_is(key, r->end, "is_scheduled")) r->m->scheduled = str_is(v, "true");
        if (lex_word_is(key, r->end, "input_output_alias") && aliases(r, v)) return -1;
        r->p = to;
    }
    const char *at = lex_spaces(from + (from < r->p && *from == ','), r->p);
    r->m->header = str_trim(str_n(at, (size_t)(r->p - at)));
    return 0;
}
