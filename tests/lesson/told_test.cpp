// Moments found, figures counted, questions answered: on the program's own kernels.
#include "../slow_disk.h"
#include "fixture.h"

#include "base/text.h"
#include "lesson/check.h"
#include "lesson/figures.h"
#include "lesson/moment_words.h"
#include "lesson/player.h"
#include "lesson/tell.h"

#include <condition_variable>
#include <future>
#include <mutex>

namespace {

using lesson::Answer;
using lesson::Question;
using trace::Kind;
using trace::Space;

class Moments : public testing::Test {
protected:
    void SetUp() override {
        session::Subject subject;
        subject.kernel = "shared_tile";
        subject.parameters = {{"TILE", 16}};
        subject.problem = {64, 64, 64};
        auto block = executions.block(subject, {0, 0, 0});
        ASSERT_TRUE(block) << block.error().sentence();
        traced = *block;
    }
    uint32_t event(const std::string& words, int warp = 0) {
        auto found = lesson::event_in_words(words, *traced, warp);
        EXPECT_TRUE(found) << words << ": " << found.error().sentence();
        return found ? *found : 0;
    }
    std::string fault(const std::string& words) {
        auto found = lesson::event_in_words(words, *traced, 0);
        return found ? "" : found.error().sentence();
    }
    const trace::Instruction& instruction(uint32_t e) const {
        const trace::Trace& trace = traced->block.block->trace;
        return trace.listing->instructions[trace.events[e].pc];
    }
    std::string array(uint32_t e) const {
        return std::string(traced->arrays.of(traced->block.block->trace.events[e], instruction(e).space));
    }
    int warp(uint32_t e) const { return traced->block.block->trace.events[e].warp; }

