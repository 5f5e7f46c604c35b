#include "programs.h"
#include "hlo_dump.h"
#include "kind.h"
#include "num.h"
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

/* ---- reading ---- */

struct loading {
    struct programs *p;
    const char *path;
    bool capture;
};

void programs_add(struct programs *p, struct hlo_module *m, bool capture)
{
    p->module = mem_grow(p->module, &p->module_cap, p->nmodule + 1, sizeof *p->module);
    p->module[p->nmodule++] = (struct loaded){m, capture, m->has_id, m->program_id};
}

static int keep_module(struct hlo_module *m, void *ctx)
{
    struct loading *l = ctx;
    programs_add(l->p, m, l->capture);
    struct loaded *to = &l->p->module[l->p->nmodule - 1];
    if (!to->has_id) to->has_id = !num_u64(hlo_dump_name(str_of(l->path)).module_id, &to->id);
    return 0;
}

static bool holds_hlo(enum kind k)
{
    return k == KIND_HLO_TEXT || k == KIND_HLO_PROTO || k == KIND_HLO_MODULE || k == KIND_XPLANE;
}

/* picky: skip files that hold no HLO. */
static int load_file(struct programs *p, const char *path, bool picky, struct err *e)
{
    struct inp *in = mem_alloc(1, sizeof *in);
    if (inp_open(in, arena_copy(&p->arena, path, strlen(path)), e)) return free(in), -1;
    if (inp_whole(in, e)) return free(in), -1;
    p->input = mem_grow(p->input, &p->input_cap, p->ninput + 1, sizeof *p->input);
    p->input[p->ninput++] = in;
    enum kind k = kind_of(in->data, in->size);
    if (picky && !holds_hlo(k)) return 0;
    if (k == KIND_TABLE)
        return err_set(e, in->name,
                       "a table is not enough here: give the HLO itself (text, proto, capture, dump folder)");
    struct loading l = {p, path, k == KIND_XPLANE};
    size_t before = p->nmodule;
    int r = hlo_read(in, keep_module, &l, e);
    if (!r || k != KIND_XPLANE || p->nmodule > before || e->unit != ERR_NOWHERE) return r;
    *e = (struct err){0}; /* a sound capture without HLO: what it does name is still worth a table */
    p->bare = in->name;
    return 0;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static bool optimized(const char *name)
{
    struct str s = str_of(name);
    return str_has(s, "after_optimizations.") || str_ends(s, ".hlo_proto.pb") || str_ends(s, ".xplane.pb");
}

static int load_folder(struct programs *p, const char *path, struct err *e)
{
    DIR *d = opendir(path);
    struct buf b = {0};
    char **name = NULL;
    size_t n = 0, cap = 0, before = p->nmodule;
    bool any = false;
    int r = 0;
    if (!d) return err_set(e, path, "no such folder, or it cannot be read");
    for (struct dirent *f; (f = readdir(d));) {
        if (f->d_name[0] == '.') continue;
        name = mem_grow(name, &cap, n + 1, sizeof *name);
        name[n++] = arena_copy(&p->arena, f->d_name, strlen(f->d_name));
        any |= optimized(f->d_name);
    }
    closedir(d);
    if (n) qsort(name, n, sizeof *name, by_text);
    for (size_t i = 0; i < n && !r; i++) {
        struct stat st;
        if (any && !optimized(name[i])) continue;
        b.n = 0;
        buf_fmt(&b, "%s/%s", path, name[i]);
        if (stat(buf_cstr(&b), &st) || !S_ISREG(st.st_mode)) continue;
        r = load_file(p, buf_cstr(&b), true, e);
    }
    if (!r && p->nmodule == before) r = err_set(e, path, "no HLO in this folder");
    buf_free(&b);
    free(name);
    return r;
}

int programs_load(struct programs *p, const char *path, struct err *e)
{
    struct stat st;
    const char *own = arena_copy(&p->arena, path, strlen(path));
    if (!stat(path, &st) && S_ISDIR(st.st_mode)) return load_folder(p, own, e);
    return load_file(p, own, false, e);
}

/* ---- which program ---- */

/* How well a module fits: by the id of a capture, by id and name, by name alone; 0: not at all. */
static int fit(const struct loaded *l, bool has_id, uint64_t id, struct str name)
{
    bool same_id = has_id && l->has_id && l->id == id;
    bool same_name = !tsv_none(name) && str_eq(l->m->name, name);
    if (same_id && l->capture) return 4;
    if (same_id && (same_name || tsv_none(name))) return 3;
    return same_name ? 2 : 0;
}

/* Text and proto of one program are no rivals. */
static bool differ(const struct hlo_module *a, const struct hlo_module *b)
{
    return a->ninstr != b->ninstr || a->from_proto == b->from_proto;
}

static const struct loaded *choose(const struct programs *p, bool has_id, uint64_t id, struct str name,
                                   int *how, bool *rivals)
{
    const struct loaded *best = NULL;
    *how = 0;
    *rivals = false;
    for (size_t i = 0; i < p->nmodule; i++) {
        const struct loaded *l = &p->module[i];
        int f = fit(l, has_id, id, name);
        if (!f || f < *how) continue;
        bool larger = best && (l->m->ninstr > best->m->ninstr ||
                               (l->m->ninstr == best->m->ninstr && l->m->from_proto > best->m->from_proto));
        *rivals = f == *how && (*rivals || differ(best->m, l->m));
        if (f > *how || larger) best = l, *how = f;
    }
    return best;
}

uint32_t programs_find(struct programs *p, struct str id, struct str module)
{
    struct buf *b = &p->scratch;
    bool fresh;
    uint64_t number = 0;
    int how;
    bool rivals = false;
    if (tsv_none(id) && tsv_none(module)) return PROGRAM_NONE;
    b->n = 0;
    buf_str(b, tsv_none(id) ? module : id);
    uint32_t k = map_put(&p->key, buf_view(b), &fresh);
    if (!fresh) return k;
    p->program = mem_grow(p->program, &p->program_cap, (size_t)k + 1, sizeof *p->program);
    struct program *g = &p->program[k];
    *g = (struct program){.cell = p->key.key[k]};
    g->name = str_n(arena_copy(&p->arena, module.p, module.n), module.n);
    p->nprogram = (size_t)k + 1;
    bool has_id = !tsv_none(id) && !num_u64(id, &number);
    b->n = 0;
    const struct loaded *l =
        !tsv_unescape(b, module) ? choose(p, has_id, number, buf_view(b), &how, &rivals) : NULL;
    if (!l) return k;
    g->m = l->m;
    g->by_name = has_id && how == 2;
    g->rivals = rivals && how == 2;
    return k;
}

uint32_t programs_of(struct programs *p, size_t module)
{
    const struct loaded *l = &p->module[module];
    struct buf id = {0}, name = {0};
    if (l->capture && l->m->has_id) buf_u64(&id, l->m->program_id);
    tsv_escape(&name, l->m->name);
    uint32_t k = programs_find(p, id.n ? buf_view(&id) : STR("-"), buf_view(&name));
    buf_free(&id);
    buf_free(&name);
    return k;
}

/* ---- cells ---- */

static struct str keep(struct programs *p, const struct buf *b)
{
    return str_n(arena_copy(&p->arena, b->p, b->n), b->n);
}

static void put_cell(struct buf *b, struct str text)
{
    if (b->n) buf_c(b, '\t');
    tsv_escape(b, text);
}

static struct str number_cell(struct programs *p, double v)
{
    p->scratch.n = 0;
    if (v < 0 || !isfinite(v))
        buf_c(&p->scratch, '-');
    else
        buf_u64(&p->scratch, v < 18e18 ? (uint64_t)v : UINT64_MAX);
    return keep(p, &p->scratch);
}

/* Loops and calls cost what their bodies do, and those have events of their own. */
static bool container(const struct hlo_instr *i)
{
    return hlo_is(i, "while") || hlo_is(i, "conditional") || hlo_is(i, "call");
}

static void make_cost(struct programs *p, struct program *g, uint32_t instr, struct instr_cells *c)
{
    if (!g->costed) {
        cost_module(g->m, COST_BASE, &g->cost);
        g->costed = true;
    }
    struct cost base = g->cost.instr[instr], model = g->cost.model[instr];
    bool modelled = base.flops < 0 || base.bytes < 0;
    struct cost k = modelled ? model : base;
    if (container(&g->m->instr[instr])) k.flops = k.bytes = -1;
    c->flops = number_cell(p, k.flops);
    c->bytes = number_cell(p, k.bytes);
    c->from = k.flops < 0 && k.bytes < 0 ? STR("-") : modelled ? STR("model") : STR("hlo");
    enum prim t = g->cost.dtype[instr];
    c->dtype = t == PRIM_INVALID || t == PRIM_UNKNOWN ? STR("-") : str_of(prim_name(t));
}

struct instr_cells *programs_cells(struct programs *p, uint32_t program, uint32_t instr)
{
    struct program *g = &p->program[program];
    if (!g->cells) g->cells = mem_alloc((size_t)g->m->ninstr + 1, sizeof *g->cells);
    struct instr_cells *c = &g->cells[instr];
    if (c->head.n) return c;
    const struct hlo_instr *i = &g->m->instr[instr];
    struct buf b = {0}, text = {0};
    put_cell(&b, g->m->computation[i->computation].name);
    put_cell(&b, i->name);
    put_cell(&b, i->opcode);
    put_cell(&b, hlo_category(i, &text));
    put_cell(&b, i->op_name);
    c->head = keep(p, &b);
    b.n = text.n = 0;
    hlo_source(g->m, i, p->user, &text);
    put_cell(&b, buf_view(&text));
    buf_puts(&b, text.n ? "\thlo" : "\t-");
    c->place = keep(p, &b);
    make_cost(p, g, instr, c);
    buf_free(&b);
    buf_free(&text);
    return c;
}

void programs_free(struct programs *p)
{
    struct err e = {0};
    for (size_t i = 0; i < p->nprogram; i++) {
        if (p->program[i].costed) cost_free(&p->program[i].cost);
        free(p->program[i].cells);
    }
    for (size_t i = 0; i < p->nmodule; i++) hlo_free(p->module[i].m);
    for (size_t i = 0; i < p->ninput; i++) {
        inp_close(p->input[i], &e);
        free(p->input[i]);
    }
    free(p->module);
    free(p->program);
    free(p->input);
    map_free(&p->key);
    arena_free(&p->arena);
    buf_free(&p->scratch);
    *p = (struct programs){0};
}
