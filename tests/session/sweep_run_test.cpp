// When workers of a sweep that do not start are started again. The clock is the test's: nothing waits for it.
#include "fixture.h"

#include "base/file.h"
#include "compile/compiler.h"
#include "session/sweep_run.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace {

using session::SweepRun;
using namespace std::chrono_literals;

class SweepStarts : public testing::Test {
protected:
    // By `worker`, which a line of the file starts() says of each time.
    session::SweepPlan plan(const std::string& worker) {
        const auto kernel = fixture::kernels().find("shared_tile");
        session::SweepPlan plan;
        plan.parts = {{kernel, {catalog::initial_values(*kernel)}}};
        plan.sizes = {{64, 64, 64}};
        plan.workers = {"echo start >>'" + file.string() + "'; " + worker};
        plan.folder = folder.path / "records";
        plan.assets = SOURCE_DIR "/assets";
        plan.now = [this] { return now; };
        return plan;
    }
    auto starts() const {
        const auto text = base::read_file(file);
        return text ? std::count(text->begin(), text->end(), '\n') : 0;
    }
    // What `tell` says of a pause; nothing: it is of something else.
    static std::optional<std::chrono::milliseconds> pause_in(const std::string& told) {
        constexpr std::string_view before = "started again in ";
        const size_t at = told.find(before);
        if (at == told.npos) return {};
        return std::chrono::milliseconds(std::lround(1000 * std::stod(told.substr(at + before.size()))));
    }

    fixture::Folder folder;
    const std::filesystem::path file = folder.path / "starts";
    std::chrono::steady_clock::time_point now;
    std::vector<std::chrono::milliseconds> pauses;
};

TEST_F(SweepStarts, APauseThatGrowsIsBeforeEachButTheFirst) {
    int looks = 0; // since the last pause began
    std::chrono::steady_clock::time_point due;
    SweepRun run(plan("echo no such queue >&2; exit 4"), [&](const std::string& told) {
        const auto pause = pause_in(told);
        if (!pause) return;
        pauses.push_back(*pause);
        due = now + *pause;
        now = due - 1ms;
        looks = 0;
    });
    const auto done = run.run([&](const session::SweepProgress&) {
        if (!pauses.empty() && now < due) {
            EXPECT_EQ(starts(), std::ssize(pauses)) << "a start before its pause was over";
            if (++looks == 3) now = due;
        }
        return SweepRun::Go::on;
    });
    ASSERT_FALSE(done);
    EXPECT_NE(done.error().sentence().find("no such queue"), std::string::npos) << done.error().sentence();
    EXPECT_EQ(pauses, (std::vector{500ms, 1000ms}));
    EXPECT_EQ(starts(), 3);
}

TEST_F(SweepStarts, OfAWorkerThatWasThereBeforeThePausesGrowToAMinute) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    const std::string fake = "exec python3 '" SOURCE_DIR "/tests/gpu/fake_worker.py' crash";
    SweepRun run(plan("[ $(wc -l <'" + file.string() + "') -gt 1 ] && exit 4; " + fake), [&](const std::string& told) {
        if (const auto pause = pause_in(told)) pauses.push_back(*pause), now += *pause;
    });
    EXPECT_FALSE(run.run([](const session::SweepProgress&) { return SweepRun::Go::on; }));
    EXPECT_EQ(pauses, (std::vector{500ms, 1000ms, 2000ms, 4000ms, 8000ms, 16000ms, 32000ms, 60000ms, 60000ms}));
}

// The clock stands still: whoever waited for the pause would wait for ever.
TEST_F(SweepStarts, APauseEndsWithCtrlC) {
    for (const auto go : {SweepRun::Go::end_soon, SweepRun::Go::end_now}) {
        pauses.clear();
        SweepRun run(plan("exit 4"), [&](const std::string& told) {
            if (const auto pause = pause_in(told)) pauses.push_back(*pause);
        });
        EXPECT_TRUE(run.run([&](const session::SweepProgress&) { return pauses.empty() ? SweepRun::Go::on : go; }));
        EXPECT_EQ(pauses.size(), 1u);
    }
}

} // namespace
