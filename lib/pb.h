/* protobuf-c over an arena: messages of moderate size, unpacked from bytes that are not to be trusted.
 *
 * What is unpacked lives in the arena it was made in and is freed with it. */
#ifndef PB_H
#define PB_H
#include <protobuf-c/protobuf-c.h>
#include "mem.h"
#include "wire.h"

/* The message of that type in w, or NULL with e at the byte (counted from base) of the first field that is
 * cut, corrupt or nested over 100 deep: protobuf-c's own parser recurses without a limit. */
void *pb_unpack(const ProtobufCMessageDescriptor *type, struct wire w, struct arena *a, const void *base,
                const char *file, struct err *e);

static inline struct str pb_str(ProtobufCBinaryData b) { return (struct str){(const char *)b.data, b.len}; }
#endif
