#include "hlo_rows_in.h"
#include "num.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- cells ---- */

enum { KEEP = 32 << 20 }; /* bytes of cells kept for further rows */

size_t hlo_count_text(char p[HLO_COUNT], double v)
{
    if (!(v >= 0) || isinf(v)) return *p = '-', 1;
    if (v == 0) return *p = '0', 1;
    return v < 9e18 ? num_put_i64(p, (int64_t)(v + 0.5)) : (size_t)snprintf(p, HLO_COUNT, "%.0f", v);
}

void hlo_cell_count(struct tab *t, double v)
{
    char text[HLO_COUNT];
    tab_cell(t, str_n(text, hlo_count_text(text, v)));
}

void hlo_cell_known(struct tab *t, int64_t v)
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
struct str hlo_cells_shape(struct hlo_rows *r, const struct shape *s)
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

struct str hlo_cells_source(struct hlo_rows *r, const struct hlo_instr *i)
{
    if (!i->stack_frame && !i->source_file.n && !hlo_is(i, "fusion")) return STR("-\t-");
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

struct str hlo_cell_members(struct hlo_rows *r, uint32_t computation)
{
    struct str *cell = &r->members[computation];
    if (cell->p) return *cell;
    r->b.n = r->cell.n = 0;
    hlo_member_sources(r->m, computation, r->user, &r->b);
    tsv_escape(&r->cell, buf_view(&r->b));
    *cell = keep(r, buf_view(&r->cell));
    return buf_view(&r->cell);
}

struct str hlo_cells_head(struct hlo_rows *r, uint32_t computation)
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

void hlo_put_index(struct buf *b, const int64_t *v, uint32_t n)
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
