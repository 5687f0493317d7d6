#!/usr/bin/env bash
# Draws packaging/gemmscope.svg, the program's icon: the map of a kernel as the program renders it, without words.
#   scripts/icon.sh [KERNEL [FILE]]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
picture=$(mktemp --suffix=.svg)
trap 'rm -f "$picture"' EXIT
build/gemmscope render map "${1:-double_buffer}" --size 256x256 -o "$picture"
{
    echo '<svg xmlns="http://www.w3.org/2000/svg" viewBox="36 52 212 212" width="256" height="256">'
    echo '<rect x="36" y="52" width="212" height="212" rx="24" fill="#1b2027"/>'
    # What is left of the picture below its two lines of words.
    grep -vE '^<(svg|title|desc|style|text|rect)|^<path fill="#1b2027" d="M0 0|^<path fill="#14171c" fill-opacity="0.851"' "$picture"
} >"${2:-packaging/gemmscope.svg}"
