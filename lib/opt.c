#include "opt.h"
#include "mem.h"
#include <stdio.h>

enum { CSV = OPT_LONG + 900, NO_HEADER };

const struct opt opt_common[] = {
    {'t', "table", "TABLE", "which table to write (-l lists them)"},
    {'d', "dir", "DIR", "write every table to DIR/TABLE.tsv instead"},
    {'o', "output", "FILE", "write there instead of standard output"},
    {'l', "list", NULL, "list tables and columns with types and units, and end"},
    {CSV, "csv", NULL, "write CSV (CSV on input is recognised by its header)"},
    {NO_HEADER, "no-header", NULL, "leave out the header line"},
    {'q', "quiet", NULL, "no remarks on standard error, errors only"},
    {'v', "verbose", NULL, "more remarks: what was skipped, and why"},
    {'h', "help", NULL, "this text"},
    {'V', "version", NULL, "name, version, table format version"},
    {0, NULL, NULL, NULL},
};

/* Does the option choose among tables, or how they are written? */
static bool of_tables(const struct opt *o)
{
    return o->c == 't' || o->c == 'd' || o->c == CSV || o->c == NO_HEADER;
}

/* A tool's own option hides a common one of the same name; a tool without tables has none of theirs. */
static bool hidden(const struct tool *t, const struct opt *common)
{
    if (!t->table && of_tables(common)) return true;
    for (const struct opt *o = t->opt; o && o->c; o++)
        if (!strcmp(o->name, common->name)) return true;
    return false;
}

static unsigned count(const struct opt *o)
{
    unsigned n = 0;
    while (o && o[n].c) n++;
    return n;
}

struct option *opt_getopt(const struct tool *t, const char **letters)
{
    unsigned n = count(t->opt), all = n + count(opt_common), k = 0;
    struct option *v = mem_alloc(1, (all + 1) * sizeof *v + 2 * all + 2);
    char *s = (char *)(v + all + 1);
    *letters = s;
    *s++ = '+';
    for (unsigned i = 0; i < all; i++) {
        const struct opt *o = i < n ? &t->opt[i] : &opt_common[i - n];
        if (i >= n && hidden(t, o)) continue;
        v[k++] = (struct option){o->name, o->arg ? required_argument : no_argument, NULL, o->c};
        if (o->c >= OPT_LONG) continue;
        *s++ = (char)o->c;
        if (o->arg) *s++ = ':';
    }
    return v;
}

void opt_usage(const struct tool *t, struct buf *b)
{
    buf_fmt(b, "usage: %s [OPTION ...] %s\n", t->name, t->synopsis);
}

static void help_opt(const struct opt *o, struct buf *b)
{
    char left[64];
    int n = o->c < OPT_LONG ? snprintf(left, sizeof left, "-%c, --%s", o->c, o->name)
                            : snprintf(left, sizeof left, "    --%s", o->name);
    if (o->arg && n > 0 && (size_t)n < sizeof left)
        snprintf(left + n, sizeof left - (size_t)n, " %s", o->arg);
    buf_fmt(b, "  %-24s %s\n", left, o->help);
}

void opt_help(const struct tool *t, struct buf *b)
{
    opt_usage(t, b);
    buf_fmt(b, "%s\n\nOptions:\n", t->summary);
    for (const struct opt *o = t->opt; o && o->c; o++) help_opt(o, b);
    for (const struct opt *o = opt_common; o->c; o++)
        if (!hidden(t, o)) help_opt(o, b);
    if (t->table) buf_puts(b, "\nTables (the first is the default; -l shows the columns):\n");
    for (const struct table *k = t->table; k && k->name; k++) buf_fmt(b, "  %-24s %s\n", k->name, k->help);
    if (t->example) buf_fmt(b, "\nExample:\n  %s\n", t->example);
}

void opt_list(const struct tool *t, struct buf *b)
{
    buf_puts(b, "table\tcolumn\ttype\tunit\tdescription\n");
    for (const struct table *k = t->table; k && k->name; k++)
        for (const struct column *c = k->column; c && c->name; c++)
            buf_fmt(b, "%s\t%s\t%s\t%s\t%s\n", k->name, c->name, c->type, c->unit, c->help);
}

const struct table *opt_table(const struct tool *t, const char *name)
{
    for (const struct table *k = t->table; k && k->name; k++)
        if (!strcmp(k->name, name)) return k;
    return NULL;
}
