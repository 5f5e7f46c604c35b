/* HLO modules as tables. */
#include "hlo.h"
#include "tool.h"

static const struct column instr_columns[] = {
    {"module", "text", "-", "name of the module"},
    {"computation", "text", "-", "name of the computation"},
    {"order", "int", "-", "place in the schedule, else in the list"},
    {"instr", "text", "-", "name, without %"},
    {"opcode", "text", "-", "HLO opcode"},
    {"async_op", "text", "-", "the operation that an async-* wraps"},
    {"shape", "text", "-", "shape without layout"},
    {"layout", "text", "-", "layout of each leaf"},
    {"bytes", "int", "bytes", "size by the layout"},
    {"unpadded_bytes", "int", "bytes", "size without padding"},
    {"op_name", "text", "-", "op_name of the metadata"},
    {"source", "text", "-", "line of the user's program"},
    {"hidden", "bool", "-", "1: sugared text does not print it"},
    {0}};
static const struct table tables[] = {{"instr", "an instruction", instr_columns, false}, {0}};
static const struct tool tool = {"hlo2tsv",       "[FILE ...]", "HLO text to tables",
                                 "hlo2tsv m.txt", NULL,         tables};

static int on_module(struct hlo_module *m, void *ctx)
{
    struct tab *t = tool_sink(ctx, "instr", STR(""));
    struct buf b = {0};
    for (uint32_t k = 0; t && k < m->ninstr; k++) {
        const struct hlo_instr *i = &m->instr[k];
        const struct hlo_computation *c = &m->computation[i->computation];
        tab_text(t, m->name);
        tab_text(t, c->name);
        tab_u64(t, i->order);
        tab_text(t, i->name);
        tab_text(t, i->opcode);
        tab_text(t, i->async_op);
        b.n = 0, shape_put(&b, i->shape), tab_text(t, buf_view(&b));
        b.n = 0, shape_put_layout(&b, i->shape), tab_text(t, buf_view(&b));
        tab_i64(t, shape_bytes(i->shape));
        tab_i64(t, shape_bytes_unpadded(i->shape));
        tab_text(t, i->op_name);
        b.n = 0, hlo_source(m, i, NULL, &b), tab_text(t, buf_view(&b));
        tab_u64(t, c->hidden);
        tab_end(t);
    }
    buf_free(&b);
    hlo_free(m);
    return 0;
}

int main(int argc, char **argv)
{
    struct run r;
    tool_start(&r, &tool);
    while (tool_option(&r, argc, argv) >= 0) {}
    for (int k = 0; k < (r.noperand ? r.noperand : 1); k++) {
        struct err e = {0};
        struct inp in;
        if (inp_open(&in, r.noperand ? r.operand[k] : "-", &e)) tool_die(&r, &e);
        if (inp_whole(&in, &e)) tool_die(&r, &e);
        if (hlo_read(&in, on_module, &r, &e)) tool_warn(&r, &e);
        if (inp_close(&in, &e)) tool_warn(&r, &e);
    }
    return tool_end(&r);
}
