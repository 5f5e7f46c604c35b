#include "xrow.h"
#include "mem.h"
#include "num.h"

struct xcells {
    struct xcells *next; /* of the same event name on another kind of line */
    enum ev_line kind;
    enum ev_class c;
    unsigned hints;
    struct str name, tail; /* cell and TAB; all cells behind the times and a line end */
    uint32_t off[];        /* where the cell of column i begins in tail; one more for the end */
};

/* The values that one message's stats give to columns. */
struct vals {
    uint64_t mask; /* bit i: v[i] is set */
    unsigned hints;
    uint8_t rank[64];
    struct val v[64];
};

static void set(struct vals *t, unsigned col, unsigned rank, struct val v)
{
    uint64_t bit = 1ull << col;
    if ((t->mask & bit) && t->rank[col] > rank) return;
    t->mask |= bit;
    t->rank[col] = (uint8_t)rank;
    t->v[col] = v;
}

static uint8_t op_hints(struct xname_stat *m)
{
    if (!m->hints) m->hints = (uint8_t)ev_op_hints(m->name);
    return m->hints;
}

/* A ref's string is escaped once. */
static struct val ref_cell(struct xnames *n, struct xname_stat *m)
{
    if (!m->cell.p) {
        struct buf b = {0};
        tsv_escape(&b, m->name);
        m->cell = str_n(arena_copy(&n->arena, b.p, b.n), b.n);
        buf_free(&b);
    }
    return (struct val){.kind = VAL_CELL, .s = m->cell};
}

/* One stat into the columns that it fills. */
static int take_stat(struct xnames *n, const struct xstat *st, struct vals *t, struct err *e)
{
    struct xname_stat *m = xnames_stat(n, st->id), *ref = NULL;
    struct val v;
    if (!m || (!m->key && !m->extra)) return 0;
    if (st->field == XSTAT_REF && (ref = xnames_stat(n, (int64_t)st->u)))
        v = ref_cell(n, ref);
    else if (xstat_value(n, st, &v, e))
        return -1;
    if (m->key) {
        t->hints |= m->key->hint;
        if (m->key->col == COL_HLO_OP) t->hints |= ref ? op_hints(ref) : ev_op_hints(v.s);
        if (m->key->col < COL_NONE) set(t, m->key->col, m->key->rank, ev_val(m->key->col, v));
    }
    for (uint64_t bits = m->extra; bits; bits &= bits - 1)
        set(t, COL_COUNT + (unsigned)__builtin_ctzll(bits), 0, v);
    return 0;
}

/* source_file and source_line make a source where there is none; the text lives until the next call. */
static void join_source(struct vals *t, struct buf *text)
{
    uint64_t file = 1ull << COL_SOURCE_FILE, both = file | 1ull << COL_SOURCE_LINE;
    if ((t->mask & file) && !(t->mask & 1ull << COL_SOURCE)) {
        text->n = 0;
        val_cell(text, t->v[COL_SOURCE_FILE]);
        if (t->mask & both & ~file) {
            buf_c(text, ':');
            val_cell(text, t->v[COL_SOURCE_LINE]);
        }
        set(t, COL_SOURCE, 1, (struct val){.kind = VAL_CELL, .s = buf_view(text)});
    }
    t->mask &= ~both;
}

/* ---- what is constant for an event's name ---- */

static struct str own_cell(struct xnames *n, struct str text, const char *behind)
{
    struct buf b = {0};
    tsv_escape(&b, text);
    buf_puts(&b, behind);
    struct str s = str_n(arena_copy(&n->arena, b.p, b.n), b.n);
    buf_free(&b);
    return s;
}

static int metadata_stats(struct xrows *r, struct wire msg, struct vals *t, struct str *category,
                          struct err *e)
{
    struct xstat st;
    struct val v;
    int got;
    while ((got = xstat_next(&msg, 5, &st, r->names->space, e)) > 0) {
        if (take_stat(r->names, &st, t, e)) return -1;
        if (!str_is(xstat_name(r->names, &st), "hlo_category")) continue;
        if (xstat_value(r->names, &st, &v, e)) return -1;
        if (v.kind == VAL_TEXT) *category = v.s;
    }
    return got;
}

/* What the name itself says on op, module and step lines, where no stat does. */
static void name_values(enum ev_line kind, const struct xevent_names *m, struct vals *t)
{
    struct str id;
    if (kind == LINE_OP) set(t, COL_HLO_OP, 0, (struct val){.kind = VAL_TEXT, .s = ev_instr_name(m->name)});
    if (kind == LINE_STEP) set(t, COL_STEP, 0, (struct val){.kind = VAL_TEXT, .s = xevent_shown(*m)});
    if (kind != LINE_MODULE) return;
    struct str module = ev_module_name(m->name, &id);
    set(t, COL_MODULE, 0, (struct val){.kind = VAL_TEXT, .s = module});
    if (id.n) set(t, COL_PROGRAM, 0, (struct val){.kind = VAL_TEXT, .s = id});
}

