#!/usr/bin/env bash
# The pack of one lesson, as scripts/pack.sh makes and proves the whole one; and what is said of a kernel that it does not
# have, or where it is damaged: pack_test.sh PROGRAM
set -euo pipefail
program=$1
root=$(realpath "$(dirname "${BASH_SOURCE[0]}")/../..")
"$program" doctor | grep -E '^(NVRTC|ptxas|OpenGL) +found' | wc -l | grep -qx 3 || exit 77 # skipped
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
share=$out/share/gemmscope
"$root/scripts/pack.sh" "$program" "$share/compiled/kernels.pack" 06_layout

mkdir "$out/bin"
cp "$program" "$out/bin/"
ln -s "$root/kernels" "$root/assets" "$root/shaders" "$share/"
export GEMMSCOPE_CACHE=$out/cache GEMMSCOPE_STATE=$out/state GEMMSCOPE_NVRTC=/none GEMMSCOPE_PTXAS=/none
failed=0
says() { # says WORDS COMMAND...
    local words=$1
    shift
    "$out/bin/gemmscope" "$@" >"$out/said" 2>&1 || true # its exit code is not asked for
    grep -qF "$words" "$out/said" && return
    echo "gemmscope $* does not say: $words"
    cat "$out/said"
    failed=1
}
says "verified" trace double_buffer
says "kernels come compiled" doctor
says "lessons and the first screen use the" doctor
says "NVRTC is missing, and this is none of the" trace strassen
says "gemmscope setup" trace strassen
head -c 100 "$share/compiled/kernels.pack" >"$out/cut" && mv "$out/cut" "$share/compiled/kernels.pack"
says "the pack of compiled kernels is damaged" doctor
says "NVRTC is missing: " trace double_buffer
exit $failed
