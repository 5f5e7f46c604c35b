#include "evclass.h"

#define CLASS(name)                                                                                          \
    {                                                                                                        \
        name, sizeof name - 1                                                                                \
    }
static const struct str class_name[EV_CLASSES] = {
    [EV_KERNEL] = CLASS("kernel"),
    [EV_COLLECTIVE] = CLASS("collective"),
    [EV_MEMCPY] = CLASS("memcpy"),
    [EV_MEMSET] = CLASS("memset"),
    [EV_OP] = CLASS("op"),
    [EV_LAUNCH] = CLASS("launch"),
    [EV_GRAPH_LAUNCH] = CLASS("graph_launch"),
    [EV_SYNC] = CLASS("sync"),
    [EV_ALLOC] = CLASS("alloc"),
    [EV_HOST] = CLASS("host"),
    [EV_MODULE] = CLASS("module"),
    [EV_STEP] = CLASS("step"),
    [EV_COUNTER] = CLASS("counter"),
    [EV_ASYNC] = CLASS("async"),
    [EV_OTHER] = CLASS("other"),
};

static const char *const line_name[LINE_KINDS] = {
    [LINE_DERIVED] = "derived", [LINE_HOST] = "host", [LINE_STREAM] = "stream",
    [LINE_UNSURE] = "unknown",  [LINE_OP] = "op",     [LINE_ASYNC] = "async",
    [LINE_MODULE] = "module",   [LINE_STEP] = "step", [LINE_COUNTER] = "counter",
};

const char *ev_class_name(enum ev_class c) { return class_name[c].p; }
const char *ev_line_name(enum ev_line k) { return line_name[k]; }

int ev_class_from(struct str name)
{
    for (int c = 0; c < EV_CLASSES; c++)
        if (str_eq(name, class_name[c])) return c;
    return -1;
}

enum ev_plane ev_plane_kind(struct str p)
{
    if (str_starts(p, "/host:metadata") || str_starts(p, "/host:__")) return PLANE_OTHER;
    if (str_starts(p, "/host:")) return PLANE_HOST;
    if (str_starts(p, "/device:GPU:")) return PLANE_GPU;
    return str_starts(p, "/device:") || str_starts(p, "/custom:") ? PLANE_DEVICE : PLANE_OTHER;
}

/* Lines whose name says what they are, on device planes.  On a GPU the op line is made from the streams. */
static const struct {
    const char *name;
    enum ev_line kind, gpu;
} known_line[] = {
    {"XLA Ops", LINE_OP, LINE_DERIVED},
    {"Sparse Core Ops", LINE_OP, LINE_DERIVED},
    {"Async XLA Ops", LINE_ASYNC, LINE_DERIVED},
    {"XLA Modules", LINE_MODULE, LINE_MODULE},
    {"Sparse Core Modules", LINE_MODULE, LINE_MODULE},
    {"Steps", LINE_STEP, LINE_STEP},
    {"Sparse Core Steps", LINE_STEP, LINE_STEP},
    {"_counters_", LINE_COUNTER, LINE_COUNTER},
    {"counters_", LINE_COUNTER, LINE_COUNTER},
    {"Sparse Core Syncs", LINE_DERIVED, LINE_DERIVED},
    {"XLA TraceMe", LINE_DERIVED, LINE_DERIVED},
    {"Overlay", LINE_DERIVED, LINE_DERIVED},
    {"Launch Stats", LINE_DERIVED, LINE_DERIVED},
    {"Framework Name Scope", LINE_DERIVED, LINE_DERIVED},
    {"Framework Ops", LINE_DERIVED, LINE_DERIVED},
    {"TensorFlow Name Scope", LINE_DERIVED, LINE_DERIVED},
    {"TensorFlow Ops", LINE_DERIVED, LINE_DERIVED},
    {"Source code", LINE_DERIVED, LINE_DERIVED},
    {"Source Code", LINE_DERIVED, LINE_DERIVED},
    {"Host Offload Ops", LINE_DERIVED, LINE_DERIVED},
    {"Tensor Core Sync Flag", LINE_DERIVED, LINE_DERIVED},
    {"CUPTI overhead", LINE_DERIVED, LINE_DERIVED},
};

