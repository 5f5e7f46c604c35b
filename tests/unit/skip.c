/* Launch joins, causes of idle time, SKIP's metrics, steps, chains and verdicts, each number by hand. */
#include "idle.h"
#include "budget.h"
#include "skip.h"
#include "steps.h"
#include "table.h"
#include "verdict.h"

struct all {
    struct events t;
    struct launches l;
    struct threads h;
};
static struct all all(const char *rows)
{
    struct all a = {.t = table(rows)};
    a.l = launch_join(&a.t);
    return a;
}
static void done(struct all *a)
{
    launch_free(&a->l);
    events_free(&a->t);
}

/* One graph launch with three kernels, a plain launch whose kernel starts before the call ends, one whose
 * kernel starts before the call begins (clocks differ), a call without a kernel, a kernel without a call. */
static const char launches[] = "/host:CPU api cuGraphLaunch graph_launch 100 10 m 1 cb 7 g - -\n"
                               "/host:CPU api cuLaunchKernel launch 120 10 m 1 a 8 - - -\n"
                               "/host:CPU api cuLaunchKernel launch 400 10 m 1 b 9 - - -\n"
                               "/host:CPU api cuLaunchKernel launch 420 10 m 1 c 10 - - -\n"
                               "/host:CPU api hipLaunchHostFunc launch 430 10 m 1 - 11 - - -\n"
                               "/device:GPU:0 S k1 kernel 130 20 m 1 - 7 g - -\n"
                               "/device:GPU:0 S k2 kernel 155 20 m 1 - 7 g - -\n"
                               "/device:GPU:0 S k3 memcpy 180 20 m 1 - 7 g - -\n"
                               "/device:GPU:0 S k4 kernel 205 100 m 1 a 8 - - -\n"
                               "/device:GPU:0 S k5 kernel 395 50 m 1 b 9 - - -\n"
                               "/device:GPU:0 S k6 kernel 500 50 m 1 x 99 - - -\n";

static void joins(void)
{
    struct all a = all(launches);
    CHECK(a.l.n == 5 && a.l.launch[0].count == 3 && a.l.launch[0].graph && a.l.launch[0].end == 200);
    CHECK(launch_to_start(&a.t, &a.l.launch[0]) == 30 && launch_end_to_start(&a.t, &a.l.launch[0]) == 20);
    CHECK(launch_to_start(&a.t, &a.l.launch[2]) == -5 && launch_end_to_start(&a.t, &a.l.launch[2]) == -15);
    CHECK(launch_missing(&a.t, &a.l.launch[3]) && !launch_missing(&a.t, &a.l.launch[4]));
    int firsts = 0;
    for (uint32_t i = 0; i < a.t.n; i++) firsts += launch_is_first(&a.l, i);
    CHECK(firsts == 3);
    done(&a);
}

static void metrics(void)
{
    struct all a = all(launches);
    struct threads h = threads_of(&a.t);
    struct skips s = skip_metrics(&a.t, &a.l, &h);
    CHECK(s.n == 1);
    struct skip *k = &s.row[0];
    CHECK(k->launches == 3 && k->graph_launches == 1 && k->kernels == 6 && k->graph_kernels == 3);
    CHECK(k->unmatched_launches == 1 && k->unmatched_kernels == 1);
    CHECK(k->tklqt_skip_ps == 30 + 55 + 80 + 85 - 5 && k->tklqt_ps == 30 + 85 - 5);
    CHECK(k->floor_n == 1 &&
          k->floor_ps == 30); /* 7 met an idle stream; 9 did too, but its delay is no delay */
    CHECK(k->queue_share > 0.1818 && k->queue_share < 0.1819);
    CHECK(k->kernel_ps == 260 && k->il_ps == 450 && k->idle_sum_ps == 190 && k->idle_ps == 190);
    CHECK(k->api.n == 3 && dist_mean(&k->api) == 10 && dist_quantile(&k->api, 1) == 10);
    CHECK(k->to_start.negative == 1 && k->from_end.negative == 1 && dist_median(&k->to_start) == 30);
    CHECK(k->cpu_idle_ps == 450 - 50);
    skip_free(&s);
    threads_free(&h);
    done(&a);
}

static int64_t idle_ps(const struct idles *x, enum idle_cause c)
{
    int64_t sum = 0;
    for (size_t i = 0; i < x->n; i++)
        if (x->row[i].cause == c) sum += x->row[i].idle_ps;
    return sum;
}

