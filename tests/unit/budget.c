/* Intervals, and where the time of streams and devices goes: against brute force and by hand. */
#include "budget.h"
#include "nest.h"
#include "runs.h"
#include "table.h"

static uint64_t rnd(void)
{
    static uint64_t s = 88172645463325252u;
    s ^= s << 13, s ^= s >> 7, s ^= s << 17;
    return s;
}

enum { T = 64 };
static struct ivls random_set(bool in[T])
{
    struct ivls s = {0};
    memset(in, 0, T);
    for (int k = (int)(rnd() % 12); k > 0; k--) {
        int64_t a = (int64_t)(rnd() % T), b = a + (int64_t)(rnd() % 9);
        if (b > T) b = T;
        ivls_add(&s, a, b);
        for (int64_t i = a; i < b; i++) in[i] = true;
    }
    ivls_settle(&s);
    return s;
}

static void same(const struct ivls *s, const bool in[T])
{
    int64_t n = 0;
    for (int i = 0; i < T; i++) {
        CHECK(ivls_has(s, i) == in[i]);
        n += in[i];
    }
    CHECK(ivls_len(s) == n);
    for (size_t i = 1; i < s->n; i++) CHECK(s->v[i - 1].b < s->v[i].a);
}

static void intervals(void)
{
    for (int k = 0; k < 500; k++) {
        bool a[T], b[T], c[T];
        struct ivls x = random_set(a), y = random_set(b), z;
        same(&x, a);
        for (int op = 0; op < 2; op++) {
            for (int i = 0; i < T; i++) c[i] = op ? a[i] && !b[i] : a[i] || b[i];
            z = op ? ivls_minus(&x, &y) : ivls_or(&x, &y);
            same(&z, c);
            ivls_free(&z);
        }
        int64_t lo = (int64_t)(rnd() % T), hi = lo + (int64_t)(rnd() % T), n = 0;
        for (int64_t i = lo; i < hi && i < T; i++) n += a[i];
        CHECK(ivls_len_in(&x, (struct ivl){lo, hi}) == n);
        ivls_free(&x);
        ivls_free(&y);
    }
}

struct pair {
    int key, at;
};
static bool pair_after(const void *a, const void *b)
{
    return ((const struct pair *)a)->key > ((const struct pair *)b)->key;
}

static void sorting(void)
{
    for (int k = 0; k < 200; k++) {
        struct pair v[100];
        int n = (int)(rnd() % 100);
        for (int i = 0; i < n; i++) v[i] = (struct pair){(int)(rnd() % 20), i};
        runs_sort(v, (size_t)n, sizeof *v, pair_after);
        for (int i = 1; i < n; i++)
            CHECK(v[i - 1].key < v[i].key || (v[i - 1].key == v[i].key && v[i - 1].at < v[i].at));
    }
}

static const struct event_line *line(const struct events *t, const char *name)
{
    for (uint32_t i = 0; i < t->nline; i++)
        if (str_is(t->line[i].name, name)) return &t->line[i];
    exit(2);
}

#define PARTS(b, span, compute, collective, copy, idle)                                                      \
    CHECK((b).span_ps == (span) && (b).part_ps[0] == (compute) && (b).part_ps[1] == (collective) &&          \
          (b).part_ps[2] == (copy) && (b).idle_ps == (idle))

/* Three streams: per-stream idle adds up to more than the device's span, busy time to more than the span. */
static void three_streams(void)
{
    struct events t = table("/device:GPU:0 S1 k kernel 0 100 m 1 - - - - -\n"
                            "/device:GPU:0 S1 k kernel 150 50 m 1 - - - - -\n"
                            "/device:GPU:0 S2 nccl collective 80 60 m 1 - - - - -\n"
                            "/device:GPU:0 S3 h2d memcpy 90 20 m 1 - - - - -\n"
                            "/device:GPU:0 S3 set memset 130 30 m 1 - - - - -\n"
                            "/device:GPU:0 S3 last memset 210 0 m 1 - - - - -\n"
                            "/device:GPU:0 Async_XLA_Ops a async 0 900 m 1 - - - - -\n"
                            "/device:GPU:0 Steps s step 0 900 - - - - - 0 -\n");
    struct device_time d = budget_device(&t, 0);
    struct budget b = budget_of_device(&d, d.span);
    PARTS(b, 210, 150, 40, 10, 10); /* copies: 140-150 is theirs alone; idle 200-210 */
    CHECK(b.hidden_ps[BUDGET_COLLECTIVE] == 20 && b.hidden_ps[BUDGET_MEMCPY] == 20 + 20);
    CHECK(d.sum_ps == 100 + 50 + 60 + 20 + 30 && d.events == 6);
    struct owners o = budget_line(&t, line(&t, "S3"));
    struct budget s = budget_of_line(&o, o.span);
    PARTS(s, 120, 0, 0, 50, 70);
    CHECK(o.overlap_ps == 0);
    s = budget_of_line(&o, (struct ivl){100, 140}); /* a window cuts events */
    PARTS(s, 40, 0, 0, 20, 20);
    budget_owners_free(&o);
    budget_device_free(&d);
    events_free(&t);
}

