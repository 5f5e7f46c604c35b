/* Instruction names to instructions: open addressing, the names stay where they are.
 *
 * Start with {0}; hlo_names_free frees the slots. */
#ifndef HLO_NAMES_H
#define HLO_NAMES_H
#include "buf.h"

struct hlo_instr;
struct hlo_names {
    struct hlo_names_slot {
        uint32_t at, hash; /* HLO_NONE: free */
    } * slot;
    uint32_t count;
    size_t mask, cap;
    uint64_t seed;
};
uint32_t hlo_names_get(const struct hlo_names *t, const struct hlo_instr *instr, struct str name);
/* instr[at].name means `at` from now on; false: it meant another one, which stays unless `replace`. */
bool hlo_names_set(struct hlo_names *t, const struct hlo_instr *instr, uint32_t at, bool replace);
void hlo_names_clear(
    struct hlo_names *t); /* empty, and small again: quick to clear for a small computation */
void hlo_names_free(struct hlo_names *t);
#endif
