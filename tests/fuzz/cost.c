/* Any bytes as HLO text, and what it costs by both models: figures or unknown, never a crash. */
#include "cost.h"
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct hlo_module *m = NULL;
    struct err e = {0};
    hlo_read_text((const char *)data, n, "fuzz", &m, &e);
    for (int kind = COST_BASE; m && kind <= COST_GPU; kind++) {
        struct cost_set c;
        cost_module(m, (enum cost_kind)kind, &c);
        cost_free(&c);
    }
    if (m) hlo_free(m);
    return 0;
}
