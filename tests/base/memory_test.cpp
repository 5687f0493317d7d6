#include "base/memory.h"

#include "base/file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <unistd.h>

namespace {

namespace fs = std::filesystem;

// The files of a system, made up.
class System : public testing::Test {
protected:
    const fs::path root = fs::temp_directory_path() / ("gemmscope_memory." + std::to_string(::getpid()));
    ~System() override { fs::remove_all(root); }
    void file(const std::string& name, const std::string& text) {
        ASSERT_TRUE(base::write_file(root / name, text).ok());
    }
    double mebibytes() const { return base::memory_available(root) / 0x1p20; }
    void has(int64_t mebibytes_available) {
        file("proc/meminfo",
             "MemTotal: 99999999 kB\nMemAvailable:   " + std::to_string(mebibytes_available * 1024) + " kB\n");
    }
};

TEST_F(System, WithoutGroupsHasWhatTheMachineHas) {
    has(5000);
    EXPECT_DOUBLE_EQ(mebibytes(), 5000);
}

// The group's own limit, and that of the group around it, which is the narrower one here; what is used is taken off, without
// the cached files that are given back.
TEST_F(System, AGroupMayTakeLess) {
    has(5000);
    file("proc/self/cgroup", "0::/class/student\n");
    file("sys/fs/cgroup/class/student/memory.max", "max\n");
    file("sys/fs/cgroup/class/memory.max", "1048576000\n");
    file("sys/fs/cgroup/class/memory.current", "734003200\n");
    file("sys/fs/cgroup/class/memory.stat", "anon 1\ninactive_anon 5\ninactive_file 104857600\nactive_file 3\n");
    EXPECT_DOUBLE_EQ(mebibytes(), 1000 - 700 + 100);
    file("sys/fs/cgroup/class/student/memory.max", "209715200\n");
    file("sys/fs/cgroup/class/student/memory.current", "104857600\n");
    EXPECT_DOUBLE_EQ(mebibytes(), 200 - 100);
    file("sys/fs/cgroup/class/student/memory.current", "314572800\n");
    EXPECT_EQ(mebibytes(), 0) << "more in use than the limit, which was lowered";
}

TEST_F(System, GroupsOfTheFirstVersionCountToo) {
    has(5000);
    file("proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/job\n0::/\n");
    file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n"); // none
    EXPECT_DOUBLE_EQ(mebibytes(), 5000);
    file("sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1048576000\n");
    file("sys/fs/cgroup/memory/job/memory.usage_in_bytes", "209715200\n");
    file("sys/fs/cgroup/memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 104857600\n");
    EXPECT_DOUBLE_EQ(mebibytes(), 1000 - 200 + 100);
}

TEST_F(System, TheLimitOfTheAddressSpaceCounts) {
    has(1 << 30);
    const std::string page = std::to_string(::sysconf(_SC_PAGESIZE));
    file("proc/self/statm", "1000 1 1\n");
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_AS, &before), 0);
    rlimit narrow = before;
    narrow.rlim_cur = std::min<rlim_t>(before.rlim_max, rlim_t{1} << 46);
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &narrow), 0);
    const double available = base::memory_available(root);
    ASSERT_EQ(::setrlimit(RLIMIT_AS, &before), 0);
    EXPECT_DOUBLE_EQ(available, static_cast<double>(narrow.rlim_cur) - 1000.0 * std::stod(page));
}

TEST(Memory, RefusesWhatIsNotLeft) {
    EXPECT_TRUE(base::fits_memory(1, base::say("a byte")).ok());
    const auto refused = base::fits_memory(0x1p60, base::say("an exbibyte"));
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().what.english().find("an exbibyte needs 1.07e+09 GiB of memory and this machine has "), 0u)
        << refused.error().what.english();
}

} // namespace
