#include "tracerow.h"
#include "num.h"

/* ---- values ---- */

static struct str decoded(struct trace_rows *r, const struct json_value *v)
{
    if (!v->escaped) return v->text;
    r->text.n = 0;
    json_text(&r->text, v->text);
    return str_n(arena_copy(&r->arena, r->text.p, r->text.n), r->text.n);
}

static struct val value(struct trace_rows *r, const struct json_value *v)
{
    struct val x = {0};
    int64_t i;
    uint64_t u;
    switch (v->kind) {
    case JSON_NULL: return x;
    case JSON_FALSE: return (struct val){.kind = VAL_U64, .u = 0};
    case JSON_TRUE: return (struct val){.kind = VAL_U64, .u = 1};
    case JSON_NUMBER:
        if (!num_u64(v->text, &u)) return (struct val){.kind = VAL_U64, .u = u};
        if (!num_i64(v->text, &i)) return (struct val){.kind = VAL_I64, .i = i};
        if (!num_f64(v->text, &x.f)) x.kind = VAL_F64;
        return x;
    default: return (struct val){.kind = VAL_TEXT, .s = decoded(r, v)};
    }
}

/* A number as text, or a string that holds one. */
static struct str number(const struct json_value *v)
{
    return v->kind == JSON_NUMBER || v->kind == JSON_STRING ? v->text : STR("");
}

/* Microseconds to ps.  Times since the epoch are taken from the first one's second on. */
static int time_ps(struct trace_rows *r, const struct json_value *v, bool absolute, int64_t *ps)
{
    struct str t = number(v);
    const char *dot = t.n ? memchr(t.p, '.', t.n) : NULL;
    struct str whole = dot ? str_n(t.p, (size_t)(dot - t.p)) : t;
    char rest[64] = "0";
    int64_t us, part = 0;
    if (absolute && !r->started) {
        r->started = true;
        if (!num_i64(whole, &us) && us > INT64_MAX / 2000000) r->origin_us = us / 1000000 * 1000000;
    }
    if (!absolute || !r->origin_us) return num_us_to_ps(t, ps);
    if (num_i64(whole, &us) || t.n - whole.n >= sizeof rest - 1) return -1;
    memcpy(rest + 1, t.p + whole.n, t.n - whole.n);
    if (num_us_to_ps(str_n(rest, 1 + t.n - whole.n), &part) ||
        __builtin_sub_overflow(us, r->origin_us, &us) || __builtin_mul_overflow(us, 1000000, ps) ||
        __builtin_add_overflow(*ps, part, ps))
        return -1;
    return 0;
}

/* ---- what an event is ---- */

/* Classes and hints follow from names alone and names repeat: a table of the latest, by hash. */
static struct trace_hash *remembered(struct trace_rows *r, uint64_t hash, bool *known)
{
    struct trace_hash *h = &r->cache[hash % TRACE_CACHE];
    *known = h->hash == hash;
    h->hash = hash;
    return h;
}

static unsigned op_hints(struct trace_rows *r, struct str op)
{
    bool known;
    struct trace_hash *h = remembered(r, map_hash(op.p, op.n, (uint64_t)(uintptr_t)r), &known);
    if (!known) h->value = ev_op_hints(op);
    return h->value;
}

static enum ev_class classify(struct trace_rows *r, enum ev_line kind, struct str name, struct str text,
                              struct str category)
{
    bool known;
    uint64_t hash = map_hash(name.p, name.n, (uint64_t)(uintptr_t)r + 1 + kind);
    hash = map_hash(category.p, category.n, hash);
    if (kind == LINE_OP) hash = map_hash(text.p, text.n, hash);
    struct trace_hash *h = remembered(r, hash, &known);
    if (!known) h->value = ev_classify(kind, name, text, category) | ev_name_hints(kind, name) << 8;
    return h->value;
}

struct special { /* args that are more than a column */
    struct str long_name, category;
};

static void take_args(struct trace_rows *r, const struct json_value *args, struct special *s)
{
    struct json j = {args->text.p, args->text.p + args->text.n};
    struct json_value key, v;
    bool first = true;
    if (args->kind != JSON_OBJECT || json_open(&j, '{') != JSON_OK) return;
    while (json_member(&j, &first, &key) == JSON_OK && json_value(&j, &v) == JSON_OK) {
        const struct ev_key *k = ev_key(key.text);
        if (k) {
            struct val x = ev_val(k->col, value(r, &v));
            r->vals.hints |= k->hint;
            if (k->col == COL_HLO_OP && x.kind == VAL_TEXT) r->vals.hints |= op_hints(r, x.s);
            if (k->col != COL_NONE) vals_set(&r->vals, k->col, k->rank, x);
        } else if (v.kind == JSON_STRING && str_is(key.text, "long_name"))
            s->long_name = decoded(r, &v);
        else if (v.kind == JSON_STRING && str_is(key.text, "hlo_category"))
            s->category = decoded(r, &v);
        for (unsigned i = 0; i < r->pick->nextra; i++)
            if (str_eq(key.text, r->pick->extra[i])) vals_set(&r->vals, COL_COUNT + i, 0, value(r, &v));
    }
}