enum ev_line ev_line_kind(enum ev_plane plane, struct str line)
{
    if (plane == PLANE_HOST) return str_is(line, "_counters_") ? LINE_COUNTER : LINE_HOST;
    for (size_t i = 0; i < sizeof known_line / sizeof *known_line; i++)
        if (str_is(line, known_line[i].name))
            return plane == PLANE_GPU ? known_line[i].gpu : known_line[i].kind;
    if (plane == PLANE_OTHER || str_has(line, " - from #")) return LINE_DERIVED;
    if (str_starts(line, "Stream #")) return LINE_STREAM;
    return plane == PLANE_GPU ? LINE_UNSURE : LINE_DERIVED;
}

/* ---- instructions ---- */

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static struct str cut(struct str s, size_t n) { return str_n(s.p, n < s.n ? n : s.n); }

struct str ev_instr_name(struct str t)
{
    size_t eq = str_find(t, STR(" = "));
    if (eq != SIZE_MAX) t = cut(t, eq);
    if (str_starts(t, "ROOT ")) t = str_from(t, 5);
    return t.n && t.p[0] == '%' ? str_from(t, 1) : t;
}

/* Behind " = " stands the shape, in brackets of three kinds or without any, then a blank and the opcode. */
struct str ev_instr_opcode(struct str t)
{
    size_t i = str_find(t, STR(" = ")), depth = 0, from;
    if (i == SIZE_MAX) return STR("");
    for (i += 3; i < t.n && (depth || t.p[i] != ' '); i++) {
        if (strchr("([{", t.p[i]) && t.p[i]) depth++;
        if (strchr(")]}", t.p[i]) && t.p[i] && depth) depth--;
    }
    for (from = ++i; i < t.n && t.p[i] != '('; i++)
        if (t.p[i] == ' ') return STR("");
    return i < t.n ? str_n(t.p + from, i - from) : STR("");
}

struct str ev_module_name(struct str t, struct str *id)
{
    size_t open = str_rfind(t, '('), i;
    *id = STR("");
    if (open == SIZE_MAX || !str_ends(t, ")")) return t;
    for (i = open + 1; i + 1 < t.n; i++)
        if (!is_digit(t.p[i])) return t;
    *id = str_n(t.p + open + 1, t.n - open - 2);
    return id->n ? cut(t, open) : t;
}

static const char *const collective_op[] = {
    "all-reduce",
    "all-gather",
    "reduce-scatter",
    "all-to-all",
    "ragged-all-to-all",
    "collective-permute",
    "collective-broadcast",
    "send",
    "recv",
    "send-done",
    "recv-done",
    "all-reduce-scatter",
    "all-reduce fusion",
    "all-gather fusion",
    "reduce-scatter fusion",
    "all-reduce-scatter fusion",
};
/* JAX names instructions by its primitives: "psum.7" is an all-reduce. */
static const char *const collective_primitive[] = {
    "psum",
    "psum_invariant",
    "pmax",
    "pmin",
    "ppermute",
    "all_gather",
    "all_gather_invariant",
    "all_to_all",
    "ragged_all_to_all",
    "reduce_scatter",
    "psum_scatter",
};
static const char *const transfer_op[] = {"copy-start", "copy-done", "infeed", "outfeed"};

static bool among(struct str s, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(s, list[i])) return true;
    return false;
}
#define AMONG(s, list) among(s, list, sizeof(list) / sizeof *(list))

/* HINT_COLLECTIVE or HINT_TRANSFER by opcode. */
static unsigned opcode_hints(struct str op)
{
    if (AMONG(op, collective_op)) return HINT_COLLECTIVE;
    if (AMONG(op, transfer_op)) return HINT_TRANSFER;
    static const char *const half[] = {"-start", "-done", "-update"};
    for (size_t i = 0; i < 3; i++)
        if (str_ends(op, half[i]) && AMONG(cut(op, op.n - strlen(half[i])), collective_op))
            return HINT_COLLECTIVE;
    return 0;
}

