# The dumps of a module table in the order of the compiler: a key to sort by, which module it is, then what passes.awk
# prints of each dump, its file last.
BEGIN { FS = OFS = "\t" }
$1 == "module" { # the header, once for each call of hlo2tsv
    for (i = 1; i <= NF; i++) at[$i] = i
    next
}
module == "" || $at["module"] == module || $at["module_id"] == module || $at["module_id"] + 0 == module {
    folder = $at["file"]
    sub("[^/]*$", "", folder)
    place = $at["stage"] ~ /before_optimizations/ ? 0 : $at["pass_index"] != "-" ? 1 : 2
    key = folder " " $at["module_id"] " " $at["module"] " " place " " $at["pass_index"]
    if (key in seen) next # as text and as proto
    seen[key]
    print key, folder $at["module_id"] $at["module"], $at["module"], $at["module_id"], $at["pass_index"], $at["stage"], $at["pass"],
        $at["instrs"], $at["flops"], $at["bytes_accessed"], $at["file"]
}
