/* What XLA prints behind an instruction's operands, from the fields of its message. */
#include "hlo_pb_attr.h"
#include "hlo_print.h"

void at_next(struct at *a, const char *key)
{
    if (a->b->n != a->start) buf_puts(a->b, ", ");
    buf_puts(a->b, key);
}

void at_ints(struct at *a, const char *key, size_t n, const int64_t *v)
{
    at_next(a, key);
    hlo_pb_ints(a->b, n, v);
}

void at_number(struct at *a, const char *key, int64_t v)
{
    at_next(a, key);
    buf_i64(a->b, v);
}

void at_flag(struct at *a, const char *key, bool set)
{
    if (set) at_next(a, key), buf_puts(a->b, "true");
}

void at_name(struct at *a, const char *key, int32_t v, const char *const *of, size_t n)
{
    at_next(a, key);
    if ((uint32_t)v < n)
        buf_puts(a->b, of[v]);
    else
        buf_i64(a->b, v);
}

void at_quoted(struct at *a, const char *key, ProtobufCBinaryData v)
{
    at_next(a, key);
    buf_c(a->b, '"');
    hlo_put_escaped(a->b, pb_str(v));
    buf_c(a->b, '"');
}

/* "condition=%c, body=%b"; several computations in one role stand in braces. */
static void calls(struct at *a)
{
    const struct hlo_computation *c = a->names->m->computation;
    bool custom = str_is(a->as->opcode, "custom-call");
    for (uint32_t i = 0; i < a->as->ncall; i++) {
        enum hlo_role role = a->as->call[i].role;
        bool list = custom || role == HLO_BRANCH, again = i && a->as->call[i - 1].role == role;
        if (again) {
            buf_puts(a->b, ", ");
        } else {
            at_next(a, custom ? "called_computations" : hlo_role_name(role));
            buf_puts(a->b, list ? "={" : "=");
        }
        buf_c(a->b, '%');
        if (a->as->call[i].computation != HLO_NONE) buf_str(a->b, c[a->as->call[i].computation].name);
        if (list && (i + 1 == a->as->ncall || a->as->call[i + 1].role != role)) buf_c(a->b, '}');
    }
}

static void control_predecessors(struct at *a)
{
    if (!a->i->n_control_predecessor_ids) return;
    at_next(a, "control-predecessors={");
    for (size_t i = 0; i < a->i->n_control_predecessor_ids; i++) {
        uint32_t p = hlo_pb_instr(a->names, a->i->control_predecessor_ids[i]);
        buf_puts(a->b, i ? ", %" : "%");
        if (p != HLO_NONE) buf_str(a->b, a->names->m->instr[p].name);
    }
    buf_c(a->b, '}');
}

static void statistics(struct at *a)
{
    const Xla__StatisticsViz *s = a->i->statistics_viz;
    if (!s || !s->n_statistics) return;
    at_next(a, "statistics={visualizing_index=");
    buf_i64(a->b, s->stat_index_to_visualize);
    for (size_t i = 0; i < s->n_statistics; i++) {
        buf_c(a->b, ',');
        buf_str(a->b, pb_str(s->statistics[i]->stat_name));
        buf_fmt(a->b, "=%g", s->statistics[i]->stat_val);
    }
    buf_c(a->b, '}');
}

static void accuracy(struct at *a)
{
    static const char *const mode[] = {"default", "highest"};
    const Xla__ResultAccuracy *r = a->i->result_accuracy;
    if (!r) return;
    if (r->specs_case == XLA__RESULT_ACCURACY__SPECS_TOLERANCE)
        at_next(a, "result_accuracy={tolerance={"),
            buf_fmt(a->b, "atol=%g,rtol=%g,ulps=%lld}}", r->tolerance->atol, r->tolerance->rtol,
                    (long long)r->tolerance->ulps);
    else if (r->specs_case == XLA__RESULT_ACCURACY__SPECS_MODE && r->mode)
        AT_NAME(a, "result_accuracy={mode=", r->mode, mode), buf_c(a->b, '}');
}

static void put_origin_leaf(struct buf *b, const Xla__OriginalValueElementProto *e)
{
    if (!e->original_array) {
        buf_puts(b, "{}");
        return;
    }
    buf_puts(b, "{\"");
    hlo_put_escaped(b, pb_str(e->original_array->instruction_name));
    buf_c(b, '"');
    if (e->original_array->n_shape_index) {
        buf_c(b, ' ');
        hlo_pb_ints(b, e->original_array->n_shape_index, e->original_array->shape_index);
    }
    buf_c(b, '}');
}

/* Leaves in order; parentheses follow the depth of their indexes. */
static void origin(struct at *a)
{
    const Xla__OriginalValueProto *o = a->i->original_value;
    size_t depth = 0;
    if (!o || !o->n_elements) return;
    at_next(a, "origin={");
    for (size_t i = 0; i < o->n_elements; i++) {
        const Xla__OriginalValueElementProto *e = o->elements[i];
        size_t common = 0;
        const Xla__OriginalValueElementProto *before = i ? o->elements[i - 1] : NULL;
        while (before && common + 1 < before->n_shape_index && common + 1 < e->n_shape_index &&
               before->shape_index[common] == e->shape_index[common])
            common++;
        if (before)
            for (common++; depth > common; depth--) buf_c(a->b, ')');
        if (i) buf_puts(a->b, ", ");
        for (; depth < e->n_shape_index; depth++) buf_c(a->b, '(');
        put_origin_leaf(a->b, e);
    }
    for (; depth; depth--) buf_c(a->b, ')');
    buf_c(a->b, '}');
}

void hlo_pb_attributes(struct buf *b, const Xla__HloInstructionProto *i, const struct hlo_instr *as,
                       const struct hlo_pb_names *names)
{
    struct at a = {b, b->n, i, as, names};
    at_of_opcode(&a);
    calls(&a);
    at_flag(&a, "is_composite=", i->is_composite);
    if (i->sharding) at_next(&a, "sharding="), hlo_pb_sharding(b, i->sharding);
    if (i->frontend_attributes && i->frontend_attributes->n_map)
        at_next(&a, "frontend_attributes="), hlo_pb_frontend(b, i->frontend_attributes);
    control_predecessors(&a);
    statistics(&a);
    accuracy(&a);
    origin(&a);
}
