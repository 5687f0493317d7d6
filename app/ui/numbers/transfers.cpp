#include "ui/numbers/transfers.h"

#include "ui/draw/grid.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

constexpr float characters_of_a_column = 11; // "999,999,999"

class Transfers {
public:
    explicit Transfers(Context& context) : context_(context), style_(context.style), area_(free_area()), y_(area_.y) {
        label_ = area_.width - 4 * characters_of_a_column * text_size(style_.mono, "0").x;
        label_ = std::max(label_, area_.width * 0.24f);
        column_ = (area_.width - label_) / 4;
        height_ = std::round(style_.mono->FontSize * 1.2f);
    }

    void draw(const std::vector<NumberGroup>& groups, const std::vector<NumberGroup>& baseline) {
        std::string_view space;
        for (const NumberGroup& group : groups) {
            if (!*group.space) continue;
            if (space != group.space) heading(group, !space.empty());
            space = group.space;
            row(group, counterpart(group, baseline));
        }
        y_ += 2 * style_.unit;
        ImGui::Dummy({area_.width, y_ - area_.y});
    }

private:
    static const NumberGroup* counterpart(const NumberGroup& group, const std::vector<NumberGroup>& baseline) {
        for (const NumberGroup& other : baseline)
            if (std::string_view(other.key) == group.key) return &other;
        return nullptr;
    }

    float right_of(size_t column) const { return area_.x + label_ + static_cast<float>(column + 1) * column_; }

    void heading(const NumberGroup& group, bool further) {
        if (further) y_ += 2 * style_.unit;
        text_cut(context_, style_.text, {area_.x, y_}, label_, style_.colour.dim, context_.tr(group.space));
        for (size_t i = 0; i < group.numbers.size(); ++i) {
            const char* name = context_.tr(group.numbers[i].key);
            const float used = std::min(text_size(style_.text, name).x, column_ - style_.unit);
            text_cut(context_, style_.text, {right_of(i) - used, y_}, column_ - style_.unit, style_.colour.dim, name);
        }
        y_ += style_.text->FontSize + style_.unit / 2;
        ImGui::GetWindowDrawList()->AddLine({area_.x, y_}, {area_.right(), y_}, style_.colour.line);
        y_ += style_.unit / 2;
    }

    void row(const NumberGroup& group, const NumberGroup* other) {
        label(context_.tr(group.key), style_.colour.dim);
        for (size_t i = 0; i < group.numbers.size(); ++i) cell(group, i, other ? &other->numbers[i] : nullptr, false);
        y_ += height_;
        if (!other) return;
        label(context_.tr("numbers.baseline"), style_.colour.dim);
        for (size_t i = 0; i < group.numbers.size(); ++i) cell(group, i, &other->numbers[i], true);
        y_ += height_ + style_.unit / 2;
    }

    void label(const char* words, ImU32 colour) {
        const float y = y_ + std::floor((height_ - style_.text->FontSize) / 2);
        text_cut(context_, style_.text, {area_.x, y}, label_ - style_.unit, colour, words);
    }

    // The number itself, or the baseline's below it: dim where they agree.
    void cell(const NumberGroup& group, size_t column, const Number* other, bool baseline) {
        const Number& number = group.numbers[column];
        const std::string& value = baseline ? other->value : number.value;
        const Rect box{right_of(column) - column_, y_, column_, height_};
        const bool differs = other && other->value != number.value;
        if (!baseline && changed(context_, (std::string(group.key) + number.key).c_str(), value))
            ImGui::GetWindowDrawList()->AddRectFilled({box.x + style_.unit, box.y},
                                                      {box.right() + style_.unit / 2, box.bottom()},
                                                      with_alpha(style_.colour.selection, 0.18f));
        const ImU32 ink = (baseline && !differs) || value.empty() ? style_.colour.dim : style_.colour.text;
        text_right(style_.mono, {box.right(), y_ + std::floor((height_ - style_.mono->FontSize) / 2)}, ink,
                   value.empty() ? context_.tr("numbers.unknown") : value.c_str());
        if (!hovered(box)) return;
        std::string words = std::string(context_.tr(group.key)) + ", " + context_.tr(number.key) + ": " + value;
        words += std::string("\n") + say(context_, std::string(number.key) + "_tip", executed_program(context_));
        if (const NsightName nsight = nsight_name(group.key, number.key); !nsight.name.empty())
            words += "\n" + say(context_, nsight.page, nsight.name);
        tooltip(context_, words);
    }

    Context& context_;
    const Style& style_;
    Rect area_;
    float y_, label_ = 0, column_ = 0, height_ = 0;
};

} // namespace

bool transfers_fit(const Context& context, float width) {
    return width > 4 * characters_of_a_column * text_size(context.style.mono, "0").x + 6 * context.style.text->FontSize;
}

void draw_transfers(Context& context, const std::vector<NumberGroup>& groups,
                    const std::vector<NumberGroup>& baseline) {
    Transfers(context).draw(groups, baseline);
}

} // namespace ui
