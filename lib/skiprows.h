/* The rows of skipstats' tables launch, skip, step and chain. */
#ifndef SKIPROWS_H
#define SKIPROWS_H
#include "scene.h"

void rows_launch(struct tab *o, const struct scene *w); /* device events by stream, then calls without any */
void rows_skip(struct tab *o, struct scene *w);         /* w's threads make their pieces on the way */
void rows_step(struct tab *o, const struct scene *w);
void rows_chain(struct tab *o, const struct scene *w, double least); /* least: the least chain_score */
#endif
