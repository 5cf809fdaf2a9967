# Sourced by the scripts beside it: where the checkout is, and steps that say what runs and how long it took.

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
export SWIFT_BACKTRACE=enable=no

now_ms() { date +%s%3N; }

# step TEXT COMMAND...: runs the command, prints the text before and the time after it; its failure is the step's.
step() {
    local text=$1 start status=0
    shift
    start=$(now_ms)
    printf -- '-- %s\n' "$text"
    "$@" || status=$?
    local took=$(($(now_ms) - start))
    if [ "$status" -ne 0 ]; then
        printf -- '-- FAILED (%d) after %d.%03d s: %s\n' "$status" $((took / 1000)) $((took % 1000)) "$text" >&2
        return "$status"
    fi
    printf -- '-- done in %d.%03d s: %s\n' $((took / 1000)) $((took % 1000)) "$text"
}

fail() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# What every build of this package is given: an import that Package.swift does not name is an error.
SWIFT_FLAGS=(--explicit-target-dependency-import-check error)
RELEASE_FLAGS=(-c release --static-swift-stdlib "${SWIFT_FLAGS[@]}")

# Builds the program as it is shipped.
build_release() { swift build "${RELEASE_FLAGS[@]}" --product postern; }

# Where that program lies.
release_program() { echo "$(swift build "${RELEASE_FLAGS[@]}" --show-bin-path)/postern"; }
