#!/bin/sh
# Lets libFuzzer look for inputs that break something: scripts/fuzz.sh NAME SECONDS, NAME a file of fuzz/ without its .cpp.
set -eu
cd "$(dirname "$0")/.."
name=${1:?NAME: $(basename -s .cpp -a fuzz/*.cpp | grep -v replay | tr '\n' ' ')}
seconds=${2:?SECONDS}

cmake --preset fuzz > /dev/null
seeds=build-fuzz/fuzz/$name.seeds # as fuzz/CMakeLists.txt has them
[ -f "$seeds" ] || { echo "there is no fuzz/$name.cpp" >&2; exit 2; }
cmake --build build-fuzz --target "fuzz_$name"
corpus=build-fuzz/corpus/$name
mkdir -p "$corpus" build-fuzz/found
for seed in $(xargs -I{} find {} -type f < "$seeds"); do
    case $seed in
    *.txt) awk -v RS= -v folder="$corpus" '{ printf "%s", $0 > (folder "/seed" NR) }' "$seed" ;; # a paragraph is a seed
    *) cp "$seed" "$corpus/$(basename "$seed").seed" ;;
    esac
done
# What is looked for is memory without bound, too; nothing that is fuzzed may take a second.
exec "build-fuzz/fuzz_$name" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=3000 -max_len=65536 -artifact_prefix="build-fuzz/found/$name-" "$corpus"
