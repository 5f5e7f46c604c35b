/* The proto reader on messages made here: ids old and new, schedules, roles, what is missing, plans. */
#include "check.h"
#include "hlo.h"
#include "inp.h"
#include "pb.h"
#include "hlo.pb-c.h"

/* ---- a small writer of the wire ---- */

static void varint(struct buf *b, uint64_t v)
{
    for (; v > 127; v >>= 7) buf_c(b, (char)(v | 128));
    buf_c(b, (char)v);
}
static void number(struct buf *b, unsigned field, uint64_t v)
{
    varint(b, field << 3);
    varint(b, v);
}
static void bytes(struct buf *b, unsigned field, const void *p, size_t n)
{
    varint(b, field << 3 | 2);
    varint(b, n);
    buf_put(b, p, n);
}
static void text(struct buf *b, unsigned field, const char *s) { bytes(b, field, s, strlen(s)); }
static void close_into(struct buf *b, unsigned field, struct buf *sub)
{
    bytes(b, field, sub->p, sub->n);
    buf_free(sub);
}

/* An f32[] instruction; operands packed or one by one. */
static void instruction(struct buf *c, const char *name, const char *opcode, uint64_t id,
                        const uint64_t *operand, size_t n, bool packed, int64_t calls)
{
    struct buf i = {0}, shape = {0}, ids = {0};
    text(&i, 1, name);
    text(&i, 2, opcode);
    number(&shape, 2, PRIM_F32);
    close_into(&i, 3, &shape);
    number(&i, 35, id);
    for (size_t k = 0; k < n; k++)
        if (packed)
            varint(&ids, operand[k]);
        else
            number(&i, 36, operand[k]);
    if (packed) close_into(&i, 36, &ids);
    if (calls >= 0) number(&i, 38, (uint64_t)calls);
    close_into(c, 2, &i);
}

static struct hlo_module *read_module(const struct buf *b, struct err *e)
{
    struct hlo_module *m = NULL;
    hlo_read_proto(b->p, b->n, "made", 0, &m, e);
    return m;
}

/* ---- */

/* Ids as newer XLA writes them, the computation in the upper half; what refers to them may have the lower. */
static void check_ids(void)
{
    struct buf m = {0}, c = {0}, schedule = {0}, entry = {0}, sequence = {0};
    struct err e = {0};
    const uint64_t high = (uint64_t)7 << 32, both[] = {high | 1, 2};
    text(&m, 1, "ids");
    text(&m, 2, "main");
    text(&c, 1, "main");
    instruction(&c, "a", "parameter", high | 1, NULL, 0, false, -1);
    instruction(&c, "r", "add", high | 3, both, 2, true, -1);
    instruction(&c, "b", "parameter", high | 2, NULL, 0, false, -1);
    number(&c, 5, 7);
    number(&c, 6, high | 3);
    close_into(&m, 3, &c);
    varint(&sequence, high | 2); /* packed in field 1 of the sequence: b a r */
    varint(&sequence, high | 1);
    varint(&sequence, high | 3);
    struct buf list = {0};
    close_into(&list, 1, &sequence);
    number(&entry, 1, 7);
    close_into(&entry, 2, &list);
    close_into(&schedule, 1, &entry);
    close_into(&m, 7, &schedule);
    number(&m, 5, 99);
    struct hlo_module *h = read_module(&m, &e);
    CHECK(h && !e.text[0]);
    if (h) {
        CHECK(h->scheduled && h->has_id && h->program_id == 99 && h->from_proto);
        CHECK(h->ninstr == 3 && str_is(h->instr[0].name, "b") && str_is(h->instr[1].name, "a"));
        CHECK(h->instr[2].order == 2 && h->instr[2].root && h->computation[0].root == 2);
        CHECK(h->instr[2].noperand == 2 && h->instr[2].operand[0] == 1 && h->instr[2].operand[1] == 0);
        CHECK(h->entry == 0 && str_is(h->header, "is_scheduled=true"));
        CHECK(hlo_find(h, STR("a")) == 1 && h->instr[0].plan_bytes == -1 && h->missing == 0);
    }
    hlo_free(h);
    buf_free(&m);
}

/* Old ids (small, module-wide), no schedule; a while calls body, then condition; an async wrapper is hidden.
 */
