#include "nest.h"
#include "mem.h"
#include "num.h"
#include <stdlib.h>

/* Give the instants up to t to the innermost of the open events, closing those that end. */
static void advance(struct nest *s, int64_t t)
{
    while (s->n) {
        struct nest_open *in = &s->open[s->n - 1];
        int64_t end = in->end < t ? in->end : t;
        if (end > s->at) {
            s->emit(s->context, in->item, s->at, end);
            s->at = end;
        }
        if (in->end > t) return;
        s->n--;
    }
}

void nest_push(struct nest *s, uint32_t item, int64_t start, int64_t end)
{
    advance(s, start);
    if (!s->n)
        s->at = start;
    else if (s->open[s->n - 1].end < end)
        s->crossing = num_add(s->crossing, s->open[s->n - 1].end - start);
    s->open = mem_grow(s->open, &s->cap, s->n + 1, sizeof *s->open);
    s->open[s->n++] = (struct nest_open){end, item};
}

void nest_end(struct nest *s)
{
    advance(s, INT64_MAX);
    free(s->open);
    s->open = NULL;
    s->n = s->cap = 0;
}
