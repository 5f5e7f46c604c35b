/* What match.c, match_graph.c and match_exec.c share; nobody else includes this. */
#ifndef MATCH_IN_H
#define MATCH_IN_H
#include "match.h"

/* A launch without annotation: the kernels of a graph, or one stray event. */
struct unit {
    uint32_t beg, end;    /* plane.order[beg .. end) */
    uint32_t program;     /* MATCH_UNKNOWN: none fits */
    uint32_t graph;       /* index in plane.graph; MATCH_UNKNOWN: the tracer gives no node ids */
    uint32_t left, right; /* the programs of the annotated launches before and behind it on its line */
    bool stray;
};

/* All that was seen of one graph: its nodes over all launches, by node id. */
struct graph {
    uint32_t beg, end; /* plane.member[beg .. end), sorted by node */
    uint32_t program;
    bool seen;     /* its names have been noted */
    bool unstable; /* a node changed its kernel: nothing is carried from launch to launch */
};

enum { VOTES = 4 };
struct member {
    uint32_t graph, node, name;
    uint8_t kind;
    struct placed placed; /* what all its windows say together */
    struct vote {
        uint32_t instr;
        uint8_t how;
        uint64_t weight;
    } vote[VOTES];
};

struct solved {
    size_t at; /* its events: plane.placed[at ..] */
    int64_t cost;
};

struct plane {
    struct matcher *x;
    const struct match_event *ev;
    struct match_result *r;
    size_t n;
    uint32_t *order; /* events as they were launched */
    size_t norder;
    bool *loud; /* per program: the tracer names instructions of it on this plane */
    struct unit *unit;
    size_t nunit, unit_cap;
    struct graph *graph;
    size_t ngraph, graph_cap;
    struct member *member;
    size_t nmember, member_cap;
    struct map windows; /* what was placed before: key -> index in solved */
    struct solved *solved;
    size_t nsolved, solved_cap;
    struct placed *placed;
    size_t nplaced, placed_cap;
    struct buf key;
    struct window_event *we; /* of the window at hand */
    size_t we_cap;
};

/* One window: units u[0..n) of one program between two instructions.  What it gives lies in p->placed until
 * the next call. */
struct solved match_window(struct plane *p, uint32_t program, uint32_t from, uint32_t to, const uint32_t *u,
                           size_t n);
size_t match_unit_size(const struct plane *p, uint32_t unit); /* events of it in a window */
void match_units(struct plane *p);                            /* fill unit */
void match_clear(struct plane *p);      /* their programs, where the annotations around them agree, */
void match_between(struct plane *p);    /* and between two programs */
void match_graphs(struct plane *p);     /* fill graph and member from the units */
void match_windows(struct plane *p);    /* place all units and write their results */
void match_executions(struct plane *p); /* execution, part, parts */
/* The kernel name in terms of a program's schedule. */
struct window_event match_look(struct matcher *x, uint32_t program, uint32_t name, uint8_t kind);
/* This name occurs in this program. */
void match_seen(struct matcher *x, uint32_t program, uint32_t name, uint8_t kind);

/* The k-th event in launch order. */
static inline const struct match_event *match_at(const struct plane *p, size_t k)
{
    return &p->ev[p->order[k]];
}
static inline bool match_annotated(const struct match_event *e) { return e->instr != HLO_NONE; }
/* Has the program a schedule that its kernels may be laid along? */
static inline bool match_usable(const struct matcher *x, uint32_t program)
{
    return program != MATCH_UNKNOWN && x->program[program]->has_hlo && !x->program[program]->misfit;
}
#endif
