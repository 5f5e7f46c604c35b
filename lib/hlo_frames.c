#include "hlo_frames.h"
#include "lex.h"
#include <stdlib.h>

/* Make room for row `id`.  Ids count up without gaps; some are forgiven, but not so many that memory is no
 * longer bounded by the text. */
static int make_room(struct hlo_frames *f, void **v, size_t *n, size_t *cap, int64_t id, size_t size)
{
    if (id < 1 || (uint64_t)id > 4 * ++f->rows + 1024) return -1;
    size_t need = (size_t)id + 1;
    if (need <= *n) return 0;
    *v = mem_grow(*v, cap, need, size);
    memset((char *)*v + *n * size, 0, (need - *n) * size);
    *n = need;
    return 0;
}

static int row_of_names(struct hlo_frames *f, struct str **v, size_t *n, size_t *cap, int64_t id,
                        struct str row)
{
    void *p = *v;
    if (row.n < 2 || row.p[0] != '"' || row.p[row.n - 1] != '"') return -1;
    if (make_room(f, &p, n, cap, id, sizeof **v)) return -1;
    *v = p;
    (*v)[id] = str_n(row.p + 1, row.n - 2);
    return 0;
}

static int64_t field(struct str row, const char *name)
{
    struct str key, value;
    int64_t v = 0;
    for (const char *p = row.p; lex_field(&p, row.p + row.n, &key, &value) > 0;)
        if (str_is(key, name)) lex_int(value.p, value.p + value.n, &v);
    return v;
}

static int row_of_location(struct hlo_frames *f, int64_t id, struct str row)
{
    void *p = f->location;
    if (make_room(f, &p, &f->nlocation, &f->cap[2], id, sizeof *f->location)) return -1;
    f->location = p;
    f->location[id] = (struct hlo_location){field(row, "file_name_id"), field(row, "function_name_id"),
                                            field(row, "line"),         field(row, "column"),
                                            field(row, "end_line"),     field(row, "end_column")};
    return 0;
}

/* The text's parent is the proto's plus one. */
static int row_of_frame(struct hlo_frames *f, int64_t id, struct str row)
{
    void *p = f->frame;
    if (make_room(f, &p, &f->nframe, &f->cap[3], id, sizeof *f->frame)) return -1;
    f->frame = p;
    int64_t parent = field(row, "parent_frame_id");
    f->frame[id] = (struct hlo_link){field(row, "file_location_id"), parent > 0 ? parent - 1 : 0};
    return 0;
}

static int row(struct hlo_frames *f, unsigned table, int64_t id, struct str rest)
{
    if (table == 0) return row_of_names(f, &f->file, &f->nfile, &f->cap[0], id, rest);
    if (table == 1) return row_of_names(f, &f->function, &f->nfunction, &f->cap[1], id, rest);
    if (rest.n < 2 || rest.p[0] != '{' || rest.p[rest.n - 1] != '}') return -1;
    rest = str_n(rest.p + 1, rest.n - 2);
    return table == 2 ? row_of_location(f, id, rest) : row_of_frame(f, id, rest);
}

int hlo_frames_table(struct hlo_frames *f, const char **p, const char *end)
{
    static const char *const name[] = {"FileNames", "FunctionNames", "FileLocations", "StackFrames"};
    unsigned table = 0;
    while (table < 4 && !lex_word_is(*p, end, name[table])) table++;
    if (table == 4) return 0;
    const char *at = lex_spaces(*p + strlen(name[table]), end);
    if (at < end && *at != '\n') return 0; /* a computation of that name */
    for (*p = at; (at = lex_blank(*p, end)) < end && *at >= '0' && *at <= '9';) {
        int64_t id = 0;
        const char *q = lex_int(*p = at, end, &id), *eol = memchr(q, '\n', (size_t)(end - q));
        if (!eol) eol = end;
        if (row(f, table, id, str_trim(str_n(q, (size_t)(eol - q))))) return -1;
        *p = eol;
    }
    return 1;
}

/* The text's names have C escapes: undone once each, as most frames share them. */
static void unescape_all(struct str *v, size_t n, struct arena *a)
{
    struct buf b = {0};
    for (size_t i = 1; i < n; i++) {
        if (!v[i].n || !memchr(v[i].p, '\\', v[i].n)) continue;
        b.n = 0;
        lex_unescape(&b, v[i]);
        v[i] = str_n(arena_copy(a, b.p, b.n), b.n);
    }
    buf_free(&b);
}

static struct str name_at(const struct str *v, size_t n, int64_t id)
{
    return id > 0 && (uint64_t)id < n ? v[id] : STR("");
}

void hlo_frames_resolve(struct hlo_frames *f, struct hlo_module *m)
{
    if (!f->nframe) return;
    unescape_all(f->file, f->nfile, &m->arena);
    unescape_all(f->function, f->nfunction, &m->arena);
    m->frame = mem_alloc(f->nframe, sizeof *m->frame);
    m->nframe = (uint32_t)f->nframe;
    for (size_t i = 1; i < f->nframe; i++) {
        struct hlo_link k = f->frame[i];
        struct hlo_location l = {0};
        if (k.location > 0 && (uint64_t)k.location < f->nlocation) l = f->location[k.location];
        bool known = (uint64_t)k.parent < f->nframe;
        m->frame[i] = (struct hlo_frame){.file = name_at(f->file, f->nfile, l.file),
                                         .function = name_at(f->function, f->nfunction, l.function),
                                         .line = l.line,
                                         .column = l.column,
                                         .end_line = l.end_line,
                                         .end_column = l.end_column,
                                         .parent = known ? (uint32_t)k.parent : 0};
    }
}

void hlo_frames_free(struct hlo_frames *f)
{
    free(f->file);
    free(f->function);
    free(f->location);
    free(f->frame);
    *f = (struct hlo_frames){0};
}
