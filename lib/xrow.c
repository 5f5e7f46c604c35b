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

enum { SLACK = VAL_SLACK }; /* all cells of ours have these bytes behind them */

static struct str keep(struct arena *a, struct buf *b)
{
    size_t n = b->n;
    memset(buf_room(b, SLACK), 0, SLACK);
    struct str s = str_n(arena_copy(a, b->p, n + SLACK), n);
    buf_free(b);
    return s;
}

static struct str own_cell(struct arena *a, struct str text, const char *behind)
{
    struct buf b = {0};
    tsv_escape(&b, text);
    buf_puts(&b, behind);
    return keep(a, &b);
}

static unsigned op_hints(struct xname_stat *m)
{
    if (!m->op_hints) m->op_hints = (uint8_t)ev_op_hints(m->name);
    return m->op_hints;
}

/* Text is escaped when it is printed, and each byte may become four. */
static size_t most_bytes(const struct val *v)
{
    return v->kind == VAL_CELL ? v->s.n : v->kind >= VAL_TEXT ? 4 * v->s.n : 0;
}

/* The value in full, for column col; a ref's string is escaped once. */
static int stat_value(struct xnames *n, const struct xstat *st, struct vals *t, unsigned col, unsigned rank,
                      struct arena *inflated, struct err *e)
{
    struct xname_stat *ref = st->field == XSTAT_REF ? xnames_stat(n, (int64_t)st->u) : NULL;
    struct val *v = vals_place(t, col, rank);
    if (!v) return 0;
    if (ref) {
        if (!ref->cell.p) ref->cell = own_cell(&n->arena, ref->name, "");
        *v = (struct val){.kind = VAL_CELL, .s = ref->cell};
    } else if (xstat_value(n, st, v, inflated, e))
        return -1;
    if (col == COL_HLO_OP && v->kind >= VAL_TEXT) t->hints |= ref ? op_hints(ref) : ev_op_hints(v->s);
    *v = ev_val(col, *v);
    t->bytes += most_bytes(v);
    return 0;
}

/* One stat into the columns that it fills. */
static inline int take_stat(struct xnames *n, const struct xstat *st, struct vals *t, struct arena *inflated,
                            struct err *e)
{
    struct xname_stat *m = xnames_stat(n, st->id);
    if (!m || !m->used) return 0;
    t->hints |= m->key.hint;
    for (uint64_t bits = m->extra; bits; bits &= bits - 1)
        if (stat_value(n, st, t, COL_COUNT + (unsigned)__builtin_ctzll(bits), 0, inflated, e)) return -1;
    if (m->key.col == COL_NONE) return 0;
    if (st->field != XSTAT_UINT64) return stat_value(n, st, t, m->key.col, m->key.rank, inflated, e);
    struct val *v = vals_place(t, m->key.col, m->key.rank); /* ids and numbers, mostly */
    if (v) v->kind = VAL_U64, v->u = st->u;
    return 0;
}

/* ---- what is constant for an event's name ---- */

static int metadata_stats(struct xrows *r, struct wire msg, struct vals *t, struct str *category,
                          struct err *e)
{
    struct xstat st;
    struct val v;
    int got;
    while ((got = xstat_next(&msg, 5, &st, r->names->space, e)) > 0) {
        if (take_stat(r->names, &st, t, &r->names->arena, e)) return -1;
        if (!str_is(xstat_name(r->names, &st), "hlo_category")) continue;
        if (xstat_value(r->names, &st, &v, &r->names->arena, e)) return -1;
        if (v.kind == VAL_TEXT) *category = v.s;
    }
    return got;
}

