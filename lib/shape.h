/* Shapes and layouts of HLO values, and their sizes to the byte (spec: HLO text 4.5-4.7).
 *
 * A shape lives in the arena it was made in and is never changed afterwards; shapes may be shared. */
#ifndef SHAPE_H
#define SHAPE_H
#include "buf.h"
#include "err.h"
#include "map.h"
#include "mem.h"

/* Element types by XLA's own numbers (xla_data.proto). */
enum prim {
    PRIM_INVALID = 0,
    PRIM_PRED = 1,
    PRIM_S8,
    PRIM_S16,
    PRIM_S32,
    PRIM_S64,
    PRIM_U8,
    PRIM_U16,
    PRIM_U32,
    PRIM_U64,
    PRIM_F16,
    PRIM_F32,
    PRIM_F64,
    PRIM_TUPLE = 13,
    PRIM_OPAQUE = 14,
    PRIM_C64 = 15,
    PRIM_BF16 = 16,
    PRIM_TOKEN = 17,
    PRIM_C128 = 18,
    PRIM_F8E5M2,
    PRIM_F8E4M3FN,
    PRIM_S4,
    PRIM_U4,
    PRIM_F8E4M3B11FNUZ,
    PRIM_F8E5M2FNUZ,
    PRIM_F8E4M3FNUZ,
    PRIM_S2,
    PRIM_U2,
    PRIM_F8E4M3,
    PRIM_F8E3M4,
    PRIM_S1,
    PRIM_U1,
    PRIM_F4E2M1FN,
    PRIM_F8E8M0FNU,
    PRIM_BUFFER,
    PRIM_F6E3M2FN,
    PRIM_F6E2M3FN,
    PRIM_COUNT,
    PRIM_UNKNOWN = 255 /* a type this build does not know: rows are kept, sizes are unknown */
};
const char *prim_name(enum prim t); /* "f32"; "?" if unknown */
enum prim prim_of(struct str name); /* PRIM_UNKNOWN if unknown */
int prim_bits(enum prim t);         /* bits of one element; 0: none or unknown */
int prim_bytes(enum prim t);        /* XLA's ByteWidth: sub-byte types are 1 */

struct layout {
    uint32_t nminor, ntile, nsplit;
    const int64_t *minor_to_major; /* nminor logical dimensions, fastest first */
    const struct tile {
        uint32_t n;
        const int64_t *dim;
    } * tile;                                         /* dim INT64_MIN: '*' (combine) */
    int64_t element_bits, memory_space, tail_padding; /* E(n), S(n), L(n); 0: not given */
    const struct split {
        int64_t dim;
        uint32_t n;
        const int64_t *at;
    } * split;        /* SC */
    struct str items; /* everything behind ':' as text prints it, "" if nothing */
    bool present;     /* a layout stands in the source */
};

struct shape {
    enum prim type;
    struct str type_name; /* as written: carries types this build does not know */
    uint32_t rank, nelem;
    const int64_t *dim;  /* bounds; rank of them; -1: unbounded `?` */
    const bool *dynamic; /* NULL: none is */
    struct layout layout;
    const struct shape *const *elem; /* tuple elements; b(...): the array at [0] */
};

/* Parse text at *p (moved behind the shape), up to end. Depth at most 100. NULL with e filled (text only, no
 * position) if it is no shape.  Comments and blanks inside are skipped. */
const struct shape *shape_parse(struct arena *a, const char **p, const char *end, struct err *e);

/* The same, but equal texts are parsed once and share one shape.  Start with {0}; the shapes live in the
 * arena. */
struct shape_table {
    struct map text; /* text -> index into shape */
    const struct shape **shape;
    size_t cap;
};
const struct shape *shape_intern(struct shape_table *t, struct arena *a, const char **p, const char *end,
                                 struct err *e);
void shape_table_free(struct shape_table *t); /* the shapes stay */
/* Where the shape that starts at p ends, by its brackets alone. */
const char *shape_end(const char *p, const char *end);

/* Append: "f32[8,128]" or "(f32[2],s32[])": no layout, no blanks, no comments; */
void shape_put(struct buf *b, const struct shape *s);
/* "{1,0:T(8,128)}", tuples "({..},{..})"; "-" where there are no digits and no items (scalars, tokens). */
void shape_put_layout(struct buf *b, const struct shape *s);
/* With its layout, "f32[8,128]{1,0:T(8,128)}"; tuples "(f32[2]{0}, s32[])", as XLA prints (comments: index
 * comments too). */
void shape_put_full(struct buf *b, const struct shape *s, bool comments);
/* The same without layouts, as a computation's signature has them. */
void shape_put_signature(struct buf *b, const struct shape *s);

/* Sizes.  -1: unknown (unbounded dimension, unknown type, product over 2^63). */
int64_t
shape_elements(const struct shape *s); /* array: product of the dimensions; tuple: sum over the leaves */
int64_t
shape_bytes_unpadded(const struct shape *s); /* ShapeUtil::ByteSizeOf, pointers 8: tuple 8n, tiles ignored */
int64_t shape_bytes(const struct shape *s);  /* ShapeUtil::ArraySize: tiles, tail padding, E(n); tuple 8n */
int64_t
shape_leaf_bytes(const struct shape *s); /* sum of shape_bytes_unpadded over the leaves, no pointer tables */
int64_t shape_leaf_padded(const struct shape *s); /* the same of shape_bytes */
bool shape_tiled(const struct shape *s);          /* some leaf has tiles: a TPU module */
const struct shape *shape_at(const struct shape *s, const int64_t *index,
                             size_t n); /* subshape; NULL: no such */
bool shape_same(const struct shape *a, const struct shape *b,
                bool layouts); /* equal dims and types (and layouts) */
#endif
