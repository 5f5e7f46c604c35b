/* The critical path: its parts sum to the step, a replay of the same world has the same length, causes taken
 * away by hand. */
#include "causes.h"
#include "table.h"

struct all {
    struct events t;
    struct launches l;
    struct steps s;
    struct threads h;
    struct path p;
};
static void all(struct all *a, const char *rows)
{
    *a = (struct all){.t = table(rows)};
    a->l = launch_join(&a->t);
    a->s = steps_find(&a->t, &a->l);
    a->h = threads_of(&a->t);
    CHECK(!path_find(&a->p, &a->t, &a->l, &a->s, &a->h, 0));
}
static void done(struct all *a)
{
    path_free(&a->p);
    steps_free(&a->s);
    threads_free(&a->h);
    launch_free(&a->l);
    events_free(&a->t);
}

static int64_t as_it_is(void *context, const struct path *p, uint32_t node, bool edge, int64_t ps)
{
    (void)context, (void)p, (void)node, (void)edge;
    return ps;
}
static int64_t of_kind(const struct path *p, enum path_kind k)
{
    int64_t sum = 0;
    for (size_t i = 0; i < p->nseg; i++)
        if (p->seg[i].kind == k) sum += p->seg[i].b - p->seg[i].a;
    return sum;
}
static void whole(const struct path *p)
{
    int64_t t = p->start;
    for (size_t i = 0; i < p->nseg; i++) {
        CHECK(p->seg[i].a == t && p->seg[i].b > t);
        t = p->seg[i].b;
    }
    CHECK(t == p->end);
    CHECK(path_replay(p, as_it_is, NULL) == p->end - p->start);
}

/* load 0-50, call 50-60, k1 70-100, k2 105-205 on the stream; the call of k2 ended long before; the wait ends
 * the host side. */
static void one_device(void)
{
    struct all a;
    all(&a, "/host:CPU python train host 0 220 - - - - - 1 -\n"
            "/host:CPU python $load.py:1 host 0 50 - - - - - - -\n"
            "/host:CPU python np.asarray(jax.Array) host 75 140 - - - - - - -\n"
            "/host:CPU api cuLaunchKernel launch 50 10 m 1 a 1 - - -\n"
            "/host:CPU api cuLaunchKernel launch 60 10 m 1 b 2 - - -\n"
            "/device:GPU:0 S k1 kernel 70 30 m 1 a 1 - - -\n"
            "/device:GPU:0 S k2 memcpy 105 100 m 1 b 2 - - -\n");
    whole(&a.p);
    CHECK(a.p.start == 0 && a.p.end == 205);
    CHECK(of_kind(&a.p, PATH_HOST) == 50 && of_kind(&a.p, PATH_LAUNCH) == 20 &&
          of_kind(&a.p, PATH_COMPUTE) == 30);
    CHECK(of_kind(&a.p, PATH_GAP) == 5 && of_kind(&a.p, PATH_COPY) == 100);
    struct causes c = causes_find(&a.p, &a.h, &a.s, NULL, NULL);
    int64_t copy = 0, load = 0, launch = 0;
    for (size_t i = 0; i < c.n; i++) {
        if (c.row[i].kind == CAUSE_COPY) copy = c.row[i].without_ps;
        if (c.row[i].kind == CAUSE_HOST) load = c.row[i].without_ps;
        if (c.row[i].kind == CAUSE_LAUNCH) launch = c.row[i].without_ps;
    }
    CHECK(copy == 105 && load == 155 && launch == 185);
    causes_free(&c);
    done(&a);
}

/* Two devices in one collective: it moves data from 100 on, when device 1 arrives; device 1's kernel is why.
 */
static void collective(void)
{
    struct all a;
    all(&a, "/device:GPU:0 S k kernel 0 40 m 1 k - - - -\n"
            "/device:GPU:0 S ar collective 40 90 m 1 ar - - - -\n"
            "/device:GPU:0 S k kernel 1000 40 m 1 k - - - -\n"
            "/device:GPU:0 S ar collective 1040 90 m 1 ar - - - -\n"
            "/device:GPU:1 S k kernel 0 100 m 1 k - - - -\n"
            "/device:GPU:1 S ar collective 100 29 m 1 ar - - - -\n"
            "/device:GPU:1 S k kernel 1000 100 m 1 k - - - -\n"
            "/device:GPU:1 S ar collective 1100 29 m 1 ar - - - -\n");
    whole(&a.p);
    CHECK(a.p.end == 130 && of_kind(&a.p, PATH_COLLECTIVE) == 30 && of_kind(&a.p, PATH_COMPUTE) == 100);
    done(&a);
}

/* Any tables: the path is whole, and no cause makes the step longer. */
static void random_tables(void)
{
    uint64_t s = 88172645463325252u;
    for (int k = 0; k < 60; k++) {
        struct buf b = {0};
        buf_puts(&b, "/host:CPU main train host 0 2000 - - - - - 1 -\n");
        for (int i = 0; i < 50; i++) {
            s ^= s << 13, s ^= s >> 7, s ^= s << 17;
            int at = (int)(s % 1500), dur = (int)(s >> 20) % 60, line = (int)(s >> 40) % 3,
                id = (int)(s >> 50) % 30;
            static const char *const class[] = {"kernel", "collective", "memcpy", "op"};
            if (i % 3)
                buf_fmt(&b, "/device:%s:%d S%d k%d %s %d %d m 1 i%d %d - - -\n", k % 2 ? "GPU" : "TPU",
                        line & 1, line, id % 5, class[id % 4], at, dur, id % 5, id);
            else
                buf_fmt(&b, "/host:CPU api%d call %s %d %d m 1 - %d - - -\n", line,
                        id % 4 ? "launch" : "sync", at, dur, id);
        }
        struct all a;
        all(&a, buf_cstr(&b));
        whole(&a.p);
        struct causes c = causes_find(&a.p, &a.h, &a.s, NULL, NULL);
        for (size_t i = 0; i < c.n; i++)
            CHECK(c.row[i].without_ps < c.step_ps && c.row[i].without_ps >= 0 &&
                  c.row[i].path_ps <= c.step_ps);
        causes_free(&c);
        done(&a);
        buf_free(&b);
    }
}

int main(void)
{
    one_device();
    collective();
    random_tables();
    DONE;
}
