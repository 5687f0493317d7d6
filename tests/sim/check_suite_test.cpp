// The checks on whole kernels, with their warps in several orders. Nothing but what the files say may be found.
#include "check_case.h"

#include <gtest/gtest.h>

#include <utility>

namespace {

using namespace check_suite;

class CheckSuite : public testing::TestWithParam<std::tuple<std::string, trace::Engine>> {
protected:
    const trace::Engine engine_ = std::get<1>(GetParam());
    const Case case_ = read(TEST_DATA "/check/" + std::get<0>(GetParam()) + ".cu");
    const Found& expected_ = case_.expected_of(engine_);

    static bool has_compilers() { return compile::availability().found && compile::assembler().found; }
};

std::vector<trace::Finding> findings(const Case& c, const Ready& program, int threads, trace::Schedule schedule) {
    sim::Memory memory = c.memory;
    sim::Options options;
    options.threads = threads;
    options.schedule = schedule;
    const auto outcome = sim::run(*program, c.launch, memory, options);
    if (!outcome) {
        ADD_FAILURE() << outcome.error().sentence();
        return {};
    }
    EXPECT_LT(outcome->warp_instructions,
              2 * options.idle_budget * static_cast<uint64_t>(threads)); // a loop without end is stopped
    return outcome->findings;
}

std::string text(const std::vector<trace::Finding>& findings) {
    std::string text;
    for (const trace::Finding& f : findings)
        text += fmt::format("  line {}: {}: {} ({} times)\n", f.source_line, trace::name(f.kind), f.text.english(),
                            f.times);
    return text;
}

std::string kind(const trace::Finding& f) {
    return trace::name(f.kind) + std::string(f.severity == trace::Severity::warning ? " warning" : "");
}

TEST_P(CheckSuite, FindsWhatTheFileSays) {
    if (!has_compilers()) GTEST_SKIP() << "no NVRTC or ptxas";
    const Case& c = case_;
    ASSERT_TRUE(c.says_what && c.says_why);
    const auto program = prepare(c, engine_);
    ASSERT_TRUE(program.ok()) << program.error().sentence();
    for (const int threads : {1, 2}) {
        Found found;
        const auto all = findings(c, *program, threads, {});
        for (const trace::Finding& f : all) found.emplace(kind(f), f.source_line);
        EXPECT_EQ(found, expected_) << "with " << threads << " threads:\n" << text(all);
        if (std::getenv("GEMMSCOPE_SHOW_FINDINGS")) std::fputs(text(all).c_str(), stderr);
    }
}

// The same is found in every order of the warps; of a race's two lines only which access came first may differ. Of several races on one
// word an order may hide some (the last writer of a word is kept), and a read that races may or may not meet a copy under way.
TEST_P(CheckSuite, FindsTheSameInEveryOrderOfTheWarps) {
    if (!has_compilers()) GTEST_SKIP() << "no NVRTC or ptxas";
    const Case& c = case_;
    const auto program = prepare(c, engine_);
    ASSERT_TRUE(program.ok()) << program.error().sentence();
    using Accesses = std::set<std::tuple<std::string, int, int>>; // kind, lower line, upper line
    // Of a race between lanes of several warps, and of one alone, the first one met says whether it is a warning.
    const auto kind_of = [](const trace::Finding& f) {
        return f.kind == trace::FindingKind::shared_race ? trace::name(f.kind) : kind(f);
    };
    const auto accesses = [&](const std::vector<trace::Finding>& findings) {
        Accesses all;
        for (const trace::Finding& f : findings) {
            const int other = f.other ? f.other->source_line : 0;
            all.emplace(kind_of(f), std::min(f.source_line, other), std::max(f.source_line, other));
        }
        return all;
    };
    const auto is_race = [](const auto& access) { return std::get<0>(access).starts_with("shared_race"); };
    const Accesses in_order = accesses(findings(c, *program, 1, {}));
    const bool races = std::any_of(in_order.begin(), in_order.end(), is_race);
    std::vector<trace::Schedule> schedules{{trace::Schedule::Kind::warp_first, (c.launch.block.count() - 1) / 32}};
    for (uint64_t seed = 1; seed <= 4; ++seed) schedules.push_back({trace::Schedule::Kind::shuffled, seed});
    for (const trace::Schedule schedule : schedules) {
        const auto all = findings(c, *program, 2, schedule);
        const Accesses found = accesses(all);
        const auto another_race = [&](const auto& access) { // at a line that races in the first order, too
            const int line = std::get<1>(access), other = std::get<2>(access);
            const auto same_line = [&](const auto& race) {
                return is_race(race) &&
                       (std::get<2>(race) == other || std::get<1>(race) == line || std::get<2>(race) == line);
            };
            return std::get<0>(access) == "unwaited_async_copy" &&
                   std::any_of(in_order.begin(), in_order.end(), same_line);
        };
        Accesses expected = found;
        std::erase_if(expected, another_race);
        EXPECT_TRUE(std::includes(in_order.begin(), in_order.end(), expected.begin(), expected.end()))
            << to_text(schedule) << ":\n"
            << text(all);
        const bool kept = races ? std::any_of(found.begin(), found.end(), is_race) : found == in_order;
        EXPECT_TRUE(kept) << to_text(schedule) << ":\n" << text(all);
    }
}

// Without checks the kernel does the same, and what is found is what cannot be executed.
TEST_P(CheckSuite, WithoutChecksTheKernelDoesTheSame) {
    if (!has_compilers()) GTEST_SKIP() << "no NVRTC or ptxas";
    const Case& c = case_;
    const auto program = prepare(c, engine_);
    ASSERT_TRUE(program.ok()) << program.error().sentence();
    const auto looked_for = [](const std::string& kind) {
        for (const char* start : {"shared_race", "global_race", "uninitialised", "unwaited_async_copy",
                                  "mbarrier_misuse", "unfinished_read"})
            if (kind.starts_with(start)) return true;
        return false;
    };
    Found expected, found;
    for (const auto& each : expected_)
        if (!looked_for(each.first)) expected.insert(each);
    sim::Memory checked = c.memory, unchecked = c.memory;
    sim::Options options;
    const auto first = sim::run(**program, c.launch, checked, options);
    options.checks = false;
    const auto outcome = sim::run(**program, c.launch, unchecked, options);
    ASSERT_TRUE(first.ok() && outcome.ok());
    for (const trace::Finding& f : outcome->findings)
        if (f.kind != trace::FindingKind::unwaited_async_copy)
            found.emplace(kind(f), f.source_line); // a copy that nothing waits for is still seen
    EXPECT_EQ(found, expected);
    if (std::any_of(expected.begin(), expected.end(), [](const auto& e) { return e.first == "endless_loop"; })) return;
    EXPECT_EQ(outcome->thread_instructions, first->thread_instructions);
    for (const trace::Buffer& b : c.memory.buffers()) {
        const auto a = checked.bytes(b.address), d = unchecked.bytes(b.address);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), d.begin(), d.end())) << b.name;
    }
}

