/* HLO text to a module (spec: HLO text 4.2-4.5), all print modes, in one pass.
 *
 * Brackets, not lines, carry the structure: an instruction ends at a line end outside brackets and quotes
 * that no comma stands before or behind; a computation at an unmatched '}'.  Names that are used before they
 * are there (operands, computations) are noted and looked up once their scope is complete. */
#include "hlo_text_in.h"
#include "kind.h"
#include <stdlib.h>

/* ---- errors, names, unescaped text ---- */

uint64_t ht_line(const struct ht_reader *r, const char *at)
{
    uint64_t line = 1;
    for (const char *p = r->from; p < at && (p = memchr(p, '\n', (size_t)(at - p))); p++) line++;
    return line;
}

/* The first bytes of what stands there, for a message. */
static const char *quoted(const struct ht_reader *r, const char *at, char out[200])
{
    size_t n = (size_t)(r->end - at);
    const char *eol = n ? memchr(at, '\n', n < 60 ? n : 60) : NULL;
    return err_quote(out, at, eol ? (size_t)(eol - at) : n < 60 ? n : 60);
}

int ht_bad_at(struct ht_reader *r, const char *at, const char *expected)
{
    char q[200];
    if (at >= r->end || r->p >= r->end)
        return err_line(r->e, r->file, ht_line(r, r->end), "the file ends where %s", expected);
    return err_line(r->e, r->file, ht_line(r, at), "%s, not %s", expected, quoted(r, at, q));
}

int ht_never_ends(struct ht_reader *r, const char *at)
{
    char q[200];
    return err_line(r->e, r->file, ht_line(r, at), "the file ends inside what begins here: %s",
                    quoted(r, at, q));
}

static struct str unescaped(struct ht_reader *r, struct str s)
{
    struct buf b = {0};
    if (!s.n || !memchr(s.p, '\\', s.n)) return s;
    lex_unescape(&b, s);
    struct str copy = str_n(arena_copy(&r->m->arena, b.p, b.n), b.n);
    buf_free(&b);
    return copy;
}

struct str ht_text(struct ht_reader *r, struct str v)
{
    if (v.n < 2 || v.p[0] != '"' || v.p[v.n - 1] != '"') return v;
    return unescaped(r, str_n(v.p + 1, v.n - 2));
}

struct str ht_name(struct ht_reader *r)
{
    const char *from = r->p;
    if (r->p < r->end && *r->p == '%') {
        from = ++r->p;
        while ((r->p = lex_name(r->p, r->end)) < r->end && !memchr(" ,()={}\t\r\n", *r->p, 10)) r->p++;
    } else
        r->p = lex_name(r->p, r->end);
    return str_n(from, (size_t)(r->p - from));
}

uint32_t ht_computation(struct ht_reader *r, struct str name)
{
    bool fresh;
    uint32_t i = map_put(&r->names, name, &fresh);
    if (fresh) {
        r->defined = mem_grow(r->defined, &r->cap_defined, (size_t)i + 1, sizeof *r->defined);
        r->defined[i] = HLO_NONE;
    }
    return i;
}

/* ---- computations ---- */

static struct hlo_computation *new_computation(struct ht_reader *r, struct str name)
{
    struct hlo_module *m = r->m;
    m->computation =
        mem_grow(m->computation, &r->cap_computation, (size_t)m->ncomputation + 1, sizeof *m->computation);
    struct hlo_computation *c = &m->computation[m->ncomputation];
    *c = (struct hlo_computation){.name = name, .first = m->ninstr, .root = HLO_NONE};
    uint32_t at = ht_computation(r, name);
    r->defined[at] = m->ncomputation++;
    ht_late_operands(r);
    hlo_names_clear(&r->scope);
    return c;
}

/* Behind the '{': instructions up to the unmatched '}'. */
static int body(struct ht_reader *r)
{
    struct hlo_computation *c = &r->m->computation[r->m->ncomputation - 1];
    int rc = 0;
    for (;;) {
        r->p = lex_blank(r->p, r->end);
        if (r->p == r->end)
            rc = ht_bad_at(r, r->p, "\"}\" or an instruction is expected");
        else if (*r->p != '}')
            rc = ht_instruction(r, c);
        else
            break;
        if (rc) break;
    }
    ht_late_operands(r);
    if (rc) return rc;
    r->p = lex_spaces(r->p + 1, r->end);
    while (r->p < r->end && *r->p == ',') { /* }, execution_thread="sparsecore" */
        const char *key = lex_spaces(r->p + 1, r->end), *name = lex_name(key, r->end),
                   *to = lex_value(key, r->end);
        if (!to || to == key) return ht_bad_at(r, key, "an attribute of the computation is expected");
        if (lex_word_is(key, r->end, "execution_thread") && *name == '=')
            c->execution_thread = ht_text(r, str_trim(str_n(name + 1, (size_t)(to - name - 1))));
        r->p = to;
    }
    return 0;
}

