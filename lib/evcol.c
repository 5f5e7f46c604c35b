#include "evcol.h"
#include "num.h"
#include "tsv.h"
#include <math.h>

static const struct ev_key key[] = {
    {"hlo_module", COL_MODULE, 2, 0},
    {"module_name", COL_MODULE, 1, 0},
    {"program_id", COL_PROGRAM, 1, 0},
    {"run_id", COL_RUN, 1, 0},
    {"hlo_op", COL_HLO_OP, 1, HINT_OP},
    {"correlation_id", COL_CORRELATION, 1, HINT_CALL},
    {"cuda_graph_id", COL_GRAPH, 1, HINT_GRAPH},
    {"cuda_graph_node_id", COL_GRAPH_NODE, 1, 0},
    {"group_id", COL_GROUP, 1, 0},
    {"step_num", COL_STEP, 2, 0},
    {"step_name", COL_STEP, 1, 0},
    {"flops", COL_FLOPS, 1, 0},
    {"bytes_accessed", COL_BYTES, 1, 0},
    {"source", COL_SOURCE, 2, 0},
    {"source_file", COL_SOURCE_FILE, 1, 0},
    {"source_line", COL_SOURCE_LINE, 1, 0},
    {"kernel_details", COL_NONE, 0, HINT_KERNEL},
    {"memcpy_details", COL_NONE, 0, HINT_MEMCPY},
    {"memset_details", COL_NONE, 0, HINT_MEMSET},
    {"device_offset_ps", COL_NONE, 0, HINT_CLOCK},
    {"Memset_details", COL_NONE, 0, HINT_MEMSET},
};

const struct ev_key *ev_key(struct str stat)
{
    for (size_t i = 0; i < sizeof key / sizeof *key; i++)
        if (str_is(stat, key[i].stat)) return &key[i];
    return NULL;
}

struct val ev_val(unsigned col, struct val v)
{
    static const struct val none = {0};
    if (v.kind == VAL_F64 && v.f == floor(v.f) && fabs(v.f) < 0x1p63 &&
        (col == COL_FLOPS || col == COL_BYTES))
        v = (struct val){.kind = VAL_I64, .i = (int64_t)v.f};
    if (v.kind != VAL_I64) return v;
    if (col == COL_PROGRAM) v.kind = VAL_U64;
    return (col == COL_FLOPS || col == COL_BYTES) && v.i < 0 ? none : v;
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
