# Install the Debian packages that are missing: as root or through sudo, else say the one command.
need=
has() { command -v "$1" >/dev/null 2>&1; }
header() { echo "#include <$1>" | ${CC:-cc} -E - >/dev/null 2>&1; }
has "${CC:-cc}" || need="$need gcc"
has make || need="$need make"
has "${PROTOC_C:-protoc-c}" || need="$need protobuf-c-compiler"
has "${CC:-cc}" && header stdio.h || need="$need libc6-dev"
header protobuf-c/protobuf-c.h || need="$need libprotobuf-c-dev"
header zlib.h || need="$need zlib1g-dev"
header csv.h || need="$need libcsv-dev"
[ -n "$need" ] || exit 0
if [ "$(id -u)" = 0 ]; then sudo=; elif has sudo; then sudo=sudo; else
    echo "packages are missing; run this as root: apt-get install -y$need" >&2
    exit 1
fi
has apt-get || {
    echo "this is no Debian: install what is called there$need" >&2
    exit 1
}
$sudo apt-get update -qq && $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $need
