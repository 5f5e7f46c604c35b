/* Liveness: plans made by hand, and random ones against slow and simple versions of the same rules. */
#include "blame.h"
#include "check.h"
#include "live.h"
#include "num.h"
#include "shrink.h"
#include <string.h>

static uint64_t seed = 7;
static uint32_t dice(uint32_t n)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(seed >> 33) % n;
}

/* ---- plans by hand ---- */

static const struct plan_about nothing;
enum { ROOM = 512 };

static struct plan *empty(void)
{
    struct plan *p = plan_new(PLAN_FROM_TABLE, "test");
    p->alloc = mem_alloc(ROOM, sizeof *p->alloc);
    p->buffer = mem_alloc(ROOM, sizeof *p->buffer);
    p->event = mem_alloc(ROOM, sizeof *p->event);
    p->trace = mem_alloc(ROOM, sizeof *p->trace);
    return p;
}

static struct plan_alloc *alloc(struct plan *p, int64_t size)
{
    struct plan_alloc *a = &p->alloc[p->nalloc];
    *a = (struct plan_alloc){.index = p->nalloc++, .size = size, .parameter = -1, .first = p->nbuffer};
    return a;
}

/* A buffer of the latest allocation; its id is its index. */
static struct plan_buffer *buffer(struct plan *p, int64_t size)
{
    struct plan_buffer *b = &p->buffer[p->nbuffer];
    *b = (struct plan_buffer){.alloc = p->nalloc - 1, .trace = PLAN_NONE, .id = p->nbuffer++, .size = size};
    b->color = b->alloc_order = b->free_order = b->share_with = b->start = b->end = -1;
    b->unpadded = size;
    b->about = &nothing;
    p->alloc[b->alloc].count++;
    return b;
}

static void trace(struct plan *p)
{
    p->trace[p->ntrace++] = (struct plan_trace){.first = p->nevent, .alloc_index = -1};
}
static void event(struct plan *p, enum plan_event_kind kind, int64_t id, int64_t share_with)
{
    p->event[p->nevent++] = (struct plan_event){.kind = kind, .buffer = id, .share_with = share_with};
    p->trace[p->ntrace - 1].count++;
}
#define ALLOC(id)       event(p, PLAN_ALLOC, id, -1)
#define FREE(id)        event(p, PLAN_FREE, id, -1)
#define SHARE(id, with) event(p, PLAN_SHARE, id, with)

static const struct live_rules hbm;

static void sums_and_ties(void)
{
    struct plan *p = empty();
    struct live l;
    alloc(p, 100)->is_parameter = true;
    buffer(p, 90); /* the allocation counts, not its value */
    alloc(p, 7)->thread_local_ = true;
    buffer(p, 7);
    alloc(p, 50)->constant = true; /* nothing in it: it counts in the sum, not in the heap */
    alloc(p, 40);
    buffer(p, 10);
    buffer(p, 20)->unpadded = 5;
    buffer(p, 20);
    trace(p);
    ALLOC(2), ALLOC(3), FREE(3), ALLOC(4), FREE(2), FREE(4);
    live_run(p, &hbm, &l);
    CHECK(l.basis == LIVE_PLAN && l.nstep == 6 && l.end_order == 6);
    CHECK(l.fixed == 100 && l.indefinite == 150 && l.total == 190 && l.non_reusable == 7);
    CHECK(l.peak == 130 && l.peak_step == 1); /* a tie does not move it */
    CHECK(l.peak_unpadded == 115);
    CHECK(l.faults == 0 && l.heaps == 1 && l.allocs == 1);
    CHECK(live_peak(l.hold, l.nhold, l.nstep, true, NULL) == 30);
    live_free(&l);
    live_run(p, &(struct live_rules){.old_thread_local = true}, &l);
    CHECK(l.fixed == 107 && l.total == 197 && l.peak == 137);
    live_free(&l);
    plan_free(p);
}

static void aliases(void)
{
    struct plan *p = empty();
    struct live l;
    struct live_item *it;
    alloc(p, 64);
    buffer(p, 32);
    buffer(p, 24);
    buffer(p, 8);
    trace(p);
    ALLOC(0), SHARE(1, 0), FREE(0), FREE(1);  /* shared while it lives: one memory */
    ALLOC(0), FREE(0), SHARE(1, 0), ALLOC(2); /* taken over when it was free: the alias shows */
    live_run(p, &hbm, &l);
    CHECK(l.step[1].delta == 0 && l.step[2].delta == 0 && l.step[3].delta == -32);
    CHECK(l.step[6].delta == 32 && l.peak == 40 && l.peak_step == 7);
    size_t n = live_at(&l, l.peak_step, &it);
    CHECK(n == 2 && it[0].buffer == 1 && it[0].size == 24 && it[0].held == 32 && it[1].buffer == 2);
    free(it);
    n = live_at(&l, 1, &it);
    CHECK(n == 1 && it[0].buffer == 0 && it[0].start == 0 && it[0].end == 3);
    free(it);
    live_free(&l);
    plan_free(p);
}

