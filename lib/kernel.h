/* What a kernel's name says: its kind, the library it comes from, the collective it carries out.
 *
 * Pure functions over names (spec: matching 4, 6); nothing is owned. */
#ifndef KERNEL_H
#define KERNEL_H
#include "buf.h"

enum kernel_kind { KERNEL_OTHER, KERNEL_COPY, KERNEL_SET, KERNEL_COLLECTIVE };

enum kernel_family { /* of library kernels; of collectives: what is done */
                     FAMILY_NONE,
                     FAMILY_GEMM,
                     FAMILY_CONV,
                     FAMILY_FFT,
                     FAMILY_SOLVER,
                     FAMILY_SORT,
                     FAMILY_ALL_GATHER,
                     FAMILY_ALL_REDUCE,
                     FAMILY_REDUCE_SCATTER,
                     FAMILY_SEND_RECV,
                     FAMILY_BROADCAST
};

struct kernel {
    enum kernel_kind kind;
    enum kernel_family family;
    bool follows; /* never the first kernel of an instruction: split-K reductions and the like */
    bool emitted; /* the compiler's own kind of name: not a library's */
};
struct kernel kernel_of(struct str name);

/* The name without what a runtime adds to it: "x.kd" is "x". */
struct str kernel_plain(struct str name);
/* Append the name that the emitters give the kernel of an instruction: what is not a letter, digit, '_' or
 * '$' becomes '_', a leading digit gets a '_'. */
void kernel_sanitize(struct str instr, struct buf *b);
/* "sort_4_1__3" is "sort_4_1" and 3: the number behind the last "__"; false: there is none. */
bool kernel_suffix(struct str name, struct str *base, uint32_t *number);
#endif