static struct xcells *make_cells(struct xrows *r, enum ev_line kind, const struct xname_event *ev,
                                 struct err *e)
{
    unsigned ncol = COL_COUNT + r->nextra;
    struct xnames *n = r->names;
    struct xcells *c = arena_alloc(&n->arena, 1, sizeof *c + (ncol + 1) * sizeof *c->off);
    struct xevent_names m = {0};
    struct vals t = {0};
    struct buf b = {0};
    struct str category = STR("");
    if (ev) {
        m = xevent_names(ev->msg);
        if (metadata_stats(r, ev->msg, &t, &category, e)) return NULL;
        name_values(kind, &m, &t);
        join_source(&t, &r->text);
    }
    set(&t, COL_DEVICE, 0, (struct val){.kind = VAL_CELL, .s = r->device});
    for (unsigned i = 0; i < r->nextra; i++)
        if (m.display.n && str_is(r->extra[i], "long_name"))
            set(&t, COL_COUNT + i, 0, (struct val){.kind = VAL_TEXT, .s = m.name});
    c->kind = kind;
    c->hints = t.hints;
    c->c = ev_classify(kind, xevent_shown(m), m.name, category);
    c->name = own_cell(n, xevent_shown(m), "\t");
    for (unsigned i = 0; i < ncol; i++) {
        c->off[i] = (uint32_t)b.n;
        val_cell(&b, t.mask >> i & 1 ? t.v[i] : (struct val){0});
        buf_c(&b, i + 1 < ncol ? '\t' : '\n');
    }
    if (b.n > UINT32_MAX) {
        buf_free(&b);
        xspace_bad(n->space, ev->msg.p, e, "a name's stats of over 4 GiB");
        return NULL;
    }
    c->off[ncol] = (uint32_t)b.n;
    c->tail = str_n(arena_copy(&n->arena, b.p, b.n), b.n);
    buf_free(&b);
    return c;
}

static struct xcells *cells_of(struct xrows *r, struct xname_event *ev, struct xcells **list,
                               enum ev_line kind, struct err *e)
{
    for (struct xcells *c = *list; c; c = c->next)
        if (c->kind == kind) return c;
    struct xcells *c = make_cells(r, kind, ev, e);
    if (!c) return NULL;
    c->next = *list;
    return *list = c;
}

/* ---- rows ---- */

struct event {
    int64_t id, offset_ps, duration_ps, occurrences;
    bool aggregated;
    struct vals own;
};

static int read_event(struct xrows *r, struct wire w, struct event *ev, struct err *e)
{
    static const uint8_t type[XPLANE_FIELDS] = {WIRE_ANY,   WIRE_VARINT, WIRE_VARINT, WIRE_VARINT,
                                                WIRE_BYTES, WIRE_VARINT, WIRE_ANY,    WIRE_ANY,
                                                WIRE_ANY,   WIRE_ANY,    WIRE_ANY,    WIRE_ANY};
    const struct xspace *s = r->names->space;
    struct wire_field f;
    struct xstat st;
    int got;
    ev->id = ev->offset_ps = ev->duration_ps = 0;
    ev->aggregated = false;
    ev->own.mask = ev->own.hints = 0;
    for (const unsigned char *at = w.p; (got = wire_next(&w, &f)) > 0; at = w.p) {
        if (!xfield_fits(&f, type)) return xspace_bad(s, at, e, "a field of the wrong type (corrupt)");
        switch (f.num) {
        case 1: ev->id = (int64_t)f.u; break;
        case 2: ev->offset_ps = (int64_t)f.u, ev->aggregated = false; break;
        case 3: ev->duration_ps = (int64_t)f.u; break;
        case 4:
            if (xstat_parse(f.sub, &st, s, e) || take_stat(r->names, &st, &ev->own, e)) return -1;
            break;
        case 5: ev->occurrences = (int64_t)f.u, ev->aggregated = true; break;
        default: break;
        }
    }
    return got < 0 ? xspace_bad(s, w.p, e, "not a protobuf field in an event (corrupt)") : 0;
}

static char *put(char *p, struct str s)
{
    memcpy(p, s.p, s.n);
    return p + s.n;
}

static char *put_val(struct xrows *r, char *p, const struct val *v)
{
    switch (v->kind) {
    case VAL_CELL: return put(p, v->s);
    case VAL_U64: return p + num_put_u64(p, v->u);
    case VAL_I64: return p + num_put_i64(p, v->i);
    default:
        r->row.n = 0;
        val_cell(&r->row, *v);
        return put(p, buf_view(&r->row));
    }
}

static size_t most_bytes(const struct vals *t)
{
    size_t n = 0;
    for (uint64_t m = t->mask; m; m &= m - 1) {
        const struct val *v = &t->v[__builtin_ctzll(m)];
        n += v->kind == VAL_CELL ? v->s.n : v->kind >= VAL_TEXT ? 4 * v->s.n + 32 : 32;
    }
    return n;
}

