# README's console blocks are true: each `$ command` runs in examples/ and prints what stands below it.
cd "$TOP/examples" || exit 1
awk -v dir="$T" '
    /^```console/ {on = 1; next}
    /^```/ {on = 0; close(f); next}
    on && /^\$ / {n++; close(f); f = dir "/readme." n ".out"; printf "" >f; print substr($0, 3) >(dir "/readme." n ".cmd"); close(dir "/readme." n ".cmd"); next}
    on {print >f}' "$TOP/README.md"
bad=0
for c in "$T"/readme.*.cmd; do
    [ -f "$c" ] || { echo 'README has no console block'; exit 1; }
    sh "$c" >"$c.got" 2>&1 </dev/null
    diff -u "${c%.cmd}.out" "$c.got" || { cat "$c"; bad=1; }
done
exit $bad