/* In one stream the earlier event keeps an overlap; on the device compute owns it. */
static void stream_overlap(void)
{
    struct events t = table("/device:GPU:0 Stream k memcpy 0 100 m 1 - - - - -\n"
                            "/device:GPU:0 Stream k kernel 90 30 m 1 - - - - -\n"
                            "/device:GPU:0 Stream k kernel 95 5 m 1 - - - - -\n"
                            "/device:GPU:0 Stream k kernel 130 -7 m 1 - - - - -\n");
    struct owners o = budget_line(&t, &t.line[0]);
    struct budget b = budget_of_line(&o, o.span);
    PARTS(b, 130, 20, 0, 100, 10);
    CHECK(o.overlap_ps == 15 && t.line[0].negative == 1);
    struct device_time d = budget_device(&t, 0);
    b = budget_of_device(&d, d.span);
    PARTS(b, 130, 30, 0, 90, 10);
    CHECK(b.hidden_ps[BUDGET_MEMCPY] == 10);
    budget_owners_free(&o);
    budget_device_free(&d);
    events_free(&t);
}

/* Op lines nest: the innermost owns the instant, and that is no overlap. */
static void nested_ops(void)
{
    struct events t = table("/device:TPU:0 XLA_Ops while op 0 100 m 1 while - - - -\n"
                            "/device:TPU:0 XLA_Ops ar collective 10 30 m 1 ar - - - -\n"
                            "/device:TPU:0 XLA_Ops copy memcpy 20 5 m 1 copy - - - -\n"
                            "/device:TPU:0 XLA_Ops late op 90 30 m 1 late - - - -\n");
    struct owners o = budget_line(&t, &t.line[0]);
    struct budget b = budget_of_line(&o, o.span);
    PARTS(b, 120, 90, 25, 5, 0);
    CHECK(o.overlap_ps == 10 && o.sum_ps == 120); /* `late` crosses the end of `while` */
    struct device_time d = budget_device(&t, 0);
    b = budget_of_device(&d, d.span);
    PARTS(b, 120, 90, 25, 5, 0);
    CHECK(!b.hidden_ps[BUDGET_COLLECTIVE] && !b.hidden_ps[BUDGET_MEMCPY]);
    budget_owners_free(&o);
    budget_device_free(&d);
    events_free(&t);
}

/* Any events, in any order: the parts sum to the span, per stream and per device, and shares stay below 1. */
static void conservation(void)
{
    static const char *const class[] = {"kernel", "collective", "memcpy", "memset", "op"};
    for (int k = 0; k < 100; k++) {
        struct buf b = {0};
        for (int i = 0; i < 60; i++)
            buf_fmt(&b, "/device:%s:0 L%d k %s %d %d m 1 - - - - -\n", k % 2 ? "TPU" : "GPU",
                    (int)(rnd() % 4), class[rnd() % 5], (int)(rnd() % 1000) - 300, (int)(rnd() % 60));
        struct events t = table(buf_cstr(&b));
        struct device_time d = budget_device(&t, 0);
        struct ivl w[] = {d.span, {0, 400}, {-1000, 2000}};
        for (int i = 0; i < 3; i++) {
            struct budget x = budget_of_device(&d, w[i]);
            CHECK(x.part_ps[0] + x.part_ps[1] + x.part_ps[2] + x.idle_ps == w[i].b - w[i].a &&
                  x.idle_ps >= 0);
        }
        int64_t busy = 0;
        for (uint32_t i = 0; i < t.nline; i++) {
            struct owners o = budget_line(&t, &t.line[i]);
            struct budget x = budget_of_line(&o, o.span);
            CHECK(x.part_ps[0] + x.part_ps[1] + x.part_ps[2] + x.idle_ps == x.span_ps && x.idle_ps >= 0);
            busy += x.span_ps - x.idle_ps;
            budget_owners_free(&o);
        }
        CHECK(busy >= ivls_len(&d.busy));
        budget_device_free(&d);
        events_free(&t);
        buf_free(&b);
    }
}

int main(void)
{
    intervals();
    sorting();
    three_streams();
    stream_overlap();
    nested_ops();
    conservation();
    DONE;
}
