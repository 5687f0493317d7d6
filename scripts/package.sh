#!/usr/bin/env bash
# Makes gemmscope's packages: a .deb, which depends on Debian's libraries, and a .tar.gz, which carries them and runs from any folder.
#   scripts/package.sh [FOLDER]     FOLDER defaults to build/packages
# Packages that are made on Debian 12 also run on Debian 13 and Ubuntu 22.04 and 24.04. scripts/check_package.sh tries them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/setup.sh
out=$(realpath -m "${1:-build/packages}")
newest_glibc=2.35 # Ubuntu 22.04 has it

setup OFF gemmscope dpkg-dev file
rm -rf "$out"
(cd build && cpack --config CPackConfig.cmake -B "$out" >cpack.log) || fail "CPack failed; see build/cpack.log"
rm -rf "$out/_CPack_Packages"

# The newest version of the C library that the program and what comes with it ask for. Not what lies in fallback/: Debian 12's
# libexpat needs 2.36, but every Ubuntu with Python has its own.
needed=$(tar -xOf "$out"/gemmscope-*.tar.gz --wildcards '*/bin/gemmscope' '*/lib/gemmscope/*.so.*' --exclude '*/fallback' |
    grep -aoE 'GLIBC_2\.[0-9]+' | sort -uV | tail -n 1)
say "needs glibc ${needed#GLIBC_}"
[[ $(printf '%s\n' "${needed#GLIBC_}" $newest_glibc | sort -V | tail -n 1) == "$newest_glibc" ]] ||
    fail "which is newer than $newest_glibc: the packages do not run on Ubuntu 22.04"
ls -sh1 "$out"
