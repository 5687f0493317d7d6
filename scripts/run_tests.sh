#!/usr/bin/env bash
# Runs ctest in FOLDER and names the ten slowest tests above its summary: scripts/run_tests.sh FOLDER [OPTION OF CTEST...]
# Exits with the status of ctest.
set -euo pipefail
folder=$(cd "$1" && pwd)
shift
times=$folder/test_times.xml
rm -f "$times"

slowest() {
    grep -qs '<testcase' "$times" || return 0 # ctest ran none
    echo "The slowest tests, in seconds:"
    sed -n 's/.*<testcase name="\([^"]*\)".* time="\([0-9.e+-]*\)".*/\2 \1/p' "$times" | sort -gr |
        awk 'NR <= 10 { printf "%9.2f  %s\n", $1, substr($0, length($1) + 2) }'
}

# The summary waits until ctest has ended and written the times.
ctest --test-dir "$folder" --output-on-failure -j2 --output-junit "$times" "$@" | {
    summary=
    while IFS= read -r line; do
        if [[ $summary || $line =~ ^[0-9]+%\ tests\ passed ]]; then summary+=$line$'\n'; else echo "$line"; fi
    done
    slowest
    printf '%s' "${summary:+$'\n'}$summary"
}
