/* Which dump files belong to which layer: a snapshot of the folders before a compile, the difference after
 * it, copied to a folder of the layer's own.
 *
 * Folders are read in, a table comes out; held in memory is one record for each file. */
#include "snap_book.h"
#include "tool.h"
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "num.h"

enum { LAYER = 'L', COPY = 'C', SETTLE = 'S', LOOKS = 10 };
static const struct opt options[] = {
    {LAYER, "layer", "NAME", "diff: what was compiled since the snapshot"},
    {COPY, "copy", "OUT", "diff: copy to OUT/NAME/ROOT_dump/, add a row per file to OUT/manifest.tsv"},
    {SETTLE, "settle", "MS", "diff: wait until files are MS milliseconds old, 10 times at most (200)"},
    {0}};
static const struct table tables[] = {{"file", "a file of a dump folder", snap_columns, false}, {0}};
static const struct tool tool = {
    .name = "dumpsnap",
    .synopsis = "save ROOT=FOLDER ... | diff [OPTION ...] SNAPSHOT",
    .summary =
        "Tell the dumps of one compile from those of the others in the same folders: save lists what is\n"
        "there, diff what is new or changed since, and copies it.  The folders are only read.",
    .example = "dumpsnap save hlo=/d/hlo llo=/d/llo >s.tsv; python layer1.py; "
               "dumpsnap diff --layer layer1 --copy out s.tsv",
    .opt = options,
    .table = tables,
};

struct work {
    struct run *run;
    struct tab *tab;
    struct snap_root *root;
    size_t nroot;
    uint64_t rows;
};

static bool is_name(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!isalnum((unsigned char)s.p[i]) && !memchr("_.-+@=,:()[]", s.p[i], 12)) return false;
    return s.n && s.p[0] != '.' && s.p[0] != '-';
}

static void passed_over(const struct run *r, const struct snap_root *s)
{
    if (s->links + s->special + s->deep)
        tool_note(r, "%s: passed over: %llu symbolic links, %llu that are no files, %llu folders too deep",
                  s->folder, (unsigned long long)s->links, (unsigned long long)s->special,
                  (unsigned long long)s->deep);
}

/* ---- save ---- */

static void save_root(struct work *w, const char *operand)
{
    const char *eq = strchr(operand, '=');
    struct snap_root r = {.name = str_n(operand, eq ? (size_t)(eq - operand) : 0)};
    struct err e = {0};
    if (!is_name(r.name)) tool_usage(w->run, "\"%s\" is not ROOT=FOLDER", operand);
    const char *path = operand + r.name.n + 1;
    char *folder = realpath(path, NULL);
    if (!folder) {
        err_set(&e, path, "%s", strerror(errno));
        tool_die(w->run, &e);
    }
    r.folder = folder;
    if (snap_walk(&r, &e)) tool_warn(w->run, &e);
    tab_none(w->tab);
    tab_text(w->tab, r.name);
    for (int i = 0; i < 4; i++) tab_none(w->tab);
    tab_texts(w->tab, "root");
    tab_texts(w->tab, folder);
    tab_end(w->tab);
    for (size_t i = 0; i < r.nfile; i++) {
        struct err bad = {0};
        if (snap_take(&r, &r.file[i], NULL, &bad)) tool_warn(w->run, &bad);
        snap_put(w->tab, STR(""), &r, &r.file[i], "seen");
        tab_none(w->tab);
        tab_end(w->tab);
    }
    passed_over(w->run, &r);
    snap_root_free(&r);
    free(folder);
}

/* ---- diff ---- */

struct diff {
    struct work w;
    struct snap_book before, done; /* the snapshot, the manifest */
    const char *name, *out;        /* --layer, --copy */
    struct buf layer;              /* the name, or NAME.2 ... */
    uint64_t settle_ms;
    struct buf path; /* of the manifest */
    struct out file;
    struct tab manifest;
};

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static bool recent(const struct diff *d, const struct snap_file *f)
{
    int64_t age = now_ns() - f->mtime_ns;
    return age >= 0 && (uint64_t)age < d->settle_ms * 1000000;
}

