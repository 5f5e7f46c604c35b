/* What the name of a dump file says: "module_0012.jit_f.0034.pipeline.after_dce.before_cse.txt",
 * "module_0012.jit_f.sm_9.0_gpu_after_optimizations.txt".  Views into the name. */
#ifndef HLO_DUMP_H
#define HLO_DUMP_H
#include "buf.h"

struct hlo_dump_name {
    struct str module_id;  /* "0012" */
    struct str pass_index; /* "0034" */
    struct str pass;       /* the pass that left the module so: "dce" */
    struct str stage;      /* the pipeline, or "before_optimizations", "after_optimizations" */
};                         /* empty: the name does not say */
struct hlo_dump_name hlo_dump_name(struct str path);
#endif
