/* Who holds the peak: its bytes by kind, by line of the program, by op_name, by opcode; and which part of it
 * are layout copies and the operands and results of opaque kernels.
 *
 * A layout copy without a line or op_name of its own counts for what it copies.
 * Keys are views into the plan, which must outlive the rows. */
#ifndef BLAME_H
#define BLAME_H
#include "live.h"

enum blame_by {
    BLAME_KIND,
    BLAME_SOURCE,
    BLAME_OP_NAME,
    BLAME_OPCODE,
    BLAME_LAYOUT_COPY,
    BLAME_OPAQUE,
    BLAME_WAYS
};
const char *blame_by_name(enum blame_by by);

struct blame {
    struct blame_row {
        enum blame_by by;
        struct str key; /* "": not told */
        int64_t bytes;  /* of the heap; one way's rows add up to the peak (the last two ways': to a part) */
        uint32_t buffers;
    } * row; /* way by way, the largest first */
    size_t n;
};
void blame_peak(const struct live *l, struct blame *b);
void blame_free(struct blame *b);
#endif
