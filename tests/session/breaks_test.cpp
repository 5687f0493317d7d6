// Every planted mistake of the catalogue: the checks find what its file says they find, and without it nothing.
#include "fixture.h"

#include "catalog/breaks.h"
#include "session/gpu_runs.h"
#include "session/verify.h"

#include <algorithm>
#include <array>
#include <set>

namespace {

using session::Subject;

// Small, no multiple of any tile, but with rows that TMA copies, and more tiles along k than the longest ring.
constexpr catalog::Problem ragged{70, 76, 200};

const std::vector<trace::Schedule>& schedules() {
    static const std::vector<trace::Schedule> all{
        {}, *trace::schedule_from_text("warp:1"), *trace::schedule_from_text("seed:3")};
    return all;
}

std::vector<trace::Finding> findings(const catalog::Kernel& kernel, const std::set<std::string>& breaks,
                                     const trace::Schedule& schedule, const catalog::Problem& size = ragged,
                                     const catalog::Values& parameters = {},
                                     session::Engine engine = session::Engine::ptx) {
    Subject subject;
    subject.engine = engine;
    subject.kernel = kernel.id;
    subject.parameters = parameters;
    subject.problem = size;
    subject.breaks = breaks;
    subject.schedule = schedule;
    const auto job = session::resolve(kernel, subject);
    EXPECT_TRUE(job) << job.error().sentence();
    if (!job) return {};
    const auto prepared = session::prepare(*job);
    EXPECT_TRUE(prepared.value) << prepared.failed->error.sentence();
    if (!prepared.value) return {};
    EXPECT_EQ(prepared.value->listing->engine, engine) << prepared.value->fallback.english();
    const auto run = session::run_grid(*job, *prepared.value, 2, {});
    EXPECT_TRUE(run.value) << run.failed->error.sentence();
    return run.value ? run.value->findings : std::vector<trace::Finding>{};
}

std::vector<std::shared_ptr<const catalog::Kernel>> broken_kernels() {
    std::vector<std::shared_ptr<const catalog::Kernel>> found;
    for (const auto& kernel : fixture::kernels().kernels)
        if (!kernel->breaks.empty()) found.push_back(kernel);
    return found;
}

using KernelAndEngine = std::tuple<std::shared_ptr<const catalog::Kernel>, session::Engine>;

class Broken : public testing::TestWithParam<KernelAndEngine> {
protected:
    const catalog::Kernel& kernel_ = *std::get<0>(GetParam());

