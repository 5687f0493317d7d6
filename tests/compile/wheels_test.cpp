#include "compile/wheels.h"

#include "base/file.h"
#include "compile/toolkit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace {
namespace fs = std::filesystem;

constexpr const char* list = "# CUDA, what for, wheel, bytes\n"
                             "12 compile nvrtc-cu12==12.9 7\n"
                             "13 compile nvrtc==13.0 90\n"
                             "\n"
                             "13 compile nvcc==13.0 30\n"
                             "13 cublas cublas==13.1 400\n";
using Names = std::vector<std::string>;
Names names_of(const std::vector<compile::Wheel>& wheels) {
    Names names;
    for (const compile::Wheel& wheel : wheels) names.push_back(wheel.name);
    return names;
}

class Wheels : public testing::Test {
protected:
    void SetUp() override { fs::create_directories(folder); }
    void TearDown() override { fs::remove_all(folder); }
    // pip puts each there.
    void unpack(const std::string& file) { ASSERT_TRUE(base::write_file(folder / "nvidia" / file, file).ok()); }
    const fs::path folder = fs::temp_directory_path() / ("gemmscope_wheels_test." + std::to_string(::getpid()));
};

TEST(WheelsOf, AreThoseOfTheVersionAndTheUse) {
    EXPECT_EQ(names_of(*compile::wheels_of(list, 13, false)), (Names{"nvrtc==13.0", "nvcc==13.0"}));
    EXPECT_EQ(names_of(*compile::wheels_of(list, 13, true)), (Names{"nvrtc==13.0", "nvcc==13.0", "cublas==13.1"}));
    EXPECT_EQ(names_of(*compile::wheels_of(list, 12, true)), (Names{"nvrtc-cu12==12.9"}));
    EXPECT_EQ(compile::wheels_of(list, 13, false)->front().bytes, 90u);
    EXPECT_FALSE(compile::wheels_of(list, 11, false));
}

TEST(WheelsOf, TheProgramsOwnListHasBothVersions) {
    const auto own = base::read_file(*base::resource_folder("assets") / "cuda_wheels.txt");
    ASSERT_TRUE(own);
    for (const int cuda : {12, 13}) {
        const Names wheels = names_of(*compile::wheels_of(*own, cuda, false));
        for (const char* part : {"nvidia-cuda-nvrtc", "nvidia-cuda-nvcc", "nvidia-cuda-runtime", "nvidia-cuda-cccl"})
            EXPECT_TRUE(std::any_of(wheels.begin(), wheels.end(), [&](const auto& w) { return w.starts_with(part); }))
                << part << cuda;
        EXPECT_EQ(compile::wheels_of(*own, cuda, true)->size(), wheels.size() + 1);
    }
}

TEST_F(Wheels, AreLinkedIntoOneFolderThatCanBeRenamed) {
    unpack("cuda_nvrtc/lib/libnvrtc.so.12"); // CUDA 12: a folder for each
    unpack("cuda_nvrtc/include/nvrtc.h");
    unpack("cuda_nvcc/bin/ptxas");
    unpack("cuda_cccl/include/cuda/barrier");
    EXPECT_TRUE(compile::linked_wheels(folder).empty());
    ASSERT_TRUE(compile::link_wheels(folder, {"a==1", "b==2"}).ok());
    const fs::path renamed = folder.string() + ".renamed";
    fs::rename(folder, renamed);
    for (const char* file : {"lib/libnvrtc.so.12", "include/nvrtc.h", "bin/ptxas", "include/cuda/barrier"})
        EXPECT_TRUE(base::read_file(renamed / file)) << file;
    EXPECT_EQ(compile::linked_wheels(renamed), (Names{"a==1", "b==2"}));
    fs::remove_all(renamed);
}

TEST_F(Wheels, NothingUnpackedIsAnError) {
    const auto linked = compile::link_wheels(folder, {"a==1"});
    ASSERT_FALSE(linked.ok());
    EXPECT_EQ(linked.error().where, folder.string());
}

TEST(FetchedToolkits, AreLookedForInTheUsersOwnFolder) {
    const auto all = compile::fetched_toolkits();
    EXPECT_NE(std::find(all.begin(), all.end(), base::data_folder() / "cuda"), all.end());
}

} // namespace