static const char class_cell[EV_CLASSES][16] = {
    "kernel\t", "collective\t", "memcpy\t", "memset\t", "op\t",      "launch\t", "graph_launch\t", "sync\t",
    "alloc\t",  "host\t",       "module\t", "step\t",   "counter\t", "async\t",  "other\t"};

static char *put_row(struct xrows *r, char *p, const struct xcells *c, enum ev_class class,
                     const int64_t *start_ps, const struct event *ev)
{
    size_t at = 0;
    p = put(p, buf_view(&r->prefix));
    p = put(p, c->name);
    p = put(p, str_of(class_cell[class]));
    if (start_ps)
        p += num_put_i64(p, *start_ps);
    else
        *p++ = '-';
    *p++ = '\t';
    p += num_put_i64(p, ev->duration_ps);
    *p++ = '\t';
    for (uint64_t m = ev->own.mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        p = put(p, str_n(c->tail.p + at, c->off[i] - at));
        p = put_val(r, p, &ev->own.v[i]);
        at = c->off[i + 1] - 1;
    }
    return put(p, str_n(c->tail.p + at, c->tail.n - at));
}

static void write_row(struct xrows *r, const struct xcells *c, enum ev_class class, const int64_t *start_ps,
                      const struct event *ev)
{
    size_t room = r->prefix.n + c->name.n + c->tail.n + 64 + most_bytes(&ev->own);
    r->count.rows++;
    if (!r->tab->csv) {
        char *p = out_room(r->tab->out, room);
        out_took(r->tab->out, (size_t)(put_row(r, p, c, class, start_ps, ev) - p));
        return;
    }
    struct buf line = {0};
    char *p = buf_room(&line, room);
    line.n = (size_t)(put_row(r, p, c, class, start_ps, ev) - p) - 1;
    tab_cells(r->tab, buf_view(&line));
    tab_end(r->tab);
    buf_free(&line);
}

void xrows_plane(struct xrows *r, struct xnames *n)
{
    struct buf b = {0};
    r->names = n;
    for (size_t i = 0; i < n->nstat; i++)
        for (unsigned k = 0; k < r->nextra; k++)
            if (str_eq(n->stat[i].name, r->extra[k])) n->stat[i].extra |= 1ull << k;
    tsv_escape(&b, xplane_device(n));
    r->device = str_n(arena_copy(&n->arena, b.p, b.n), b.n);
    buf_free(&b);
}

static void start_line(struct xrows *r, const struct xline *l)
{
    r->prefix.n = 0;
    tsv_escape(&r->prefix, r->names->plane->name);
    buf_c(&r->prefix, '\t');
    tsv_escape(&r->prefix, l->name);
    buf_c(&r->prefix, '\t');
    buf_i64(&r->prefix, l->id);
    buf_c(&r->prefix, '\t');
}

static void occurrences(const struct xrows *r, struct event *ev)
{
    for (unsigned i = 0; i < r->nextra; i++)
        if (str_is(r->extra[i], "num_occurrences"))
            set(&ev->own, COL_COUNT + i, 0, (struct val){.kind = VAL_I64, .i = ev->occurrences});
}

static int one_event(struct xrows *r, struct wire msg, const struct xline *l, const int64_t *base,
                     struct xcells **nameless, struct event *ev, struct err *e)
{
    int64_t start;
    const int64_t *when = &start;
    if (read_event(r, msg, ev, e)) return -1;
    struct xname_event *name = xnames_event(r->names, ev->id);
    struct xcells *c = cells_of(r, name, name ? &name->cells : nameless, l->kind, e);
    if (!c) return -1;
    r->count.events++;
    r->count.nameless += !name;
    r->count.clocked += ev->own.hints >> 7 & 1;
    enum ev_class class = ev_refine(c->c, l->kind, c->hints | ev->own.hints);
    if (!(r->classes >> class & 1)) return 0;
    if (ev->aggregated) {
        r->count.aggregated++;
        occurrences(r, ev);
        when = NULL;
    } else if (!base || __builtin_add_overflow(*base, ev->offset_ps, &start)) {
        r->count.unprintable++;
        when = NULL;
    }
    if (ev->own.mask >> COL_SOURCE_FILE) join_source(&ev->own, &r->text);
    write_row(r, c, class, when, ev);
    return 0;
}

int xrows_line(struct xrows *r, const struct xline *l, struct err *e)
{
    struct wire w = l->body;
    struct wire_field f;
    struct event ev;
    struct xcells *nameless = NULL;
    int64_t base;
    bool timed = !xline_start(r->names->space, l, &base);
    start_line(r, l);
    while (wire_next(&w, &f) > 0) /* xspace_read has walked these */
        if (f.num == 4 && f.type == WIRE_BYTES &&
            one_event(r, f.sub, l, timed ? &base : NULL, &nameless, &ev, e))
            return -1;
    return 0;
}

void xrows_free(struct xrows *r)
{
    buf_free(&r->prefix);
    buf_free(&r->text);
    buf_free(&r->row);
}
