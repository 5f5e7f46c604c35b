#include "verdict.h"
#include "budget.h"
#include "idle.h"
#include "num.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* What to ask, in this order, when the capture cannot tell. */
#define ASK_DEVICE  "tpu-info (GPU: nvidia-smi, rocm-smi)"
#define ASK_BACKEND "jax.default_backend(), jax.devices()"
#define ASK_WHERE   "y.device, y.sharding, y.addressable_shards"
#define ASK_WAIT    "jax.block_until_ready(y)"
#define ASK_TRACE   "a trace: jax.profiler.start_trace, two warm steps, block_until_ready, stop_trace"

__attribute__((format(printf, 6, 7))) static void say(struct verdicts *v, const char *claim, struct str scope,
                                                      const char *value, const char *how, const char *fmt,
                                                      ...)
{
    struct buf b = {0};
    char t[1024];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(t, sizeof t, fmt, ap);
    va_end(ap);
    buf_put(&b, t, n < 0 ? 0 : (size_t)n < sizeof t ? (size_t)n : sizeof t - 1);
    v->row = mem_grow(v->row, &v->cap, v->n + 1, sizeof *v->row);
    struct str text[3] = {str_of(value), buf_view(&b), str_of(how)};
    for (int i = 0; i < 3; i++) text[i] = str_n(arena_copy(&v->arena, text[i].p, text[i].n), text[i].n);
    v->row[v->n++] = (struct verdict){claim, scope, text[0], text[1], text[2]};
    buf_free(&b);
}

static void say_ps(struct verdicts *v, const char *claim, struct str scope, int64_t ps, const char *how,
                   const char *evidence)
{
    char t[32];
    t[num_put_i64(t, ps)] = 0;
    say(v, claim, scope, t, how, "%s", evidence);
}

#define NAME(s) (int)tsv_cut(s, 80), (s).p

/* ---- what host events say ---- */

struct found { /* events whose name tells something */
    struct ivls time;
    uint64_t n;
    uint32_t name; /* of the first */
};
static void note(struct found *f, const struct event *v)
{
    if (!f->n++) f->name = v->name;
    ivls_add(&f->time, v->start, event_end(v));
}
static int64_t found_ps(struct found *f)
{
    ivls_settle(&f->time);
    return ivls_len(&f->time);
}

struct host {
    struct found wait, compile, profiler, graphs_off, client;
    uint64_t frames; /* of the python tracer */
};

static bool is_client(struct str s)
{
    return str_has(s, "LoadedExecutable") || str_has(s, "PjRt") || str_has(s, "PJRT") ||
           str_has(s, "ExecuteThunks") || str_has(s, "tpu::System") || str_has(s, "Executable::Execute") ||
           str_has(s, "XLA GPU module");
}

/* Names repeat: each is judged once. */
static struct host read_host(const struct events *t)
{
    struct host h = {0};
    enum { WAIT = 1, COMPILE = 2, PROFILER = 4, GRAPHS = 8, CLIENT = 16, FRAME = 32 };
    uint8_t *mark = mem_alloc(t->name.count, 1);
    for (uint32_t i = 0; i < t->name.count; i++) {
        struct str s = t->name.key[i];
        bool frame = str_starts(s, "$");
        mark[i] =
            (uint8_t)((thread_is_wait(s) ? WAIT : 0) | (thread_is_compile(s) && !frame ? COMPILE : 0) |
                      (str_has(s, "start_trace") || str_has(s, "stop_trace") || str_has(s, "ProfilerSession")
                           ? PROFILER
                           : 0) |
                      (str_has(s, "CommandBuffer disabled when profiling") ||
                               str_ends(s, "(disabled for profiling)")
                           ? GRAPHS
                           : 0) |
                      (is_client(s) ? CLIENT : 0) | (frame ? FRAME : 0));
    }
    for (size_t i = 0; i < t->n; i++) {
        const struct event *v = &t->event[i];
        if (!event_is(v, EV_CALLS) || v->name == EV_NONE) continue;
        uint8_t m = mark[v->name];
        if (m & WAIT || (v->class == EV_SYNC && !(m & COMPILE))) note(&h.wait, v);
        if (m & COMPILE) note(&h.compile, v);
        if (m & PROFILER) note(&h.profiler, v);
        if (m & GRAPHS) note(&h.graphs_off, v);
        if (m & CLIENT) note(&h.client, v);
        h.frames += !!(m & FRAME);
    }
    free(mark);
    return h;
}

