/* What hardware can do at most: dense rates per element type and memory bandwidth, by the name that a capture
 * gives a device (event column `device`).
 *
 * A struct peaks owns its rows; start with {0}, free with peaks_free. */
#ifndef PEAKS_H
#define PEAKS_H
#include "err.h"
#include "map.h"
#include "re.h"

enum peak_rate {
    PEAK_F64,
    PEAK_F32,
    PEAK_TF32,
    PEAK_BF16,
    PEAK_F16,
    PEAK_F8,
    PEAK_F6,
    PEAK_F4,
    PEAK_S8,
    PEAK_S4,
    PEAK_RATES
};

struct peak {
    struct str sku;
    struct str source;        /* the datasheet, or the plane of a capture */
    bool capture;             /* the capture's own figures, not a datasheet's */
    double flops[PEAK_RATES]; /* operations per second; 0: not given */
    double bytes_per_s;       /* 0: not given */
    struct str device;        /* exactly this device ... */
    regex_t match;            /* ... or, where device is "", those whose whole name matches */
};

struct peaks {
    struct peak *v;
    size_t n, cap;
    struct arena arena;
};

int peaks_builtin(struct peaks *p, struct err *e); /* the datasheets (lib/data/peaks.csv) */
/* Add what a file says: a CSV like peaks.csv, a capture, or the plane table made from one. */
int peaks_file(struct peaks *p, const char *path, struct err *e);
int peaks_csv(struct peaks *p, const char *data, size_t n, const char *file, struct err *e);
void peaks_free(struct peaks *p);

/* The row for a device, NULL if there is none.  Where several fit that differ in a figure there is no row,
 * and clash (empty before) names them: "V100 SXM2 16GB, V100 PCIe 16GB". */
const struct peak *peaks_find(const struct peaks *p, struct str device, struct buf *clash);
const struct peak *peaks_sku(const struct peaks *p, struct str sku); /* by its name here; NULL */
/* The rate for an element type as XLA names it ("bf16", "f8e4m3fn"); 0: not given. f32 is the plain rate, not
 * TF32. */
double peak_flops(const struct peak *p, struct str dtype);
#endif
