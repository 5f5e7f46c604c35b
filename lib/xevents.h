/* A capture as the event table that xplane2tsv makes of it, for options that take either: the rows go to an
 * unnamed file in memory, which is then read like any table. */
#ifndef XEVENTS_H
#define XEVENTS_H
#include "tsv.h"

/* Open `path` as an event table: a table as it is, a capture by way of its rows; tsv_close as usual.  0; also
 * 0, with e set, for a capture that is cut or damaged: what came before the fault is there. */
int xevents_open(struct tsv *t, const char *path, struct err *e);
#endif
