/* A plan's file and what XLA dumps beside it. */
#include "plan_read.h"
#include "take.h"
#include <stdlib.h>
#include <unistd.h>

static const char stem_end[] = "-buffer-assignment.txt";

/* The path with its ending replaced: another dump of the same stage of the same module.  "": none is there.
 */
static bool beside(const char *path, size_t stem, const char *ending, struct buf *to)
{
    static const char *const packed[] = {"", ".gz"};
    for (size_t i = 0; i < 2; i++) {
        to->n = 0;
        buf_put(to, path, stem);
        buf_fmt(to, "%s%s", ending, packed[i]);
        if (!access(buf_cstr(to), R_OK)) return true;
    }
    return false;
}

static struct str base(struct str path)
{
    size_t slash = str_rfind(path, '/');
    return slash == SIZE_MAX ? path : str_from(path, slash + 1);
}

/* "module_0001.jit_f.cpu_after_optimizations" (also behind a time stamp): jit_f. */
static struct str module_of(struct str stem)
{
    size_t at;
    stem = base(stem);
    if ((at = str_find(stem, STR("module_"))) == SIZE_MAX) return str_n(NULL, 0);
    stem = str_from(stem, at + strlen("module_"));
    int64_t id;
    if (!take_nat(&stem, &id) || !take_lit(&stem, ".")) return str_n(NULL, 0);
    at = str_rfind(stem, '.');
    while (at != SIZE_MAX && !str_has(str_from(stem, at), "after_optimizations") &&
           !str_has(str_from(stem, at), "before_optimizations"))
        at = str_rfind(str_n(stem.p, at), '.');
    if (at == SIZE_MAX) return str_n(NULL, 0);
    struct str name = str_n(stem.p, at), version;
    at = str_rfind(name,
                   '.'); /* stages with a dot: sm_9.0a_gpu_after_optimizations, cl_123.after_optimizations */
    if (at == SIZE_MAX) return name;
    version = str_from(name, at + 1);
    if (!take_lit(&version, "sm_") && !take_lit(&version, "cl_")) return name;
    return take_nat(&version, &id) && !version.n ? str_n(name.p, at) : name;
}

/* The name behind "HloModule " in the first bytes of the program's own text. */
static void module_in(const char *path, struct buf *name)
{
    struct inp in;
    struct err e = {0};
    char head[4096];
    size_t n = 0, got;
    if (inp_open(&in, path, &e)) return;
    while (n < sizeof head && inp_read(&in, head + n, sizeof head - n, &got, &e) > 0) n += got;
    struct str s = str_n(head, n);
    if (take_lit(&s, "HloModule ")) {
        size_t end = 0;
        while (end < s.n && !memchr(", \n\r", s.p[end], 4)) end++;
        buf_put(name, s.p, end);
    }
    inp_close(&in, &e);
}

struct named {
    struct str module;
    plan_on *on_plan;
    void *ctx;
};

static int name_it(struct plan *p, void *ctx)
{
    const struct named *n = ctx;
    if (p->source == PLAN_FROM_TEXT && !p->module.n && n->module.n)
        p->module = str_n(arena_copy(&p->arena, n->module.p, n->module.n), n->module.n);
    return n->on_plan(p, n->ctx);
}

static int open_whole(struct inp *in, const char *path, struct err *e)
{
    if (inp_open(in, path, e)) return -1;
    if (!inp_whole(in, e)) return 0;
    inp_close(in, e);
    return -1;
}

int plan_read_path(const char *path, plan_on *on_plan, void *ctx, struct err *e)
{
    static const char *const ending[] = {"-live-range.txt", "-buffer-assignment-values.txt"};
    struct str whole = str_of(path);
    struct inp in, more[2];
    struct buf other[2] = {{0}}, name = {0}, program = {0};
    struct named named = {{0}, on_plan, ctx};
    size_t nmore = 0;
    if (str_ends(whole, ".gz")) whole.n -= 3;
    bool dump = str_ends(whole, stem_end);
    size_t stem = whole.n - (dump ? sizeof stem_end - 1 : 0);
    if (open_whole(&in, path, e)) return -1;
    for (size_t i = 0; dump && i < 2; i++)
        if (beside(path, stem, ending[i], &other[nmore]) && !open_whole(&more[nmore], other[nmore].p, e))
            nmore++;
    if (dump && beside(path, stem, ".txt", &program)) module_in(program.p, &name);
    named.module = buf_view(&name);
    if (dump && !named.module.n) named.module = module_of(str_n(path, stem));
    if (dump && !named.module.n) named.module = base(str_n(path, stem));
    int r = plan_read(&in, more, nmore, name_it, &named, e);
    for (size_t i = 0; i < nmore; i++)
        if (inp_close(&more[i], e)) r = -1;
    if (inp_close(&in, e)) r = -1;
    for (size_t i = 0; i < 2; i++) buf_free(&other[i]);
    buf_free(&name);
    buf_free(&program);
    return r;
}