    lesson::Executions executions = fixture::executions();
    std::shared_ptr<const lesson::Traced> traced;
};

TEST_F(Moments, AreFoundInWords) {
    const uint32_t load = event("load of As");
    EXPECT_EQ(instruction(load).kind, Kind::load);
    EXPECT_EQ(instruction(load).space, Space::shared);
    EXPECT_EQ(array(load), "As");
    const auto& tiles = traced->block.block->timeline.k_tiles;
    EXPECT_TRUE(load >= tiles[1] && load < tiles[2]); // in its stride
    EXPECT_LT(event("first load of As"), tiles[1]);
    EXPECT_GT(event("second load of As"), event("first load of As"));
    EXPECT_GT(event("last load of As"), event("load of As in k-tile 2"));
    EXPECT_EQ(array(event("global load of B")), "B");
    EXPECT_EQ(array(event("store of C")), "C");
    EXPECT_EQ(instruction(event("first shared store")).space, Space::shared);
    EXPECT_EQ(instruction(event("third barrier")).kind, Kind::barrier);
    EXPECT_EQ(event("third barrier"), event("barrier 3"));
    EXPECT_GT(event("barrier 3"), event("barrier 2"));
    EXPECT_EQ(event("k-tile 2"), event("third k-tile"));
    EXPECT_EQ(event("start"), 0u);
    EXPECT_EQ(instruction(event("end")).kind, Kind::exit);
    const uint32_t line = event("\"sum = fmaf\"");
    EXPECT_EQ(
        instruction(line).source_line,
        instruction(event("first shared load of line " + std::to_string(instruction(line).source_line))).source_line);
    EXPECT_EQ(event(""), traced->block.block->interesting_event);
}

// double_buffer reads its tiles through two functions above the kernel.
TEST(InlinedLines, AreFoundInWords) {
    auto executions = fixture::executions();
    session::Subject subject;
    subject.kernel = "double_buffer";
    const auto traced = executions.block(subject, {0, 0, 0});
    ASSERT_TRUE(traced) << traced.error().sentence();
    const auto source = base::lines((*traced)->block.kernel->source);
    const auto& trace = (*traced)->block.block->trace;
    for (const char* text :
         {"reinterpret_cast<const float4*>(from + i)", "read<PIECE>(to", "read_pieces<TM, SPLIT, BM>(a"}) {
        const auto found = lesson::event_in_words("\"" + std::string(text) + "\"", **traced, 0);
        ASSERT_TRUE(found) << text;
        const trace::Instruction& i = trace.listing->instructions[trace.events[*found].pc];
        bool has = false;
        for (const int line : {i.own_line, i.source_line, i.kernel_line})
            has = has || (line > 0 && source[static_cast<size_t>(line) - 1].find(text) != std::string_view::npos);
        EXPECT_TRUE(has) << text;
    }
}

TEST_F(Moments, AreOfTheWarp) {
    for (const char* words : {"", "load of As", "barrier 2", "end", "k-tile 1"})
        EXPECT_EQ(warp(event(words, 3)), 3) << words;
}

TEST_F(Moments, ThatMeanNothingSaySo) {
    EXPECT_NE(fault("lod of As").find("not understood from \"lod\" on"), std::string::npos);
    EXPECT_NE(fault("load of").find("not understood"), std::string::npos);
    EXPECT_NE(fault("load of As in k-tile x").find("not understood"), std::string::npos);
    EXPECT_NE(fault("load of Cs").find("warp 0 executes no \"load of Cs\"; choose one of A, As, B, Bs"),
              std::string::npos)
        << fault("load of Cs");
    EXPECT_NE(fault("barrier 99").find("executes no"), std::string::npos);
    EXPECT_NE(fault("\"no such line\"").find("executes no"), std::string::npos);
}

// A lesson of one step, in memory.
lesson::Lesson lesson_of(const std::string& state, const std::string& text = "Look.",
                         const std::string& question = "") {
    auto read = lesson::parse(fixture::one_step(state, text, question), "x.md");
    EXPECT_TRUE(read) << read.error().sentence();
    return read ? *read : lesson::Lesson{};
}

double figure(lesson::Executions& executions, const std::string& state, const std::string& name) {
    const lesson::Lesson one = lesson_of(state);
    lesson::Figures figures(executions, one, one.steps[0].scene);
    const auto value = figures.value(name);
    EXPECT_TRUE(value) << name << ": " << value.error().sentence();
    return value ? *value : -1;
}

// What docs/counters_h200.md and the report of a teacher have for the same kernels.
TEST(Figures, AreWhatTheProgramPrints) {
    auto executions = fixture::executions();
    const auto value = [&](const std::string& state, const char* name) { return figure(executions, state, name); };
    const std::string padded =
        "kernel = \"shared_tile_padded\"\nmoment = \"load of As\"\nparameters = { TILE = 32, PAD = ";
    const int wavefronts[] = {32, 1, 2, 1, 4};
    for (int pad = 1; pad < 5; ++pad) // PAD = 0 is not offered
        EXPECT_EQ(value(padded + std::to_string(pad) + " }\n", "access.wavefronts"), wavefronts[pad]) << pad;
    const std::string naive = "kernel = \"naive_uncoalesced\"\nmoment = \"load of A\"\n";
    EXPECT_EQ(value(naive, "access.sectors"), 32);
    EXPECT_EQ(value(naive, "access.ideal_sectors"), 4);
    EXPECT_EQ(value(naive, "access.used"), 12.5);
    EXPECT_EQ(value(naive, "counters.global_load.sectors"), 17301504);
    EXPECT_EQ(value("kernel = \"naive\"\n", "counters.global_load.sectors"), 2621440);
    const std::string tile = "kernel = \"shared_tile\"\n";
    EXPECT_EQ(value(tile, "counters.global_load.sectors"), 131072);
    EXPECT_NEAR(value(tile, "intensity"), 5.33, 0.01);
    EXPECT_EQ(value(tile, "threads"), 1024);
    EXPECT_EQ(value(tile, "blocks"), 64);
    EXPECT_EQ(value(tile, "shared_bytes"), 8192);
    EXPECT_EQ(value(tile, "barriers"), 16);
    EXPECT_EQ(value(tile, "barriers_per_tile"), 2);
    EXPECT_EQ(value(tile, "k_tiles"), 8);
    EXPECT_EQ(value(tile, "findings"), 0);
    EXPECT_EQ(value(tile, "findings.shared_race"), 0);
    EXPECT_EQ(value(tile, "verified"), 1);
    EXPECT_EQ(value(tile, "TILE"), 32);
    EXPECT_EQ(value(tile, "K"), 256);
    EXPECT_NEAR(value(tile, "speed.tflops"), 1.8, 0.1);
    EXPECT_EQ(value(tile, "flop"), 2 * 256.0 * 256 * 256);
    EXPECT_NEAR(value(tile, "speed.milliseconds"), 2 * 4096.0 * 4096 * 4096 / 1.8e12 * 1e3, 5);
    EXPECT_EQ(value(tile, "multiprocessors"), 132);
    EXPECT_EQ(value(tile, "speed_blocks"), 128 * 128);
    EXPECT_EQ(value(tile, "waves"), 128 * 128 / 264.0);
    EXPECT_NEAR(value(tile, "last_wave"), 100 * (128 * 128 % 264) / 264.0, 1e-9);
    EXPECT_NEAR(value(tile, "wave_efficiency"), 100 * 128 * 128 / (63 * 264.0), 1e-9);
    const std::string buffered = "kernel = \"double_buffer\"\n";
    EXPECT_EQ(value(buffered, "occupancy.blocks"), 2);
    EXPECT_EQ(value(buffered, "occupancy.percent"), 25);
    EXPECT_EQ(value(buffered, "barriers_per_tile"), 1);
}

TEST(Figures, OfAnSmAreItsArchitectures) {
    auto executions = fixture::executions();
    const auto value = [&](const char* name) { return figure(executions, "kernel = \"naive\"\n", name); };
    EXPECT_EQ(value("sm.warps"), 64);
    EXPECT_EQ(value("sm.threads"), 2048);
    EXPECT_EQ(value("sm.blocks"), 32);
    EXPECT_EQ(value("sm.registers"), 65536);
    EXPECT_EQ(value("sm.thread_registers"), 255);
    EXPECT_EQ(value("sm.shared_bytes"), 228 * 1024);
    EXPECT_EQ(value("sm.block_shared_bytes"), 227 * 1024);
    EXPECT_EQ(value("sm.block_threads"), 1024);
}

// Its loop over groups of four k and that over tiles are one.
TEST(Figures, KTilesOfMergedLoopsAreTiles) {
    auto executions = fixture::executions();
    const std::string champion =
        "kernel = \"champion\"\nparameters = { BM = 32, BN = 64, BK = 64, TM = 8, TN = 8, SLICES = 4, "
        "STAGES = 4 }\n";
    EXPECT_EQ(figure(executions, champion, "k_tiles"), 256 / 64);
}

// Of a grid that is too large some blocks are executed: then there is no C, and an error of 0 would be a lie.
TEST(Figures, OfCAreNotThereWhereItIsNotComputed) {
    auto executions = fixture::executions();
    const lesson::Lesson one = lesson_of("kernel = \"strassen\"\nm = 1024\nn = 1024\nk = 1024\n");
    lesson::Figures figures(executions, one, one.steps[0].scene);
    for (const char* name : {"error", "verified"}) {
        const auto value = figures.value(name);
        ASSERT_FALSE(value) << name << " is " << *value;
        EXPECT_NE(value.error().sentence().find("choose a smaller size"), std::string::npos);
    }
    EXPECT_GT(figure(executions, "kernel = \"strassen\"\n", "error"), 0);
}

TEST(Figures, OfBrokenCodeHaveNoSpeed) {
    auto executions = fixture::executions();
    session::Subject broken;
    broken.kernel = "shared_tile";
    EXPECT_TRUE(executions.speed(broken, {4096, 4096, 4096}));
    broken.breaks = {"no_second_barrier"};
    EXPECT_FALSE(executions.speed(broken, {4096, 4096, 4096}));
}

TEST(Executions, KeepTheLatestWithinBounds) {
    auto executions = fixture::executions();
    session::Subject subject;
    subject.kernel = "shared_tile";
    subject.problem = {32, 32, 32};
    const auto first = executions.block(subject, {0, 0, 0});
    ASSERT_TRUE(first);
    EXPECT_EQ(*executions.block(subject, {0, 0, 0}), *first);
    for (int m = 64; m < 64 + 32; ++m) { // more settings than are kept
        session::Subject other = subject;
        other.problem.m = m;
        ASSERT_TRUE(executions.job(other));
    }
    EXPECT_NE(*executions.block(subject, {0, 0, 0}), *first);
    session::Subject large = subject;
    large.problem = {8192, 8192, 8192};
    EXPECT_TRUE(executions.job(large));
    EXPECT_FALSE(executions.block(large, {300, 0, 0}));
}

TEST(Figures, SayWhatThereIsNotAndWhy) {
    auto executions = fixture::executions();
    const lesson::Lesson one = lesson_of("kernel = \"shared_tile\"\nmoment = \"barrier 1\"\n");
    lesson::Figures figures(executions, one, one.steps[0].scene);
    EXPECT_NE(figures.value("access.wavefronts").error().what.english().find("no access"), std::string::npos);
    EXPECT_NE(figures.value("acess.wavefronts").error().what.english().find("no figure"), std::string::npos);
    EXPECT_TRUE(
        figures.value("access.idel").error().todo.english().starts_with("did you mean access.ideal? known are"));
    EXPECT_NE(figures.value("see.see.M").error().what.english().find("step of a step"), std::string::npos);
    EXPECT_NE(figures.value("findings.bad_luck").error().what.english().find("no figure"), std::string::npos);
}

TEST(Figures, StandOnThePageThatSaysHowALessonIsWritten) {
    const auto guide = base::read_file(fixture::source_folder() / "docs" / "lessons.md");
    ASSERT_TRUE(guide);
    for (const std::string& name : lesson::Figures::names()) {
        if (name.starts_with("counters."))
            continue; // the page refers to docs/json.md, which tests/cli/trace_test.cpp holds
        const size_t point = name.rfind('.');
        const std::string last = point == name.npos ? name : name.substr(point + 1);
        EXPECT_NE(guide->find(last), std::string::npos) << name;
    }
    EXPECT_NE(guide->find("](json.md)"), std::string::npos);
}

struct Asked {
    std::optional<Answer> answer;
    std::string problems;
    Question question;
};

Asked ask(
    const std::string& table, const std::string& items = "",
    const std::string& state =
        "kernel = \"shared_tile\"\nengine = \"ptx\"\nmoment = \"load of As\"\nparameters = { TILE = 16 }\nlane = 1\n") {
    auto executions = fixture::executions();
    const lesson::Lesson one =
        lesson_of(state, "Look.", "### What?\n\n```toml question\n" + table + "```\n\n" + items + "\nBecause.\n");
    if (one.steps.empty()) return {};
    const lesson::Told told = lesson::tell(executions, one, 0, one.steps[0].scene.subject);
    Asked asked{{}, fixture::sentences(told.problems), *one.steps[0].question};
    if (told.question) asked.answer = told.question->answer;
    return asked;
}

TEST(Questions, OfANumber) {
    const Asked asked = ask("kind = \"number\"\nanswer = \"access.wavefronts\"\nwithin = 0.1\n");
    ASSERT_TRUE(asked.answer) << asked.problems;
    EXPECT_EQ(asked.answer->number, 8);
    EXPECT_TRUE(is_right(asked.question, *asked.answer, {8.5, {}, 0, {}}));
    EXPECT_FALSE(is_right(asked.question, *asked.answer, {9, {}, 0, {}}));
}

TEST(Questions, OfAnotherSetting) {
    const Asked asked = ask("kind = \"number\"\nanswer = \"access.wavefronts\"\nparameters = { TILE = 8 }\n");
    ASSERT_TRUE(asked.answer) << asked.problems;
    EXPECT_EQ(asked.answer->number, 2);
}

TEST(Questions, OfAChoiceOfNumbers) {
    const Asked asked = ask("kind = \"choice\"\nanswer = \"access.wavefronts\"\n", "- 2\n- 4\n- 8\n- 1,024\n");
    ASSERT_TRUE(asked.answer) << asked.problems;
    EXPECT_EQ(asked.answer->items, std::vector<size_t>{2});
    EXPECT_TRUE(is_right(asked.question, *asked.answer, {0, {2}, 0, {}}));
    EXPECT_FALSE(is_right(asked.question, *asked.answer, {0, {0}, 0, {}}));
    EXPECT_NE(ask("kind = \"choice\"\nanswer = \"access.wavefronts\"\n", "- 1\n- 2\n")
                  .problems.find("0 of 2 choices are right, the answer is 8"),
              std::string::npos);
    EXPECT_NE(ask("kind = \"choice\"\nanswer = \"access.wavefronts\"\n", "- 8\n- {{TILE / 2}}\n")
                  .problems.find("2 of 2 choices"),
              std::string::npos);
    EXPECT_NE(ask("kind = \"choice\"\nanswer = \"access.wavefronts\"\n", "- 8\n- many\n")
                  .problems.find("\"many\" is not a number"),
              std::string::npos);
}

TEST(Questions, OfAChoiceByConditions) {
    const Asked asked =
        ask("kind = \"choice\"\nright = [\"access.ways == 1\", \"access.ways > 1\"]\n", "- free\n- a conflict\n");
    ASSERT_TRUE(asked.answer) << asked.problems;
    EXPECT_EQ(asked.answer->items, std::vector<size_t>{1});
}

TEST(Questions, OfALane) {
    const Asked asked = ask("kind = \"lane\"\nlane = \"lane != selected.lane && bank == selected.bank\"\n");
    ASSERT_TRUE(asked.answer) << asked.problems;
    EXPECT_EQ(asked.answer->lanes, 0xAAAAAAAAu & ~2u);
    EXPECT_TRUE(is_right(asked.question, *asked.answer, {0, {}, 1u << 5, {}}));
    EXPECT_FALSE(is_right(asked.question, *asked.answer, {0, {}, 1u << 4, {}}));
    EXPECT_NE(ask("kind = \"lane\"\nlane = \"lane > 40\"\n").problems.find("no lane is right"), std::string::npos);
    EXPECT_NE(ask("kind = \"lane\"\nlane = \"active\"\n").problems.find("every lane is right"), std::string::npos);
}

TEST(Questions, OfAnOrder) {
    const Asked asked =
        ask("kind = \"order\"\nby = [\"access.wavefronts\", \"access.ideal\", \"TILE\"]\n", "- a\n- b\n- c\n");
    ASSERT_TRUE(asked.answer) << asked.problems;
    EXPECT_EQ(asked.answer->items, (std::vector<size_t>{1, 0, 2}));
    EXPECT_FALSE(is_right(asked.question, *asked.answer, {0, {0, 1, 2}, 0, {}}));
    EXPECT_NE(ask("kind = \"order\"\nby = [\"TILE\", \"16\"]\n", "- a\n- b\n").problems.find("items 1 and 2 are equal"),
              std::string::npos);
}

TEST(Questions, OfACurve) {
    const std::string state = "kernel = \"shared_tile\"\n";
    const Asked asked = ask("kind = \"curve\"\nover = \"TILE\"\nanswer = \"speed.tflops\"\n", "", state);
    ASSERT_TRUE(asked.answer) << asked.problems;
    ASSERT_EQ(asked.answer->curve.size(), 3u);
    EXPECT_EQ(asked.answer->curve[0].x, 8);
    Answer drawn = *asked.answer;
    for (Answer::Point& point : drawn.curve) point.y *= 1.2;
    EXPECT_TRUE(is_right(asked.question, *asked.answer, drawn));
    drawn.curve[1].y *= 1.5;
    EXPECT_FALSE(is_right(asked.question, *asked.answer, drawn));
    drawn.curve.pop_back();
    EXPECT_FALSE(is_right(asked.question, *asked.answer, drawn));
    EXPECT_NE(
        ask("kind = \"curve\"\nover = \"BK\"\nanswer = \"speed.tflops\"\n", "", state).problems.find("no parameter BK"),
        std::string::npos);
}

// A question that follows its reader asks about other tiles, and about a kernel of the reader's own that has neither
// that block nor that warp nor that array.
TEST(Questions, FollowTheReader) {
    auto executions = fixture::executions();
    const lesson::Lesson one = lesson_of(
        "kernel = \"shared_tile\"\nengine = \"ptx\"\nmoment = \"load of As\"\nblock = [7, 7]\nwarp = 31\nsource = \"fmaf(As\"\n",
        "Look.",
        "### What?\n\n```toml question\nkind = \"number\"\nanswer = \"access.wavefronts\"\nfollow = true\n```\n\nSo.\n");
    const auto answer = [&](const char* kernel, catalog::Values parameters, int size) {
        session::Subject subject;
        subject.kernel = kernel;
        subject.engine = session::Engine::ptx;
        subject.parameters = std::move(parameters);
        subject.problem = {size, size, size};
        const lesson::Told told = lesson::tell(executions, one, 0, subject);
        EXPECT_EQ(fixture::sentences(told.problems), "") << kernel;
        return told.question ? told.question->answer.number : -1;
    };
    EXPECT_EQ(answer("shared_tile", {}, 256), 32);
    EXPECT_EQ(answer("shared_tile", {{"TILE", 8}}, 32), 2);
    EXPECT_GE(answer("conflict_free", {}, 128), 1);
}

TEST(Told, ShowsTheLinesThatHaveTheText) {
    auto executions = fixture::executions();
    const auto shown = [&](const std::string& source) {
        const lesson::Lesson one = lesson_of("kernel = \"shared_tile\"\nmoment = \"load of As\"\n" + source);
        const lesson::Told told = lesson::tell(executions, one, 0, one.steps[0].scene.subject);
        const auto lines = base::lines(fixture::catalog().find("shared_tile")->source);
        return std::string(lines.at(told.first_line - 1));
    };
    EXPECT_NE(shown("").find("fmaf(As[x][k]"), std::string::npos);
    EXPECT_NE(shown("source = \"TILE\"\n").find("template <int TILE>"),
              std::string::npos); // not what the file says of itself
}

TEST(Check, FindsEachFaultWithItsLine) {
    auto executions = fixture::executions();
    const auto faults = [&](const std::string& text, const std::string& chinese = "") {
        auto read = lesson::parse(text, "x.md", chinese);
        return read ? fixture::sentences(lesson::check(executions, *read, fixture::views(), fixture::lessons()))
                    : read.error().sentence();
    };
    const auto expect = [&](const std::string& text, const std::string& part, const std::string& chinese = "") {
        const std::string found = faults(text, chinese);
        EXPECT_NE(found.find(part), std::string::npos) << "\"" << part << "\" is not in: " << found;
    };
    using fixture::one_step;
    const std::string tile = "kernel = \"shared_tile\"\nmoment = \"load of As\"\n";
    EXPECT_EQ(faults(one_step(tile)), "");
    const auto needing = [&](const std::string& ids) {
        std::string text = one_step(tile);
        return text.replace(text.find("+++\n\n"), 0, "needs = " + ids + "\n");
    };
    EXPECT_EQ(faults(needing("[\"04_bank_conflicts\", \"01_threads_and_blocks\"]")), "");
    expect(needing("[\"04_bank_conflict\"]"), "x.md:3: there is no lesson \"04_bank_conflict\"");
    expect(needing("[\"x\"]"), "x.md:3: the lesson needs itself");
    expect(needing("[\"../04_bank_conflicts\"]"), "x.md:3: there is no lesson");
    expect(one_step("kernel = \"shared_tilt\"\n"), "x.md:8: there is no kernel shared_tilt");
    expect(one_step("kernel = \"shared_tile\"\nparameters = { TILE = 33 }\n"), "x.md:9: ");
    expect(one_step("kernel = \"shared_tile\"\nmoment = \"load of Zs\"\n"), "x.md:9: warp 0 executes no");
    expect(one_step("kernel = \"shared_tile\"\nblock = [99]\n"), "x.md:9: there is no block (99, 0, 0)");
    expect(one_step(tile + "views = [\"bank\"]\n"), "x.md:10: there is no view \"bank\"");
    expect(one_step(tile + "slider = \"BK\"\n"), "x.md:10: slider = \"BK\", and shared_tile has no such parameter");
    expect(one_step(tile + "source = \"no such text\"\n"), "no line of shared_tile has");
    expect(one_step(tile + "check = [\"access.wavefronts == 31\"]\n"),
           "x.md:10: \"access.wavefronts == 31\" does not hold: access.wavefronts is 32");
    expect(one_step(tile + "check = [\"acces.wavefronts == 31\"]\n"),
           "x.md:10: there is no figure \"acces.wavefronts\"");
    expect(one_step(tile, "It takes {{wavefronts}} of them."), "x.md:12: there is no figure \"wavefronts\"");
    expect(one_step(tile + "number = \"nothing\"\nlabel = \"x\"\n"), "x.md:10: there is no figure");
    expect(one_step(tile + "number = \"M\"\nlabel = \"x\"\nbefore = \"saw\"\n"), "before = \"saw\" names no step");
    const std::string asked =
        "### How many?\n\n```toml question\nkind = \"number\"\nanswer = \"access.wavefronts\"\n```\n\n";
    expect(one_step(tile, "Look.", asked), "the question has no explanation");
    expect(one_step(tile + "number = \"access.wavefronts\"\nlabel = \"w\"\n", "Look.", asked + "So.\n"),
           "tells the answer");
    expect("+++\ntitle = \"T\"\n+++\n## S {#see}\n\n```toml step\nkernel = \"shared_tile\"\n```\n\nLook.\n",
           "x.md:1: the sheet for teachers is missing",
           "+++\ntitle = \"T\"\n+++\n## S {#see}\n字\n\n## T {#teachers}\n\nAim.\n");
    expect(one_step(tile), "x.zh.md:4: the step \"see\" says nothing",
           "+++\ntitle = \"T\"\n+++\n## S {#see}\n\n## T {#teachers}\n\nAim.\n");
    std::string forty_one;
    for (int i = 0; i < 41; ++i) forty_one += "word ";
    expect(one_step(tile, forty_one), "x.md:12: the text has 41 words");
    expect("+++\ntitle = \"T\"\n+++\n## S {#see}\n\n```toml step\nkernel = \"shared_tile\"\n```\n\nLook.\n",
           "the sheet for teachers is missing");
    std::string characters;
    for (int i = 0; i < 81; ++i) characters += "字";
    expect(one_step(tile), "x.zh.md:5: the text has 41 words",
           "+++\ntitle = \"T\"\n+++\n## S {#see}\n" + characters + "\n\n## T {#teachers}\n\nAim.\n");
    expect(one_step(tile), "x.zh.md:5: there is no figure",
           "+++\ntitle = \"T\"\n+++\n## S {#see}\n{{nothing}} 字\n\n## T {#teachers}\n\nAim.\n");
}

// Two steps, the second of which names the first one's figures.
TEST(Check, TellsAFaultOnceWhereItStands) {
    auto executions = fixture::executions();
    const auto faults = [&](const std::string& state, const std::string& more = "") {
        const std::string block = "```toml step\n" + state + "number = \"access.wavefronts\"\nlabel = \"w\"\n" + more +
                                  "```\n\n{{access.wavefronts}} of {{access.ideal}}.\n\n";
        const std::string behind =
            "## Then {#then}\n\n```toml step\n" + state + "check = [\"see.access.wavefronts == 1\"]\n```\n\n" +
            "{{see.access.wavefronts}}\n\n### How many?\n\n```toml question\nkind = \"number\"\n"
            "parameters = { TILE = 16 }\nanswer = \"see.access.wavefronts + access.ideal\"\n```\n\nSo.\n\n";
        const auto read = lesson::parse("+++\ntitle = \"T\"\n+++\n\n## See {#see}\n\n" + block + behind +
                                            "## For teachers {#teachers}\n\nAim.\n",
                                        "x.md");
        EXPECT_TRUE(read) << read.error().sentence();
        return fixture::sentences(lesson::check(executions, *read, fixture::views(), fixture::lessons()));
    };
    const auto count = [](const std::string& text, const std::string& part) {
        int found = 0;
        for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
        return found;
    };
    const std::string kernel = faults("kernel = \"turned_b\"\n");
    EXPECT_EQ(count(kernel, "\n"), 1) << kernel;
    EXPECT_NE(kernel.find("x.md:8: there is no kernel turned_b"), kernel.npos) << kernel;
    EXPECT_NE(kernel.find("if it is yours, add --kernels FOLDER"), kernel.npos) << kernel;
    for (const char* wrong : {"moment = \"load of Zs\"\n", "breaks = [\"no_such_break\"]\n"}) {
        const std::string both = faults("kernel = \"shared_tile\"\n" + std::string(wrong));
        EXPECT_EQ(count(both, "\n"), 2) << both;
        EXPECT_EQ(count(both, "x.md:9: "), 1) << both;
        EXPECT_EQ(count(both, "x.md:20: "), 1) << both;
    }
}

// After the answer the picture shows what was asked about, and so does the number beside it.
TEST(Told, TheNumberIsThatOfWhatTheQuestionAsksAbout) {
    auto executions = fixture::executions();
    const lesson::Lesson one = lesson_of(
        "kernel = \"shared_tile\"\nengine = \"ptx\"\nmoment = \"load of As\"\nnumber = \"access.ways\"\nlabel = \"words\"\n",
        "Look.",
        "### What?\n\n```toml question\nkind = \"number\"\nparameters = { TILE = 16 }\nanswer = "
        "\"access.wavefronts\"\n```\n\nSo.\n");
    const lesson::Told told = lesson::tell(executions, one, 0, one.steps[0].scene.subject);
    ASSERT_TRUE(told.number && told.question && told.question->number);
    EXPECT_EQ(told.number->text, "32");
    EXPECT_EQ(told.question->number->text, "8");
}

TEST(Check, ACurveWithoutAPointSaysWhy) {
    auto executions = fixture::executions();
    const auto faults = [&](const std::string& moment) {
        const lesson::Lesson one =
            lesson_of("kernel = \"shared_tile\"\nmoment = \"" + moment + "\"\n", "Look.",
                      "### What?\n\n```toml question\nkind = \"curve\"\nover = \"TILE\"\nanswer = "
                      "\"access.wavefronts\"\n```\n\nSo.\n");
        return fixture::sentences(lesson::check(executions, one, fixture::views(), fixture::lessons()));
    };
    EXPECT_EQ(faults("load of As"), "");
    EXPECT_TRUE(faults("barrier 1").starts_with("x.md:18: there is no access at this moment")) << faults("barrier 1");
    const std::string wrong = faults("load of Zs");
    EXPECT_TRUE(wrong.starts_with("x.md:9: ") && std::count(wrong.begin(), wrong.end(), '\n') == 1) << wrong;
}

TEST(Check, AnAnswerIsComputed) {
    auto executions = fixture::executions();
    const lesson::Lesson chosen =
        lesson_of("kernel = \"shared_tile\"\n", "Look.",
                  "### What?\n\n```toml question\nkind = \"choice\"\nright = [\"1\", \"0\"]\n```\n\n- a\n- b\n\nSo.\n");
    EXPECT_NE(fixture::sentences(lesson::check(executions, chosen, fixture::views(), fixture::lessons()))
                  .find("the answer \"1\" is typed, not counted"),
              std::string::npos);
    for (const char* answer : {"32", "TILE", "M"}) {
        const lesson::Lesson one = lesson_of("kernel = \"shared_tile\"\nmoment = \"load of As\"\n", "Look.",
                                             "### What?\n\n```toml question\nkind = \"number\"\nanswer = \"" +
                                                 std::string(answer) + "\"\n```\n\nSo.\n");
        const std::string found =
            fixture::sentences(lesson::check(executions, one, fixture::views(), fixture::lessons()));
        EXPECT_NE(found.find("x.md:17: the answer \"" + std::string(answer) + "\" is typed, not counted; answers are"),
                  found.npos)
            << found;
    }
}

TEST(Player, TellsInTheBackgroundForWhateverIsSet) {
    lesson::Player::Options options;
    options.lessons = {fixture::source_folder() / "assets" / "lessons"};
    options.assets = fixture::source_folder() / "assets";
    lesson::Player player(options);
    const auto one = player.lessons().find("04_bank_conflicts");
    ASSERT_TRUE(one);
    const auto told = [&](size_t step, const session::Subject& subject) {
        auto found = player.told(one, step, subject, fixture::catalog());
        while (!found) {
            player.wait();
            found = player.told(one, step, subject, fixture::catalog());
        }
        return found;
    };
    const lesson::Step& step = one->steps[0];
    EXPECT_EQ(player.told(one, 0, step.scene.subject, fixture::catalog()), nullptr);
    const auto first = told(0, step.scene.subject);
    EXPECT_EQ(first->number->text, "32");
    EXPECT_NE(lesson::plain_text(first->text.en).find("32-way bank conflict"), std::string::npos);
    EXPECT_EQ(told(0, step.scene.subject), first); // kept
    session::Subject wandered = step.scene.subject;
    wandered.parameters["TILE"] = 16;
    EXPECT_EQ(told(0, wandered)->number->text, "8");
    const size_t follows = 5; // "Is more padding better?" follows the reader
    ASSERT_TRUE(one->steps[follows].question->follow);
    session::Subject four = one->steps[follows].scene.subject;
    EXPECT_EQ(told(follows, four)->question->answer.number, 2); // PAD = 2, as the question says
    four.parameters["PAD"] = 4;
    EXPECT_EQ(told(follows, four)->question->answer.number, 4);
    EXPECT_EQ(player.told(one, 99, four, fixture::catalog()), nullptr);
}

// Frames are drawn while the disk does not answer.
TEST(Player, WhoCollectsDoesNotWaitForTheDisk) {
    const auto folder = std::filesystem::temp_directory_path() / "gemmscope_player_slow_test";
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(base::write_file(folder / "slow.md", fixture::one_step("kernel = \"tile\"\n")));
    lesson::Player::Options options;
    options.lessons = {folder};
    lesson::Player player(options);
    const auto before = player.lessons().find("slow");
    slow_disk.hang(true);
    auto frame = std::async(std::launch::async, [&] {
        player.add(folder / "slow.md");
        slow_disk.wait_until_asked();
        player.collect();
        return player.lessons().find("slow");
    });
    EXPECT_EQ(frame.wait_for(std::chrono::minutes(1)), std::future_status::ready) << "the frame waits for the disk";
    slow_disk.hang(false);
    EXPECT_EQ(frame.get(), before) << "what was read before is shown";
    player.wait();
    EXPECT_NE(player.lessons().find("slow"), before);
    std::filesystem::remove_all(folder);
}

TEST(Player, ReadsALessonAgainWhenItsFileChanges) {
    const auto folder = std::filesystem::temp_directory_path() / "gemmscope_player_test";
    std::filesystem::remove_all(folder);
    ASSERT_TRUE(base::write_file(folder / "own.md", fixture::one_step("kernel = \"tile\"\n")));
    std::mutex mutex;
    std::condition_variable woken;
    int wakes = 0;
    lesson::Player::Options options;
    options.lessons = {folder};
    options.watch = true;
    options.wake = [&] {
        const std::lock_guard lock(mutex);
        ++wakes;
        woken.notify_one();
    };
    lesson::Player player(options);
    ASSERT_TRUE(player.lessons().find("own"));
    ASSERT_TRUE(base::write_file(folder / "own.md", fixture::one_step("kernel = \"shared_tile\"\n")));
    for (int seen = 0; !player.collect();) {
        std::unique_lock lock(mutex);
        woken.wait(lock, [&] { return wakes > seen; });
        seen = wakes;
    }
    EXPECT_EQ(player.lessons().find("own")->steps[0].scene.subject.kernel, "shared_tile");
    std::filesystem::remove_all(folder);
}

} // namespace