static void broken(void)
{
    struct plan *p = empty();
    struct live l;
    alloc(p, 64);
    buffer(p, 32);
    buffer(p, 8);
    trace(p);
    ALLOC(0), FREE(1), ALLOC(77), FREE(0), FREE(0), SHARE(1, 1), SHARE(1, 99);
    live_run(p, &hbm, &l);
    CHECK(l.faults == 3 && l.fault_step == 1 && l.unknown == 2 && l.peak == 32);
    live_free(&l);
    plan_free(p);
}

/* The trace of the lowest allocation of the space; without one, by the values' own colour. */
static void which_trace(void)
{
    struct plan *p = empty();
    struct live l;
    alloc(p, 10)->color = 1;
    buffer(p, 10);
    alloc(p, 20);
    buffer(p, 20);
    alloc(p, 30);
    buffer(p, 30);
    trace(p);
    ALLOC(0), ALLOC(1); /* begins in memory 1 */
    trace(p);
    ALLOC(2);
    trace(p);
    ALLOC(1);
    live_run(p, &hbm, &l);
    CHECK(l.trace == 2 && l.heaps == 2 && l.peak == 20);
    live_free(&l);
    live_run(p, &(struct live_rules){.space = 1}, &l);
    CHECK(l.trace == 0 && l.heaps == 1 && l.allocs == 2);
    live_free(&l);
    live_run(p, &(struct live_rules){.space = 5}, &l);
    CHECK(l.basis == LIVE_FIXED && l.peak == 0 && l.nstep == 0);
    live_free(&l);
    p->buffer[1].color = 5;
    live_run(p, &(struct live_rules){.space = 5}, &l);
    CHECK(l.trace == 0); /* one event each: the lower index */
    live_free(&l);
    plan_free(p);
}

/* ---- the replay against a slow one ---- */

struct slow {
    int64_t heap[ROOM], peak, unpadded;
    uint32_t at;
};

/* Spec: memory viewer 2.5 word by word, with lists. */
static void slow_replay(const struct plan *p, struct slow *s)
{
    int64_t canonical[ROOM], refs[ROOM] = {0}, h = 0, u = 0;
    for (int i = 0; i < ROOM; i++) canonical[i] = -1;
    *s = (struct slow){0};
    for (uint32_t k = 0; k < p->nevent; k++) {
        const struct plan_event *e = &p->event[k];
        int64_t root = e->kind == PLAN_SHARE ? e->share_with : e->buffer, grows = -1;
        s->heap[k] = h;
        while (canonical[root] >= 0) root = canonical[root];
        if (e->kind == PLAN_ALLOC) refs[root]++, grows = e->buffer;
        if (e->kind == PLAN_SHARE) {
            canonical[e->buffer] = e->share_with;
            if (++refs[root] == 1) grows = root;
        }
        if (e->kind == PLAN_FREE && --refs[root] == 0)
            h -= p->buffer[root].size, u -= p->buffer[root].unpadded;
        if (grows >= 0) h += p->buffer[grows].size, u += p->buffer[grows].unpadded;
        if (grows >= 0 && h > s->peak) s->peak = h, s->unpadded = u, s->at = k;
    }
    s->heap[p->nevent] = h;
}

static struct plan *random_plan(void)
{
    struct plan *p = empty();
    uint32_t n = 2 + dice(30), live[64], nlive = 0;
    alloc(p, 100000);
    for (uint32_t i = 0; i < n; i++) buffer(p, 1 + dice(50))->unpadded = 1 + dice(50);
    trace(p);
    for (uint32_t next = 0; next < n || nlive;) {
        if (next < n && (!nlive || dice(2))) {
            if (next && !dice(3))
                SHARE(next, dice(next)); /* of one that lives, or of one that is gone */
            else
                ALLOC(next);
            live[nlive++] = next++;
        } else {
            uint32_t k = dice(nlive);
            FREE(live[k]);
            live[k] = live[--nlive];
        }
    }
    return p;
}

static void random_replays(void)
{
    for (int round = 0; round < 2000; round++) {
        struct plan *p = random_plan();
        struct live l;
        struct slow s;
        int64_t heap = 0;
        bool same = true;
        slow_replay(p, &s);
        live_run(p, &hbm, &l);
        for (uint32_t k = 0; k < l.nstep; k++) same &= heap == s.heap[k], heap += l.step[k].delta;
        CHECK(same && heap == s.heap[p->nevent] && !l.faults);
        CHECK(l.peak == s.peak && l.peak_step == s.at && l.peak_unpadded == s.unpadded);
        CHECK(live_peak(l.hold, l.nhold, l.nstep, true, NULL) == s.peak);
        live_free(&l);
        plan_free(p);
    }
}

