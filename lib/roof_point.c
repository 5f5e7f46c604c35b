/* What a row comes to under its peaks. */
#include "num.h"
#include "roof.h"

const char *const roof_place_name[ROOF_PLACES] = {"roofline",    "unmatched",     "containers",  "copies",
                                                  "collectives", "no cost model", "unknown peak"};

int64_t roof_time(const struct roof_row *row)
{
    return num_add(num_add(row->time_ps[ROOF_WORK], row->time_ps[ROOF_COPIES]), row->time_ps[ROOF_LINKS]);
}

void roof_limits(struct roof_limit *l, const struct peak *first, const struct peak *second, struct str dtype)
{
    const struct peak *f = first && peak_flops(first, dtype) > 0 ? first : second;
    const struct peak *b = first && first->bytes_per_s > 0 ? first : second;
    *l = (struct roof_limit){
        .flops = f ? peak_flops(f, dtype) : 0,
        .bytes_per_s = b ? b->bytes_per_s : 0,
    };
    if (l->flops <= 0) f = NULL;
    if (l->bytes_per_s <= 0) b = NULL;
    const struct peak *one = f ? f : b;
    if (!one) return;
    l->label = (f && f->capture) || (b && b->capture) ? STR("capture") : STR("read");
    buf_fmt(&l->source, "%.*s: ", (int)one->sku.n, one->sku.p);
    buf_str(&l->source, one->source);
    if (f && b && f != b) buf_fmt(&l->source, "; bytes: %.*s", (int)b->source.n, b->source.p);
}

void roof_point(struct roof_point *p, const struct roof_row *row, const struct roof_limit *l, bool timed)
{
    bool flops = !row->no_flops && !row->container && row->flops < INT64_MAX;
    bool bytes = !row->no_bytes && !row->container && row->bytes < INT64_MAX;
    double f = (double)row->flops, b = (double)row->bytes, ps;
    *p = (struct roof_point){timed ? roof_time(row) : -1, -1, -1, -1, -1, NULL};
    ps = (double)p->time_ps;
    if (flops && bytes && row->bytes > 0) p->intensity = f / b;
    if (flops && ps > 0) p->flops_per_s = f * 1e12 / ps;
    if (bytes && ps > 0) p->bytes_per_s = b * 1e12 / ps;
    if (!flops || !bytes || (!row->flops && !row->bytes)) return; /* time without work has no place */
    if (l->bytes_per_s <= 0 || (l->flops <= 0 && row->flops)) return;
    double compute = row->flops ? f / l->flops : 0, memory = b / l->bytes_per_s; /* seconds at the peak */
    p->bound = compute > memory ? "compute" : "memory";
    if (ps > 0) p->share = (compute > memory ? compute : memory) * 1e12 / ps;
}

enum roof_place roof_place(const struct roof_row *row, enum roof_kind kind, const struct roof_point *p)
{
    if (row->unmatched) return ROOF_UNMATCHED;
    if (row->container) return ROOF_CONTAINER;
    if (kind == ROOF_COPIES) return ROOF_COPY;
    if (kind == ROOF_LINKS) return ROOF_COLLECTIVE;
    if (row->no_flops || row->no_bytes || (!row->flops && !row->bytes)) return ROOF_NO_COST;
    return p->share < 0 && p->time_ps > 0 ? ROOF_NO_PEAK : ROOF_ON;
}
