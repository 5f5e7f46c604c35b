/* The columns of xplane2tsv's tables besides event. */
#ifndef XPLANE_COLUMNS_H
#define XPLANE_COLUMNS_H
#include "opt.h"

static const struct column plane_columns[] = {
    {"plane", "text", "-", "name"},
    {"plane_id", "int", "-", "may be 0 for all"},
    {"kind", "enum", "-", "host gpu device other"},
    {"lines", "int", "-", "how many"},
    {"events", "int", "-", "how many"},
    {"event_names", "int", "-", "how many"},
    {"device", "text", "-", "what the hardware is called"},
    {"device_vendor", "text", "-", "stat of that name, like all that follow"},
    {"gpu_device_name", "text", "-", ""},
    {"device_type_string", "text", "-", ""},
    {"clock_rate", "int", "kHz", ""},
    {"core_count", "int", "-", "SMs or CUs"},
    {"memory_size", "int", "bytes", ""},
    {"memory_bandwidth", "int", "bytes/s", ""},
    {"compute_cap_major", "int", "-", ""},
    {"compute_cap_minor", "int", "-", ""},
    {"peak_teraflops_per_second", "float", "10^12 flops/s", ""},
    {"peak_hbm_bw_gigabytes_per_second", "float", "10^9 bytes/s", ""},
    {"peak_cmem_rd_bw_gigabytes_per_second", "float", "10^9 bytes/s", ""},
    {"peak_cmem_wr_bw_gigabytes_per_second", "float", "10^9 bytes/s", ""},
    {"peak_vmem_rd_bw_gigabytes_per_second", "float", "10^9 bytes/s", ""},
    {"peak_vmem_wr_bw_gigabytes_per_second", "float", "10^9 bytes/s", ""},
    {"peak_sram_rd_bw_gigabytes_per_second", "float", "10^9 bytes/s", ""},
    {"peak_sram_wr_bw_gigabytes_per_second", "float", "10^9 bytes/s", ""},
    {"has_megacore", "bool", "-", ""},
    {"has_merged_vmem", "bool", "-", ""},
    {NULL, NULL, NULL, NULL},
};

static const struct column line_columns[] = {
    {"plane", "text", "-", "name of its plane"},
    {"line", "text", "-", "name"},
    {"line_id", "int", "-", ""},
    {"display_id", "int", "-", "order in viewers"},
    {"kind", "enum", "-", "host stream op async module step counter derived unknown"},
    {"events", "int", "-", "how many"},
    {"aggregated", "int", "-", "of these: counts without a start"},
    {"first_ps", "int", "ps", "first start"},
    {"last_ps", "int", "ps", "last end"},
    {"dur_ps", "int", "ps", "sum of the events' durations, nested ones again"},
    {"timestamp_ns", "int", "ns", "as in the file"},
    {NULL, NULL, NULL, NULL},
};

static const struct column stat_columns[] = {
    {"plane", "text", "-", "name of its plane"},
    {"line", "text", "-", "for stats of events: their line"},
    {"event", "text", "-", "for stats that hold for all events of a name: that name"},
    {"key", "text", "-", "the stat's name, for -s"},
    {"type", "enum", "-", "double uint64 int64 str bytes ref compressed_str"},
    {"value", "text", "-", "where it is constant; bytes in hexadecimal"},
    {"events", "int", "-", "for stats of events: how many have it"},
    {NULL, NULL, NULL, NULL},
};

static const struct column module_columns[] = {
    {"plane", "text", "-", "where it ran"},
    {"line", "text", "-", ""},
    {"line_id", "int", "-", ""},
    {"module", "text", "-", "name of the program"},
    {"program_id", "int", "-", "unsigned"},
    {"run_id", "int", "-", "of this run"},
    {"start_ps", "int", "ps", "from the capture's origin"},
    {"dur_ps", "int", "ps", "duration"},
    {"events", "int", "-", "from ops: how many"},
    {"from", "enum", "-",
     "line: a module line of the device; ops: the ops that name the run; host: a host event"},
    {NULL, NULL, NULL, NULL},
};

static const struct column hlo_columns[] = {
    {"module", "text", "-", "name of the program"},
    {"program_id", "int", "-", "unsigned"},
    {"bytes", "int", "bytes", "size of its HloProto"},
    {"computations", "int", "-", "how many"},
    {"instructions", "int", "-", "how many"},
    {"plan", "bool", "-", "a buffer assignment is in it"},
    {"time_ps", "int", "ps", "how long it ran, all devices together"},
    {"runs", "int", "-", "how often, where the capture says"},
    {"main", "bool", "-", "the longest running, else the largest"},
    {NULL, NULL, NULL, NULL},
};

static const struct column step_columns[] = {
    {"plane", "text", "-", ""},
    {"line", "text", "-", ""},
    {"line_id", "int", "-", ""},
    {"name", "text", "-", "of the event"},
    {"step", "text", "-", "step_num or step_name"},
    {"group_id", "int", "-", ""},
    {"start_ps", "int", "ps", "from the capture's origin"},
    {"dur_ps", "int", "ps", "duration"},
    {"from", "enum", "-", "line: a step line; annotation: a host event with a step_num"},
    {NULL, NULL, NULL, NULL},
};

static const struct column counter_columns[] = {
    {"plane", "text", "-", ""},
    {"line", "text", "-", ""},
    {"line_id", "int", "-", ""},
    {"name", "text", "-", "of the event"},
    {"start_ps", "int", "ps", "from the capture's origin"},
    {"key", "text", "-", "what is counted"},
    {"value", "text", "-", ""},
    {NULL, NULL, NULL, NULL},
};

static const struct column meta_columns[] = {
    {"key", "text", "-", "origin_ns, origin_rule, window_ps, hostname, error, warning, versions ..."},
    {"value", "text", "-", ""},
    {NULL, NULL, NULL, NULL},
};
#endif
