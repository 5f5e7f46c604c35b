/* Shapes from text (spec: HLO text 4.5). */
#include "num.h"
#include "shape.h"
#include <stdlib.h>

enum { DEPTH = 100 }; /* nested tuples; XLA itself has no use for more than a handful */

struct parse {
    struct arena *arena;
    struct shape_table *table; /* NULL: every shape is made anew */
    const char *p, *end;
    struct err *e;
};

static const struct shape *parse_shape(struct parse *s, int depth);

static const struct shape *no_shape(struct parse *s, const char *why)
{
    char q[200];
    size_t n = (size_t)(s->end - s->p);
    err_set(s->e, NULL, "no shape: %s at %s", why, err_quote(q, s->p, n < 40 ? n : 40));
    return NULL;
}

static void skip_blank(struct parse *s)
{
    for (;;) {
        while (s->p < s->end && strchr(" \t\r\n", *s->p) && *s->p) s->p++;
        if (s->end - s->p < 4 || s->p[0] != '/' || s->p[1] != '*') return;
        const char *q = memmem(s->p + 2, (size_t)(s->end - s->p - 2), "*/", 2);
        if (!q) return;
        s->p = q + 2;
    }
}

static bool take(struct parse *s, char c)
{
    skip_blank(s);
    if (s->p == s->end || *s->p != c) return false;
    s->p++;
    return true;
}

static bool take2(struct parse *s, const char *two)
{
    if (s->end - s->p < 2 || s->p[0] != two[0] || s->p[1] != two[1]) return false;
    s->p += 2;
    return true;
}

enum { WORD = 1, OPEN, CLOSE };

static const unsigned char kind[256] = {
    ['('] = OPEN,  ['['] = OPEN,         ['{'] = OPEN,         [')'] = CLOSE,        [']'] = CLOSE,
    ['}'] = CLOSE, ['0' ... '9'] = WORD, ['A' ... 'Z'] = WORD, ['a' ... 'z'] = WORD, ['_'] = WORD,
};

static bool is_word(char c) { return kind[(unsigned char)c] == WORD; }

/* A decimal number; false: none there, or over 63 bits. */
static bool take_int(struct parse *s, int64_t *v)
{
    const char *q = s->p;
    int64_t r = 0;
    for (; q < s->end && *q >= '0' && *q <= '9'; q++)
        if (__builtin_mul_overflow(r, 10, &r) || __builtin_add_overflow(r, *q - '0', &r)) return false;
    if (q == s->p) return false;
    s->p = q;
    *v = r;
    return true;
}

/* Numbers between here and the next closing bracket: how many there can be at most. */
static size_t commas(const struct parse *s)
{
    size_t n = 1;
    for (const char *q = s->p; q < s->end && *q != ']' && *q != ')' && *q != '}' && *q != ':'; q++)
        n += *q == ',';
    return n;
}

/* "8,128)" behind an opening parenthesis; '*' is INT64_MIN. */
static bool int_list(struct parse *s, const int64_t **list, uint32_t *n)
{
    int64_t *v = arena_alloc(s->arena, commas(s), sizeof *v);
    *list = v;
    for (*n = 0; !take(s, ')'); ++*n) {
        if (*n && !take(s, ',')) return false;
        skip_blank(s);
        if (take(s, '*'))
            v[*n] = INT64_MIN;
        else if (!take_int(s, &v[*n]))
            return false;
    }
    return true;
}

static bool tile_list(struct parse *s, struct layout *l)
{
    struct tile *tile = NULL;
    size_t cap = 0, n = 0;
    bool good = true;
    while (good && s->p < s->end && *s->p == '(') {
        s->p++;
        tile = mem_grow(tile, &cap, n + 1, sizeof *tile);
        good = int_list(s, &tile[n].dim, &tile[n].n);
        n += good;
    }
    struct tile *keep = arena_alloc(s->arena, n, sizeof *keep);
    if (n) memcpy(keep, tile, n * sizeof *keep);
    free(tile);
    l->tile = keep;
    l->ntile = (uint32_t)n;
    return good;
}

/* "0:4,8)": the dimension and where it is split. */
static bool split_one(struct parse *s, struct layout *l)
{
    struct split *grown = arena_alloc(s->arena, l->nsplit + 1, sizeof *grown);
    if (l->nsplit) memcpy(grown, l->split, l->nsplit * sizeof *grown);
    l->split = grown;
    struct split *one = &grown[l->nsplit++];
    return l->nsplit <= 64 && take_int(s, &one->dim) && take(s, ':') && int_list(s, &one->at, &one->n);
}

/* Behind an opening parenthesis: to behind its closing one. */
static bool skip_paren(struct parse *s)
{
    for (size_t depth = 1; s->p < s->end;) {
        char c = *s->p++;
        if (c == '(') depth++;
        if (c == ')' && !--depth) return true;
    }
    return false;
}

/* What stands between ':' and '}' of a layout; items that sizes do not depend on are only kept as text. */
static bool layout_items(struct parse *s, struct layout *l)
{
    const char *from = s->p;
    bool good = true;
    while (good && s->p < s->end && *s->p != '}') {
        if (take2(s, "T("))
            s->p--, good = tile_list(s, l);
        else if (take2(s, "L("))
            good = take_int(s, &l->tail_padding) && take(s, ')');
        else if (take2(s, "E("))
            good = take_int(s, &l->element_bits) && take(s, ')');
        else if (take2(s, "S("))
            good = take_int(s, &l->memory_space) && take(s, ')');
        else if (take2(s, "SC"))
            good = take(s, '(') && split_one(s, l);
        else if (*s->p++ == '(')
            good = skip_paren(s);
    }
    l->items = str_n(from, (size_t)(s->p - from));
    l->items.p = arena_copy(s->arena, from, l->items.n);
    return good;
}

