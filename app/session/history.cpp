#include "session/history.h"

namespace session {
namespace {

constexpr size_t most_entries = 200;
constexpr double pause_s = 0.8; // a longer one ends a drag

std::string changed_parameters(const catalog::Values& before, const catalog::Values& after) {
    std::string names;
    for (const auto& [name, value] : after) {
        auto old = before.find(name);
        if (old == before.end() || old->second != value) names += name + " ";
    }
    return names;
}

// What differs, as words; empty: nothing that counts.
std::string change(const View& before, const View& after) {
    std::string words;
    auto note = [&words](bool differs, const char* word) {
        if (differs) words += word;
    };
    const Subject &s = before.subject, &t = after.subject;
    note(s.kernel != t.kernel, "kernel ");
    if (s.kernel == t.kernel) words += changed_parameters(s.parameters, t.parameters);
    note(s.problem.m != t.problem.m, "m ");
    note(s.problem.n != t.problem.n, "n ");
    note(s.problem.k != t.problem.k, "k ");
    note(s.alpha != t.alpha || s.beta != t.beta || s.seed != t.seed, "inputs ");
    note(s.arch != t.arch, "arch ");
    note(s.schedule != t.schedule, "schedule ");
    note(before.selection.block != after.selection.block, "block ");
    note(before.selection.warp != after.selection.warp, "warp ");
    note(before.selection.lane != after.selection.lane, "lane ");
    note(before.selection.event != after.selection.event, "event ");
    note(before.baseline != after.baseline, "baseline ");
    note(before.language != after.language, "language ");
    note(before.theme != after.theme, "theme ");
    note(before.projector != after.projector || before.scale != after.scale, "scale ");
    note(before.middle_tab != after.middle_tab || before.code_tab != after.code_tab || before.plot_tab != after.plot_tab, "tab ");
    note(before.digits != after.digits, "digits ");
    note(before.layout != after.layout, "layout ");
    note(before.open_families != after.open_families, "families ");
    note(before.search != after.search, "search ");
    note(before.map_zoom != after.map_zoom || before.map_x != after.map_x || before.map_y != after.map_y, "map ");
    note(before.result_zoom != after.result_zoom || before.result_x != after.result_x || before.result_y != after.result_y, "result ");
    note(before.marked != after.marked, "marked ");
    note(before.events_per_second != after.events_per_second, "speed ");
    note(before.table != after.table, "table ");
    return words;
}

std::optional<View> travel(std::deque<View>& from, std::deque<View>& to, const View& now) {
    if (from.empty()) return {};
    View view = std::move(from.back());
    from.pop_back();
    to.push_back(now);
    view.hover = now.hover;
    view.playing = false;
    return view;
}

} // namespace

void History::record(const View& before, const View& after, double seconds) {
    std::string words = change(before, after);
    if (words.empty()) return;
    const bool same_drag = words == last_change_ && seconds - last_time_ < pause_s && !past_.empty();
    last_change_ = std::move(words);
    last_time_ = seconds;
    future_.clear();
    if (same_drag) return;
    past_.push_back(before);
    if (past_.size() > most_entries) past_.pop_front();
}

std::optional<View> History::undo(const View& now) {
    last_change_.clear();
    return travel(past_, future_, now);
}

std::optional<View> History::redo(const View& now) {
    last_change_.clear();
    return travel(future_, past_, now);
}

} // namespace session
