#include "hlo_print.h"
#include <stdlib.h>

static bool is_plain(unsigned char c) { return c >= ' ' && c < 0x7f && c != '"' && c != '\'' && c != '\\'; }

void hlo_put_escaped(struct buf *b, struct str s)
{
    static const char special[] = "\n\r\t\"\'\\", letter[] = "nrt\"\'\\";
    for (size_t i = 0; i < s.n; i++) {
        size_t from = i;
        while (i < s.n && is_plain((unsigned char)s.p[i])) i++;
        buf_put(b, s.p + from, i - from);
        if (i == s.n) return;
        const char *at = s.p[i] ? strchr(special, s.p[i]) : NULL;
        if (at) {
            buf_c(b, '\\');
            buf_c(b, letter[at - special]);
        } else {
            buf_fmt(b, "\\%03o", (unsigned char)s.p[i]);
        }
    }
}

/* One pair of balanced braces, strings respected: XLA's lexer takes it without quotes. */
static bool is_dict(struct str s)
{
    int64_t depth = 0;
    bool in_string = false;
    s = str_trim(s);
    if (!s.n || s.p[0] != '{') return false;
    for (size_t i = 0; i < s.n; i++) {
        if (in_string) {
            if (s.p[i] == '\\')
                i++;
            else if (s.p[i] == '"')
                in_string = false;
        } else if (s.p[i] == '"') {
            in_string = true;
        } else if (s.p[i] == '{') {
            depth++;
        } else if (s.p[i] == '}' && --depth == 0) {
            return i + 1 == s.n;
        }
    }
    return false;
}

void hlo_put_config(struct buf *b, struct str config)
{
    if (is_dict(config)) {
        buf_str(b, config);
        return;
    }
    buf_c(b, '"');
    hlo_put_escaped(b, config);
    buf_c(b, '"');
}

/* ---- stack frame tables (spec: HLO text 4.2) ---- */

/* Frames hold names and places; the tables hold each once, numbered from 1 as they first occur. */
struct tables {
    struct map file, function, location;
    uint32_t *of_frame; /* location of each frame */
};

static void gather(struct tables *t, const struct hlo_module *m, struct buf *b)
{
    t->of_frame = mem_alloc(m->nframe, sizeof *t->of_frame);
    for (uint32_t i = 1; i < m->nframe; i++) {
        const struct hlo_frame *f = &m->frame[i];
        b->n = 0;
        buf_fmt(b,
                "{file_name_id=%u function_name_id=%u line=%lld end_line=%lld column=%lld end_column=%lld}",
                map_put(&t->file, f->file, NULL) + 1, map_put(&t->function, f->function, NULL) + 1,
                (long long)f->line, (long long)f->end_line, (long long)f->column, (long long)f->end_column);
        t->of_frame[i] = map_put(&t->location, buf_view(b), NULL);
    }
}

static void put_table(struct buf *b, const char *name, const struct map *rows, bool quote)
{
    buf_fmt(b, "\n%s\n", name);
    for (uint32_t i = 0; i < rows->count; i++) {
        buf_fmt(b, "%u ", i + 1);
        if (quote) buf_c(b, '"');
        if (quote)
            hlo_put_escaped(b, rows->key[i]);
        else
            buf_str(b, rows->key[i]);
        buf_puts(b, quote ? "\"\n" : "\n");
    }
}

static void put_frames(struct out *o, const struct hlo_module *m, struct buf *b)
{
    struct tables t = {0};
    if (m->nframe < 2) return;
    gather(&t, m, b);
    b->n = 0;
    put_table(b, "FileNames", &t.file, true);
    put_table(b, "FunctionNames", &t.function, true);
    put_table(b, "FileLocations", &t.location, false);
    buf_puts(b, "\nStackFrames\n");
    for (uint32_t i = 1; i < m->nframe; i++) /* the text's parent is one more */
        buf_fmt(b, "%u {file_location_id=%u parent_frame_id=%u}\n", i, t.of_frame[i] + 1,
                m->frame[i].parent + 1);
    buf_c(b, '\n');
    out_str(o, buf_view(b));
    map_free(&t.file);
    map_free(&t.function);
    map_free(&t.location);
    free(t.of_frame);
}