static void idle_causes(void)
{
    struct all a = all("/host:CPU python $load.py:1_next host 180 200 - - - - - - -\n"
                       "/host:CPU python PjitFunction(f) host 390 20 - - - - - - -\n"
                       "/host:CPU python copy host 600 50 - - - - - - -\n"
                       "/host:CPU api cuGraphLaunch graph_launch 10 10 m 1 cb 7 g - -\n"
                       "/host:CPU api cuLaunchKernel launch 400 10 m 1 a 8 - - -\n"
                       "/host:CPU api cuMemcpy launch 600 10 m 1 - 9 - - -\n"
                       "/device:GPU:0 S k1 kernel 100 40 m 1 - 7 g - -\n"
                       "/device:GPU:0 S k2 kernel 150 50 m 1 - 7 g - -\n"
                       "/device:GPU:0 S k3 kernel 440 60 m 1 a 8 - - -\n"
                       "/device:GPU:0 S c memcpy 650 10 m 1 - 9 - - -\n");
    struct threads h = threads_of(&a.t);
    struct idles x = {0};
    idle_of_device(&x, &a.t, &a.l, &h, 0 + 1, (struct ivl){0, 700});
    idle_sort(&x);
    CHECK(idle_ps(&x, IDLE_EDGE) == 100 + 40);
    CHECK(idle_ps(&x, IDLE_GRAPH) == 10);
    CHECK(idle_ps(&x, IDLE_QUEUE) == 30);       /* 410-440: launched, not started */
    CHECK(idle_ps(&x, IDLE_COPY) == 50);        /* 600-650: from the copy's call on */
    CHECK(idle_ps(&x, IDLE_HOST) == 210 + 100); /* 200-410, 500-600 */
    int64_t load = 0, api = 0, nothing = 0;
    for (size_t i = 0; i < x.n; i++) {
        if (x.row[i].cause != IDLE_HOST) continue;
        struct str name = event_name(&a.t, x.row[i].name);
        if (str_starts(name, "$load")) load += x.row[i].idle_ps;
        if (str_is(name, "cuLaunchKernel")) api += x.row[i].idle_ps;
        if (x.row[i].line == EV_NONE) nothing += x.row[i].idle_ps;
    }
    CHECK(load == 180 && api == 10 && nothing == 10 + 100);
    struct device_time d = budget_device(&a.t, 1);
    CHECK(budget_of_device(&d, (struct ivl){0, 700}).idle_ps == 140 + 10 + 30 + 50 + 310);
    budget_device_free(&d);
    idle_free(&x);
    threads_free(&h);
    done(&a);
}

/* A TPU: run ids join a module to the call before it, not to its completion; the ops inside are its work. */
static void runs(void)
{
    struct all a = all("/host:CPU main DoEnqueueProgram host 10 5 - - - - - - 4\n"
                       "/host:CPU main CompleteCallbacks host 120 5 - - - - - - 4\n"
                       "/device:TPU:0 XLA_Modules m(1) module 50 60 m 1 - - - - 4\n"
                       "/device:TPU:0 XLA_Ops a op 52 20 - 1 a - - - -\n"
                       "/device:TPU:0 XLA_Ops b op 80 30 - 1 b - - - -\n");
    CHECK(a.l.launch[0].count == 2 && launch_to_start(&a.t, &a.l.launch[0]) == 40 && a.l.ambiguous == 0);
    CHECK(a.t.nprogram == 1 && str_is(a.t.program[0].module, "m"));
    struct threads h = threads_of(&a.t);
    struct idles x = {0};
    idle_of_device(&x, &a.t, &a.l, &h, 1, (struct ivl){52, 110});
    CHECK(x.n == 1 && idle_ps(&x, IDLE_GRAPH) == 8);
    struct steps s = steps_find(&a.t, &a.l);
    CHECK(s.n == 1 && s.source == STEP_MODULE && s.step[0].events == 2);
    steps_free(&s);
    idle_free(&x);
    threads_free(&h);
    done(&a);
}

/* Steps: by annotation (the launch decides, though the kernel runs later), and by repeats with a loop inside.
 */
static void steps(void)
{
    struct all a = all("/host:CPU python train host 0 100 - - - - - 5 -\n"
                       "/host:CPU python train host 100 90 - - - - - 6 -\n"
                       "/host:CPU api cuLaunchKernel launch 50 1 m 1 a 1 - - -\n"
                       "/host:CPU api cuLaunchKernel launch 90 1 m 1 a 2 - - -\n"
                       "/host:CPU api cuLaunchKernel launch 120 1 m 1 a 3 - - -\n"
                       "/device:GPU:0 S k kernel 60 20 m 1 a 1 - - -\n"
                       "/device:GPU:0 S k kernel 110 20 m 1 a 2 - - -\n"
                       "/device:GPU:0 S k kernel 140 20 m 1 a 3 - - -\n"
                       "/device:GPU:1 S k kernel 145 50 m 1 a - - - -\n");
    struct steps s = steps_find(&a.t, &a.l);
    CHECK(s.source == STEP_ANNOTATION && s.n == 3);
    CHECK(s.step[0].events == 2 && s.step[0].start == 60 && s.step[0].end == 130 && s.step[0].until == 140);
    CHECK(s.step[0].busy_ps == 40 && step_dur(&s, &s.step[0]) == 100 && step_median(&s, 1) == 100);
    CHECK(s.step[1].cut && s.step[1].until == 160); /* last, and with fewer events */
    CHECK(s.step[2].number == 1 && s.step[2].ended_last && s.step[2].late_ps == 35 && !s.step[1].ended_last);
    steps_free(&s);
    done(&a);

    struct buf b = {0};
    for (int run = 0; run < 4; run++)
        for (int i = 0; i < 8; i++)
            buf_fmt(&b, "/device:GPU:0 S %s kernel %d 5 m 1 - - - - -\n",
                    i == 0   ? "in"
                    : i == 7 ? "out"
                             : "loop",
                    run * 100 + i * 10);
    a = all(buf_cstr(&b));
    s = steps_find(&a.t, &a.l);
    CHECK(s.source == STEP_REPEAT && s.n == 4 && s.step[1].start == 100 && s.step[1].events == 8);
    CHECK(step_median(&s, 0) == 100 && s.step[3].until == 375);
    steps_free(&s);
    done(&a);
    buf_free(&b);
}

