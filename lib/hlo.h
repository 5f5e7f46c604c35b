/* HLO: one module as its readers make it (hlo_text.c, hlo_proto.c) and every analysis uses it.
 *
 * Everything lives in module->arena or in the input's bytes; the input must stay open as long as the module.
 * The module itself and its arrays instr, computation, frame and alias are made by mem_*: hlo_free frees
 * them. Instructions stand in one array, computation after computation, each in schedule order; other places
 * name them by index.  Attributes are kept as the text XLA prints: the proto reader prints its fields the
 * same way, so that nothing behind the readers knows where a module came from. */
#ifndef HLO_H
#define HLO_H
#include "err.h"
#include "hlo_names.h"
#include "map.h"
#include "re.h"
#include "shape.h"

#define HLO_NONE UINT32_MAX

/* Why an instruction names a computation. */
enum hlo_role {
    HLO_CALLS,    /* fusion, async-*; custom-call: called_computations */
    HLO_TO_APPLY, /* call, map, reduce, sort, scatter, all-reduce ... */
    HLO_CONDITION,
    HLO_BODY, /* while */
    HLO_TRUE,
    HLO_FALSE,
    HLO_BRANCH, /* conditional */
    HLO_SELECT,
    HLO_SCATTER /* select-and-scatter */
};
/* As text prints it: "to_apply"; branches "branch_computations". */
const char *hlo_role_name(enum hlo_role r);

struct hlo_call {
    enum hlo_role role;
    uint32_t computation;
};

struct hlo_instr {
    struct str name; /* no '%' */
    struct str
        opcode; /* "fusion", "all-gather-start"; generic async sugar: "async-start" with async_op set */
    struct str async_op; /* "slice" of sugared slice-start; also for unsugared ones, from the wrapped
                            computation; "" */
    const struct shape *shape;
    uint32_t computation;
    uint32_t order; /* place in the computation's schedule, from 0 */
    uint32_t noperand, ncall;
    const uint32_t *operand; /* instruction indexes; HLO_NONE: named but not there */
    const struct hlo_call *call;
    int64_t id;         /* the proto's unique id (64 bits); -1 from text */
    int64_t number;     /* parameter number, get-tuple-element index; else -1 */
    struct str literal; /* what stands between constant( and ) */
    struct str
        attributes; /* "dimensions={0}, to_apply=%add, sharding={...}": all between operands and metadata */
    struct str metadata; /* the text between metadata={ and }, "" */
    struct str backend_config;
    struct str custom_call_target;
    struct str op_name, source_file; /* unescaped, from metadata */
    int64_t source_line;             /* 0: none */
    int64_t stack_frame;             /* stack_frame_id, 0: none */
    int64_t plan_bytes;              /* what the proto's own buffer assignment gives it; -1: unknown */
    bool sugared; /* the text said "slice-start": the wrapped operation's attributes and calls stand here */
    bool root;
};

struct hlo_computation {
    struct str name;
    uint32_t first, count; /* instructions [first, first + count) */
    uint32_t root;         /* index of the root instruction */
    bool entry;
    bool hidden;   /* an async-start calls it and it holds only parameters and its root */
    bool embedded; /* its instructions are no steps of a schedule: a fusion's, a reducer, a comparator */
    struct str execution_thread;
};

struct hlo_frame { /* index 0 is unused: ids count from 1 */
    struct str file, function;
    int64_t line, column, end_line, end_column;
    uint32_t parent; /* 0: none; the text's +1 is already undone */
};

struct hlo_alias {
    const int64_t *output;
    uint32_t noutput; /* shape index of the output */
    int64_t parameter;
    const int64_t *param_index;
    uint32_t nparam_index;
    bool must;
};

struct hlo_module {
    struct str name;
    uint64_t program_id;
    bool has_id; /* HloModuleProto.id, or what the container says */
    bool scheduled;
    struct hlo_instr *instr;
    uint32_t ninstr;
    struct hlo_computation *computation;
    uint32_t ncomputation;
    uint32_t entry; /* computation; HLO_NONE: the module is empty */
    struct hlo_frame *frame;
    uint32_t nframe;
    struct hlo_alias *alias;
    uint32_t nalias;
    struct str header;        /* attributes of the module line as text, behind the name */
    struct hlo_names by_name; /* made by the first hlo_find */
    uint64_t missing;         /* operands and computations that are named but not there */
    size_t taken;             /* bytes of the input that are this module's */
    const char *source_name;  /* file it came from */
    bool from_proto;
    bool cut; /* the reader met a fault: this is what came before it */
    struct arena arena;
};