static void free_host(struct host *h)
{
    struct found *f[] = {&h->wait, &h->compile, &h->profiler, &h->graphs_off, &h->client};
    for (size_t i = 0; i < sizeof f / sizeof *f; i++) ivls_free(&f[i]->time);
}

/* ---- a device ---- */

static void executed(struct verdicts *v, const struct events *t, const struct steps *s, uint32_t p,
                     const struct device_time *d)
{
    uint64_t steps = 0, of = 0;
    for (size_t i = 0; i < s->n; i++) {
        steps += s->step[i].plane == p;
        if (s->step[i].number + 1u > of) of = s->step[i].number + 1u;
    }
    if (!d->events)
        say(v, "executed", t->plane[p].name, "no", ASK_WAIT "; then " ASK_TRACE,
            "the plane has no device event");
    else if (of)
        say(v, "executed", t->plane[p].name, "yes", "-",
            "%" PRIu64 " device events, %" PRId64 " ps busy, in %" PRIu64 " of %" PRIu64 " steps", d->events,
            ivls_len(&d->busy), steps, of);
    else
        say(v, "executed", t->plane[p].name, "yes", "-",
            "%" PRIu64 " device events, %" PRId64 " ps busy; no steps known", d->events, ivls_len(&d->busy));
}

/* The call that put work there, and the device's own times beside it. */
static void dispatch(struct verdicts *v, const struct events *t, const struct launches *l, uint32_t p,
                     const struct device_time *d, struct found *wait)
{
    struct ivls calls = {0};
    struct str scope = t->plane[p].name;
    uint32_t n = l->from[p + 1] - l->from[p];
    for (uint32_t i = l->from[p]; i < l->from[p + 1]; i++) {
        const struct event *call = &t->event[l->launch[l->order[i]].host];
        ivls_add(&calls, call->start, event_end(call));
    }
    ivls_settle(&calls);
    if (n)
        say_ps(v, "dispatch_ps", scope, ivls_len(&calls), "-", "union of the calls that launched its work");
    else
        say(v, "dispatch_ps", scope, "unknown", ASK_TRACE, "no call is joined to this device's events");
    say_ps(v, "execution_ps", scope, ivls_len(&d->busy), "-", "union of its device events");
    ivls_settle(&wait->time);
    int64_t waited = 0;
    for (size_t i = ivls_from(&wait->time, d->span.a); i < wait->time.n && wait->time.v[i].a < d->span.b; i++)
        waited = wait->time.v[i].b;
    struct str name = event_name(t, wait->name);
    if (waited >= d->span.b)
        say(v, "host_waited", scope, "yes", "-", "%.*s ends after the device's last event", NAME(name));
    else if (wait->n && waited)
        say(v, "host_waited", scope, "partly", ASK_WAIT,
            "%.*s; the last wait ends before the device's last event", NAME(name));
    else
        say(v, "host_waited", scope, "no", ASK_WAIT,
            "no wait on the host while the device ran: times on the host are times of dispatch");
    ivls_free(&calls);
}

