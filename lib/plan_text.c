/* Buffer-assignment text of any version (spec: buffer assignment text 3.2): allocations with their values,
 * totals, "Used values" (skipped: nothing in it is not elsewhere), live ranges, the list at the peak.  Any
 * subset of these may stand in a file.  Views into the text are kept; only tuple shapes are copied. */
#include "take.h"
#include "num.h"
#include "plan_read.h"
#include <stdlib.h>

enum part { NOWHERE, ALLOCATIONS, TOTALS, USED, SEQUENCE, RANGES, PEAK, STACKS };

struct reader {
    struct plan *p;
    struct plan_text *at;
    enum part part;
    bool listed; /* the list at the peak was reached, or is said to be impossible */
    size_t alloc_cap, buffer_cap, peak_cap, shape_cap;
    struct map shapes; /* as printed -> index into shape */
    struct known {
        struct str text;
        int64_t unpadded;
    } * shape;
    uint32_t *by_id;  /* buffers by value id; NULL: not made, or ids are sparse */
    size_t nid, next; /* next: where the value of the next live range is looked for first */
    size_t walked;
    struct map values; /* "name{index}" -> index into buffer_of: made when looking by id did not help */
    uint32_t *buffer_of;
};

static void bad(struct reader *r, struct str line)
{
    char q[200];
    plan_fault(r->p, PLAN_BAD_LINE, ERR_LINE, r->at->line, "not a line of a buffer assignment: %s",
               err_quote(q, line.p, line.n));
}

/* ---- allocations ---- */

/* One attribute behind its ", "; what is not known (newer text) is passed over. */
static void attribute(struct str *s, struct plan_alloc *a)
{
    if (take_lit(s, "parameter ")) {
        a->is_parameter = take_nat(s, &a->parameter);
        if (!take_lit(s, ", shape |")) return;
        take_until(s, '|');
        take_lit(s, "| at ShapeIndex ");
        take_until(s, '}');
        take_lit(s, "}");
    } else if (take_lit(s, "output shape is |")) {
        take_until(s, '|');
        take_lit(s, "|");
    } else if (take_lit(s, "color ")) {
        take_nat(s, &a->color);
    } else {
        struct str word = take_until(s, ',');
        if (word.n && word.p[word.n - 1] == ':') word.n--;
        a->constant |= str_is(word, "constant");
        a->thread_local_ |= str_is(word, "thread-local");
        a->maybe_live_out |= str_is(word, "maybe-live-out");
    }
}

static bool allocation(struct reader *r, struct str s)
{
    struct plan *p = r->p;
    struct plan_alloc a = {.parameter = -1, .first = p->nbuffer};
    if (!take_nat(&s, &a.index) || !take_lit(&s, ": ")) return false;
    if (take_lit(&s, "0x")) { /* an address, in old text */
        take_until(&s, ',');
        take_lit(&s, ", ");
    }
    if (!take_lit(&s, "size ") || !take_nat(&s, &a.size)) return false;
    while (take_lit(&s, ", ")) attribute(&s, &a);
    if (p->nalloc == PLAN_NONE - 1) return false;
    p->alloc = mem_grow(p->alloc, &r->alloc_cap, (size_t)p->nalloc + 1, sizeof *p->alloc);
    p->alloc[p->nalloc++] = a;
    return true;
}

/* ---- values ---- */

/* The shape without blanks and comments, its size, each distinct spelling parsed once. */
static const struct known *shape(struct reader *r, struct str text)
{
    bool fresh;
    uint32_t i = map_put(&r->shapes, text, &fresh);
    if (!fresh) return &r->shape[i];
    r->shape = mem_grow(r->shape, &r->shape_cap, (size_t)i + 1, sizeof *r->shape);
    struct arena scratch = {0};
    struct err e = {0};
    const char *at = text.p;
    const struct shape *s = shape_parse(&scratch, &at, text.p + text.n, &e);
    r->shape[i] = (struct known){plan_bare_shape(text, &r->p->arena), s ? shape_bytes_unpadded(s) : -1};
    arena_free(&scratch);
    return &r->shape[i];
}

