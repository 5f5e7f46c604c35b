/* The critical path of a step: from its start to the last end on any device, over what each thing waited for.
 *
 * Nodes are pieces of device work and of what the launching threads did.  A kernel waits for the event before
 * it on its stream, for its launch, or for another stream of its device; a host piece for the one before it;
 * a wait on the host for the last device event that ended in it; a collective moves data once its last
 * participant has begun. Of these the latest to be ready is what a node waited for.
 *
 * A struct path owns its arrays; events are referred to by number. */
#ifndef PATH_H
#define PATH_H
#include "steps.h"
#include "threads.h"

enum path_kind {
    PATH_COMPUTE,
    PATH_COLLECTIVE,
    PATH_COPY,
    PATH_HOST,     /* a host event */
    PATH_SYNC,     /* the host call that waits, after what it waited for had ended */
    PATH_LAUNCH,   /* from the start of a launching call to its first kernel */
    PATH_GAP,      /* a device between two events, nothing else known */
    PATH_HOST_GAP, /* a launching thread with nothing recorded */
    PATH_KINDS
};
const char *path_word(enum path_kind k);

enum path_edge { EDGE_NONE, EDGE_LANE, EDGE_LAUNCH, EDGE_OTHER };
struct path_node {
    int64_t a, b;
    uint32_t event, lane;
    uint32_t prev;  /* the node before it in its lane; EV_NONE */
    uint32_t call;  /* node of its launching call; EV_NONE */
    uint32_t bind;  /* what it waited for to start (edge says how); EV_NONE */
    uint32_t until; /* a wait's: what it waited for to end; EV_NONE */
    uint32_t group; /* a collective's participants; EV_NONE */
    enum path_kind kind;
    enum path_edge edge;
};
struct path_lane {
    uint32_t line, plane; /* a host lane: the line that makes the calls */
    bool host;
};
struct path_group {
    uint32_t last; /* the participant that began last */
    int64_t arrival;
};
struct path_seg { /* a part of the path; they follow each other without gaps */
    enum path_kind kind;
    uint32_t lane, node;
    int64_t a, b;
};
struct path {
    const struct events *t;
    uint32_t step; /* number */
    int64_t start, end;
    struct path_lane *lane;
    struct path_node *node; /* lane after lane, in order of start */
    struct path_group *group;
    struct path_seg *seg; /* in order of time; their lengths sum to end - start */
    size_t nlane, nnode, ngroup, nseg;
    struct path_tick {
        int64_t t;
        uint32_t node;
        uint8_t order; /* at one time: ends, then starts on the host, then on devices */
        bool start;
    } * tick; /* all starts and ends, in order of time */
};
/* The path of the step of that number; -1: no such step.  `h` may make its lines' pieces on the way. */
int path_find(struct path *p, const struct events *t, const struct launches *l, const struct steps *s,
              struct threads *h, uint32_t step);
void path_free(struct path *p);

/* How long a piece of the path is in another world: of a node its duration, or (edge true) the time between
 * what it waited for and its start. */
typedef int64_t path_weight(void *context, const struct path *p, uint32_t node, bool edge, int64_t ps);
/* The step's length if pieces had those lengths; everything else keeps its order and its waits. */
int64_t path_replay(const struct path *p, path_weight *weight, void *context);
#endif
