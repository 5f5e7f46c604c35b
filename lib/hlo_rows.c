#include "hlo_rows.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- cells ---- */

enum { KEEP = 32 << 20 }; /* bytes of cells kept for further rows */

/* A count that was added up in floating point; negative: unknown. */
static void put_count(struct tab *t, double v)
{
    char text[512];
    if (!(v >= 0) || isinf(v))
        tab_none(t);
    else if (v < 9e18)
        tab_u64(t, (uint64_t)(v + 0.5));
    else
        tab_cell(t, str_n(text, (size_t)snprintf(text, sizeof text, "%.0f", v)));
}

static void put_known(struct tab *t, int64_t v)
{
    if (v < 0)
        tab_none(t);
    else
        tab_i64(t, v);
}

/* A copy that stays as long as r; p NULL: too much has been kept already, and the cell is made again. */
static struct str keep(struct hlo_rows *r, struct str cell)
{
    if (r->arena.total > KEEP) return (struct str){NULL, 0};
    return str_n(arena_copy(&r->arena, cell.p, cell.n), cell.n);
}

static void known_cell(struct buf *b, int64_t v)
{
    if (v < 0)
        buf_c(b, '-');
    else
        buf_i64(b, v);
}

static void tiles(struct buf *b, const struct shape *s)
{
    for (uint32_t k = 0; k < s->layout.ntile; k++) {
        const struct tile *t = &s->layout.tile[k];
        buf_c(b, '(');
        for (uint32_t d = 0; d < t->n; d++) {
            if (d) buf_c(b, ',');
            if (t->dim[d] == INT64_MIN)
                buf_c(b, '*');
            else
                buf_i64(b, t->dim[d]);
        }
        buf_c(b, ')');
    }
    if (!s->layout.ntile) buf_c(b, '-');
}

static void space(struct buf *b, const struct shape *s) { buf_i64(b, s->layout.memory_space); }

/* One text per leaf: "x", of a tuple "(x,(y,z))". */
static void leaves(struct buf *b, const struct shape *s, void (*leaf)(struct buf *, const struct shape *))
{
    if (s->type == PRIM_BUFFER && s->nelem) s = s->elem[0];
    if (s->type != PRIM_TUPLE) {
        leaf(b, s);
        return;
    }
    buf_c(b, '(');
    for (uint32_t k = 0; k < s->nelem; k++) {
        if (k) buf_c(b, ',');
        leaves(b, s->elem[k], leaf);
    }
    buf_c(b, ')');
}

static struct str first_type(const struct shape *s)
{
    while (s->nelem) s = s->elem[0];
    return s->type == PRIM_TUPLE ? STR("-") : s->type_name;
}

/* Cells shape dtype layout tiles memory_space bytes unpadded_bytes. No byte of them needs an escape but in a
 * layout's items, which may be anything. */
static struct str shape_cells(struct hlo_rows *r, const struct shape *s)
{
    uint64_t at;
    if (map64_get(&r->shape_known, (uintptr_t)s, &at)) return r->shape[at];
    r->cell.n = r->b.n = 0;
    shape_put(&r->cell, s);
    buf_c(&r->cell, '\t');
    buf_str(&r->cell, first_type(s));
    buf_c(&r->cell, '\t');
    shape_put_layout(&r->b, s);
    if (r->b.n == 1)
        buf_c(&r->cell, '-');
    else
        tsv_escape(&r->cell, buf_view(&r->b));
    buf_c(&r->cell, '\t');
    leaves(&r->cell, s, tiles);
    buf_c(&r->cell, '\t');
    leaves(&r->cell, s, space);
    buf_c(&r->cell, '\t');
    known_cell(&r->cell, shape_bytes(s));
    buf_c(&r->cell, '\t');
    known_cell(&r->cell, shape_bytes_unpadded(s));
    struct str kept = keep(r, buf_view(&r->cell));
    if (!kept.p) return buf_view(&r->cell);
    map64_set(&r->shape_known, (uintptr_t)s, r->nshape);
    r->shape = mem_grow(r->shape, &r->cap_shape, r->nshape + 1, sizeof *r->shape);
    return r->shape[r->nshape++] = kept;
}

