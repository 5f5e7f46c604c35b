/* Independent records of one run that must agree: each comparison is a row with what was expected, what was
 * found and a verdict.
 *
 * A struct checks owns its rows and their texts, which are cells (encoded). */
#ifndef CHECKS_H
#define CHECKS_H
#include "launch.h"
#include "steps.h"

enum check_verdict { CHECK_HOLDS, CHECK_FAILS, CHECK_CANNOT };
struct check {
    const char *name;
    struct str scope, detail;
    int64_t expected, found; /* valid if counted */
    bool counted;
    enum check_verdict verdict;
    uint64_t count; /* of what disagrees; of a rule, what it left out */
    double share;   /* of the time or the events the check is about; NAN: not known */
};
struct checks {
    struct check *row;
    size_t n, cap;
    struct arena arena;
};
void checks_free(struct checks *c);
const char *check_word(enum check_verdict v);

/* Add a row.  check_equal: holds if found is expected; check_none: holds if count is 0 (expected 0, found
 * count). */
void check_equal(struct checks *c, const char *name, struct str scope, int64_t expected, int64_t found,
                 double share, const char *fmt, ...) __attribute__((format(printf, 7, 8)));
void check_none(struct checks *c, const char *name, struct str scope, uint64_t count, double share,
                const char *fmt, ...) __attribute__((format(printf, 6, 7)));
void check_rule(struct checks *c, const char *name, uint64_t left_out, const char *fmt, ...)
    __attribute__((format(printf, 4, 5))); /* holds, count = left_out */
void check_cannot(struct checks *c, const char *name, struct str scope, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* part / whole, NAN of nothing. */
double check_share(double part, double whole);

/* What only the capture itself can say; -1 and false where it was not given. */
struct capture_facts {
    bool given;
    int64_t window_ps;                  /* profile_stop_time - profile_start_time; -1: not told */
    uint64_t errors, warnings, dropped; /* messages; of them, that events were dropped */
    uint64_t empty_planes;
    bool planes_known;
    char first[200]; /* the first message, a cell */
    char empty[200]; /* names of the first empty planes */
};
/* A capture, or its meta table. */
int capture_facts_read(struct capture_facts *f, const char *path, struct err *e);

/* The table against itself: launches, graphs, steps, devices, budgets, order, window, clocks. */
void checks_of_events(struct checks *c, const struct events *t, const struct launches *l,
                      const struct steps *s, const struct capture_facts *f);
/* Against the trace.json of the same capture.  t was read with `tally`, and with tally_rows if the JSON is
 * capped. */
struct json_side;
void checks_of_json(struct checks *c, const struct events *t, const struct json_side *json);
/* Against XProf's exported CSV (kernel_stats, hlo_stats), of any units its header names.  On TPUs XProf
 * counts by the device's own clock: with a device_duration_ps column we do, too, without it times cannot be
 * compared. */
int checks_of_csv(struct checks *c, const struct events *t, const char *path, struct err *e);
/* Programs that ran against HLO modules; plans against themselves. */
struct programs;
void checks_of_hlo(struct checks *c, const struct events *t, struct programs *p);
int checks_of_plan(struct checks *c, const char *path, struct err *e);

/* What the capture cannot support, and what to capture to answer what is left open: from the rows above. */
struct unreliable {
    const char *statement;
    const struct check *because;
};
size_t checks_unreliable(const struct checks *c, struct unreliable **out); /* free(*out) */
struct question {
    const char *question, *capture; /* "script": capture is a line of it */
};
size_t checks_questions(const struct checks *c, const struct events *t,
                        struct question **out); /* free(*out) */
#endif
