# Two op tables of attrib, graphs on and off, side by side per instruction; see verify.mk.
BEGIN { FS = OFS = "\t" }
FNR == 1 { side++; for (i = 1; i <= NF; i++) c[$i] = i; next }
{
    k = $c["instr"]
    if (!(k in seen)) { seen[k] = 1; order[++n] = k }
    events[side, k] += $c["events"]; ps[side, k] += $c["time_ps"]; all[side] += $c["time_ps"]
    if (k != "-") votes[side, $c["computation"], $c["executions"]]++
}
# A run executes each instruction of the entry computation once: the number that most instructions of one computation
# share, and the smallest of these, is the number of runs on all devices.
function runs(s,    v, part, best, most, of) {
    for (v in votes) {
        split(v, part, SUBSEP)
        if (part[1] != s) continue
        if (votes[v] > most[part[2]]) { most[part[2]] = votes[v]; of[part[2]] = part[3] + 0 }
    }
    for (v in of) if (!best || of[v] < best) best = of[v]
    return best ? best : 1
}
END {
    on = runs(1); off = runs(2)
    print "instr", "events_on", "events_off", "time_on_ps", "time_off_ps", "agree"
    for (i = 1; i <= n; i++) {
        k = order[i]; a = events[1, k] / on; b = events[2, k] / off; agree = a == b
        if (k == "-") { none = ps[1, k]; if (agree && !a) continue }
        else { instrs++; same += agree; sum += b; less += (a < b ? a : b) }
        if (agree && k != "-") time += ps[1, k]
        if (!differ || !agree) print k, a, b, sprintf("%.0f", ps[1, k] / on), sprintf("%.0f", ps[2, k] / off), agree
    }
    printf "%d of %d instructions agree; %.6g of %.6g events per run; %.6f of the device time with graphs on\n", \
        same, instrs, less, sum, all[1] ? time / all[1] : 0 >"/dev/stderr"
}
