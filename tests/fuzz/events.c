/* Any bytes as an event table, through every analysis that works on events: never a crash, a hang, or parts
 * that do not sum to their span. */
#include "causes.h"
#include "budget.h"
#include "checks.h"
#include "idle.h"
#include "skip.h"
#include "verdict.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static void devices(struct events *t, struct launches *l, struct threads *h)
{
    for (uint32_t p = 0; p < t->nplane; p++) {
        struct device_time d = budget_device(t, p);
        struct idles x = {0};
        struct budget b = budget_of_device(&d, d.span);
        int64_t idle = 0;
        if (d.events) idle_of_device(&x, t, l, h, p, d.span);
        for (size_t i = 0; i < x.n; i++) idle += x.row[i].idle_ps;
        if (idle != b.idle_ps || b.part_ps[0] + b.part_ps[1] + b.part_ps[2] + b.idle_ps != b.span_ps) abort();
        idle_free(&x);
        budget_device_free(&d);
    }
}

static void step(struct events *t, struct launches *l, struct steps *s, struct threads *h)
{
    struct path p;
    int64_t n = step_median_number(s), sum = 0;
    if (n < 0 || path_find(&p, t, l, s, h, (uint32_t)n)) return;
    for (size_t i = 0; i < p.nseg; i++) sum += p.seg[i].b - p.seg[i].a;
    if (sum != p.end - p.start) abort();
    struct causes c = causes_find(&p, h, s, NULL, NULL);
    causes_free(&c);
    path_free(&p);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    char path[64];
    const char *paths[] = {path};
    struct events t = {.tally = true};
    struct tsv in;
    struct err e = {0};
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) return 0;
    sprintf(path, "/proc/self/fd/%d", fd);
    if (!tsv_open(&in, paths, 1, &e)) {
        events_read(&t, &in, EV_ALL, &e);
        tsv_close(&in);
        struct launches l = launch_join(&t);
        struct threads h = threads_of(&t);
        struct steps s = steps_find(&t, &l);
        struct skips k = skip_metrics(&t, &l, &h);
        struct chains c = chain_find(&t, 0.9);
        struct verdicts v = {0};
        struct checks y = {0};
        struct capture_facts f = {.window_ps = 1000000};
        devices(&t, &l, &h);
        step(&t, &l, &s, &h);
        verdict_find(&v, &t, &l, &s, &h);
        checks_of_events(&y, &t, &l, &s, &f);
        checks_free(&y);
        verdict_free(&v);
        chain_free(&c);
        skip_free(&k);
        steps_free(&s);
        threads_free(&h);
        launch_free(&l);
    }
    events_free(&t);
    close(fd);
    return 0;
}
