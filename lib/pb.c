#include "pb.h"

enum { MAX_DEPTH = 100 };

static int check(const ProtobufCMessageDescriptor *type, struct wire w, unsigned depth, const void *base,
                 const char *file, struct err *e)
{
    struct wire_field f;
    int r;
    if (depth > MAX_DEPTH)
        return err_byte(e, file, (uint64_t)(w.p - (const unsigned char *)base), "messages nest too deeply");
    while ((r = wire_next(&w, &f)) > 0) {
        if (f.type != WIRE_BYTES) continue;
        const ProtobufCFieldDescriptor *d = protobuf_c_message_descriptor_get_field(type, f.num);
        if (!d || d->type != PROTOBUF_C_TYPE_MESSAGE) continue;
        if (check(d->descriptor, f.sub, depth + 1, base, file, e)) return -1;
    }
    if (r < 0)
        return err_byte(e, file, (uint64_t)(w.p - (const unsigned char *)base),
                        "not a protobuf field (cut or corrupt)");
    return 0;
}

static void *alloc(void *arena, size_t n) { return arena_alloc(arena, n, 1); }
static void ignore(void *arena, void *p)
{
    (void)arena;
    (void)p;
}

void *pb_unpack(const ProtobufCMessageDescriptor *type, struct wire w, struct arena *a, const void *base,
                const char *file, struct err *e)
{
    ProtobufCAllocator of_arena = {alloc, ignore, a};
    if (check(type, w, 1, base, file, e)) return NULL;
    void *m = protobuf_c_message_unpack(type, &of_arena, wire_size(w), w.p);
    if (!m)
        err_byte(e, file, (uint64_t)(w.p - (const unsigned char *)base), "not a %s message",
                 type->short_name);
    return m;
}
