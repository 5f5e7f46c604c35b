/* The state of the HLO text reader, and what its parts share: hlo_text.c (modules, computations),
 * hlo_text_head.c (the module line), hlo_text_instr.c (instructions). */
#ifndef HLO_TEXT_IN_H
#define HLO_TEXT_IN_H
#include "hlo.h"
#include "hlo_frames.h"
#include "lex.h"

struct ht_late { /* an operand that had not been seen when it was named */
    uint32_t *operand;
    struct str name;
};

struct ht_reader {
    const char *p, *end, *from;
    const char *file;
    struct err *e;
    struct hlo_module *m;
    size_t cap_instr, cap_computation;
    uint32_t *operand; /* scratch: those of the current instruction */
    size_t noperand, cap_operand;
    struct hlo_call *call; /* scratch likewise; computation: index into `names` until the end */
    size_t ncall, cap_call;
    struct buf more; /* scratch likewise: attributes behind its metadata */
    struct ht_late *late;
    size_t nlate, cap_late;
    struct hlo_names scope; /* instructions of the current computation */
    struct shape_table shapes;
    struct map names;  /* of computations, as they are named or defined */
    uint32_t *defined; /* names' index -> computation, HLO_NONE */
    size_t cap_defined;
    struct hlo_frames frames;
    struct str lost, lost_at; /* the first name that is never defined; where in the text */
    bool header;              /* "HloModule" was there */
    uint32_t loose; /* one more than the computation that instructions outside any are put in; 0: none */
};

/* Errors at a place of the text: "EXPECTED, not WHAT STANDS THERE"; both return -1. */
int ht_bad_at(struct ht_reader *r, const char *at, const char *expected);
int ht_never_ends(struct ht_reader *r, const char *at); /* what begins there has no end */
uint64_t ht_line(const struct ht_reader *r, const char *at);

/* The name at r->p, which moves behind it: with '%' anything but what ends a token. */
struct str ht_name(struct ht_reader *r);
/* A value without its quotes, unescaped; one without quotes as it stands. */
struct str ht_text(struct ht_reader *r, struct str value);
/* The index of a computation's name in `names`. */
uint32_t ht_computation(struct ht_reader *r, struct str name);

/* r->p at "HloModule". */
int ht_module_line(struct ht_reader *r);
/* "[ROOT ][%]name = shape opcode(operands), attributes" into the last computation c: 0, or -1 and nothing is
 * kept. */
int ht_instruction(struct ht_reader *r, struct hlo_computation *c);
/* Look up the operands that were not there yet, now that their computation is whole. */
void ht_late_operands(struct ht_reader *r);
#endif