/* Idle for want of launches against busy, from the first launching call on. */
static void bound(struct verdicts *v, const struct events *t, const struct launches *l, struct threads *h,
                  uint32_t p, const struct device_time *d)
{
    struct idles x = {0};
    struct ivl w = d->span;
    int64_t cause[5] = {0};
    bool joined = l->from[p + 1] > l->from[p];
    for (uint32_t i = l->from[p]; i < l->from[p + 1]; i++) {
        int64_t call = t->event[l->launch[l->order[i]].host].start;
        if (call < w.a) w.a = call;
    }
    idle_of_device(&x, t, l, h, p, w);
    for (size_t i = 0; i < x.n; i++) cause[x.row[i].cause] = num_add(cause[x.row[i].cause], x.row[i].idle_ps);
    double span = w.b > w.a ? (double)(w.b - w.a) : 1, busy = (double)ivls_len(&d->busy) / span;
    double host = (double)(cause[IDLE_HOST] + cause[IDLE_EDGE]) / span,
           queue = (double)cause[IDLE_QUEUE] / span;
    const char *word = busy >= 0.9                               ? "device-bound"
                       : !joined                                 ? "unknown"
                       : host >= 0.5 * (1 - busy) && host >= 0.2 ? "host-bound"
                       : host < 0.05                             ? "device-bound"
                                                                 : "balanced";
    say(v, "bound", t->plane[p].name, word, joined ? "-" : ASK_TRACE,
        "from the first call on busy %.3f, idle with nothing launched %.3f, launched and waiting %.3f, "
        "inside graphs "
        "%.3f%s",
        busy, host, queue, (double)cause[IDLE_GRAPH] / span,
        joined ? ""
               : "; no launch is joined, so waiting for the host and for dependencies cannot be told apart");
    idle_free(&x);
}

static void device(struct verdicts *v, const struct events *t, const struct launches *l,
                   const struct steps *s, struct threads *h, struct host *host, uint32_t p)
{
    const struct event_plane *plane = &t->plane[p];
    struct device_time d = budget_device(t, p);
    bool named = !tsv_none(plane->device), programs = false;
    uint32_t joined = l->from[p + 1] - l->from[p];
    for (uint32_t k = 0; k < plane->nline && !programs; k++) {
        const struct event_line *line = events_line(t, p, k);
        for (size_t i = line->from; i < line->from + line->n && !programs; i++)
            programs = t->event[i].program != EV_NONE;
    }
    say(v, "device_present", plane->name, "yes", "-", "the plane is in the capture; hardware: %.*s",
        NAME(named ? plane->device : STR("not named")));
    if (joined || programs)
        say(v, "backend_connected", plane->name, "yes", "-", "%u launches are joined to it; %s", joined,
            programs ? "it ran compiled programs" : "no program is named");
    else if (d.events)
        say(v, "backend_connected", plane->name, "yes", "-",
            "device events, though no launch and no program is named");
    else
        say(v, "backend_connected", plane->name, host->client.n ? "unknown" : "cannot",
            ASK_BACKEND "; " ASK_WHERE, "nothing ran on it; %" PRIu64 " events of an XLA client on the host",
            host->client.n);
    executed(v, t, s, p, &d);
    if (d.events) {
        dispatch(v, t, l, p, &d, &host->wait);
        bound(v, t, l, h, p, &d);
    }
    budget_device_free(&d);
}

/* ---- the capture ---- */

