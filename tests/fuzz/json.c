/* Any bytes as a JSON trace: rows or an error. */
#include "mem.h"
#include "tracerow.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    static const struct ev_pick pick = {.extra = {STR("long_name"), STR("x")}, .nextra = 2};
    static struct trace_rows r;
    char path[64];
    struct trace t;
    struct trace_event ev;
    struct out out;
    struct tab tab;
    struct err e = {0};
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) return 0;
    sprintf(path, "/proc/self/fd/%d", fd);
    out_init(&out, open("/dev/null", O_WRONLY), "null");
    tab_init(&tab, &out, n & 1);
    r = (struct trace_rows){.tab = &tab, .trace = &t, .pick = &pick};
    if (!trace_open(&t, path, &e)) {
        while (trace_next(&t, &ev, &e) > 0)
            if (ev.ph == 'M')
                trace_learn(&t, &ev);
            else
                trace_row(&r, &ev);
        trace_rows_end(&r);
        trace_rows_free(&r);
        trace_close(&t, &e);
    }
    tab_free(&tab);
    out_close(&out, &e);
    close(fd);
    return 0;
}
