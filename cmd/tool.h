/* What every command shares: common options, messages, where tables go, the end.
 *
 * main() of a command: tool_start, a loop over tool_option, tool_sink for each table it writes, tool_end. */
#ifndef TOOL_H
#define TOOL_H
#include "err.h"
#include "opt.h"
#include "tsv.h"

struct sink { /* one table on its way out */
    const struct table *table;
    struct out out;
    struct tab tab;
    char *path, *temp; /* -d: renamed from temp to path at the end */
    bool on;
};

struct run {
    const struct tool *tool;
    const struct table *table; /* -t, or the first; NULL: there are none */
    const char *dir, *output;  /* -d, -o */
    const char *arg;           /* the current option's argument */
    bool csv, header, quiet, verbose;
    int status; /* worst so far: 0, 1, 2 */
    char **operand;
    int noperand;
    struct option *longopt;
    const char *letters;
    struct sink *sink;
    int nsink;
};

void tool_start(struct run *r, const struct tool *t);
/* The next of the tool's own options (its c), r->arg set; -1 after the last, operands set.  Common ones are
 * done here:
 * --help, --version and -l print and exit. */
int tool_option(struct run *r, int argc, char **argv);
_Noreturn void tool_usage(const struct run *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The table by name: NULL if it was not asked for (neither -t nor -d), else the writer with its header
 * written. A table that appends takes the input's header (an encoded row), else an empty str. */
struct tab *tool_sink(struct run *r, const char *table, struct str input_header);
/* Where a tool writes that makes no table: standard output, or -o's file. */
struct out *tool_out(struct run *r);
bool tool_wants(const struct run *r, const char *table); /* would tool_sink give one? */

uint64_t tool_rows(const struct run *r, const char *table); /* written so far */

void tool_note(const struct run *r, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));          /* unless -q */
void tool_warn(struct run *r, const struct err *e); /* print; status becomes 2 */
_Noreturn void tool_die(struct run *r,
                        const struct err *e); /* print what is written so far and the error, exit 2 */
int tool_end(struct run *r);                  /* flush, rename, report; returns the exit status */
#endif
