# Formatting, static checks, man pages.  What is not installed is named and skipped.
cd "$(dirname "$0")/.." || exit 2
rc=0
has() { command -v "$1" >/dev/null 2>&1 || { echo "lint: no $1, skipped"; return 1; }; }
src=$(ls cmd/*.[ch] lib/*.[ch] tests/unit/*.[ch] tests/fuzz/*.c 2>/dev/null)
! has clang-format || clang-format --dry-run -Werror $src || rc=1
! has cppcheck || cppcheck -q --std=c11 --error-exitcode=1 --enable=warning,portability --inline-suppr \
    --suppress=missingIncludeSystem -Ilib -Ibuild/gen -D_GNU_SOURCE -DPROTOBUF_C_VERSION_NUMBER=9999999 cmd lib || rc=1
! has mandoc || for m in man/*.[157]; do [ ! -f "$m" ] || mandoc -T lint -W warning "$m" || rc=1; done
exit $rc
