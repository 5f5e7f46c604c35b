#include "live_tab.h"
#include "blame.h"
#include "num.h"
#include "shrink.h"
#include <stdlib.h>

/* ---- cells ---- */

void live_number(struct tab *t, int64_t v)
{
    if (v < 0)
        tab_none(t);
    else
        tab_i64(t, v);
}

void live_text(struct tab *t, struct str s)
{
    if (s.n)
        tab_text(t, s);
    else
        tab_none(t);
}

void live_known(struct tab *t, bool is, int64_t v)
{
    if (is)
        tab_i64(t, v);
    else
        tab_none(t);
}

static void id(struct tab *t, const struct live *l)
{
    live_text(t, l->plan->module);
    tab_i64(t, l->rules.space);
}

static void basis(struct tab *t, const struct live *l)
{
    tab_texts(t, live_basis_name(l->basis));
    tab_end(t);
}

static void name(struct tab *t, const struct plan_buffer *b)
{
    struct buf s = {0};
    buf_str(&s, b->instr);
    buf_str(&s, b->index);
    live_text(t, buf_view(&s));
    buf_free(&s);
}

/* ---- facts ---- */

static bool byte_array(struct str shape) { return str_starts(shape, "s8[") || str_starts(shape, "u8["); }

static void sum_kinds(const struct live *l, struct live_facts *f)
{
    const struct plan *p = l->plan;
    f->layout_copy = f->scratch = -1;
    for (uint32_t i = 0; i < p->nbuffer; i++) {
        const struct plan_buffer *b = &p->buffer[i];
        if (p->alloc[b->alloc].color != l->rules.space || !b->about->opcode.n) continue;
        if (f->layout_copy < 0) f->layout_copy = f->scratch = 0;
        if (b->size < 0) continue;
        if (b->about->layout_change.n) f->layout_copy = num_add(f->layout_copy, b->size);
        if (str_is(b->about->opcode, "custom-call") && b->index.n > 2 && byte_array(b->shape))
            f->scratch = num_add(f->scratch, b->size);
    }
}

void live_facts(const struct live *l, struct live_facts *f)
{
    struct live_item *it;
    size_t n = live_at(l, l->peak_step, &it);
    *f = (struct live_facts){.known = !l->faults, .largest = PLAN_NONE};
    f->places = !l->plan->fault[PLAN_OVERLAP] && !l->plan->fault[PLAN_BEYOND];
    if (l->basis == LIVE_RANGES && !f->places) f->known = false;
    sum_kinds(l, f);
    for (size_t i = 0; i < n; i++)
        if (it[i].held > f->largest_bytes) {
            f->largest = it[i].buffer;
            f->largest_bytes = it[i].held;
        }
    free(it);
    f->padding = l->peak - l->peak_unpadded;
    f->stack_temp = l->peak - l->indefinite;
    f->temp = l->total - l->indefinite;
    if (f->temp) f->fragmentation = (double)(l->total - l->peak) / (double)f->temp;
}

/* ---- tables ---- */

static uint64_t step_row(struct tab *t, const struct live *l, uint32_t k, int64_t heap, int64_t unpadded)
{
    static const char *const what[] = {"alloc", "free", "share", "unknown"};
    const struct live_step *s = k < l->nstep ? &l->step[k] : NULL;
    bool good = !l->faults || k <= l->fault_step;
    id(t, l);
    tab_i64(t, s ? s->order : l->end_order);
    live_text(t, s ? s->instr : STR(""));
    tab_texts(t, s ? what[s->what] : NULL);
    live_number(t, s && s->buffer != PLAN_NONE ? l->plan->buffer[s->buffer].id : -1);
    live_known(t, s && (!l->faults || k < l->fault_step), s ? s->delta : 0);
    live_known(t, good, heap);
    live_known(t, good, unpadded);
    basis(t, l);
    return 1;
}

