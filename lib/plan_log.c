/* Out-of-memory messages that XLA prints into a log: the TPU compiler's table of a memory space (hbm, vmem,
 * smem ...), its one-line forms, the GPU's "BufferAssignment OOM Debugging".  Any prefix may stand before a
 * line, and a table may stand on one line: words are looked for, not columns.
 *
 * Between messages only their opening words are searched for; inside one, every line is read for its keys
 * until IDLE lines have none.  Where hosts write into one log, the lines of others between a message's are
 * passed over, and read for messages of their own. */
#include "plan_log.h"
#include "take.h"
#include <ctype.h>
#include <stdlib.h>

enum {
    IDLE = 64,
    SPACES = 64, /* a message of more memory spaces is none of XLA's */
    TAG = 64     /* bytes of a tag at most */
};

/* ---- messages ---- */

static void describe(struct buf *b, const struct plan *p)
{
    buf_str(b, p->module);
    for (uint32_t i = 0; i < p->nspace; i++) {
        const struct plan_space *s = &p->space[i];
        buf_fmt(b, "\n%.*s %lld %lld %lld %lld %lld %lld", (int)s->memory_space.n, s->memory_space.p,
                (long long)s->argument, (long long)s->constant, (long long)s->maybe_live_out,
                (long long)s->temp, (long long)s->total, (long long)s->limit);
    }
    for (uint32_t i = 0; i < p->npeak; i++) {
        const struct plan_peak *k = &p->peak[i];
        buf_fmt(b, "\n%.*s %lld %lld %.*s %.*s", (int)k->instr.n, k->instr.p, (long long)k->size,
                (long long)k->unpadded, (int)k->shape.n, k->shape.p, (int)k->op_name.n, k->op_name.p);
    }
}

static void largest(struct plan *p)
{
    for (uint32_t i = 0; i < p->nspace; i++)
        for (uint32_t k = 0; k < p->npeak; k++) {
            struct plan_space *s = &p->space[i];
            const struct plan_peak *b = &p->peak[k];
            if (!str_eq(b->memory_space, s->memory_space) || b->size <= s->largest) continue;
            s->largest = b->size;
            s->largest_instr = b->instr;
            s->largest_source = b->source;
        }
}

static void finish(struct plan_log *r)
{
    struct plan *p = r->p;
    struct buf b = {0};
    bool fresh = true;
    if (!p) return;
    r->p = NULL;
    describe(&b, p);
    map_put(&r->seen, buf_view(&b), &fresh);
    buf_free(&b);
    if (!fresh) {
        plan_free(p);
        return;
    }
    largest(p);
    r->messages++;
    r->stop = r->on_plan(p, r->ctx) != 0;
}

void plan_log_begin(struct plan_log *r)
{
    finish(r);
    r->p = plan_new(PLAN_FROM_LOG, r->file);
    r->space_cap = r->peak_cap = 0;
    r->totals = r->unsized = false;
    r->space = PLAN_NONE;
}

struct plan_space *plan_log_space(struct plan_log *r, struct str name)
{
    struct plan *p = r->p;
    char low[32];
    if (name.n > sizeof low) name.n = sizeof low;
    for (size_t i = 0; i < name.n; i++) low[i] = (char)tolower((unsigned char)name.p[i]);
    name.p = low;
    for (r->space = 0; r->space < p->nspace; r->space++)
        if (str_eq(p->space[r->space].memory_space, name) || r->space == SPACES - 1)
            return &p->space[r->space];
    p->space = mem_grow(p->space, &r->space_cap, (size_t)p->nspace + 1, sizeof *p->space);
    p->space[p->nspace++] = (struct plan_space){.memory_space = plan_keep(p, name),
                                                .argument = -1,
                                                .constant = -1,
                                                .maybe_live_out = -1,
                                                .thread_local_ = -1,
                                                .temp = -1,
                                                .total = -1,
                                                .limit = -1,
                                                .buffers = -1,
                                                .largest = -1};
    return &p->space[r->space];
}

struct plan_space *plan_log_here(struct plan_log *r)
{
    if (!r->p) plan_log_begin(r);
    return r->space == PLAN_NONE ? plan_log_space(r, str_n(NULL, 0)) : &r->p->space[r->space];
}

struct plan_peak *plan_log_row(struct plan_log *r)
{
    struct plan *p = r->p;
    const struct plan_space *s = plan_log_here(r);
    p->peak = mem_grow(p->peak, &r->peak_cap, (size_t)p->npeak + 1, sizeof *p->peak);
    p->peak[p->npeak] =
        (struct plan_peak){.size = -1, .unpadded = -1, .kind = -1, .memory_space = s->memory_space};
    return &p->peak[p->npeak++];
}

/* ---- lines ---- */

/* Words that a message begins with, for the search between messages. */
static const char *const anchor[] = {
    "Ran out of memory ", ") would exceed memory (size=",   "Scoped allocation with size ",
    " usage >= ",         "BufferAssignment OOM Debugging", "BufferAssignment stats:"};
enum { NANCHORS = sizeof anchor / sizeof *anchor };

static bool word_start(struct str line, const char *p)
{
    return p == line.p || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');
}

