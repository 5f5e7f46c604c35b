# The dumps of a module table in the order of the compiler: a key to sort by, then what passes.awk prints of each dump,
# its file last.
BEGIN { FS = OFS = "\t" }
$1 == "module" { # the header, once for each call of hlo2tsv
    for (i = 1; i <= NF; i++) at[$i] = i
    next
}
module == "" || $at["module"] == module || $at["module_id"] == module || $at["module_id"] + 0 == module {
    stage = $at["stage"]
    place = stage ~ /before_optimizations/ ? 0 : $at["pass_index"] != "-" ? 1 : 2
    print $at["module_id"] " " place " " $at["pass_index"], $at["module"], $at["module_id"], $at["pass_index"], stage,
        $at["pass"], $at["instrs"], $at["flops"], $at["bytes_accessed"], $at["file"]
}
