/* Contractions, and the custom calls whose work is known: matrix products and convolutions of vendor
 * libraries, kernels that come with an estimate of their own. */
#include "cost_in.h"
#include "hlo_config.h"
#include "hlo_window.h"

float cost_dot_flops(const struct shape *lhs, const struct shape *result, const int64_t *contracted, size_t n)
{
    int64_t flops = cost_times(2, cost_elements(result));
    if (!lhs || n > HLO_RANK) return -1;
    for (size_t k = 0; k < n; k++) {
        if (contracted[k] < 0 || contracted[k] >= lhs->rank) return -1;
        flops = cost_times(flops, lhs->dim[contracted[k]]);
    }
    return cost_known(flops);
}

static int64_t count_of(const struct hlo_instr *i, const char *attr)
{
    int64_t n;
    return num_i64(hlo_attr(i, attr), &n) || n < 1 ? 1 : n;
}

static int64_t dim(const struct shape *s, int d) { return d >= 0 && d < (int)s->rank ? s->dim[d] : -1; }

float cost_conv_flops(const struct hlo_instr *i, const struct shape *lhs, const struct shape *rhs,
                      const struct shape *result)
{
    struct hlo_window_dim w[HLO_RANK];
    struct hlo_labels label[3];
    int n = hlo_window(hlo_attr(i, "window"), w);
    if (!lhs || !rhs || !result || n < 0 || hlo_dim_labels(hlo_attr(i, "dim_labels"), label)) return -1;
    int64_t in = dim(lhs, label[0].feature), batch = dim(lhs, label[0].batch),
            out = dim(result, label[2].feature);
    if (in < 0 || batch < 0 || out < 0) return -1;
    int64_t fma = cost_times(cost_times(in / count_of(i, "feature_group_count"), out),
                             batch / count_of(i, "batch_group_count"));
    for (int k = 0; k < n; k++) {
        if (k >= label[0].nspatial || k >= label[1].nspatial || k >= label[2].nspatial) return -1;
        int64_t a = dim(lhs, label[0].spatial[k]), b = dim(rhs, label[1].spatial[k]);
        int64_t o = dim(result, label[2].spatial[k]);
        fma = cost_times(fma, a < 0 || b < 0 || o < 0 ? -1 : hlo_window_pairs(&w[k], a, b, o));
    }
    return cost_known(cost_times(2, fma));
}

/* ---- which library call is it ---- */

bool cost_is_gemm(struct str target, bool legacy)
{
    return str_is(target, "__cublas$lt$matmul") || str_is(target, "__cublas$lt$matmul$f8") ||
           str_is(target, "__cublas$lt$matmul$mx") || str_is(target, "__cublas$lt$groupedMatmul") ||
           (legacy && str_is(target, "__cublas$gemm"));
}

bool cost_is_conv(struct str target)
{
    static const char *const name[] = {"__cudnn$convForward", "__cudnn$convForwardGraph",
                                       "__cudnn$convBackwardInput", "__cudnn$convBackwardFilter",
                                       "__cudnn$convBiasActivationForward"};
    for (size_t k = 0; k < sizeof name / sizeof *name; k++)
        if (str_is(target, name[k])) return true;
    return false;
}

/* Operands, and of the result the real one: workspace is no work. */
static float library_bytes(const struct costing *c, const struct hlo_instr *i)
{
    struct hlo_instr bare = *i;
    bare.shape = cost_first(i->shape);
    return cost_moved(c, &(struct site){&bare, NULL, bare.shape});
}

/* The integers of  "lhs_contracting_dimensions":["1","2"]  in a backend config, quotes escaped or not. */
static size_t config_dims(struct str config, int64_t *v, size_t max)
{
    size_t at = str_find(config, STR("lhs_contracting_dimensions")), n = 0;
    struct str s = str_from(config, at == SIZE_MAX ? config.n : at);
    const char *open = s.n ? memchr(s.p, '[', s.n) : NULL;
    s = str_from(s, open ? (size_t)(open - s.p) : s.n);
    for (size_t k = 0; k < s.n && s.p[k] != ']'; k++) {
        size_t digits = 0;
        while (k + digits < s.n && s.p[k + digits] >= '0' && s.p[k + digits] <= '9') digits++;
        if (!digits) continue;
        if (n < max && num_i64(str_n(s.p + k, digits), &v[n])) return SIZE_MAX;
        n++;
        k += digits - 1;
    }
    return n;
}

static float gemm_flops(const struct costing *c, const struct hlo_instr *i)
{
    int64_t d[HLO_RANK];
    size_t n = config_dims(i->backend_config, d, HLO_RANK);
    return n ? cost_dot_flops(cost_operand(c, i, 0), cost_first(i->shape), d, n) : -1;
}

/* XProf takes the labels as printed, also for the backward calls; those print the forward convolution's, so
 * that the real work is that of the forward one between the same three arrays. */
static float conv_flops(const struct costing *c, const struct hlo_instr *i, bool as_printed)
{
    const struct shape *a = cost_operand(c, i, 0), *b = cost_operand(c, i, 1), *r = cost_first(i->shape);
    if (!as_printed && str_is(i->custom_call_target, "__cudnn$convBackwardInput"))
        return cost_conv_flops(i, r, b, a);
    if (!as_printed && str_is(i->custom_call_target, "__cudnn$convBackwardFilter"))
        return cost_conv_flops(i, a, r, b);
    return cost_conv_flops(i, a, b, r);
}

/* ---- estimates ---- */

/* "cost_estimate":{"flops":"123",...} of Pallas and Mosaic kernels, cost_estimate_json of Triton ones. */
static int estimate(struct str config, bool as_xprof, struct cost *v)
{
    struct str key = as_xprof ? STR("cost_estimate_json") : STR("cost_estimate");
    size_t at = str_find(config, key);
    if (at == SIZE_MAX) return 0;
    struct str s = as_xprof ? config : str_from(config, at + key.n);
    int64_t flops = hlo_config_int(s, STR("flops")), bytes = hlo_config_int(s, STR("bytes_accessed"));
    int64_t trans = as_xprof ? 0 : hlo_config_int(s, STR("transcendentals"));
    if (flops < 0 && bytes < 0) return 0;
    *v = (struct cost){.flops = cost_known(flops),
                       .transcendentals = trans < 0 ? 0 : (float)trans,
                       .bytes = cost_known(bytes)};
    return 1;
}

int cost_of_call(const struct costing *c, const struct hlo_instr *i, bool as_xprof, struct cost *v)
{
    bool gemm = cost_is_gemm(i->custom_call_target, !as_xprof), conv = cost_is_conv(i->custom_call_target);
    if (!gemm && !conv) return estimate(i->backend_config, as_xprof, v);
    float flops = gemm ? gemm_flops(c, i) : conv_flops(c, i, as_xprof);
    if (flops < 0) return 0;
    *v = (struct cost){.flops = flops, .bytes = library_bytes(c, i)};
    return 1;
}