/* ---- instructions ---- */

static void put_operands(struct buf *b, const struct hlo_module *m, const struct hlo_instr *i)
{
    if (hlo_is(i, "parameter")) {
        buf_i64(b, i->number);
        return;
    }
    if (hlo_is(i, "constant")) {
        buf_str(b, i->literal);
        return;
    }
    for (uint32_t k = 0; k < i->noperand; k++) {
        if (k) buf_puts(b, ", ");
        if (k && k % 5 == 0) buf_fmt(b, "/*index=%u*/", k);
        buf_c(b, '%');
        if (i->operand[k] != HLO_NONE) buf_str(b, m->instr[i->operand[k]].name);
    }
}

static void put_instruction(struct buf *b, const struct hlo_module *m, const struct hlo_instr *i)
{
    buf_puts(b, i->root ? "  ROOT %" : "  %");
    buf_str(b, i->name);
    buf_puts(b, " = ");
    shape_put_full(b, i->shape, true);
    buf_c(b, ' ');
    if (i->sugared) {
        buf_str(b, i->async_op);
        buf_str(b, str_from(i->opcode, strlen("async")));
    } else {
        buf_str(b, i->opcode);
    }
    buf_c(b, '(');
    put_operands(b, m, i);
    buf_c(b, ')');
    if (i->attributes.n) buf_puts(b, ", "), buf_str(b, i->attributes);
    if (i->metadata.n) buf_puts(b, ", metadata={"), buf_str(b, i->metadata), buf_c(b, '}');
    if (i->backend_config.n) buf_puts(b, ", backend_config="), hlo_put_config(b, i->backend_config);
    buf_c(b, '\n');
}

/* ---- computations ---- */

static int by_number(const void *a, const void *b)
{
    int64_t x = (*(const struct hlo_instr *const *)a)->number,
            y = (*(const struct hlo_instr *const *)b)->number;
    return (x > y) - (x < y);
}

/* "%name (p: f32[2], q: s32[]) -> f32[2] {" */
static void put_signature(struct buf *b, const struct hlo_module *m, const struct hlo_computation *c)
{
    const struct hlo_instr **p = mem_alloc(c->count, sizeof *p);
    size_t n = 0;
    for (uint32_t k = c->first; k < c->first + c->count; k++)
        if (hlo_is(&m->instr[k], "parameter")) p[n++] = &m->instr[k];
    qsort(p, n, sizeof *p, by_number);
    buf_puts(b, c->entry ? "ENTRY %" : "%");
    buf_str(b, c->name);
    buf_puts(b, " (");
    for (size_t k = 0; k < n; k++) {
        if (k) buf_puts(b, ", ");
        buf_str(b, p[k]->name);
        buf_puts(b, ": ");
        shape_put_signature(b, p[k]->shape);
    }
    buf_puts(b, ") -> ");
    if (c->root != HLO_NONE) shape_put_signature(b, m->instr[c->root].shape);
    buf_puts(b, " {\n");
    free(p);
}

static void put_computation(struct out *o, const struct hlo_module *m, const struct hlo_computation *c,
                            struct buf *b)
{
    b->n = 0;
    put_signature(b, m, c);
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        put_instruction(b, m, &m->instr[k]);
        out_str(o, buf_view(b));
        b->n = 0;
    }
    buf_c(b, '}');
    if (c->execution_thread.n) {
        buf_puts(b, ", execution_thread=\"");
        hlo_put_escaped(b, c->execution_thread);
        buf_c(b, '"');
    }
    buf_puts(b, "\n\n");
    out_str(o, buf_view(b));
}

void hlo_print(struct out *o, const struct hlo_module *m)
{
    struct buf b = {0};
    buf_puts(&b, "HloModule ");
    buf_str(&b, m->name.n ? m->name : STR("fragment"));
    if (m->header.n) buf_puts(&b, ", "), buf_str(&b, m->header);
    buf_c(&b, '\n');
    out_str(o, buf_view(&b));
    put_frames(o, m, &b);
    out_c(o, '\n');
    for (uint32_t k = 0; k < m->ncomputation; k++) put_computation(o, m, &m->computation[k], &b);
    buf_free(&b);
}
