#include "ui/draw/surface.h"

#include "session/view_fields.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

bool is_of_middle(std::string_view id) {
    const auto names = session::names_of(session::MiddleTab{});
    return std::find(names.begin(), names.end(), id) != names.end();
}

} // namespace

WholeWindow::WholeWindow(const Context& context, const char* id) {
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    ImGui::PushFont(context.style.text);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
    // The frame was cleared to the panels' colour: a background of its own would cost a software renderer as much as
    // everything else together.
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus |
                     ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollWithMouse);
    ImGui::PopStyleVar();
}

WholeWindow::~WholeWindow() {
    ImGui::End();
    ImGui::PopFont();
}

Popup::Popup(const Context& context, const char* id, ImVec2 size, float padding) {
    const Style& style = context.style;
    const ImVec2 display = ImGui::GetIO().DisplaySize;
    ImGui::SetNextWindowPos({std::floor((display.x - size.x) / 2), std::floor((display.y - size.y) / 2)});
    ImGui::SetNextWindowSize(size);
    ImGui::SetNextWindowFocus();
    ImGui::PushFont(style.text);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {padding, padding});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 1);
    ImGui::PushStyleColor(ImGuiCol_WindowBg, mixed(style.colour.panel, style.colour.text, 0.04f));
    ImGui::Begin(id, nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
}

Popup::~Popup() {
    ImGui::End();
    ImGui::PopStyleColor();
    ImGui::PopStyleVar(2);
    ImGui::PopFont();
}

bool Popup::clicked_elsewhere() const {
    const bool inside =
        ImGui::IsWindowHovered(ImGuiHoveredFlags_RootAndChildWindows | ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
    return ImGui::IsMouseClicked(ImGuiMouseButton_Left) && !inside && !ImGui::IsWindowAppearing();
}

void draw_slide(Context& context, const char* child, const Rect& area, const PanelRow& view) {
    view.prepare(context.view);
    ImGui::SetCursorScreenPos({area.x, area.y});
    ImGui::BeginChild(child, {area.width, area.height}, false, ImGuiWindowFlags_NoNav);
    context.chrome.whole_window = false;
    context.chrome.computing = false;
    const auto kernel = context.session.kernel();
    if (is_of_middle(view.id)) // the others have a heading of their own
        heading(context, context.tr(view.title), kernel ? context.tr(kernel->title) : "");
    view.draw(context);
    context.chrome.whole_window = true;
    ImGui::EndChild();
}

} // namespace ui
