# The commands under EXAMPLES in the man pages, and the README's one-liners, run as they stand and answer something.
#
# They run in a folder that holds files of the names they use; what is no part of the suite is a stand-in.
W=$T/w D=$TOP/tests/data bad=0
mkdir -p "$W/dump/hlo" "$W/dump/llo" "$T/bin"
cd "$W" || exit 1
printf 'cat\n' >"$T/bin/flamegraph.pl"
printf 'date >>dump/hlo/"$2".txt\n' >"$T/bin/python"
chmod +x "$T"/bin/*
PATH=$T/bin:$PATH
put() { # put FILE NAME ...: under these names
    f=$D/$1
    shift
    for n; do cp "$f" "$n" || exit 1; done
}
put sort_amd.xplane.pb cap.xplane.pb host.xplane.pb
put replay/moe_two_amd.xplane.pb.gz today.xplane.pb gone.xplane.pb # plain or gzip is known by content
put sort_amd.trace.json.gz cap.trace.json.gz host.trace.json.gz
put tpu_v5e_gla.after_optimizations.hlo.pb module_0009.jit_step.tpu_after_optimizations.hlo.pb m.hlo.pb \
    module_0001.jit_f.tpu_after_optimizations.hlo.pb after_optimizations.hlo.pb dump/m.hlo.pb
put tpu_v5e_gla.after_optimizations.txt m.txt module.txt compiled.hlo.txt dump/m.after_optimizations.txt
put tpu_v5e_gla.after_optimizations-buffer-assignment.txt m-buffer-assignment.txt
put oom.log train.log job.stderr job.log
for f in "$D"/replay/thunks/*; do put "replay/thunks/${f##*/}" "dump/${f##*/}"; done
hlo2txt cap.xplane.pb >dump/step.after_optimizations.txt || exit 1

awk -v dir="$T" '
    function start() { close(cmd); cmd = sprintf("%s/%03d.cmd", dir, ++n) }
    FNR == 1 {on = lit = 0}
    /^\.Sh/ {on = $2 == "EXAMPLES"; next}
    on && /^\.Bd -literal/ {lit = 1; start(); next}
    /^\.Ed/ {lit = 0; next}
    on && lit {gsub(/\\e/, "\\"); print >cmd}
    /^More one-liners/ {readme = 1; next}
    readme && /^[^ ]/ {readme = 0}
    readme && NF {start(); print substr($0, 5) >cmd}' "$TOP"/man/*.1 "$TOP/README.md"
for c in "$T"/*.cmd; do
    rc=0
    touch "$T/before"
    timeout 60 sh -e "$c" >"$T/o" 2>"$T/e" </dev/null || rc=$?
    made=$(find . -newer "$T/before" -type f -size +0 | head -1)
    if [ $rc -gt 1 ] || { [ ! -s "$T/o" ] && [ -z "$made" ]; } ||
        grep -q -e '^usage' -e 'not found' -e 'is empty' -e 'no column' -e 'o such' "$T/e"; then
        echo "status $rc, $(wc -c <"$T/o") bytes:"
        cat "$c" "$T/e"
        bad=1
    fi
done
exit $bad
