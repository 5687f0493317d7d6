// Runs on a GPU by a worker that misbehaves: see tests/gpu/fake_worker.py.
#include "session/gpu_runs.h"

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
    EXPECT_NE(runs.state().reason.find("spoke out of turn (it has not said hello)"), std::string::npos)
        << runs.state().reason;
    EXPECT_FALSE(runs.state().here);
}

} // namespace
