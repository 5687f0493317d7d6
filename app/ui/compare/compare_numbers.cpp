#include "ui/compare/compare_parts.h"

#include <algorithm>
#include <cmath>

namespace ui {

namespace {

class Columns {
public:
    Columns(Context& context, const Compared& left, const Compared& right)
        : context_(context), style_(context.style), left_(left), right_(right), area_(free_area()), y_(area_.y) {
        area_.width = std::min(area_.width, 44 * style_.text->FontSize); // a label and its numbers stay together
        float left_width = text_size(style_.text, context.tr("compare.baseline")).x,
              right_width = text_size(style_.text, context.tr("compare.current")).x, unit_width = 0;
        each_difference([&](const NumberGroup&, const Number& before, const Number& now) {
            left_width = std::max(left_width, text_size(style_.mono, shown_number(context_, before)).x);
            right_width = std::max(right_width, text_size(style_.mono, shown_number(context_, now)).x);
            if (*now.unit)
                unit_width = std::max(unit_width, text_size(style_.text, context_.tr(now.unit)).x + style_.unit);
        });
        right_edge_ = area_.right() - unit_width;
        left_edge_ = right_edge_ - right_width - 4 * style_.unit;
        label_room_ = std::max(left_edge_ - left_width - area_.x - 3 * style_.unit, 0.0f);
    }

    void draw() {
        text_right(style_.text, {left_edge_, y_}, style_.colour.dim, context_.tr("compare.baseline"));
        text_right(style_.text, {right_edge_, y_}, style_.colour.text, context_.tr("compare.current"));
        std::string_view group;
        const int equal = each_difference([&](const NumberGroup& of, const Number& before, const Number& now) {
            if (group != of.key) { // the first title stands beside the columns' names
                if (!group.empty()) y_ += line_height() + style_.unit;
                group = of.key;
                text_cut(context_, style_.text, {area_.x, y_}, label_room_, style_.colour.dim, context_.tr(of.key));
            }
            y_ += line_height();
            row(before, now);
        });
        y_ += line_height() + style_.unit;
        text_cut(context_, style_.text, {area_.x, y_}, area_.width, style_.colour.dim,
                 say(context_, "compare.equal_numbers", equal));
        y_ += line_height();
        ImGui::Dummy({area_.width, y_ - area_.y});
    }

private:
    float line_height() const { return std::round(style_.mono->FontSize * 1.3f); }

    // Calls `f` with each pair of numbers that differ; returns how many are equal. The engine's own speed is no property of a kernel.
    template <class F>
    int each_difference(F&& f) const {
        int equal = 0;
        for (const NumberGroup& group : right_.groups) {
            const auto other =
                std::find_if(left_.groups.begin(), left_.groups.end(), [&](const NumberGroup& candidate) {
                    return std::string_view(candidate.key) == group.key;
                });
            if (other == left_.groups.end() || std::string_view(group.key) == "numbers.engine") continue;
            for (size_t i = 0; i < group.numbers.size(); ++i) {
                if (shown_number(context_, group.numbers[i]) == shown_number(context_, other->numbers[i])) ++equal;
                else f(group, other->numbers[i], group.numbers[i]);
            }
        }
        return equal;
    }

    void row(const Number& before, const Number& now) {
        const Rect box{area_.x, y_, area_.width, line_height()};
        text_cut(context_, style_.text, {area_.x + 2 * style_.unit, y_}, label_room_ - 2 * style_.unit,
                 style_.colour.text, context_.tr(now.key));
        text_right(style_.mono, {left_edge_, y_}, style_.colour.dim, shown_number(context_, before));
        text_right(style_.mono, {right_edge_, y_}, style_.colour.text, shown_number(context_, now));
        if (*now.unit) text(style_.text, {right_edge_ + style_.unit, y_}, style_.colour.dim, context_.tr(now.unit));
        if (hovered(box)) tooltip(context_, say(context_, std::string(now.key) + "_tip", executed_program(context_)));
    }

    Context& context_;
    const Style& style_;
    const Compared &left_, &right_;
    Rect area_;
    float y_, left_edge_ = 0, right_edge_ = 0, label_room_ = 0;
};

} // namespace

std::string shown_number(const Context& context, const Number& number) {
    if (!number.word.empty()) return context.tr(number.word);
    return number.value.empty() ? context.tr("numbers.unknown") : number.value;
}

void draw_compared_numbers(Context& context, const Compared& baseline, const Compared& current,
                           const std::string& title) {
    ImGui::BeginChild("numbers");
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colour.dim);
    paragraph(title);
    ImGui::PopStyleColor();
    if (!baseline.groups.empty() && !current.groups.empty()) Columns(context, baseline, current).draw();
    ImGui::EndChild();
}

} // namespace ui