/* ---- live ranges against counting every byte ---- */

/* Of values that live from `from` to `to`. */
static int64_t bytes_at(const struct plan *p, int64_t from, int64_t to)
{
    bool taken[256] = {0};
    int64_t n = 0;
    for (uint32_t i = 0; i < p->nbuffer; i++)
        for (int64_t b = 0; p->buffer[i].start <= from && to <= p->buffer[i].end && b < p->buffer[i].size;
             b++)
            taken[p->buffer[i].offset + b] = true;
    for (int b = 0; b < 256; b++) n += taken[b];
    return n;
}

static void random_ranges(void)
{
    for (int round = 0; round < 1000; round++) {
        struct plan *p = empty();
        struct live l;
        int64_t most = 0, heap = 0;
        uint32_t n = 1 + dice(20);
        alloc(p, 200);
        for (uint32_t i = 0; i < n; i++) {
            struct plan_buffer *b = buffer(p, 1 + dice(40));
            b->offset = dice(150);
            b->start = dice(30);
            b->end = b->start + dice(10);
        }
        p->has_ranges = true;
        for (int64_t t = 0; t < 40; t++)
            if (bytes_at(p, t, t) > most) most = bytes_at(p, t, t);
        live_run(p, &hbm, &l);
        CHECK(l.basis == LIVE_RANGES && l.peak == most && l.occupied_peak == most);
        CHECK(live_peak(l.hold, l.nhold, l.nstep, false, NULL) == most);
        for (uint32_t k = 0; k < l.nstep; k++) {
            heap += l.step[k].delta;
            if (k + 1 < l.nstep && l.step[k + 1].order == l.step[k].order) continue;
            struct live_item *it;
            int64_t sum = 0;
            for (size_t i = live_at(&l, k, &it); i-- > 0;) sum += it[i].held;
            free(it);
            CHECK(sum == heap && heap == bytes_at(p, l.step[k].order, l.step[k].order + 1));
        }
        CHECK(heap == 0);
        live_free(&l);
        plan_free(p);
    }
}

/* ---- what if ---- */

static const struct shrink_row *row(const struct shrink *s, enum shrink_cause c)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->row[i].cause == c && s->row[i].all) return &s->row[i];
    return NULL;
}

static void shrinks(void)
{
    static const struct plan_about copy = {.layout_change = {"{0,1}->{1,0}", 12}, .copy_of = {"a", 1}};
    struct plan *p = empty();
    struct live l;
    struct shrink s;
    alloc(p, 100)->is_parameter = true;
    buffer(p, 100)->shape = STR("f32[25]{0}");
    alloc(p, 100)->maybe_live_out = true;
    buffer(p, 100)->shape = STR("f32[25]{0}");
    alloc(p, 1000);
    buffer(p, 50)->instr = STR("a");
    buffer(p, 50)->about = &copy;
    buffer(p, 30)->unpadded = 10;
    p->buffer[4].shape = STR("f32[3]{0}");
    buffer(p, 90);
    trace(p);
    ALLOC(2), ALLOC(3), FREE(2), ALLOC(4), FREE(4), FREE(3), ALLOC(5), FREE(5);
    live_run(p, &hbm, &l);
    CHECK(l.peak == 300 && l.peak_step == 1);
    shrink_peak(&l, &s);
    /* without the copy `a` stays in its place: 50 + 30 = 80, but 90 comes later: the fall is 10, not 50 */
    CHECK(row(&s, SHRINK_LAYOUT_COPY) && row(&s, SHRINK_LAYOUT_COPY)->peak_after == 290);
    CHECK(row(&s, SHRINK_UNDONATED) && row(&s, SHRINK_UNDONATED)->peak_after == 200);
    CHECK(row(&s, SHRINK_PADDING) && row(&s, SHRINK_PADDING)->peak_after == 300);
    CHECK(row(&s, SHRINK_BF16) && row(&s, SHRINK_BF16)->touched == 30);
    CHECK(s.row[0].cause == SHRINK_UNDONATED); /* what helps most */
    shrink_free(&s);
    struct blame b;
    int64_t kinds = 0;
    blame_peak(&l, &b);
    for (size_t i = 0; i < b.n; i++)
        if (b.row[i].by == BLAME_KIND) kinds += b.row[i].bytes;
    CHECK(kinds == l.peak);
    blame_free(&b);
    live_free(&l);
    plan_free(p);
}

int main(void)
{
    sums_and_ties();
    aliases();
    broken();
    which_trace();
    random_replays();
    random_ranges();
    shrinks();
    DONE;
}
