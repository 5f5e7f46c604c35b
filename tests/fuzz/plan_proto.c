/* Any bytes as an HloProto with a plan, whatever its first bytes look like: a plan or an error, never a
 * crash; every table is written, so that every field is looked at. */
#include "mem.h"
#include "plan_read.h"
#include "plan_tab.h"
#include <fcntl.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static int on_plan(struct plan *p, void *ctx)
{
    plan_put_buffers(ctx, p);
    plan_put_allocations(ctx, p);
    plan_put_heap(ctx, p);
    plan_put_modules(ctx, p);
    plan_put_peak(ctx, p);
    plan_free(p);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct err e = {0}, at_close = {0};
    struct plan *p;
    struct out o;
    struct tab t;
    out_init(&o, open("/dev/null", O_WRONLY), "null");
    tab_init(&t, &o, false);
    plan_proto_read(data, n, "fuzz", data, &p, &e);
    if (p) {
        plan_check(p);
        plan_spaces(p);
        on_plan(p, &t);
    }
    tab_free(&t);
    out_close(&o, &at_close);
    return 0;
}
