# Man pages, --help and -l agree: every option and every column of a tool stands in its page; each page has its sections.
# Every tool answers -h, -V and -l, refuses an unknown option with status 2, and notices a full disk.
bad=0
fail() { echo "$*"; bad=1; }
for b in "$TOP"/cmd/*.c; do
    t=$(basename "$b" .c)
    [ "$t" = tool ] && continue
    page=$TOP/man/$t.1
    [ -f "$page" ] || { fail "$t: no man page"; continue; }
    "$t" --help >"$T/help" 2>&1 || fail "$t --help: status $?"
    "$t" --version | grep -q "^$t " || fail "$t --version"
    "$t" -l >"$T/list" || fail "$t -l: status $?"
    "$t" --no-such-option >/dev/null 2>&1; [ $? = 2 ] || fail "$t: an unknown option is not refused with 2"
    "$t" --help >/dev/full 2>/dev/null; [ $? = 2 ] || fail "$t --help >/dev/full: not noticed"
    sed -n 's/^  -\([a-zA-Z]\), --\([a-z-]*\).*/\1 \2/p; s/^      --\([a-z-]*\).*/- \1/p' "$T/help" | while read -r c name; do
        grep -q -e "Fl -$name" -e "Fl $c " -e "Fl $c\$" "$page" || echo "$t: --$name is not in its page"
    done >"$T/miss"
    awk -F'\t' 'NR > 1 {print $1; print $2}' "$T/list" | sort -u | while read -r w; do
        grep -q -e "[^a-z0-9_]$w[^a-z0-9_]" -e "[^a-z0-9_]$w\$" -e "^$w[^a-z0-9_]" "$page" || echo "$t: column or table $w is not in its page"
    done >>"$T/miss"
    [ ! -s "$T/miss" ] || { cat "$T/miss"; bad=1; }
    for s in NAME SYNOPSIS DESCRIPTION OPTIONS 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
        grep -q "^\.Sh $s" "$page" || fail "$t: no section $s"
    done
    grep -q "\b$t\b" "$TOP/README.md" || fail "$t is not in README.md"
done
for x in $(sed -n 's/^\.\(It \)\{0,1\}Xr \([^ ]*\) \([157]\).*/\2.\3/p' "$TOP"/man/*.[157] | sort -u); do
    case $x in awk.1 | mawk.1 | diff.1 | gzip.1) continue ;; esac
    [ -f "$TOP/man/$x" ] || fail "$x is referred to and is no page: $(grep -l "Xr ${x%.*} " "$TOP"/man/*)"
done
exit $bad
