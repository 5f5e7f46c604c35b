/* The stack frame tables of HLO text: FileNames, FunctionNames, FileLocations, StackFrames (spec: HLO text
 * 4.2), read row by row and joined at the end.
 *
 * Names are views into the text; start with {0}. */
#ifndef HLO_FRAMES_H
#define HLO_FRAMES_H
#include "hlo.h"

struct hlo_frames {
    struct str *file, *function; /* by id; 0 is unused */
    struct hlo_location {
        int64_t file, function, line, column, end_line, end_column;
    } * location;
    struct hlo_link {
        int64_t location, parent;
    } * frame;
    size_t nfile, nfunction, nlocation, nframe, cap[4];
    size_t rows; /* read, of all tables */
};
/* If a table's own line starts at *p, read it and move *p behind: 1; 0: none does; -1: a row is none, *p at
 * it. */
int hlo_frames_table(struct hlo_frames *f, const char **p, const char *end);
/* m->frame from the four; ids that point nowhere give empty names and no parent. */
void hlo_frames_resolve(struct hlo_frames *f, struct hlo_module *m);
void hlo_frames_free(struct hlo_frames *f);
#endif
