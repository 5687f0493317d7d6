#include "ui/time/stepping.h"

#include "session/playback.h"

#include <algorithm>

namespace ui {

namespace {

uint32_t position(const WarpOrder& order, uint32_t event) { return order.at_or_after(event); }

} // namespace

std::shared_ptr<const BlockPicture> shown_block(Context& context) {
    const auto& run = context.session.products().block.value;
    if (!run || !run->trace.listing || run->trace.events.empty()) return nullptr;
    return context.pictures.block(run);
}

const WarpOrder* selected_order(Context& context, const std::shared_ptr<const BlockPicture>& block) {
    if (!block || block->warps.empty()) return nullptr;
    const int warp = std::clamp(context.view.selection.warp, 0, static_cast<int>(block->warps.size()) - 1);
    const WarpOrder& order = block->warps[static_cast<size_t>(warp)];
    return order.events.empty() ? nullptr : &order;
}

void step(Context& context, int64_t instructions) {
    const auto block = shown_block(context);
    const WarpOrder* order = selected_order(context, block);
    if (!order) return;
    const auto last = static_cast<int64_t>(order->events.size()) - 1;
    const int64_t now = position(*order, context.view.selection.event);
    step_to(context, static_cast<uint32_t>(std::clamp<int64_t>(now + instructions, 0, last)));
}

void step_to(Context& context, uint32_t index) {
    const auto block = shown_block(context);
    const WarpOrder* order = selected_order(context, block);
    if (!order) return;
    context.view.selection.event = order->events[std::min<size_t>(index, order->events.size() - 1)];
    context.view.playing = false;
}

void step_barrier(Context& context, int direction) {
    const auto block = shown_block(context);
    const WarpOrder* order = selected_order(context, block);
    if (!order || order->cut.size() < 2) return;
    const uint32_t now = position(*order, context.view.selection.event);
    const auto last = static_cast<uint32_t>(order->events.size()) - 1;
    if (direction > 0) { // a barrier is the last event of its segment
        const auto next = std::upper_bound(order->cut.begin(), order->cut.end(), now + 1);
        step_to(context, next == order->cut.end() ? last : std::min(*next - 1, last));
    } else {
        const auto end = std::upper_bound(order->cut.begin(), order->cut.end(), now);
        step_to(context, end - order->cut.begin() < 2 ? 0 : *(end - 1) - 1);
    }
}

void step_k_tile(Context& context, int direction) {
    const auto block = shown_block(context);
    const WarpOrder* order = selected_order(context, block);
    if (!order) return;
    const uint32_t now = position(*order, context.view.selection.event);
    const auto& tiles = order->k_tiles;
    if (direction > 0) {
        const auto next = std::upper_bound(tiles.begin(), tiles.end(), now);
        step_to(context, next == tiles.end() ? UINT32_MAX : *next);
    } else {
        const auto own = std::lower_bound(tiles.begin(), tiles.end(), now);
        step_to(context, own == tiles.begin() ? 0 : *(own - 1));
    }
}

void toggle_mark(Context& context) {
    session::View& view = context.view;
    if (!shown_block(context)) return;
    if (view.marked == view.selection.event) view.marked.reset();
    else view.marked = view.selection.event;
}

void select_warp(Context& context, int warp) {
    const auto block = shown_block(context);
    const int last = block && !block->warps.empty() ? static_cast<int>(block->warps.size()) - 1 : std::max(warp, 0);
    session::Selection& selection = context.view.selection;
    selection.warp = std::clamp(warp, 0, last);
    if (!block || selection.event >= block->trace().events.size()) return;
    if (block->trace().events[selection.event].warp == selection.warp) return;
    selection.event = session::same_instruction(*block->run, selection.event, selection.warp).value_or(selection.event);
}

void select_lane(Context& context, int lane) {
    context.view.selection.lane = std::clamp(lane, 0, trace::warp_size - 1);
}

void select_block(Context& context, base::Dim3 block) {
    if (const auto shown = shown_block(context)) {
        const base::Dim3 grid = shown->trace().grid;
        block = {std::min(block.x, grid.x - 1), std::min(block.y, grid.y - 1), std::min(block.z, grid.z - 1)};
    }
    context.view.selection.block = block;
}

namespace {

// To the neighbour among what the search has found, or to its first.
void select_found(Context& context, int direction) {
    const auto found = context.session.found();
    if (found.empty()) return;
    const auto is_current = [&](const session::Found& one) { return one.kernel->id == context.view.subject.kernel; };
    const auto now = std::find_if(found.begin(), found.end(), is_current);
    const auto next =
        now == found.end() ? 0 : std::clamp<ptrdiff_t>(now - found.begin() + direction, 0, std::ssize(found) - 1);
    select_kernel(context, *found[static_cast<size_t>(next)].kernel);
}

} // namespace

void select_rung(Context& context, int direction) {
    const catalog::Catalog& catalog = context.session.catalog();
    if (!context.view.search.empty()) return select_found(context, direction);
    if (const auto next = catalog.beside(context.view.subject.kernel, direction)) select_kernel(context, *next);
    else if (!catalog.find(context.view.subject.kernel) && !catalog.kernels.empty())
        select_kernel(context, *catalog.kernels.front());
}

void select_family(Context& context, int direction) {
    const catalog::Catalog& catalog = context.session.catalog();
    const auto now = catalog.find(context.view.subject.kernel);
    if (!now) return select_rung(context, direction);
    std::vector<std::string> families; // that have kernels
    for (const auto& kernel : catalog.kernels)
        if (families.empty() || families.back() != kernel->family) families.push_back(kernel->family);
    const auto place = std::find(families.begin(), families.end(), now->family) - families.begin() + direction;
    if (place >= 0 && place < std::ssize(families))
        select_kernel(context, *catalog.of_family(families[static_cast<size_t>(place)]).front());
}

void select_kernel(Context& context, const catalog::Kernel& kernel) {
    if (context.view.subject.kernel == kernel.id) return;
    context.view.subject.kernel = kernel.id;
    context.view.subject.parameters.clear();
    context.view.subject.breaks.clear();
    context.view.selection.event = 0; // the session looks for an interesting one
    context.view.playing = false;
    if (const PanelRow* look = find_panel(kernel.look.view))
        look->prepare(context.view); // what it should be looked at for
}

} // namespace ui
