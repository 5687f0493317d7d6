#include "base/file.h"
#include "ui/window/free_name.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {
namespace fs = std::filesystem;

TEST(FreeName, IsOfNoFileThatExistsAndInTheFolder) {
    const fs::path folder = fs::temp_directory_path() / ("gemmscope_free_name." + std::to_string(::getpid()));
    std::tm noon{};
    noon.tm_year = 126, noon.tm_mon = 10, noon.tm_mday = 20, noon.tm_hour = 12;
    const fs::path first = ui::free_name(folder, "naive", noon);
    EXPECT_EQ(first, folder / "pictures" / "naive-20261120-120000.png");
    ASSERT_TRUE(base::write_file(first, "").ok());
    EXPECT_EQ(ui::free_name(folder, "naive", noon), folder / "pictures" / "naive-20261120-120000-2.png");
    for (const char* kernel : {"../../x", "/etc/x", "a/b/../x"})
        EXPECT_EQ(ui::free_name(folder, kernel, noon), folder / "pictures" / "x-20261120-120000.png") << kernel;
    EXPECT_EQ(ui::free_name(folder, "..", noon).parent_path(), folder / "pictures");
    fs::remove_all(folder);
}

} // namespace