/* "name{index}" in two; "{}" is the whole value. */
static void split(struct str s, struct str *name, struct str *index)
{
    size_t at = s.n && s.p[s.n - 1] == '}' ? str_rfind(s, '{') : SIZE_MAX;
    *name = at == SIZE_MAX ? s : str_n(s.p, at);
    *index = at == SIZE_MAX || s.n - at == 2 ? str_n(NULL, 0) : str_from(s, at);
}

/* "<91 tuple.8{} (phi) @0> (size=512,offset=0): shape", behind " value: ". */
static bool value(struct reader *r, struct str s)
{
    struct plan *p = r->p;
    struct plan_buffer b = plan_no_buffer;
    if (!take_lit(&s, "<") || !take_nat(&s, &b.id) || !take_lit(&s, " ")) return false;
    struct str ref = take_until(&s, '>'), name = take_until(&ref, ' ');
    take_lit(&ref, " (phi)");
    if (take_lit(&ref, " @") && !take_nat(&ref, &b.color)) return false;
    if (!take_lit(&s, "> (size=") || !take_nat(&s, &b.size)) return false;
    if (!take_lit(&s, ",offset=") || !take_nat(&s, &b.offset) || !take_lit(&s, "): ")) return false;
    if (!name.n || !p->nalloc || p->nbuffer == PLAN_NONE - 1) return false;
    struct plan_alloc *a = &p->alloc[p->nalloc - 1];
    const struct known *k = shape(r, s);
    split(name, &b.instr, &b.index);
    b.alloc = p->nalloc - 1;
    b.shape = k->text;
    b.unpadded = k->unpadded;
    a->maybe_tuple |= b.shape.n && *b.shape.p == '(';
    a->count++;
    p->buffer = mem_grow(p->buffer, &r->buffer_cap, (size_t)p->nbuffer + 1, sizeof *p->buffer);
    p->buffer[p->nbuffer++] = b;
    return true;
}

static bool in_allocations(struct reader *r, struct str s)
{
    if (take_lit(&s, " value: ")) return value(r, s);
    if (take_lit(&s, "allocation ")) return allocation(r, s);
    return take_lit(&s, " reused by buffers of a different color:") || take_lit(&s, "  value: ");
}

/* ---- live ranges ---- */

/* The index stands right behind the name in the text. */
static struct str value_key(const struct plan_buffer *b)
{
    return str_n(b->instr.p, b->instr.n + b->index.n);
}

/* Live ranges come in the order of value ids, so that the next one is almost always behind the last one. */
static void index_ids(struct reader *r)
{
    const struct plan *p = r->p;
    int64_t most = 0;
    for (uint32_t i = 0; i < p->nbuffer; i++)
        if (p->buffer[i].id > most) most = p->buffer[i].id;
    if ((uint64_t)most > 4 * (uint64_t)p->nbuffer + 1024) return;
    uint32_t *at = mem_alloc((size_t)most + 1, sizeof *at);
    memset(at, 0xff, ((size_t)most + 1) * sizeof *at);
    for (uint32_t i = 0; i < p->nbuffer; i++) at[p->buffer[i].id] = i;
    for (int64_t id = 0; id <= most; id++)
        if (at[id] != PLAN_NONE) at[r->nid++] = at[id];
    r->by_id = at;
}

/* Forward from the last one, as long as all these walks together stay linear. */
static uint32_t find_ahead(struct reader *r, struct str name)
{
    for (size_t k = r->next; k < r->nid && r->walked < 4 * r->nid; k++, r->walked++) {
        uint32_t i = r->by_id[k];
        if (!str_eq(value_key(&r->p->buffer[i]), name)) continue;
        r->next = k + 1;
        return i;
    }
    return PLAN_NONE;
}