/* ---- rows ---- */

static void put_named(struct tab *t, struct buf *b, struct str name, const char *what, struct str id)
{
    if (name.n) {
        tab_text(t, name);
        return;
    }
    b->n = 0;
    buf_fmt(b, "%s %.*s", what, (int)(id.n < 100 ? id.n : 100), id.p);
    tab_text(t, buf_view(b));
}

static void put_ps(struct tab *t, bool known, int64_t ps)
{
    if (known)
        tab_i64(t, ps);
    else
        tab_none(t);
}

static void put_vals(struct trace_rows *r)
{
    const struct vals *v = &r->vals;
    for (unsigned i = 0; i < COL_COUNT + r->pick->nextra; i++) {
        if (!(v->mask >> i & 1)) {
            tab_none(r->tab);
            continue;
        }
        if (v->v[i].kind == VAL_TEXT) {
            tab_text(r->tab, v->v[i].s);
            continue;
        }
        r->text.n = 0;
        val_cell(&r->text, v->v[i]);
        tab_cell(r->tab, buf_view(&r->text));
    }
}

static void sum(struct trace_thread *h, struct trace_process *p, bool timed, int64_t start, int64_t dur)
{
    h->events++;
    p->events++;
    h->dur_ps = num_add(h->dur_ps, dur);
    if (!timed) return;
    int64_t end = num_add(start, dur);
    if (start < h->first_ps) h->first_ps = start;
    if (end > h->last_ps) h->last_ps = end;
}

/* end: the event that ends it, or NULL. */
static void write_row(struct trace_rows *r, const struct trace_event *ev, const struct trace_event *end)
{
    struct trace_thread *h = trace_thread_of(r->trace, ev);
    struct trace_process *p = &r->trace->process[h->process];
    struct special s = {0};
    int64_t start = 0, dur = 0, stop;
    bool timed = !time_ps(r, &ev->ts, true, &start), lasts = true;
    uint64_t number = r->number++;
    if (!ev_picks_plane(r->pick, p->name) || !ev_picks_line(r->pick, h->name)) return;
    if (end)
        lasts = timed && !time_ps(r, &end->ts, true, &stop) && !__builtin_sub_overflow(stop, start, &dur);
    else if (ev->ph == 'X' || ev->ph == 'B' || ev->ph == 'b')
        lasts = !time_ps(r, &ev->dur, false, &dur);
    sum(h, p, timed, start, lasts ? dur : 0);
    r->vals.mask = r->vals.hints = 0;
    if (r->arena.total) arena_free(&r->arena);
    take_args(r, &ev->args, &s);
    if (end) take_args(r, &end->args, &s);
    struct str name = decoded(r, &ev->name), text = s.long_name.n ? s.long_name : name;
    if (ev->ph != 'C') vals_from_name(&r->vals, h->kind, text, name);
    if (r->vals.mask >> COL_SOURCE_FILE) vals_join_source(&r->vals, &r->source);
    unsigned c = classify(r, h->kind, name, text, s.category);
    enum ev_class class = ev->ph == 'C' ? EV_COUNTER : ev_refine(c & 0xff, h->kind, c >> 8 | r->vals.hints);
    if (!ev_picks_class(r->pick, class)) return;
    r->rows++;
    r->timeless += !timed;
    if (!r->tab) return;
    tab_u64(r->tab, number);
    put_named(r->tab, &r->name, p->name, "pid", p->pid);
    put_named(r->tab, &r->name, h->name, "tid", h->tid);
    tab_text(r->tab, h->tid);
    tab_text(r->tab, name);
    tab_texts(r->tab, ev_class_name(class));
    put_ps(r->tab, timed, start);
    put_ps(r->tab, lasts, dur);
    put_vals(r);
    tab_end(r->tab);
}

void trace_row(struct trace_rows *r, const struct trace_event *ev)
{
    struct trace_event begin;
    switch (ev->ph) {
    case 'X':
        r->complete++;
        /* fall through */
    case 'C':
    case 'i':
    case 'I': write_row(r, ev, NULL); return;
    case 'B':
    case 'b': trace_span_begin(&r->spans, ev); return;
    case 'E':
    case 'e':
        if (trace_span_end(&r->spans, ev, &r->span, &begin))
            write_row(r, &begin, ev);
        else
            r->unbegun++;
        return;
    default: r->other++;
    }
}

void trace_rows_end(struct trace_rows *r)
{
    struct trace_event begin;
    for (; trace_span_left(&r->spans, &r->span, &begin); r->unended++) write_row(r, &begin, NULL);
}

void trace_rows_free(struct trace_rows *r)
{
    trace_spans_free(&r->spans);
    buf_free(&r->text);
    buf_free(&r->name);
    buf_free(&r->source);
    buf_free(&r->span);
    arena_free(&r->arena);
}
