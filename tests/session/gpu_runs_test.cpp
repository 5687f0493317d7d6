// Runs on a GPU by a worker that misbehaves: see tests/gpu/fake_worker.py.
#include "session/gpu_runs.h"

#include "fixture.h"
#include "session/speeds.h"

#include <gtest/gtest.h>

namespace {

using Face = session::GpuState::Face;

// Its answer found no GPU that it could be about.
TEST(GpuRuns, AnAnswerBeforeTheHelloIsAnError) {
    base::Jobs jobs(1);
    session::GpuRuns runs(jobs, "python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' peaks_before_hello", {});
    runs.measure_peaks("/no/such/folder");
    while (runs.busy() && runs.wait(60)) {
    }
    EXPECT_EQ(runs.state().face, Face::absent);
    EXPECT_NE(runs.state().reason.english().find("spoke out of turn (it has not said hello)"), std::string::npos)
        << runs.state().reason.english();
    EXPECT_FALSE(runs.state().here);
}

// R times the kernel at the size that is executed here and at the one at which speed is shown; the next session knows it.
TEST(GpuRuns, BothSizesAreMeasuredAndStay) {
    fixture::Folder folder;
    auto options = fixture::options();
    options.own_sweeps = folder.path / "sweeps";
    options.worker = "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' good";
    auto view = fixture::small("naive");
    view.speed_problem = {512, 512, 512};
    session::Commands commands;
    commands.run_on_gpu = true;
    {
        session::Session session(options);
        session.apply(view, commands);
        session.wait();
        ASSERT_EQ(session.gpu().face, session::GpuState::Face::idle) << session.gpu().reason.english();
        EXPECT_TRUE(session.timeline()) << "of its blocks, too";
        EXPECT_EQ(fixture::said(session), "");
    }
    session::Session session(options);
    session.apply(view, {});
    session.wait();
    const session::Speeds speeds(session.kernel(), session.sweeps(), {}, "Fake");
    for (const catalog::Problem& size : {view.subject.problem, view.speed_problem}) {
        const auto speed = speeds.at(session.view().subject.parameters, size);
        ASSERT_TRUE(speed) << size.m;
        EXPECT_EQ(speed->origin, measure::Origin::live);
        EXPECT_NEAR(speed->gflops, 2e-6 * size.m * size.n * size.k / 2.0, 1e-9) << "2 ms";
    }
}

// Each stayed for good: 24 bytes a block, of up to a million blocks.
TEST(GpuRuns, OldTimelinesGoWhereTheyAreMany) {
    const auto naive = fixture::kernels().find("naive");
    ASSERT_TRUE(naive);
    base::Jobs jobs(1);
    session::GpuRuns runs(jobs, "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' good", {});
    session::Subject subject = fixture::small("naive").subject;
    subject.parameters = {{"BX", 16}, {"BY", 16}};
    const auto record = [&](const catalog::Problem& problem) {
        subject.problem = problem;
        runs.run(naive, subject, problem);
        do jobs.wait();
        while (runs.busy() && runs.wait(60));
        ASSERT_EQ(runs.state().face, Face::idle) << runs.state().reason.english();
    };
    record({64, 64, 64});
    ASSERT_EQ(runs.timelines().size(), 1u);
    for (int k = 1; k <= 4; ++k) record({4096, 4096, k});
    static_assert(4 * (4096 / 16) * (4096 / 16) == session::most_kept_blocks);
    ASSERT_EQ(runs.timelines().size(), 4u) << "the first has no room beside the others";
    EXPECT_EQ(runs.timelines().front()->k, 1);
    EXPECT_EQ(runs.timelines().back()->k, 4);
    record({8192, 8192, 1});
    ASSERT_EQ(runs.timelines().size(), 1u);
    EXPECT_EQ(runs.timelines().back()->blocks.size(), 4 * size_t{4096 / 16} * (4096 / 16)) << "the last one always";
}

} // namespace
