#include "analysis/sectors.h"
#include "ui/compare/compare_parts.h"
#include "ui/memory/bank_picture.h"
#include "ui/memory/sector_picture.h"
#include "views/warp_track.h"

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

// Of the executions of the event's instruction the one of the turn that holds `index`: the first from there on, else the last before. A
// turn without one shows the nearest, of the warp's few thousand accesses around.
uint32_t execution_in_turn(const BlockPicture& picture, const WarpOrder& order, const std::vector<uint32_t>& accesses,
                           uint32_t like, uint32_t index) {
    constexpr ptrdiff_t furthest = 4096;
    const uint32_t pc = picture.trace().events[like].pc;
    const uint32_t here = index < order.events.size() ? order.events[index] : 0;
    const auto after = std::upper_bound(order.k_tiles.begin(), order.k_tiles.end(), index);
    const uint32_t first = after == order.k_tiles.begin() ? 0 : order.events[*(after - 1)];
    const uint32_t last = after == order.k_tiles.end() ? never : order.events[*after];
    const auto from = std::lower_bound(accesses.begin(), accesses.end(), here);
    uint32_t before = never, behind = never;
    for (auto at = from; at != accesses.end() && at - from < furthest && behind == never; ++at)
        if (picture.trace().events[*at].pc == pc) behind = *at;
    for (auto at = from; at != accesses.begin() && from - at < furthest && before == never;)
        if (picture.trace().events[*--at].pc == pc) before = *at;
    if (behind < last) return behind;
    if (before != never && before >= first) return before;
    if (before == never && behind == never) return like;
    if (before == never || behind == never) return before == never ? behind : before;
    return behind - here < here - before ? behind : before;
}

// All its executions together.
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

// The costliest access of one side, and its executions by the selected warp.
struct Executions {
    const BlockPicture* picture = nullptr;
    const WarpOrder* order = nullptr;
    const std::vector<uint32_t>* accesses = nullptr; // to that memory
    uint32_t first = 0;                              // of the executions
    uint32_t near(uint32_t index) const { return execution_in_turn(*picture, *order, *accesses, first, index); }
    int turn_of(uint32_t event) const {
        return static_cast<int>(std::floor(turn_place(*order, order->at_or_after(event))));
    }
    // Nothing: none is in that turn.
    std::optional<uint32_t> in_turn(int turn) const {
        const uint32_t event = near(turn < 0 ? 0 : order->k_tiles[static_cast<size_t>(turn)]);
        return turn_of(event) == turn ? std::optional(event) : std::nullopt;
    }
};

std::optional<Executions> executions(Context& context, const Compared& one, ComparedView view) {
    const auto access = costliest(context, one, view);
    if (!access) return std::nullopt;
    const WarpOrder& order = one.picture->warps[static_cast<size_t>(access->warp)];
    const bool global = view == ComparedView::global_load;
    return Executions{one.picture.get(), &order, global ? &order.global : &order.shared, access->event};
}

// The costliest, executed where both sides are in k. A kernel that fetches ahead has none in its last turn: then both show the nearest
// turn in which both have one.
std::optional<AccessShown> access_in_turn(Context& context, const Compared& one, const Compared& other,
                                          ComparedView view) {
    const auto mine = executions(context, one, view), others = executions(context, other, view);
    if (!mine) return std::nullopt;
    uint32_t event = mine->near(compared_index(context, one, other));
    if (others && !mine->order->k_tiles.empty() && mine->order->k_tiles.size() == others->order->k_tiles.size()) {
        const int turn = mine->turn_of(event);
        const int of_other = others->turn_of(others->near(compared_index(context, other, one)));
        for (const int both : {std::min(turn, of_other), std::max(turn, of_other)}) {
            const auto here = mine->in_turn(both);
            if (turn == of_other || !here || !others->in_turn(both)) continue;
            event = *here;
            break;
        }
    }
    return access_at(*one.picture, event,
                     view == ComparedView::global_load ? trace::Space::global : trace::Space::shared);
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
        const auto count = analysis::count_wavefronts(analysis::bank_rule(one.subject->arch), *access->instruction,
                                                      access->active, *access->address);
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

void draw_compared_access(Context& context, const Compared& one, const Compared& other, ComparedView view) {
    if (!one.picture) return sentence(context, context.tr("face.computing"));
    const auto access = access_in_turn(context, one, other, view);
    if (!access) return sentence(context, context.tr(none_of(one, view)));
    const WarpOrder& order = one.picture->warps[static_cast<size_t>(access->warp)];
    std::string remark = say(context, "findings.line", access->instruction->source_line);
    const uint32_t index = order.at_or_after(access->event);
    if (const std::string turn = turn_name(context, *one.picture, order, index); !turn.empty())
        remark = turn + " · " + remark;
    const Rect area = free_area();
    context.probe.mark(
        fmt::format("compare.{}.turn.{}", one.current ? "current" : "baseline", std::floor(turn_place(order, index))),
        area.x, area.y, area.width, area.height);
    draw_access_line(context, *access, headline(context, one, *access, view), remark);
    draw_compared_strip(context, one, other);
    if (view == ComparedView::global_load) return draw_sector_picture(context, *one.picture, *access);
    BankScene scene = bank_scene(context, *one.picture, *access, one.subject->arch);
    const Rect banks = free_area();
    const float bottom = draw_bank_picture(scene, banks, BankLayout::stacked);
    ImGui::Dummy({banks.width, std::max(bottom - banks.y, 1.0f)});
}

float compared_height(Context& context, const Compared& one, ComparedView view) {
    const float line = context.style.mono->FontSize;
    if (view == ComparedView::timeline) return 12 * line;
    const auto access = costliest(context, one, view);
    if (!access) return 0;
    const float head = 2 * line + compared_strip_height(context.style);
    if (view == ComparedView::global_load) return 12 * line + head;
    return bank_picture_height(bank_scene(context, *one.picture, *access, one.subject->arch), 0.85f * line) + head;
}

std::string access_words_of(Context& context, const Compared& one, const Compared& other, ComparedView view) {
    const auto access = access_in_turn(context, one, other, view);
    if (!access) return context.tr(one.picture ? none_of(one, view) : "numbers.unknown");
    return access->instruction->mnemonic + ", " +
           say(context, "compare.access", access->instruction->source_line, headline(context, one, *access, view));
}

} // namespace ui
