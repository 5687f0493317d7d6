#include "analysis/sectors.h"
#include "ui/compare/compare_parts.h"
#include "ui/memory/bank_picture.h"
#include "ui/memory/sector_picture.h"

#include <array>
#include <cmath>
#include <map>

namespace ui {

namespace {

// The first execution of the global load that moves the most sectors; of the warp's first thousands, since it is asked for in every frame.
std::optional<uint32_t> costliest_global(const BlockPicture& picture, const WarpOrder& order) {
    constexpr size_t most = 2048;
    struct Cost {
        uint32_t first = 0;
        uint64_t sectors = 0;
    };
    std::map<uint32_t, Cost> by_pc;
    for (size_t i = 0; i < std::min(order.global.size(), most); ++i) {
        const uint32_t event = order.global[i];
        const AccessShown access = access_at(picture, event, trace::Space::global);
        if (access.instruction->kind == trace::Kind::store || access.instruction->kind == trace::Kind::atomic) continue;
        Cost& cost = by_pc.try_emplace(picture.trace().events[event].pc, Cost{event, 0}).first->second;
        cost.sectors +=
            static_cast<uint64_t>(analysis::sectors_of(*access.instruction, access.active, *access.address).sectors);
    }
    std::optional<uint32_t> found;
    uint64_t sectors = 0;
    for (const auto& [pc, cost] : by_pc)
        if (!found || cost.sectors > sectors) found = cost.first, sectors = cost.sectors;
    return found;
}

std::optional<AccessShown> costliest(Context& context, const Compared& one, ComparedView view) {
    if (!one.picture || one.picture->warps.empty()) return std::nullopt;
    const int warp = selected_warp(*one.picture, context.session.view().selection);
    if (view == ComparedView::global_load) {
        const auto event = costliest_global(*one.picture, one.picture->warps[static_cast<size_t>(warp)]);
        return event ? std::optional(access_at(*one.picture, *event, trace::Space::global)) : std::nullopt;
    }
    const bool load = view == ComparedView::shared_load;
    const uint32_t event = context.pictures.costliest_shared(*one.picture, warp, load, one.subject->arch);
    if (event == never) return std::nullopt;
    return access_at(*one.picture, event, trace::Space::shared);
}

// What share of its transfers a coalesced access without bank conflicts would not need.
double excess(Context& context, const Compared& one, ComparedView view) {
    const auto access = costliest(context, one, view);
    if (!access) return 0;
    double moved = 0, ideal = 0;
    if (view == ComparedView::global_load) {
        const analysis::Sectors count = analysis::sectors_of(*access->instruction, access->active, *access->address);
        moved = count.sectors, ideal = count.ideal;
    } else {
        const auto count = analysis::count_wavefronts(analysis::bank_rule(one.subject->arch), access->load(),
                                                      access->instruction->bytes, access->active, *access->address);
        moved = count.wavefronts, ideal = count.ideal;
    }
    return moved > 0 ? (moved - ideal) / moved : 0;
}

const char* none_of(const Compared& one, ComparedView view) {
    if (view == ComparedView::global_load) return "compare.no_global";
    return one.picture->trace().shared_bytes == 0 ? "banks.none" : "compare.no_shared";
}

std::string headline(Context& context, const Compared& one, const AccessShown& access, ComparedView view) {
    if (view == ComparedView::global_load) return sector_headline(context, *one.picture, access);
    return bank_headline(bank_scene(context, *one.picture, access, one.subject->arch));
}

} // namespace

ComparedView differing_view(Context& context, const Compared& baseline, const Compared& current) {
    double most = 0.01;
    ComparedView found = ComparedView::timeline;
    for (const ComparedView view : {ComparedView::shared_load, ComparedView::global_load, ComparedView::shared_store}) {
        const double difference = std::abs(excess(context, baseline, view) - excess(context, current, view));
        if (difference > most) most = difference, found = view;
    }
    return found;
}

void draw_compared_access(Context& context, const Compared& one, ComparedView view) {
    if (!one.picture) return sentence(context, context.tr("face.computing"));
    const auto access = costliest(context, one, view);
    if (!access) return sentence(context, context.tr(none_of(one, view)));
    draw_access_line(context, *access, headline(context, one, *access, view),
                     say(context, "findings.line", access->instruction->source_line));
    if (view == ComparedView::global_load) return draw_sector_picture(context, *one.picture, *access);
    BankScene scene = bank_scene(context, *one.picture, *access, one.subject->arch);
    const Rect area = free_area();
    const float bottom = draw_bank_picture(scene, area, BankLayout::stacked);
    ImGui::Dummy({area.width, std::max(bottom - area.y, 1.0f)});
}

float compared_height(Context& context, const Compared& one, ComparedView view) {
    const float line = context.style.mono->FontSize;
    if (view == ComparedView::timeline) return 12 * line;
    const auto access = costliest(context, one, view);
    if (!access) return 0;
    if (view == ComparedView::global_load) return 14 * line;
    return bank_picture_height(bank_scene(context, *one.picture, *access, one.subject->arch), 0.85f * line) + 2 * line;
}

std::string access_words_of(Context& context, const Compared& one, ComparedView view) {
    const auto access = costliest(context, one, view);
    if (!access) return context.tr(one.picture ? none_of(one, view) : "numbers.unknown");
    return std::string(opcode_of(access->instruction->text)) + ", " +
           say(context, "compare.access", access->instruction->source_line, headline(context, one, *access, view));
}

} // namespace ui