static bool word_before(struct str line, const char *p)
{
    return p - line.p >= 2 && p[-1] == ' ' && isalnum((unsigned char)p[-2]);
}

/* The key at the cursor, behind it then; outside a message only those that open one. */
static const struct plan_log_key *key_at(const struct plan_log *r, struct str line, struct str *s)
{
    if (word_start(line, s->p))
        for (const struct plan_log_key *k = plan_log_keys; k->text; k++)
            if ((r->p || k->opens) && !(k->field && word_before(line, s->p)) && take_lit(s, k->text))
                return k;
    return NULL;
}

/* Read the keys of a line, left to right; how many. */
static unsigned keys_of(struct plan_log *r, struct str line)
{
    unsigned n = 0;
    for (struct str s = line; s.n && !r->stop;) {
        const struct plan_log_key *k = key_at(r, line, &s);
        if (k)
            k->read(r, &s), n++;
        else
            s = str_from(s, 1);
    }
    return n;
}

/* ---- logs of several hosts, line by line in one file ---- */

/* Who wrote the line: what stands in brackets in front of it, "[host 3]", "(pid=7, ip=10.0.0.7)", or "3: ". A
 * time is no such tag. */
static struct str tag_of(struct str line)
{
    const struct str none = {NULL, 0};
    struct str left = str_n(line.p, line.n < TAG ? line.n : TAG);
    char first = left.n ? left.p[0] : 0, close = first == '[' ? ']' : first == '(' ? ')' : ':';
    if (close == ':' && !isdigit((unsigned char)first)) return none;
    struct str tag = take_until(&left, close);
    if (!left.n || (close == ':' && !take_lit(&left, ": "))) return none;
    bool letters = false;
    for (size_t i = 1; i < tag.n; i++) {
        bool digits =
            i + 1 < tag.n && isdigit((unsigned char)tag.p[i - 1]) && isdigit((unsigned char)tag.p[i + 1]);
        if (digits && (tag.p[i] == ':' || (tag.p[i] == '.' && !letters))) return none;
        if (close == ':' && !isdigit((unsigned char)tag.p[i])) return none;
        letters |= isalpha((unsigned char)tag.p[i]) != 0;
    }
    return tag;
}

/* Where the lines of that tag have been read up to. */
static size_t *read_to(struct plan_log *r, struct str tag)
{
    uint32_t k = map_put(&r->tag, tag.n ? tag : STR("-"), NULL);
    while (r->nread <= k) {
        r->read = mem_grow(r->read, &r->read_cap, r->nread + 1, sizeof *r->read);
        r->read[r->nread++] = 0;
    }
    return &r->read[k];
}

/* Read the message that begins on the line at `at`, past lines of others.  Returns where to look on: behind
 * it, or behind its first line if there are others between its lines. */
static size_t message(struct plan_log *r, struct str text, size_t at)
{
    struct str left = str_from(text, at), line, tag;
    bool cut, others = false;
    size_t second = text.n;
    for (unsigned idle = 0; idle < IDLE && !r->stop && take_line(&left, &line, &cut);) {
        struct str of = tag_of(line);
        size_t behind = text.n - left.n;
        if (second == text.n) tag = of, second = behind;
        if (tag.n && of.n && !str_eq(tag, of)) {
            others = true;
            if (r->patience < line.n) break;
            r->patience -= line.n;
            continue;
        }
        idle = keys_of(r, line) ? 0 : idle + 1;
        *read_to(r, of) = behind;
    }
    finish(r);
    return others ? second : text.n - left.n;
}

/* The start of the next line that an anchor stands on, from `at` on. */
static size_t next_message(struct str text, size_t at, size_t found[NANCHORS])
{
    size_t best = SIZE_MAX;
    for (size_t i = 0; i < NANCHORS; i++) {
        if (found[i] != SIZE_MAX && found[i] < at) {
            size_t k = str_find(str_from(text, at), str_of(anchor[i]));
            found[i] = k == SIZE_MAX ? k : at + k;
        }
        if (found[i] < best) best = found[i];
    }
    if (best == SIZE_MAX) return best;
    const char *nl = best > at ? memrchr(text.p + at, '\n', best - at) : NULL;
    return nl ? (size_t)(nl - text.p) + 1 : at;
}

uint64_t plan_log_read(const struct inp *in, plan_on *on_plan, void *ctx)
{
    struct plan_log r = {.file = in->name, .on_plan = on_plan, .ctx = ctx};
    struct str text = str_n(in->data, in->size), line;
    size_t found[NANCHORS] = {0};
    for (size_t i = 0; i < NANCHORS; i++) found[i] = str_find(text, str_of(anchor[i]));
    r.patience = 64 * (uint64_t)text.n;
    for (size_t at = 0; !r.stop && (at = next_message(text, at, found)) != SIZE_MAX;) {
        struct str left = str_from(text, at);
        bool cut;
        take_line(&left, &line, &cut);
        at = *read_to(&r, tag_of(line)) > at ? text.n - left.n : message(&r, text, at);
    }
    map_free(&r.tag);
    free(r.read);
    map_free(&r.seen);
    return r.messages;
}