/* "[ENTRY ][%]name [(p: shape, ...) -> shape ]{" */
static int computation(struct ht_reader *r)
{
    bool entry = lex_word_is(r->p, r->end, "ENTRY");
    const char *from = r->p;
    if (entry) r->p = lex_blank(r->p + 5, r->end);
    struct str name = ht_name(r);
    r->p = lex_blank(r->p, r->end);
    if (r->p < r->end && *r->p == '(') {
        const char *q = lex_close(r->p + 1, r->end);
        r->p = q ? lex_blank(q + 1, r->end) : r->end;
    }
    if (r->end - r->p > 2 && r->p[0] == '-' && r->p[1] == '>') {
        r->p = lex_blank(r->p + 2, r->end);
        r->p = lex_blank(shape_end(r->p, r->end), r->end);
    }
    if (r->p == r->end || *r->p != '{')
        return ht_bad_at(r, from, "a computation or a line of HLO is expected");
    r->p++;
    struct hlo_computation *c = new_computation(r, name);
    c->entry = entry;
    if (entry) r->m->entry = r->m->ncomputation - 1;
    return body(r);
}

/* Instructions that stand in no computation: a piece somebody cut out. */
static int loose(struct ht_reader *r)
{
    if (!r->loose || r->loose != r->m->ncomputation) {
        new_computation(r, STR(""));
        r->loose = r->m->ncomputation;
    }
    return ht_instruction(r, &r->m->computation[r->m->ncomputation - 1]);
}

/* ---- the whole ---- */

static bool is_loose(const struct ht_reader *r)
{
    struct ht_reader look = *r;
    if (lex_word_is(look.p, look.end, "ROOT")) return true;
    if (!ht_name(&look).n) return false;
    look.p = lex_spaces(look.p, look.end);
    return look.p < look.end && *look.p == '=';
}

static int top_level(struct ht_reader *r)
{
    for (r->p = lex_blank(r->p, r->end); r->p < r->end; r->p = lex_blank(r->p, r->end)) {
        int rc = 1;
        if (lex_word_is(r->p, r->end, "HloModule")) {
            if (r->header || r->m->ncomputation) break; /* the next module's */
            rc = ht_module_line(r);
        } else if ((rc = hlo_frames_table(&r->frames, &r->p, r->end)) < 0)
            rc = ht_bad_at(r, r->p, "a row \"ID ...\" of this table is expected");
        else if (!rc)
            rc = is_loose(r) ? loose(r) : computation(r);
        if (rc < 0) return -1;
    }
    return 0;
}

/* Names of computations to computations, HLO_NONE for what is not there. */
static void resolve_calls(struct ht_reader *r)
{
    struct hlo_module *m = r->m;
    for (uint32_t k = 0; k < m->ninstr; k++) {
        struct hlo_call *call = (struct hlo_call *)m->instr[k].call; /* ours: made in ht_instruction() */
        for (uint32_t c = 0; c < m->instr[k].ncall; c++) {
            uint32_t name = call[c].computation;
            call[c].computation = r->defined[name];
            if (call[c].computation != HLO_NONE) continue;
            m->missing++;
            if (!r->lost.p) r->lost = r->names.key[name], r->lost_at = m->instr[k].name;
        }
    }
}

static int finish(struct ht_reader *r, int rc)
{
    struct hlo_module *m = r->m;
    char q[200];
    ht_late_operands(r);
    resolve_calls(r);
    hlo_frames_resolve(&r->frames, m);
    hlo_finish(m);
    m->taken = (size_t)(r->p - r->from);
    if (!rc && r->header && !m->ncomputation) rc = ht_bad_at(r, r->p, "a computation is expected");
    if (!rc && r->header && m->missing)
        rc = err_line(r->e, r->file, ht_line(r, r->lost_at.p), "%s is named here but is not in the module",
                      err_quote(q, r->lost.p, r->lost.n));
    m->cut = rc;
    free(r->operand);
    free(r->call);
    free(r->late);
    free(r->defined);
    buf_free(&r->more);
    hlo_names_free(&r->scope);
    map_free(&r->names);
    shape_table_free(&r->shapes);
    hlo_frames_free(&r->frames);
    return rc;
}

int hlo_read_text(const char *p, size_t n, const char *file, struct hlo_module **out, struct err *e)
{
    struct err why = {0};
    struct ht_reader r = {.p = p, .end = p + n, .from = p, .file = file, .e = &why};
    r.m = mem_alloc(1, sizeof *r.m);
    r.m->entry = HLO_NONE;
    r.m->source_name = file;
    if (n >= 3 && !memcmp(p, "\xef\xbb\xbf", 3)) r.p += 3; /* a byte order mark */
    int rc = finish(&r, top_level(&r));
    *out = r.m;
    if (!r.m->ncomputation) {
        enum kind kind = kind_of(p, n);
        hlo_free(r.m);
        *out = NULL;
        if (!rc || (kind != KIND_HLO_TEXT && kind != KIND_TEXT))
            return err_set(e, file, "this is %s", kind_says(kind));
    }
    if (rc && !e->text[0]) *e = why;
    return rc;
}

int hlo_read_texts(const char *p, size_t n, const char *file, hlo_on_module *on_module, void *ctx,
                   struct err *e)
{
    const char *from = p, *end = p + n;
    uint64_t lines = 0;
    int rc = 0, stop = 0;
    while (!rc && !stop && (from == p || p < end)) {
        struct hlo_module *m;
        struct err mine = {0};
        const char *at = p;
        rc = hlo_read_text(p, (size_t)(end - p), file, &m, &mine);
        if (rc && mine.unit == ERR_LINE) mine.at += lines;
        if (rc && !e->text[0]) *e = mine;
        if (!m) break;
        p += m->taken;
        while (!rc && at < p && (at = memchr(at, '\n', (size_t)(p - at)))) at++, lines++;
        stop = on_module(m, ctx);
        if (p == from) break;
    }
    return rc;
}
