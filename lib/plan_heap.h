/* Heap tables of bufassign2tsv beside buffer tables: the events themselves, for plans whose buffers have more
 * of them than a row can say.
 *
 * Owned by struct plan_heaps (start with {0}); applied to a plan, everything is copied. */
#ifndef PLAN_HEAP_H
#define PLAN_HEAP_H
#include "plan.h"
#include "tsv.h"

struct plan_heaps {
    struct map module; /* cell -> index into of */
    struct plan_heap {
        struct heap_event {
            int64_t trace, event, buffer, share_with;
            enum plan_event_kind kind;
            struct str instr;
        } * v;
        size_t n, cap;
    } * of;
    size_t cap;
    struct arena arena;
};
bool plan_heap_is_table(const struct tsv *t); /* does the header say so? */
int plan_heaps_read(struct plan_heaps *h, struct tsv *t, struct err *e);
/* Give a plan the traces of its module's name, if there are any, in place of its own. */
void plan_heaps_apply(const struct plan_heaps *h, struct plan *p);
void plan_heaps_free(struct plan_heaps *h);
#endif