static void index_names(struct reader *r)
{
    const struct plan *p = r->p;
    r->buffer_of = mem_alloc(p->nbuffer, sizeof *r->buffer_of);
    for (uint32_t i = 0; i < p->nbuffer; i++)
        r->buffer_of[map_put(&r->values, value_key(&p->buffer[i]), NULL)] = i;
}

/* The buffer of "name{index}" (the last, if several have it), PLAN_NONE: there is none. */
static uint32_t find_value(struct reader *r, struct str name)
{
    if (str_ends(name, "{}")) name.n -= 2;
    if (!r->by_id && !r->buffer_of) index_ids(r);
    uint32_t i = find_ahead(r, name);
    if (i != PLAN_NONE) return i;
    if (!r->buffer_of) index_names(r);
    uint32_t k = map_get(&r->values, name);
    if (k == MAP_NONE) return PLAN_NONE;
    return r->buffer_of[k];
}

/* "name{index}:start-end" */
static bool range(struct reader *r, struct str s)
{
    struct plan *p = r->p;
    size_t colon = str_rfind(s, ':');
    if (colon == SIZE_MAX) return false;
    struct str name = str_n(s.p, colon), left = str_from(s, colon + 1);
    int64_t start, end;
    if (!take_nat(&left, &start) || !take_lit(&left, "-") || !take_nat(&left, &end) || left.n) return false;
    p->has_ranges = true;
    uint32_t i = find_value(r, name);
    if (i == PLAN_NONE && p->nalloc)
        plan_fault(p, PLAN_UNKNOWN_ID, ERR_LINE, r->at->line, "a live range of %.*s, which has no place",
                   (int)name.n, name.p);
    if (i != PLAN_NONE) {
        p->buffer[i].start = start;
        p->buffer[i].end = end;
    }
    return true;
}

/* "name{index}: 64 bytes (cumulative: 128 bytes)" */
static bool at_peak(struct reader *r, struct str s)
{
    struct plan *p = r->p;
    struct plan_peak k = {.unpadded = -1, .kind = -1};
    struct str name = take_until(&s, ':');
    if (!take_lit(&s, ": ") || !take_nat(&s, &k.size) || !take_lit(&s, " bytes")) return false;
    split(name, &k.instr, &k.index);
    if (p->npeak == PLAN_NONE - 1) return false;
    p->peak = mem_grow(p->peak, &r->peak_cap, (size_t)p->npeak + 1, sizeof *p->peak);
    p->peak[p->npeak++] = k;
    return true;
}

/* A heading inside the live ranges. */
static bool heading(struct reader *r, struct str s)
{
    if (take_lit(&s, "InstructionSequence:")) return r->part = SEQUENCE, true;
    if (take_lit(&s, "BufferLiveRange:")) return r->part = RANGES, true;
    if (take_lit(&s, "Stack trace breakdown")) return r->part = STACKS, true;
    if (take_lit(&s, "Peak memory could not be determined")) return r->listed = true;
    if (!take_lit(&s, "Live ranges at ") || !take_nat(&s, &r->p->peak_order)) return false;
    r->part = PEAK;
    return r->listed = true;
}

/* ---- lines ---- */

/* A line at the left margin that opens a part. */
static bool opens(struct reader *r, struct str s)
{
    struct plan *p = r->p;
    if (take_lit(&s, "BufferAssignment:")) return r->part = ALLOCATIONS, true;
    if (take_lit(&s, "Total bytes used: ")) return r->part = TOTALS, take_nat(&s, &p->total_used);
    if (take_lit(&s, "Used values:")) return r->part = USED, true;
    if (!take_lit(&s, "HloLiveRange (max ") || !take_nat(&s, &p->end_order)) return false;
    r->listed = false;
    return r->part = SEQUENCE, true;
}

