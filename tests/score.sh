# score.sh FOLDER [OPTION ...]: attrib against replays whose answer is known (NAME.xplane.pb[.gz], NAME.truth.tsv[.gz]).
# One row per replay: device events on the right instruction, on a wrong one, on none; and the same as shares of time.
# OPTIONs go to attrib.
dir=$1
shift
printf 'replay\tevents\tright\twrong\tnone\tright_share\twrong_share\n'
for t in "$dir"/*.truth.tsv*; do
    n=${t##*/} n=${n%%.*} cap=$(ls "$dir/$n".xplane.pb*)
    case $t in *.gz) gunzip -c "$t" ;; *) cat "$t" ;; esac >"${T:-/tmp}/truth.$$"
    xplane2tsv -q "$cap" | attrib -q --hlo "$cap" "$@" | awk -F'\t' -v name="$n" '
        FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        FILENAME != "-" { truth[$1 FS $4 FS $5] = $6; next }    # plane start_ps kernel instr
        { k = $c["plane"] FS $c["start_ps"] FS $c["name"] }
        k in truth {
            n++; d = $c["dur_ps"]; all += d; want = truth[k]; got = $c["instr"]
            if (got == want) { right++; r += d } else if (got != "-") { wrong++; w += d } else none++
        }
        END { printf "%s\t%d\t%d\t%d\t%d\t%.4f\t%.4f\n", name, n, right, wrong, none, all ? r / all : 0, all ? w / all : 0 }
    ' "${T:-/tmp}/truth.$$" -
    rm -f "${T:-/tmp}/truth.$$"
done
