/* Chrome's trace format as profilers write it (spec: xplane 1.9, 1.10), read as a stream: events one after
 * the other, names of processes and threads as they come.
 *
 * An event's texts are views into the window, valid until the next trace_next; names and facts belong to
 * struct trace.  A damaged event is counted and left out; reading goes on at the next one. */
#ifndef TRACE_H
#define TRACE_H
#include "evclass.h"
#include "json.h"
#include "map.h"

struct trace_event {
    char ph;                                                  /* X, B, E, b, e, C, i, M ...; 0: none */
    struct json_value name, ts, dur, pid, tid, id, cat, args; /* kind NULL: not there */
    struct str text;                                          /* the whole object */
};

struct trace_thread {
    uint32_t process;
    struct str tid, name; /* name: empty if none was given */
    enum ev_line kind;
    uint32_t known; /* private: the kind holds for so many names of the process */
    uint64_t events;
    int64_t first_ps, last_ps, dur_ps; /* first > last: none has a time */
};

struct trace_process {
    struct str pid,
        name;        /* name as given: of XProf's form "HOST /device:TPU:0" only what is behind the host */
    struct str host; /* that host, or empty */
    enum ev_plane kind;
    uint32_t named; /* how often it was given a name */
    uint64_t threads, events;
};

struct trace_fact { /* a scalar of the file besides its events */
    struct str key, value;
};

struct trace {
    struct json_in in;
    struct trace_process *process;
    struct trace_thread *thread;
    size_t nprocess, nthread;
    struct trace_fact *fact;
    size_t nfact;
    uint64_t damaged, damaged_at; /* events left out; the byte of the first */
    uint64_t empty;               /* {} */
    bool bare;                    /* an array of events without the object around it */
    bool unclosed;                /* ... that was not closed: allowed there */
    /* private */
    enum { TRACE_START, TRACE_TOP, TRACE_EVENTS, TRACE_END } state;
    bool first, lost,
        candidate; /* lost: looking for the next event behind a damaged one; candidate: maybe it */
    char before;
    size_t process_cap, thread_cap, fact_cap;
    struct map pids, tids;
    struct arena arena;
};

int trace_open(struct trace *t, const char *path, struct err *e);
void trace_open_inp(struct trace *t, struct inp *in); /* open already: takes it over */
int trace_next(struct trace *t, struct trace_event *ev,
               struct err *e);                   /* 1, 0 at the end, -1 after the good ones */
int trace_close(struct trace *t, struct err *e); /* -1: the stream ended badly */

/* The object text as an event; false if it is none. */
bool trace_parse(struct str text, struct trace_event *ev);
/* The thread of an event, made if it is new; ph M events are taken in by trace_learn. */
struct trace_thread *trace_thread_of(struct trace *t, const struct trace_event *ev);
/* Take the names that an M event gives. */
void trace_learn(struct trace *t, const struct trace_event *ev);
#endif
