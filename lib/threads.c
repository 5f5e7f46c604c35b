#include "threads.h"
#include "nest.h"
#include <stdlib.h>

static bool any_start(struct str s, const char *const *list)
{
    for (; *list; list++)
        if (str_starts(s, *list)) return true;
    return false;
}

/* clang-format off */
static const char *const waits[] = {
    "np.asarray(jax.Array)", "block_until_ready", "jax.block_until_ready", "BlockUntilReady", "BlockHostUntilReady",
    "AwaitReady", "Await", "PjRtFuture::Await", "cuStreamSynchronize", "cudaStreamSynchronize",
    "hipStreamSynchronize", "cuCtxSynchronize", "cudaDeviceSynchronize", "hipDeviceSynchronize",
    "cuEventSynchronize", "cudaEventSynchronize", "hipEventSynchronize", NULL};
static const char *const xla_ranges[] = { /* those without "::" */
    "Wait for ", "RecordUsage", "MakeOutputBuffers", "Resolve constant", "Build buffer", "ThenExecuteCallback",
    "ComputeSemaphore", "ParseArguments", "PJRT_", "Pjrt", "backend_compile", "trace_to_jaxpr", "lower_", "D2D", "H2D",
    "DoEnqueue", "EnqueueContinuation", "MemoryAllocation", "MemoryDeallocation", "CommonPjRt", "Handle inputs",
    "Execute", "Transfer", "BatchedDevicePut", "DevicePut", "ReadSyncFlag", "IssueEvent", "dependency", "Threadpool",
    "shard_args", "ArrayImpl.", "hlo-", "LoadProgram", "MapDmaBuffer", "CompleteCallbacks", NULL};
/* clang-format on */

bool thread_is_wait(struct str s)
{
    return any_start(s, waits) ||
           (str_starts(s, "$") && (str_has(s, "block_until_ready") || str_ends(s, " _value")));
}

bool thread_is_compile(struct str s)
{
    return str_has(s, "backend_compile") || str_has(s, "Compiler::Compile") ||
           str_has(s, "Client::Compile") || str_has(s, "XlaCompile") || str_has(s, "::RunBackend") ||
           str_has(s, "utotun") || str_has(s, "trace_to_jaxpr") || str_has(s, "lower_sharding_computation");
}
const char *thread_kind(const struct threads *h, const struct event *v)
{
    struct str s = event_name(h->t, v->name);
    if (thread_is_wait(s)) return "wait";
    if (str_starts(s, "$")) return "python";
    if (str_starts(s, "PjitFunction(")) return "pjit";
    if (event_is(v, EV_API)) return "api";
    if (v->class == EV_STEP) return "step";
    bool op = v->op != EV_NONE || (v->name != EV_NONE && h->is_op[v->name]);
    return op || str_has(s, "::") || str_has(s, "XLA GPU module") || any_start(s, xla_ranges) ? "xla"
                                                                                              : "annotation";
}

static void add_piece(void *context, uint32_t event, int64_t a, int64_t b)
{
    struct thread *l = context;
    l->piece = mem_grow(l->piece, &l->cap, l->n + 1, sizeof *l->piece);
    l->piece[l->n++] = (struct thread_piece){a, b, event};
}

const struct thread *thread_line(struct threads *h, uint32_t line)
{
    struct thread *l = &h->line[line];
    const struct event_line *el = &h->t->line[line];
    if (l->made) return l;
    l->made = true;
    struct nest nest = {.emit = add_piece, .context = l};
    for (size_t i = el->from; i < el->from + el->n; i++)
        if (event_is(&h->t->event[i], EV_CALLS | EV_BIT(EV_STEP)))
            nest_push(&nest, (uint32_t)i, h->t->event[i].start, event_end(&h->t->event[i]));
    nest_end(&nest);
    return l;
}

size_t thread_piece_from(const struct thread *l, int64_t t)
{
    size_t lo = 0, hi = l->n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (l->piece[mid].b <= t)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool has_calls(const struct event_line *l)
{
    return l->count[EV_LAUNCH] || l->count[EV_GRAPH_LAUNCH] || l->count[EV_SYNC] || l->count[EV_ALLOC];
}

/* How well a range says "I made this call": the range of the instruction itself, XLA's execution, or any
 * other but the python side, which waits elsewhere. */
static int fit(const struct events *t, const struct event *range, const struct event *call)
{
    struct str s = event_name(t, range->name);
    if (call->op != EV_NONE && (range->op == call->op || range->name == call->op)) return 8;
    if (str_has(s, "ExecuteThunks") || str_has(s, "XLA GPU module") || str_has(s, "EnqueueExecution"))
        return 4;
    return !str_starts(s, "$") && !str_starts(s, "PjitFunction(") && range->class != EV_STEP;
}

/* Up to 64 calls of the line are looked up on each of the first PARTNERS lines of its plane. */
enum { PARTNERS = 1024 };

uint32_t thread_partner(struct threads *h, uint32_t line)
{
    struct thread *self = &h->line[line];
    const struct events *t = h->t;
    const struct event_line *l = &t->line[line];
    if (self->partner_known) return self->partner;
    self->partner_known = true;
    int best = 0;
    size_t stride = l->n / 64 + 1;
    for (uint32_t k = 0; k < t->plane[l->plane].nline && k < PARTNERS; k++) {
        uint32_t other = t->by_plane[t->plane[l->plane].from + k];
        int score = 0;
        if (other == line || has_calls(&t->line[other]) || !t->line[other].n) continue;
        const struct thread *o = thread_line(h, other);
        for (size_t i = l->from; i < l->from + l->n; i += stride) {
            const struct event *call = &t->event[i];
            size_t at = thread_piece_from(o, call->start);
            if (at < o->n && o->piece[at].a <= call->start)
                score += fit(t, &t->event[o->piece[at].event], call);
        }
        score = 2 * score - h->line[other].taken;
        if (score > best) best = score, self->partner = other;
    }
    if (self->partner != EV_NONE) h->line[self->partner].taken = true;
    return self->partner;
}

struct threads threads_of(const struct events *t)
{
    struct threads h = {t, mem_alloc(t->nline, sizeof *h.line), EV_NONE, mem_alloc(t->name.count, 1)};
    uint64_t best = 0;
    for (size_t i = 0; i < t->n; i++)
        if (t->event[i].op != EV_NONE && event_is(&t->event[i], EV_DEVICE | EV_LAUNCHES))
            h.is_op[t->event[i].op] = true;
    for (uint32_t i = 0; i < t->nline; i++) {
        const struct event_line *l = &t->line[i];
        uint64_t score = 0;
        h.line[i].partner = EV_NONE;
        if (!t->plane[l->plane].is_host) continue;
        for (size_t k = l->from; k < l->from + l->n; k++) {
            struct str s = event_name(t, t->event[k].name);
            score +=
                t->event[k].class == EV_STEP ? 1000000 : str_starts(s, "PjitFunction(") || str_starts(s, "$");
        }
        if (score > best) best = score, h.driver = i;
    }
    return h;
}

void threads_free(struct threads *h)
{
    for (uint32_t i = 0; h->line && i < h->t->nline; i++) free(h->line[i].piece);
    free(h->line);
    free(h->is_op);
    h->line = NULL;
    h->is_op = NULL;
}
