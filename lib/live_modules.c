/* Tables of several modules: side by side, and as a capture ran them. */
#include "live_tab.h"
#include "num.h"
#include <stdlib.h>

/* ---- the modules side by side ---- */

static struct str keep(struct arena *a, struct str s) { return str_n(arena_copy(a, s.p, s.n), s.n); }

void live_brief(const struct live *l, const struct live_facts *f, struct arena *a, struct live_brief *b)
{
    const struct plan *p = l->plan;
    *b = (struct live_brief){.module = keep(a, p->module),
                             .space = l->rules.space,
                             .peak = l->peak,
                             .argument = l->argument,
                             .live_out = l->live_out,
                             .new_output = l->live_out,
                             .stack_temp = f->stack_temp,
                             .total = l->basis == LIVE_ESTIMATE ? -1 : l->total,
                             .largest_bytes = f->largest_bytes,
                             .layout_copy = f->layout_copy,
                             .opaque_calls = p->opaque_calls,
                             .fragmentation = f->fragmentation,
                             .basis = l->basis,
                             .known = f->known};
    for (uint32_t i = 0; i < p->nalloc; i++)
        if (p->alloc[i].color == l->rules.space && p->alloc[i].maybe_live_out && p->alloc[i].is_parameter)
            b->new_output -= p->alloc[i].size > 0 ? p->alloc[i].size : 0;
    if (f->largest == PLAN_NONE) return;
    struct buf s = {0};
    buf_str(&s, p->buffer[f->largest].instr);
    buf_str(&s, p->buffer[f->largest].index);
    b->largest_instr = keep(a, buf_view(&s));
    b->largest_source = keep(a, p->buffer[f->largest].about->source);
    buf_free(&s);
}

static int by_peak(const void *x, const void *y)
{
    const struct live_brief *a = x, *b = y;
    if (a->peak != b->peak) return a->peak > b->peak ? -1 : 1;
    return str_cmp(a->module, b->module);
}

uint64_t live_put_modules(struct tab *t, struct live_brief *b, size_t n)
{
    if (n) qsort(b, n, sizeof *b, by_peak);
    for (size_t i = 0; i < n; i++) {
        live_text(t, b[i].module);
        tab_i64(t, b[i].space);
        live_known(t, b[i].known, b[i].peak);
        tab_i64(t, b[i].argument);
        tab_i64(t, b[i].live_out);
        live_known(t, b[i].known, b[i].stack_temp);
        live_number(t, b[i].total);
        if (b[i].known && b[i].total >= 0)
            tab_f64(t, b[i].fragmentation);
        else
            tab_none(t);
        live_text(t, b[i].largest_instr);
        live_number(t, b[i].largest_instr.n ? b[i].largest_bytes : -1);
        live_text(t, b[i].largest_source);
        live_number(t, b[i].layout_copy);
        live_number(t, b[i].opaque_calls);
        tab_texts(t, live_basis_name(b[i].basis));
        tab_end(t);
    }
    return n;
}

/* ---- the modules of a run ---- */

/* "jit_f" of "jit_f(123)" and "jit_f#2". */
static struct str bare_name(struct str s)
{
    size_t at = str_rfind(s, '(');
    if (at == SIZE_MAX || !str_ends(s, ")")) at = str_rfind(s, '#');
    return at == SIZE_MAX ? s : str_n(s.p, at);
}

/* What is known of a program: by name and id, else by name. */
static const struct live_brief *brief_of(const struct map *names, const uint32_t *at,
                                         const struct live_brief *b, const struct event_program *p,
                                         struct buf *key)
{
    key->n = 0;
    buf_str(key, p->module);
    buf_c(key, '(');
    buf_str(key, p->id);
    buf_c(key, ')');
    uint32_t k = map_get(names, buf_view(key));
    if (k == MAP_NONE) k = map_get(names, p->module);
    if (k == MAP_NONE) k = map_get(names, bare_name(p->module));
    return k == MAP_NONE ? NULL : &b[at[k]];
}

static void run_row(struct tab *t, const struct events *e, const struct modruns *r, size_t i,
                    const struct live_brief *b)
{
    const struct modrun *x = &r->row[i];
    tab_u64(t, i);
    tab_cell(t, e->program[x->program].module);
    tab_cell(t, e->program[x->program].id);
    live_number(t, x->counted ? (int64_t)x->runs : -1);
    tab_i64(t, x->start);
    tab_i64(t, x->dur);
    tab_f64(t, r->total > 0 ? (double)x->dur / (double)r->total : 0);
    live_known(t, b && b->known, b ? b->peak : 0);
    live_number(t, b ? b->argument : -1);
    live_number(t, b ? b->new_output : -1);
    live_number(t, b ? num_add(b->argument, b->new_output) : -1);
    tab_cell(t, x->caller);
    tab_end(t);
}

uint64_t live_put_run(struct tab *t, const struct events *e, const struct modruns *r,
                      const struct live_brief *b, size_t n)
{
    struct map names = {0};
    uint32_t *at = mem_alloc(2 * n + 1, sizeof *at);
    struct buf key = {0};
    for (size_t i = 0; i < n; i++) {
        bool fresh;
        at[map_put(&names, b[i].module, NULL)] = (uint32_t)i;
        uint32_t k = map_put(&names, bare_name(b[i].module), &fresh);
        if (fresh) at[k] = (uint32_t)i;
    }
    for (size_t i = 0; i < r->n; i++)
        run_row(t, e, r, i, brief_of(&names, at, b, &e->program[r->row[i].program], &key));
    map_free(&names);
    buf_free(&key);
    free(at);
    return r->n;
}
