/* The compiler's own list of what a GPU program launches: thunk_sequence*.txt and thunk_metadata.txt of an
 * XLA dump (spec: matching 3).  It says which instruction each kernel is of, shared kernels and library calls
 * too.
 *
 * A list owns its text.  The format changed over time and is read loosely: what is not understood is skipped.
 */
#ifndef THUNKS_H
#define THUNKS_H
#include "schedule.h"

struct thunk {
    struct str instr;  /* its profile annotation */
    struct str kernel; /* "" unless it launches one kernel of its own */
    uint16_t launch;   /* LAUNCH_ bits; 0: nothing on the device, or a kind that is not known */
};

struct thunk_list {
    struct str file; /* of the sequence */
    struct thunk *thunk;
    size_t n, cap;
    struct arena arena;
};

/* Read one sequence and its metadata ("" if there is none).  Never fails: an unreadable text gives n == 0. */
void thunks_read(struct thunk_list *t, struct str file, struct str sequence, struct str metadata);
void thunks_free(struct thunk_list *t);

/* The lists of a dump folder. 0; -1 with e set if it cannot be read or holds none. */
struct thunk_lists {
    struct thunk_list *list;
    size_t n, cap;
};
int thunks_load(struct thunk_lists *l, const char *dir, struct err *e);
void thunk_lists_free(struct thunk_lists *l);
/* The list that is this module's: nine in ten of its instructions are; NULL: none is. */
const struct thunk_list *thunks_of(const struct thunk_lists *l, const struct hlo_module *m);

/* Put what the list says into a schedule that was just made. */
void thunks_apply(const struct thunk_list *t, struct schedule *s);
#endif
