// What a subject's pipeline does where a grid is counted from some of its blocks.
#include "fixture.h"
#include "session/pipeline.h"
#include "session/sample.h"

#include <algorithm>

namespace {

using session::FullRun;
using session::Job;
using session::Pipeline;
using session::Prepared;
using session::Slot;
using session::Stage;

// Every grid takes too long to be counted unasked.
class OfSamples {
public:
    explicit OfSamples(Pipeline::Host::Sampling sample)
        : pipeline_({.jobs = jobs_,
                     .memo = memo_,
                     .catalog = fixture::kernels(),
                     .threads = 2,
                     .affordable_s = 0,
                     .sample = std::move(sample)},
                    "test") {
        pipeline_.show(fixture::small().subject, {});
        jobs_.wait();
    }
    const session::Products& products() const { return pipeline_.products(); }

private:
    session::Memo memo_;
    base::Jobs jobs_{2};
    Pipeline pipeline_;
};

// As a hole in the reasoning would make it: the block that was executed stands for others that count something else.
Stage<FullRun> wrong_sample(const Job& job, const Prepared& prepared, int threads, std::stop_token stop) {
    const Stage<FullRun> right = session::run_sample(job, prepared, threads, stop);
    if (!right.value) return right;
    auto sample = std::make_shared<session::Sample>(*right.value->sample);
    for (sim::Representative& kind : sample->kinds) ++kind.counts.front().executed;
    auto run = std::make_shared<FullRun>(*right.value);
    run->sample = std::move(sample);
    return {std::move(run), {}};
}

bool says_why(const FullRun& run) {
    return std::any_of(run.findings.begin(), run.findings.end(), [](const trace::Finding& f) {
        return f.text.english().find("counts something else than the one that stood for it") != std::string::npos;
    });
}

TEST(Pipeline, ASampleThatIsRightStays) {
    const OfSamples right({});
    ASSERT_EQ(right.products().grid.face, Slot<FullRun>::Face::ready);
    EXPECT_TRUE(right.products().grid.value->sample);
    EXPECT_TRUE(right.products().grid_estimate_s) << "all of it can still be asked for";
    EXPECT_FALSE(says_why(*right.products().grid.value));
}

TEST(Pipeline, AllBlocksAreCountedWhereOneDisagreesWithTheOneThatStoodForIt) {
    const OfSamples wrong(wrong_sample);
    ASSERT_EQ(wrong.products().grid.face, Slot<FullRun>::Face::ready);
    const FullRun& run = *wrong.products().grid.value;
    EXPECT_FALSE(run.sample);
    EXPECT_TRUE(run.verification) << "all of C is known now";
    EXPECT_TRUE(says_why(run));
    EXPECT_FALSE(wrong.products().grid_estimate_s);
    EXPECT_EQ(run.counts, OfSamples({}).products().grid.value->counts);
}

} // namespace
