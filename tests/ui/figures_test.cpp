// Code, numbers, plot and comparison as a user meets them: real kernels, a mouse, no screen.
#include "stage.h"

#include "base/file.h"
#include "views/lines.h"

#include <unistd.h>

namespace {

using Draw = void (*)(ui::Context&);
constexpr catalog::Problem small{128, 128, 32};

// One panel about register_tile, as large as in a window.
class Panel : public Stage {
public:
    explicit Panel(Draw draw, std::vector<std::filesystem::path> kernels = {kernel_folder()})
        : Stage(view_of("register_tile", small), std::move(kernels)) {
        show(draw);
        resize(480, 520);
        settle();
    }
};

TEST(Figures, DrawInEveryFaceSizeLanguageAndTheme) {
    for (const char* kernel : {"register_tile", "no_such_kernel"}) {
        Stage stage(view_of(kernel, small));
        stage.settle();
        for (const int variant : {0, 1, 2, 3, 4, 5}) {
            stage.edit([&](session::View& view) {
                view.language = variant & 1 ? session::Language::zh : session::Language::en;
                view.theme = variant & 2 ? session::Theme::light : session::Theme::dark;
                view.table = variant == 3;
                view.code_tab = static_cast<session::CodeTab>(variant % 3);
                view.plot_tab = static_cast<session::PlotTab>(variant);
                if (variant == 2) (view.baseline = view.subject)->kernel = "naive";
            });
            for (const Draw draw : {ui::draw_code, ui::draw_numbers, ui::draw_plot, ui::draw_compare}) {
                stage.show(draw);
                for (const auto& [width, height] : {std::pair{300.0f, 150.0f}, {864, 230}, {3840, 2160}, {40, 30}}) {
                    stage.resize(width, height);
                    stage.frames(2);
                }
            }
        }
        stage.expect_no_missing_text();
    }
}

TEST(Figures, ClickOnPtxGoesToTheNextEventOfThatInstruction) {
    Panel stage(ui::draw_code);
    stage.edit([](session::View& view) {
        view.code_tab = session::CodeTab::ptx;
        view.subject.engine = session::Engine::ptx;
    });
    const uint32_t before = stage.current_pc();
    const auto& instructions = stage.listing().instructions;
    // A neighbour in the text that the same warp executes too.
    for (uint32_t pc = before + 1; pc < before + 3; ++pc) {
        const int line = instructions.at(pc).text_line;
        stage.click_mark("ptx.line." + std::to_string(line));
        EXPECT_EQ(stage.current_pc(), pc);
        EXPECT_EQ(stage.view().hover.pc, pc);
    }
}

TEST(Figures, ClickOnASourceLineGoesToOneOfItsInstructions) {
    Panel stage(ui::draw_code);
    const int line = stage.listing().instructions.at(stage.current_pc()).source_line;
    ASSERT_GT(line, 0);
    const uint32_t event = stage.view().selection.event;
    stage.click_mark("source.line." + std::to_string(line));
    EXPECT_NE(stage.view().selection.event, event);
    EXPECT_EQ(stage.listing().instructions.at(stage.current_pc()).source_line, line);
    EXPECT_EQ(stage.view().hover.source_line, line);
}

// What most reads of a tile go through is a function above the kernel, inlined into its loop.
TEST(Figures, TheSourceShowsTheKernelsOwnLoopAndFollowsTheStep) {
    Panel stage(ui::draw_code);
    const auto shows_its_own_line = [&] {
        stage.frames(3);
        const trace::Instruction& now = stage.listing().instructions.at(stage.current_pc());
        const int begin = views::function_line(views::split_lines(stage.session().kernel()->source),
                                               stage.session().kernel()->function);
        EXPECT_GT(begin, 0);
        EXPECT_GT(now.kernel_line, begin);
        EXPECT_TRUE(stage.has_mark("source.line." + std::to_string(now.kernel_line))) << now.kernel_line;
    };
    for (const char* kernel : {"register_tile", "transposed", "conflict_free", "double_buffer", "prefetch", "champion",
                               "warp_tile", "naive", "double_buffer"}) {
        SCOPED_TRACE(kernel);
        stage.edit([&](session::View& view) {
            view.subject = view_of(kernel, {256, 256, 64}).subject;
            view.selection = {};
        });
        shows_its_own_line(); // where it is opened
        const auto last = static_cast<uint32_t>(stage.trace().events.size() - 3);
        stage.edit([&](session::View& view) { view.selection.event = last; });
        shows_its_own_line();
    }
}

TEST(Figures, AClickedLineStaysWhereItWasRead) {
    Panel stage(ui::draw_code);
    stage.edit([](session::View& view) { view.subject = view_of("double_buffer").subject; });
    stage.frames(3);
    const trace::Instruction& now = stage.listing().instructions.at(stage.current_pc());
    ASSERT_LT(now.source_line + 30, now.kernel_line) << "out of sight of each other";
    const std::string function = "source.line." + std::to_string(now.source_line);
    const ui::Mark panel = stage.mark("source.line." + std::to_string(now.kernel_line));
    for (int i = 0; i < 400 && !stage.has_mark(function); ++i) stage.turn_wheel({panel.x + 200, panel.y}, 1);
    stage.click_mark(function);
    stage.frames(3);
    EXPECT_TRUE(stage.has_mark(function));
}

TEST(Figures, AKernelsFirstLineIsFoundWhateverStandsBeforeIt) {
    const auto line = [](const char* source) { return views::function_line(views::split_lines(source), "gemm"); };
    EXPECT_EQ(line("/* gemmscope\n__global__ void gemm(int)\n*/\nint gemm(int);\n__global__ void gemm(int) {}"), 5);
    EXPECT_EQ(line("template <int N>\n__global__ void __launch_bounds__(N,\n 2)\n gemm(float* a) {}"), 2);
    EXPECT_EQ(line("__global__ void gemm_two(int) {}\n__global__ void my_gemm(int) {}"), 0);
    EXPECT_EQ(line(""), 0);
}

// register_tile without its first barrier, in a folder of its own.
std::filesystem::path broken_kernels() {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / ("gemmscope_broken_kernels_" + std::to_string(getpid()));
    auto source = base::read_file(kernel_folder() / "register_tile.cu");
    EXPECT_TRUE(source);
    const std::string barrier = "__syncthreads();";
    const size_t at = source->find(barrier, source->find("*/"));
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) source->erase(at, barrier.size());
    EXPECT_TRUE(base::write_file(folder / "register_tile.cu", *source));
    return folder;
}

