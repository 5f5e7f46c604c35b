/* Any bytes as HLO text and, behind a line "--", an event table: attributed, and all tables made. */
#include "attrib.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

_Noreturn void mem_oom(size_t wanted)
{
    (void)wanted;
    _exit(0);
}

static void attribute(struct programs *p, const char *path, struct tab *out)
{
    static const char *const table[] = {"how", "kernel", "op", "line", "scope", "folded", "summary"};
    struct attrib a = {.fallback = p->nmodule ? programs_of(p, 0) : PROGRAM_NONE};
    struct tsv t;
    struct err e = {0};
    if (tsv_open(&t, &path, 1, &e)) return;
    if (!attrib_open(&a, &t, p, &e)) {
        a.event = out;
        while (tsv_next(&t, &e) > 0 && !attrib_row(&a, &e)) continue;
        attrib_end(&a);
        for (size_t k = 0; k < sizeof table / sizeof *table; k++) attrib_table(&a, table[k], 2, out);
    }
    tsv_close(&t);
    attrib_free(&a);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t n)
{
    const char *cut = n ? memmem(data, n, "\n--\n", 4) : NULL;
    size_t text = cut ? (size_t)(cut - (const char *)data) + 1 : 0, skip = cut ? text + 3 : 0;
    struct programs p = {0};
    struct hlo_module *m = NULL;
    struct err e = {0};
    struct out out;
    struct tab tab;
    char path[64];
    int fd = memfd_create("fuzz", 0);
    if (fd < 0 || write(fd, data + skip, n - skip) != (ssize_t)(n - skip)) return 0;
    sprintf(path, "/proc/self/fd/%d", fd);
    out_init(&out, open("/dev/null", O_WRONLY), "fuzz");
    tab_init(&tab, &out, false);
    hlo_read_text((const char *)data, text, "fuzz", &m, &e);
    if (m) programs_add(&p, m, true);
    attribute(&p, path, &tab);
    programs_free(&p);
    tab_free(&tab);
    out_close(&out, &e);
    close(fd);
    return 0;
}
