/* Attributes of an instruction, printed one after the other: shared by the files that know them. */
#ifndef HLO_PB_ATTR_H
#define HLO_PB_ATTR_H
#include "hlo_pb.h"

/* One instruction being printed. */
struct at {
    struct buf *b;
    size_t start; /* of its attributes in b */
    const Xla__HloInstructionProto *i;
    const struct hlo_instr *as; /* the model's, calls and operands set */
    const struct hlo_pb_names *names;
};

/* Start the next attribute, a comma before it if there was one: "key=". */
void at_next(struct at *a, const char *key);
/* Whole attributes. */
void at_ints(struct at *a, const char *key, size_t n, const int64_t *v);
void at_number(struct at *a, const char *key, int64_t v);
void at_flag(struct at *a, const char *key, bool set); /* nothing if it is not set */
void at_quoted(struct at *a, const char *key, ProtobufCBinaryData v);
void at_name(struct at *a, const char *key, int32_t v, const char *const *of,
             size_t n); /* its number if unknown */
#define AT_NAME(a, key, v, of) at_name(a, key, v, of, sizeof of / sizeof *of)

/* Those that depend on the opcode, in XLA's order (hlo_pb_op.c). */
void at_of_opcode(struct at *a);

/* Which dimensions and devices an operation works on (hlo_pb_dims.c). */
void at_replica_groups(struct at *a);
void at_source_targets(struct at *a);
void at_permute_sizes(struct at *a);
void at_window(struct at *a);
void at_dim_labels(struct at *a);
void at_slice(struct at *a);
void at_padding(struct at *a);
void at_dot(struct at *a);
void at_ragged_dot(struct at *a);
void at_gather(struct at *a);
void at_scatter(struct at *a);
#endif
