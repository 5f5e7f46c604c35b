#include "hlo_summary.h"
#include "hlo_dump.h"
#include "hlo_rows_in.h"

static int64_t entry_parameter_bytes(const struct hlo_module *m)
{
    const struct hlo_computation *c = &m->computation[m->entry];
    int64_t sum = 0;
    for (uint32_t k = c->first; k < c->first + c->count; k++) {
        if (!hlo_is(&m->instr[k], "parameter")) continue;
        int64_t n = shape_leaf_padded(m->instr[k].shape);
        if (n < 0 || __builtin_add_overflow(sum, n, &sum)) return -1;
    }
    return sum;
}

static struct str own(struct arena *a, struct str s) { return str_n(arena_copy(a, s.p, s.n), s.n); }

void hlo_summarise(struct hlo_summary *s, const struct hlo_module *m, const struct cost_set *cost,
                   struct arena *a)
{
    *s = (struct hlo_summary){.name = own(a, m->name),
                              .file = own(a, str_of(m->source_name)),
                              .program_id = m->program_id,
                              .has_id = m->has_id,
                              .scheduled = m->scheduled,
                              .computations = m->ncomputation,
                              .instrs = m->ninstr,
                              .missing = m->missing,
                              .unmodelled = cost->unmodelled,
                              .unknown_trips = cost->unknown_trips,
                              .flops = cost->total.flops,
                              .transcendentals = cost->total.transcendentals,
                              .bytes = cost->total.bytes,
                              .flops_total = cost->flops_total,
                              .transcendentals_total = cost->transcendentals_total,
                              .bytes_total = cost->bytes_total,
                              .parameter_bytes = -1,
                              .output_bytes = -1};
    struct hlo_dump_name d = hlo_dump_name(s->file);
    s->module_id = d.module_id, s->pass_index = d.pass_index, s->pass = d.pass, s->stage = d.stage;
    if (m->entry == HLO_NONE) return;
    const struct hlo_computation *c = &m->computation[m->entry];
    s->entry = own(a, c->name);
    s->parameter_bytes = entry_parameter_bytes(m);
    if (c->root != HLO_NONE) s->output_bytes = shape_leaf_padded(m->instr[c->root].shape);
}

void hlo_row_module(const struct hlo_summary *s, struct tab *t)
{
    tab_text(t, s->name);
    if (s->has_id)
        tab_u64(t, s->program_id);
    else
        tab_none(t);
    tab_text(t, s->file);
    tab_text(t, s->module_id);
    tab_text(t, s->pass_index);
    tab_text(t, s->pass);
    tab_text(t, s->stage);
    tab_u64(t, s->computations);
    tab_u64(t, s->instrs);
    tab_text(t, s->entry);
    hlo_cell_count(t, s->flops);
    hlo_cell_count(t, s->transcendentals);
    hlo_cell_count(t, s->bytes);
    tab_u64(t, s->unmodelled);
    hlo_cell_count(t, s->flops_total);
    hlo_cell_count(t, s->transcendentals_total);
    hlo_cell_count(t, s->bytes_total);
    hlo_cell_known(t, s->parameter_bytes);
    hlo_cell_known(t, s->output_bytes);
    tab_u64(t, s->scheduled);
    tab_u64(t, s->unknown_trips);
    tab_u64(t, s->missing);
    hlo_cell_known(t, s->ran ? (int64_t)s->runs : -1);
    hlo_cell_known(t, s->ran ? (int64_t)s->run_ps : -1);
    hlo_cell_known(t, s->ran ? s->longest : -1);
    tab_end(t);
}

int hlo_summary_cmp(const void *a, const void *b)
{
    const struct hlo_summary *x = a, *y = b;
    if (x->instrs != y->instrs) return x->instrs > y->instrs ? -1 : 1;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    int c = str_cmp(x->name, y->name);
    return c ? c : str_cmp(x->file, y->file);
}
