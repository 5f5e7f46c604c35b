#include "trace.h"
#include "mem.h"
#include <stdlib.h>

int trace_open(struct trace *t, const char *path, struct err *e)
{
    *t = (struct trace){.first = true};
    return json_in_open(&t->in, path, e);
}

void trace_open_inp(struct trace *t, struct inp *in)
{
    *t = (struct trace){.first = true};
    json_in_start(&t->in);
    t->in.in = *in;
    *in = (struct inp){.fd = -1};
}

int trace_close(struct trace *t, struct err *e)
{
    int r = json_in_close(&t->in, e);
    free(t->process);
    free(t->thread);
    free(t->fact);
    map_free(&t->pids);
    map_free(&t->tids);
    arena_free(&t->arena);
    return r;
}

/* ---- one event ---- */

/* Where the value of member `name` goes; NULL: nowhere. */
static struct json_value *member(struct trace_event *ev, struct str name)
{
    const struct {
        char name[5];
        struct json_value *v;
    } known[] = {{"ts", &ev->ts},     {"dur", &ev->dur},   {"pid", &ev->pid}, {"tid", &ev->tid},
                 {"name", &ev->name}, {"args", &ev->args}, {"id", &ev->id},   {"cat", &ev->cat}};
    if (name.n < 2 || name.n > 4) return NULL;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!memcmp(known[i].name, name.p, name.n) && !known[i].name[name.n]) return known[i].v;
    return NULL;
}

static int parse_event(struct json *j, struct trace_event *ev)
{
    const char *from = j->p;
    struct json_value name, v;
    bool first = true;
    int r = json_open(j, '{');
    *ev = (struct trace_event){0};
    while (r == JSON_OK && (r = json_member(j, &first, &name)) == JSON_OK) {
        if ((r = json_value(j, &v)) != JSON_OK) return r;
        if (str_eq(name.text, STR("ph")) && v.kind == JSON_STRING && v.text.n == 1) ev->ph = v.text.p[0];
        struct json_value *to = member(ev, name.text);
        if (to) *to = v;
    }
    if (r != JSON_CLOSED) return r;
    ev->text = str_n(from, (size_t)(j->p - from));
    return JSON_OK;
}

bool trace_parse(struct str text, struct trace_event *ev)
{
    struct json j = {text.p, text.p + text.n};
    return parse_event(&j, ev) == JSON_OK;
}

/* ---- the file ---- */

static void add_fact(struct trace *t, struct str prefix, const struct json_value *key,
                     const struct json_value *v)
{
    enum { MOST = 1000 };
    struct buf k = {0}, text = {0};
    if (v->kind == JSON_ARRAY || v->kind == JSON_OBJECT || t->nfact == MOST) return;
    buf_str(&k, prefix);
    json_text(&k, key->text);
    if (v->kind == JSON_STRING)
        json_text(&text, v->text);
    else
        buf_str(&text, v->text);
    t->fact = mem_grow(t->fact, &t->fact_cap, t->nfact + 1, sizeof *t->fact);
    t->fact[t->nfact++] = (struct trace_fact){str_n(arena_copy(&t->arena, k.p, k.n), k.n),
                                              str_n(arena_copy(&t->arena, text.p, text.n), text.n)};
    buf_free(&k);
    buf_free(&text);
}

static void add_facts(struct trace *t, const struct json_value *key, const struct json_value *v)
{
    struct json j = {v->text.p, v->text.p + v->text.n};
    struct json_value name, x;
    bool first = true;
    add_fact(t, STR(""), key, v);
    if (v->kind != JSON_OBJECT || !str_is(key->text, "metadata") || json_open(&j, '{') != JSON_OK) return;
    while (json_member(&j, &first, &name) == JSON_OK && json_value(&j, &x) == JSON_OK)
        add_fact(t, STR("metadata."), &name, &x);
}

static int bad(struct trace *t, struct err *e, const char *what)
{
    return err_byte(e, t->in.in.name, json_in_at(&t->in), "%s", what);
}

static int cut(struct trace *t, struct err *e, const char *where)
{
    return err_byte(e, t->in.in.name, t->in.base + t->in.end, "the file is cut %s", where);
}

