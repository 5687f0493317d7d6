#!/usr/bin/env bash
# Lays out our C++ as .clang-format says, with the one version of clang-format that the test `format` knows: versions differ.
# --check changes nothing and fails where a file would change.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
format=.venv/bin/clang-format
if [[ ! -x $format ]]; then
    echo "$format is not there; ./test.sh installs it" >&2
    exit 77 # of a test: skipped
fi
options=(-i)
[[ ${1:-} != --check ]] || options=(--dry-run -Werror)
git ls-files -z -- '*.h' '*.cpp' ':!tests/data' ':!kernels' | xargs -0 -n 50 -P "$(nproc)" "$format" --style=file "${options[@]}"