static bool any_recent(const struct diff *d)
{
    for (size_t i = 0; i < d->w.nroot; i++)
        for (size_t k = 0; k < d->w.root[i].nfile; k++) {
            const struct snap_root *r = &d->w.root[i];
            const struct snap_seen *s = snap_book_find(&d->before, r->name, r->file[k].file);
            bool same = s && s->size == r->file[k].size && s->mtime_ns == r->file[k].mtime_ns;
            if (!same && recent(d, &r->file[k])) return true;
        }
    return false;
}

static void walk_all(struct diff *d)
{
    for (size_t i = 0; i < d->w.nroot; i++) {
        struct snap_root *r = &d->w.root[i], again = {.name = r->name, .folder = r->folder};
        struct err e = {0};
        snap_root_free(r);
        if (snap_walk(&again, &e)) tool_warn(d->w.run, &e);
        *r = again;
    }
}

/* Look until nothing that differs from the snapshot is younger than the time to settle. */
static void settle(struct diff *d)
{
    walk_all(d);
    for (int look = 0; look < LOOKS && any_recent(d); look++) {
        struct timespec t = {(time_t)(d->settle_ms / 1000), (long)(d->settle_ms % 1000) * 1000000};
        nanosleep(&t, NULL);
        walk_all(d);
    }
}

static void put_row(struct diff *d, const struct snap_root *r, const struct snap_file *f, const char *why)
{
    snap_put(d->w.tab, buf_view(&d->layer), r, f, why);
    tab_texts(d->w.tab, r->folder);
    tab_end(d->w.tab);
    d->w.rows++;
    if (!d->out) return;
    snap_put(&d->manifest, buf_view(&d->layer), r, f, why);
    tab_end(&d->manifest);
}

static void one_file(struct diff *d, struct snap_root *r, struct snap_file *f)
{
    struct err e = {0};
    struct buf to = {0};
    if (snap_look(r, f) < 0) return; /* gone since */
    bool moving = recent(d, f);
    if (snap_take(r, f, NULL, &e)) tool_warn(d->w.run, &e);
    moving |= f->moving;
    const char *why = snap_state(&d->before, &d->done, r, f);
    if (why && d->out && f->digest[0]) {
        buf_fmt(&to, "%s/%s/%.*s_dump/%s", d->out, buf_cstr(&d->layer), (int)r->name.n, r->name.p, f->file.p);
        if (snap_take(r, f, buf_cstr(&to), &e)) tool_warn(d->w.run, &e);
        moving |= f->moving;
    }
    if (why) put_row(d, r, f, moving ? "writing" : why);
    buf_free(&to);
}

/* A layer's name that is taken becomes NAME.2, NAME.3 ... */
static void name_layer(struct diff *d)
{
    struct buf path = {0};
    struct stat st;
    buf_puts(&d->layer, d->name);
    for (unsigned k = 2; d->out; k++) {
        path.n = 0;
        buf_fmt(&path, "%s/%s", d->out, buf_cstr(&d->layer));
        if (map_get(&d->done.layer, buf_view(&d->layer)) == MAP_NONE && lstat(buf_cstr(&path), &st)) break;
        d->layer.n = 0;
        buf_fmt(&d->layer, "%s.%u", d->name, k);
    }
    if (!str_is(buf_view(&d->layer), d->name))
        tool_note(d->w.run, "layer %s is there already: this one is %s", d->name, buf_cstr(&d->layer));
    buf_free(&path);
}

