#include "hlo_rows_in.h"

/* ---- instr ---- */

static void put_operands(struct hlo_rows *r, struct tab *t, const struct hlo_instr *i)
{
    r->b.n = 0;
    for (uint32_t k = 0; k < i->noperand; k++) {
        if (k) buf_c(&r->b, ',');
        if (i->operand[k] != HLO_NONE)
            buf_str(&r->b, r->m->instr[i->operand[k]].name);
        else
            buf_c(&r->b, '?');
    }
    tab_text(t, buf_view(&r->b));
}

/* Cells calls trip_count custom_call_target. */
static void put_calls(struct hlo_rows *r, struct tab *t, const struct hlo_instr *i)
{
    if (!i->ncall && !i->custom_call_target.n) {
        tab_cells(t, STR("-\t-\t-"));
        return;
    }
    r->b.n = 0;
    for (uint32_t k = 0; k < i->ncall; k++) {
        if (k) buf_c(&r->b, ',');
        buf_puts(&r->b, hlo_role_name(i->call[k].role));
        buf_c(&r->b, '=');
        if (i->call[k].computation != HLO_NONE)
            buf_str(&r->b, r->m->computation[i->call[k].computation].name);
        else
            buf_c(&r->b, '?');
    }
    tab_text(t, buf_view(&r->b));
    hlo_cell_known(t, hlo_trip_count(r->m, i));
    tab_text(t, i->custom_call_target);
}

/* Cells launches layout_change. */
static void put_launches(struct hlo_rows *r, struct tab *t, const struct hlo_instr *i)
{
    bool launches = hlo_launches(r->m, i);
    r->b.n = 0;
    if (!hlo_layout_change(r->m, i, &r->b)) {
        tab_cells(t, launches ? STR("1\t-") : STR("0\t-"));
        return;
    }
    tab_u64(t, launches);
    tab_text(t, buf_view(&r->b));
}

/* Cells root entry hidden. */
static void put_flags(struct tab *t, const struct hlo_instr *i, const struct hlo_computation *c)
{
    char cells[] = {(char)('0' + i->root), '\t', (char)('0' + c->entry), '\t', (char)('0' + c->hidden)};
    tab_cells(t, str_n(cells, sizeof cells));
}

/* Cells flops transcendentals bytes_accessed flops_total bytes_total. */
static void put_cost(struct hlo_rows *r, struct tab *t, uint32_t k)
{
    char cells[5 * (HLO_COUNT + 1)], *p = cells;
    double v[5] = {-1, -1, -1, -1, -1};
    if (r->cost) {
        const struct cost *own = &r->cost->instr[k], *model = &r->cost->model[k];
        v[0] = own->flops, v[1] = own->transcendentals, v[2] = own->bytes;
        v[3] = model->flops, v[4] = model->bytes;
    }
    for (int n = 0; n < 5; n++) {
        if (n) *p++ = '\t';
        p += hlo_count_text(p, v[n]);
    }
    tab_cells(t, str_n(cells, (size_t)(p - cells)));
}

/* The outputs that an entry parameter is donated to. */
static void put_alias(struct hlo_rows *r, struct tab *t, const struct hlo_instr *i)
{
    const struct hlo_module *m = r->m;
    uint32_t lo = 0, hi = m->nalias;
    r->b.n = 0;
    if (hi && i->computation == m->entry && hlo_is(i, "parameter")) {
        while (lo < hi) {
            uint32_t mid = lo + (hi - lo) / 2;
            if (m->alias[r->alias[mid]].parameter < i->number)
                lo = mid + 1;
            else
                hi = mid;
        }
        for (; lo < m->nalias && m->alias[r->alias[lo]].parameter == i->number; lo++) {
            if (r->b.n) buf_c(&r->b, ',');
            hlo_put_index(&r->b, m->alias[r->alias[lo]].output, m->alias[r->alias[lo]].noutput);
        }
    }
    tab_text(t, buf_view(&r->b));
}

void hlo_row_instr(struct hlo_rows *r, struct tab *t, uint32_t k)
{
    const struct hlo_module *m = r->m;
    const struct hlo_instr *i = &m->instr[k];
    const struct hlo_computation *c = &m->computation[i->computation];
    tab_cells(t, hlo_cells_head(r, i->computation));
    tab_u64(t, i->order);
    tab_text(t, i->name);
    tab_text(t, i->opcode);
    tab_text(t, i->async_op);
    tab_text(t, hlo_category(i, &r->b));
    tab_cells(t, hlo_cells_shape(r, i->shape));
    hlo_cell_known(t, i->plan_bytes);
    put_operands(r, t, i);
    put_calls(r, t, i);
    put_launches(r, t, i);
    tab_text(t, i->op_name);
    tab_cells(t, hlo_cells_source(r, i));
    uint32_t fused = hlo_is(i, "fusion") ? hlo_called(i, HLO_CALLS) : HLO_NONE;
    tab_cell(t, fused == HLO_NONE ? STR("-") : hlo_cell_members(r, fused));
    put_cost(r, t, k);
    put_flags(t, i, c);
    hlo_cell_known(t, i->number);
    put_alias(r, t, i);
    tab_text(t, i->attributes);
    tab_text(t, i->backend_config);
    tab_end(t);
}

