/* Options and tables of a command, described once: getopt_long, --help, -l, completions and the check of the
 * man pages all come from here. */
#ifndef OPT_H
#define OPT_H
#include "buf.h"
#include <getopt.h>

enum { OPT_LONG = 256 }; /* values from here on: long option only */

struct opt {
    int c;            /* letter, or OPT_LONG + n; 0 ends a list */
    const char *name; /* long name */
    const char *arg;  /* name of the argument, NULL: none */
    const char *help; /* one line */
};

struct column {
    const char *name, *type, *unit,
        *help; /* type: text int float bool enum; unit: "-" or ps bytes ... ; name NULL ends */
};

struct table {
    const char *name;            /* NULL ends a list */
    const char *help;            /* one line: what a row is */
    const struct column *column; /* those that this tool writes (a filter: those that it appends) */
    bool appends;                /* the input's columns come first */
};

struct tool {
    const char *name;
    const char *synopsis; /* operands: "[FILE ...]" */
    const char *summary;  /* what goes in, what comes out: a few lines */
    const char *example;
    const struct opt *opt;     /* its own, besides opt_common */
    const struct table *table; /* the first is the default; NULL: it writes something else (tool_out) */
};

extern const struct opt opt_common[]; /* -t -d -o -l --csv --no-header -q -v -h -V */

/* getopt_long's arguments for a tool, in one block to free(); *letters points into it.  Operands end the
 * options. */
struct option *opt_getopt(const struct tool *t, const char **letters);
void opt_help(const struct tool *t, struct buf *b);
void opt_list(const struct tool *t, struct buf *b);  /* TSV: table column type unit description */
void opt_usage(const struct tool *t, struct buf *b); /* one line */
const struct table *opt_table(const struct tool *t, const char *name); /* NULL: unknown */
#endif
