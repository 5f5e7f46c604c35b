/* The proto reader's parts: a message as the struct, or the text, that the text reader would make of what XLA
 * prints for it (spec: HLO text 4.4-4.5).
 *
 * Nothing here owns anything: shapes live in the arena, text is appended to the buffer. */
#ifndef HLO_PB_H
#define HLO_PB_H
#include "hlo.h"
#include "hlo.pb-c.h"
#include "map.h"
#include "pb.h"

enum { HLO_PB_MAX_ELEMENTS = 10 /* a constant of more is not printed */ };

/* What ids name while a computation is read. */
struct hlo_pb_names {
    const struct hlo_module *m;
    struct map64 computation;   /* id -> index */
    struct map64 instr;         /* id -> index, of the current computation */
    const struct wire *payload; /* HloModuleProto.payloads */
    size_t npayload;
};
uint32_t hlo_pb_computation(const struct hlo_pb_names *n, int64_t id);
uint32_t hlo_pb_instr(const struct hlo_pb_names *n, int64_t id);

/* Fields of HloModuleProto. */
enum {
    MODULE_NAME = 1,
    MODULE_ENTRY_NAME = 2,
    MODULE_COMPUTATION = 3,
    MODULE_PROGRAM_SHAPE = 4,
    MODULE_ID = 5,
    MODULE_ENTRY_ID = 6,
    MODULE_SCHEDULE = 7,
    MODULE_ALIAS = 8,
    MODULE_DEVICES = 15,
    MODULE_FRAMES = 17,
    MODULE_DONOR = 18,
    MODULE_FRONTEND = 19,
    MODULE_PARTS = 20, /* more than any that is kept whole */
    MODULE_PAYLOAD = 22
};

/* The reader at work. */
struct hlo_pb {
    const char *file;
    const unsigned char *from; /* the message; it is `base` bytes into the file */
    uint64_t base;
    struct err *e;
    struct hlo_module *m;
    struct hlo_pb_names names;
    struct wire *body; /* of each instruction */
    struct hlo_pb_computation {
        int64_t id, root;
        bool has_root;
    } * computation;
    struct map64 sequence_of; /* computation id -> index of its sequence */
    struct wire *sequence;
    size_t nsequence;
    struct wire *payload;
    struct wire part[MODULE_PARTS]; /* the module's other fields */
    int64_t entry_id;
    bool has_entry_id;
    struct map shape_text; /* the bytes of a ShapeProto -> index into shape */
    const struct shape **shape;
    const struct shape *unknown;
    struct arena scratch;
    struct buf text;
    size_t instr_cap, body_cap, computation_cap, seen_cap, sequence_cap, payload_cap, shape_cap;
};

/* As wire_next, but a field that is cut gives what is there of it; r->e says where. */
int hlo_pb_next(struct hlo_pb *r, struct wire *w, struct wire_field *f);
/* The rest of the module: header, stack frames, aliases, and sizes from its BufferAssignmentProto. */
void hlo_pb_module(struct hlo_pb *r, struct wire plan);

/* A ShapeProto as a shape; its nesting was checked when it was unpacked. */
const struct shape *hlo_pb_shape(struct arena *a, const Xla__ShapeProto *p);

/* "0.5", "{1, 2}", "{ {1}, {2} }", "{...}" (over ten elements, tuples): what stands in constant(...). */
void hlo_pb_literal(struct buf *b, const Xla__LiteralProto *l, const struct shape *s);

/* Everything between the operands and metadata, without a leading comma. */
void hlo_pb_attributes(struct buf *b, const Xla__HloInstructionProto *i, const struct hlo_instr *as,
                       const struct hlo_pb_names *n);
/* What stands in metadata={...}; nothing if XLA prints none. */
void hlo_pb_metadata(struct buf *b, const Xla__OpMetadata *m, const struct hlo_pb_names *n);
void hlo_pb_sharding(struct buf *b, const Xla__OpSharding *s);
void hlo_pb_frontend(struct buf *b, const Xla__FrontendAttributes *f); /* {a="b",c={"x":1}} */
/* mesh['x'=2,'y'=4] and 'x', 'y':(1)2 : of named shardings and replica groups. */
void hlo_pb_mesh(struct buf *b, const Xla__MeshProto *m);
void hlo_pb_axes(struct buf *b, const Xla__MeshProto *m, size_t n, Xla__AxisRefProto *const *axis,
                 const char *between);

struct str hlo_pb_payload(const Xla__Payload *p, const struct hlo_pb_names *n);
void hlo_pb_ints(struct buf *b, size_t n, const int64_t *v); /* {1,2} */
const int64_t *hlo_pb_copy_ints(struct arena *a, size_t n, const int64_t *v);
#endif
