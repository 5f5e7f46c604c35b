/* Any bytes as an attributed event or instr table, under peaks that the first line may give as CSV. */
#include "roof.h"
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static void add_rows(struct roof *r, const char *path)
{
    struct tsv t;
    struct err e = {0};
    if (tsv_open(&t, &path, 1, &e)) return;
    if (!roof_open(r, &t, &e))
        while (tsv_next(&t, &e) > 0 && !roof_add(r, &t, &e)) continue;
    tsv_close(&t);
    if (r->in) roof_done(r);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    char path[64];
    int fd = memfd_create("fuzz", 0);
    struct peaks p = {0};
    struct roof r = {0};
    struct err e = {0};
    struct buf clash = {0};
    if (fd < 0 || write(fd, data, n) != (ssize_t)n) return 0;
    sprintf(path, "/proc/self/fd/%d", fd);
    peaks_csv(&p, (const char *)data, n, "fuzz", &e);
    add_rows(&r, path);
    for (size_t k = 0; k < r.nrow; k++) {
        struct roof_limit l;
        struct roof_point at;
        clash.n = 0;
        roof_limits(&l, peaks_find(&p, r.row[k].cell[ROOF_DEVICE], &clash), NULL, r.row[k].cell[ROOF_DTYPE]);
        roof_point(&at, &r.row[k], &l, r.timed);
        buf_free(&l.source);
    }
    buf_free(&clash);
    roof_free(&r);
    peaks_free(&p);
    close(fd);
    return 0;
}
