// That freed memory goes back to the system, from wherever it was allocated.
#include "base/heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <latch>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

constexpr size_t mb = size_t{1} << 20;

size_t resident_mb() {
    size_t size = 0, resident = 0;
    std::ifstream("/proc/self/statm") >> size >> resident;
    return resident * static_cast<size_t>(::sysconf(_SC_PAGESIZE)) / mb;
}

// In one piece after the other: with them the arena of whoever calls ends.
void use_and_free(size_t megabytes, size_t piece = mb / 2) {
    std::vector<std::unique_ptr<char[]>> pieces;
    for (size_t i = 0; i < megabytes * mb / piece; ++i)
        std::memset(pieces.emplace_back(new char[piece]).get(), 1, piece);
}

TEST(Heap, FreedMemoryStaysUntilItIsHandedBack) {
    base::keep_freed_memory();
    use_and_free(1); // what the first use takes for good
    base::return_freed_memory();
    const size_t before = resident_mb();
    std::latch used(2), over(1);
    std::jthread living([&] { // as a thread of jobs that waits for its next
        use_and_free(40);
        used.count_down();
        over.wait();
    });
    std::jthread([] { use_and_free(40); }).join(); // as one of a grid
    used.arrive_and_wait();
    EXPECT_GE(resident_mb(), before + 35) << "the next picture takes it again";
    base::return_freed_memory();
    EXPECT_LE(resident_mb(), before + 5);
    over.count_down();
}

TEST(Heap, LargePiecesGoBackWhenTheyAreFreed) {
    base::keep_freed_memory();
    const size_t before = resident_mb();
    use_and_free(40, 2 * mb);
    EXPECT_LE(resident_mb(), before + 5);
}

TEST(Heap, AVectorGivesBackTheRoomThatItHasToSpare) {
    std::vector<char> all(60 * mb, 'a'); // all of its pages were written
    const size_t before = resident_mb();
    all.resize(20 * mb + 1);
    base::return_spare_room(all);
    EXPECT_LE(resident_mb(), before - 39);
    EXPECT_EQ(std::count(all.begin(), all.end(), 'a'), 20 * mb + 1);
    all.resize(60 * mb, 'b');
    EXPECT_EQ(all.back(), 'b');
    std::vector<int> none;
    base::return_spare_room(none);
}

#endif

} // namespace
