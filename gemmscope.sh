#!/usr/bin/env bash
# Installs what is missing (Debian 12 and 13, Ubuntu 24.04), builds, and starts gemmscope with the arguments given. Without
# arguments it opens the window or, where there is no display, makes a picture of it and prints the report.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
from=$PWD
cd "$root"
source scripts/setup.sh
setup OFF gemmscope
cd "$from"

program=$root/build/gemmscope
if [[ $# -gt 0 || -n ${DISPLAY:-}${WAYLAND_DISPLAY:-} ]]; then exec "$program" "$@"; fi

say "no display: drawing the window into a file"
"$program" render window double_buffer -o gemmscope.png
echo "$PWD/gemmscope.png"
exec "$program" trace double_buffer
