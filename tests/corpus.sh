# Against the shared corpus, where it lies beside the repository: its own measuring tool.
cd "$(dirname "$0")/.." || exit 2
[ -x ../shared/tools/accept ] || { echo 'no ../shared beside the repository: nothing to measure'; exit 0; }
exec ../shared/tools/accept --bin "${1:-build}/bin"