/* Cells source, stack. */
static struct str source_cells(struct hlo_rows *r, const struct hlo_instr *i)
{
    bool framed = i->stack_frame > 0 && (uint64_t)i->stack_frame < r->m->nframe && !i->source_file.n;
    if (framed && r->frame[i->stack_frame].p) return r->frame[i->stack_frame];
    r->cell.n = r->b.n = 0;
    hlo_source(r->m, i, r->user, &r->b);
    tsv_escape(&r->cell, buf_view(&r->b));
    buf_c(&r->cell, '\t');
    r->b.n = 0;
    hlo_stack(r->m, i, &r->b);
    tsv_escape(&r->cell, buf_view(&r->b));
    if (framed) r->frame[i->stack_frame] = keep(r, buf_view(&r->cell));
    return buf_view(&r->cell);
}

/* Cell member_sources of a fused computation. */
static struct str member_cell(struct hlo_rows *r, uint32_t computation)
{
    struct str *cell = &r->members[computation];
    if (cell->p) return *cell;
    r->b.n = r->cell.n = 0;
    hlo_member_sources(r->m, computation, r->user, &r->b);
    tsv_escape(&r->cell, buf_view(&r->b));
    *cell = keep(r, buf_view(&r->cell));
    return buf_view(&r->cell);
}

/* Cells module program_id computation: those of the current computation are kept. */
static struct str head_of(struct hlo_rows *r, uint32_t computation)
{
    if (!r->heads.n || r->heads_of != computation) {
        r->heads.n = 0;
        r->heads_of = computation;
        buf_str(&r->heads, r->head);
        buf_c(&r->heads, '\t');
        tsv_escape(&r->heads, r->m->computation[computation].name);
    }
    return buf_view(&r->heads);
}

static void put_shape_index(struct buf *b, const int64_t *v, uint32_t n)
{
    buf_c(b, '{');
    for (uint32_t k = 0; k < n; k++) {
        if (k) buf_c(b, ',');
        buf_i64(b, v[k]);
    }
    buf_c(b, '}');
}

/* ---- start and end ---- */

static int by_parameter(const void *a, const void *b, void *ctx)
{
    const struct hlo_alias *alias = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (alias[x].parameter != alias[y].parameter) return alias[x].parameter < alias[y].parameter ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void find_callers(struct hlo_rows *r)
{
    const struct hlo_module *m = r->m;
    r->caller = mem_alloc(m->ncomputation, sizeof *r->caller);
    for (uint32_t k = 0; k < m->ncomputation; k++) r->caller[k].first = HLO_NONE;
    for (uint32_t k = 0; k < m->ninstr; k++)
        for (uint32_t c = 0; c < m->instr[k].ncall; c++) {
            struct hlo_call call = m->instr[k].call[c];
            if (call.computation == HLO_NONE) continue;
            struct hlo_caller *of = &r->caller[call.computation];
            if (!of->n++) of->first = k, of->role = call.role;
        }
}

static void find_parameters(struct hlo_rows *r)
{
    const struct hlo_module *m = r->m;
    if (m->entry == HLO_NONE) return;
    const struct hlo_computation *c = &m->computation[m->entry];
    for (uint32_t k = c->first; k < c->first + c->count; k++)
        if (hlo_is(&m->instr[k], "parameter")) map64_set(&r->parameter, (uint64_t)m->instr[k].number, k);
}

void hlo_rows_start(struct hlo_rows *r, const struct hlo_module *m, const struct cost_set *cost,
                    const regex_t *user)
{
    *r = (struct hlo_rows){.m = m, .cost = cost, .user = user};
    r->frame = mem_alloc(m->nframe, sizeof *r->frame);
    r->members = mem_alloc(m->ncomputation, sizeof *r->members);
    r->alias = mem_alloc(m->nalias, sizeof *r->alias);
    for (uint32_t k = 0; k < m->nalias; k++) r->alias[k] = k;
    qsort_r(r->alias, m->nalias, sizeof *r->alias, by_parameter, m->alias);
    find_callers(r);
    find_parameters(r);
    tsv_escape(&r->cell, m->name);
    buf_c(&r->cell, '\t');
    if (m->has_id)
        buf_u64(&r->cell, m->program_id);
    else
        buf_c(&r->cell, '-');
    r->head = keep(r, buf_view(&r->cell));
}

void hlo_rows_end(struct hlo_rows *r)
{
    map64_free(&r->shape_known);
    free(r->shape);
    free(r->frame);
    free(r->members);
    free(r->alias);
    free(r->caller);
    map64_free(&r->parameter);
    arena_free(&r->arena);
    buf_free(&r->b);
    buf_free(&r->cell);
    buf_free(&r->heads);
}

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
    put_known(t, hlo_trip_count(r->m, i));
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

static void put_cost(struct hlo_rows *r, struct tab *t, uint32_t k)
{
    if (!r->cost) {
        for (int n = 0; n < 5; n++) tab_none(t);
        return;
    }
    const struct cost *own = &r->cost->instr[k], *model = &r->cost->model[k];
    put_count(t, own->flops);
    put_count(t, own->transcendentals);
    put_count(t, own->bytes);
    put_count(t, model->flops);
    put_count(t, model->bytes);
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
            put_shape_index(&r->b, m->alias[r->alias[lo]].output, m->alias[r->alias[lo]].noutput);
        }
    }
    tab_text(t, buf_view(&r->b));
}