/* The manifest, locked until the end, what it says so far read, its header written if it is new. */
static int open_manifest(struct diff *d, struct err *e)
{
    struct stat st;
    buf_fmt(&d->path, "%s/manifest.tsv", d->out);
    if (snap_folders(buf_cstr(&d->path))) return err_set(e, d->out, "%s", strerror(errno));
    int fd = open(buf_cstr(&d->path), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0 || flock(fd, LOCK_EX) || fstat(fd, &st)) return err_set(e, d->path.p, "%s", strerror(errno));
    out_init(&d->file, fd, d->path.p);
    tab_init(&d->manifest, &d->file, false);
    if (st.st_size) return snap_book_read(&d->done, d->path.p, e);
    for (const struct column *c = manifest_columns; c->name; c++) tab_texts(&d->manifest, c->name);
    tab_end(&d->manifest);
    return 0;
}

static void open_roots(struct diff *d)
{
    struct err e = {0};
    struct work *w = &d->w;
    w->root = mem_alloc(d->before.root.count, sizeof *w->root);
    for (uint32_t k = 0; k < d->before.root.count; k++) {
        struct snap_root *r = &w->root[w->nroot];
        *r = (struct snap_root){.name = d->before.root.key[k], .folder = d->before.folder[k].p};
        if (!r->folder || !is_name(r->name)) {
            err_set(&e, NULL, "the snapshot does not say where root \"%.*s\" is", (int)r->name.n, r->name.p);
            tool_die(w->run, &e);
        }
        if (d->out && snap_inside(r, d->out)) {
            err_set(&e, d->out, "lies in %s, which is only to be read", r->folder);
            tool_die(w->run, &e);
        }
        w->nroot++;
    }
}

static void difference(struct diff *d, const char *snapshot)
{
    struct err e = {0};
    struct work *w = &d->w;
    if (snap_book_read(&d->before, snapshot, &e)) tool_die(w->run, &e);
    open_roots(d);
    if (d->out && open_manifest(d, &e)) tool_die(w->run, &e);
    name_layer(d);
    settle(d);
    for (size_t i = 0; i < w->nroot; i++) {
        for (size_t k = 0; k < w->root[i].nfile; k++) one_file(d, &w->root[i], &w->root[i].file[k]);
        passed_over(w->run, &w->root[i]);
    }
    if (!w->rows && w->run->status < 2) tool_note(w->run, "nothing is new or changed since the snapshot");
    tab_free(&d->manifest);
    if (d->out && out_close(&d->file, &e)) tool_warn(w->run, &e);
    for (size_t i = 0; i < w->nroot; i++) snap_root_free(&w->root[i]);
    free(w->root);
    snap_book_free(&d->before);
    snap_book_free(&d->done);
    buf_free(&d->layer);
    buf_free(&d->path);
}

int main(int argc, char **argv)
{
    struct run r;
    struct diff d = {.w.run = &r, .settle_ms = 200, .name = ""};
    const char *verb = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
    bool save;
    int c;
    tool_start(&r, &tool);
    if (*verb) argc--, argv++; /* the word stands before the options */
    while ((c = tool_option(&r, argc, argv)) >= 0) {
        if (c == LAYER) d.name = r.arg;
        if (c == COPY) d.out = r.arg;
        if (c == SETTLE && (num_u64(str_of(r.arg), &d.settle_ms) || d.settle_ms > 3600000))
            tool_usage(&r, "--settle %s: milliseconds, at most an hour", r.arg);
    }
    if (!*verb && r.noperand) verb = *r.operand++, r.noperand--;
    save = !strcmp(verb, "save");
    if (!save && strcmp(verb, "diff")) tool_usage(&r, "save or diff?");
    if (!save && r.noperand != 1) tool_usage(&r, "diff takes one snapshot");
    if (save && !r.noperand) tool_usage(&r, "save takes folders, as hlo=FOLDER");
    if (d.out && !*d.name) tool_usage(&r, "--copy needs --layer");
    if (*d.name && !is_name(str_of(d.name))) tool_usage(&r, "--layer %s: not a name for a folder", d.name);
    d.w.tab = tool_sink(&r, "file", STR(""));
    for (int i = 0; save && i < r.noperand; i++) save_root(&d.w, r.operand[i]);
    if (!save) difference(&d, r.operand[0]);
    return tool_end(&r);
}
