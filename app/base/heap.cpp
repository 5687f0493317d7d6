#include "base/heap.h"

#include "base/caught.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <vector>

#if __has_include(<malloc.h>)
#include <malloc.h>
#endif

namespace base {

void return_pages(std::span<std::byte> bytes) {
    const auto page = static_cast<uintptr_t>(::sysconf(_SC_PAGESIZE));
    const auto begin = reinterpret_cast<uintptr_t>(bytes.data()), first = (begin + page - 1) / page * page,
               end = (begin + bytes.size()) / page * page;
    constexpr size_t slice = 4 << 20;
    for (uintptr_t at = first; at < end; at += std::min<uintptr_t>(slice, end - at))
        ::madvise(bytes.data() + (at - begin), std::min<uintptr_t>(slice, end - at), MADV_DONTNEED);
}

#ifdef __GLIBC__
namespace {

constexpr int kept_at_ends = 512 << 20; // bytes

// What is larger goes back as soon as it is freed. At 32 MB, the most that glibc takes, 4 GB could be left in the arenas; whoever allocates waits
// for as long as malloc_trim() hands them back, 0.4 s in the window's thread (scripts/soak.py). Sliders follow as fast: at 32, 4 and
// 1 MB bench_slider shows a block of the champion after 80, 80 and 82 ms (glibc 2.36, Linux 6.18, 2 processors, 2026-11-27).
constexpr int mapped_from = 1 << 20; // bytes

// Small pieces join their neighbours as they are freed. Else glibc joins all of them when it frees a large one, and who allocates waits:
// a turn of the window for 0.5 s, while a job gave up a program (scripts/soak.py). bench_heap frees a million; another thread
// waits 0.5 to 0.7 ms, 20 to 23 otherwise. Sliders follow as fast (glibc 2.36, Linux 6.18, 2 processors, 2026-11-29).
constexpr int largest_kept_apart = 0; // bytes

// Each arena keeps free pieces of its own, and glibc makes eight for each processor, though no more threads than processors
// allocate at once. Fifteen minutes of random use left 920 MB to a window at rest, with one for each of two processors 126 MB
// (scripts/soak.py, glibc 2.36, 2026-11-26).
int most_arenas() { return static_cast<int>(std::max(2u, std::thread::hardware_concurrency())); }

// malloc_trim() leaves the end of every arena but the first as it is, up to 64 MB of what was freed. glibc hands that back where a
// large piece of the arena is freed: each arena gives one to a thread. Those that no thread uses come first, then all in turn.
void return_ends_of_arenas() {
    const int count = 2 * most_arenas();
    std::latch all(count);
    std::vector<std::jthread> threads;
    const auto give = [&all] {
        void* const volatile piece = std::malloc(128 << 10); // consolidated when it is freed: more than 64 KB
        all.arrive_and_wait();                               // a thread that has ended leaves its arena to the next
        std::free(piece);
    };
    ::mallopt(M_TRIM_THRESHOLD, 0);
    (void)caught([&] {
        while (threads.size() < static_cast<size_t>(count)) threads.emplace_back(give);
    });
    all.count_down(count - static_cast<std::ptrdiff_t>(threads.size()));
    threads.clear();
    ::mallopt(M_TRIM_THRESHOLD, kept_at_ends);
}

} // namespace

void keep_freed_memory() {
    ::mallopt(M_MMAP_THRESHOLD, mapped_from);
    ::mallopt(M_TRIM_THRESHOLD, kept_at_ends);
    ::mallopt(M_ARENA_MAX, most_arenas());
    ::mallopt(M_MXFAST, largest_kept_apart);
}

void return_freed_memory() {
    return_ends_of_arenas();
    ::malloc_trim(0);
}
#else
void keep_freed_memory() {}
void return_freed_memory() {}
#endif

} // namespace base

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wsized-deallocation" // it wants a program's own operator delete(void*), too
#endif
// Of std::vector's room, among others. What free() does for 300 MB takes 50 ms, and as long nobody else gets memory.
void operator delete(void* memory, std::size_t bytes) noexcept {
    constexpr size_t large = 8 << 20;
    if (bytes >= large) base::return_pages({static_cast<std::byte*>(memory), bytes});
    ::operator delete(memory);
}