static struct xcells *make_cells(struct xrows *r, enum ev_line kind, const struct xname_event *ev,
                                 struct err *e)
{
    unsigned ncol = COL_COUNT + r->pick->nextra;
    struct xnames *n = r->names;
    struct xcells *c = arena_alloc(&n->arena, 1, sizeof *c + (ncol + 1) * sizeof *c->off);
    struct xevent_names m = {0};
    struct vals t = {0};
    struct buf b = {0};
    struct str category = STR("");
    if (ev) {
        m = xevent_names(ev->msg);
        if (metadata_stats(r, ev->msg, &t, &category, e)) return NULL;
        vals_from_name(&t, kind, m.name, xevent_shown(m));
        vals_join_source(&t, &r->text);
    }
    vals_set(&t, COL_DEVICE, 0, (struct val){.kind = VAL_CELL, .s = r->device});
    for (unsigned i = 0; i < r->pick->nextra; i++)
        if (m.display.n && str_is(r->pick->extra[i], "long_name")) vals_text(&t, COL_COUNT + i, m.name);
    c->kind = kind;
    c->hints = t.hints | ev_name_hints(kind, xevent_shown(m));
    c->c = ev_classify(kind, xevent_shown(m), m.name, category);
    c->name = own_cell(&n->arena, xevent_shown(m), "\t");
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
    c->tail = keep(&n->arena, &b);
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

/* A field that is none of the usual: skipped if it is unknown, a fault if it is known and of another type. */
static int odd_field(const struct xspace *s, struct wire *w, struct err *e)
{
    static const uint8_t type[XPLANE_FIELDS] = {WIRE_ANY,   WIRE_VARINT, WIRE_VARINT, WIRE_VARINT,
                                                WIRE_BYTES, WIRE_VARINT, WIRE_ANY,    WIRE_ANY,
                                                WIRE_ANY,   WIRE_ANY,    WIRE_ANY,    WIRE_ANY};
    const unsigned char *at = w->p;
    struct wire_field f;
    if (wire_next(w, &f) <= 0) return xspace_bad(s, at, e, "not a protobuf field in an event (corrupt)");
    return xfield_fits(&f, type) ? 0 : xspace_bad(s, at, e, "a field of the wrong type (corrupt)");
}

static inline int stat_field(struct xrows *r, struct wire *w, const unsigned char *readable,
                             struct xevent *ev, struct err *e)
{
    struct xstat st;
    const unsigned char *at = w->p, *behind = xstat_quick(at, w->end, readable, &st);
    uint64_t n;
    if (behind) {
        w->p = behind;
        return take_stat(r->names, &st, &ev->own, &r->inflated, e);
    }
    if (wire_varint_near(w, readable, &n) || n > wire_size(*w))
        return xspace_bad(r->names->space, at, e, "a stat's length is wrong (corrupt)");
    struct wire msg = {w->p, w->p + n};
    w->p += n;
    return xstat_parse(msg, &st, r->names->space, e) || take_stat(r->names, &st, &ev->own, &r->inflated, e)
               ? -1
               : 0;
}

static int read_event(struct xrows *r, struct wire w, struct xevent *ev, struct err *e)
{
    const struct xspace *s = r->names->space;
    const unsigned char *readable = (const unsigned char *)s->base + s->size;
    uint64_t u[6] = {0};
    ev->msg = w;
    ev->aggregated = false;
    ev->own.mask = ev->own.bytes = ev->own.hints = 0;
    if (r->inflated.total) arena_free(&r->inflated);
    while (w.p < w.end) {
        const unsigned char *at = w.p;
        unsigned tag = *w.p++;
        switch (tag) {
        case 4 << 3 | WIRE_BYTES:
            if (stat_field(r, &w, readable, ev, e)) return -1;
            break;
        case 2 << 3 | WIRE_VARINT:
        case 5 << 3 | WIRE_VARINT: /* one or the other: the last counts */
            ev->aggregated = tag == (5 << 3 | WIRE_VARINT);
            /* fall through */
        case 1 << 3 | WIRE_VARINT:
        case 3 << 3 | WIRE_VARINT:
            if (wire_varint_near(&w, readable, &u[tag >> 3]))
                return xspace_bad(s, at, e, "a number is cut or too long (corrupt)");
            break;
        default:
            w.p = at;
            if (odd_field(s, &w, e)) return -1;
        }
    }
    ev->id = (int64_t)u[1];
    ev->offset_ps = (int64_t)u[2];
    ev->dur_ps = (int64_t)u[3];
    ev->occurrences = (int64_t)u[5];
    return 0;
}

/* Copy a cell of our own (it has SLACK bytes behind it, and so has the row). */
static inline char *put_own(char *p, const char *s, size_t n)
{
    memcpy(p, s, SLACK);
    if (n > SLACK) memcpy(p + SLACK, s + SLACK, n - SLACK);
    return p + n;
}

static char *put_val(struct xrows *r, char *p, const struct val *v)
{
    switch (v->kind) {
    case VAL_CELL: return put_own(p, v->s.p, v->s.n);
    case VAL_U64: return p + num_put_u64(p, v->u);
    case VAL_I64: return p + num_put_i64(p, v->i);
    default:
        r->row.n = 0;
        val_cell(&r->row, *v);
        memcpy(p, r->row.p, r->row.n);
        return p + r->row.n;
    }
}

static const struct {
    char text[SLACK];
    size_t n;
} class_cell[EV_CLASSES] = {
#define CELL(c, t) [c] = {t "\t", sizeof t}
    CELL(EV_KERNEL, "kernel"),
    CELL(EV_COLLECTIVE, "collective"),
    CELL(EV_MEMCPY, "memcpy"),
    CELL(EV_MEMSET, "memset"),
    CELL(EV_OP, "op"),
    CELL(EV_LAUNCH, "launch"),
    CELL(EV_GRAPH_LAUNCH, "graph_launch"),
    CELL(EV_SYNC, "sync"),
    CELL(EV_ALLOC, "alloc"),
    CELL(EV_HOST, "host"),
    CELL(EV_MODULE, "module"),
    CELL(EV_STEP, "step"),
    CELL(EV_COUNTER, "counter"),
    CELL(EV_ASYNC, "async"),
    CELL(EV_OTHER, "other"),
#undef CELL
};

static char *put_row(struct xrows *r, char *p, const struct xevent *ev)
{
    const struct xcells *c = ev->cells;
    const char *tail = c->tail.p, *tail_end = tail + c->tail.n;
    p += num_put_u64(p, ev->number);
    *p++ = '\t';
    p = put_own(p, r->prefix.p, r->prefix.n);
    p = put_own(p, c->name.p, c->name.n);
    p = put_own(p, class_cell[ev->class].text, class_cell[ev->class].n);
    if (ev->timed)
        p += num_put_i64(p, ev->start_ps);
    else
        *p++ = '-';
    *p++ = '\t';
    p += num_put_i64(p, ev->dur_ps);
    *p++ = '\t';
    for (uint64_t m = ev->own.mask; m; m &= m - 1) {
        unsigned i = (unsigned)__builtin_ctzll(m);
        p = put_own(p, tail, (size_t)(c->tail.p + c->off[i] - tail));
        p = put_val(r, p, &ev->own.v[i]);
        tail = c->tail.p + c->off[i + 1] - 1;
    }
    return put_own(p, tail, (size_t)(tail_end - tail));
}

static void write_row(struct xrows *r, const struct xevent *ev)
{
    enum { NUMBERS = (COL_COUNT + EV_EXTRA + 4) * 32 };
    size_t room = r->prefix.n + ev->cells->name.n + ev->cells->tail.n + ev->own.bytes + NUMBERS + SLACK;
    if (!r->tab->csv) {
        char *p = out_room(r->tab->out, room);
        out_took(r->tab->out, (size_t)(put_row(r, p, ev) - p));
        return;
    }
    struct buf line = {0};
    char *p = buf_room(&line, room);
    line.n = (size_t)(put_row(r, p, ev) - p) - 1;
    tab_cells(r->tab, buf_view(&line));
    tab_end(r->tab);
    buf_free(&line);
}

struct str xevent_name_cell(const struct xevent *ev)
{
    return str_n(ev->cells->name.p, ev->cells->name.n - 1);
}

struct str xevent_cell(struct xrows *r, const struct xevent *ev, unsigned col)
{
    const struct xcells *c = ev->cells;
    if (!(ev->own.mask >> col & 1)) return str_n(c->tail.p + c->off[col], c->off[col + 1] - 1 - c->off[col]);
    r->row.n = 0;
    val_cell(&r->row, ev->own.v[col]);
    return buf_view(&r->row);
}

void xrows_plane(struct xrows *r, struct xnames *n)
{
    r->names = n;
    for (size_t i = 0; i < n->nstat; i++)
        for (unsigned k = 0; k < r->pick->nextra; k++)
            if (str_eq(n->stat[i].name, r->pick->extra[k])) {
                n->stat[i].extra |= 1ull << k;
                n->stat[i].used = true;
            }
    r->device = own_cell(&n->arena, xplane_device(n), "");
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
    memset(buf_room(&r->prefix, SLACK), 0, SLACK);
}

static void occurrences(const struct xrows *r, struct xevent *ev)
{
    for (unsigned i = 0; i < r->pick->nextra; i++)
        if (str_is(r->pick->extra[i], "num_occurrences"))
            vals_set(&ev->own, COL_COUNT + i, 0, (struct val){.kind = VAL_I64, .i = ev->occurrences});
}

static void count(struct xrow_counts *n, const struct xevent *ev, bool named)
{
    n->rows++;
    n->nameless += !named;
    n->clocked += (ev->own.hints & HINT_CLOCK) != 0;
    n->aggregated += ev->aggregated;
    n->unprintable += !ev->aggregated && !ev->timed;
}

/* base: the line's start, NULL if that is beyond 64 bits; nameless: the cells of unknown names. */
static int one_event(struct xrows *r, struct xevent *ev, struct wire msg, const int64_t *base,
                     struct xcells **nameless, struct err *e)
{
    const struct xline *l = ev->line;
    if (read_event(r, msg, ev, e)) return -1;
    struct xname_event *name = xnames_event(r->names, ev->id);
    ev->cells = cells_of(r, name, name ? &name->cells : nameless, l->kind, e);
    if (!ev->cells) return -1;
    r->count.events++;
    ev->class = ev_refine(ev->cells->c, l->kind, ev->cells->hints | ev->own.hints);
    if (!ev_picks_class(r->pick, ev->class)) return 0;
    ev->timed = base && !ev->aggregated && !__builtin_add_overflow(*base, ev->offset_ps, &ev->start_ps);
    if (ev->aggregated) occurrences(r, ev);
    if (ev->own.mask >> COL_SOURCE_FILE) {
        vals_join_source(&ev->own, &r->text);
        ev->own.bytes += r->text.n;
    }
    count(&r->count, ev, name);
    if (r->tab) write_row(r, ev);
    return r->each ? r->each(r->arg, r, ev, e) : 0;
}

int xrows_line(struct xrows *r, const struct xline *l, struct err *e)
{
    struct wire w = l->body;
    struct wire_field f = {0};
    struct xevent ev = {.line = l, .number = l->first};
    struct xcells *nameless = NULL;
    int64_t base;
    bool timed = !xline_start(r->names->space, l, &base);
    start_line(r, l);
    while (wire_next(&w, &f) > 0) { /* xspace_read has walked these */
        if (f.num != 4 || f.type != WIRE_BYTES) continue;
        if (one_event(r, &ev, f.sub, timed ? &base : NULL, &nameless, e)) return -1;
        ev.number++;
    }
    return 0;
}

void xrows_free(struct xrows *r)
{
    buf_free(&r->prefix);
    buf_free(&r->text);
    buf_free(&r->row);
    arena_free(&r->inflated);
}
