/* Any bytes as a buffer table, an instr table or HLO text: every table of liveness comes out, whatever they
 * say. */
#include "hlo_tsv.h"
#include "live_hlo.h"
#include "live_tab.h"
#include "plan_tsv.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static void tables(const struct plan *p, struct live_rules r)
{
    static struct out null;
    struct tab t;
    struct live_facts f;
    if (!null.p) out_init(&null, open("/dev/null", O_WRONLY), "null");
    tab_init(&t, &null, false);
    for (r.space = 0; r.space < 2; r.space++) {
        struct live l;
        live_run(p, &r, &l);
        live_facts(&l, &f);
        live_put_timeline(&t, &l);
        live_put_summary(&t, &l, &f);
        live_put_peak(&t, &l, l.peak_step, LIVE_BY_SIZE, 100);
        live_put_lifetime(&t, &l);
        live_put_blame(&t, &l);
        live_put_shrink(&t, &l);
        live_free(&l);
    }
    tab_free(&t);
}

static int on_plan(struct plan *p, void *ctx)
{
    (void)ctx;
    tables(p, (struct live_rules){0});
    plan_free(p);
    return 0;
}

static int on_module(struct hlo_module *m, void *ctx)
{
    struct live_estimate e;
    (void)ctx;
    live_estimate(m, &e);
    tables(e.plan, (struct live_rules){.event_time = e.event_time, .end_time = e.end_time});
    live_estimate_free(&e);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct inp in = {.name = "fuzz", .data = (const char *)data, .size = n, .fd = -1};
    struct err e = {0};
    struct tsv t;
    if (n && memchr(data, '\t', n < 200 ? n : 200)) {
        if (tsv_open_inp(&t, &in, &e)) return 0;
        if (hlo_is_table(&t))
            hlo_read_table(&t, on_module, NULL, &e);
        else
            plan_read_table(&t, on_plan, NULL, &e);
        tsv_close(&t);
    } else
        hlo_read_texts((const char *)data, n, "fuzz", on_module, NULL, &e);
    return 0;
}
