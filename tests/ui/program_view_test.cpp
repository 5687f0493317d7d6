// The tabs PTX and SASS: what is executed is chosen there, its tab steps, and the other one follows by the lines that ptxas noted.
#include "stage.h"

#include "ui/code/program_text.h"
#include "views/run_words.h"

namespace {

using session::CodeTab;
using trace::Engine;

session::View view_with(Engine engine, CodeTab tab) {
    session::View view = view_of("double_buffer", {128, 128, 32});
    view.subject.engine = engine;
    view.code_tab = tab;
    return view;
}

void show_code(Stage& stage) {
    stage.show([](ui::Context& context) { ui::draw_code(context); });
    stage.settle();
    stage.frames(3);
}

// The first line of the text in sight, from 1, that `wanted` likes; 0: none.
int line_in_sight(const Stage& stage, const char* id, const std::function<bool(int)>& wanted) {
    for (int line = 1; line < 20'000; ++line)
        if (stage.has_mark(fmt::format("{}.line.{}", id, line)) && wanted(line)) return line;
    return 0;
}

TEST(ProgramView, TheEngineIsChosenAboveTheCodeAndEveryViewFollows) {
    Stage stage(view_with(Engine::ptx, CodeTab::machine));
    show_code(stage);
    EXPECT_EQ(ui::engine_of(stage.session().products()), Engine::ptx);
    stage.click_mark("engine.machine");
    stage.settle();
    stage.frames(3);
    EXPECT_EQ(stage.view().subject.engine, Engine::machine);
    const session::Products& products = stage.session().products();
    EXPECT_EQ(products.prepared.value->fallback.english(), "");
    EXPECT_EQ(ui::engine_of(products), Engine::machine);
    EXPECT_EQ(stage.listing().instructions.size(), products.disassembly->instructions.size());
    session::Commands undo;
    undo.undo = true;
    stage.session().apply(stage.view(), undo);
    EXPECT_EQ(stage.view().subject.engine, Engine::ptx);
    stage.expect_no_missing_text();
}

TEST(ProgramView, TheSassTabStepsWhereSassIsExecuted) {
    Stage stage(view_with(Engine::machine, CodeTab::machine));
    show_code(stage);
    const auto now = static_cast<int>(stage.current_pc()) + 1;
    EXPECT_TRUE(stage.has_mark(fmt::format("sass.line.{}", now))) << "the step is not in sight";
    const int other = line_in_sight(stage, "sass", [&](int line) { return line > now; });
    ASSERT_GT(other, 0);
    stage.click_mark(fmt::format("sass.line.{}", other));
    EXPECT_EQ(static_cast<int>(stage.current_pc()) + 1, other);
}

// By way of the line of the PTX that each machine instruction was made from.
TEST(ProgramView, TheOtherProgramFollowsTheStepAndLeadsToIt) {
    Stage stage(view_with(Engine::machine, CodeTab::ptx));
    show_code(stage);
    const auto& code = *stage.session().products().prepared.value->machine_code;
    const auto ptx_line = [&] { return code.instructions[stage.current_pc()].ptx_line; };
    ASSERT_GT(ptx_line(), 0);
    EXPECT_TRUE(stage.has_mark(fmt::format("ptx.line.{}", ptx_line())))
        << "what the step was made from is not in sight";
    const int other = line_in_sight(stage, "ptx", [&](int line) {
        return line > ptx_line() && std::any_of(code.instructions.begin(), code.instructions.end(),
                                                [&](const auto& i) { return i.ptx_line == line; });
    });
    ASSERT_GT(other, 0);
    stage.click_mark(fmt::format("ptx.line.{}", other));
    EXPECT_EQ(ptx_line(), other);

    Stage by_ptx(view_with(Engine::ptx, CodeTab::machine));
    show_code(by_ptx);
    const ui::CodeLinks links(by_ptx.session());
    const ui::ProgramText text(links, by_ptx.session().products(), Engine::machine);
    const int line = text.line_of_step();
    ASSERT_GE(line, 0);
    EXPECT_EQ(text.ptx_line(static_cast<size_t>(line)), by_ptx.listing().instructions[by_ptx.current_pc()].text_line);
    EXPECT_TRUE(by_ptx.has_mark(fmt::format("sass.line.{}", line + 1)));
}

// Of an architecture whose machine code the engine does not execute.
TEST(ProgramView, WhereMachineCodeIsNotExecutedTheReasonStandsBesideTheChoice) {
    session::View view = view_with(Engine::machine, CodeTab::source);
    Stage stage(view);
    show_code(stage);
    const float quiet = stage.mark("engine").width;
    stage.edit([](session::View& next) { next.subject.arch = "sm_100"; });
    stage.frames(3);
    const session::Prepared& prepared = *stage.session().products().prepared.value;
    EXPECT_EQ(prepared.fallback.english(), "machine code of sm_100 is not executed yet");
    EXPECT_EQ(ui::engine_of(stage.session().products()), Engine::ptx);
    EXPECT_GT(stage.mark("engine").width, quiet) << "the notice takes the line";
    EXPECT_TRUE(stage.has_mark("engine.ptx"));
}

// Inlined code: the line where it is written, and that of the kernel's body which calls it.
TEST(ProgramView, MachineCodeKnowsWhereInlinedCodeWasCalled) {
    Stage stage(view_with(Engine::machine, CodeTab::source));
    show_code(stage);
    const trace::Instruction& now = stage.listing().instructions[stage.current_pc()];
    EXPECT_GT(now.source_line, 0);
    EXPECT_GT(now.kernel_line, now.source_line) << "read_pieces() stands above the kernel";
    EXPECT_TRUE(stage.has_mark(fmt::format("source.line.{}", now.kernel_line)));
}

} // namespace