uint64_t live_put_timeline(struct tab *t, const struct live *l)
{
    int64_t heap = l->fixed, unpadded = heap;
    for (uint32_t k = 0; k < l->nstep; k++) {
        step_row(t, l, k, heap, unpadded);
        heap = num_add(heap, l->step[k].delta);
        unpadded = num_add(unpadded, l->step[k].unpadded);
    }
    return l->nstep + step_row(t, l, l->nstep, heap, unpadded);
}

uint64_t live_put_summary(struct tab *t, const struct live *l, const struct live_facts *f)
{
    bool step = l->peak_step != UINT32_MAX && f->known, whole = l->basis != LIVE_ESTIMATE;
    id(t, l);
    live_known(t, f->known, l->peak);
    live_known(t, f->known, l->peak_unpadded);
    tab_i64(t, l->argument);
    tab_i64(t, l->live_out);
    live_known(t, whole, l->non_reusable);
    live_known(t, whole, l->total);
    tab_i64(t, l->indefinite);
    live_known(t, f->known, f->padding);
    live_known(t, f->known, f->stack_temp);
    live_known(t, whole, f->temp);
    if (whole && f->known)
        tab_f64(t, f->fragmentation);
    else
        tab_none(t);
    live_known(t, step, step ? l->step[l->peak_step].order : 0);
    live_text(t, step ? l->step[l->peak_step].instr : STR(""));
    live_number(t, l->rules.space == 1 ? l->plan->scoped_vmem : -1);
    live_number(t, l->plan->opaque_calls);
    live_number(t, l->plan->opaque_io);
    tab_u64(t, l->nstep ? l->nstep + 1u : 0);
    tab_i64(t, l->constant);
    live_number(t, f->layout_copy);
    live_number(t, f->scratch);
    live_number(t, f->places ? l->occupied_peak : -1);
    tab_u64(t, l->heaps);
    basis(t, l);
    return 1;
}

struct row {
    struct live_item item;
    int64_t unpadded, padding;
    size_t at; /* place before sorting */
};

