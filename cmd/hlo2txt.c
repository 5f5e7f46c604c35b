/* Any HLO as HLO text. */
#include "hlo_print.h"
#include "num.h"
#include "tool.h"

enum { OPT_PROGRAM = OPT_LONG };

static const struct opt options[] = {
    {OPT_PROGRAM, "program", "ID", "only the program of that id, or of that module name"},
    {0, NULL, NULL, NULL},
};
static const struct tool tool = {
    .name = "hlo2txt",
    .synopsis = "[FILE ...]",
    .summary =
        "Reads HLO (text, HloProto, HloModuleProto, the programs embedded in a capture; plain or gzip,\n"
        "standard input by default) and writes it as the text that XLA prints and reads back.",
    .example = "hlo2txt --program 5 host.xplane.pb >step.txt",
    .opt = options,
};

struct job {
    struct run run;
    const char *program; /* NULL: all */
    uint64_t written, left;
};

static bool wanted(const struct job *j, const struct hlo_module *m)
{
    uint64_t id;
    if (!j->program || str_is(m->name, j->program)) return true;
    return m->has_id && !num_u64(str_of(j->program), &id) && id == m->program_id;
}

static int on_module(struct hlo_module *m, void *ctx)
{
    struct job *j = ctx;
    if (wanted(j, m)) {
        hlo_print(tool_out(&j->run), m);
        j->written++;
    } else {
        j->left++;
    }
    hlo_free(m);
    return 0;
}

static void read_file(struct job *j, const char *path)
{
    struct err e = {0}, at_close = {0};
    struct inp in;
    if (inp_open(&in, path, &e)) {
        tool_warn(&j->run, &e);
        return;
    }
    if (inp_whole(&in, &e) || hlo_read(&in, on_module, j, &e)) tool_warn(&j->run, &e);
    if (inp_close(&in, &at_close)) tool_warn(&j->run, &at_close);
}

int main(int argc, char **argv)
{
    static struct job j;
    int c;
    tool_start(&j.run, &tool);
    while ((c = tool_option(&j.run, argc, argv)) != -1)
        if (c == OPT_PROGRAM) j.program = j.run.arg;
    tool_out(&j.run);
    if (!j.run.noperand) read_file(&j, "-");
    for (int k = 0; k < j.run.noperand; k++) read_file(&j, j.run.operand[k]);
    if (j.program && !j.written && j.run.status < 2) {
        tool_note(&j.run, "none of %llu programs is %s", (unsigned long long)j.left, j.program);
        j.run.status = 1;
    }
    if (j.written > 1)
        tool_note(&j.run, "%llu modules; XLA's own parser takes one at a time: --program chooses",
                  (unsigned long long)j.written);
    return tool_end(&j.run);
}
