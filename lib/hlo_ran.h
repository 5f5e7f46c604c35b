/* How long each program ran, from a capture or from the tables module or hlo that xplane2tsv makes of it.
 *
 * A struct hlo_ran owns what is in it; hlo_ran_free releases it. */
#ifndef HLO_RAN_H
#define HLO_RAN_H
#include "map.h"
#include "tsv.h"

struct hlo_ran {
    struct hlo_ran_program {
        struct str module; /* in the arena */
        uint64_t id, runs, time_ps;
        bool has_id;
    } * program;
    size_t n, cap;
    struct map key; /* id and name -> program */
    struct arena arena;
};
int hlo_ran_read(struct hlo_ran *r, const char *path, struct err *e); /* 0, or -1 */
void hlo_ran_free(struct hlo_ran *r);
/* The program of that id, else (text has none) the only one of that name; NULL: none, or several. */
const struct hlo_ran_program *hlo_ran_find(const struct hlo_ran *r, struct str module, bool has_id,
                                           uint64_t id);
/* The one that ran longest; NULL: none ran. */
const struct hlo_ran_program *hlo_ran_longest(const struct hlo_ran *r);
#endif
