/* Programs against their HLO, plans against themselves. */
#include "checks.h"
#include "num.h"
#include "plan.h"
#include "programs.h"
#include <inttypes.h>
#include <stdlib.h>

/* Every program that ran on a device has a module: by id, else by name. */
void checks_of_hlo(struct checks *c, const struct events *t, struct programs *p)
{
    int64_t *time = mem_alloc(t->nprogram, sizeof *time), all = 0, missing_ps = 0;
    bool *ran = mem_alloc(t->nprogram, sizeof *ran);
    uint64_t programs = 0, found = 0, by_name = 0;
    struct buf b = {0};
    for (size_t i = 0; i < t->n; i++) {
        const struct event *v = &t->event[i];
        if (!event_is(v, EV_DEVICE) || v->program == EV_NONE) continue;
        ran[v->program] = true;
        time[v->program] = num_add(time[v->program], v->dur);
    }
    for (uint32_t q = 0; q < t->nprogram; q++) {
        if (!ran[q]) continue;
        programs++;
        all = num_add(all, time[q]);
        uint32_t k = programs_find(p, t->program[q].id, t->program[q].module);
        if (k != PROGRAM_NONE && p->program[k].m) {
            found++;
            by_name += p->program[k].by_name;
            continue;
        }
        missing_ps = num_add(missing_ps, time[q]);
        if (b.n < 300)
            buf_fmt(&b, "; without: %.*s(%.*s)", (int)tsv_cut(t->program[q].module, 80),
                    t->program[q].module.p, (int)t->program[q].id.n, t->program[q].id.p);
    }
    if (!programs)
        check_cannot(c, "program_has_hlo", STR("-"), "no device event names a program");
    else
        check_equal(c, "program_has_hlo", STR("-"), (int64_t)programs, (int64_t)found,
                    check_share((double)missing_ps, (double)all),
                    "programs that ran and have HLO; %" PRIu64 " by name alone, their id differs%s", by_name,
                    buf_cstr(&b));
    buf_free(&b);
    free(time);
    free(ran);
}

static int64_t spaces_total(const struct plan *p)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < p->nspace; i++) sum = num_add(sum, p->space[i].total);
    return sum;
}

static int on_plan(struct plan *p, void *context)
{
    struct checks *c = context;
    struct buf name = {0};
    int64_t sum = 0;
    tsv_escape(&name, p->module);
    struct str scope = name.n ? buf_view(&name) : STR("-");
    for (uint32_t i = 0; i < p->nalloc; i++) sum = num_add(sum, p->alloc[i].size);
    if (p->nspace)
        check_equal(c, "plan_spaces_are_allocations", scope, sum, spaces_total(p), 0,
                    "bytes of the allocations, and of the memory spaces together");
    if (p->total_used >= 0)
        check_equal(c, "plan_total_is_allocations", scope, p->total_used, sum,
                    check_share((double)llabs(p->total_used - sum), (double)p->total_used),
                    "bytes that the plan says it uses, and the sum of its allocations");
    else
        check_cannot(c, "plan_total_is_allocations", scope, "the plan states no total of its own");
    if (p->nbuffer) {
        double all = (double)p->nbuffer;
        check_none(c, "plan_buffers_inside", scope, p->fault[PLAN_BEYOND],
                   check_share((double)p->fault[PLAN_BEYOND], all),
                   "buffers that reach beyond their allocation");
        check_none(c, "plan_buffers_apart", scope, p->fault[PLAN_OVERLAP],
                   check_share((double)p->fault[PLAN_OVERLAP], all),
                   "values alive on the same bytes that are no aliases");
        uint64_t odd = p->fault[PLAN_FREE_UNMADE] + p->fault[PLAN_UNKNOWN_ID];
        check_none(c, "plan_events_match", scope, odd, check_share((double)odd, all),
                   "heap events that free what was not made, or name an unknown buffer");
    }
    buf_free(&name);
    plan_free(p);
    return 0;
}

int checks_of_plan(struct checks *c, const char *path, struct err *e)
{
    size_t before = c->n;
    int r = plan_read_path(path, on_plan, c, e);
    if (!r && c->n == before) check_cannot(c, "plan_total_is_allocations", STR("-"), "no plan in %s", path);
    return r;
}
