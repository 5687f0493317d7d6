#!/bin/sh
# Starts bin/gemmscope. Libraries that most machines have are the machine's own, because its OpenGL driver shares them; of those
# in lib/gemmscope/fallback each is taken only where the machine has none.
here=$(dirname "$(readlink -f "$0")")
program=$here/bin/gemmscope
missing() { LD_TRACE_LOADED_OBJECTS=1 "$program" 2>/dev/null | sed -n 's/^[[:space:]]*\(lib[^ ]*\) => not found$/\1/p'; }
# A library that is found may need further ones.
for again in 1 2 3 4 5; do
    names=$(missing)
    [ -n "$names" ] || break
    for name in $names; do
        LD_LIBRARY_PATH=$here/lib/gemmscope/fallback/$name${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    done
    export LD_LIBRARY_PATH
done
exec "$program" "$@"
