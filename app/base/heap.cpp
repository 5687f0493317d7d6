#include "base/heap.h"

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace base {

void keep_freed_memory() {
#ifdef M_MMAP_THRESHOLD
    ::mallopt(M_MMAP_THRESHOLD, 32 << 20); // the most that glibc takes
    ::mallopt(M_TRIM_THRESHOLD, 512 << 20);
#endif
#ifdef M_ARENA_MAX
    // With an arena for each of twenty threads, each keeps its own free pieces. Fifteen minutes of random use left 920 MB to a
    // window at rest, with two arenas 126 MB (scripts/soak.py, glibc 2.36, 2026-11-26).
    ::mallopt(M_ARENA_MAX, 2);
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

} // namespace base
