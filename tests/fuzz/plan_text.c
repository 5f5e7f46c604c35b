/* Any bytes as a plan (text, log, proto, capture): plans and an error, never a crash; every table is written,
 * so that every field is looked at. */
#include "inp.h"
#include "mem.h"
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
    /* what stands behind the first "\n#\n" is the live ranges' file */
    struct str all = str_n((const char *)data, n);
    size_t cut = str_find(all, STR("\n#\n"));
    struct inp in = {.name = "fuzz", .data = all.p, .size = cut == SIZE_MAX ? n : cut + 1},
               more = {.name = "more"};
    struct err e = {0}, at_close = {0};
    struct out o;
    struct tab t;
    if (cut != SIZE_MAX) more.data = all.p + cut + 3, more.size = n - cut - 3;
    out_init(&o, open("/dev/null", O_WRONLY), "null");
    tab_init(&t, &o, false);
    plan_read(&in, &more, cut != SIZE_MAX, on_plan, &t, &e);
    tab_free(&t);
    out_close(&o, &at_close);
    return 0;
}
