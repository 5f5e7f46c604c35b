# Speed and memory on a large capture made here: run.sh BUILD.  Best of three; MB are 10^6 bytes.
# BENCH_TIMES: how often the example's events are repeated (200).
cd "$(dirname "$0")/../.." || exit 2
B=$PWD/${1:-build}
case $1 in /*) B=$1 ;; esac
PATH="$B/bin:$PATH"
T=$(mktemp -d) || exit 2
trap 'rm -rf "$T"' EXIT
export LC_ALL=C
${CC:-cc} -std=c11 -D_GNU_SOURCE -O2 -Ilib -o "$T/bigcap" tests/bench/bigcap.c "$B/libours.a" -lz || exit 2
"$T/bigcap" examples/gpt.xplane.pb.gz "${BENCH_TIMES:-200}" >"$T/big.xplane.pb" || exit 2
[ -x /usr/bin/time ] || { echo "bench: GNU time is needed (package time)"; exit 2; }
size=$(wc -c <"$T/big.xplane.pb")
echo "capture: $size bytes"

# best NAME EVENTS COMMAND...: seconds of the quickest of three, MB/s, events/s, peak memory of the largest process
best() {
    name=$1 events=$2
    shift 2
    for i in 1 2 3; do
        s=$(date +%s.%N)
        /usr/bin/time -f %M -o "$T/mem" "$@" >/dev/null 2>&1 || { echo "$name: failed"; return; }
        echo "$(date +%s.%N) $s $(tail -1 "$T/mem")"
    done | awk -v n="$name" -v size="$size" -v ev="$events" '
        {t = $1 - $2; if (NR == 1 || t < b) b = t; if ($3 > m) m = $3}
        END {if (NR) printf "%-34s %6.2f s %8.0f MB/s %6.2f M events/s %8.1f MB peak\n", n, b, size / b / 1e6, ev / b / 1e6, m / 1024}'
}
events=$(xplane2tsv -q --no-header "$T/big.xplane.pb" | wc -l)
best 'xplane2tsv (with the mapped file)' "$events" xplane2tsv -q "$T/big.xplane.pb"
xplane2tsv -q "$T/big.xplane.pb" >"$T/event.tsv"
best 'wc -lw on its output' "$events" wc -lw "$T/event.tsv"
if command -v attrib >/dev/null && command -v roofline >/dev/null; then
    best 'xplane2tsv | attrib | roofline' "$events" sh -c "xplane2tsv -q '$T/big.xplane.pb' | attrib -q --hlo '$T/big.xplane.pb' | roofline -q"
fi
if command -v skipstats >/dev/null; then
    best 'skipstats on its output' "$events" skipstats -q "$T/event.tsv"
fi
