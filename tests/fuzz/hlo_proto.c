/* Any bytes as HLO in any form (HloProto, HloModuleProto, a capture, text): modules and an error, never a
 * crash; each module is printed, so that every field is looked at. */
#include "hlo_print.h"
#include "inp.h"
#include "mem.h"
#include <fcntl.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static int on_module(struct hlo_module *m, void *ctx)
{
    hlo_print(ctx, m);
    hlo_free(m);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct inp in = {.name = "fuzz", .data = (const char *)data, .size = n};
    struct err e = {0}, at_close = {0};
    struct out o;
    out_init(&o, open("/dev/null", O_WRONLY), "null");
    hlo_read(&in, on_module, &o, &e);
    out_close(&o, &at_close);
    return 0;
}
