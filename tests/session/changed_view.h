// Views that differ from the default one, made from the table of its fields.
#pragma once

#include "session/view_fields.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace changed {

using session::Range;
using Limits = std::optional<Range>;

inline void change(bool& value, Limits) { value = !value; }
inline void change(std::string& value, Limits) { value += "_other"; }
inline void change(catalog::Values& value, Limits) { value["BM"] = 64; }
inline void change(std::set<std::string>& value, Limits) { value.insert("binary"); }
inline void change(base::Dim3& value, Limits) { value = {7, 8, 9}; }
inline void change(trace::Schedule& value, Limits) { value = {trace::Schedule::Kind::shuffled, 77}; }
template <class Number>
requires std::integral<Number> || std::floating_point<Number>
void change(Number& value, Limits limits) { // away from every default, and no round number
    if (std::integral<Number>) value = static_cast<Number>(value + 5);
    else
        value = static_cast<Number>(limits ? limits->least + 0.37 * (std::min(limits->most, 100.0) - limits->least)
                                           : -12.125);
}
template <class Enum>
requires std::is_enum_v<Enum>
void change(Enum& value, Limits) { // to the last one, and from it to the first
    const auto last = static_cast<Enum>(session::names_of(value).size() - 1);
    value = value == last ? Enum{} : last;
}
template <session::Structure T>
void change(T& structure, Limits);
template <class T>
void change(std::optional<T>& value, Limits limits) {
    change(value.emplace(), limits);
}
template <session::Structure T>
void change(T& structure, Limits) {
    session::each_field(structure, [](const auto& field) { change(field.value, field.range); });
}

inline session::View every_field() {
    session::View view;
    change(view, {});
    return view;
}

// For each field a view in which only that one is another, with its key; of its structures each field.
inline std::vector<std::pair<std::string, session::View>> one_field() {
    std::vector<std::pair<std::string, session::View>> views;
    const auto each = [&views](auto part, const std::string& path) {
        session::View view;
        size_t count = 0;
        session::each_field(part(view), [&count](const auto&) { ++count; });
        for (size_t wanted = 0; wanted < count; ++wanted) {
            session::View other;
            size_t number = 0;
            session::each_field(part(other), [&](const auto& field) {
                if (number++ != wanted) return;
                change(field.value, field.range);
                views.emplace_back(path + field.key, session::View{});
            });
            views.back().second = other;
        }
    };
    each([](session::View& view) -> session::View& { return view; }, "");
    each([](session::View& view) -> session::Subject& { return view.subject; }, "subject.");
    each([](session::View& view) -> session::Selection& { return view.selection; }, "selection.");
    each([](session::View& view) -> session::Layout& { return view.layout; }, "layout.");
    each([](session::View& view) -> session::OnStage& { return view.stage; }, "stage.");
    each([](session::View& view) -> session::Course& { return view.course; }, "course.");
    return views;
}

} // namespace changed