INSTANTIATE_TEST_SUITE_P(Files, CheckSuite,
                         testing::Combine(testing::ValuesIn(files()),
                                          testing::Values(trace::Engine::ptx, trace::Engine::machine)),
                         [](const auto& each) {
                             return std::get<0>(each.param) + "_as_" + trace::name(std::get<1>(each.param));
                         });

TEST(CheckSuite, MachineCodeOfAnotherArchitectureStandsForOneThatIsNotExecuted) {
    if (!compile::availability().found || !compile::assembler().found) GTEST_SKIP() << "no NVRTC or ptxas";
    for (const std::string& name : files()) {
        Case c = read(TEST_DATA "/check/" + name + ".cu");
        if (std::exchange(c.machine_arch, {}).empty()) continue;
        const auto program = prepare(c, trace::Engine::machine);
        ASSERT_TRUE(program.ok()) << program.error().sentence();
        EXPECT_FALSE(sim::not_executed(**program).empty()) << name;
    }
}

TEST(CheckSuite, HasEnoughOfBoth) {
    int wrong = 0, correct = 0;
    std::set<std::string> kinds;
    for (const std::string& name : files()) {
        const Case c = read(TEST_DATA "/check/" + name + ".cu");
        for (const auto& [kind, line] : c.expected) kinds.insert(kind.substr(0, kind.find(' ')));
        ++(c.expected.empty() ? correct : wrong);
    }
    EXPECT_GE(wrong, 12);
    EXPECT_GE(correct, 15);
    EXPECT_GE(kinds.size(), 11u);
}

} // namespace
