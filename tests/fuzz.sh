# fuzz.sh BUILD: each fuzzer for FUZZ_SECONDS with its seeds; a crash ends it and leaves the input in BUILD.
cd "$(dirname "$0")/.." || exit 2
for f in tests/fuzz/*.c; do
    n=$(basename "$f" .c)
    [ "$n" = main ] && continue
    clang -std=c11 -D_GNU_SOURCE -Ilib -I"$1/gen" -O1 -g -fsanitize=address,undefined,fuzzer -o "$1/$n" "$f" "$1/libours.a" \
        -lprotobuf-c -lcsv -lz -lm || exit 1
    mkdir -p "$1/corpus/$n"
    "$1/$n" -max_total_time="${FUZZ_SECONDS:-60}" -rss_limit_mb=4096 -timeout=20 -artifact_prefix="$1/$n-" \
        "$1/corpus/$n" "tests/fuzz/seeds/$n" || exit 1
done
