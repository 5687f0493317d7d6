#include "ui/draw/notices.h"

#include "ui/draw/wrap.h"

#include <algorithm>
#include <cmath>

namespace ui {

void notify(Context& context, std::string words) {
    context.chrome.notices.push_back({std::move(words), ImGui::GetTime() + notice_seconds});
}

void draw_notices(Context& context, float bottom) {
    auto& notices = context.chrome.notices;
    const double now = ImGui::GetTime();
    for (Notice& notice : notices)
        if (notice.until == 0) notice.until = now + notice_seconds;
    std::erase_if(notices, [&](const Notice& notice) { return notice.until <= now; });
    const Style& style = context.style;
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const float width = std::min(ImGui::GetIO().DisplaySize.x - 8 * style.unit, 160 * style.unit);
    float y = bottom - 2 * style.unit;
    for (size_t i = notices.size(); i-- > 0 && y > 0;) {
        const std::string& words = notices[i].text;
        const std::string lines = wrapped(style.text, width - 6 * style.unit, words);
        const ImVec2 size = text_size(style.text, lines);
        const float x = std::floor((ImGui::GetIO().DisplaySize.x - size.x) / 2);
        const Rect box{x - 3 * style.unit, y - size.y - 3 * style.unit, size.x + 6 * style.unit,
                       size.y + 3 * style.unit};
        list->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()},
                            mixed(style.colour.panel, style.colour.text, 0.12f));
        list->AddRectFilled({box.x, box.y}, {box.x + style.unit / 2, box.bottom()}, style.colour.selection);
        list->AddText(style.text, style.text->FontSize, {x, std::floor(box.y + 1.5f * style.unit)}, style.colour.text,
                      lines.data(), lines.data() + lines.size());
        y = box.y - style.unit;
        draw_again(context, notices[i].until - now);
    }
}

float remark_height(const Style& style) { return style.text->FontSize + 2 * style.unit; }

void draw_remark(Context& context, std::string_view words, float bottom) {
    const Style& style = context.style;
    const float height = remark_height(style);
    const Rect line{0, std::floor(bottom - height), ImGui::GetIO().DisplaySize.x, height};
    ImGui::SetCursorScreenPos({line.x, line.y});
    ImGui::BeginChild("remark", {line.width, line.height}, false,
                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoScrollbar);
    ImGui::GetWindowDrawList()->AddRectFilled({line.x, line.y}, {line.right(), line.bottom()},
                                              mixed(style.colour.panel, style.colour.text, 0.06f));
    text_cut(context, style.text, {2 * style.unit, line.y + style.unit}, line.width - 4 * style.unit, style.colour.dim,
             words);
    ImGui::EndChild();
}

} // namespace ui
