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
                     .reclaimer = reclaimer_,
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
    base::Reclaimer reclaimer_;
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

// A frame that made it would wait for tenths of a second.
TEST(Pipeline, WhatIsDrawnOfABlockIsMadeByItsJobAndCounts) {
    constexpr size_t drawn = size_t{1} << 20;
    session::Memo memo;
    base::Reclaimer reclaimer;
    base::Jobs jobs(2);
    std::shared_ptr<const session::BlockRun> given;
    std::thread::id job;
    Pipeline pipeline({.jobs = jobs,
                       .reclaimer = reclaimer,
                       .memo = memo,
                       .catalog = fixture::kernels(),
                       .on_block =
                           [&](const std::shared_ptr<const session::BlockRun>& run) {
                               given = run, job = std::this_thread::get_id();
                               return drawn;
                           }},
                      "test");
    pipeline.show(fixture::small().subject, {});
    jobs.wait();
    ASSERT_TRUE(given);
    EXPECT_EQ(given, pipeline.products().block.value);
    EXPECT_NE(job, std::this_thread::get_id());
    EXPECT_GE(memo.bytes(), bytes_of(*given) + drawn);
}

// The block of a kernel in time.
class OfTimes {
public:
    explicit OfTimes(session::Subject subject) { show(std::move(subject)); }
    void show(session::Subject subject) {
        pipeline_.show(subject, {});
        jobs_.wait();
    }
    void ask(const timing::WhatIf& what_if) {
        pipeline_.want_what_if(what_if);
        jobs_.wait();
    }
    Pipeline& pipeline() { return pipeline_; }
    const Slot<session::TimedBlock>& time() const { return pipeline_.products().time; }
    const session::Products& products() const { return pipeline_.products(); }

private:
    session::Memo memo_;
    base::Reclaimer reclaimer_;
    base::Jobs jobs_{2};
    Pipeline pipeline_{
        {.jobs = jobs_, .reclaimer = reclaimer_, .memo = memo_, .catalog = fixture::kernels(), .threads = 2}, "test"};
};

using Timed = Slot<session::TimedBlock>::Face;

TEST(Pipeline, ABlockIsTimedOnceItIsThere) {
    const OfTimes pipeline(fixture::small().subject);
    ASSERT_EQ(pipeline.time().face, Timed::ready);
    const session::TimedBlock& time = *pipeline.time().value;
    EXPECT_EQ(time.block, pipeline.products().block.value);
    EXPECT_EQ(time.real, time.shown);
    EXPECT_FALSE(time.asked());
    EXPECT_GT(time.clock_mhz, 0);
    EXPECT_EQ(time.real->run.issues.size(), time.block->trace.events.size());
    uint64_t waited = 0, parts = 0;
    for (const timing::Issue& issue : time.real->run.issues) {
        waited += issue.waited;
        for (uint32_t n = 0; n < issue.parts; ++n) parts += time.real->run.parts[issue.first_part + n].cycles;
    }
    EXPECT_EQ(parts, waited) << "every cycle that was waited has its reason";
}

TEST(Pipeline, WhatNoGpuHasChangesTheTimeAndNothingElse) {
    OfTimes pipeline(fixture::small().subject);
    const auto block = pipeline.products().block.value;
    const auto real = pipeline.time().value->real;
    timing::WhatIf slow;
    slow.memory_latency = 2;
    pipeline.ask(slow);
    ASSERT_EQ(pipeline.time().face, Timed::ready);
    EXPECT_EQ(pipeline.products().block.value, block) << "nothing is executed anew";
    EXPECT_EQ(pipeline.time().value->real, real) << "nor is what a GPU does";
    EXPECT_TRUE(pipeline.time().value->asked());
    EXPECT_EQ(pipeline.products().judged.not_validated.english(), "no GPU has what is asked for");
    EXPECT_GT(pipeline.time().value->shown->run.cycles, real->run.cycles);
    session::Subject larger = fixture::small().subject;
    larger.problem.k *= 2;
    pipeline.show(larger);
    EXPECT_TRUE(pipeline.time().value->asked()) << "it stays on for what is shown next";
    pipeline.ask({});
    EXPECT_FALSE(pipeline.time().value->asked());
    EXPECT_NE(pipeline.products().judged.not_validated.english(), "no GPU has what is asked for");
    pipeline.pipeline().show(fixture::small().subject, {});
    EXPECT_EQ(pipeline.time().face, Timed::computing) << "the one that is remembered is of another multiprocessor";
}

TEST(Pipeline, ATimeIsRemembered) {
    OfTimes pipeline(fixture::small().subject);
    const auto time = pipeline.time().value;
    session::Subject larger = fixture::small().subject;
    larger.problem.k *= 2;
    pipeline.show(larger);
    EXPECT_NE(pipeline.time().value, time);
    pipeline.pipeline().show(fixture::small().subject, {});
    EXPECT_EQ(pipeline.time().face, Timed::ready);
    EXPECT_EQ(pipeline.time().value, time);
}

TEST(Pipeline, WhatHasNoTimeSaysWhy) {
    session::Subject subject = fixture::small().subject;
    subject.engine = session::Engine::ptx;
    OfTimes pipeline(subject);
    ASSERT_EQ(pipeline.time().face, Timed::failed);
    EXPECT_EQ(pipeline.products().block.face, Slot<session::BlockRun>::Face::ready);
    EXPECT_NE(pipeline.time().failed->error.sentence().find("only machine code has times"), std::string::npos);
    subject.engine = session::Engine::machine;
    subject.arch = "sm_80";
    pipeline.show(subject);
    ASSERT_EQ(pipeline.time().face, Timed::failed);
    EXPECT_NE(pipeline.time().failed->error.sentence().find("sm_80"), std::string::npos);
    pipeline.ask({.bank_conflicts = false});
    EXPECT_EQ(pipeline.time().face, Timed::failed) << "whatever is asked of it";
    subject.arch = "sm_90";
    pipeline.show(subject);
    EXPECT_EQ(pipeline.time().face, Timed::ready);
}

} // namespace
