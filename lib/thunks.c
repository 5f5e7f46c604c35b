#include "thunks.h"
#include "inp.h"
#include "num.h"
#include <dirent.h>
#include <stdlib.h>

/* ---- metadata: thunk id -> annotation ---- */

struct annotations {
    struct map64 at; /* thunk id -> index in text */
    struct str *text;
    size_t n, cap;
};

static struct str line_of(struct str *rest)
{
    const char *nl = rest->n ? memchr(rest->p, '\n', rest->n) : NULL;
    struct str line = str_n(rest->p, nl ? (size_t)(nl - rest->p) : rest->n);
    *rest = str_from(*rest, line.n + (nl != NULL));
    return line;
}

/* "name: value" with blanks around: the value, or an empty view. */
static struct str value_of(struct str line, const char *name)
{
    line = str_trim(line);
    size_t n = strlen(name);
    if (!str_starts(line, name) || line.n <= n || line.p[n] != ':') return STR("");
    line = str_trim(str_from(line, n + 1));
    if (line.n >= 2 && line.p[0] == '"' && line.p[line.n - 1] == '"') line = str_n(line.p + 1, line.n - 2);
    return line;
}

static void read_metadata(struct annotations *a, struct str text)
{
    struct str note = STR("");
    while (text.n) {
        struct str line = line_of(&text), v;
        uint64_t id;
        if (str_starts(str_trim(line), "thunk_metadata")) note = STR("");
        if ((v = value_of(line, "profile_annotation")).n) note = v;
        if (!(v = value_of(line, "thunk_id")).n || num_u64(v, &id) || !note.n) continue;
        a->text = mem_grow(a->text, &a->cap, a->n + 1, sizeof *a->text);
        map64_set(&a->at, id, a->n);
        a->text[a->n++] = note;
    }
}

/* ---- the sequence ---- */

static uint16_t launches(struct str kind)
{
    static const struct {
        const char *kind;
        uint16_t launch;
    } t[] = {{"kCustomKernel", LAUNCH_NAMED},
             {"kKernel", LAUNCH_NAMED},
             {"kCopy", LAUNCH_COPY},
             {"kDeviceToDeviceCopy", LAUNCH_COPY},
             {"kMemzero", LAUNCH_SET},
             {"kMemset32BitValue", LAUNCH_SET},
             {"kPartitionId", LAUNCH_SET},
             {"kReplicaId", LAUNCH_SET},
             {"kGemm", LAUNCH_LIBRARY},
             {"kCublasLtMatmul", LAUNCH_LIBRARY},
             {"kConvolution", LAUNCH_LIBRARY},
             {"kCuDnn", LAUNCH_LIBRARY},
             {"kFft", LAUNCH_LIBRARY},
             {"kCholesky", LAUNCH_LIBRARY},
             {"kTriangularSolve", LAUNCH_LIBRARY},
             {"kCustomCall", LAUNCH_LIBRARY},
             {"kCubSort", LAUNCH_LIBRARY},
             {"kAllGather", LAUNCH_COLLECTIVE},
             {"kAllReduce", LAUNCH_COLLECTIVE},
             {"kReduceScatter", LAUNCH_COLLECTIVE},
             {"kAllToAll", LAUNCH_COLLECTIVE},
             {"kRaggedAllToAll", LAUNCH_COLLECTIVE},
             {"kCollectivePermute", LAUNCH_COLLECTIVE},
             {"kCollectiveBroadcast", LAUNCH_COLLECTIVE},
             {"kSend", LAUNCH_COLLECTIVE},
             {"kRecv", LAUNCH_COLLECTIVE},
             {"kNcclAllGather", LAUNCH_COLLECTIVE},
             {"kNcclAllReduce", LAUNCH_COLLECTIVE},
             {"kNcclReduceScatter", LAUNCH_COLLECTIVE},
             {"kNcclAllToAll", LAUNCH_COLLECTIVE},
             {"kNcclCollectivePermute", LAUNCH_COLLECTIVE}};
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        if (str_is(kind, t[i].kind)) return t[i].launch;
    return 0;
}

static struct str word(struct str *rest, const char *stop)
{
    size_t i = 0;
    while (i < rest->n && !strchr(stop, rest->p[i])) i++;
    struct str w = str_n(rest->p, i);
    *rest = str_from(*rest, i);
    return w;
}