unsigned ev_op_hints(struct str op)
{
    size_t i = str_rfind(op, ':');
    if (i != SIZE_MAX) op = str_from(op, i + 1);
    if (op.n && op.p[0] == '%') op = str_from(op, 1);
    for (i = op.n; i && (is_digit(op.p[i - 1]) || op.p[i - 1] == '.'); i--) continue;
    if (i < op.n && op.p[i] == '.') op.n = i; /* the number that makes the name unique */
    return HINT_OP | (AMONG(op, collective_primitive) ? HINT_COLLECTIVE : opcode_hints(op));
}

/* ---- host calls ---- */

enum { PREFIX, INSIDE };
/* What follows cu, cuda or hip; the first that fits decides. */
static const struct {
    const char *text;
    int how;
    enum ev_class c;
} api[] = {
    {"GraphLaunch", PREFIX, EV_GRAPH_LAUNCH},
    {"Synchronize", INSIDE, EV_SYNC},
    {"Launch", PREFIX, EV_LAUNCH},
    {"ModuleLaunch", PREFIX, EV_LAUNCH},
    {"ExtModuleLaunch", PREFIX, EV_LAUNCH},
    {"ExtLaunch", PREFIX, EV_LAUNCH},
    {"HccModuleLaunch", PREFIX, EV_LAUNCH},
    {"DrvMemcpy", PREFIX, EV_LAUNCH},
    {"Memcpy", PREFIX, EV_LAUNCH},
    {"Memset", PREFIX, EV_LAUNCH},
    {"MemsetD", PREFIX, EV_LAUNCH},
    {"MemPrefetch", PREFIX, EV_LAUNCH},
    {"MemAlloc", PREFIX, EV_ALLOC},
    {"MemFree", PREFIX, EV_ALLOC},
    {"MemHost", PREFIX, EV_ALLOC},
    {"MemCreate", PREFIX, EV_ALLOC},
    {"MemRelease", PREFIX, EV_ALLOC},
    {"MemMap", PREFIX, EV_ALLOC},
    {"MemUnmap", PREFIX, EV_ALLOC},
    {"MemAddress", PREFIX, EV_ALLOC},
    {"MemPool", PREFIX, EV_ALLOC},
    {"Malloc", INSIDE, EV_ALLOC},
    {"Free", PREFIX, EV_ALLOC},
    {"HostAlloc", PREFIX, EV_ALLOC},
    {"HostFree", PREFIX, EV_ALLOC},
    {"HostRegister", PREFIX, EV_ALLOC},
    {"HostUnregister", PREFIX, EV_ALLOC},
};

/* What follows cu, cuda or hip in the name of a call; empty: no call of theirs. */
static struct str api_name(struct str s)
{
    size_t skip = str_starts(s, "cuda") ? 4 : str_starts(s, "hip") ? 3 : str_starts(s, "cu") ? 2 : 0;
    struct str t = str_from(s, skip);
    return skip && t.n && t.p[0] >= 'A' && t.p[0] <= 'Z' ? t : STR("");
}

unsigned ev_name_hints(enum ev_line line, struct str name)
{
    return line == LINE_HOST && (api_name(name).n || str_starts(name, "hsa_")) ? HINT_API : 0;
}

static enum ev_class host_class(struct str s)
{
    struct str t = api_name(s);
    size_t end = str_find(t, STR("("));
    if (end != SIZE_MAX) t = cut(t, end);
    for (size_t i = 0; i < sizeof api / sizeof *api; i++)
        if (api[i].how == PREFIX ? str_starts(t, api[i].text) : str_has(t, api[i].text)) return api[i].c;
    return EV_HOST;
}

/* ---- streams ---- */

