#include "ui/time/schedule.h"

#include "ui/draw/grid.h"

#include <limits>

namespace ui {

using Kind = trace::Schedule::Kind;

namespace {

constexpr uint64_t first_seed = 1;

} // namespace

trace::Schedule schedule_after(trace::Schedule now, int selected_warp) {
    const trace::Schedule selected_first{Kind::warp_first, static_cast<uint64_t>(selected_warp)};
    switch (now.kind) {
    case Kind::in_order: return selected_first;
    case Kind::warp_first: return now == selected_first ? trace::Schedule{Kind::shuffled, first_seed} : selected_first;
    case Kind::shuffled: break;
    }
    return {};
}

void next_schedule(Context& context) {
    session::View& view = context.view;
    view.subject.schedule = schedule_after(view.subject.schedule, view.selection.warp);
}

void next_seed(Context& context) {
    trace::Schedule& schedule = context.view.subject.schedule;
    const bool counts =
        schedule.kind == Kind::shuffled && schedule.number < static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    schedule = {Kind::shuffled, counts ? schedule.number + 1 : first_seed};
}

} // namespace ui
