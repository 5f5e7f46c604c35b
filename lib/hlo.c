#include "hlo.h"
#include "lex.h"
#include <stdlib.h>

const char *hlo_role_name(enum hlo_role r)
{
    static const char *const name[] = {"calls",
                                       "to_apply",
                                       "condition",
                                       "body",
                                       "true_computation",
                                       "false_computation",
                                       "branch_computations",
                                       "select",
                                       "scatter"};
    return name[r];
}

/* ---- names ---- */

/* The first of a name wins, but for the entry's own. */
static void index_names(struct hlo_module *m)
{
    for (uint32_t i = 0; i < m->ninstr; i++) hlo_names_set(&m->by_name, m->instr, i, false);
    if (m->entry == HLO_NONE) return;
    const struct hlo_computation *c = &m->computation[m->entry];
    for (uint32_t k = c->count; k--;) hlo_names_set(&m->by_name, m->instr, c->first + k, true);
}

uint32_t hlo_find(const struct hlo_module *m, struct str name)
{
    if (!m->by_name.slot) index_names((struct hlo_module *)m); /* nothing that a caller could see changes */
    return hlo_names_get(&m->by_name, m->instr, name);
}

/* ---- what follows from the rest ---- */

static void find_roots(struct hlo_module *m)
{
    if (m->entry == HLO_NONE && m->ncomputation) m->entry = m->ncomputation - 1;
    for (uint32_t k = 0; k < m->ncomputation; k++) {
        struct hlo_computation *c = &m->computation[k];
        c->entry = k == m->entry;
        if (c->root == HLO_NONE && c->count) c->root = c->first + c->count - 1;
        if (c->root - c->first < c->count) m->instr[c->root].root = true; /* it may be another's in a proto */
    }
}

static bool only_root(const struct hlo_module *m, const struct hlo_computation *c)
{
    for (uint32_t i = c->first; i < c->first + c->count; i++)
        if (i != c->root && !hlo_is(&m->instr[i], "parameter")) return false;
    return c->count > 0;
}

/* Async operations: start names the wrapped computation, update and done name what they follow. */
static void find_async(struct hlo_module *m, struct hlo_instr *i)
{
    if (!str_starts(i->opcode, "async-")) return;
    uint32_t c = hlo_called(i, HLO_CALLS);
    if (c != HLO_NONE && m->computation[c].root != HLO_NONE) {
        if (!i->async_op.n) i->async_op = m->instr[m->computation[c].root].opcode;
        if (hlo_is(i, "async-start") && !i->sugared)
            m->computation[c].hidden = only_root(m, &m->computation[c]);
    } else if (!i->async_op.n && i->noperand && i->operand[0] != HLO_NONE)
        i->async_op = m->instr[i->operand[0]].async_op; /* set before: operands come first */
}

/* Are the computations of that role steps of a schedule?  What sugared text applies is the wrapped
 * operation's. */
static bool runs(const struct hlo_instr *i, enum hlo_role role)
{
    if (role == HLO_TO_APPLY)
        return hlo_is(i, "call") || (str_is(i->async_op, "call") && str_starts(i->opcode, "async-"));
    return hlo_is(i, "while") || hlo_is(i, "conditional") || hlo_is(i, "call") ||
           str_starts(i->opcode, "async-");
}

/* Computations inside one step: called by anything but control flow, or by what is inside one itself. */
struct embedded {
    struct hlo_module *m;
    uint32_t *todo, n; /* known, but not yet looked into */
};

static void find_embedded(struct embedded *x, const struct hlo_instr *i, bool inside)
{
    for (uint32_t c = 0; c < i->ncall; c++) {
        uint32_t to = i->call[c].computation;
        if (to == HLO_NONE || to == x->m->entry || x->m->computation[to].embedded ||
            (!inside && runs(i, i->call[c].role)))
            continue;
        x->m->computation[to].embedded = true;
        x->todo[x->n++] = to;
    }
}

void hlo_finish(struct hlo_module *m)
{
    struct embedded x = {m, mem_alloc(m->ncomputation, sizeof *x.todo), 0};
    find_roots(m);
    for (uint32_t k = 0; k < m->ninstr; k++) { /* one pass for both: all instructions fit no cache */
        find_async(m, &m->instr[k]);
        find_embedded(&x, &m->instr[k], false);
    }
    while (x.n) {
        const struct hlo_computation *in = &m->computation[x.todo[--x.n]];
        for (uint32_t k = in->first; k < in->first + in->count; k++) find_embedded(&x, &m->instr[k], true);
    }
    free(x.todo);
}

void hlo_free(struct hlo_module *m)
{
    if (!m) return;
    free(m->instr);
    free(m->computation);
    free(m->frame);
    free(m->alias);
    hlo_names_free(&m->by_name);
    arena_free(&m->arena);
    free(m);
}

/* ---- users, calls, attributes ---- */

void hlo_users(const struct hlo_module *m, struct hlo_users *u)
{
    uint32_t *first = mem_alloc((size_t)m->ninstr + 2, sizeof *first);
    uint32_t *last = mem_alloc(m->ninstr, sizeof *last); /* the last user seen, plus one: each once */
    for (uint32_t k = 0; k < m->ninstr; k++)
        for (uint32_t o = 0; o < m->instr[k].noperand; o++) {
            uint32_t p = m->instr[k].operand[o];
            if (p == HLO_NONE || last[p] == k + 1) continue;
            last[p] = k + 1;
            first[p + 2]++;
        }
    for (uint32_t k = 0; k < m->ninstr; k++) first[k + 2] += first[k + 1];
    u->user = mem_alloc(first[(size_t)m->ninstr + 1], sizeof *u->user);
    memset(last, 0, m->ninstr * sizeof *last);
    for (uint32_t k = 0; k < m->ninstr; k++)
        for (uint32_t o = 0; o < m->instr[k].noperand; o++) {
            uint32_t p = m->instr[k].operand[o];
            if (p == HLO_NONE || last[p] == k + 1) continue;
            last[p] = k + 1;
            u->user[first[p + 1]++] = k;
        }
    free(last);
    u->first = first;
}

void hlo_users_free(struct hlo_users *u)
{
    free(u->first);
    free(u->user);
    *u = (struct hlo_users){0};
}

uint32_t hlo_called(const struct hlo_instr *i, enum hlo_role role)
{
    for (uint32_t c = 0; c < i->ncall; c++)
        if (i->call[c].role == role) return i->call[c].computation;
    return HLO_NONE;
}

struct str hlo_attr(const struct hlo_instr *i, const char *name)
{
    const char *p = i->attributes.p, *end = p + i->attributes.n;
    size_t n = strlen(name);
    while (p < end) {
        const char *to = lex_value(p, end);
        if (!to) to = end;
        if ((size_t)(to - p) > n && p[n] == '=' && !memcmp(p, name, n))
            return str_trim(str_n(p + n + 1, (size_t)(to - p) - n - 1));
        p = lex_blank(to + (to < end), end);
    }
    return STR("");
}

size_t hlo_ints(struct str text, int64_t *v, size_t max)
{
    const char *p = text.p, *end = text.p + text.n;
    size_t n = 0;
    while (p < end) {
        int64_t one = 0;
        const char *q = lex_int(p, end, &one);
        if (q == p) {
            p++;
            continue;
        }
        if (n < max) v[n] = one;
        n++;
        p = q;
    }
    return n;
}
