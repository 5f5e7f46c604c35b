#include "evcol.h"
#include "num.h"
#include "tsv.h"
#include <math.h>

#define K(text)                                                                                              \
    {                                                                                                        \
        text, sizeof(text) - 1                                                                               \
    }
static const struct ev_key key[] = {
    {K("hlo_module"), COL_MODULE, 2, 0},
    {K("module_name"), COL_MODULE, 1, 0},
    {K("program_id"), COL_PROGRAM, 1, 0},
    {K("run_id"), COL_RUN, 1, 0},
    {K("hlo_op"), COL_HLO_OP, 1, HINT_OP},
    {K("correlation_id"), COL_CORRELATION, 1, HINT_CALL},
    {K("cuda_graph_id"), COL_GRAPH, 1, HINT_GRAPH},
    {K("cuda_graph_node_id"), COL_GRAPH_NODE, 1, 0},
    {K("group_id"), COL_GROUP, 1, 0},
    {K("step_num"), COL_STEP, 2, 0},
    {K("step_name"), COL_STEP, 1, 0},
    {K("flops"), COL_FLOPS, 1, 0},
    {K("bytes_accessed"), COL_BYTES, 1, 0},
    {K("source"), COL_SOURCE, 2, 0},
    {K("source_file"), COL_SOURCE_FILE, 1, 0},
    {K("source_line"), COL_SOURCE_LINE, 1, 0},
    {K("kernel_details"), COL_NONE, 0, HINT_KERNEL},
    {K("memcpy_details"), COL_NONE, 0, HINT_MEMCPY},
    {K("memset_details"), COL_NONE, 0, HINT_MEMSET},
    {K("device_offset_ps"), COL_NONE, 0, HINT_CLOCK},
    {K("Memset_details"), COL_NONE, 0, HINT_MEMSET},
};
#undef K

const struct ev_key *ev_key(struct str stat)
{
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (str_eq(stat, key[i].stat)) return &key[i];
    return NULL;
}

struct val ev_val(unsigned col, struct val v)
{
    static const struct val none = {0};
    int64_t i;
    bool count = col == COL_FLOPS || col == COL_BYTES;
    if (v.kind == VAL_TEXT && (count || col == COL_PROGRAM) && v.s.n && v.s.p[0] == '-' && !num_i64(v.s, &i))
        v = (struct val){.kind = VAL_I64, .i = i};
    if (v.kind == VAL_F64 && v.f == floor(v.f) && fabs(v.f) < 0x1p63 &&
        (col == COL_FLOPS || col == COL_BYTES))
        v = (struct val){.kind = VAL_I64, .i = (int64_t)v.f};
    if (v.kind != VAL_I64) return v;
    if (col == COL_PROGRAM) v.kind = VAL_U64;
    return count && v.i < 0 ? none : v;
}

void vals_set(struct vals *t, unsigned col, unsigned rank, struct val v)
{
    struct val *to = vals_place(t, col, rank);
    if (to) *to = v;
}

void vals_text(struct vals *t, unsigned col, struct str s)
{
    vals_set(t, col, 0, (struct val){.kind = VAL_TEXT, .s = s});
}

void vals_from_name(struct vals *t, enum ev_line kind, struct str name, struct str shown)
{
    struct str id;
    if (kind == LINE_OP) vals_text(t, COL_HLO_OP, ev_instr_name(name));
    if (kind == LINE_STEP) vals_text(t, COL_STEP, shown);
    if (kind != LINE_MODULE) return;
    vals_text(t, COL_MODULE, ev_module_name(name, &id));
    if (id.n) vals_text(t, COL_PROGRAM, id);
}

void vals_join_source(struct vals *t, struct buf *text)
{
    uint64_t file = 1ull << COL_SOURCE_FILE, both = file | 1ull << COL_SOURCE_LINE;
    if ((t->mask & file) && !(t->mask & 1ull << COL_SOURCE)) {
        text->n = 0;
        val_cell(text, t->v[COL_SOURCE_FILE]);
        if (t->mask & both & ~file) {
            buf_c(text, ':');
            val_cell(text, t->v[COL_SOURCE_LINE]);
        }
        memset(buf_room(text, VAL_SLACK), 0, VAL_SLACK);
        vals_set(t, COL_SOURCE, 1, (struct val){.kind = VAL_CELL, .s = buf_view(text)});
    }
    t->mask &= ~both;
}

void val_cell(struct buf *b, struct val v)
{
    static const char hex[] = "0123456789abcdef";
    enum { SHOWN = 256 }; /* bytes; longer ones are only counted */
    switch (v.kind) {
    case VAL_NONE: buf_c(b, '-'); return;
    case VAL_U64: buf_u64(b, v.u); return;
    case VAL_I64: buf_i64(b, v.i); return;
    case VAL_F64: b->n += num_put_f64(buf_room(b, 32), v.f); return;
    case VAL_TEXT: tsv_escape(b, v.s); return;
    case VAL_CELL: buf_str(b, v.s); return;
    case VAL_BYTES: break;
    }
    if (v.s.n > SHOWN)
        buf_fmt(b, "<%zu bytes>", v.s.n);
    else if (!v.s.n)
        buf_c(b, '-');
    for (size_t i = 0; i < v.s.n && v.s.n <= SHOWN; i++) {
        unsigned char c = (unsigned char)v.s.p[i];
        buf_c(b, hex[c >> 4]);
        buf_c(b, hex[c & 15]);
    }
}
