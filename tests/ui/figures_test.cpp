// Code, numbers, plot and comparison as a user meets them: real kernels, a mouse, no screen.
#include "ui/gui.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

using Draw = void (*)(ui::Context&);

class Screen {
public:
    explicit Screen(const std::string& kernel, std::filesystem::path more_kernels = {})
        : session_(options(more_kernels)) {
        edit([&](session::View& view) {
            view.subject.kernel = kernel;
            view.subject.problem = {128, 128, 32};
        });
        auto strings = ui::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets/i18n");
        EXPECT_TRUE(strings.ok());
        gui_ = std::make_unique<ui::Gui>(std::move(*strings), "");
        gui_->probe().on = true;
        ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset;
    }

    void frame(Draw draw, float width = 480, float height = 520) {
        if (gui_->prepare(session_.view(), 1)) {
            unsigned char* pixels = nullptr;
            int w = 0, h = 0;
            ImGui::GetIO().Fonts->GetTexDataAsRGBA32(&pixels, &w, &h);
        }
        ImGui::GetIO().DisplaySize = {width, height};
        ImGui::GetIO().DeltaTime = 1.0f / 60;
        gui_->frame(session_, {}, [&](ui::Context& context) {
            ImGui::SetNextWindowPos({0, 0});
            ImGui::SetNextWindowSize({width, height});
            ImGui::Begin("view", nullptr, ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove);
            draw(context);
            ImGui::End();
        });
        session_.update(1.0 / 60);
    }

    void edit(const std::function<void(session::View&)>& change) {
        session::View view = session_.view();
        change(view);
        session_.apply(view, {});
        session_.wait();
        session_.update(0);
    }

    void click(Draw draw, const std::string& name) {
        for (int i = 0; i < 3; ++i) frame(draw);
        for (const ui::Mark& mark : gui_->probe().marks())
            if (mark.name == name) {
                ImGuiIO& io = ImGui::GetIO();
                io.MousePos = {mark.x + mark.width / 2, mark.y + mark.height / 2};
                for (const bool down : {false, false, true, false, false}) {
                    io.MouseDown[0] = down;
                    frame(draw);
                }
                return;
            }
        ADD_FAILURE() << "no mark " << name;
    }

    const session::Session& session() const { return session_; }
    const trace::Listing& listing() const { return *session_.products().prepared.value->listing; }
    uint32_t current_pc() const {
        return session_.products().block.value->trace.events.at(session_.view().selection.event).pc;
    }
    ui::Gui& gui() { return *gui_; }

private:
    static session::Options options(const std::filesystem::path& more_kernels) {
        session::Options options;
        options.kernel_folders = {std::filesystem::path(SOURCE_DIR) / "kernels"};
        if (!more_kernels.empty()) options.kernel_folders.push_back(more_kernels);
        options.assets = std::filesystem::path(SOURCE_DIR) / "assets";
        options.threads = 1;
        return options;
    }
    session::Session session_;
    std::unique_ptr<ui::Gui> gui_;
};

TEST(Figures, DrawInEveryFaceSizeLanguageAndTheme) {
    for (const char* kernel : {"register_tile", "no_such_kernel"}) {
        Screen screen(kernel);
        for (const int variant : {0, 1, 2, 3}) {
            screen.edit([&](session::View& view) {
                view.language = variant & 1 ? session::Language::zh : session::Language::en;
                view.theme = variant & 2 ? session::Theme::light : session::Theme::dark;
                view.table = variant == 3;
                view.code_tab = static_cast<session::CodeTab>(variant % 3);
                view.plot_tab = static_cast<session::PlotTab>(variant % 3);
                if (variant == 2) (view.baseline = view.subject)->kernel = "naive";
            });
            for (const Draw draw : {ui::draw_code, ui::draw_numbers, ui::draw_plot, ui::draw_compare})
                for (const auto& [width, height] : {std::pair{300, 150}, {864, 230}, {3840, 2160}, {40, 30}})
                    for (int i = 0; i < 2; ++i)
                        screen.frame(draw, static_cast<float>(width), static_cast<float>(height));
        }
        for (const std::string& key : screen.gui().strings().missing())
            ADD_FAILURE() << "no text for " << key;
    }
}

