/* From an instruction to the line of the user's program: its stack of frames, innermost first. */
#include "hlo.h"

enum { FRAMES = 200 }; /* a stack longer than that goes in circles */

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
    char path[4096];
    if (!file.n) return false;
    if (!re)
        return !has_part(file, STR("site-packages"), false) && !has_part(file, STR("dist-packages"), false) &&
               !has_part(file, STR("jax/"), true);
    if (file.n >= sizeof path) return false;
    memcpy(path, file.p, file.n);
    path[file.n] = 0;
    return !regexec(re, path, 0, NULL, 0);
}

static const struct hlo_frame *frame_at(const struct hlo_module *m, int64_t id)
{
    return id > 0 && (uint64_t)id < m->nframe ? &m->frame[id] : NULL;
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
    buf_str(b, file);
    buf_c(b, ':');
    buf_i64(b, line);
}

void hlo_source(const struct hlo_module *m, const struct hlo_instr *i, const regex_t *re, struct buf *b)
{
    i = speaker(m, i);
    const struct hlo_frame *first = frame_at(m, i->stack_frame), *f = first;
    for (int n = 0; f && n < FRAMES; n++, f = frame_at(m, f->parent))
        if (hlo_user_file(f->file, re)) {
            put_place(b, f->file, f->line);
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
    const struct hlo_frame *f = frame_at(m, i->stack_frame);
    if (!f && i->source_file.n) put_place(b, i->source_file, i->source_line);
    for (int n = 0; f && n < FRAMES; n++, f = frame_at(m, f->parent)) {
        if (n) buf_puts(b, " < ");
        put_place(b, f->file, f->line);
        if (f->function.n) buf_c(b, ' '), buf_str(b, f->function);
    }
}