/* The start: an object with a member traceEvents, or the array itself. */
static int start(struct trace *t, struct err *e)
{
    int r, more;
    for (;;) {
        struct json j = json_in_text(&t->in);
        if (j.end - j.p >= 3 && !memcmp(j.p, "\xef\xbb\xbf", 3)) j.p += 3;
        r = json_open(&j, '{');
        t->bare = r == JSON_BAD && json_open(&j, '[') == JSON_OK;
        if (r == JSON_OK || t->bare) {
            json_in_to(&t->in, j.p);
            t->state = t->bare ? TRACE_EVENTS : TRACE_TOP;
            return 0;
        }
        if (r == JSON_BAD) return bad(t, e, "no JSON object or array here: not a trace");
        if ((more = json_in_more(&t->in, e)) < 0) return -1;
        if (!more) return err_set(e, t->in.in.name, "an empty file");
    }
}

/* The next member around the events. */
static int top(struct trace *t, struct err *e)
{
    struct json j = json_in_text(&t->in);
    struct json_value name, v;
    bool first = t->first;
    int r = json_member(&j, &first, &name);
    if (r == JSON_OK && str_is(name.text, "traceEvents") && (r = json_open(&j, '[')) == JSON_OK) {
        json_in_to(&t->in, j.p);
        t->state = TRACE_EVENTS;
        t->first = true;
        return 0;
    }
    if (r == JSON_OK && (r = json_value(&j, &v)) == JSON_OK) {
        add_facts(t, &name, &v);
        json_in_to(&t->in, j.p);
        t->first = first;
        return 0;
    }
    if (r == JSON_CLOSED) return t->state = TRACE_END, 0;
    if (r == JSON_BAD) return bad(t, e, "this is not JSON");
    r = json_in_more(&t->in, e);
    return r < 0 ? -1 : r ? 0 : cut(t, e, "in what stands around the events");
}

static bool blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/* What begins at the window's start is no event.  Reading goes on at a '{' behind ',' or '[', as events
 * stand. */
static void lose(struct trace *t)
{
    struct json j = json_in_text(&t->in);
    bool comma = false;
    if (!t->candidate && !t->damaged++) t->damaged_at = json_in_at(&t->in);
    while (!t->candidate && j.p < j.end && (blank(*j.p) || (*j.p == ',' && !comma))) comma |= *j.p++ == ',';
    t->before =
        !t->candidate && !comma && j.p < j.end && *j.p == '{' ? ',' : 0; /* only a comma was missing */
    if (!t->before && j.p < j.end) j.p++;
    json_in_to(&t->in, j.p);
    t->lost = true;
    t->candidate = false;
}

static bool find_start(struct trace *t)
{
    struct json j = json_in_text(&t->in);
    for (; j.p < j.end; j.p++) {
        if (*j.p == '{' && (t->before == ',' || t->before == '[')) break;
        if (!blank(*j.p)) t->before = *j.p;
    }
    json_in_to(&t->in, j.p);
    t->candidate = j.p < j.end;
    t->lost = !t->candidate;
    return t->candidate;
}

static int end_of_input(struct trace *t, struct err *e)
{
    struct json j = json_in_text(&t->in);
    while (j.p < j.end && (blank(*j.p) || *j.p == ',')) j.p++;
    t->state = TRACE_END;
    if (t->lost || (t->candidate && j.p < j.end)) return 0; /* counted in damaged */
    if (j.p < j.end || !t->bare)
        return cut(t, e, j.p < j.end ? "inside an event" : "before the end of the events");
    t->unclosed = true;
    return 0;
}

/* 1: an event, 0: look again, -1. */
static int event(struct trace *t, struct trace_event *ev, struct err *e)
{
    int r = JSON_MORE;
    bool first = t->first;
    if (!t->lost || find_start(t)) {
        struct json j = json_in_text(&t->in);
        r = t->candidate ? JSON_OK : json_item(&j, &first);
        if (r == JSON_OK) r = parse_event(&j, ev);
        if (r == JSON_OK && t->candidate && !ev->ph) r = JSON_BAD; /* an object inside a damaged event */
        if (r == JSON_OK || r == JSON_CLOSED) json_in_to(&t->in, j.p);
    }
    switch (r) {
    case JSON_OK:
        t->first = t->candidate = false;
        t->empty += ev->text.n == 2;
        return ev->text.n > 2;
    case JSON_CLOSED:
        t->state = t->bare ? TRACE_END : TRACE_TOP;
        t->first = false;
        return 0;
    case JSON_BAD: lose(t); return 0;
    default: r = json_in_more(&t->in, e); return r < 0 ? -1 : r ? 0 : end_of_input(t, e);
    }
}

