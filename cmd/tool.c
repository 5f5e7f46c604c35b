#include "tool.h"
#include "mem.h"
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef VERSION
#define VERSION "0"
#endif
#define TABLE_FORMAT "1"

_Noreturn void mem_oom(size_t wanted)
{
    fprintf(stderr, "out of memory (%zu bytes wanted)\n", wanted);
    exit(2);
}

static const struct opt *common(const char *name)
{
    for (const struct opt *o = opt_common; o->c; o++)
        if (!strcmp(o->name, name)) return o;
    return NULL;
}

void tool_start(struct run *r, const struct tool *t)
{
    *r = (struct run){.tool = t, .table = t->table, .header = true};
    r->longopt = opt_getopt(t, &r->letters);
    for (int fd = 0; fd < 3; fd++) /* a closed descriptor must not be reused for a file of ours */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd) _exit(2);
    opterr = 0;
}

_Noreturn void tool_usage(const struct run *r, const char *fmt, ...)
{
    struct buf b = {0};
    va_list ap;
    fprintf(stderr, "%s: ", r->tool->name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    opt_usage(r->tool, &b);
    fprintf(stderr, "\n%.*s", (int)b.n, b.p);
    exit(2);
}

static _Noreturn void print_and_exit(const struct buf *b)
{
    struct out o;
    struct err e = {0};
    out_init(&o, 1, "<stdout>");
    out_put(&o, b->p, b->n);
    if (!out_close(&o, &e)) exit(0);
    fprintf(stderr, "%s\n", e.text);
    exit(2);
}

static bool common_option(struct run *r, int c)
{
    struct buf b = {0};
    switch (c) {
    case 't':
        r->table = opt_table(r->tool, optarg);
        if (!r->table) tool_usage(r, "no table \"%s\" (-l lists them)", optarg);
        return true;
    case 'd': r->dir = optarg; return true;
    case 'o': r->output = optarg; return true;
    case 'q': r->quiet = true; return true;
    case 'v': r->verbose = true; return true;
    case 'l': opt_list(r->tool, &b); print_and_exit(&b);
    case 'h': opt_help(r->tool, &b); print_and_exit(&b);
    case 'V':
        buf_fmt(&b, "%s %s (table format %s)\n", r->tool->name, VERSION, TABLE_FORMAT);
        print_and_exit(&b);
    default: break;
    }
    if (c == common("csv")->c) return r->csv = true;
    if (c == common("no-header")->c) return r->header = false, true;
    return false;
}

static bool own_option(const struct tool *t, int c)
{
    for (const struct opt *o = t->opt; o && o->c; o++)
        if (o->c == c) return true;
    return false;
}

int tool_option(struct run *r, int argc, char **argv)
{
    for (;;) {
        int at = optind, c = getopt_long(argc, argv, r->letters, r->longopt, NULL);
        r->arg = optarg;
        if (c == -1) break;
        if (c == '?' || c == ':')
            tool_usage(r, "option %s: unknown, or its argument is missing", argv[at < argc ? at : argc - 1]);
        if (own_option(r->tool, c)) return c;
        common_option(r, c);
    }
    for (int i = optind; i < argc && strcmp(argv[optind - 1], "--"); i++)
        if (argv[i][0] == '-' && argv[i][1]) tool_usage(r, "%s: options come before files", argv[i]);
    r->operand = argv + optind;
    r->noperand = argc - optind;
    return -1;
}

bool tool_wants(const struct run *r, const char *table) { return r->dir || !strcmp(r->table->name, table); }

uint64_t tool_rows(const struct run *r, const char *table)
{
    for (int i = 0; i < r->nsink; i++)
        if (!strcmp(r->sink[i].table->name, table)) return r->sink[i].tab.rows;
    return 0;
}

static void put_header(const struct run *r, struct sink *s, struct str input_header)
{
    if (!r->header) return;
    if (s->table->appends && input_header.n) tab_cells(&s->tab, input_header);
    for (const struct column *c = s->table->column; c->name; c++) tab_texts(&s->tab, c->name);
    tab_end(&s->tab);
    s->tab.rows = 0;
}

static int open_sink(struct run *r, struct sink *s)
{
    struct buf b = {0};
    const char *path = r->output;
    if (r->dir) {
        if (mkdir(r->dir, 0777) && errno != EEXIST) return -1;
        buf_fmt(&b, "%s/%s.%s", r->dir, s->table->name, r->csv ? "csv" : "tsv");
        path = buf_cstr(&b);
    }
    if (!path) return dup(1);
    s->path = strdup(path);
    s->temp = mem_alloc(1, strlen(path) + 32);
    sprintf(s->temp, "%s.%ld.tmp", path, (long)getpid());
    buf_free(&b);
    return open(s->temp, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* The next sink, open. */
static struct sink *add_sink(struct run *r, const struct table *t)
{
    if (!r->sink) { /* all at once: pointers into it stay good */
        int n = 1;
        while (t && r->tool->table[n - 1].name) n++;
        r->sink = mem_alloc((size_t)n, sizeof *r->sink);
    }
    struct sink *s = &r->sink[r->nsink++];
    s->table = t;
    s->on = true;
    int fd = open_sink(r, s);
    if (fd < 0) {
        struct err e = {0};
        err_set(&e, s->path ? s->path : r->dir, "%s", strerror(errno));
        s->on = false;
        tool_die(r, &e);
    }
    out_init(&s->out, fd, s->path ? s->path : "<stdout>");
    return s;
}

struct out *tool_out(struct run *r) { return r->nsink ? &r->sink[0].out : &add_sink(r, NULL)->out; }

struct tab *tool_sink(struct run *r, const char *table, struct str input_header)
{
    const struct table *t = opt_table(r->tool, table);
    if (!tool_wants(r, table)) return NULL;
    for (int i = 0; i < r->nsink; i++)
        if (r->sink[i].table == t) return &r->sink[i].tab;
    struct sink *s = add_sink(r, t);
    tab_init(&s->tab, &s->out, r->csv);
    put_header(r, s, input_header);
    return &s->tab;
}

void tool_note(const struct run *r, const char *fmt, ...)
{
    va_list ap;
    if (r->quiet) return;
    fprintf(stderr, "%s: ", r->tool->name);
    va_start(ap, fmt);
    vfprintf(stderr, fmt, ap);
    va_end(ap);
    fputc('\n', stderr);
}

void tool_warn(struct run *r, const struct err *e)
{
    struct buf b = {0};
    err_format(e, r->tool->name, &b);
    fprintf(stderr, "%.*s\n", (int)b.n, b.p);
    buf_free(&b);
    r->status = 2;
}

_Noreturn void tool_die(struct run *r, const struct err *e)
{
    for (int i = 0; i < r->nsink; i++)
        if (r->sink[i].on)
            out_flush(&r->sink[i].out); /* what came before the fault comes out before its message */
    tool_warn(r, e);
    exit(tool_end(r));
}

/* A file that is only half good is removed: make must never see it. */
static void close_sink(struct run *r, struct sink *s)
{
    struct err e = {0};
    tab_free(&s->tab);
    if (out_close(&s->out, &e)) {
        if (s->out.error != EPIPE) tool_warn(r, &e);
        r->status = 2;
    }
    if (!s->path) return;
    bool good = r->status < 2;
    if (good && rename(s->temp, s->path)) {
        err_set(&e, s->path, "%s", strerror(errno));
        tool_warn(r, &e);
    }
    if (!good) unlink(s->temp);
    free(s->path);
    free(s->temp);
}

int tool_end(struct run *r)
{
    for (int i = 0; i < r->nsink; i++)
        if (r->sink[i].on) close_sink(r, &r->sink[i]);
    free(r->sink);
    free(r->longopt);
    r->nsink = 0;
    r->sink = NULL;
    r->longopt = NULL;
    return r->status;
}