static void check_roles(void)
{
    static const struct {
        const char *name;
        uint64_t id;
    } callee[] = {{"body", 10}, {"cond", 20}, {"wrapped", 30}};
    struct buf m = {0}, c = {0};
    struct err e = {0};
    text(&m, 1, "roles");
    text(&m, 2, "main");
    for (size_t k = 0; k < 3; k++) {
        const uint64_t p = callee[k].id + 1;
        text(&c, 1, callee[k].name);
        instruction(&c, "p", "parameter", p, NULL, 0, false, -1);
        instruction(&c, "r", k == 2 ? "copy" : "negate", p + 1, &p, 1, false, -1);
        number(&c, 5, callee[k].id);
        number(&c, 6, p + 1);
        close_into(&m, 3, &c);
    }
    text(&c, 1, "main");
    const uint64_t p = 1, start = 3, gone = 77;
    instruction(&c, "x", "parameter", 1, NULL, 0, false, -1);
    struct buf w = {0}; /* by hand: it calls two */
    text(&w, 1, "loop");
    text(&w, 2, "while");
    number(&w, 35, 2);
    number(&w, 36, p);
    number(&w, 38, 10);
    number(&w, 38, 20);
    close_into(&c, 2, &w);
    instruction(&c, "start", "async-start", 3, &p, 1, false, 30);
    instruction(&c, "done", "async-done", 4, &start, 1, false, -1);
    instruction(&c, "lost", "negate", 5, &gone, 1, false, -1);
    number(&c, 5, 40);
    close_into(&m, 3, &c);
    struct hlo_module *h = read_module(&m, &e);
    CHECK(h && e.text[0]); /* the lost operand is an error, the module is there */
    if (h) {
        const struct hlo_instr *loop = &h->instr[hlo_find(h, STR("loop"))];
        CHECK(h->missing == 1 && h->entry == 3 && !h->scheduled);
        CHECK(loop->ncall == 2 && loop->call[0].role == HLO_CONDITION && loop->call[0].computation == 1);
        CHECK(hlo_called(loop, HLO_BODY) == 0 && str_is(loop->attributes, "condition=%cond, body=%body"));
        CHECK(h->computation[2].hidden && !h->computation[0].hidden);
        CHECK(str_is(h->instr[hlo_find(h, STR("done"))].async_op, "copy"));
        CHECK(h->instr[hlo_find(h, STR("lost"))].operand[0] == HLO_NONE);
        CHECK(loop->shape->type == PRIM_UNKNOWN); /* it had none */
    }
    hlo_free(h);
    buf_free(&m);
}

/* Nesting beyond the limit is an error and no deep recursion. */
static void check_depth(void)
{
    struct buf shape = {0};
    struct err e = {0};
    struct arena a = {0};
    for (int k = 0; k < 200; k++) {
        struct buf outer = {0};
        number(&outer, 2, PRIM_TUPLE);
        close_into(&outer, 4, &shape);
        shape = outer;
    }
    CHECK(!pb_unpack(&xla__shape_proto__descriptor, wire_of(shape.p, shape.n), &a, shape.p, "deep", &e));
    CHECK(e.text[0] && e.unit == ERR_BYTE);
    arena_free(&a);
    buf_free(&shape);
}

static int count(struct hlo_module *m, void *ctx)
{
    uint64_t *sum = ctx;
    sum[0]++;
    for (uint32_t i = 0; i < m->ninstr; i++) sum[1] += m->instr[i].plan_bytes >= 0;
    sum[2] += m->nframe;
    if (m->nframe > 2) sum[3] = m->frame[2].parent;
    hlo_free(m);
    return 0;
}

static void check_file(void)
{
    struct inp in;
    struct err e = {0};
    uint64_t sum[4] = {0};
    CHECK(!inp_open(&in, "cpu_step.after_optimizations.hlo.pb", &e) && !inp_whole(&in, &e));
    CHECK(!hlo_read(&in, count, sum, &e));
    CHECK(sum[0] == 1 && sum[1] == 98 && sum[2] == 25 &&
          sum[3] == 1); /* the dump has 24 frames; 2's parent is 1 */
    inp_close(&in, &e);
}

int main(void)
{
    check_ids();
    check_roles();
    check_depth();
    check_file();
    DONE;
}
