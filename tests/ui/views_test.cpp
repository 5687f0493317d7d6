// The views of a traced block as a user meets them: real kernels, a mouse, no screen.
#include "ui/gui.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace {

using session::MiddleTab;

struct View {
    const char* name;
    void (*draw)(ui::Context&);
    MiddleTab tab;
};
const View views[] = {{"map", ui::draw_map, MiddleTab::banks},           {"banks", ui::draw_banks, MiddleTab::banks},
                      {"sectors", ui::draw_sectors, MiddleTab::sectors}, {"timeline", ui::draw_timeline, MiddleTab::timeline},
                      {"shared", ui::draw_shared, MiddleTab::shared},    {"registers", ui::draw_registers, MiddleTab::registers}};

class Screen {
public:
    explicit Screen(const std::string& kernel, catalog::Problem problem = {256, 256, 64}) : session_(options()) {
        session::View view;
        view.subject.kernel = kernel;
        view.subject.problem = problem;
        session_.apply(view, {});
        settle();
        auto strings = ui::Strings::load(std::filesystem::path(SOURCE_DIR) / "assets/i18n");
        EXPECT_TRUE(strings.ok());
        gui_ = std::make_unique<ui::Gui>(std::move(*strings), "");
        gui_->probe().on = true;
        ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset; // as the window's renderer has
    }

    void frame(const View& view, float width, float height) {
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
            view.draw(context);
            ImGui::End();
        });
        session_.update(1.0 / 60);
    }
    void frames(const View& view, int count = 3) {
        for (int i = 0; i < count; ++i) frame(view, 860, 380);
    }
    void settle() {
        session_.wait();
        session_.update(0);
    }
    void edit(const std::function<void(session::View&)>& change) {
        session::View view = session_.view();
        change(view);
        session_.apply(view, {});
        settle();
    }
    ui::Mark mark(const std::string& name) {
        for (const ui::Mark& each : gui_->probe().marks())
            if (each.name == name) return each;
        ADD_FAILURE() << "no mark " << name;
        return {};
    }
    // Moves there, presses and releases, a frame each.
    void click(const View& view, float x, float y) {
        ImGuiIO& io = ImGui::GetIO();
        io.MousePos = {x, y};
        frames(view, 2);
        io.MouseDown[0] = true;
        frames(view, 1);
        io.MouseDown[0] = false;
        frames(view, 2);
    }
    void click(const View& view, const ui::Mark& mark) { click(view, mark.x + mark.width / 2, mark.y + mark.height / 2); }
    const session::Session& session() const { return session_; }
    ui::Gui& gui() { return *gui_; }

private:
    static session::Options options() {
        session::Options options;
        options.kernel_folders = {std::filesystem::path(SOURCE_DIR) / "kernels"};
        options.assets = std::filesystem::path(SOURCE_DIR) / "assets";
        options.threads = 1;
        return options;
    }
    session::Session session_;
    std::unique_ptr<ui::Gui> gui_;
};

TEST(Views, DrawInEveryFaceSizeLanguageAndTheme) {
    for (const char* kernel : {"double_buffer", "naive", "no_such_kernel"}) {
        Screen screen(kernel);
        for (const View& view : views)
            for (const int variant : {0, 1, 2, 3}) {
                screen.edit([&](session::View& next) {
                    next.middle_tab = view.tab;
                    next.language = variant & 1 ? session::Language::zh : session::Language::en;
                    next.theme = variant & 2 ? session::Theme::light : session::Theme::dark;
                    next.table = variant == 3;
                });
                for (const auto& [width, height] : {std::pair{300, 150}, {860, 230}, {3840, 2160}, {40, 30}})
                    for (int i = 0; i < 2; ++i) screen.frame(view, static_cast<float>(width), static_cast<float>(height));
                EXPECT_GT(ImGui::GetDrawData()->TotalVtxCount, 0) << view.name;
            }
        for (const std::string& key : screen.gui().strings().missing()) ADD_FAILURE() << "no text for " << key;
    }
}

