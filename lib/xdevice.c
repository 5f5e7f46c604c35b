/* The hardware's name from a plane's capability stats (design: "device"). */
#include "xnames.h"
#include <math.h>

/* AMD's compute capability is the first digits of the gfx name; the last one follows from the part. */
static const struct {
    int64_t major, minor, cores; /* cores 0: any */
    const char *gfx;
} gfx[] = {
    {9, 4, 0, "gfx942"},   {9, 5, 0, "gfx950"},   {9, 0, 104, "gfx90a"}, {9, 0, 110, "gfx90a"},
    {9, 0, 208, "gfx90a"}, {9, 0, 220, "gfx90a"}, {9, 0, 120, "gfx908"},
};

static int64_t integer(struct xnames *n, const char *stat)
{
    struct val v = xplane_stat(n, stat);
    if (v.kind == VAL_F64 && v.f >= 0 && v.f < 0x1p62) return (int64_t)v.f;
    return v.kind == VAL_I64 ? v.i : v.kind == VAL_U64 && v.u <= INT64_MAX ? (int64_t)v.u : -1;
}

static struct str text(struct xnames *n, const char *stat)
{
    struct val v = xplane_stat(n, stat);
    return v.kind == VAL_TEXT ? str_trim(v.s) : STR("");
}

static void put_arch(struct buf *b, bool amd, struct str name, int64_t major, int64_t minor, int64_t cores)
{
    if (name.n) { /* "gfx942:sramecc+:xnack-" */
        const char *colon = memchr(name.p, ':', name.n);
        buf_fmt(b, " %.*s", colon ? (int)(colon - name.p) : (int)name.n, name.p);
        return;
    }
    if (major < 0) return;
    if (minor < 0) minor = 0;
    for (size_t i = 0; amd && i < sizeof gfx / sizeof *gfx; i++)
        if (gfx[i].major == major && gfx[i].minor == minor && (!gfx[i].cores || gfx[i].cores == cores)) {
            buf_fmt(b, " %s", gfx[i].gfx);
            return;
        }
    buf_fmt(b, amd ? " gfx%lld%lld" : " sm_%lld%lld", (long long)major, (long long)minor);
}

struct str xplane_device(struct xnames *n)
{
    struct str product = text(n, "device_type_string"), name = text(n, "gpu_device_name"),
               vendor = text(n, "device_vendor");
    if (product.n) return product;
    if (name.n && !str_starts(name, "gfx")) return name;
    int64_t major = integer(n, "compute_cap_major"), minor = integer(n, "compute_cap_minor"),
            cores = integer(n, "core_count"), memory = integer(n, "memory_size");
    bool amd = vendor.n ? str_is(vendor, "AMD") : name.n || (major == 9 && minor >= 4);
    if (!vendor.n && !name.n && major < 0) return STR("");
    bool nvidia = !amd && (!vendor.n || str_is(vendor, "Nvidia"));
    struct buf b = {0};
    buf_str(&b, amd ? STR("AMD") : nvidia ? STR("NVIDIA") : vendor);
    if (amd || nvidia) put_arch(&b, amd, name, major, minor, cores);
    if (cores > 0) buf_fmt(&b, amd ? " %lldcu" : " %lldsm", (long long)cores);
    if (memory > 0) buf_fmt(&b, " %lldGiB", (long long)llround((double)memory / 0x1p30));
    struct str s = str_n(arena_copy(&n->arena, b.p, b.n), b.n);
    buf_free(&b);
    return s;
}