/* Activities on a stream that are no work, and those that are no kernel.  Prefixes. */
static const struct {
    const char *prefix;
    enum ev_class c;
} activity[] = {
    {"MemcpyH2D", EV_MEMCPY},
    {"MemcpyD2H", EV_MEMCPY},
    {"MemcpyD2D", EV_MEMCPY},
    {"MemcpyP2P", EV_MEMCPY},
    {"MemcpyH2H", EV_MEMCPY},
    {"MemcpyOther", EV_MEMCPY},
    {"Memset", EV_MEMSET},
    {"MemoryAlloc", EV_OTHER},
    {"MemoryFree", EV_OTHER},
    {"MemoryResidency", EV_OTHER},
    {"Overhead", EV_OTHER},
    {"UnifiedMemory", EV_OTHER},
    {"HostRegister", EV_OTHER},
    {"HostUnregister", EV_OTHER},
    {"ThreadMarker", EV_OTHER},
    {"hipMemcpy", EV_MEMCPY},
    {"hipMemset", EV_MEMSET},
    {"CopyHostToDevice", EV_MEMCPY},
    {"CopyDeviceTo", EV_MEMCPY},
    {"FillBuffer", EV_MEMSET},
    {"__amd_rocclr_copy", EV_MEMCPY},
    {"__amd_rocclr_fill", EV_MEMSET},
};

/* Device code of collective libraries, and XLA's own one-shot collectives. */
static const char *const collective_kernel[] = {
    "ncclDevKernel", "ncclKernel", "ncclDevFunc",     "rcclKernel",
    "mscclKernel",   "nvshmem",    "AllReduceKernel", "RaggedAllToAllKernel",
};

static enum ev_class stream_class(struct str s)
{
    for (size_t i = 0; i < sizeof activity / sizeof *activity; i++)
        if (str_starts(s, activity[i].prefix)) return activity[i].c;
    for (size_t i = 0; i < sizeof collective_kernel / sizeof *collective_kernel; i++)
        if (str_has(s, collective_kernel[i])) return EV_COLLECTIVE;
    return EV_KERNEL;
}

static enum ev_class by_hints(enum ev_class c, unsigned hints)
{
    return hints & HINT_COLLECTIVE ? EV_COLLECTIVE : hints & HINT_TRANSFER ? EV_MEMCPY : c;
}

enum ev_class ev_classify(enum ev_line line, struct str name, struct str text, struct str category)
{
    switch (line) {
    case LINE_HOST: return host_class(name);
    case LINE_STREAM: return stream_class(name);
    case LINE_OP: {
        struct str op = ev_instr_opcode(text);
        unsigned h = opcode_hints(category) | (op.n ? opcode_hints(op) : ev_op_hints(name));
        return by_hints(EV_OP, h);
    }
    case LINE_ASYNC: return EV_ASYNC;
    case LINE_MODULE: return EV_MODULE;
    case LINE_STEP: return EV_STEP;
    case LINE_COUNTER: return EV_COUNTER;
    default: return EV_OTHER;
    }
}

enum ev_class ev_refine(enum ev_class c, enum ev_line line, unsigned h)
{
    switch (line) {
    case LINE_UNSURE:
        if (!(h & (HINT_KERNEL | HINT_MEMCPY | HINT_MEMSET))) return c;
        c = EV_KERNEL;
        /* fall through */
    case LINE_STREAM:
        if (c != EV_KERNEL) return c;
        return h & HINT_MEMCPY       ? EV_MEMCPY
               : h & HINT_MEMSET     ? EV_MEMSET
               : h & HINT_COLLECTIVE ? EV_COLLECTIVE
                                     : c;
    case LINE_HOST: /* XLA:CPU runs its thunks on host threads */
        if (c != EV_HOST || (h & HINT_API)) return c;
        if (h & HINT_CALL) return h & HINT_GRAPH ? EV_GRAPH_LAUNCH : EV_LAUNCH;
        return h & HINT_OP ? by_hints(EV_OP, h) : c;
    default: return c;
    }
}
