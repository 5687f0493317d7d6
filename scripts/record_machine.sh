#!/usr/bin/env bash
# Records what one instruction, one memory access, one barrier or one launch costs on this machine's GPU, by the microbenchmarks of bench/gpu,
# into assets/recorded/microbenchmarks/NAME.json. Needs nvcc and Python 3 without packages; run it on the GPU machine, from anywhere:
#   scripts/record_machine.sh                     NAME: h200, h100, ..., by the card's name
#   OUT=/tmp scripts/record_machine.sh            BINARIES=FOLDER: built there before, by --build FOLDER; then no nvcc is needed
#   scripts/record_machine.sh pipes shared        these only, put into the record that is there
# It changes no setting of the GPU.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
flags=(-std=c++17 -O3 -gencode=arch=compute_90a,code=sm_90a)
all=$(cd "$root/bench/gpu" && basename -s .cu -- *.cu)

build() { # FOLDER THEME...
    mkdir -p "$1"
    for theme in "${@:2}"; do
        echo "$theme"
    done | xargs -P "$(nproc)" -I{} nvcc "${flags[@]}" -o "$1/{}" "$root/bench/gpu/{}.cu"
    nvcc --version | sed -n 's/^Build //p' >"$1/compiler"
}
if [[ ${1:-} == --build ]]; then
    # shellcheck disable=SC2086 # a list
    build "${2:?usage: record_machine.sh --build FOLDER}" $all
    exit
fi

themes=${*:-$all}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
binaries=${BINARIES:-$work}
# shellcheck disable=SC2086 # a list
[[ -n ${BINARIES:-} ]] || build "$work" $themes
gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader | head -n 1; }
for theme in $themes; do
    if ! timeout 120 "$binaries/$theme" >"$work/part"; then
        echo "$theme failed" >&2
        failed=1
        continue
    fi
    mv "$work/part" "$work/$theme.lines"
    gpu clocks.sm >>"$work/clocks"
    echo "$theme: $(wc -l <"$work/$theme.lines") results" >&2
done
DEVICE=$(gpu name) DRIVER=$(gpu driver_version) CLOCKS=$(sort "$work/clocks" | uniq -c | sort -n | tail -n 1 | awk '{ print $2 " " $3 }') \
    COMPILER="nvcc $(cat "$binaries/compiler"), ${flags[*]}" DATE=$(date -u +%F) COMMAND="scripts/record_machine.sh $*" \
    OUT=${OUT:-$root/assets/recorded/microbenchmarks} python3 "$root/bench/gpu/record.py" "$work"/*.lines
exit "${failed:-0}"
