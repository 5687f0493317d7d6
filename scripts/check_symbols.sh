#!/usr/bin/env bash
# Whether the program of a .tar.gz starts on Ubuntu 22.04, the oldest system that it is for: the newest versions of the C and C++
# libraries' symbols that it asks for, beside those that 22.04 has. Exit 1 where one is newer.
#   scripts/check_symbols.sh PACKAGE.tar.gz
set -euo pipefail
declare -A has=([GLIBC]=2.35 [GLIBCXX]=3.4.30 [CXXABI]=1.3.13)
# Not what lies in fallback/: Debian 12's libexpat needs GLIBC 2.36, but every Ubuntu with Python has its own.
asked=$(tar -xOf "${1:?usage: check_symbols.sh PACKAGE.tar.gz}" --wildcards '*/bin/gemmscope' '*/lib/gemmscope/*.so.*' --exclude '*/fallback' |
    grep -aoE '(GLIBC|GLIBCXX|CXXABI)_[0-9]+(\.[0-9]+)+' | sort -u)
failed=0
for library in "${!has[@]}"; do
    newest=$(sed -n "s/^${library}_//p" <<<"$asked" | sort -V | tail -n 1)
    echo "needs $library $newest; Ubuntu 22.04 has ${has[$library]}"
    [[ $(printf '%s\n' "$newest" "${has[$library]}" | sort -V | tail -n 1) == "${has[$library]}" ]] || failed=1
done
[[ $failed -eq 0 ]] || { echo "check_symbols.sh: the program does not start on Ubuntu 22.04" >&2; exit 1; }
