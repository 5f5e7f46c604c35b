# Instruction tables one after the other, a line "dump ..." (of passes-list.awk) before each: what changed in between.
BEGIN {
    FS = OFS = "\t"
    part[1] = "opcode"; part[2] = "shape"; part[3] = "layout"; part[4] = "operands"; part[5] = "attributes"
    if (instr == "")
        print "module", "module_id", "pass_index", "stage", "pass", "instrs", "added", "removed", "layout_copies",
            "layout_copy_bytes", "flops", "flops_change", "bytes_accessed", "bytes_change"
    else
        print "module", "module_id", "pass_index", "stage", "pass", "event", "computation", "opcode", "shape", "layout",
            "operands", "op_name", "source"
}

function change(now, was) { return first || now == "-" || was == "-" ? "-" : sprintf("%.0f", now - was) }

# What happened to the one instruction.
function follow(    event, i) {
    if (!(instr in now)) {
        if (instr in before) print dump, "gone", "-", "-", "-", "-", "-", "-", "-"
        return
    }
    seen = 1
    event = instr in before ? "" : "appears"
    for (i = 1; event != "appears" && i <= 5; i++)
        if (value[i] != old[i]) event = event (event == "" ? "changes:" : ",") part[i]
    if (event != "") print dump, event, row
    for (i = 1; i <= 5; i++) old[i] = value[i]
}

function finish(    name, added, removed) {
    if (dump == "") return
    added = removed = 0
    for (name in now) if (!(name in before)) added++
    for (name in before) if (!(name in now)) removed++
    if (instr != "") follow()
    else print dump, instrs, first ? "-" : added, first ? "-" : removed, copies, sprintf("%.0f", copy_bytes), flops,
        change(flops, old_flops), bytes, change(bytes, old_bytes)
    delete before
    for (name in now) before[name]
    delete now
    old_flops = flops; old_bytes = bytes
}

$1 == "dump" {
    finish()
    first = $2 != id # another module
    if (first) delete before
    id = $2
    dump = $3 OFS $4 OFS $5 OFS $6 OFS $7
    instrs = $8; flops = $9; bytes = $10
    copies = copy_bytes = 0
    header = 1
    next
}
header {
    for (i = 1; i <= NF; i++) at[$i] = i
    header = 0
    next
}
{
    now[$at["instr"]]
    if ($at["layout_change"] != "-") { copies++; copy_bytes += $at["bytes"] }
    if ($at["instr"] == instr) {
        for (i = 1; i <= 5; i++) value[i] = $at[part[i]]
        row = $at["computation"] OFS $at["opcode"] OFS $at["shape"] OFS $at["layout"] OFS $at["operands"] OFS \
            $at["op_name"] OFS $at["source"]
    }
}
END {
    finish()
    if (dump == "") {
        print "passes: no dumps of passes there (XLA_FLAGS=--xla_dump_hlo_pass_re=.*)" >"/dev/stderr"
        exit 2
    }
    if (instr != "" && !seen) print "passes: no dump has an instruction " instr >"/dev/stderr"
}