TEST(Figures, ClickOnAFindingGoesToItsInstructionWarpAndLane) {
    Panel stage(ui::draw_numbers, {kernel_folder(), broken_kernels()});
    const auto& findings = stage.session().products().grid.value->findings;
    ASSERT_FALSE(findings.empty());
    const trace::Finding finding = findings.front();
    stage.edit([](session::View& view) { view.code_tab = session::CodeTab::machine; });
    stage.click_mark("finding.0");
    const session::View& view = stage.view();
    EXPECT_EQ(view.selection.block, finding.block);
    EXPECT_EQ(view.selection.warp, finding.warp);
    EXPECT_TRUE(finding.lanes >> view.selection.lane & 1);
    EXPECT_EQ(stage.current_pc(), finding.pc);
    EXPECT_EQ(view.code_tab, session::CodeTab::source);
}

TEST(Figures, ARaceLeadsToBothItsAccesses) {
    Panel stage(ui::draw_numbers, {kernel_folder(), broken_kernels()});
    const auto& findings = stage.session().products().grid.value->findings;
    const auto race = std::find_if(findings.begin(), findings.end(), [](const auto& each) {
        return each.kind == trace::FindingKind::shared_race && each.other;
    });
    ASSERT_NE(race, findings.end());
    const std::string name = "finding." + std::to_string(race - findings.begin());
    stage.click_mark(name);
    const uint32_t later = stage.view().selection.event;
    EXPECT_EQ(stage.current_pc(), race->pc);
    stage.click_mark(name + ".other");
    const uint32_t earlier = stage.view().selection.event;
    ASSERT_LT(earlier, later);
    EXPECT_EQ(stage.current_pc(), race->other->pc);
    EXPECT_EQ(stage.view().selection.warp, race->other->warp);
    EXPECT_EQ(stage.trace().events[earlier].warp, race->other->warp);
}

// The finding's place is known only when its block has been traced.
TEST(Figures, AFindingOfAnotherBlockIsGoneToWhenThatIsTraced) {
    Panel stage(ui::draw_numbers, {kernel_folder(), broken_kernels()});
    stage.edit([](session::View& view) {
        view.subject.problem = {256, 256, 32};
        view.selection.block = {1, 1, 0};
    });
    ASSERT_EQ(stage.trace().block_index, (base::Dim3{1, 1, 0}));
    const trace::Finding finding = stage.session().products().grid.value->findings.front();
    ASSERT_EQ(finding.block, (base::Dim3{0, 0, 0}));
    stage.click_mark("finding.0");
    stage.settle();
    stage.frames(3);
    EXPECT_EQ(stage.trace().block_index, finding.block);
    EXPECT_EQ(stage.current_pc(), finding.pc);
    EXPECT_FALSE(stage.gui().chrome().jump);
}

TEST(Figures, ClickOnABarChoosesTheRung) {
    Panel stage(ui::draw_plot);
    stage.edit([](session::View& view) { view.plot_tab = session::PlotTab::ladder; });
    stage.click_mark("plot.rung.naive");
    EXPECT_EQ(stage.view().subject.kernel, "naive");
}

// In a low panel the slowest rungs give way, but never the current one.
TEST(Figures, TheBarOfTheCurrentRungIsAlwaysThere) {
    Panel stage(ui::draw_plot);
    stage.resize(700, 190);
    const auto has = [&](const std::string& kernel) {
        const auto& marks = stage.gui().probe().marks();
        return std::any_of(marks.begin(), marks.end(),
                           [&](const ui::Mark& m) { return m.name == "plot.rung." + kernel; });
    };
    for (const std::string kernel : {"naive", "double_buffer", "champion"}) {
        stage.edit([&](session::View& view) {
            view.plot_tab = session::PlotTab::ladder;
            view.subject.kernel = kernel;
            view.subject.parameters = {};
        });
        stage.frames(3);
        EXPECT_TRUE(has(kernel)) << kernel;
        EXPECT_FALSE(has("naive_uncoalesced")) << kernel;
        EXPECT_EQ(has("naive"), kernel == "naive");
    }
}

TEST(Figures, ASourceThatDoesNotCompileIsShown) {
    Panel stage(ui::draw_code);
    stage.edit([](session::View& view) { view.subject.arch = "sm_1"; });
    for (const Draw draw : {ui::draw_numbers, ui::draw_compare, ui::draw_code}) {
        stage.show(draw);
        stage.frame();
    }
    bool line = false;
    for (const ui::Mark& mark : stage.gui().probe().marks()) line |= mark.name.rfind("source.line.", 0) == 0;
    EXPECT_TRUE(line);
}

} // namespace
