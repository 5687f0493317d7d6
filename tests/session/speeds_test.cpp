#include "session/speeds.h"

#include "base/file.h"
#include "catalog/rules.h"
#include "fixture.h"

namespace {

using catalog::Problem;
using catalog::Values;
constexpr Problem cube{1024, 1024, 1024};

// Records of `naive`, whose sliders are BX and BY.
class Speeds : public testing::Test {
protected:
    measure::BenchPoint point(Values parameters, double gflops) {
        measure::BenchPoint p;
        p.kernel = "naive";
        p.parameters = std::move(parameters);
        p.m = p.n = p.k = 1024;
        p.samples = 10;
        p.gflops = gflops;
        p.median_ms = p.min_ms = 2e-6 * 1024 * 1024 * 1024 / gflops;
        p.device = "Some GPU", p.driver = "1", p.cuda = "13.0", p.date = "2026-01-02";
        p.cublas = {"pedantic_fp32", 1, 1000, "", {}};
        return p;
    }
    // `lines`: "BX BY size ms cublas_ms samples spread by".
    session::KernelSweep sweep(const std::string& lines, bool own = false, const std::string& device = "Some GPU") {
        const measure::SweepSource by{"lab", 0, "1", "13.0", "", 1000, "2026-01-03", own ? "mine" : "theirs"};
        auto record = measure::SweepRecord::parse(measure::header_of(*naive_, device) + measure::line_of(by, 1) + lines,
                                                  "naive.txt");
        EXPECT_TRUE(record) << record.error().sentence();
        return {*record, own, false};
    }
    session::Speeds speeds(const std::vector<session::KernelSweep>& sweeps) {
        return {naive_, sweeps, series_, "Some GPU"};
    }

