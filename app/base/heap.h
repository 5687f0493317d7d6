// How the process keeps its memory. A program with this has an operator delete that hands back large pieces likewise.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace base {

// Freed pieces of up to a megabyte stay with the process: one picture follows another, each with what the last one has just given
// up. Where the C library has no such setting, nothing happens. What one thread has freed another can use.
void keep_freed_memory();

// Hands back what is kept, for when no picture is about to follow: hundreds of megabytes after large blocks. May take a third of a second.
void return_freed_memory();

// Hands back the whole pages among bytes that nobody needs. What they held is lost; they come again when they are written. Where the system maps
// memory for another thread meanwhile, that waits for a few megabytes at most, not for all of them, as it does for munmap().
void return_pages(std::span<std::byte>);

// A vector that grew has room for up to twice of what it holds. Nothing is moved, and it may grow on.
template <class T>
void return_spare_room(std::vector<T>& all) {
    auto* const end = reinterpret_cast<std::byte*>(all.data() + all.size());
    return_pages({end, (all.capacity() - all.size()) * sizeof(T)});
}

} // namespace base
