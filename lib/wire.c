#include "wire.h"

int wire_check(struct wire w, const struct wire_rule *rule, unsigned depth, const void *base,
               const char *file, struct err *e)
{
    struct wire_field f;
    int r;
    if (!depth)
        return err_byte(e, file, (uint64_t)(w.p - (const unsigned char *)base), "messages nest too deeply");
    while ((r = wire_next(&w, &f)) > 0) {
        const struct wire_rule *sub = f.num < 64 ? rule->rule[f.num] : NULL;
        if (f.type != WIRE_BYTES || !sub) continue;
        if (wire_check(f.sub, sub, depth - 1, base, file, e)) return -1;
    }
    if (r < 0)
        return err_byte(e, file, (uint64_t)(w.p - (const unsigned char *)base),
                        "not a protobuf field (cut or corrupt)");
    return 0;
}
