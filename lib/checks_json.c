/* trace.json against the capture, line by line, after what its writer leaves out (spec: xplane 1.9). */
#include "checks.h"
#include "jsonside.h"
#include "num.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* Planes that the writer takes: the host, GPUs; without GPUs TPUs; without either custom devices. */
static const char *device_prefix(const struct events *t)
{
    static const char *const prefix[] = {"/device:GPU:", "/device:TPU:", "/device:CUSTOM:"};
    for (int i = 0; i < 3; i++)
        for (uint32_t p = 0; p < t->nplane; p++)
            if (str_starts(t->plane[p].name, prefix[i])) return prefix[i];
    return prefix[0];
}

/* The writer keeps the N earliest events: count again what it kept. */
static int by_start(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t apply_cap(const struct events *t, struct event_tally *y, const bool *taken, uint64_t cap)
{
    int64_t *start = mem_alloc(t->ntally, sizeof *start);
    uint64_t n = 0, left_out = 0;
    for (size_t i = 0; i < t->ntally; i++)
        if (taken[t->tally_row[i].line]) start[n++] = t->tally_row[i].start;
    if (n > cap) {
        qsort(start, n, sizeof *start, by_start);
        int64_t last = start[cap - 1];
        uint64_t at_last = cap; /* of those that start with the last one, the first in the file stay */
        while (at_last && start[at_last - 1] == last) at_last--;
        at_last = cap - at_last;
        for (uint32_t i = 0; i < t->nline; i++) y[i].n = y[i].names = 0, y[i].sum = 0;
        for (size_t i = 0; i < t->ntally; i++) {
            const struct event_tally_row *r = &t->tally_row[i];
            if (!taken[r->line]) continue;
            bool kept = r->start < last || (r->start == last && at_last);
            at_last -= kept && r->start == last;
            left_out += !kept;
            if (kept) event_tally_add(&y[r->line], r->start, r->dur, r->name);
        }
    }
    free(start);
    return left_out;
}

struct sides { /* one line, or the sum of a plane */
    struct event_tally x, j;
};

static void add_tally(struct event_tally *to, const struct event_tally *y)
{
    to->n += y->n;
    to->names += y->names;
    to->sum = num_add(to->sum, y->sum);
}

static void say_line(struct checks *c, struct str scope, const struct sides *s, bool whole)
{
    double off = s->x.n > s->j.n ? (double)(s->x.n - s->j.n) : (double)(s->j.n - s->x.n);
    check_equal(c, "json_events", scope, (int64_t)s->x.n, (int64_t)s->j.n, check_share(off, (double)s->x.n),
                whole ? "events of the capture, events of the JSON" : "the same, of one line");
    check_equal(c, "json_duration", scope, s->x.sum, s->j.sum,
                check_share(fabs((double)(s->x.sum - s->j.sum)), (double)s->x.sum), "sum of durations, ps%s",
                whole ? "" : ", of one line");
    if (s->x.n == s->j.n)
        check_none(c, "json_names", scope, s->x.names != s->j.names, NAN,
                   "1: the names of the events differ");
}

static void say_lines(struct checks *c, const struct map *key, const struct sides *line)
{
    struct map planes = {0};
    struct sides *plane = mem_alloc(key->count, sizeof *plane);
    uint32_t *of = mem_alloc(key->count, sizeof *of);
    struct buf b = {0};
    for (uint32_t k = 0; k < key->count; k++) {
        size_t tab = str_find(key->key[k], STR("\t"));
        of[k] = map_put(&planes, str_n(key->key[k].p, tab), NULL);
        add_tally(&plane[of[k]].x, &line[k].x);
        add_tally(&plane[of[k]].j, &line[k].j);
    }
    for (uint32_t p = 0; p < planes.count; p++) say_line(c, planes.key[p], &plane[p], true);
    for (uint32_t k = 0; k < key->count; k++) {
        const struct sides *s = &line[k];
        if (s->x.n == s->j.n && s->x.sum == s->j.sum && s->x.names == s->j.names) continue;
        struct str rest = str_from(key->key[k], planes.key[of[k]].n + 1);
        b.n = 0;
        buf_str(&b, planes.key[of[k]]);
        buf_c(&b, '/');
        buf_put(&b, rest.p, str_rfind(rest, '\t'));
        say_line(c, buf_view(&b), s, false);
    }
    buf_free(&b);
    map_free(&planes);
    free(plane);
    free(of);
}

/* Lines are the same if plane, name and the low 32 bits of the id are: the tid of a trace is one. */
static void compare(struct checks *c, const struct events *t, const struct json_side *json,
                    const struct event_tally *y, const bool *taken)
{
    struct map key = {0};
    struct sides *line = mem_alloc((size_t)t->nline + json->key.count, sizeof *line);
    struct buf b = {0};
    for (uint32_t i = 0; i < t->nline; i++) {
        if (!taken[i]) continue;
        json_side_key(&b, t->plane[t->line[i].plane].name, t->line[i].name, t->line[i].id);
        add_tally(&line[map_put(&key, buf_view(&b), NULL)].x, &y[i]);
    }
    for (uint32_t i = 0; i < json->key.count; i++)
        add_tally(&line[map_put(&key, json->key.key[i], NULL)].j, &json->tally[i]);
    say_lines(c, &key, line);
    buf_free(&b);
    map_free(&key);
    free(line);
}

void checks_of_json(struct checks *c, const struct events *t, const struct json_side *json)
{
    const char *prefix = device_prefix(t);
    struct event_tally *y = mem_alloc(t->nline, sizeof *y);
    bool *taken = mem_alloc(t->nline, sizeof *taken);
    uint64_t planes = 0, async = 0, internal = 0, floored = 0, capped = 0;
    if (json->viewer) {
        check_cannot(
            c, "json_events", STR("-"),
            "the JSON is the trace viewer's, which adds and drops lines; take the one beside the capture");
        free(y);
        free(taken);
        return;
    }
    for (uint32_t i = 0; i < t->nline; i++) {
        const struct event_line *l = &t->line[i];
        struct str plane = t->plane[l->plane].name;
        taken[i] = str_is(plane, "/host:CPU") || str_starts(plane, prefix);
        y[i] = l->json;
        if (!taken[i]) {
            planes += l->rows;
            continue;
        }
        async += l->json.async;
        internal += l->json.internal;
        floored += l->json.floored;
    }
    if (json_side_capped(json)) {
        capped = apply_cap(t, y, taken, json->rows);
        check_none(c, "json_complete", STR("-"), capped, check_share((double)capped, (double)t->rows),
                   "events behind the writer's cap of %" PRIu64 ": they are in the capture alone",
                   json->rows);
    }
    compare(c, t, json, y, taken);
    check_none(c, "json_readable", STR("-"), json->damaged,
               check_share((double)json->damaged, (double)json->rows),
               "events of the JSON that could not be read");
    check_rule(c, "json_rule_planes", planes, "events of planes that the writer does not take");
    check_rule(c, "json_rule_async", async, "events of lines Async XLA Ops: left out");
    check_rule(c, "json_rule_internal", internal,
               "events of internal types (MemoryAllocation, Prefetch, ...): left out");
    check_rule(c, "json_rule_floor", floored, "durations under 1 ps: written as 1 ps");
    check_rule(c, "json_rule_cap", capped, "events behind the cap of 1000000 or 5000000: left out");
    free(y);
    free(taken);
}