static void capture(struct verdicts *v, const struct events *t, const struct launches *l,
                    const struct steps *s, struct host *h)
{
    uint64_t graphs = 0, whole = 0;
    for (size_t i = 0; i < l->n; i++) graphs += t->event[l->launch[i].host].class == EV_GRAPH_LAUNCH;
    if (h->graphs_off.n)
        say(v, "graphs_off_for_profiling", STR("-"), "yes",
            "XLA_FLAGS=--xla_enable_command_buffers_during_profiling=true, and capture again",
            "%" PRIu64 " events say so, first: %.*s; the program in production launches graphs, these "
            "figures do not hold for it",
            h->graphs_off.n, NAME(event_name(t, h->graphs_off.name)));
    else
        say(v, "graphs_off_for_profiling", STR("-"), "no", "-",
            "no marker in the capture; %" PRIu64 " graph launches", graphs);
    say_ps(v, "compile_in_window_ps", STR("-"), found_ps(&h->compile),
           h->compile.n ? "warm up: run each program once before start_trace" : "-",
           h->compile.n ? "compiling, tracing or autotuning inside the capture" : "no compilation seen");
    say_ps(v, "profiler_ps", STR("-"), found_ps(&h->profiler), "-",
           h->frames ? "start_trace and stop_trace; the python tracer was on, which slows every python call"
                     : "start_trace and stop_trace; the python tracer was off");
    for (size_t i = 0; i < s->n; i++) whole += s->step[i].plane == s->step[0].plane && !s->step[i].cut;
    if (!s->n)
        say(v, "capture_too_short", STR("-"), "unknown", "StepTraceAnnotation around each step",
            "no steps are known");
    else
        say(v, "capture_too_short", STR("-"), whole < 3 ? "yes" : "no",
            whole < 3 ? "capture at least three steps" : "-", "%" PRIu64 " whole steps (%s)", whole,
            step_source_word(s->source));
}

void verdict_find(struct verdicts *v, const struct events *t, const struct launches *l, const struct steps *s,
                  struct threads *h)
{
    struct host host = read_host(t);
    bool any = false;
    for (uint32_t p = 0; p < t->nplane; p++) {
        if (!t->plane[p].is_device) continue;
        device(v, t, l, s, h, &host, p);
        any = true;
    }
    if (!any) {
        say(v, "device_present", STR("-"), "cannot", ASK_DEVICE, "no device plane in the capture");
        say(v, "backend_connected", STR("-"), "cannot", ASK_BACKEND,
            "no device plane; %" PRIu64 " events of an XLA client on the host", host.client.n);
        say(v, "executed", STR("-"), "cannot", ASK_WHERE "; " ASK_WAIT "; " ASK_TRACE,
            "no device plane: what ran, ran on the host or was not traced");
    }
    capture(v, t, l, s, &host);
    free_host(&host);
}

void verdict_log_line(void *context, enum joblog_kind k, uint64_t pid, struct str text, uint64_t line)
{
    static const struct {
        const char *claim, *value, *how;
    } say_of[JOBLOG_KINDS] = {
        {"device_held_by_another_process", "yes", "lsof -w /dev/vfio/* /dev/accel*"},
        {"library_loaded", "no", "python -c 'import libtpu' (GPU: import jax_cuda12_plugin); " ASK_BACKEND},
        {"backend_connected", "no", ASK_BACKEND},
        {"ran_on_cpu", "yes", ASK_BACKEND "; " ASK_WHERE},
        {"tpu_info_has_figures", "no", ASK_DEVICE " as the job's user, while it runs"},
    };
    struct verdicts *v = context;
    struct buf cell = {0};
    char how[200];
    tsv_escape(&cell, text);
    if (k == JOBLOG_DEVICE_BUSY && pid)
        snprintf(how, sizeof how, "ps -fp %" PRIu64 "; %s", pid, say_of[k].how);
    else
        snprintf(how, sizeof how, "%s", say_of[k].how);
    if (k == JOBLOG_DEVICE_BUSY && pid)
        say(v, say_of[k].claim, STR("-"), say_of[k].value, how,
            "log line %" PRIu64 ", process %" PRIu64 ": %.*s", line, pid, (int)(cell.n > 300 ? 300 : cell.n),
            cell.p);
    else
        say(v, say_of[k].claim, STR("-"), say_of[k].value, how, "log line %" PRIu64 ": %.*s", line,
            (int)tsv_cut(buf_view(&cell), 300), cell.p);
    buf_free(&cell);
}

void verdict_free(struct verdicts *v)
{
    free(v->row);
    arena_free(&v->arena);
    *v = (struct verdicts){0};
}
