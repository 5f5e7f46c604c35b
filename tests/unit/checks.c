/* Every check of the event table can hold and can fail. */
#include "checks.h"
#include "table.h"

static struct checks run(const char *rows, const struct capture_facts *f)
{
    struct events t = table(rows);
    struct launches l = launch_join(&t);
    struct steps s = steps_find(&t, &l);
    struct checks c = {0};
    checks_of_events(&c, &t, &l, &s, f);
    steps_free(&s);
    launch_free(&l);
    events_free(&t);
    return c;
}

static const struct check *find(const struct checks *c, const char *name)
{
    const struct check *worst = NULL;
    for (size_t i = 0; i < c->n; i++)
        if (!strcmp(c->row[i].name, name) && (!worst || c->row[i].verdict == CHECK_FAILS)) worst = &c->row[i];
    if (!worst) printf("no check %s\n", name), exit(2);
    return worst;
}

/* Two devices, two steps, a graph of two kernels and a plain launch each: all agrees. */
static const char good[] = "/host:CPU python train host 0 1000 - - - - - 0 -\n"
                           "/host:CPU python train host 1000 1000 - - - - - 1 -\n"
                           "/host:CPU api cuGraphLaunch graph_launch 10 10 m 1 cb 1 g - -\n"
                           "/host:CPU api cuLaunchKernel launch 20 10 m 1 c 2 - - -\n"
                           "/host:CPU api cuGraphLaunch graph_launch 1010 10 m 1 cb 3 g - -\n"
                           "/host:CPU api cuLaunchKernel launch 1020 10 m 1 c 4 - - -\n"
                           "/device:GPU:0 S a kernel 100 50 m 1 a 1 g - -\n"
                           "/device:GPU:0 S b kernel 160 50 m 1 b 1 g - -\n"
                           "/device:GPU:0 S c kernel 220 50 m 1 c 2 - - -\n"
                           "/device:GPU:0 S a kernel 1100 50 m 1 a 3 g - -\n"
                           "/device:GPU:0 S b kernel 1160 50 m 1 b 3 g - -\n"
                           "/device:GPU:0 S c kernel 1220 50 m 1 c 4 - - -\n";

static void all_good(void)
{
    struct checks c =
        run(good, &(struct capture_facts){.given = true, .window_ps = 5000, .planes_known = true});
    for (size_t i = 0; i < c.n; i++) {
        if (c.row[i].verdict != CHECK_HOLDS) printf("%s: %s\n", c.row[i].name, c.row[i].detail.p);
        CHECK(c.row[i].verdict == CHECK_HOLDS);
    }
    CHECK(find(&c, "event_has_launch")->expected == 6 && find(&c, "launch_has_events")->expected == 4);
    CHECK(find(&c, "graph_nodes_constant")->expected == 2 &&
          find(&c, "kernels_per_step_constant")->expected == 2);
    struct unreliable *u;
    CHECK(checks_unreliable(&c, &u) == 0);
    free(u);
    checks_free(&c);
}

/* One row more or other: that check fails with that count, and something follows from it. */
static void each_fails(void)
{
    static const struct {
        const char *check, *row;
        uint64_t count;
    } bad[] = {
        {"event_has_launch", "/device:GPU:0 S x kernel 1300 10 m 1 x 99 - - -\n", 1},
        {"launch_has_events", "/host:CPU api cuLaunchKernel launch 1030 10 m 1 c 5 - - -\n", 1},
        {"launch_after_last_event", "/host:CPU api cuLaunchKernel launch 1500 10 m 1 c 5 - - -\n", 1},
        {"correlation_id_unique", "/host:CPU api cuLaunchKernel launch 1030 10 m 1 c 4 - - -\n", 1},
        {"graph_nodes_constant", "/device:GPU:0 S b2 kernel 1215 2 m 1 b 3 g - -\n", 1},
        {"clocks_agree",
         "/host:CPU api cuLaunchKernel launch 1900 10 m 1 c 7 - - -\n"
         "/device:GPU:0 S c kernel 1890 5 m 1 c 7 - - -\n",
         1},
        {"kernels_per_step_constant",
         "/host:CPU python train host 2000 1000 - - - - - 2 -\n"
         "/device:GPU:0 S c kernel 2100 5 m 1 c - - - -\n"
         "/host:CPU python train host 3000 1000 - - - - - 3 -\n"
         "/device:GPU:0 S c kernel 3100 5 m 1 c - - - -\n"
         "/device:GPU:0 S c kernel 3110 5 m 1 c - - - -\n"
         "/device:GPU:0 S c kernel 3120 5 m 1 c - - - -\n",
         1},
        {"devices_do_the_same", "/device:GPU:1 S a kernel 1300 10 m 1 a - - - -\n", 3},
        {"stream_without_overlap", "/device:GPU:0 S c kernel 1260 20 m 1 c - - - -\n", 10},
        {"no_end_before_start", "/device:GPU:0 S c kernel 1300 -1 m 1 c - - - -\n", 1},
        {"rows_in_order", "/device:GPU:0 S c kernel 300 1 m 1 c - - - -\n", 1},
        {"starts_in_window", "/device:GPU:0 S c kernel -5 1 m 1 c - - - -\n", 1},
        {"ends_in_window", "/device:GPU:0 S c kernel 4990 20 m 1 c - - - -\n", 1},
        {"ops_inside_runs",
         "/device:TPU:0 XLA_Modules m(1) module 0 50 m 1 - - - - -\n"
         "/device:TPU:0 XLA_Ops a op 40 20 m 1 a - - - -\n",
         1},
        {"ops_nest",
         "/device:TPU:0 XLA_Ops a op 40 20 m 1 a - - - -\n"
         "/device:TPU:0 XLA_Ops b op 50 20 m 1 b - - - -\n",
         10},
        {"run_has_call", "/device:TPU:0 XLA_Modules m(1) module 0 50 m 1 - - - - 8\n", 1},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buf b = {0};
        struct unreliable *u;
        buf_puts(&b, good);
        buf_puts(&b, bad[i].row);
        struct checks c = run(buf_cstr(&b), &(struct capture_facts){.window_ps = 5000});
        const struct check *k = find(&c, bad[i].check);
        if (k->verdict != CHECK_FAILS || k->count != bad[i].count)
            printf("%s: %s, %d\n", bad[i].check, check_word(k->verdict), (int)k->count);
        CHECK(k->verdict == CHECK_FAILS && k->count == bad[i].count);
        CHECK(checks_unreliable(&c, &u) > 0);
        free(u);
        checks_free(&c);
        buf_free(&b);
    }
}

static void messages(void)
{
    struct capture_facts f = {
        .given = true, .window_ps = -1, .warnings = 2, .dropped = 1, .empty_planes = 3, .planes_known = true};
    struct checks c = run(good, &f);
    CHECK(find(&c, "capture_without_messages")->count == 2 &&
          find(&c, "no_dropped_events_message")->count == 1);
    CHECK(find(&c, "no_empty_device_planes")->count == 3);
    CHECK(find(&c, "ends_in_window")->verdict == CHECK_CANNOT);
    checks_free(&c);
}

int main(void)
{
    all_good();
    each_fails();
    messages();
    DONE;
}