static bool parse_layout(struct parse *s, struct layout *l)
{
    int64_t *v = arena_alloc(s->arena, commas(s), sizeof *v);
    l->present = true;
    l->minor_to_major = v;
    skip_blank(s);
    while (s->p < s->end && *s->p != '}' && *s->p != ':') {
        if (l->nminor && !take(s, ',')) return false;
        skip_blank(s);
        if (!take_int(s, &v[l->nminor])) return false;
        l->nminor++;
        skip_blank(s);
    }
    if (take(s, ':') && !layout_items(s, l)) return false;
    return take(s, '}');
}

static bool parse_dims(struct parse *s, struct shape *r)
{
    size_t max = commas(s);
    int64_t *dim = arena_alloc(s->arena, max, sizeof *dim);
    bool *dynamic = NULL;
    r->dim = dim;
    while (!take(s, ']')) {
        if (r->rank && !take(s, ',')) return false;
        skip_blank(s);
        bool open = take(s, '?'), bound = take2(s, "<=");
        if (open && !bound)
            dim[r->rank] = -1;
        else if (!take_int(s, &dim[r->rank]))
            return false;
        if (open || bound) {
            if (!dynamic) r->dynamic = dynamic = arena_alloc(s->arena, max, sizeof *dynamic);
            dynamic[r->rank] = true;
        }
        r->rank++;
    }
    return true;
}

static const struct shape *parse_array(struct parse *s, int depth)
{
    struct shape *r = arena_alloc(s->arena, 1, sizeof *r);
    const char *from = s->p;
    while (s->p < s->end && is_word(*s->p)) s->p++;
    struct str word = str_n(from, (size_t)(s->p - from));
    r->type = prim_of(word);
    r->type_name = r->type == PRIM_UNKNOWN ? str_n(arena_copy(s->arena, word.p, word.n), word.n)
                                           : str_of(prim_name(r->type));
    if (!word.n) return no_shape(s, "a type is expected");
    if (r->type == PRIM_BUFFER && take(s, '(')) {
        const struct shape **in = arena_alloc(s->arena, 1, sizeof(*in));
        r->elem = in;
        r->nelem = 1;
        in[0] = parse_shape(s, depth + 1);
        if (!in[0]) return NULL;
        return take(s, ')') ? r : no_shape(s, "\")\" is expected");
    }
    if (!take(s, '[')) return no_shape(s, "\"[\" is expected");
    if (!parse_dims(s, r)) return no_shape(s, "a dimension is expected");
    if (s->p < s->end && *s->p == '{' && (s->p++, !parse_layout(s, &r->layout)))
        return no_shape(s, "a layout is expected");
    return r;
}

static const struct shape *parse_tuple(struct parse *s, int depth)
{
    struct shape *r = arena_alloc(s->arena, 1, sizeof *r);
    const struct shape **elem = NULL;
    size_t cap = 0, n = 0;
    bool good = true;
    r->type = PRIM_TUPLE;
    r->type_name = str_of(prim_name(PRIM_TUPLE));
    for (s->p++; good && !take(s, ')'); n += good) {
        if (n && !take(s, ',')) {
            no_shape(s, "\",\" or \")\" is expected");
            good = false;
            break;
        }
        skip_blank(s);
        elem = mem_grow(elem, &cap, n + 1, sizeof *elem);
        elem[n] = parse_shape(s, depth + 1);
        good = elem[n];
    }
    const struct shape **keep = arena_alloc(s->arena, n, sizeof *keep);
    if (n) memcpy(keep, elem, n * sizeof *keep);
    free(elem);
    r->elem = keep;
    r->nelem = (uint32_t)n;
    return good ? r : NULL;
}

const char *shape_end(const char *p, const char *end)
{
    long depth = 0;
    bool tuple = p < end && *p == '(';
    for (; p < end; p++) {
        switch (kind[(unsigned char)*p]) {
        case OPEN: depth++; break;
        case CLOSE:
            if (--depth < 0) return p;
            if (depth || (!tuple && *p == ']' && p + 1 < end && p[1] == '{')) break;
            return p + 1;
        case WORD: break;
        default:
            if (!depth) return p;
        }
    }
    return end;
}

static const struct shape *parse_shape(struct parse *s, int depth)
{
    struct str text = {s->p, 0};
    if (depth > DEPTH) return no_shape(s, "tuples nested over 100 deep");
    if (s->table) {
        text.n = (size_t)(shape_end(s->p, s->end) - s->p);
        uint32_t known = map_get(&s->table->text, text);
        if (known != MAP_NONE) return s->p += text.n, s->table->shape[known];
    }
    const struct shape *r = s->p < s->end && *s->p == '(' ? parse_tuple(s, depth) : parse_array(s, depth);
    if (r && s->table && text.n == (size_t)(s->p - text.p)) {
        uint32_t i = map_put(&s->table->text, text, NULL);
        s->table->shape = mem_grow(s->table->shape, &s->table->cap, (size_t)i + 1, sizeof *s->table->shape);
        s->table->shape[i] = r;
    }
    return r;
}

const struct shape *shape_parse(struct arena *a, const char **p, const char *end, struct err *e)
{
    struct parse s = {a, NULL, *p, end, e};
    const struct shape *r = parse_shape(&s, 0);
    if (r) *p = s.p;
    return r;
}

const struct shape *shape_intern(struct shape_table *t, struct arena *a, const char **p, const char *end,
                                 struct err *e)
{
    struct parse s = {a, t, *p, end, e};
    const struct shape *r = parse_shape(&s, 0);
    if (r) *p = s.p;
    return r;
}

void shape_table_free(struct shape_table *t)
{
    map_free(&t->text);
    free(t->shape);
    *t = (struct shape_table){0};
}