TEST(Views, ClickOnAnElementOfCSelectsTheThreadThatStoresIt) {
    Screen screen("double_buffer");
    const View& map = views[0];
    screen.frames(map);
    const ui::Mark c = screen.mark("map.C");
    screen.click(map, c.x + c.width * 0.3f, c.y + c.height * 0.6f);
    const session::View& view = screen.session().view();
    ASSERT_EQ(view.hover.array, "C");
    int thread = -1;
    for (const analysis::ArrayMap& array : screen.session().products().block.value->mapping)
        for (const analysis::Touch& touch : array.stores)
            if (array.name == "C" && touch.row == view.hover.row && touch.column == view.hover.column) thread = touch.thread;
    ASSERT_GE(thread, 0);
    EXPECT_EQ(view.selection.warp * 32 + view.selection.lane, thread);
    EXPECT_NE(thread, 0); // not what it was before
}

TEST(Views, ClickOnAnotherTileSelectsItsBlock) {
    Screen screen("double_buffer");
    const View& map = views[0];
    screen.edit([](session::View& view) { view.map_zoom = 1e-6f; });
    screen.frames(map);
    const ui::Mark c = screen.mark("map.C");
    screen.click(map, c.x + c.width * 0.75f, c.y + c.height * 0.25f);
    EXPECT_EQ(screen.session().view().selection.block, (base::Dim3{1, 0, 0}));
}

TEST(Views, WheelZoomsAboutTheMouse) {
    Screen screen("double_buffer", {1024, 1024, 64});
    const View& map = views[0];
    screen.edit([](session::View& view) { view.selection.block = {3, 3, 0}; });
    screen.frames(map);
    const ui::Mark c = screen.mark("map.C");
    ImGui::GetIO().MousePos = {c.x + c.width * 0.4f, c.y + c.height * 0.5f};
    screen.frames(map, 2);
    const int64_t row = screen.session().view().hover.row, column = screen.session().view().hover.column;
    const float zoom = screen.session().view().map_zoom;
    ASSERT_GE(row, 0);
    for (int turn = 0; turn < 3; ++turn) {
        ImGui::GetIO().MouseWheel = 1;
        screen.frames(map, 1);
        ImGui::GetIO().MouseWheel = 0;
        screen.frames(map, 2);
    }
    EXPECT_GT(screen.session().view().map_zoom, zoom * 1.5f);
    EXPECT_NEAR(static_cast<double>(screen.session().view().hover.row), static_cast<double>(row), 1);
    EXPECT_NEAR(static_cast<double>(screen.session().view().hover.column), static_cast<double>(column), 1);
}

TEST(Views, DraggingPansAndSelectsNothing) {
    Screen screen("double_buffer", {1024, 1024, 64});
    const View& map = views[0];
    screen.edit([](session::View& view) { view.selection.block = {3, 3, 0}; });
    screen.frames(map);
    const ui::Mark c = screen.mark("map.C");
    ImGuiIO& io = ImGui::GetIO();
    io.MousePos = {c.x + c.width / 2, c.y + c.height / 2};
    screen.frames(map, 2);
    const session::Selection before = screen.session().view().selection;
    const int64_t column = screen.session().view().hover.column;
    io.MouseDown[0] = true;
    screen.frames(map, 1);
    for (int i = 0; i < 8; ++i) {
        io.MousePos.x -= 8;
        screen.frames(map, 1);
    }
    io.MouseDown[0] = false;
    screen.frames(map, 2);
    EXPECT_EQ(screen.session().view().selection, before);
    EXPECT_GT(screen.session().view().map_x, 0);
    EXPECT_NEAR(static_cast<double>(screen.session().view().hover.column), static_cast<double>(column), 8); // it moved with the mouse
}

TEST(Views, LaneInTheWavefrontStrip) {
    Screen screen("register_tile");
    screen.frames(views[1]);
    const ui::Mark lane = screen.mark("banks.lane.13");
    ImGui::GetIO().MousePos = {lane.x + lane.width / 2, lane.y + lane.height / 2};
    screen.frames(views[1], 2);
    EXPECT_EQ(screen.session().view().hover.lane, 13);
    screen.click(views[1], lane);
    EXPECT_EQ(screen.session().view().selection.lane, 13);
}

TEST(Views, ClickOnTheTimelineGoesToThatWarpAndStep) {
    Screen screen("double_buffer");
    screen.frames(views[3]);
    const ui::Mark row = screen.mark("timeline.warp.5");
    screen.click(views[3], row.x + row.width * 0.9f, row.y + row.height / 2);
    const session::Selection& selection = screen.session().view().selection;
    EXPECT_EQ(selection.warp, 5);
    EXPECT_EQ(screen.session().products().block.value->trace.events[selection.event].warp, 5);
}

} // namespace
