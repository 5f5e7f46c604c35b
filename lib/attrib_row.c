#include "attrib.h"
#include "num.h"

/* A row and the cells behind it.  What follows from the instruction and the class is put together once. */

#define NONE5 "-\t-\t-\t-\t-"

static void put(struct buf *b, struct str s)
{
    if (b->n) buf_c(b, '\t');
    buf_str(b, s);
}

static void put_reason(struct attrib *a, const struct verdict *v)
{
    struct buf *b = &a->scratch;
    put(b, str_of(match_reason_name(v->reason)));
    for (int k = 0; k < 2 && v->reason == REASON_AMBIGUOUS; k++) {
        buf_c(b, k ? ',' : ':');
        if (v->other[k] == HLO_NONE)
            buf_puts(b, "nothing");
        else
            tsv_escape(b, a->programs->program[v->program].m->instr[v->other[k]].name);
    }
}

/* The cell of column col in a row. */
static struct str cell_of(struct str row, int col)
{
    const char *p = row.p, *end = p + row.n;
    if (col < 0) return STR("-");
    for (; col > 0; col--) p = (const char *)memchr(p, '\t', (size_t)(end - p)) + 1;
    const char *q = memchr(p, '\t', (size_t)(end - p));
    return str_n(p, (size_t)((q ? q : end) - p));
}

struct said { /* by the trace itself */
    struct str flops, bytes, source;
};

static bool differs(struct str trace, struct str hlo)
{
    return !tsv_none(trace) && !tsv_none(hlo) && !str_eq(trace, hlo);
}

/* match to cost_from, with TABs between, into a->scratch. */
static void put_tail(struct attrib *a, const struct verdict *v, const struct instr_cells *c,
                     const struct said *s)
{
    struct buf *b = &a->scratch;
    bool source = s && !tsv_none(s->source), flops = s && !tsv_none(s->flops),
         bytes = s && !tsv_none(s->bytes);
    b->n = 0;
    put(b, str_of(match_class_name(v->match)));
    put_reason(a, v);
    put(b, v->program == PROGRAM_NONE ? STR("-") : a->programs->program[v->program].cell);
    put(b, c ? c->head : STR(NONE5));
    put(b, source ? s->source : c ? c->place : STR("-\t-"));
    if (source) put(b, STR("trace"));
    put(b, c ? c->dtype : STR("-"));
    put(b, flops ? s->flops : c ? c->flops : STR("-"));
    put(b, bytes ? s->bytes : c ? c->bytes : STR("-"));
    put(b, flops || bytes ? STR("trace") : c ? c->from : STR("-"));
}

static struct str cached_tail(struct attrib *a, const struct verdict *v)
{
    struct instr_cells *c = programs_cells(a->programs, v->program, v->instr);
    struct str *row = &c->row[v->match];
    if (!row->n) {
        put_tail(a, v, c, NULL);
        *row = str_n(arena_copy(&a->programs->arena, a->scratch.p, a->scratch.n), a->scratch.n);
    }
    return *row;
}

static struct str traced_tail(struct attrib *a, struct str row, const struct verdict *v)
{
    const struct instr_cells *c =
        v->instr == HLO_NONE ? NULL : programs_cells(a->programs, v->program, v->instr);
    struct said s = {cell_of(row, a->col.flops), cell_of(row, a->col.bytes), cell_of(row, a->col.source)};
    if (c) {
        a->source_differs += differs(s.source, cell_of(c->place, 0));
        a->cost_differs += differs(s.flops, c->flops) || differs(s.bytes, c->bytes);
    }
    put_tail(a, v, c, &s);
    return buf_view(&a->scratch);
}

static struct str plain_tail(struct attrib *a, const struct verdict *v)
{
    put_tail(a, v, NULL, NULL);
    return buf_view(&a->scratch);
}

void attrib_put(struct attrib *a, struct str row, const struct verdict *v, bool traced)
{
    char n[80];
    size_t k = 0;
    if (!a->event) return;
    tab_cells(a->event, row);
    tab_cells(a->event, traced                 ? traced_tail(a, row, v)
                        : v->instr == HLO_NONE ? plain_tail(a, v)
                                               : cached_tail(a, v));
    if (v->instr != HLO_NONE) {
        k = num_put_u64(n, v->execution);
        n[k++] = '\t';
        k += num_put_u64(n + k, (uint64_t)v->part + 1);
        n[k++] = '/';
        k += num_put_u64(n + k, v->parts);
    }
    tab_cells(a->event, k ? str_n(n, k) : STR("-\t-"));
    tab_end(a->event);
}

void attrib_pass(struct attrib *a, struct str row)
{
    if (!a->event) return;
    tab_cells(a->event, row);
    tab_cells(a->event, STR(NONE5 "\t" NONE5 "\t" NONE5 "\t-"));
    tab_end(a->event);
}
