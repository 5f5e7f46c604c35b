/* Whatever holds HLO, by its content: text, HloProto, HloModuleProto, a capture with embedded programs. */
#include "hlo_embed.h"
#include "inp.h"
#include "kind.h"

struct each {
    hlo_on_module *on_module;
    void *ctx;
    const struct inp *in;
    struct err *e;
    int rc;
};

static int one_proto(const struct each *x, const void *p, size_t n, bool has_id, uint64_t id, int *stop)
{
    struct hlo_module *m;
    int rc = hlo_read_proto(p, n, x->in->name, (uint64_t)((const char *)p - x->in->data), &m, x->e);
    if (!m) return rc;
    if (has_id) m->program_id = id, m->has_id = true;
    *stop = x->on_module(m, x->ctx);
    return rc;
}

static int on_program(const struct hlo_embedded *p, void *ctx)
{
    struct each *x = ctx;
    int stop = 0;
    if (one_proto(x, p->proto.p, p->proto.n, p->has_id, p->id, &stop)) x->rc = -1;
    return stop;
}

static int capture(struct each *x)
{
    uint64_t n = 0;
    if (hlo_embedded(x->in->data, x->in->size, x->in->name, on_program, x, &n, x->e)) x->rc = -1;
    if (!n && !x->rc)
        return err_set(x->e, x->in->name,
                       "this capture has no HLO program embedded in it (profiled without enable_hlo_proto)");
    return x->rc;
}

int hlo_read(const struct inp *in, hlo_on_module *on_module, void *ctx, struct err *e)
{
    struct each x = {on_module, ctx, in, e, 0};
    enum kind k = kind_of(in->data, in->size);
    int stop = 0;
    switch (k) {
    case KIND_HLO_TEXT: return hlo_read_texts(in->data, in->size, in->name, on_module, ctx, e);
    case KIND_HLO_PROTO:
    case KIND_HLO_MODULE: return one_proto(&x, in->data, in->size, false, 0, &stop);
    case KIND_XPLANE: return capture(&x);
    default: return err_set(e, in->name, "no HLO: this is %s", kind_says(k));
    }
}