/* For the readers: what follows from the rest once all instructions, computations and calls are in place:
 * entry (HLO_NONE: the last), roots (the instructions' own flag is false until here), async_op, hidden,
 * embedded. */
void hlo_finish(struct hlo_module *m);

/* The module's instruction of that name (entry computation first if a name occurs twice), or HLO_NONE. */
uint32_t hlo_find(const struct hlo_module *m, struct str name);
/* Users of an instruction within its computation, in text order, each once: made on the first call. */
struct hlo_users {
    uint32_t *first;
    uint32_t *user;
}; /* users of i: user[first[i] .. first[i+1]) */
void hlo_users(const struct hlo_module *m, struct hlo_users *u);
void hlo_users_free(struct hlo_users *u);

/* The value of an attribute ("dimensions" gives "{0}"): a view, empty if absent. */
struct str hlo_attr(const struct hlo_instr *i, const char *name);
/* The integers of "{1,0}" or "1,0": at most max into v; returns how many stand there. */
size_t hlo_ints(struct str text, int64_t *v, size_t max);
/* Trip count of a while: known_trip_count of backend_config; else the condition's compare with a constant
 * when the induction variable starts at a constant and steps by one; -1 if unknown. */
int64_t hlo_trip_count(const struct hlo_module *m, const struct hlo_instr *i);
/* The computation with that role, or HLO_NONE. */
uint32_t hlo_called(const struct hlo_instr *i, enum hlo_role role);
static inline bool hlo_is(const struct hlo_instr *i, const char *opcode) { return str_is(i->opcode, opcode); }
/* Can it launch device work?  Not parameter, constant, tuple, get-tuple-element, bitcast, *-done, after-all
 * ... */
bool hlo_launches(const struct hlo_module *m, const struct hlo_instr *i);
/* "{1,0}->{0,1}" if it only changes layout (copy, transpose that is a bitcast-less relayout; fusions of just
 * that); false: no. */
bool hlo_layout_change(const struct hlo_module *m, const struct hlo_instr *i, struct buf *b);
/* XLA's op category (spec: HLO text 4.8). */
struct str hlo_category(const struct hlo_instr *i, struct buf *scratch);

/* ---- where in the user's program ---- */
/* Is this file the user's?  re: --user-re compiled (matches = user code), NULL: outside site-packages,
 * dist-packages, jax. */
bool hlo_user_file(struct str file, const regex_t *re);
/* Append "file:line" of the innermost user frame of i's stack (else of its own source_file/line, else of the
 * innermost frame); nothing if there is none.  A fusion without metadata of its own takes its root's. */
void hlo_source(const struct hlo_module *m, const struct hlo_instr *i, const regex_t *re, struct buf *b);
/* Append the whole stack, innermost first, "file:line function" joined by " < ". At most 200 frames: cycles
 * end. */
void hlo_stack(const struct hlo_module *m, const struct hlo_instr *i, struct buf *b);

/* Append the sources of the instructions of a fused computation, each once, joined by ",": parameters and
 * constants left out, nested fusions gone into. */
void hlo_member_sources(const struct hlo_module *m, uint32_t computation, const regex_t *re, struct buf *b);

/* ---- reading ---- */
/* Read every module of the bytes of `in` (after inp_whole): HLO text, HloProto, HloModuleProto, or a capture
 * with embedded programs.  on_module gets each one and owns it (hlo_free); it returns nonzero to stop. 0; -1
 * with e set: what was read before the fault has been handed over, a cut module too (as far as it goes). */
struct inp;
typedef int hlo_on_module(struct hlo_module *m, void *ctx);
int hlo_read(const struct inp *in, hlo_on_module *on_module, void *ctx, struct err *e);
/* One module, or a fragment of one, to the next "HloModule" or the end.  *out is NULL if nothing was read. */
int hlo_read_text(const char *p, size_t n, const char *file, struct hlo_module **out, struct err *e);
/* All of them. */
int hlo_read_texts(const char *p, size_t n, const char *file, hlo_on_module *on_module, void *ctx,
                   struct err *e);
int hlo_read_proto(const void *p, size_t n, const char *file, uint64_t base, struct hlo_module **out,
                   struct err *e);
void hlo_free(struct hlo_module *m);
#endif