    std::shared_ptr<const catalog::Kernel> naive_ = fixture::kernels().find("naive");
    std::vector<measure::Series> series_;
    const Values now_{{"BX", 32}, {"BY", 8}};
};

TEST_F(Speeds, WhatIsNearestToTheUserGoesFirst) {
    EXPECT_FALSE(speeds({}).at(now_, cube));
    series_ = measure::series_of({point(now_, 100)}, measure::Origin::recorded, "file");
    EXPECT_EQ(speeds({}).at(now_, cube)->gflops, 100);
    EXPECT_EQ(speeds({}).at(now_, cube)->cublas_gflops, 1000);
    const auto recorded = sweep("32 8 1024 10 2 7 0 1\n"), own = sweep("32 8 1024 5 2 7 0 1\n", true);
    const auto theirs = speeds({recorded}).at(now_, cube);
    EXPECT_NEAR(theirs->gflops, 2e-6 * 1024 * 1024 * 1024 / 10, 1e-6) << "before the single point";
    EXPECT_NEAR(theirs->ratio(), 0.2, 1e-12);
    EXPECT_EQ(theirs->source, "theirs");
    EXPECT_EQ(speeds({own, recorded}).at(now_, cube)->source, "mine");
    auto live = measure::series_of({point(now_, 70)}, measure::Origin::live, "here");
    series_.insert(series_.begin(), live.begin(), live.end());
    EXPECT_EQ(speeds({own, recorded}).at(now_, cube)->gflops, 70);
}

TEST_F(Speeds, OtherDevicesSizesAndCodeDoNotCount) {
    auto stale = sweep("32 8 1024 10 2 7 0 1\n");
    stale.stale = true;
    EXPECT_FALSE(speeds({stale}).at(now_, cube));
    EXPECT_FALSE(speeds({sweep("32 8 1024 10 2 7 0 1\n", false, "Other GPU")}).at(now_, cube));
    EXPECT_FALSE(speeds({sweep("32 8 2048 10 2 7 0 1\n")}).at(now_, cube));
}

TEST_F(Speeds, AFailureIsKnownAndNeverTheBest) {
    const auto all = speeds({sweep("32 8 1024 - - 0 - 1 it does not fit\n16 8 1024 10 2 7 0 1\n")});
    EXPECT_EQ(all.at(now_, cube)->gflops, 0);
    EXPECT_EQ(all.at(now_, cube)->failure, "it does not fit");
    EXPECT_EQ(all.best(cube)->values, (Values{{"BX", 16}, {"BY", 8}}));
    EXPECT_FALSE(all.best({2048, 2048, 2048}));
}

// From BX 32 the step to 16 is uphill, and 16 is a local best; 4 is faster still, two steps away.
TEST_F(Speeds, ANeighbourIsOneLegalStepAway) {
    const auto all = speeds({sweep(
        "32 8 1024 10 2 7 0 1\n16 8 1024 8 2 7 0 1\n8 8 1024 9 2 7 0 1\n4 8 1024 1 2 7 0 1\n32 16 1024 9 2 7 0 1\n")});
    const auto up = all.best_neighbour(now_, cube);
    ASSERT_TRUE(up);
    EXPECT_EQ(up->values, (Values{{"BX", 16}, {"BY", 8}}));
    const auto top = all.best_neighbour(up->values, cube);
    ASSERT_TRUE(top);
    EXPECT_LT(top->speed.gflops, up->speed.gflops) << "stuck";
    EXPECT_EQ(all.best(cube)->values.at("BX"), 4);
    EXPECT_FALSE(all.best_neighbour({{"BX", 128}, {"BY", 1}}, cube)) << "nothing was measured there";
}

TEST_F(Speeds, TheMapHasEveryPairOfValues) {
    const auto all = speeds({sweep("32 8 1024 10 2 7 0 1\n16 8 1024 8 2 7 0 1\n")});
    const auto map = session::speed_map(all, now_, cube, "BX", "BY");
    ASSERT_EQ(map.cells.size(), map.columns.size() * map.rows.size());
    size_t known = 0, broken = 0;
    for (size_t i = 0; i < map.cells.size(); ++i) {
        const auto& cell = map.cells[i];
        EXPECT_EQ(cell.values,
                  (Values{{"BX", map.columns[i % map.columns.size()]}, {"BY", map.rows[i / map.columns.size()]}}));
        EXPECT_EQ(cell.broken != nullptr, !catalog::broken_rules(*naive_, cell.values).empty());
        known += cell.speed.has_value(), broken += cell.broken != nullptr;
    }
    EXPECT_EQ(known, 2u);
    EXPECT_GT(broken, 0u);
    EXPECT_EQ(map.most, all.best(cube)->speed.gflops);
    EXPECT_NEAR(map.least, 2e-6 * 1024 * 1024 * 1024 / 10, 1e-9);
    EXPECT_EQ(session::speed_map(speeds({}), now_, cube, "BX", "BY").least, 0);
}

TEST_F(Speeds, SizesAreThoseOfAllSources) {
    series_ = measure::series_of({point(now_, 100)}, measure::Origin::recorded, "file");
    const auto sizes = speeds({sweep("32 8 4096 10 2 7 0 1\n32 8 2048 10 2 7 0 1\n")}).sizes();
    EXPECT_EQ(sizes, (std::vector<Problem>{cube, {2048, 2048, 2048}, {4096, 4096, 4096}}));
    EXPECT_EQ(speeds({}).sizes(), std::vector<Problem>{cube});
    EXPECT_TRUE(speeds({}).compared_sizes().empty()); // one setting: there is nothing to compare
    EXPECT_EQ(speeds({sweep("32 8 4096 10 2 7 0 1\n")}).compared_sizes(), (std::vector<Problem>{{4096, 4096, 4096}}));
}

TEST_F(Speeds, AProductThatIsNoneStandsBesideNoCublas) {
    const auto bits = fixture::kernels().find("add_one");
    auto p = point(catalog::initial_values(*bits), 100);
    p.kernel = bits->id, p.operation = bits->operation;
    series_ = measure::series_of({p, point(now_, 1)}, measure::Origin::recorded, "file");
    const session::Speeds all(bits, {}, series_, "Some GPU");
    ASSERT_TRUE(all.at(p.parameters, cube));
    EXPECT_EQ(all.at(p.parameters, cube)->cublas_gflops, 0);
}

TEST_F(Speeds, TheDeviceIsThisMachinesWhereItMeasured) {
    const auto device = [&](const std::vector<session::KernelSweep>& sweeps) {
        return session::speed_device(*naive_, sweeps, series_, "Some GPU", "NVIDIA H200");
    };
    EXPECT_EQ(device({}), "NVIDIA H200");
    EXPECT_EQ(device({sweep("32 8 1024 10 2 7 0 1\n", true)}), "Some GPU");
    series_ = measure::series_of({point(now_, 100)}, measure::Origin::live, "here");
    EXPECT_EQ(device({}), "Some GPU");
}

// A session reads the sweeps of the kernel that is shown.
TEST(SpeedsOfASession, FollowTheKernel) {
    fixture::Folder folder;
    const auto naive = fixture::kernels().find("naive");
    const auto own = folder.path / "own";
    std::filesystem::create_directories(own / "some");
    ASSERT_TRUE(base::write_file(own / "some" / "naive.txt", measure::header_of(*naive, "Some GPU") +
                                                                 measure::line_of(measure::SweepSource{}, 1) +
                                                                 "32 8 1024 10 2 7 0 1\n"));
    auto options = fixture::options();
    options.own_sweeps = own;
    session::Session session(options);
    session.apply(fixture::small("naive"), {});
    session.wait();
    const auto mine = [&] {
        return std::count_if(session.sweeps().begin(), session.sweeps().end(),
                             [](const auto& sweep) { return sweep.own; });
    };
    EXPECT_EQ(mine(), 1);
    session.apply(fixture::small("shared_tile"), {});
    EXPECT_EQ(mine(), 0) << "another kernel's";
    session.wait();
    EXPECT_EQ(mine(), 0);
}

} // namespace
