/* Events that lie inside each other: which one is innermost at each instant (its self time).
 *
 * Start with {.emit = f, .context = p}; push events in order of start (longest first), then nest_end.  `emit`
 * gets the pieces in order of time, each instant at most once.  A later event that crosses an earlier one's
 * end is innermost until its own end; how much crosses is counted. */
#ifndef NEST_H
#define NEST_H
#include <stddef.h>
#include <stdint.h>

struct nest {
    void (*emit)(void *context, uint32_t item, int64_t a, int64_t b);
    void *context;
    int64_t crossing; /* sum of what events reach beyond the event they began in */
    /* private */
    struct nest_open {
        int64_t end;
        uint32_t item;
    } * open; /* innermost last */
    size_t n, cap;
    int64_t at; /* owners are known up to here */
};
void nest_push(struct nest *s, uint32_t item, int64_t start, int64_t end);
void nest_end(struct nest *s); /* the rest, and free */
#endif