    std::vector<trace::Finding> findings(const std::set<std::string>& breaks, const trace::Schedule& schedule,
                                         const catalog::Problem& size = ragged) const {
        return ::findings(kernel_, breaks, schedule, size, {}, std::get<1>(GetParam()));
    }
};

// A race names two accesses, with the lanes and line of each; what is read or written wrongly, its lanes and line.
void expect_evidence(const trace::Finding& finding) {
    using enum trace::FindingKind;
    if (finding.kind == wrong_result) return;
    EXPECT_GT(finding.source_line, 0) << finding.text.english();
    EXPECT_GE(finding.warp, 0) << finding.text.english();
    if (finding.kind == out_of_bounds || finding.kind == uninitialised_shared) {
        EXPECT_NE(finding.lanes, 0u);
    }
    if (!finding.other) return;
    EXPECT_GT(finding.other->source_line, 0) << finding.text.english();
    EXPECT_NE(finding.lanes, 0u);
    EXPECT_NE(finding.other->lanes, 0u);
}

// The other side of a race may be the end of a block, and its shared memory with it: that is no access.
bool with_the_end_of_a_block(const trace::Finding& finding) {
    return finding.text.english().find("may have ended") != std::string::npos;
}

// All are of the kinds that the file names, but that C is wrong goes without saying. Of several races one names both accesses.
void expect_declared(const catalog::Break& one, const std::vector<trace::Finding>& found) {
    bool race = false, race_with_both = false;
    for (const trace::Finding& finding : found) {
        const std::string kind = trace::name(finding.kind);
        const bool declared = std::find(one.findings.begin(), one.findings.end(), kind) != one.findings.end();
        EXPECT_TRUE(declared || kind == "wrong_result") << kind << " is not declared: " << finding.text.english();
        expect_evidence(finding);
        race = race || (kind == "shared_race" && !with_the_end_of_a_block(finding));
        race_with_both = race_with_both || (kind == "shared_race" && finding.other);
    }
    EXPECT_EQ(race, race_with_both) << "no race names both accesses";
}

TEST_P(Broken, IsFoundInEveryOrderOfTheWarps) {
    const catalog::Kernel& kernel = kernel_;
    for (const catalog::Break& one : kernel.breaks)
        for (const trace::Schedule& schedule : schedules()) {
            SCOPED_TRACE(kernel.id + " broken by " + one.name + ", " + trace::to_text(schedule));
            const auto found = findings({one.name}, schedule);
            const auto is_first = [&](const trace::Finding& f) { return trace::name(f.kind) == one.findings.front(); };
            EXPECT_TRUE(std::any_of(found.begin(), found.end(), is_first)) << one.findings.front() << " is not found";
            expect_declared(one, found);
        }
}

// Kinds that the ring of stages shows only once it has gone round.
TEST_P(Broken, ReportsNoOtherKindsAlongALongK) {
    const catalog::Kernel& kernel = kernel_;
    for (const catalog::Break& one : kernel.breaks)
        if (one.findings.size() > 1)
            for (const trace::Schedule& schedule : schedules()) {
                SCOPED_TRACE(kernel.id + " broken by " + one.name + ", " + trace::to_text(schedule));
                expect_declared(one, findings({one.name}, schedule, {72, 80, 1024}));
            }
}

// Where the file says that a mistake cannot show it does not.
TEST_P(Broken, ShowsOnlyWhereItSaysSo) {
    const catalog::Kernel& kernel = kernel_;
    const catalog::Values values = catalog::initial_values(kernel);
    for (const catalog::Break& one : kernel.breaks) {
        if (one.when.empty()) continue;
        SCOPED_TRACE(kernel.id + " broken by " + one.name);
        EXPECT_TRUE(catalog::can_show(kernel, one, values, ragged));
        const std::array<catalog::Problem, 5> sizes{
            {{256, 256, 64}, {256, 256, 8}, {256, 256, 16}, {256, 256, 32}, {8, 8, 8}}};
        const auto hides = [&](const auto& size) { return !catalog::can_show(kernel, one, values, size); };
        const auto size = std::find_if(sizes.begin(), sizes.end(), hides);
        ASSERT_NE(size, sizes.end()) << one.when;
        EXPECT_TRUE(findings({one.name}, {}, *size).empty()) << size->k;
    }
}

TEST(Breaks, AnEarlyWriteNeedsTwoBuffers) {
    for (const char* id : {"double_buffer", "double_buffer_lean"}) {
        const auto kernel = fixture::kernels().find(id);
        const auto one = std::find_if(kernel->breaks.begin(), kernel->breaks.end(),
                                      [](const catalog::Break& each) { return each.name == "early_write"; });
        ASSERT_NE(one, kernel->breaks.end());
        EXPECT_FALSE(catalog::can_show(*kernel, *one, *catalog::with(*kernel, {{"BUFFERS", 1}}), ragged));
        EXPECT_TRUE(findings(*kernel, {"early_write"}, {}, ragged, {{"BUFFERS", 1}}).empty());
    }
}

TEST_P(Broken, IsRightWithoutItsMistakes) {
    for (const trace::Schedule& schedule : schedules())
        for (const trace::Finding& finding : findings({}, schedule))
            ADD_FAILURE() << kernel_.id << ", " << trace::to_text(schedule) << ": " << finding.text.english();
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Broken,
                         testing::Combine(testing::ValuesIn(broken_kernels()),
                                          testing::Values(session::Engine::ptx, session::Engine::machine)),
                         [](const auto& each) {
                             return std::get<0>(each.param)->id + "_as_" + trace::name(std::get<1>(each.param));
                         });

TEST(Breaks, EveryRungFromTheFirstTileToBulkCopiesHasOne) {
    const auto ladder = fixture::kernels().of_family("ladder");
    const auto at = [&](const char* id) {
        return std::find_if(ladder.begin(), ladder.end(), [&](const auto& kernel) { return kernel->id == id; });
    };
    ASSERT_NE(at("tile"), ladder.end());
    ASSERT_NE(at("bulk_copy"), ladder.end());
    for (auto kernel = at("tile"); kernel != at("bulk_copy") + 1; ++kernel)
        EXPECT_FALSE((*kernel)->breaks.empty()) << (*kernel)->id;
}

// What the window says of each: a switch, what to look for, in both languages.
TEST(Breaks, HaveWordsInBothLanguages) {
    for (const auto& kernel : broken_kernels())
        for (const catalog::Break& one : kernel->breaks) {
            EXPECT_FALSE(one.look.en.empty()) << kernel->id << " " << one.name;
            EXPECT_NE(one.label.en, one.label.zh) << kernel->id << " " << one.name;
            EXPECT_NE(one.look.en, one.look.zh) << kernel->id << " " << one.name;
        }
}

TEST(Breaks, AreOthersPrograms) {
    Subject right, wrong;
    right.kernel = wrong.kernel = "tile";
    wrong.breaks = {"no_second_barrier"};
    const auto a = session::resolve(fixture::kernels(), right), b = session::resolve(fixture::kernels(), wrong);
    ASSERT_TRUE(a && b);
    EXPECT_NE(a->source.text, b->source.text);
    EXPECT_EQ(std::count(a->source.text.begin(), a->source.text.end(), '\n'),
              std::count(b->source.text.begin(), b->source.text.end(), '\n'));
    EXPECT_EQ(b->breaks, wrong.breaks);
}

// Of a view kept by another version, or after another kernel. The command line refuses one that is misspelled.
TEST(Breaks, ThatAKernelDoesNotHaveAreDroppedFromTheView) {
    session::Session session(fixture::options());
    session::View view = fixture::small("tile");
    view.subject.breaks = {"no_such_mistake", "no_guard"};
    session.apply(view, {});
    fixture::until(session, [&] { return !session.busy(); });
    EXPECT_FALSE(session.products().block.failed);
    EXPECT_EQ(session.view().subject.breaks, std::set<std::string>{"no_guard"});
}

TEST(Breaks, AreNotRunOnAGpu) {
    Subject subject = fixture::small("tile").subject;
    subject.breaks = {"no_guard"};
    const auto launch = session::gpu_launch(*fixture::kernels().find("tile"), subject, "sm_90");
    ASSERT_FALSE(launch);
    EXPECT_NE(launch.error().sentence().find("planted mistake"), std::string::npos) << launch.error().sentence();
    EXPECT_FALSE(launch.error().todo.empty());
}

// What was computed of the right kernel is not taken for that of the broken one, and the other way round.
TEST(Breaks, SwitchedOnAndOffAreComputedAnew) {
    session::Session session(fixture::options());
    session::View view = fixture::small("tile");
    const auto findings_with = [&](std::set<std::string> breaks) {
        view.subject.breaks = std::move(breaks);
        session.apply(view, {});
        session.wait();
        view = session.view();
        EXPECT_TRUE(session.products().grid.value);
        return session.products().grid.value ? session.products().grid.value->findings.size() : 0;
    };
    EXPECT_EQ(findings_with({}), 0u);
    EXPECT_GT(findings_with({"no_first_barrier"}), 0u);
    EXPECT_EQ(findings_with({}), 0u);
    EXPECT_FALSE(session.timeline());
}

} // namespace