/* ---- the other tables ---- */

static void put_name(struct tab *t, const struct hlo_module *m, uint32_t instr)
{
    if (instr == HLO_NONE)
        tab_none(t);
    else
        tab_text(t, m->instr[instr].name);
}

void hlo_row_computation(struct hlo_rows *r, struct tab *t, uint32_t k)
{
    const struct hlo_module *m = r->m;
    const struct hlo_computation *c = &m->computation[k];
    uint64_t parameters = 0;
    double sum[3] = {0};
    for (uint32_t i = c->first; i < c->first + c->count; i++) {
        parameters += hlo_is(&m->instr[i], "parameter");
        if (!r->cost) continue;
        const struct cost *x = &r->cost->instr[i];
        sum[0] += x->flops > 0 ? x->flops : 0;
        sum[1] += x->transcendentals > 0 ? x->transcendentals : 0;
        sum[2] += x->bytes > 0 ? x->bytes : 0;
    }
    tab_cells(t, hlo_cells_head(r, k));
    tab_u64(t, c->count);
    tab_u64(t, parameters);
    put_name(t, m, c->root);
    tab_u64(t, c->entry);
    tab_u64(t, c->embedded);
    tab_u64(t, c->hidden);
    tab_text(t, c->execution_thread);
    const struct hlo_caller *by = &r->caller[k];
    tab_u64(t, by->n);
    put_name(t, m, by->first);
    if (by->n) {
        tab_texts(t, hlo_role_name(by->role));
        hlo_cell_known(t, hlo_trip_count(m, &m->instr[by->first]));
    } else
        tab_cells(t, STR("-\t-"));
    for (int n = 0; n < 3; n++) hlo_cell_count(t, r->cost ? sum[n] : -1);
    tab_end(t);
}

void hlo_row_operand(struct hlo_rows *r, struct tab *t, uint32_t k, uint32_t n)
{
    const struct hlo_module *m = r->m;
    const struct hlo_instr *i = &m->instr[k];
    uint32_t at = i->operand[n];
    tab_cells(t, hlo_cells_head(r, i->computation));
    tab_text(t, i->name);
    tab_text(t, i->opcode);
    tab_u64(t, n);
    put_name(t, m, at);
    tab_text(t, at == HLO_NONE ? STR("") : m->instr[at].opcode);
    hlo_cell_known(t, at == HLO_NONE ? -1 : shape_bytes(m->instr[at].shape));
    hlo_cell_known(t, at == HLO_NONE ? -1 : shape_bytes_unpadded(m->instr[at].shape));
    tab_end(t);
}

void hlo_row_frame(struct hlo_rows *r, struct tab *t, uint32_t k)
{
    const struct hlo_frame *f = &r->m->frame[k];
    tab_cells(t, r->head);
    tab_u64(t, k);
    tab_text(t, f->file);
    tab_i64(t, f->line);
    tab_i64(t, f->column);
    tab_text(t, f->function);
    hlo_cell_known(t, f->parent ? (int64_t)f->parent : -1);
    tab_u64(t, hlo_user_file(f->file, r->user));
    tab_end(t);
}

void hlo_row_alias(struct hlo_rows *r, struct tab *t, uint32_t k)
{
    const struct hlo_module *m = r->m;
    const struct hlo_alias *a = &m->alias[k];
    uint64_t p = HLO_NONE;
    map64_get(&r->parameter, (uint64_t)a->parameter, &p);
    const struct shape *s =
        p == HLO_NONE ? NULL : shape_at(m->instr[p].shape, a->param_index, a->nparam_index);
    tab_cells(t, r->head);
    r->b.n = 0, hlo_put_index(&r->b, a->output, a->noutput);
    tab_text(t, buf_view(&r->b));
    tab_i64(t, a->parameter);
    r->b.n = 0, hlo_put_index(&r->b, a->param_index, a->nparam_index);
    tab_text(t, buf_view(&r->b));
    tab_texts(t, a->must ? "must" : "may");
    put_name(t, m, (uint32_t)p);
    tab_cells(t, s ? hlo_cells_shape(r, s) : STR("-\t-\t-\t-\t-\t-\t-"));
    tab_end(t);
}
