/* What follows from the checks: what the capture cannot support, and what to capture instead. */
#include "checks.h"
#include <stdlib.h>

static const struct consequence {
    const char *check;
    bool cannot;                    /* also where the check could not be made */
    const char *statement;          /* not supported */
    const char *question, *capture; /* what is open, what answers it; NULL: nothing to capture */
} consequences[] = {
    {"event_has_launch", true,
     "launch delays, queue share and causes of idle time for the events without a call",
     "which call launched each device event",
     "host and device tracing in one session: host_tracer_level 2, device_tracer_level 1; start the trace "
     "before the first step to be traced"},
    {"run_has_call", true, "delays between the host's call and the module's run",
     "which call started each run", "host_tracer_level 2; table: xplane2tsv -s device_ordinal"},
    {"launch_has_events", false, "kernels per launch and device time: events are missing behind these calls",
     "what the launches without events ran",
     "fewer steps per capture (two or three), so that no buffer overflows"},
    {"launch_after_last_event", false,
     "anything behind the last device event: the tracer stopped before the host", "what ran in the last part",
     "fewer steps per capture; block_until_ready before stop_trace"},
    {"correlation_id_unique", false, "which of two calls with one id launched an event", NULL, NULL},
    {"graph_nodes_constant", false, "sums over graph kernels: launches of one graph differ in length",
     "which graph nodes were lost", "fewer steps per capture"},
    {"clocks_agree", true, "launch delays: host and device clocks differ", "how far the clocks are apart",
     "a capture of one long step: the offset is the most negative delay"},
    {"kernels_per_step_constant", false,
     "per-step averages: steps differ in what they ran, or events are missing",
     "whether steps differ or events were lost",
     "StepTraceAnnotation around each step, fewer steps per capture"},
    {"devices_do_the_same", false,
     "comparing devices kernel by kernel: they ran different work, or events are missing", NULL, NULL},
    {"budget_sums_to_span", false, "time budgets", NULL, NULL},
    {"stream_without_overlap", false, "start and end of neighbouring events in a stream, by the overlap",
     NULL, NULL},
    {"ops_nest", false, "self times of ops, by what crosses", NULL, NULL},
    {"op_time_is_device_time", true,
     "time per instruction and per source line for the rest of the device time",
     "which instruction each kernel belongs to",
     "XLA_FLAGS=--xla_dump_to=DIR --xla_dump_hlo_as_text --xla_dump_hlo_as_proto, then attrib --hlo DIR"},
    {"ops_inside_runs", false, "time per program for ops outside the runs of modules", NULL, NULL},
    {"no_end_before_start", false, "durations of these events: they end before they start", NULL, NULL},
    {"rows_in_order", false, "the order in which events of one line were recorded", NULL, NULL},
    {"starts_in_window", false, "times of these events: they lie before the capture", NULL, NULL},
    {"ends_in_window", false, "times of these events: they lie behind the capture", NULL, NULL},
    {"no_event_cap", false, "everything behind the cap", "what happened behind the cap",
     "the .xplane.pb of the same capture, which has no cap"},
    {"capture_without_messages", false, "completeness: the profiler itself reports trouble", NULL, NULL},
    {"no_dropped_events_message", false, "counts and sums: the profiler dropped events", "what was dropped",
     "fewer steps per capture, host_tracer_level 1, python_tracer_level 0"},
    {"no_empty_device_planes", false, "the devices without events: idle, or not traced",
     "whether the empty devices ran anything", "y.sharding, y.addressable_shards in the program"},
    {"json_events", false, "conclusions from the JSON: it lacks events of the capture", NULL, NULL},
    {"json_duration", false, "sums over the JSON", NULL, NULL},
    {"json_names", false, "names in the JSON", NULL, NULL},
    {"json_complete", false, "everything behind the JSON's cap", NULL, NULL},
    {"program_has_hlo", false, "instructions, flops and lines of the programs without HLO",
     "the HLO of these programs",
     "an XLA dump, or compiled.as_text(); without the compilation cache, which skips the dump"},
    {"plan_total_is_allocations", false, "memory figures of this plan", NULL, NULL},
    {"plan_spaces_are_allocations", false, "memory figures of this plan", NULL, NULL},
    {"plan_buffers_inside", false, "offsets in this plan", NULL, NULL},
    {"plan_buffers_apart", false, "offsets and live ranges in this plan", NULL, NULL},
    {"plan_events_match", false, "the timeline of this plan", NULL, NULL},
    {"csv_kernel_count", false, "counts per kernel: another reader of the same capture differs", NULL, NULL},
    {"csv_kernel_time", false, "time per kernel: another reader of the same capture differs", NULL, NULL},
    {"csv_hlo_count", false, "counts per instruction: another reader of the same capture differs", NULL,
     NULL},
    {"csv_hlo_time", false, "time per instruction: another reader of the same capture differs", NULL, NULL},
};

