/* Within live_hlo.c, live_clock.c, live_join.c, live_share.c: values of a module, their clock, their buffers.
 *
 * A value belongs to a node: one place in the tree of an instruction's shape, in preorder, so that a subtree
 * is a range of nodes.  Everything is owned by struct hv and freed by hv_free. */
#ifndef LIVE_HLO_IN_H
#define LIVE_HLO_IN_H
#include "hlo.h"

#define HV_NONE UINT32_MAX

struct hv_interval {
    uint32_t from, to; /* numbers, both inclusive */
};

struct hv_buffer {
    uint32_t node;         /* the largest value in it; of equal ones the first in time */
    uint32_t first, count; /* interval[first .. first + count): in order, with gaps between them */
    int64_t size, space;
    bool parameter, constant, root, table; /* table: a tuple's pointers */
    uint32_t host; /* the output buffer whose memory it takes, HV_NONE: it has its own */
};

struct hv {
    const struct hlo_module *m;
    bool tpu;         /* layouts are tiled */
    uint32_t *number; /* per instruction: place on the clock; HV_NONE: not walked */
    uint32_t *at;     /* number -> instruction */
    uint32_t end;     /* numbers are 0 .. end - 1 */
    struct hv_place {
        uint32_t caller; /* instruction that it is placed before; HV_NONE: the entry, or not walked */
        uint32_t first;  /* number of its first instruction */
        uint32_t branch; /* of a conditional */
        bool walked;
    } * place;           /* per computation */
    uint32_t *parameter; /* per instruction: at first + k of a computation its parameter k, or HLO_NONE */
    uint32_t *node;      /* per instruction: its first node; one more entry at the end */
    uint32_t nnode;
    const struct shape **shape; /* per node */
    uint32_t *size;             /* per node: nodes of its subtree, itself too */
    uint32_t *instr;            /* per node */
    uint32_t *value;            /* per node: the node whose value it is */
    uint32_t *last;             /* per node that is a value: number of the last use */
    uint32_t *join;             /* union-find over nodes: values in one buffer */
    uint32_t *of;               /* per node that is a value: its buffer */
    struct hv_buffer *buffer;   /* in program order */
    uint32_t nbuffer;
    struct hv_interval *interval;
    uint64_t unsized;
};

void hv_clock(struct hv *h, const struct hlo_module *m); /* numbers, nodes, values, uses */
void hv_join(struct hv *h);                              /* buffers and when they are live */
void hv_free(struct hv *h);

/* A node below the node v by shape index; HV_NONE: there is none. */
uint32_t hv_below(const struct hv *h, uint32_t v, const int64_t *index, size_t n);
uint32_t hv_child(const struct hv *h, uint32_t v, uint32_t k);
/* First node of an operand; HV_NONE: it is missing or was not walked. */
uint32_t hv_operand(const struct hv *h, uint32_t instr, uint32_t k);
static inline uint32_t hv_number(const struct hv *h, uint32_t node) { return h->number[h->instr[node]]; }
/* The instruction that is parameter `number` of a computation, HLO_NONE: there is none. */
uint32_t hv_parameter(const struct hv *h, uint32_t computation, int64_t number);
int64_t hv_bytes(const struct hv *h, uint32_t node); /* of the node itself; -1: unknown */
int64_t hv_shape_bytes(const struct hv *h, const struct shape *s);

/* Who takes over whose memory (spec: liveness from HLO 8). */
struct hv_sharing {
    bool *handed_over; /* per buffer: its memory goes to another in the instruction where it ends */
    bool gave_up;
};
void hv_share(struct hv *h, struct hv_sharing *s);
#endif
