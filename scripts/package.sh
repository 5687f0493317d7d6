#!/usr/bin/env bash
# Makes gemmscope's packages: a .deb, which depends on Debian's libraries, and a .tar.gz, which carries them and runs from any folder.
#   scripts/package.sh [FOLDER]     FOLDER defaults to build/packages
# Packages that are made on Debian 12 also run on Debian 13 and Ubuntu 22.04 and 24.04. scripts/check_package.sh tries them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
out=$(realpath -m "${1:-build/packages}")

setup OFF gemmscope dpkg-dev file
say "compiling what lessons, stories and the first screen show, and proving it; this takes minutes"
cmake --build build --target pack >build/pack.log 2>&1 || fail "see build/pack.log"
rm -rf "$out"
(cd build && cpack --config CPackConfig.cmake -B "$out" >cpack.log) || fail "CPack failed; see build/cpack.log"
rm -rf "$out/_CPack_Packages"

scripts/check_symbols.sh "$out"/gemmscope-*.tar.gz
ls -sh1 "$out"