/* What "key=" is followed by in the line. */
static struct str assigned(struct str line, const char *key)
{
    size_t at = str_find(line, str_of(key));
    if (at == SIZE_MAX) return STR("");
    struct str v = str_from(line, at + strlen(key));
    return word(&v, ", \t");
}

/* A kernel's name: "kernel=NAME", else the first word behind kind and "[prev | next]". */
static struct str kernel_in(struct str line, struct str rest)
{
    struct str k = assigned(line, "kernel=");
    if (k.n) return k;
    rest = str_trim(rest);
    if (rest.n && rest.p[0] == '[') {
        word(&rest, "]");
        rest = str_trim(str_from(rest, 1));
    }
    return word(&rest, " \t,");
}

struct fusion { /* a dynamic-slice fusion: what is indented below it is its own */
    size_t indent;
    struct str instr;
    bool open;
};

/* "003: kCustomKernel [prev=002 (1) | next=004 (1)] sort_4_1__1 grid: ..." */
static void read_line(struct thunk_list *t, const struct annotations *a, struct str line, struct fusion *f)
{
    struct str rest = str_trim(line);
    size_t indent = (size_t)(rest.p - line.p);
    uint64_t id, at;
    struct str number = word(&rest, ": \t");
    if (num_u64(number, &id) || !rest.n || rest.p[0] != ':') return;
    rest = str_trim(str_from(rest, 1));
    struct str kind = word(&rest, " \t");
    struct str instr = assigned(line, "profile_annotation=");
    if (!instr.n && map64_get(&a->at, id, &at)) instr = a->text[at];
    if (f->open && indent > f->indent)
        instr = f->instr;
    else
        f->open = false;
    if (str_is(kind, "kDynamicSliceFusion") || str_is(kind, "kDynamicSlice"))
        *f = (struct fusion){indent, instr, true};
    uint16_t launch = launches(kind);
    if (!launch || !instr.n) return;
    t->thunk = mem_grow(t->thunk, &t->cap, t->n + 1, sizeof *t->thunk);
    t->thunk[t->n++] =
        (struct thunk){instr, launch == LAUNCH_NAMED ? kernel_in(line, rest) : STR(""), launch};
}

void thunks_read(struct thunk_list *t, struct str file, struct str sequence, struct str metadata)
{
    struct annotations a = {0};
    struct fusion f = {0};
    *t = (struct thunk_list){0};
    t->file = str_n(arena_copy(&t->arena, file.p, file.n), file.n);
    read_metadata(&a, str_n(arena_copy(&t->arena, metadata.p, metadata.n), metadata.n));
    struct str text = str_n(arena_copy(&t->arena, sequence.p, sequence.n), sequence.n);
    while (text.n) read_line(t, &a, line_of(&text), &f);
    map64_free(&a.at);
    free(a.text);
}

void thunks_free(struct thunk_list *t)
{
    free(t->thunk);
    arena_free(&t->arena);
    *t = (struct thunk_list){0};
}

/* ---- a folder ---- */

static int read_file(const char *dir, struct str name, struct buf *b, struct err *e)
{
    struct inp in;
    struct buf path = {0};
    b->n = 0;
    buf_fmt(&path, "%s/%.*s", dir, (int)name.n, name.p);
    int r = inp_open(&in, buf_cstr(&path), e);
    if (!r && !(r = inp_whole(&in, e))) {
        buf_put(b, in.data, in.size);
        r = inp_close(&in, e);
    }
    buf_free(&path);
    return r;
}

#define AFTER    "thunk_sequence_after_thunk_passes.txt"
#define BEFORE   "thunk_sequence.txt"
#define METADATA "thunk_metadata.txt"

static int load_module(struct thunk_lists *l, const char *dir, const struct map *names, struct str prefix,
                       struct err *e)
{
    struct buf name = {0}, sequence = {0}, metadata = {0};
    struct err ignored = {0};
    buf_str(&name, prefix);
    buf_puts(&name, AFTER);
    if (map_get(names, buf_view(&name)) == MAP_NONE) name.n = prefix.n, buf_puts(&name, BEFORE);
    int r = read_file(dir, buf_view(&name), &sequence, e);
    name.n = prefix.n;
    buf_puts(&name, METADATA);
    if (map_get(names, buf_view(&name)) != MAP_NONE) read_file(dir, buf_view(&name), &metadata, &ignored);
    if (!r) {
        l->list = mem_grow(l->list, &l->cap, l->n + 1, sizeof *l->list);
        thunks_read(&l->list[l->n++], prefix, buf_view(&sequence), buf_view(&metadata));
    }
    buf_free(&name);
    buf_free(&sequence);
    buf_free(&metadata);
    return r;
}

