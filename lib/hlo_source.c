/* From an instruction to the line of the user's program: its stack of frames, innermost first. */
#include "hlo.h"

enum { FRAMES = 200 }; /* no stack is longer */

static bool has_part(struct str file, struct str part, bool at_start)
{
    size_t at = str_find(file, part);
    while (at != SIZE_MAX) {
        if (!at_start || !at || file.p[at - 1] == '/') return true;
        size_t more = str_find(str_from(file, at + 1), part);
        at = more == SIZE_MAX ? more : at + 1 + more;
    }
    return false;
}

bool hlo_user_file(struct str file, const regex_t *re)
{
    if (!file.n) return false;
    if (re) return re_matches(re, file);
    return !has_part(file, STR("site-packages"), false) && !has_part(file, STR("dist-packages"), false) &&
           !has_part(file, STR("jax/"), true);
}

static const struct hlo_frame *frame_at(const struct hlo_module *m, int64_t id)
{
    return id > 0 && (uint64_t)id < m->nframe ? &m->frame[id] : NULL;
}

/* A walk up a stack that may be a circle: it ends where it meets a frame that it has marked; marks are set
 * ever further apart. */
struct walk {
    const struct hlo_frame *at, *mark;
    int n;
};

static struct walk walk_from(const struct hlo_module *m, const struct hlo_instr *i)
{
    const struct hlo_frame *f = frame_at(m, i->stack_frame);
    return (struct walk){f, f, 0};
}

static void walk_up(const struct hlo_module *m, struct walk *w)
{
    w->at = frame_at(m, w->at->parent);
    if (w->at == w->mark || ++w->n == FRAMES)
        w->at = NULL;
    else if (!(w->n & (w->n - 1)))
        w->mark = w->at;
}

/* Whose metadata speaks for i: a fusion without any takes its root's. */
static const struct hlo_instr *speaker(const struct hlo_module *m, const struct hlo_instr *i)
{
    for (int depth = 0; depth < 8 && !frame_at(m, i->stack_frame) && !i->source_file.n && hlo_is(i, "fusion");
         depth++) {
        uint32_t c = hlo_called(i, HLO_CALLS);
        if (c == HLO_NONE || m->computation[c].root == HLO_NONE) break;
        i = &m->instr[m->computation[c].root];
    }
    return i;
}

static void put_place(struct buf *b, struct str file, int64_t line)
{
    buf_str(b, file.n ? file : STR("?"));
    buf_c(b, ':');
    buf_i64(b, line);
}

void hlo_source(const struct hlo_module *m, const struct hlo_instr *i, const regex_t *re, struct buf *b)
{
    i = speaker(m, i);
    const struct hlo_frame *first = frame_at(m, i->stack_frame);
    for (struct walk w = walk_from(m, i); w.at; walk_up(m, &w))
        if (hlo_user_file(w.at->file, re)) {
            put_place(b, w.at->file, w.at->line);
            return;
        }
    if (i->source_file.n)
        put_place(b, i->source_file, i->source_line);
    else if (first && first->file.n)
        put_place(b, first->file, first->line);
}

void hlo_stack(const struct hlo_module *m, const struct hlo_instr *i, struct buf *b)
{
    i = speaker(m, i);
    if (!frame_at(m, i->stack_frame) && i->source_file.n) put_place(b, i->source_file, i->source_line);
    for (struct walk w = walk_from(m, i); w.at; walk_up(m, &w)) {
        if (w.n) buf_puts(b, " < ");
        put_place(b, w.at->file, w.at->line);
        if (w.at->function.n) buf_c(b, ' '), buf_str(b, w.at->function);
    }
}

struct members {
    const struct hlo_module *m;
    const regex_t *re;
    struct map seen;
    struct buf one, *out;
    size_t left; /* instructions still to look at: shared nested fusions must not multiply */
};

static void add_members(struct members *x, uint32_t computation, int depth)
{
    const struct hlo_computation *c = &x->m->computation[computation];
    for (uint32_t k = c->first; k < c->first + c->count && x->left; k++, x->left--) {
        const struct hlo_instr *i = &x->m->instr[k];
        uint32_t in = hlo_is(i, "fusion") ? hlo_called(i, HLO_CALLS) : HLO_NONE;
        bool fresh;
        if (hlo_is(i, "parameter") || hlo_is(i, "constant")) continue;
        if (in != HLO_NONE && depth < 8) add_members(x, in, depth + 1);
        x->one.n = 0;
        hlo_source(x->m, i, x->re, &x->one);
        if (!x->one.n || (map_put(&x->seen, buf_view(&x->one), &fresh), !fresh)) continue;
        if (x->out->n) buf_c(x->out, ',');
        buf_str(x->out, buf_view(&x->one));
    }
}

void hlo_member_sources(const struct hlo_module *m, uint32_t computation, const regex_t *re, struct buf *b)
{
    struct members x = {m, re, {0}, {0}, b, 1000 + 4 * (size_t)m->computation[computation].count};
    add_members(&x, computation, 0);
    map_free(&x.seen);
    buf_free(&x.one);
}