static bool inside(struct reader *r, struct str s)
{
    switch (r->part) {
    case NOWHERE: return str_has(s, "not available"); /* all that a live-range file may have to say */
    case ALLOCATIONS: return in_allocations(r, s);
    case TOTALS: return false;
    case USED:
    case STACKS: return true;
    case SEQUENCE:
    case RANGES:
    case PEAK:
        if (!take_lit(&s, "    ")) return take_lit(&s, "  ") && heading(r, s);
        return r->part == SEQUENCE || (r->part == RANGES ? range(r, s) : at_peak(r, s));
    }
    return false;
}

/* Read up to the end, or to where another plan starts. */
static int lines(struct reader *r, struct err *e)
{
    struct str line, before = r->at->left;
    bool cut = false;
    for (; !cut && take_line(&r->at->left, &line, &cut); before = r->at->left) {
        bool whole = r->part != NOWHERE || r->p->nalloc;
        if (whole && str_starts(line, "BufferAssignment:")) {
            r->at->left = before;
            break;
        }
        r->at->line++;
        if (cut) return err_line(e, r->at->file, r->at->line, "the text is cut: its last line has no end");
        if (line.n && !opens(r, line) && !inside(r, line)) bad(r, line);
    }
    if (!r->listed)
        return err_line(e, r->at->file, r->at->line, "the live ranges are cut: no list at the peak");
    return 0;
}

/* Places, kinds and shapes of the values listed at the peak: they are few, the buffers many. */
static void place_peak(struct plan *p)
{
    struct map listed = {0};
    struct buf key = {0};
    uint32_t *row = mem_alloc(p->npeak, sizeof *row), k;
    for (uint32_t i = 0; i < p->npeak; i++) {
        key.n = 0;
        buf_str(&key, p->peak[i].instr);
        buf_str(&key, p->peak[i].index);
        row[map_put(&listed, buf_view(&key), NULL)] = i;
    }
    for (uint32_t i = 0; p->npeak && i < p->nbuffer; i++)
        if ((k = map_get(&listed, value_key(&p->buffer[i]))) != MAP_NONE)
            plan_peak_of(p, &p->buffer[i], &p->peak[row[k]]);
    map_free(&listed);
    buf_free(&key);
    free(row);
}

static void check_total(struct plan *p)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->nalloc; i++) sum = num_add(sum, p->alloc[i].size);
    if (p->nalloc && p->total_used >= 0 && p->total_used != sum)
        plan_fault(p, PLAN_TOTAL, ERR_NOWHERE, 0,
                   "its allocations add to %lld bytes, its own total is %lld: some are missing",
                   (long long)sum, (long long)p->total_used);
}

int plan_text_next(struct plan_text *t, struct plan_text *more, size_t nmore, struct plan **out,
                   struct err *e)
{
    struct reader r = {.at = t, .listed = true};
    *out = NULL;
    if (!t->left.n) return 0;
    r.p = *out = plan_new(PLAN_FROM_TEXT, t->file);
    int bad_end = lines(&r, e);
    for (size_t i = 0; !bad_end && i < nmore; i++) {
        r.at = &more[i];
        r.p->file = more[i].file;
        r.part = NOWHERE;
        bad_end = lines(&r, e);
    }
    r.p->file = t->file;
    check_total(r.p);
    place_peak(r.p);
    map_free(&r.shapes);
    map_free(&r.values);
    free(r.shape);
    free(r.by_id);
    free(r.buffer_of);
    return bad_end ? -1 : 1;
}

bool plan_text_is(struct str text)
{
    static const char *const mark[] = {"BufferAssignment:\n", "HloLiveRange (max ", "Used values:\n"};
    for (size_t i = 0; i < sizeof mark / sizeof *mark; i++) {
        size_t at = 0;
        for (struct str s = text; (at = str_find(s, str_of(mark[i]))) != SIZE_MAX; s = str_from(s, at + 1))
            if (s.p + at == text.p || s.p[at - 1] == '\n') return true;
    }
    return false;
}
