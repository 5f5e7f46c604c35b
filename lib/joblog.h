/* What a job's standard error says about its devices.  Owns nothing: lines are handed to a callback as views.
 */
#ifndef JOBLOG_H
#define JOBLOG_H
#include "inp.h"

enum joblog_kind {
    JOBLOG_DEVICE_BUSY,  /* another process holds the device; pid 0 where it is not named */
    JOBLOG_NO_LIBRARY,   /* libtpu or the CUDA plugin could not be loaded */
    JOBLOG_NO_BACKEND,   /* a backend did not start */
    JOBLOG_CPU_FALLBACK, /* the program runs on the CPU */
    JOBLOG_TPU_INFO_NA,  /* a tpu-info table without figures: no process is using the chip, or it may not be
                            asked */
    JOBLOG_KINDS
};
/* Read it all; on_line gets each telling line (without its end, at most the first 64 KiB) and its number. */
int joblog_read(struct inp *in,
                void (*on_line)(void *context, enum joblog_kind k, uint64_t pid, struct str text,
                                uint64_t line),
                void *context, struct err *e);
#endif
