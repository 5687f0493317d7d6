// Predictions that views ask for: in the order of the wishes, kept, given up where others are wanted, compiled once for all sizes.
#include "session/predicted_speeds.h"

#include "catalog/code_hash.h"
#include "fixture.h"

namespace {

using session::PredictedSpeeds;
using session::PredictionKey;
using session::PredictionWish;
using session::Subject;

PredictionWish wish(const catalog::Problem& size, const catalog::Values& other = {},
                    const timing::WhatIf& what_if = {}) {
    Subject subject;
    subject.kernel = "naive";
    const auto kernel = fixture::kernels().find("naive");
    subject.parameters = *catalog::with(*kernel, other);
    subject.problem = size;
    return {kernel, PredictionKey(subject, what_if)};
}

measure::AccuracyRecord judged() {
    const std::string code = catalog::code_hash(*fixture::kernels().find("naive"));
    measure::AccuracyRecord record;
    record.arch = "sm_90";
    const measure::Accuracy accuracy{20, 0.05, 0.1, 0.2, 0, -0.1, 0.2, {}, 0};
    record.rows = {{"naive", code, catalog::Problem{512, 512, 512}, accuracy}, {"naive", code, {}, accuracy}};
    return record;
}

TEST(PredictedSpeeds, AreThoseThatTheStagePredictsWithTheirBand) {
    PredictedSpeeds speeds({judged()}, {}, false);
    const PredictionWish one = wish({512, 512, 512});
    speeds.want({one});
    EXPECT_FALSE(speeds.find(one.key));
    speeds.wait();
    const auto found = speeds.find(one.key);
    ASSERT_TRUE(found && *found);
    const auto made = session::predict(*one.kernel, one.key.subject);
    ASSERT_TRUE(made.value);
    EXPECT_EQ((*found)->ms, made.value->ms);
    EXPECT_EQ((*found)->gflops, made.value->gflops);
    ASSERT_TRUE((*found)->error.accuracy);
    EXPECT_DOUBLE_EQ((*found)->least_gflops(), 0.9 * made.value->gflops) << "predicted a tenth too fast";
    EXPECT_DOUBLE_EQ((*found)->most_gflops(), 1.2 * made.value->gflops);
}

// Each FFMA issues once for every step of k: what is simulated is a part of them, what is told is all.
TEST(PredictedSpeeds, ReasonsAreOverTheWholeDepth) {
    const auto issues = [](int k) {
        const PredictionWish one = wish({256, 256, k});
        const auto made = session::predict(*one.kernel, one.key.subject);
        double all = 0;
        for (const timing::Lost& lost : made.value->lost) all += static_cast<double>(lost[timing::Wait::selected]);
        return all;
    };
    const double short_one = issues(1024), long_one = issues(4096);
    EXPECT_NEAR(long_one / short_one, 4, 0.05);
}

TEST(PredictedSpeeds, OutsideOfWhatWasJudgedHaveNoBand) {
    PredictedSpeeds speeds({judged()}, {}, false);
    timing::WhatIf slow;
    slow.memory_latency = 2;
    const PredictionWish small = wish({256, 256, 256}), other = wish({512, 512, 512}, {}, slow);
    speeds.want({small, other});
    speeds.wait();
    for (const PredictionWish& one : {small, other}) {
        const auto found = speeds.find(one.key);
        ASSERT_TRUE(found && *found);
        EXPECT_FALSE((*found)->error.accuracy);
        EXPECT_FALSE((*found)->error.not_validated.empty());
        EXPECT_EQ((*found)->least_gflops(), (*found)->most_gflops());
    }
}

TEST(PredictedSpeeds, WhatHasNoTimeSaysWhy) {
    PredictedSpeeds speeds({}, {}, false);
    PredictionWish one = wish({512, 512, 512});
    one.key.subject.arch = "sm_80";
    speeds.want({one});
    speeds.wait();
    ASSERT_TRUE(speeds.find(one.key));
    EXPECT_FALSE(*speeds.find(one.key));
    EXPECT_NE(speeds.find(one.key)->error().sentence().find("sm_80"), std::string::npos);
}

TEST(PredictedSpeeds, WhatTimeDoesNotHangOnIsOneKey) {
    Subject subject = wish({512, 512, 512}).key.subject;
    const PredictionKey plain(subject, {});
    subject.seed = 7, subject.alpha = 2, subject.engine = session::Engine::ptx;
    EXPECT_EQ(PredictionKey(subject, {}), plain);
    subject.beta = 1;
    EXPECT_NE(PredictionKey(subject, {}), plain) << "C is read";
}

TEST(PredictedSpeeds, WhatIsNoLongerWantedIsGivenUpAndForgotten) {
    PredictedSpeeds speeds({}, {}, false);
    const PredictionWish a = wish({512, 512, 512}), b = wish({1024, 1024, 1024}),
                         c = wish({512, 512, 512}, {{"BX", 16}});
    speeds.want({a, b});
    speeds.want({c}); // before `a` is there: nobody waits for it
    speeds.wait();
    EXPECT_FALSE(speeds.find(a.key));
    EXPECT_FALSE(speeds.find(b.key));
    EXPECT_TRUE(speeds.find(c.key));
    speeds.want({a, c});
    speeds.want({}); // nothing else is wanted: what is under way may come to its end
    speeds.wait();
    EXPECT_TRUE(speeds.find(a.key));
    speeds.forget("naive");
    EXPECT_FALSE(speeds.find(c.key));
}

TEST(PredictedSpeeds, CompiledSettingsAreGivenUpAtRestAndAnswersStay) {
    PredictedSpeeds speeds({}, {}, false);
    const PredictionWish one = wish({512, 512, 512});
    Subject subject = one.key.subject;
    subject.engine = session::Engine::machine;
    auto prepared = session::prepare(*session::resolve(*one.kernel, subject)).value;
    ASSERT_TRUE(prepared);
    const std::weak_ptr kept = prepared;
    speeds.show(one.kernel, subject, std::move(prepared));
    speeds.want({one});
    speeds.wait();
    EXPECT_FALSE(kept.expired());
    speeds.rest();
    EXPECT_TRUE(kept.expired());
    EXPECT_TRUE(speeds.find(one.key));
}

TEST(PredictedSpeeds, OfASessionWaitForThePictureAndComeWithUpdate) {
    session::Session session(fixture::options());
    session::View view = fixture::small("naive");
    session::Commands commands;
    session.apply(view, commands);
    session.wait();
    session::Subject subject = session.view().subject;
    subject.problem = {512, 512, 512};
    const PredictionKey key(subject, {});
    commands.predictions = {{session.kernel(), key}};
    session.apply(session.view(), commands);
    EXPECT_TRUE(session.busy());
    session.wait();
    ASSERT_TRUE(session.predicted(key));
    EXPECT_TRUE(*session.predicted(key));
}

} // namespace
