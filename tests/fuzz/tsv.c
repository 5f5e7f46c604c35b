/* Any bytes as a table (TSV, CSV, gzip): the reader ends with rows or an error, never a crash. */
#include "mem.h"
#include "tsv.h"
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
    char path[64];
    int fd = memfd_create("fuzz", 0);
    struct tsv t;
    struct err e = {0};
    struct buf text = {0};
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) return 0;
    sprintf(path, "/proc/self/fd/%d", fd);
    const char *paths[] = {path};
    if (!tsv_open(&t, paths, 1, &e)) {
        while (tsv_next(&t, &e) > 0)
            for (unsigned i = 0; i < t.ncol; i++) text.n = 0, (void)tsv_unescape(&text, t.cell[i]);
        tsv_close(&t);
    }
    buf_free(&text);
    close(fd);
    return 0;
}
