/* Any bytes as HLO text: read, costed and written as all tables, never a crash. */
#include "hlo_rows.h"
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static void all_rows(const struct hlo_module *m, struct tab *t)
{
    struct hlo_rows r;
    struct cost_set cost;
    cost_module(m, COST_BASE, &cost);
    hlo_rows_start(&r, m, &cost, NULL);
    for (uint32_t k = 0; k < m->ninstr; k++) {
        hlo_row_instr(&r, t, k);
        for (uint32_t n = 0; n < m->instr[k].noperand; n++) hlo_row_operand(&r, t, k, n);
        if (hlo_find(m, m->instr[k].name) == HLO_NONE) abort();
    }
    for (uint32_t k = 0; k < m->ncomputation; k++) hlo_row_computation(&r, t, k);
    for (uint32_t k = 1; k < m->nframe; k++) hlo_row_frame(&r, t, k);
    for (uint32_t k = 0; k < m->nalias; k++) hlo_row_alias(&r, t, k);
    hlo_rows_end(&r);
    cost_free(&cost);
}

static int on_module(struct hlo_module *m, void *ctx)
{
    all_rows(m, ctx);
    hlo_free(m);
    return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    struct out o;
    struct tab t;
    struct err e = {0};
    int fd = open("/dev/null", O_WRONLY);
    if (fd < 0) return 0;
    out_init(&o, fd, "null");
    tab_init(&t, &o, false);
    hlo_read_texts((const char *)data, n, "fuzz", on_module, &t, &e);
    tab_free(&t);
    out_close(&o, &e);
    return 0;
}
