# What every tool does when the world is broken: an empty input, a folder, a closed stream, a full disk, a closed pipe.
bad=0
want() { # want STATUS WHAT: the status of the last command
    [ "$rc" = "$1" ] || { echo "$t: $2: status $rc, not $1"; bad=1; }
}
for b in "$TOP"/cmd/*.c; do
    t=$(basename "$b" .c)
    case $t in tool) continue ;; dumpsnap) continue ;; esac # dumpsnap reads folders: its own cases
    timeout 20 "$t" </dev/null >/dev/null 2>"$T/e"; rc=$?; want 2 'empty input'
    [ -s "$T/e" ] || { echo "$t: empty input: no message"; bad=1; }
    timeout 20 "$t" <"$TOP" >/dev/null 2>&1; rc=$?; want 2 'a folder on standard input'
    timeout 20 "$t" <&- >/dev/null 2>&1; rc=$?; want 2 'closed standard input'
    timeout 20 "$t" "$TOP/no-such-file" >/dev/null 2>&1; rc=$?; want 2 'a missing file'
    timeout 20 "$t" -l >&- 2>/dev/null; rc=$?; want 2 'closed standard output'
    printf 'a\tb\n1\n' | timeout 20 "$t" >/dev/null 2>&1; rc=$?; want 2 'a broken table'
    head -c 100 /dev/zero | timeout 20 "$t" >/dev/null 2>&1; rc=$?; want 2 'NUL bytes'
done
exit $bad