int thunks_load(struct thunk_lists *l, const char *dir, struct err *e)
{
    DIR *d = opendir(dir);
    struct map names = {0}, prefix = {0};
    size_t before = l->n;
    int r = 0;
    if (!d) return err_set(e, dir, "no such folder, or it cannot be read");
    for (struct dirent *f; (f = readdir(d));) {
        struct str s = str_of(f->d_name);
        map_put(&names, s, NULL);
        if (str_ends(s, AFTER)) map_put(&prefix, str_n(s.p, s.n - (sizeof AFTER - 1)), NULL);
        if (str_ends(s, BEFORE)) map_put(&prefix, str_n(s.p, s.n - (sizeof BEFORE - 1)), NULL);
    }
    closedir(d);
    for (uint32_t k = 0; k < prefix.count && !r; k++) r = load_module(l, dir, &names, prefix.key[k], e);
    if (!r && l->n == before) r = err_set(e, dir, "no *thunk_sequence*.txt in this folder");
    map_free(&names);
    map_free(&prefix);
    return r;
}

void thunk_lists_free(struct thunk_lists *l)
{
    for (size_t k = 0; k < l->n; k++) thunks_free(&l->list[k]);
    free(l->list);
    *l = (struct thunk_lists){0};
}

/* ---- into a schedule ---- */

const struct thunk_list *thunks_of(const struct thunk_lists *l, const struct hlo_module *m)
{
    const struct thunk_list *best = NULL;
    size_t most = 0;
    for (size_t k = 0; k < l->n; k++) {
        const struct thunk_list *t = &l->list[k];
        size_t n = 0;
        for (size_t i = 0; i < t->n; i++) n += hlo_find(m, t->thunk[i].instr) != HLO_NONE;
        if (n <= most || n * 10 < t->n * 9) continue;
        most = n;
        best = t;
    }
    return best;
}

static void apply_one(struct schedule *s, struct sched_node *n, const struct thunk *k, bool first)
{
    struct str kernel = k->kernel, base;
    uint32_t number;
    if (first) {
        n->launch &= LAUNCH_PREDICATE;
        n->copies = 0;
        n->listed = true;
        n->twin = MAP_NONE;
    }
    if (k->launch == LAUNCH_NAMED && n->launch & LAUNCH_NAMED) { /* a further kernel: stages of the first */
        n->launch |= LAUNCH_STAGES;
        return;
    }
    if (k->launch == LAUNCH_NAMED) {
        n->name = map_put(&s->names, kernel, NULL);
        if (n->launch & LAUNCH_COPY) n->launch = LAUNCH_STAGES; /* copies of operands come before it */
        if (kernel_suffix(kernel, &base, &number) && number == 0) n->launch |= LAUNCH_STAGES;
    }
    if (k->launch == LAUNCH_COPY && n->copies < 255) n->copies++;
    n->launch |= k->launch;
}

void thunks_apply(const struct thunk_list *t, struct schedule *s)
{
    bool *listed = mem_alloc((size_t)s->m->ninstr + 1, sizeof *listed);
    for (uint32_t k = 0; k < s->nnode; k++) /* what is not on the list launches nothing */
        if (s->node[k].instr != HLO_NONE && !(s->node[k].launch & LAUNCH_PREDICATE))
            s->node[k].launch |= LAUNCH_PERHAPS;
    for (size_t i = 0; i < t->n; i++) {
        uint32_t instr = hlo_find(s->m, t->thunk[i].instr);
        if (instr == HLO_NONE) continue;
        for (uint32_t j = s->instr_first[instr]; j < s->instr_first[instr + 1]; j++)
            apply_one(s, &s->node[s->instr_node[j]], &t->thunk[i], !listed[instr]);
        listed[instr] = true;
    }
    free(listed);
}
