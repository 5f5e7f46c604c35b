#include "hlo_embed.h"
#include "kind.h"
#include "plan_read.h"
#include "take.h"
#include <stdlib.h>

static const struct plan_about nothing;
const struct plan_buffer plan_no_buffer = {.trace = PLAN_NONE,
                                           .id = -1,
                                           .color = -1,
                                           .unpadded = -1,
                                           .alloc_order = -1,
                                           .free_order = -1,
                                           .share_with = -1,
                                           .start = -1,
                                           .end = -1,
                                           .about = &nothing};

struct str plan_bare_shape(struct str text, struct arena *a)
{
    if (!text.n || !memchr(text.p, ' ', text.n)) return text;
    char *to = arena_alloc(a, text.n, 1);
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == ' ') continue;
        if (text.p[i] == '/' && i + 1 < text.n && text.p[i + 1] == '*') {
            size_t end = str_find(str_from(text, i), STR("*/"));
            i = end == SIZE_MAX ? text.n : i + end + 1;
            continue;
        }
        to[n++] = text.p[i];
    }
    return str_n(to, n);
}

struct str plan_keep(struct plan *p, struct str s)
{
    if (!s.n) return str_n(NULL, 0);
    uint32_t k = map_put(&p->text, s, NULL); /* may move the keys */
    return p->text.key[k];
}

void plan_peak_of(struct plan *p, const struct plan_buffer *b, struct plan_peak *k)
{
    const struct plan_alloc *a = &p->alloc[b->alloc];
    struct buf t = {0};
    k->instr = b->instr;
    k->index = b->index;
    k->unpadded = b->unpadded;
    k->kind = (int)plan_alloc_kind(a);
    k->shape = b->shape;
    k->op_name = b->about->op_name;
    k->source = b->about->source;
    buf_i64(&t, a->color);
    k->memory_space = plan_keep(p, buf_view(&t));
    buf_free(&t);
}

/* ---- the forms ---- */

struct finish {
    plan_on *on_plan;
    void *ctx;
    uint64_t plans;
    bool stop;
};

static int hand_over(struct plan *p, void *ctx)
{
    struct finish *f = ctx;
    if (p->source != PLAN_FROM_LOG) {
        plan_check(p);
        plan_spaces(p);
    }
    f->plans++;
    return f->stop = f->on_plan(p, f->ctx) != 0;
}

static int texts(const struct inp *in, const struct inp *more, size_t nmore, struct finish *f, struct err *e)
{
    struct plan_text t = {str_n(in->data, in->size), 0, in->name}, *extra = mem_alloc(nmore, sizeof *extra);
    struct plan *p;
    int r = 0;
    for (size_t i = 0; i < nmore; i++)
        extra[i] = (struct plan_text){str_n(more[i].data, more[i].size), 0, more[i].name};
    while (!f->stop && (r = plan_text_next(&t, extra, nmore, &p, e)) != 0) {
        hand_over(p, f);
        nmore = 0;
        if (r < 0) break;
    }
    free(extra);
    return r < 0 ? -1 : 0;
}

static int proto(const struct inp *in, struct finish *f, struct err *e)
{
    struct plan *p;
    int r = plan_proto_read(in->data, in->size, in->name, in->data, &p, e);
    if (p) hand_over(p, f);
    if (r) return -1;
    if (!p) return err_set(e, in->name, "a program without a plan: no buffer assignment in this proto");
    return 0;
}

struct capture {
    const struct inp *in;
    struct finish *f;
    struct err *e;
};

static int on_program(const struct hlo_embedded *h, void *ctx)
{
    struct capture *c = ctx;
    struct plan *p;
    plan_proto_read(h->proto.p, h->proto.n, c->in->name, c->in->data, &p, c->e);
    if (!p) return 0;
    if (h->has_id) p->hlo->program_id = h->id, p->hlo->has_id = true;
    return hand_over(p, c->f);
}

static int capture(const struct inp *in, struct finish *f, struct err *e)
{
    struct capture c = {in, f, e};
    uint64_t n = 0;
    if (hlo_embedded(in->data, in->size, in->name, on_program, &c, &n, e) || e->text[0]) return -1;
    if (f->plans) return 0;
    return err_set(e, in->name,
                   "no plan here: %llu programs are embedded in this capture, none with its buffer "
                   "assignment; take the compiler's dump",
                   (unsigned long long)n);
}

int plan_read(const struct inp *in, const struct inp *more, size_t nmore, plan_on *on_plan, void *ctx,
              struct err *e)
{
    struct finish f = {on_plan, ctx, 0, false};
    struct str s = str_n(in->data, in->size);
    enum kind kind = kind_of(in->data, in->size);
    if (!s.n) return err_set(e, in->name, "the file is empty");
    if (kind == KIND_HLO_PROTO) return proto(in, &f, e);
    if (kind == KIND_XPLANE) return capture(in, &f, e);
    if (kind != KIND_HLO_MODULE && kind != KIND_BINARY && kind != KIND_STABLEHLO) {
        if (plan_text_is(s)) return texts(in, more, nmore, &f, e);
        if (plan_log_read(in, hand_over, &f)) return 0;
    }
    if (kind == KIND_OTHER_DUMP)
        return err_set(e, in->name,
                       "no plan here: this is another file of an XLA dump; take the one ending in "
                       "-buffer-assignment.txt, or .hlo.pb");
    return err_set(e, in->name, "no plan here: this is %s", kind_says(kind));
}
