#include "session/sweeps.h"

#include "base/file.h"
#include "measure/sweep_log.h"

#include <gtest/gtest.h>

#include <unistd.h>

namespace {

namespace fs = std::filesystem;

catalog::Kernel kernel(const std::string& code) {
    catalog::Kernel k;
    k.id = k.function = "tiles";
    k.source = "__global__ void tiles() {" + code + "}";
    catalog::Parameter parameter;
    parameter.name = "BM";
    parameter.values = {4, 8, 16};
    parameter.initial = 8;
    k.parameters.push_back(parameter);
    return k;
}

class Sweeps : public testing::Test {
protected:
    const fs::path folder_ = fs::path(testing::TempDir()) / ("sweeps_" + std::to_string(::getpid()));
    ~Sweeps() override { fs::remove_all(folder_); }

    // One point more of a kernel in a folder's record.
    static fs::path sweep(const fs::path& folder, const std::string& device, const catalog::Kernel& of, int bm) {
        const fs::path file = measure::sweep_path(folder, device, of.id);
        auto log = measure::SweepLog::open(file, of, device);
        EXPECT_TRUE(log) << log.error().sentence();
        measure::SweepPoint point;
        point.problem = {1024, 1024, 1024};
        point.ms = 2;
        point.samples = 7;
        measure::SweepSource source;
        source.host = "lab1", source.driver = "580", source.date = "2026-11-23";
        if (log) {
            EXPECT_TRUE(log->append({{"BM", bm}}, point, source));
        }
        return file;
    }
};

TEST_F(Sweeps, AreFoundByKernelTheUsersOwnFirst) {
    const catalog::Kernel now = kernel(""), older = kernel("__syncthreads();");
    const fs::path recorded = folder_ / "recorded", own = folder_ / "own";
    const fs::path file = sweep(recorded, "NVIDIA H200", now, 16);
    sweep(own, "NVIDIA A100", older, 16);
    session::Sweeps sweeps(recorded, own);
    const auto all = sweeps.of(now);
    ASSERT_EQ(all.size(), 2u);
    EXPECT_TRUE(all[0].own);
    EXPECT_TRUE(all[0].stale); // of other code
    EXPECT_EQ(all[0].record->device(), "NVIDIA A100");
    EXPECT_FALSE(all[1].own);
    EXPECT_FALSE(all[1].stale);
    EXPECT_EQ(sweeps.of(now)[1].record, all[1].record); // read once
    sweep(recorded, "NVIDIA H200", now, 4);
    EXPECT_EQ(sweeps.of(now)[1].record, all[1].record);
    EXPECT_EQ(sweeps.of(now, true)[1].record->points().size(), 2u);
    ASSERT_TRUE(base::write_file(file, "my thesis"));
    EXPECT_EQ(sweeps.of(now, true).size(), 1u);
    EXPECT_EQ(sweeps.problems().size(), 1u);
}

} // namespace