void hlo_row_instr(struct hlo_rows *r, struct tab *t, uint32_t k)
{
    const struct hlo_module *m = r->m;
    const struct hlo_instr *i = &m->instr[k];
    const struct hlo_computation *c = &m->computation[i->computation];
    tab_cells(t, head_of(r, i->computation));
    tab_u64(t, i->order);
    tab_text(t, i->name);
    tab_text(t, i->opcode);
    tab_text(t, i->async_op);
    tab_text(t, hlo_category(i, &r->b));
    tab_cells(t, shape_cells(r, i->shape));
    put_known(t, i->plan_bytes);
    put_operands(r, t, i);
    put_calls(r, t, i);
    put_launches(r, t, i);
    tab_text(t, i->op_name);
    tab_cells(t, source_cells(r, i));
    uint32_t fused = hlo_is(i, "fusion") ? hlo_called(i, HLO_CALLS) : HLO_NONE;
    tab_cell(t, fused == HLO_NONE ? STR("-") : member_cell(r, fused));
    put_cost(r, t, k);
    put_flags(t, i, c);
    put_known(t, i->number);
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
    tab_cells(t, head_of(r, k));
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
        put_known(t, hlo_trip_count(m, &m->instr[by->first]));
    } else
        tab_cells(t, STR("-\t-"));
    for (int n = 0; n < 3; n++) put_count(t, r->cost ? sum[n] : -1);
    tab_end(t);
}

void hlo_row_operand(struct hlo_rows *r, struct tab *t, uint32_t k, uint32_t n)
{
    const struct hlo_module *m = r->m;
    const struct hlo_instr *i = &m->instr[k];
    uint32_t at = i->operand[n];
    tab_cells(t, head_of(r, i->computation));
    tab_text(t, i->name);
    tab_text(t, i->opcode);
    tab_u64(t, n);
    put_name(t, m, at);
    tab_text(t, at == HLO_NONE ? STR("") : m->instr[at].opcode);
    put_known(t, at == HLO_NONE ? -1 : shape_bytes(m->instr[at].shape));
    put_known(t, at == HLO_NONE ? -1 : shape_bytes_unpadded(m->instr[at].shape));
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
    put_known(t, f->parent ? (int64_t)f->parent : -1);
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
    r->b.n = 0, put_shape_index(&r->b, a->output, a->noutput);
    tab_text(t, buf_view(&r->b));
    tab_i64(t, a->parameter);
    r->b.n = 0, put_shape_index(&r->b, a->param_index, a->nparam_index);
    tab_text(t, buf_view(&r->b));
    tab_texts(t, a->must ? "must" : "may");
    put_name(t, m, (uint32_t)p);
    tab_cells(t, s ? shape_cells(r, s) : STR("-\t-\t-\t-\t-\t-\t-"));
    tab_end(t);
}

/* ---- modules ---- */

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
    put_count(t, s->flops);
    put_count(t, s->transcendentals);
    put_count(t, s->bytes);
    tab_u64(t, s->unmodelled);
    put_count(t, s->flops_total);
    put_count(t, s->transcendentals_total);
    put_count(t, s->bytes_total);
    put_known(t, s->parameter_bytes);
    put_known(t, s->output_bytes);
    tab_u64(t, s->scheduled);
    tab_u64(t, s->unknown_trips);
    tab_u64(t, s->missing);
    put_known(t, s->ran ? (int64_t)s->runs : -1);
    put_known(t, s->ran ? (int64_t)s->run_ps : -1);
    put_known(t, s->ran ? s->longest : -1);
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
