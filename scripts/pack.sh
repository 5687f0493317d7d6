#!/usr/bin/env bash
# Makes the pack of compiled kernels that comes with the program, for machines without NVRTC: what the first screen, every
# kernel as it is shown first, the lessons and the stories compile. Then takes the compilers away and proves that all of these
# come out the same from the pack alone.
#   scripts/pack.sh PROGRAM FILE [LESSON...]     LESSON: only these, as a test has it, and no other kernels and stories
# Needs NVRTC, ptxas and OpenGL, and takes minutes.
set -euo pipefail
program=$(realpath "${1:?usage: pack.sh PROGRAM FILE [LESSON...]}")
file=$(realpath -m "${2:?usage: pack.sh PROGRAM FILE [LESSON...]}")
lessons=("${@:3}")
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export GEMMSCOPE_STATE=$scratch/state LC_ALL=C.UTF-8

each() { xargs -P "$(nproc)" -I{} "$@"; } # with each line of the input, as many at a time as there are cores

# What is taught, by PROGRAM into FOLDER: whatever is there to see.
teach() { # teach PROGRAM FOLDER
    local gemmscope=$1 to=$2 pages
    mkdir -p "$to"
    "$gemmscope" render window -o "$to/first.png"
    "$gemmscope" render window --table >"$to/first.txt"
    if [[ ${#lessons[@]} -gt 0 ]]; then
        printf '%s\n' "${lessons[@]}" | each "$gemmscope" lesson {} --handout "$to/{}.html" --answers
        return
    fi
    cp -r "$root/docs/stories" "$root/docs/inner_loops.md" "$to/"
    PROGRAM=$gemmscope "$root/scripts/stories.py" "$to"/stories/*.md "$to/inner_loops.md" &
    pages=$!
    "$gemmscope" lesson | cut -d' ' -f1 | each "$gemmscope" lesson {} --handout "$to/{}.html" --answers
    "$gemmscope" list --ids | each bash -c '"$0" trace {} --threads 1 >"$1/{}.txt" && "$0" render window {} --table >"$1/{}.tables"' "$gemmscope" "$to"
    "$gemmscope" lesson --check >"$to/check.txt"
    wait $pages
}

# The program as it is installed, in FOLDER.
lay() { # lay FOLDER
    mkdir -p "$1/bin" "$1/share/gemmscope"
    cp "$program" "$1/bin/gemmscope"
    cp -r "$root/kernels" "$root/assets" "$root/shaders" "$1/share/gemmscope/"
}

lay "$scratch/here"
export GEMMSCOPE_CACHE=$scratch/cache
teach "$scratch/here/bin/gemmscope" "$scratch/with"
"$scratch/here/bin/gemmscope" pack "$file" ${lessons[@]+"${lessons[@]}"}

lay "$scratch/elsewhere"
mkdir "$scratch/elsewhere/share/gemmscope/compiled"
cp "$file" "$scratch/elsewhere/share/gemmscope/compiled/"
export GEMMSCOPE_CACHE=$scratch/empty GEMMSCOPE_NVRTC=/none GEMMSCOPE_PTXAS=/none
teach "$scratch/elsewhere/bin/gemmscope" "$scratch/without"
# But for how long it took, and how often blocks that wait for others looked, which is otherwise each time.
diff -r -I '^Engine.*\(Rate\|Elapsed\)' -I '^executed in' -I '^Arithmetic.*\(Warp instructions\|Thread instr\)' -I 'while (atomicCAS(' \
    "$scratch/with" "$scratch/without" || { echo "pack.sh: what comes from the pack is not what the compilers give" >&2; exit 1; }
ls -sh1 "$file"
