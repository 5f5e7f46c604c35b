#include "joblog.h"
#include "num.h"

static const struct phrase {
    enum joblog_kind kind;
    const char *a, *b; /* both occur in the line; b may be NULL */
} phrases[] = {
    {JOBLOG_DEVICE_BUSY, "TPU is already in use by process", NULL},
    {JOBLOG_DEVICE_BUSY, "libtpu.so is already in use", NULL},
    {JOBLOG_DEVICE_BUSY, "libtpu.so already in use", NULL},
    {JOBLOG_DEVICE_BUSY, "TPU", "already in use"},
    {JOBLOG_DEVICE_BUSY, "/dev/accel", "busy"},
    {JOBLOG_DEVICE_BUSY, "/dev/vfio", "busy"},
    {JOBLOG_CPU_FALLBACK, "alling back to cpu", NULL},
    {JOBLOG_CPU_FALLBACK, "alling back to CPU", NULL},
    {JOBLOG_NO_LIBRARY, "No module named 'libtpu'", NULL},
    {JOBLOG_NO_LIBRARY, "libtpu", "ImportError"},
    {JOBLOG_NO_LIBRARY, "ailed to import libtpu", NULL},
    {JOBLOG_NO_LIBRARY, "libtpu.so: cannot open shared object", NULL},
    {JOBLOG_NO_LIBRARY, "ailed to open libtpu", NULL},
    {JOBLOG_NO_LIBRARY, "libcuda.so", "cannot open shared object"},
    {JOBLOG_NO_LIBRARY, "CUDA-enabled jaxlib is not installed", NULL},
    {JOBLOG_NO_BACKEND, "Unable to initialize backend", NULL},
    {JOBLOG_NO_BACKEND, "failed call to cuInit", NULL},
    {JOBLOG_NO_BACKEND, "no CUDA-capable device is detected", NULL},
};

/* A row of tpu-info's tables: cells between box-drawing bars, one of them N/A. */
static bool tpu_info_row(struct str s)
{
    return str_has(s, "N/A") && (str_has(s, "\342\224\202") || str_has(s, "|")) &&
           (str_has(s, "/dev/") || str_has(s, "GiB") || str_has(s, "%") || str_has(s, "TPU") ||
            str_has(s, "chip"));
}

static uint64_t pid_in(struct str s)
{
    static const char *const before[] = {"with pid ", "pid=", "pid: ", "PID "};
    uint64_t pid = 0;
    for (size_t k = 0; k < sizeof before / sizeof *before; k++) {
        size_t at = str_find(s, str_of(before[k])), n = 0;
        if (at == SIZE_MAX) continue;
        struct str rest = str_from(s, at + strlen(before[k]));
        while (n < rest.n && rest.p[n] >= '0' && rest.p[n] <= '9') n++;
        if (!num_u64(str_n(rest.p, n), &pid)) return pid;
    }
    return 0;
}

static bool tells(struct str s, enum joblog_kind *k)
{
    for (size_t i = 0; i < sizeof phrases / sizeof *phrases; i++)
        if (str_has(s, phrases[i].a) && (!phrases[i].b || str_has(s, phrases[i].b)))
            return *k = phrases[i].kind, true;
    *k = JOBLOG_TPU_INFO_NA;
    return tpu_info_row(s);
}

int joblog_read(struct inp *in, void (*on_line)(void *, enum joblog_kind, uint64_t, struct str, uint64_t),
                void *context, struct err *e)
{
    enum { LONGEST = 1 << 16 };
    char p[1 << 15];
    struct buf line = {0};
    uint64_t number = 1;
    size_t got = 0;
    enum joblog_kind k;
    int rc;
    do {
        rc = inp_read(in, p, sizeof p, &got, e);
        for (size_t i = 0; i < got && rc > 0; i++) {
            if (p[i] != '\n' && p[i] != '\r') {
                if (line.n < LONGEST) buf_c(&line, p[i]);
                continue;
            }
            if (tells(buf_view(&line), &k))
                on_line(context, k, pid_in(buf_view(&line)), buf_view(&line), number);
            number += p[i] == '\n';
            line.n = 0;
        }
    } while (rc > 0);
    if (line.n && tells(buf_view(&line), &k))
        on_line(context, k, pid_in(buf_view(&line)), buf_view(&line), number);
    buf_free(&line);
    return rc;
}
