#include "hlo_embed.h"
#include "num.h"
#include "wire.h"

struct walk {
    const unsigned char *from;
    const char *file;
    hlo_on_program *on_program;
    void *ctx;
    uint64_t count;
    struct err *e;
    struct map64 stat; /* of the plane: stat metadata id -> which */
};
enum which { OTHER, HLO_PROTO, PROGRAM_ID };

static int fault(struct walk *x, struct wire at)
{
    return err_byte(x->e, x->file, (uint64_t)(at.p - x->from), "not a protobuf field (cut or corrupt)");
}

/* The one stat name that XProf knows, and spellings of single releases. */
static enum which which_stat(struct str name)
{
    if (str_is(name, "Hlo Proto") || str_is(name, "HLO Proto") || str_is(name, "hlo_proto")) return HLO_PROTO;
    return str_is(name, "program_id") ? PROGRAM_ID : OTHER;
}

/* A map entry {1: key, 2: message}. */
static int entry(struct walk *x, struct wire w, int64_t *key, struct wire *value)
{
    struct wire_field f = {0};
    int rc;
    while ((rc = wire_next(&w, &f)) > 0)
        if (f.num == 1 && f.type == WIRE_VARINT)
            *key = (int64_t)f.u;
        else if (f.num == 2 && f.type == WIRE_BYTES)
            *value = f.sub;
    return rc < 0 ? fault(x, w) : 0;
}

/* XStatMetadata: its name decides what its id stands for. */
static int stat_name(struct walk *x, struct wire w)
{
    struct wire value = {NULL, NULL};
    struct wire_field f = {0};
    int64_t key = 0;
    if (entry(x, w, &key, &value)) return -1;
    while (wire_next(&value, &f) > 0)
        if (f.num == 2 && f.type == WIRE_BYTES && which_stat(wire_str(f.sub)) != OTHER)
            map64_set(&x->stat, (uint64_t)key, which_stat(wire_str(f.sub)));
    return 0;
}

static int stat_names(struct walk *x, struct wire plane)
{
    struct wire_field f = {0};
    while (wire_next(&plane, &f) > 0)
        if (f.num == 5 && f.type == WIRE_BYTES && stat_name(x, f.sub)) return -1;
    return 0;
}

static void read_stat(struct walk *x, struct wire w, struct hlo_embedded *p)
{
    struct wire_field f = {0}, value = {0};
    uint64_t id = 0, which = OTHER;
    while (wire_next(&w, &f) > 0)
        if (f.num == 1 && f.type == WIRE_VARINT)
            id = f.u;
        else if (f.num >= 2 && f.num <= 8)
            value = f;
    if (!map64_get(&x->stat, id, &which)) return;
    if (which == HLO_PROTO && value.type == WIRE_BYTES) p->proto = wire_str(value.sub);
    if (which == PROGRAM_ID && value.type == WIRE_VARINT) p->id = value.u, p->has_id = true;
}

/* "jit_step(123)": 123. */
static bool id_of_name(struct str name, uint64_t *id)
{
    size_t open = str_rfind(name, '(');
    if (open == SIZE_MAX || !str_ends(name, ")")) return false;
    struct str digits = str_n(name.p + open + 1, name.n - open - 2);
    int64_t negative;
    if (!num_u64(digits, id)) return true;
    if (num_i64(digits, &negative)) return false;
    *id = (uint64_t)negative;
    return true;
}

/* XEventMetadata with a program: 1 to stop, 0, -1. */
static int event_name(struct walk *x, struct wire w)
{
    struct hlo_embedded p = {0};
    struct wire value = {NULL, NULL};
    struct wire_field f = {0};
    int64_t key = 0;
    int rc;
    if (entry(x, w, &key, &value)) return -1;
    while ((rc = wire_next(&value, &f)) > 0)
        if (f.num == 2 && f.type == WIRE_BYTES)
            p.name = wire_str(f.sub);
        else if (f.num == 5 && f.type == WIRE_BYTES)
            read_stat(x, f.sub, &p);
    if (rc < 0) return fault(x, value);
    if (!p.proto.n) return 0;
    if (!p.has_id && !id_of_name(p.name, &p.id)) p.id = (uint64_t)key;
    p.has_id = true;
    x->count++;
    return x->on_program(&p, x->ctx) ? 1 : 0;
}

/* Stat names may stand behind the events that use them: two passes, the lines skipped by their length. */
static int plane(struct walk *x, struct wire w)
{
    struct wire_field f = {0};
    int rc, mine = 0;
    if (stat_names(x, w)) return -1;
    if (!x->stat.count) return 0;
    while (!mine && (rc = wire_next(&w, &f)) > 0)
        if (f.num == 4 && f.type == WIRE_BYTES) mine = event_name(x, f.sub);
    return mine ? mine : rc < 0 ? fault(x, w) : 0;
}

int hlo_embedded(const void *p, size_t n, const char *file, hlo_on_program *on_program, void *ctx,
                 uint64_t *count, struct err *e)
{
    struct walk x = {.from = p, .file = file, .on_program = on_program, .ctx = ctx, .e = e};
    struct wire w = wire_of(p, n);
    struct wire_field f = {0};
    int rc = 0, mine = 0;
    while (!mine && (rc = wire_next(&w, &f)) > 0)
        if (f.num == 1 && f.type == WIRE_BYTES) {
            mine = plane(&x, f.sub);
            map64_free(&x.stat);
        }
    if (count) *count = x.count;
    return mine < 0 || (!mine && rc < 0 && fault(&x, w)) ? -1 : 0;
}
