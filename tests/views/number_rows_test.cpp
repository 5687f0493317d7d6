#include "views/number_rows.h"

#include "base/file.h"
#include "views/strings.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

namespace {

catalog::Kernel kernel() {
    catalog::Kernel kernel;
    kernel.id = "k";
    kernel.block_x = "256", kernel.block_y = "1";
    kernel.grid_x = "ceil_div(N, 128)", kernel.grid_y = "ceil_div(M, 128)";
    kernel.dynamic_shared = "1024";
    return kernel;
}

const views::Number* find(const std::vector<views::NumberGroup>& groups, std::string_view group, std::string_view key) {
    for (const views::NumberGroup& one : groups)
        for (const views::Number& number : one.numbers)
            if (group == one.key && key == number.key) return &number;
    return nullptr;
}

session::Products products() {
    session::Products products;
    auto machine = std::make_shared<compile::MachineCode>();
    machine->resources.registers = 136;
    machine->resources.static_shared_bytes = 7168;
    machine->resources.spill_store_bytes = 8;
    products.machine.value = machine;
    auto run = std::make_shared<session::FullRun>();
    run->totals.thread_instructions = 1000;
    run->totals.ffma_thread_instructions = 250;
    run->totals.shared_load = {10, 80, 40};
    run->totals.global_load = {4, 64, 16};
    run->verification = session::Verification{"float64 on the CPU", 1e-3, 1e-4, 1e-5, false, 4096, 2};
    products.grid.value = run;
    return products;
}

TEST(NumberRows, WhatIsNotKnownIsEmptyAndNotZero) {
    const auto groups = views::number_groups(nullptr, {}, {});
    int empty = 0;
    for (const views::NumberGroup& group : groups)
        for (const views::Number& number : group.numbers) {
            EXPECT_TRUE(number.value.empty() && number.word.empty()) << number.key;
            EXPECT_FALSE(number.alarming) << number.key;
            ++empty;
        }
    EXPECT_GT(empty, 20);
}

TEST(NumberRows,
     OccupancyOfTheWorkedExample) { // 256 threads, 136 registers, 8192 bytes on sm_70: 12.5 %, registers
    const catalog::Kernel k = kernel();
    session::Subject subject;
    subject.kernel = "k";
    subject.arch = "sm_70";
    const auto groups = views::number_groups(&k, subject, products());
    EXPECT_EQ(find(groups, "numbers.resources", "numbers.threads")->value, "256");
    EXPECT_EQ(find(groups, "numbers.resources", "numbers.dynamic_shared")->value, "1,024");
    EXPECT_EQ(find(groups, "numbers.occupancy_group", "numbers.occupancy")->value, "12.5");
    EXPECT_EQ(find(groups, "numbers.occupancy_group", "numbers.limiter")->word, "numbers.limiter_registers");
    EXPECT_TRUE(find(groups, "numbers.resources", "numbers.spills")->alarming);
}

// What is predicted is said to be; of what nobody judged the error is a word.
TEST(NumberRows, TimeWithItsErrorAndWhatMostOfItIsLostTo) {
    using timing::Wait;
    session::PredictedSpeed speed;
    speed.ms = 3.31, speed.gflops = 41486, speed.wave_cycles = 1640789, speed.resident = 2, speed.from_memory = 0.0762;
    speed.lost[Wait::selected] = 1000;
    speed.lost[Wait::barrier] = 10, speed.lost[Wait::not_selected] = 60, speed.lost[Wait::math_pipe] = 20,
    speed.lost[Wait::branch] = 10;
    speed.error.accuracy = measure::Accuracy{20, 0.039, 0.108, 0.2, 0, 0, 0, {}, 0};
    const auto groups = views::time_groups(&speed, "4096: predicted");
    ASSERT_EQ(groups.size(), 2u);
    for (const views::NumberGroup& group : groups) EXPECT_EQ(group.note, "4096: predicted");
    EXPECT_EQ(find(groups, "numbers.time", "numbers.time_ms")->value, "3.31");
    EXPECT_EQ(find(groups, "numbers.time", "numbers.time_gflops")->value, "41,486");
    EXPECT_EQ(find(groups, "numbers.time", "numbers.wave_cycles")->value, "1,640,789");
    EXPECT_EQ(find(groups, "numbers.time", "numbers.resident")->value, "2");
    EXPECT_EQ(find(groups, "numbers.time", "numbers.from_memory")->value, "7.62");
    EXPECT_EQ(find(groups, "numbers.time", "numbers.time_median")->value, "3.9");
    EXPECT_EQ(find(groups, "numbers.time", "numbers.time_p90")->value, "10.8");
    ASSERT_EQ(groups[1].numbers.size(), 3u) << "the largest";
    EXPECT_EQ(groups[1].numbers[0].key, "wait.not_selected");
    EXPECT_EQ(groups[1].numbers[0].value, "60");
    EXPECT_EQ(groups[1].numbers[1].key, "wait.math_pipe");

    speed.error.accuracy->p90 = 0.9, speed.error.not_validated = base::say("far off");
    EXPECT_TRUE(find(views::time_groups(&speed, ""), "numbers.time", "numbers.time_p90")->alarming);
    speed.error.accuracy.reset();
    EXPECT_EQ(find(views::time_groups(&speed, ""), "numbers.time", "numbers.time_p90")->word, "predicted.unvalidated");
    const auto none = views::time_groups(nullptr, "");
    ASSERT_EQ(none.size(), 1u);
    EXPECT_EQ(none[0].numbers.size(), groups[0].numbers.size());
    for (const views::Number& number : none[0].numbers) EXPECT_TRUE(number.value.empty() && number.word.empty());
}

TEST(NumberRows, CountersAndVerification) {
    const auto groups = views::number_groups(nullptr, {}, products());
    EXPECT_EQ(find(groups, "numbers.arithmetic", "numbers.fma_share")->value, "25");
    EXPECT_EQ(find(groups, "numbers.shared_load", "numbers.wavefronts_excessive")->value, "40");
    EXPECT_EQ(find(groups, "numbers.global_load", "numbers.sectors_excessive")->value, "48");
    EXPECT_EQ(find(groups, "numbers.async_copy", "numbers.sectors"), nullptr); // there are none
    EXPECT_EQ(find(groups, "numbers.verification", "numbers.result")->word, "numbers.failed");
    EXPECT_TRUE(find(groups, "numbers.verification", "numbers.result")->alarming);
    EXPECT_EQ(find(groups, "numbers.verification", "numbers.rounding")->value, "2");
    EXPECT_EQ(find(groups, "numbers.verification", "numbers.elements_checked")->value, "4,096");
}

// Every row of the table of counters is told, in its order; a counter that is one number among the arithmetic, one of accesses as a
// group of its own.
TEST(NumberRows, EveryCounterIsTold) {
    session::Products all = products();
    auto run = std::make_shared<session::FullRun>(*all.grid.value);
    std::vector<std::string> expected;
    for (const analysis::CounterRow& row : analysis::counter_rows()) {
        analysis::set(row, {7, 7, 7, 9, 8}, run->totals);
        for (const analysis::CounterField& field : analysis::fields(row, run->totals))
            expected.push_back(views::counter_key(row) + " " + views::field_key(row, field) + " " +
                               std::to_string(field.value));
    }
    all.grid.value = run;
    std::vector<std::string> told;
    for (const views::NumberGroup& group : views::number_groups(nullptr, {}, all)) {
        if (group.key != "numbers.arithmetic" && !*group.space) continue;
        for (const views::Number& number : group.numbers) {
            if (number.key == "numbers.fma_share" || number.key == "numbers.flop_per_instruction") continue;
            told.push_back((*group.space ? group.key : number.key) + " " + number.key + " " + number.value);
        }
    }
    EXPECT_EQ(told, expected);
}

TEST(NumberRows, WidthsStandSideBySideAndItIsSaidWhichProgramIsCounted) {
    using trace::Kind;
    using trace::Space;
    session::Products known = products();
    known.widths = std::make_shared<const std::vector<analysis::AccessWidth>>(
        std::vector<analysis::AccessWidth>{{Kind::load, Space::shared, 4, 62, 64, 32},
                                           {Kind::load, Space::shared, 16, 62, 0, 8},
                                           {Kind::store, Space::shared, 4, 54, 2, 2}});
    for (const auto engine : {trace::Engine::ptx, trace::Engine::machine}) {
        auto listing = std::make_shared<trace::Listing>();
        listing->engine = engine;
        auto prepared = std::make_shared<session::Prepared>();
        prepared->listing = listing;
        known.prepared.value = prepared;
        const auto groups = views::number_groups(nullptr, {}, known);
        EXPECT_EQ(find(groups, "numbers.widths", "numbers.shared_load")->value, "64×4 → 32×4 + 8×16");
        EXPECT_EQ(find(groups, "numbers.widths", "numbers.shared_store")->value, "2×4");
        EXPECT_EQ(find(groups, "numbers.widths", "numbers.global_load")->value, "0");
        EXPECT_EQ(find(groups, "numbers.widths", "numbers.basis")->word, fmt::format("engine.{}", trace::name(engine)));
    }
}

TEST(NumberRows, EveryNameUnitAndDefinitionIsInBothLanguages) {
    auto loaded = views::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    ASSERT_TRUE(loaded) << loaded.error().sentence();
    views::Strings& tr = *loaded;
    session::Products all = products();
    auto run = std::make_shared<session::FullRun>(*all.grid.value);
    for (const analysis::CounterRow& row : analysis::counter_rows()) analysis::set(row, {1, 1, 1, 1, 1}, run->totals);
    all.grid.value = run;
    session::PredictedSpeed speed;
    for (const timing::Wait why : {timing::Wait::barrier, timing::Wait::global_queue, timing::Wait::register_port})
        speed.lost[why] = 1;
    for (const auto language : {session::Language::en, session::Language::zh}) {
        tr.use(language);
        auto groups = views::number_groups(nullptr, {}, all);
        for (views::NumberGroup& time : views::time_groups(&speed, {})) groups.push_back(std::move(time));
        for (const views::NumberGroup& group : groups) {
            tr(group.key);
            if (*group.space) tr(group.space);
            for (const views::Number& number : group.numbers) {
                tr(number.key);
                tr(std::string(number.key) + "_tip");
                if (*number.unit) tr(number.unit);
                if (!number.word.empty()) tr(number.word);
            }
        }
    }
    for (const char* limiter : {"registers", "shared", "threads", "blocks"})
        tr(std::string("numbers.limiter_") + limiter);
    for (const char* key : {"engine.machine", "engine.ptx", "numbers.basis_line_sass", "numbers.basis_line_ptx"})
        tr(key);
    for (int kind = 0; kind <= static_cast<int>(trace::FindingKind::unwaited_register); ++kind)
        tr(std::string("findings.") + trace::name(static_cast<trace::FindingKind>(kind)));
    EXPECT_EQ(tr.missing(), std::set<std::string>());
    EXPECT_EQ(tr.keys(session::Language::en), tr.keys(session::Language::zh));
}

// Two sentences each, in both languages, and Nsight Compute's name where scripts/counters reads one for the same number.
TEST(NumberRows, EachHasTwoSentencesAndItsNameInNsightCompute) {
    auto loaded = views::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets" / "i18n");
    ASSERT_TRUE(loaded);
    views::Strings tr = *loaded;
    const auto script = base::read_file(SOURCE_DIR "/scripts/counters/counters.py");
    ASSERT_TRUE(script);
    std::set<std::string> named;
    for (const auto language : {session::Language::en, session::Language::zh}) {
        tr.use(language);
        auto groups = views::number_groups(nullptr, {}, {});
        for (views::NumberGroup& time : views::time_groups(nullptr, {})) groups.push_back(std::move(time));
        for (const views::NumberGroup& group : groups)
            for (const views::Number& number : group.numbers) {
                const std::string text = tr(number.key + "_tip");
                size_t sentences = 0;
                for (size_t i = 0; i < text.size(); ++i)
                    sentences += text.substr(i).starts_with("\u3002") ||
                                 (text[i] == '.' && (i + 1 == text.size() || text[i + 1] == ' '));
                EXPECT_GE(sentences, 2u) << number.key << ": " << text;
                const auto [page, name] = views::nsight_name(group.key, number.key);
                if (name.empty()) continue;
                named.insert(group.key + " " + number.key);
                tr(page);
                // The script reads neither the Details page nor the excessive sectors, which are the difference of two columns.
                if (page != std::string_view("numbers.nsight") || number.key == "numbers.sectors_excessive") continue;
                EXPECT_NE(script->find("\"" + name.substr(0, name.find(',')) + "\""), std::string::npos) << name;
            }
    }
    EXPECT_EQ(tr.missing(), std::set<std::string>());
    EXPECT_GE(named.size(), 26u);
    EXPECT_EQ(views::nsight_name("numbers.shared_load", "numbers.wavefronts").name, "L1 Wavefronts Shared, LDS");
    EXPECT_EQ(views::nsight_name("numbers.verification", "numbers.max_error").name, "");
}

} // namespace
