/* CSV at the edge (libcsv does the quoting): CSV bytes become TSV lines as they are read, TSV rows become CSV
 * rows as they are written.  An empty field is a missing cell and the other way round. */
#ifndef CSVIO_H
#define CSVIO_H
#include "inp.h"
#include "out.h"

struct csv_in;
/* first[0..n): bytes already read from the input, copied. */
struct csv_in *csv_in_new(const char *first, size_t n);
/* Up to n bytes of TSV made from `in`: 1, 0 at the end, -1.  An unfinished quote at the end is an error. */
int csv_in_read(struct csv_in *c, struct inp *in, char *p, size_t n, size_t *got, struct err *e);
void csv_in_free(struct csv_in *c); /* NULL is fine */

/* One TSV row (no line end) as one CSV row, quoted where needed. */
void csv_out_row(struct out *o, struct str row);
#endif