TEST(Figures, ClickOnPtxGoesToTheNextEventOfThatInstruction) {
    Screen screen("register_tile");
    screen.edit([](session::View& view) { view.code_tab = session::CodeTab::ptx; });
    const uint32_t before = screen.current_pc();
    const auto& instructions = screen.listing().instructions;
    // A neighbour in the text that the same warp executes too.
    for (uint32_t pc = before + 1; pc < before + 3; ++pc) {
        const int line = instructions.at(pc).text_line;
        screen.click(ui::draw_code, "ptx.line." + std::to_string(line));
        EXPECT_EQ(screen.current_pc(), pc);
        EXPECT_EQ(screen.session().view().hover.pc, pc);
    }
}

TEST(Figures, ClickOnASourceLineGoesToOneOfItsInstructions) {
    Screen screen("register_tile");
    const int line = screen.listing().instructions.at(screen.current_pc()).source_line;
    ASSERT_GT(line, 0);
    const uint32_t event = screen.session().view().selection.event;
    screen.click(ui::draw_code, "source.line." + std::to_string(line));
    EXPECT_NE(screen.session().view().selection.event, event);
    EXPECT_EQ(screen.listing().instructions.at(screen.current_pc()).source_line, line);
    EXPECT_EQ(screen.session().view().hover.source_line, line);
}

// register_tile without its first barrier, in a folder of its own.
std::filesystem::path broken_kernels() {
    const std::filesystem::path folder =
        std::filesystem::path(testing::TempDir()) / "gemmscope_broken_kernels";
    std::filesystem::create_directories(folder);
    std::ifstream in(std::filesystem::path(SOURCE_DIR) / "kernels" / "register_tile.cu");
    std::string text{std::istreambuf_iterator<char>(in), {}};
    const std::string barrier = "__syncthreads();";
    const size_t at = text.find(barrier, text.find("*/"));
    EXPECT_NE(at, std::string::npos);
    if (at != std::string::npos) text.erase(at, barrier.size());
    std::ofstream(folder / "register_tile.cu") << text;
    return folder;
}

TEST(Figures, ClickOnAFindingGoesToItsInstructionWarpAndLane) {
    Screen screen("register_tile", broken_kernels());
    const auto& findings = screen.session().products().grid.value->findings;
    ASSERT_FALSE(findings.empty());
    const trace::Finding finding = findings.front();
    screen.edit([](session::View& view) { view.code_tab = session::CodeTab::machine; });
    screen.click(ui::draw_numbers, "finding.0");
    const session::View& view = screen.session().view();
    EXPECT_EQ(view.selection.block, finding.block);
    EXPECT_EQ(view.selection.warp, finding.warp);
    EXPECT_TRUE(finding.lanes >> view.selection.lane & 1);
    EXPECT_EQ(screen.current_pc(), finding.pc);
    EXPECT_EQ(view.code_tab, session::CodeTab::source);
}

TEST(Figures, ClickOnABarChoosesTheRung) {
    Screen screen("register_tile");
    screen.edit([](session::View& view) { view.plot_tab = session::PlotTab::ladder; });
    screen.click(ui::draw_plot, "plot.rung.naive");
    EXPECT_EQ(screen.session().view().subject.kernel, "naive");
}

TEST(Figures, ASourceThatDoesNotCompileIsShown) {
    Screen screen("register_tile");
    screen.edit([](session::View& view) { view.subject.arch = "sm_1"; });
    for (const Draw draw : {ui::draw_code, ui::draw_numbers, ui::draw_compare}) screen.frame(draw);
    bool line = false;
    screen.frame(ui::draw_code);
    for (const ui::Mark& mark : screen.gui().probe().marks()) line |= mark.name.rfind("source.line.", 0) == 0;
    EXPECT_TRUE(line);
}

} // namespace
