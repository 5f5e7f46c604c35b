# The tests: run.sh BUILD.  Unit programs, fuzz seeds, golden cases; ends with "N passed, N failed".
#
# A golden case is a folder tests/golden/NAME: `cmd` (run by sh in tests/data, the build's bin first on PATH), `out`
# (expected standard output), `err` (expected standard error; absent: must be empty; a single line * : not looked at),
# `rc` (expected status; absent: 0).  $T is a fresh folder.  ACCEPT=1 rewrites out, err and rc from what happens.
cd "$(dirname "$0")/.." || exit 2
top=$PWD B=$PWD/${1:-build} pass=0 fail=0
case $1 in /*) B=$1 ;; esac
W=$(mktemp -d) || exit 2
trap 'rm -rf "$W"' EXIT
T=$W/t # each case's own scratch folder
export LC_ALL=C PATH="$B/bin:$PATH" TOP="$top" T
unset MAKEFLAGS MFLAGS MAKELEVEL # the examples run makes of their own
fresh() { rm -rf "$T" && mkdir "$T"; }
good() { pass=$((pass + 1)); }
bad() { fail=$((fail + 1)); echo "FAIL $1"; [ -z "$2" ] || sed 's/^/    /' "$2" | head -20; }

for u in "$top"/tests/unit/*.c; do
    n=$(basename "$u" .c)
    if (cd tests/data && "$B/unit/$n") >"$W/log" 2>&1; then good; else bad "unit/$n" "$W/log"; fi
done
for f in "$top"/tests/fuzz/*.c; do
    n=$(basename "$f" .c)
    [ "$n" = main ] && continue
    if "$B/replay/$n" tests/fuzz/seeds/"$n"/* >"$W/log" 2>&1; then good; else bad "fuzz seeds/$n" "$W/log"; fi
done
for d in "$top"/tests/golden/*/ "$top"/tests/regress/*/; do
    [ -f "$d/cmd" ] || continue
    n=${d#"$top"/tests/} n=${n%/} rc=0
    fresh
    (cd tests/data && sh "$d/cmd") >"$W/out" 2>"$W/err" </dev/null || rc=$?
    if [ -n "$ACCEPT" ]; then
        cp "$W/out" "$d/out"
        [ "$(cat "$d/err" 2>/dev/null)" = '*' ] || { rm -f "$d/err"; [ ! -s "$W/err" ] || cp "$W/err" "$d/err"; }
        rm -f "$d/rc"
        [ $rc = 0 ] || echo $rc >"$d/rc"
    fi
    want=0 e=/dev/null
    [ ! -f "$d/rc" ] || want=$(cat "$d/rc")
    [ ! -f "$d/err" ] || e=$d/err
    if [ "$rc" != "$want" ]; then echo "status $rc, not $want" | cat - "$W/err" >"$W/log"; bad "$n" "$W/log"
    elif ! diff -u "$d/out" "$W/out" >"$W/log"; then bad "$n" "$W/log"
    elif [ "$(cat "$e")" != '*' ] && ! diff -u "$e" "$W/err" >"$W/log"; then bad "$n" "$W/log"
    else good; fi
done
for s in "$top"/tests/*.t; do # shell tests: any status but 0 is a failure
    [ -f "$s" ] || continue
    fresh
    if sh "$s" >"$W/log" 2>&1; then good; else bad "$(basename "$s")" "$W/log"; fi
done
echo "$pass passed, $fail failed"
[ $fail = 0 ]
