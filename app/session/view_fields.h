// Every field of a View, in one table each: the state file, undo and their tests follow from it.
#pragma once

#include "session/view.h"

#include <array>
#include <concepts>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>

namespace session {

// Names of enumerators in the state file, in the order of the enumeration.
constexpr std::array<const char*, 2> names_of(Engine) { return {name(Engine::ptx), name(Engine::machine)}; }
constexpr std::array<const char*, 2> names_of(Language) { return {"en", "zh"}; }
constexpr std::array<const char*, 2> names_of(Theme) { return {"dark", "light"}; }
constexpr std::array<const char*, 9> names_of(MiddleTab) {
    return {"banks", "sectors", "timeline", "shared", "registers", "compare", "result", "blocks", "stream"};
}
constexpr std::array<const char*, 2> names_of(ResultField) { return {"c", "error"}; }
constexpr std::array<const char*, 3> names_of(BlockColours) { return {"none", "wave", "multiprocessor"}; }
constexpr std::array<const char*, 3> names_of(CodeTab) { return {"source", "ptx", "machine"}; }
constexpr std::array<const char*, 6> names_of(PlotTab) {
    return {"sizes", "ladder", "parameter", "roofline", "errors", "device"};
}
constexpr std::array<const char*, 2> names_of(TimeAxis) { return {"order", "cycles"}; }
constexpr std::array<const char*, 4> names_of(Digits) { return {"natural", "real", "integer", "hex"}; }

struct Range {
    double least, most;
};

// How undo sees a change: changes of the same words that follow each other at once are one entry. Of a structure its fields say it.
struct Change {
    const char* word = "";   // empty: no change that undo knows
    bool only_alone = false; // not a word where something else has changed, too: it follows from that
};

template <class T>
struct Field {
    const char* key; // in the state file
    Change change;
    T& value;
    std::optional<Range> range; // of numbers; nothing: every natural number of the type, every finite float
};
template <class T>
Field<T> field(const char* key, Change change, T& value, std::optional<Range> range = {}) {
    return {key, change, value, range};
}

template <class T, class Of>
concept Either = std::same_as<std::remove_const_t<T>, Of>; // const or not

// The structured bindings name every member: one more does not compile until it stands there, and then belongs into the table.
template <Either<Subject> T>
auto fields(T& subject) {
    constexpr Range size{1, 2147483647};
    auto& [kernel, parameters, problem, alpha, beta, arch, engine, seed, schedule, breaks] = subject;
    auto& [m, n, k] = problem;
    return std::tuple{field("kernel", {"kernel"}, kernel),
                      field("parameters", {"parameters"}, parameters),
                      field("m", {"m"}, m, size),
                      field("n", {"n"}, n, size),
                      field("k", {"k"}, k, size),
                      field("alpha", {"inputs"}, alpha),
                      field("beta", {"inputs"}, beta),
                      field("arch", {"arch"}, arch),
                      field("engine", {"engine"}, engine),
                      field("seed", {"inputs"}, seed),
                      field("schedule", {"schedule"}, schedule),
                      field("breaks", {"breaks"}, breaks)};
}

template <Either<Selection> T>
auto fields(T& selection) {
    constexpr Range in_warp{0, 31};
    auto& [block, warp, lane, event] = selection;
    return std::tuple{field("block", {"block"}, block), field("warp", {"warp"}, warp, in_warp),
                      field("lane", {"lane"}, lane, in_warp), field("event", {"event"}, event)};
}

template <Either<Layout> T>
auto fields(T& layout) {
    constexpr Range share{0, 1};
    constexpr Change change{"layout"};
    auto& [left, right, map, middle, code, ladder, map_panel, banks, plot, code_panel, numbers] = layout;
    return std::tuple{
        field("left", change, left, share),      field("right", change, right, share), field("map", change, map, share),
        field("middle", change, middle, share),  field("code", change, code, share),   field("ladder", change, ladder),
        field("map_panel", change, map_panel),   field("banks", change, banks),        field("plot", change, plot),
        field("code_panel", change, code_panel), field("numbers", change, numbers)};
}

template <Either<OnStage> T>
auto fields(T& stage) {
    constexpr Change change{"stage"};
    auto& [shown, first, second] = stage;
    return std::tuple{field("shown", change, shown), field("first", change, first), field("second", change, second)};
}

template <Either<Course> T>
auto fields(T& course) {
    constexpr Change change{"lesson"};
    auto& [lesson, step, exercise, log] = course;
    return std::tuple{field("lesson", change, lesson), field("step", change, step, Range{0, 9999}),
                      field("exercise", change, exercise), field("log", {"log"}, log)};
}

template <Either<timing::WhatIf> T>
auto fields(T& what_if) {
    constexpr Change change{"what if"};
    auto& [reuse_cache, bank_conflicts, register_banks, memory_latency, registers, more_warps] = what_if;
    return std::tuple{field("reuse_cache", change, reuse_cache),
                      field("bank_conflicts", change, bank_conflicts),
                      field("register_banks", change, register_banks),
                      field("memory_latency", change, memory_latency, Range{0.125, 16}),
                      field("registers", change, registers, Range{1, 16}),
                      field("more_warps", change, more_warps, Range{0, 64})};
}

template <Either<View> T>
auto fields(T& view) {
    constexpr Range zoom{1e-6, 1e6}, size{1, 2147483647}, stream_size{1, 1 << 20}; // of one dimension, as for a GPU run
    auto& [subject, selection, baseline, marked, language, theme, projector, scale, middle_tab, code_tab, plot_tab,
           parameter, second_parameter, digits, time_axis, time_zoom, what_if, layout, stage, course, open_families,
           search, map_zoom, map_x, map_y, block_colours, result_field, result_zoom, result_x, result_y, stream_problem,
           stream_moment, speed_problem, playing, events_per_second, table, hover] =
        view; // hover is neither kept nor undone
    auto& [stream_m, stream_n, stream_k] = stream_problem;
    auto& [speed_m, speed_n, speed_k] = speed_problem;
    return std::tuple{field("subject", {}, subject),
                      field("selection", {}, selection),
                      field("baseline", {"baseline"}, baseline),
                      field("language", {"language"}, language),
                      field("theme", {"theme"}, theme),
                      field("projector", {"scale"}, projector),
                      field("scale", {"scale"}, scale, Range{0, 8}),
                      field("middle_tab", {"tab"}, middle_tab),
                      field("code_tab", {"tab"}, code_tab),
                      field("plot_tab", {"tab"}, plot_tab),
                      field("parameter", {"parameter", true}, parameter),
                      field("second_parameter", {"parameter", true}, second_parameter),
                      field("digits", {"digits"}, digits),
                      field("time_axis", {"axis of time"}, time_axis),
                      field("time_zoom", {"zoom of time"}, time_zoom, zoom),
                      field("what_if", {}, what_if),
                      field("layout", {}, layout),
                      field("stage", {}, stage),
                      field("course", {}, course),
                      field("open_families", {"families"}, open_families),
                      field("search", {"search"}, search),
                      field("map_zoom", {"map"}, map_zoom, zoom),
                      field("map_x", {"map"}, map_x),
                      field("map_y", {"map"}, map_y),
                      field("block_colours", {"colours"}, block_colours),
                      field("result_field", {"result"}, result_field),
                      field("result_zoom", {"result"}, result_zoom, Range{1, zoom.most}),
                      field("result_x", {"result"}, result_x),
                      field("result_y", {"result"}, result_y),
                      field("marked", {"marked"}, marked),
                      field("stream_m", {"stream size"}, stream_m, stream_size),
                      field("stream_n", {"stream size"}, stream_n, stream_size),
                      field("stream_k", {"stream size"}, stream_k, stream_size),
                      field("stream_moment", {"stream moment"}, stream_moment, Range{0, 1}),
                      field("speed_m", {"size of speeds"}, speed_m, size),
                      field("speed_n", {"size of speeds"}, speed_n, size),
                      field("speed_k", {"size of speeds"}, speed_k, size),
                      field("playing", {}, playing),
                      field("events_per_second", {"speed"}, events_per_second, Range{0.01, 1e6}),
                      field("table", {"table"}, table)};
}

template <class T>
concept Structure = Either<T, Subject> || Either<T, Selection> || Either<T, Layout> || Either<T, OnStage> ||
    Either<T, Course> || Either<T, timing::WhatIf> || Either<T, View>;

// Calls visit(Field) for each field.
template <Structure T, class Visit>
void each_field(T& structure, Visit visit) {
    std::apply([&visit](const auto&... field) { (visit(field), ...); }, fields(structure));
}

// Calls visit(Field of a, Field of b) for each.
template <Structure T, class Visit>
void each_pair(const T& a, const T& b, Visit visit) {
    const auto of_a = fields(a), of_b = fields(b);
    [&]<size_t... i>(std::index_sequence<i...>) { (visit(std::get<i>(of_a), std::get<i>(of_b)), ...); }
    (std::make_index_sequence<std::tuple_size_v<decltype(of_a)>>());
}

} // namespace session
