#include "evpick.h"
#include "mem.h"
#include <ctype.h>
#include <stdlib.h>

int ev_pick_pattern(regex_t **p, const char *re, struct err *e)
{
    regex_t *x = mem_alloc(1, sizeof *x);
    if (re_compile(x, re, e)) {
        free(x);
        return -1;
    }
    *p = x;
    return 0;
}

bool ev_picks_plane(const struct ev_pick *p, struct str plane)
{
    return !p->plane || re_matches(p->plane, plane);
}
bool ev_picks_line(const struct ev_pick *p, struct str line) { return !p->line || re_matches(p->line, line); }

/* The next word of a list with commas; false at its end. */
static bool next_word(const char **list, struct str *word)
{
    while (**list == ',') ++*list;
    *word = str_n(*list, strcspn(*list, ","));
    *list += word->n;
    return word->n;
}

int ev_pick_classes(struct ev_pick *p, const char *list, struct err *e)
{
    struct str w;
    while (next_word(&list, &w)) {
        int c = ev_class_from(w);
        if (c < 0) return err_set(e, NULL, "no class \"%.*s\" (-l lists them)", (int)w.n, w.p);
        p->classes |= 1u << c;
    }
    return 0;
}

/* A stat's name as a column's: [a-z0-9_] only. */
static char *column_name(struct str stat)
{
    char *s = mem_alloc(1, stat.n + 1);
    for (size_t i = 0; i < stat.n; i++)
        s[i] = isalnum((unsigned char)stat.p[i]) ? (char)tolower((unsigned char)stat.p[i]) : '_';
    return s;
}

int ev_pick_stats(struct ev_pick *p, const char *list, struct column *columns, struct err *e)
{
    struct str w;
    while (next_word(&list, &w)) {
        char *name = column_name(w);
        struct column *c = columns;
        while (c->name && strcmp(c->name, name)) c++;
        if (c->name) {
            free(name);
            continue;
        }
        if (p->nextra == EV_EXTRA) {
            free(name);
            return err_set(e, NULL, "-s: more than %d stats", EV_EXTRA);
        }
        *c = (struct column){name, "text", "-", "a stat"};
        p->extra[p->nextra++] = w;
    }
    return 0;
}

static void pattern_free(regex_t *p)
{
    if (p) regfree(p);
    free(p);
}

void ev_pick_free(struct ev_pick *p)
{
    pattern_free(p->plane);
    pattern_free(p->line);
}
