#include "base/heap.h"

#include <algorithm>
#include <thread>

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
    // Each arena keeps free pieces of its own, and glibc makes eight for each processor, though no more threads than processors
    // allocate at once. Fifteen minutes of random use left 920 MB to a window at rest, with one for each of two processors 126 MB
    // (scripts/soak.py, glibc 2.36, 2026-11-26).
    ::mallopt(M_ARENA_MAX, static_cast<int>(std::max(2u, std::thread::hardware_concurrency())));
#endif
}

void return_freed_memory() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

} // namespace base