static void chains(void)
{
    struct buf b = {0};
    const char *seq = "abcxabcyabcab";
    for (int i = 0; seq[i]; i++)
        buf_fmt(&b, "/device:GPU:0 S %c kernel %d 5 m 1 - - - - -\n", seq[i], i * 10);
    struct all a = all(buf_cstr(&b));
    struct chains c = chain_find(&a.t, 1); /* a is not always followed by b c, but always by b */
    CHECK(c.n == 1 && c.row[0].length == 2 && c.row[0].count == 4 && c.row[0].score == 1 &&
          c.row[0].removed == 4);
    CHECK(c.row[0].gain == 13.0 / 9 && c.row[0].time_ps == 40);
    chain_free(&c);
    c = chain_find(&a.t, 0.75);
    CHECK(c.n == 1 && c.row[0].length == 3 && c.row[0].count == 3 && c.row[0].score == 0.75);
    chain_free(&c);
    done(&a);
    buf_free(&b);
}

static struct str value(const struct verdicts *v, const char *claim)
{
    for (size_t i = 0; i < v->n; i++)
        if (!strcmp(v->row[i].claim, claim)) return v->row[i].value;
    return STR("?");
}

static void log_line(struct verdicts *v, const char *text)
{
    char path[64];
    struct err e = {0};
    struct inp in;
    int fd = memfd_create("log", 0);
    sprintf(path, "/proc/self/fd/%d", fd);
    CHECK(write(fd, text, strlen(text)) > 0 && !inp_open(&in, path, &e) &&
          !joblog_read(&in, verdict_log_line, v, &e));
    inp_close(&in, &e);
    close(fd);
}

static void verdicts(void)
{
    struct all a = all("/host:CPU api cuLaunchKernel launch 0 900 m 1 a 1 - - -\n"
                       "/host:CPU api cuLaunchKernel launch 5000 900 m 1 a 2 - - -\n"
                       "/host:CPU python np.asarray(jax.Array) host 6000 1000 - - - - - - -\n"
                       "/host:CPU python CommandBuffer_disabled_when_profiling host 0 1 - - - - - - -\n"
                       "/device:GPU:0 S k kernel 900 100 m 1 a 1 - - -\n"
                       "/device:GPU:0 S k kernel 6000 100 m 1 a 2 - - -\n");
    struct threads h = threads_of(&a.t);
    struct steps s = steps_find(&a.t, &a.l);
    struct verdicts v = {0};
    verdict_find(&v, &a.t, &a.l, &s, &h);
    CHECK(str_is(value(&v, "device_present"), "yes") && str_is(value(&v, "executed"), "yes"));
    CHECK(str_is(value(&v, "bound"), "host-bound") && str_is(value(&v, "host_waited"), "yes"));
    CHECK(str_is(value(&v, "dispatch_ps"), "1800") && str_is(value(&v, "execution_ps"), "200"));
    size_t before = v.n;
    log_line(
        &v,
        "I0000 all is well\nThe TPU is already in use by process with pid 4711. Not attempting to load\n");
    CHECK(v.n == before + 1 && str_is(value(&v, "device_held_by_another_process"), "yes"));
    CHECK(str_starts(v.row[before].how, "ps -fp 4711") &&
          str_has(v.row[before].evidence, "line 2, process 4711"));
    log_line(&v, "WARNING: No GPU/TPU found, falling back to CPU.");
    CHECK(str_is(value(&v, "ran_on_cpu"), "yes"));
    verdict_free(&v);
    steps_free(&s);
    threads_free(&h);
    done(&a);
}

int main(void)
{
    joins();
    metrics();
    idle_causes();
    runs();
    steps();
    chains();
    verdicts();
    DONE;
}
