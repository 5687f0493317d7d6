#include "ui/bank_picture.h"
#include "ui/compare_parts.h"

namespace ui {

namespace {

std::optional<AccessShown> costliest(Context& context, const Compared& one, bool load) {
    if (!one.picture || one.picture->warps.empty()) return std::nullopt;
    const int warp = selected_warp(*one.picture, context.session.view().selection);
    const uint32_t event = context.pictures.costliest_shared(*one.picture, warp, load, one.subject->arch);
    if (event == never) return std::nullopt;
    return access_at(*one.picture, event, trace::Space::shared);
}

} // namespace

void draw_compared_banks(Context& context, const Compared& one, bool load) {
    if (!one.picture) return sentence(context, context.tr("face.computing"));
    const auto access = costliest(context, one, load);
    if (!access)
        return sentence(context,
                        context.tr(one.picture->trace().shared_bytes == 0 ? "banks.none" : "compare.no_shared"));
    BankScene scene = bank_scene(context, *one.picture, *access, one.subject->arch);
    draw_access_line(context, *access, bank_headline(scene),
                     say(context, "findings.line", access->instruction->source_line));
    const Rect area = free_area();
    const float bottom = draw_bank_picture(scene, area, BankLayout::stacked);
    ImGui::Dummy({area.width, std::max(bottom - area.y, 1.0f)});
}

float compared_banks_height(Context& context, const Compared& one, bool load) {
    const auto access = costliest(context, one, load);
    if (!access) return 0;
    const float line = context.style.mono->FontSize;
    return bank_picture_height(bank_scene(context, *one.picture, *access, one.subject->arch), 0.85f * line) + 2 * line;
}

std::string bank_words_of(Context& context, const Compared& one, bool load) {
    const auto access = costliest(context, one, load);
    if (!access) return context.tr(one.picture ? "compare.no_shared" : "numbers.unknown");
    const BankScene scene = bank_scene(context, *one.picture, *access, one.subject->arch);
    return std::string(opcode_of(access->instruction->text)) + ", " +
           say(context, "compare.access", access->instruction->source_line, bank_headline(scene));
}

} // namespace ui
