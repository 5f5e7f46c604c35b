/* The pieces of text that several messages share. */
#include "hlo_pb.h"
#include "hlo_print.h"
#include <stdlib.h>

void hlo_pb_ints(struct buf *b, size_t n, const int64_t *v)
{
    buf_c(b, '{');
    for (size_t i = 0; i < n; i++) {
        if (i) buf_c(b, ',');
        buf_i64(b, v[i]);
    }
    buf_c(b, '}');
}

struct str hlo_pb_payload(const Xla__Payload *p, const struct hlo_pb_names *n)
{
    if (!p) return STR("");
    if (p->value.len) return pb_str(p->value);
    return p->id >= 0 && (uint64_t)p->id < n->npayload ? wire_str(n->payload[p->id]) : STR("");
}

static int by_key(const void *a, const void *b)
{
    const Xla__FrontendAttributes__Entry *x = *(Xla__FrontendAttributes__Entry *const *)a,
                                         *y = *(Xla__FrontendAttributes__Entry *const *)b;
    return str_cmp(pb_str(x->key), pb_str(y->key));
}

void hlo_pb_frontend(struct buf *b, const Xla__FrontendAttributes *f)
{
    /* a map has no order on the wire; XLA prints it sorted */
    Xla__FrontendAttributes__Entry **entry = mem_alloc(f->n_map, sizeof *entry);
    if (f->n_map) memcpy(entry, f->map, f->n_map * sizeof *entry);
    qsort(entry, f->n_map, sizeof *entry, by_key);
    buf_c(b, '{');
    for (size_t i = 0; i < f->n_map; i++) {
        if (i) buf_c(b, ',');
        buf_str(b, pb_str(entry[i]->key));
        buf_c(b, '=');
        hlo_put_config(b, pb_str(entry[i]->value));
    }
    buf_c(b, '}');
    free(entry);
}

/* ---- metadata ---- */

static void key_of(struct buf *b, size_t start, const char *key)
{
    if (b->n != start) buf_c(b, ' ');
    buf_puts(b, key);
    buf_c(b, '=');
}

static void text(struct buf *b, size_t start, const char *key, struct str value)
{
    if (!value.n) return;
    key_of(b, start, key);
    buf_c(b, '"');
    hlo_put_escaped(b, value);
    buf_c(b, '"');
}

static void number(struct buf *b, size_t start, const char *key, int64_t value)
{
    if (!value) return;
    key_of(b, start, key);
    buf_i64(b, value);
}

void hlo_pb_metadata(struct buf *b, const Xla__OpMetadata *m, const struct hlo_pb_names *n)
{
    size_t start = b->n;
    if (!m->op_type.len && !m->op_name.len && !m->source_file.len && !m->scheduling_name.len) return;
    text(b, start, "op_type", pb_str(m->op_type));
    text(b, start, "op_name", pb_str(m->op_name));
    text(b, start, "source_file", pb_str(m->source_file));
    number(b, start, "source_line", m->source_line);
    number(b, start, "source_end_line", m->source_end_line);
    number(b, start, "source_column", m->source_column);
    number(b, start, "source_end_column", m->source_end_column);
    if (m->n_profile_type) buf_fmt(b, " profile_type={%d}", m->profile_type[0]);
    text(b, start, "deduplicated_name", pb_str(m->deduplicated_name));
    text(b, start, "scheduling_name", pb_str(m->scheduling_name));
    number(b, start, "stack_frame_id", m->stack_frame_id);
    text(b, start, "metadata_payload", hlo_pb_payload(m->metadata_payload, n));
}
