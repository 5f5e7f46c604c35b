#include "snap_book.h"
#include <stdlib.h>

#define MANIFEST                                                                                             \
    {"layer", "text", "-", "the layer that was compiled; - in a snapshot"},                                  \
        {"root", "text", "-", "name given to the folder"}, {"file", "text", "-", "path in the folder"},      \
        {"size_bytes", "int", "bytes", "size"},                                                              \
        {"mtime_ns", "int", "ns", "time of change, since the epoch"},                                        \
        {"digest", "text", "-", "SHA-256; - if it could not be read"},                                       \
    {                                                                                                        \
        "state", "enum", "-", "new changed late writing; in a snapshot seen, and root for the folder itself" \
    }

const struct column manifest_columns[] = {MANIFEST, {0}};
const struct column snap_columns[] = {MANIFEST, {"folder", "text", "-", "where the root is"}, {0}};

enum { LAYER, ROOT, FILE_, SIZE, MTIME, DIGEST, STATE, FOLDER, COLUMNS };

static struct str keep(struct snap_book *b, struct str cell)
{
    struct buf text = {0};
    struct str s = {NULL, 0};
    if (!tsv_unescape(&text, cell) && text.n) s = str_n(arena_copy(&b->arena, text.p, text.n), text.n);
    buf_free(&text);
    return s;
}

static uint32_t root_of(struct snap_book *b, struct str name)
{
    bool fresh;
    uint32_t k = map_put(&b->root, name, &fresh);
    b->folder = mem_grow(b->folder, &b->root_cap, (size_t)k + 1, sizeof *b->folder);
    b->newest = mem_grow(b->newest, &b->newest_cap, (size_t)k + 1, sizeof *b->newest);
    if (fresh) b->folder[k] = str_n(NULL, 0), b->newest[k] = INT64_MIN;
    return k;
}

static void key_of(struct buf *k, struct str root, struct str file)
{
    buf_str(k, root);
    buf_c(k, 0);
    buf_str(k, file);
}

static int row(struct snap_book *b, const struct tsv *t, const int col[COLUMNS], struct err *e)
{
    struct snap_seen s = {0};
    struct str name = keep(b, tsv_str(t, col[ROOT])), layer = tsv_str(t, col[LAYER]);
    uint32_t root = root_of(b, name);
    if (!tsv_none(layer)) map_put(&b->layer, keep(b, layer), NULL);
    if (str_is(tsv_str(t, col[STATE]), "root")) {
        b->folder[root] = keep(b, tsv_str(t, col[FOLDER]));
        return 0;
    }
    if (!tsv_i64(t, col[SIZE], &s.size)) return tsv_bad(t, col[SIZE], "size", e);
    if (!tsv_i64(t, col[MTIME], &s.mtime_ns)) return tsv_bad(t, col[MTIME], "time", e);
    s.digest = keep(b, tsv_str(t, col[DIGEST]));
    if (s.mtime_ns > b->newest[root]) b->newest[root] = s.mtime_ns;
    struct buf key = {0};
    key_of(&key, name, keep(b, tsv_str(t, col[FILE_])));
    uint32_t k = map_put(&b->key, buf_view(&key), NULL);
    b->seen = mem_grow(b->seen, &b->cap, (size_t)k + 1, sizeof *b->seen);
    b->seen[k] = s;
    buf_free(&key);
    return 0;
}

int snap_book_read(struct snap_book *b, const char *path, struct err *e)
{
    const char *const paths[] = {path};
    struct tsv t;
    int col[COLUMNS], rc = 0;
    if (tsv_open(&t, paths, 1, e)) return -1;
    for (int i = 0; i < FOLDER && !rc; i++) rc = tsv_need(&t, snap_columns[i].name, "dumpsnap", &col[i], e);
    col[FOLDER] = tsv_col(&t, "folder"); /* a manifest has none */
    while (!rc && (rc = tsv_next(&t, e)) > 0) rc = row(b, &t, col, e);
    tsv_close(&t);
    return rc;
}

void snap_book_free(struct snap_book *b)
{
    map_free(&b->key);
    map_free(&b->layer);
    map_free(&b->root);
    free(b->seen);
    free(b->folder);
    free(b->newest);
    arena_free(&b->arena);
}

const struct snap_seen *snap_book_find(const struct snap_book *b, struct str root, struct str file)
{
    struct buf key = {0};
    key_of(&key, root, file);
    uint32_t k = map_get(&b->key, buf_view(&key));
    buf_free(&key);
    return k == MAP_NONE ? NULL : &b->seen[k];
}

bool snap_book_newest(const struct snap_book *b, struct str root, int64_t *mtime_ns)
{
    uint32_t k = map_get(&b->root, root);
    if (k == MAP_NONE || b->newest[k] == INT64_MIN) return false;
    *mtime_ns = b->newest[k];
    return true;
}

bool snap_same(const struct snap_seen *s, const struct snap_file *f)
{
    if (s->digest.n && f->digest[0]) return str_is(s->digest, f->digest);
    return s->size == f->size && s->mtime_ns == f->mtime_ns;
}

const char *snap_state(const struct snap_book *snapshot, const struct snap_book *manifest,
                       const struct snap_root *r, const struct snap_file *f)
{
    const struct snap_seen *s = snap_book_find(snapshot, r->name, f->file);
    const struct snap_seen *m = snap_book_find(manifest, r->name, f->file);
    int64_t newest;
    if (m) return snap_same(m, f) ? NULL : "late";
    if (!s) return "new";
    if (!snap_same(s, f)) return "changed";
    /* As the snapshot saw it; but made after everything of this root that earlier diffs have recorded, or
     * they would have recorded it. */
    return snap_book_newest(manifest, r->name, &newest) && f->mtime_ns > newest ? "late" : NULL;
}

void snap_put(struct tab *t, struct str layer, const struct snap_root *r, const struct snap_file *f,
              const char *state)
{
    tab_text(t, layer);
    tab_text(t, r->name);
    tab_text(t, f->file);
    tab_i64(t, f->size);
    tab_i64(t, f->mtime_ns);
    tab_texts(t, f->digest);
    tab_texts(t, state);
}
