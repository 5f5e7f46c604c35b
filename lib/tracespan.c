#include "tracespan.h"
#include "mem.h"
#include <stdlib.h>

static uint32_t *top_of(struct trace_spans *s, const struct trace_event *ev)
{
    struct buf key = {0};
    bool async = ev->ph == 'b' || ev->ph == 'e';
    buf_c(&key, async ? 'a' : 't');
    buf_str(&key, ev->pid.text);
    buf_c(&key, '\t');
    buf_str(&key, async ? ev->id.text : ev->tid.text);
    if (async) {
        buf_c(&key, '\t');
        buf_str(&key, ev->cat.text);
    }
    uint32_t i = map_put(&s->keys, buf_view(&key), NULL);
    buf_free(&key);
    if (i >= s->ntop) {
        s->top = mem_grow(s->top, &s->top_cap, (size_t)i + 1, sizeof *s->top);
        while (s->ntop <= i) s->top[s->ntop++] = 0;
    }
    return &s->top[i];
}

void trace_span_begin(struct trace_spans *s, const struct trace_event *ev)
{
    uint32_t *top = top_of(s, ev), i = s->free;
    if (i)
        s->free = s->span[i - 1].next;
    else {
        s->span = mem_grow(s->span, &s->span_cap, s->nspan + 1, sizeof *s->span);
        i = (uint32_t)++s->nspan;
    }
    char *copy = mem_alloc(1, ev->text.n);
    memcpy(copy, ev->text.p, ev->text.n);
    s->span[i - 1] = (struct trace_span){copy, ev->text.n, *top, 0};
    *top = i;
    s->open++;
}

static void take(struct trace_spans *s, uint32_t *top, struct buf *text, struct trace_event *begin)
{
    struct trace_span *x = &s->span[*top - 1];
    uint32_t i = *top;
    text->n = 0;
    buf_put(text, x->text, x->n);
    trace_parse(buf_view(text), begin);
    free(x->text);
    *top = x->below;
    *x = (struct trace_span){.next = s->free};
    s->free = i;
    s->open--;
}

bool trace_span_end(struct trace_spans *s, const struct trace_event *ev, struct buf *text,
                    struct trace_event *begin)
{
    uint32_t *top = top_of(s, ev);
    if (!*top) return false;
    take(s, top, text, begin);
    return true;
}

bool trace_span_left(struct trace_spans *s, struct buf *text, struct trace_event *begin)
{
    while (s->ntop && !s->top[s->ntop - 1]) s->ntop--; /* the keys are not asked again */
    if (!s->ntop) return false;
    take(s, &s->top[s->ntop - 1], text, begin);
    return true;
}

void trace_spans_free(struct trace_spans *s)
{
    for (size_t i = 0; i < s->nspan; i++) free(s->span[i].text);
    free(s->span);
    free(s->top);
    map_free(&s->keys);
}
