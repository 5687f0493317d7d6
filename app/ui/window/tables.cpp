#include "ui/window/alone.h"
#include "ui/window/caption.h"
#include "ui/window/gui.h"
#include "ui/window/window.h"

#include <cfloat>

namespace ui {

namespace {

// Scroll positions, what a tab asks the session for, and the counts of other launches are known a frame later.
constexpr int settling_frames = 4;

// As a renderer would ask for them.
void bake_fonts() {
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    ImGui::GetIO().Fonts->GetTexDataAsAlpha8(&pixels, &width, &height);
}

// Of one view: what its panel shows of the session as it is. Its title says of which kernel.
std::vector<Table> tables_of(Gui& gui, session::Session& session, const PanelRow& row) {
    std::vector<Table> found;
    gui.chrome().tables = &found;
    std::string title, of_what;
    for (int i = 0; i < settling_frames; ++i) {
        found.clear();
        gui.frame(session, {}, [&](Context& context) {
            draw_alone(context, row);
            const auto kernel = context.session.kernel();
            title = context.tr(row.title);
            if (!kernel) return;
            title += std::string(": ") + context.tr(kernel->title);
            of_what = setting_text(context, problem_of(context.session.view(), row));
        });
        session.wait();
        session.update(0);
    }
    gui.chrome().tables = nullptr;
    for (Table& table : found) table.title = title, table.notes.insert(table.notes.begin(), of_what);
    return found;
}

} // namespace

base::Result<std::vector<Table>> tables(session::Options options, const session::View& view,
                                        const RenderOptions& wish) {
    std::vector<const PanelRow*> rows;
    for (const PanelRow& row : panels())
        if (wish.what == row.id || wish.what == "window") rows.push_back(&row);
    if (rows.empty())
        return page_named(wish.what) == Page::none && wish.what != "lesson"
                   ? unknown_view(wish.what)
                   : base::Error{base::Failure::usage, base::say("{} has no table", wish.what), "",
                                 base::say("\"gemmscope lesson\" prints lessons and their steps")};
    auto strings = Strings::load(wish.assets / "i18n");
    if (!strings) return strings.error();
    session::Session session(std::move(options));
    Gui gui(*std::move(strings), characters_of(session.catalog()));
    gui.chrome().whole_window = false;
    ImGui::GetIO().BackendFlags |= ImGuiBackendFlags_RendererHasVtxOffset; // nothing draws them, however many they are
    ImGui::GetIO().DisplaySize = {static_cast<float>(wish.width), static_cast<float>(wish.height)};
    ImGui::GetIO().MousePos = {-FLT_MAX, -FLT_MAX};
    ImGui::GetIO().DeltaTime = 1.0f / 60;
    std::vector<Table> all;
    for (const PanelRow* row : rows) {
        session::View posed = view;
        posed.table = true;
        pose(posed, *row, session);
        session.apply(posed, {});
        session.wait();
        if (auto exists = selection_exists(posed, session); !exists) return exists.error();
        if (gui.prepare(session.view(), 1)) bake_fonts();
        for (Table& table : tables_of(gui, session, *row)) all.push_back(std::move(table));
    }
    if (const auto& failed = session.products().prepared.failed) return failed->error;
    if (const auto& failed = session.products().block.failed) return failed->error;
    return all;
}

} // namespace ui
