/* The programs that a capture carries (spec: xplane 1.7): HloProtos in the event metadata of a plane.
 *
 * Everything handed over is a view into the capture's bytes. */
#ifndef HLO_EMBED_H
#define HLO_EMBED_H
#include "hlo.h"

struct hlo_embedded {
    struct str name;  /* of the event metadata: "jit_step(123)" */
    struct str proto; /* a serialized HloProto */
    uint64_t id; /* its program_id stat, else the number in parentheses of its name, else the map's key */
    bool has_id;
};
/* on_program gets each one in file order and returns nonzero to stop; *count says how many there were (count
 * may be NULL).  0, or -1 with e at the byte where the capture is cut or corrupt; what stands before was
 * handed over. */
typedef int hlo_on_program(const struct hlo_embedded *p, void *ctx);
int hlo_embedded(const void *p, size_t n, const char *file, hlo_on_program *on_program, void *ctx,
                 uint64_t *count, struct err *e);
#endif