int trace_next(struct trace *t, struct trace_event *ev, struct err *e)
{
    for (;;) {
        int r = t->state == TRACE_START    ? start(t, e)
                : t->state == TRACE_TOP    ? top(t, e)
                : t->state == TRACE_EVENTS ? event(t, ev, e)
                                           : 2;
        if (r == 2) return 0;
        if (r) return r;
    }
}

/* ---- names ---- */

static struct str keep(struct trace *t, const struct json_value *v)
{
    struct buf b = {0};
    if (v->kind == JSON_STRING)
        json_text(&b, v->text);
    else
        buf_str(&b, v->text);
    struct str s = str_n(arena_copy(&t->arena, b.p, b.n), b.n);
    buf_free(&b);
    return s;
}

static uint32_t process_of(struct trace *t, const struct json_value *pid)
{
    bool fresh;
    uint32_t i = map_put(&t->pids, pid->text, &fresh);
    if (!fresh) return i;
    t->process = mem_grow(t->process, &t->process_cap, t->nprocess + 1, sizeof *t->process);
    t->process[t->nprocess++] = (struct trace_process){.pid = keep(t, pid)};
    return i;
}

static uint32_t thread_of(struct trace *t, const struct trace_event *ev)
{
    char small[64];
    struct buf big = {0};
    size_t n = ev->pid.text.n + 1 + ev->tid.text.n;
    char *key = n <= sizeof small ? small : buf_room(&big, n);
    if (ev->pid.text.n) memcpy(key, ev->pid.text.p, ev->pid.text.n);
    key[ev->pid.text.n] = '\t';
    if (ev->tid.text.n) memcpy(key + ev->pid.text.n + 1, ev->tid.text.p, ev->tid.text.n);
    bool fresh;
    uint32_t i = map_put(&t->tids, str_n(key, n), &fresh);
    buf_free(&big);
    if (!fresh) return i;
    uint32_t p = process_of(t, &ev->pid);
    t->thread = mem_grow(t->thread, &t->thread_cap, t->nthread + 1, sizeof *t->thread);
    t->thread[t->nthread++] = (struct trace_thread){
        .process = p, .tid = keep(t, &ev->tid), .first_ps = INT64_MAX, .last_ps = INT64_MIN};
    t->process[p].threads++;
    return i;
}

struct trace_thread *trace_thread_of(struct trace *t, const struct trace_event *ev)
{
    uint32_t i = thread_of(t, ev); /* may move t->thread */
    struct trace_thread *h = &t->thread[i];
    const struct trace_process *p = &t->process[h->process];
    if (h->known != p->named + 1) { /* the kind follows from both names */
        h->kind = ev_line_kind(p->kind, h->name);
        h->known = p->named + 1;
    }
    return h;
}

/* XProf writes "HOST /device:TPU:0"; the capture-time writer only the plane's name. */
static void name_process(struct trace_process *p, struct str name)
{
    size_t at = str_find(name, STR(" /device:"));
    if (at == SIZE_MAX) at = str_find(name, STR(" /host:"));
    p->host = at == SIZE_MAX ? STR("") : str_n(name.p, at);
    p->name = at == SIZE_MAX ? name : str_from(name, at + 1);
    p->kind = ev_plane_kind(p->name);
    p->named++;
}

void trace_learn(struct trace *t, const struct trace_event *ev)
{
    struct json j = {ev->args.text.p, ev->args.text.p + ev->args.text.n};
    struct json_value key, v = {0};
    bool first = true, of_process = str_is(ev->name.text, "process_name");
    if ((!of_process && !str_is(ev->name.text, "thread_name")) || ev->args.kind != JSON_OBJECT) return;
    json_open(&j, '{');
    while (json_member(&j, &first, &key) == JSON_OK && json_value(&j, &v) == JSON_OK)
        if (str_is(key.text, "name") && v.kind == JSON_STRING) {
            struct str name = keep(t, &v);
            uint32_t p = process_of(t, &ev->pid);
            if (of_process) {
                name_process(&t->process[p], name);
            } else {
                uint32_t i = thread_of(t, ev); /* may move t->thread */
                struct trace_thread *h = &t->thread[i];
                h->name = name;
                h->known = 0;
            }
        }
}