static const struct consequence *consequence(const struct check *k)
{
    for (size_t i = 0; i < sizeof consequences / sizeof *consequences; i++)
        if (!strcmp(consequences[i].check, k->name) &&
            (k->verdict == CHECK_FAILS || (k->verdict == CHECK_CANNOT && consequences[i].cannot)))
            return &consequences[i];
    return NULL;
}

size_t checks_unreliable(const struct checks *c, struct unreliable **out)
{
    size_t n = 0;
    *out = mem_alloc(c->n, sizeof **out);
    for (size_t i = 0; i < c->n; i++) {
        const struct consequence *q = consequence(&c->row[i]);
        if (q) (*out)[n++] = (struct unreliable){q->statement, &c->row[i]};
    }
    return n;
}

/* A program's frame for a capture that leaves none of these questions open. */
static const char *const script_head[] = {
    "#!/usr/bin/env python3", "import os",
    "# set before jax is imported: both are read once, when the process starts"};
static const char *const script_gpu[] = {
    "os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_dump_to=capture/dump "
    "--xla_dump_hlo_as_text --xla_dump_hlo_as_proto --xla_enable_command_buffers_during_profiling=true'"};
static const char *const script_tpu[] = {
    "os.environ['XLA_FLAGS'] = os.environ.get('XLA_FLAGS', '') + ' --xla_dump_to=capture/dump "
    "--xla_dump_hlo_as_text --xla_dump_hlo_as_proto'",
    "os.environ['LIBTPU_INIT_ARGS'] = os.environ.get('LIBTPU_INIT_ARGS', '') + ' "
    "--xla_enable_custom_call_region_trace=true --xla_xprof_register_llo_debug_info=true'"};
static const char *const script_tail[] = {
    "import jax",
    "from program import step, state, batch  # yours: one training or inference step, its inputs",
    "step = jax.jit(step)  # one top-level jit: one program per step",
    "for _ in range(3):    # warm up: compile, autotune, first graph launch",
    "    state = jax.block_until_ready(step(state, batch))",
    "jax.profiler.start_trace('capture')",
    "for i in range(3):    # few steps: no buffer of the tracer overflows",
    "    with jax.profiler.StepTraceAnnotation('train', step_num=i):",
    "        state = jax.block_until_ready(step(state, batch))",
    "jax.profiler.stop_trace()",
    "print(jax.default_backend(), jax.devices(), jax.tree.leaves(state)[0].sharding)",
    "# leaves capture/plugins/profile/*/*.xplane.pb, *.trace.json.gz and capture/dump"};

static void add_script(struct question *q, size_t *n, const char *const *line, size_t count)
{
    for (size_t i = 0; i < count; i++) q[(*n)++] = (struct question){"script", line[i]};
}
#define LINES(a) a, sizeof a / sizeof *a

size_t checks_questions(const struct checks *c, const struct events *t, struct question **out)
{
    size_t n = 0, tpu = 0;
    *out = mem_alloc(c->n + 40, sizeof **out);
    for (size_t i = 0; i < c->n; i++) {
        const struct consequence *q = consequence(&c->row[i]);
        bool said = !q || !q->question;
        for (size_t k = 0; k < n && !said; k++) said = (*out)[k].question == q->question;
        if (!said) (*out)[n++] = (struct question){q->question, q->capture};
    }
    for (uint32_t p = 0; p < t->nplane; p++) tpu += str_starts(t->plane[p].name, "/device:TPU");
    add_script(*out, &n, LINES(script_head));
    tpu ? add_script(*out, &n, LINES(script_tpu)) : add_script(*out, &n, LINES(script_gpu));
    add_script(*out, &n, LINES(script_tail));
    return n;
}