static int by_size(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    if (a->item.size != b->item.size) return a->item.size > b->item.size ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static int by_padding(const void *x, const void *y)
{
    const struct row *a = x, *b = y;
    if (a->padding != b->padding) return a->padding > b->padding ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

/* Memory Viewer's list: fixed values in memory 0 only; what owns no byte is an alias of a row above. */
static size_t peak_rows(const struct live *l, uint32_t step, struct row **out)
{
    struct live_item *it;
    size_t n = live_at(l, step, &it), m = 0;
    struct row *row = mem_alloc(n + 1, sizeof *row);
    for (size_t i = 0; i < n; i++) {
        const struct plan_buffer *b = &l->plan->buffer[it[i].buffer];
        if (it[i].fixed ? l->rules.space != 0 : !it[i].held && !l->additive) continue;
        row[m] = (struct row){it[i], b->unpadded, b->unpadded < 0 ? 0 : b->size - b->unpadded, m};
        m++;
    }
    free(it);
    *out = row;
    return m;
}

static void peak_row(struct tab *t, const struct live *l, const struct row *r)
{
    const struct plan_buffer *b = &l->plan->buffer[r->item.buffer];
    id(t, l);
    name(t, b);
    live_number(t, r->item.size);
    live_number(t, r->unpadded);
    live_known(t, r->unpadded >= 0 && r->item.size >= 0, r->padding);
    tab_texts(t, plan_kind_name(plan_alloc_kind(&l->plan->alloc[r->item.alloc])));
    live_text(t, b->shape);
    live_text(t, b->about->op_name);
    live_text(t, b->about->source);
    live_text(t, b->about->stack);
    tab_i64(t, r->item.start);
    tab_i64(t, r->item.end);
    live_text(t, b->about->opcode);
    live_text(t, b->about->layout_change);
    basis(t, l);
}

static uint64_t small_row(struct tab *t, const struct live *l, int64_t limit, int64_t size, int64_t unpadded)
{
    struct buf s = {0};
    id(t, l);
    buf_fmt(&s, "small (<%lld bytes)", (long long)limit);
    tab_text(t, buf_view(&s));
    tab_i64(t, size);
    tab_i64(t, unpadded);
    tab_i64(t, size - unpadded);
    for (int k = 0; k < 9; k++) tab_none(t);
    basis(t, l);
    buf_free(&s);
    return 1;
}

uint64_t live_put_peak(struct tab *t, const struct live *l, uint32_t step, enum live_sort sort, int64_t small)
{
    struct row *row;
    size_t n = peak_rows(l, step, &row), rows = 0;
    int64_t folded = 0, folded_unpadded = 0;
    bool any = false;
    if (sort != LIVE_BY_ORDER) qsort(row, n, sizeof *row, sort == LIVE_BY_SIZE ? by_size : by_padding);
    for (size_t i = 0; i < n; i++) {
        if (row[i].item.size >= small) {
            peak_row(t, l, &row[i]);
            rows++;
            continue;
        }
        any = true;
        folded = num_add(folded, row[i].item.size);
        folded_unpadded = num_add(folded_unpadded, row[i].item.size - row[i].padding);
    }
    if (any) rows += small_row(t, l, small, folded, folded_unpadded);
    free(row);
    return rows;
}

static void lifetime_row(struct tab *t, const struct live *l, uint32_t buffer, uint32_t alloc, int64_t start,
                         int64_t end, bool at_peak)
{
    const struct plan_buffer *b = &l->plan->buffer[buffer];
    id(t, l);
    name(t, b);
    live_number(t, b->size);
    tab_texts(t, plan_kind_name(plan_alloc_kind(&l->plan->alloc[alloc])));
    tab_i64(t, start);
    tab_i64(t, end);
    tab_i64(t, end - start + 1);
    live_number(t, b->size < 0 ? -1 : num_mul(b->size, end - start + 1));
    tab_u64(t, at_peak);
    live_text(t, b->shape);
    live_text(t, b->about->op_name);
    live_text(t, b->about->source);
    basis(t, l);
}

uint64_t live_put_lifetime(struct tab *t, const struct live *l)
{
    struct live_item *it;
    size_t n = live_at(l, UINT32_MAX, &it); /* the fixed ones */
    for (size_t i = 0; i < n; i++)
        lifetime_row(t, l, it[i].buffer, it[i].alloc, it[i].start, it[i].end, true);
    free(it);
    for (uint32_t i = 0; i < l->nhold; i++) {
        const struct live_hold *h = &l->hold[i];
        lifetime_row(t, l, h->shown, l->plan->buffer[h->shown].alloc, l->step[h->from].order,
                     live_last_order(l, h), h->from <= l->peak_step && l->peak_step <= h->to);
    }
    return n + l->nhold;
}

uint64_t live_put_blame(struct tab *t, const struct live *l)
{
    struct blame b;
    blame_peak(l, &b);
    for (size_t i = 0; i < b.n; i++) {
        id(t, l);
        tab_texts(t, blame_by_name(b.row[i].by));
        live_text(t, b.row[i].key);
        tab_i64(t, b.row[i].bytes);
        tab_f64(t, l->peak > 0 ? (double)b.row[i].bytes / (double)l->peak : 0);
        tab_u64(t, b.row[i].buffers);
        basis(t, l);
    }
    uint64_t n = b.n;
    blame_free(&b);
    return n;
}

uint64_t live_put_shrink(struct tab *t, const struct live *l)
{
    struct shrink s;
    shrink_peak(l, &s);
    for (size_t i = 0; i < s.n; i++) {
        const struct shrink_row *r = &s.row[i];
        id(t, l);
        tab_texts(t, shrink_cause_name(r->cause));
        live_text(t, r->all ? STR("all") : r->source);
        live_text(t, r->all ? STR("") : r->op_name);
        tab_u64(t, r->buffers);
        tab_i64(t, r->touched);
        tab_i64(t, l->peak - r->peak_after);
        tab_i64(t, r->peak_after);
        if (r->largest == PLAN_NONE)
            tab_none(t);
        else
            name(t, &l->plan->buffer[r->largest]);
        tab_texts(t, "guess, not run");
        basis(t, l);
    }
    uint64_t n = s.n;
    shrink_free(&s);
    return n;
}
