#include "jsonside.h"
#include "kind.h"
#include "num.h"
#include "trace.h"
#include <stdlib.h>

enum { LOOK = 4096 }; /* bytes that tell a trace from its table */

enum { CAP_OLD = 1000000, CAP_NEW = 5000000 };

bool json_side_capped(const struct json_side *s) { return s->rows == CAP_OLD || s->rows == CAP_NEW; }

void json_side_key(struct buf *b, struct str plane, struct str line, struct str id)
{
    int64_t i = 0;
    uint64_t u = 0;
    if (num_i64(id, &i) && !num_u64(id, &u)) i = (int64_t)u;
    b->n = 0;
    buf_str(b, plane);
    buf_c(b, '\t');
    buf_str(b, line);
    buf_c(b, '\t');
    buf_u64(b, (uint32_t)i);
}

static struct event_tally *tally_of(struct json_side *s, struct str plane, struct str line, struct str id)
{
    struct buf b = {0};
    bool fresh;
    json_side_key(&b, plane, line, id);
    uint32_t k = map_put(&s->key, buf_view(&b), &fresh);
    if (fresh) {
        s->tally = mem_grow(s->tally, &s->cap, k + 1u, sizeof *s->tally);
        s->tally[k] = (struct event_tally){0};
    }
    buf_free(&b);
    return &s->tally[k];
}

static void add_up(struct event_tally *to, const struct event_tally *y)
{
    to->n += y->n;
    to->names += y->names;
    to->sum = num_add(to->sum, y->sum);
}

/* trace2tsv's table. */
static int from_table(struct json_side *s, struct inp *table, struct err *e)
{
    struct events t = {.tally = true};
    struct tsv in;
    if (tsv_open_inp(&in, table, e)) return -1;
    int r = events_read(&t, &in, 0, e);
    tsv_close(&in);
    s->rows = t.rows;
    for (uint32_t p = 0; p < t.nplane; p++)
        s->viewer |= str_has(t.plane[p].name, " /device:") || str_has(t.plane[p].name, " /host:");
    for (uint32_t i = 0; i < t.nline; i++)
        add_up(tally_of(s, t.plane[t.line[i].plane].name, t.line[i].name, t.line[i].id), &t.line[i].json);
    events_free(&t);
    return r;
}

/* One complete event; names of threads may come later, so sums are kept by thread until the end. */
static bool take(const struct trace_event *ev, struct event_tally *y, struct buf *text, struct buf *cell)
{
    int64_t start, dur;
    if (num_us_to_ps(ev->ts.text, &start) || num_us_to_ps(ev->dur.text, &dur)) return false;
    text->n = cell->n = 0;
    ev->name.escaped ? json_text(text, ev->name.text) : buf_str(text, ev->name.text);
    tsv_escape(cell, buf_view(text));
    event_tally_add(y, start, dur, map_hash(cell->p, cell->n, 1));
    return true;
}

static void name_lines(struct json_side *s, const struct trace *t, const struct event_tally *y, size_t n)
{
    struct buf plane = {0}, line = {0}, id = {0};
    for (size_t i = 0; i < n; i++) {
        const struct trace_thread *h = &t->thread[i];
        const struct trace_process *p = &t->process[h->process];
        if (!y[i].n) continue;
        plane.n = line.n = id.n = 0;
        tsv_escape(&plane, p->name);
        tsv_escape(&line, h->name);
        tsv_escape(&id, h->tid);
        s->viewer |= p->host.n > 0;
        add_up(tally_of(s, buf_view(&plane), buf_view(&line), buf_view(&id)), &y[i]);
    }
    buf_free(&plane);
    buf_free(&line);
    buf_free(&id);
}

static int from_trace(struct json_side *s, struct inp *in, struct err *e)
{
    struct trace t;
    struct trace_event ev;
    struct event_tally *y = NULL;
    struct buf text = {0}, cell = {0};
    size_t cap = 0, n = 0;
    int r;
    trace_open_inp(&t, in);
    while ((r = trace_next(&t, &ev, e)) > 0) {
        if (ev.ph == 'M') trace_learn(&t, &ev);
        if (ev.ph != 'X') continue;
        size_t at = (size_t)(trace_thread_of(&t, &ev) - t.thread);
        if (at >= n) {
            y = mem_grow(y, &cap, at + 1, sizeof *y);
            memset(y + n, 0, (at + 1 - n) * sizeof *y);
            n = at + 1;
        }
        s->rows++;
        s->damaged += !take(&ev, &y[at], &text, &cell);
    }
    s->damaged += t.damaged;
    name_lines(s, &t, y, n);
    if (trace_close(&t, e)) r = -1;
    buf_free(&text);
    buf_free(&cell);
    free(y);
    return r;
}

int json_side_read(struct json_side *s, const char *path, struct err *e)
{
    struct inp in;
    if (inp_open(&in, path, e)) return -1;
    struct str head = inp_look(&in, LOOK);
    enum kind k = kind_of(head.p, head.n);
    if (k == KIND_TABLE) return from_table(s, &in, e);
    if (k == KIND_TRACE_JSON) return from_trace(s, &in, e);
    if (inp_close(&in, e)) return -1;
    return err_set(e, path, "no JSON trace and no table of one: this is %s", kind_says(k));
}

void json_side_free(struct json_side *s)
{
    map_free(&s->key);
    free(s->tally);
    *s = (struct json_side){0};
}
