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
}

void return_freed_memory() {
#ifdef __GLIBC__
    ::malloc_trim(0);
#endif
}

} // namespace base
