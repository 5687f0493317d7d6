#include "ui/axis.h"
#include "ui/diff_view.h"
#include "ui/grid.h"
#include "ui/number_rows.h"
#include "ui/opcode.h"
#include "ui/panel.h"
#include "ui/plot_data.h"
#include "ui/text_table.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct Subjects { // the pinned one and the current one
    const session::Subject* subject = nullptr;
    const session::Products* products = nullptr;
    std::shared_ptr<const catalog::Kernel> kernel;
    std::vector<NumberGroup> groups;
};

Subjects collect(const Context& context, const session::Subject& subject, const session::Products* products) {
    Subjects one{&subject, products, context.session.catalog().find(subject.kernel), {}};
    if (products) one.groups = number_groups(one.kernel.get(), subject, *products);
    return one;
}

// "Double buffer  BM 128 BN 128 ... 256³"
std::string title(const Context& context, const Subjects& one) {
    std::string title = one.kernel ? context.tr(one.kernel->title) : one.subject->kernel;
    if (one.kernel)
        if (const auto values = catalog::with(*one.kernel, one.subject->parameters))
            for (const auto& parameter : one.kernel->parameters)
                title += fmt::format("  {} {}", parameter.name, values->at(parameter.name));
    const catalog::Problem& size = one.subject->problem;
    return title + "  " + size_text(size.m, size.n, size.k);
}

// The shared-memory instruction of `kind` that costs the most wavefronts: "ld.shared.v4.f32, line 82: 8
// wavefronts, ideal 4".
std::string bank_headline(const Context& context, const Subjects& one, trace::Kind kind) {
    if (!one.products || !one.products->prepared.value || !one.products->grid.value)
        return context.tr("numbers.unknown");
    const auto& instructions = one.products->prepared.value->listing->instructions;
    const trace::Counts& counts = one.products->grid.value->counts;
    size_t worst = counts.size();
    for (size_t pc = 0; pc < std::min(counts.size(), instructions.size()); ++pc)
        if (instructions[pc].space == trace::Space::shared && instructions[pc].kind == kind &&
            counts[pc].executed &&
            (worst == counts.size() || counts[pc].wavefronts > counts[worst].wavefronts))
            worst = pc;
    if (worst == counts.size()) return context.tr("compare.no_shared");
    const auto each = [&](uint64_t wavefronts) {
        return short_number(static_cast<double>(wavefronts) / static_cast<double>(counts[worst].executed));
    };
    return say(context, "compare.banks", std::string(bare_opcode(instructions[worst].text)),
               instructions[worst].source_line, each(counts[worst].wavefronts),
               each(counts[worst].wavefronts_ideal));
}

std::string shown(const Context& context, const Number& number) {
    if (!number.word.empty()) return context.tr(number.word);
    return number.value.empty() ? context.tr("numbers.unknown") : number.value;
}

class Columns {
public:
    Columns(Context& context, const Subjects& left, const Subjects& right)
        : context_(context), style_(context.style), left_(left), right_(right) {}

    void draw() {
        ImGui::BeginChild("columns");
        Rect area = free_area();
        area.width =
            std::min(area.width, 44 * style_.text->FontSize); // a label and its numbers stay together
        y_ = area.y;
        area_ = area;
        const float value = 13 * text_size(style_.mono, "0").x;
        unit_width_ = std::min(7 * style_.text->FontSize, area.width * 0.16f);
        right_edge_ = area.right() - unit_width_;
        left_edge_ = right_edge_ - value;
        headings();
        bars();
        headline("compare.loads", trace::Kind::load);
        headline("compare.stores", trace::Kind::store);
        const int equal = numbers();
        line(say(context_, "compare.equal_numbers", equal), style_.colour.dim);
        ImGui::Dummy({area.width, y_ - area.y});
        ImGui::EndChild();
    }

private:
    float line_height() const { return std::round(style_.mono->FontSize * 1.3f); }

    void line(std::string_view words, ImU32 colour) {
        text_cut(context_, style_.text, {area_.x, y_}, area_.width, colour, words);
        y_ += line_height();
    }

    void headings() {
        text_right(style_.text, {left_edge_, y_}, style_.colour.dim, context_.tr("compare.baseline"));
        text_right(style_.text, {right_edge_, y_}, style_.colour.text, context_.tr("compare.current"));
        y_ += line_height();
    }

    // Measured speed of both, against cuBLAS at the same size on the same device.
    void bars() {
        const std::vector<SeriesGroup> groups = series_groups(context_.session.series());
        if (groups.empty()) return line(context_.tr("compare.no_series"), style_.colour.dim);
        const SeriesGroup& group = groups.front();
        const auto size = nearest_size(group, 4096);
        if (!size) return;
        const double reference = reference_at(group, {size->m, size->n, size->k, 0});
        line(say(context_, "compare.speed", size_text(size->m, size->n, size->k), group.device),
             style_.colour.dim);
        for (const Subjects* one : {&left_, &right_})
            bar(*one, figure(group, one->subject->kernel, *size), reference);
        y_ += style_.unit;
    }

    void bar(const Subjects& one, const std::optional<Figure>& figure, double reference) {
        const float height = line_height(), name = area_.width * 0.3f,
                    numbers = 21 * text_size(style_.mono, "0").x;
        const bool current = &one == &right_;
        text_cut(context_, style_.text, {area_.x, y_}, name - style_.unit,
                 current ? style_.colour.text : style_.colour.dim,
                 one.kernel ? context_.tr(one.kernel->title) : one.subject->kernel.c_str());
        if (figure) {
            const float room = std::max(area_.width - name - numbers, 1.0f);
            const double share = figure->sample.gflops / std::max(reference, figure->sample.gflops);
            ImDrawList* list = ImGui::GetWindowDrawList();
            list->AddRectFilled(
                {area_.x + name, y_ + style_.unit / 2},
                {area_.x + name + room * static_cast<float>(share), y_ + height - style_.unit / 2},
                current ? style_.colour.selection : mixed(style_.colour.panel, style_.colour.dim, 0.75f));
            const std::string percent =
                reference > 0 ? fmt::format("{:.1f} %", 100 * figure->sample.gflops / reference) : "";
            text_right(style_.mono, {area_.right(), y_}, style_.colour.text,
                       fmt::format("{} {:>8}", gflops(figure->sample.gflops), percent));
        } else {
            text(style_.text, {area_.x + name, y_}, style_.colour.dim, context_.tr("plot.not_measured"));
        }
        y_ += height;
    }

    void headline(const char* key, trace::Kind kind) {
        const std::string left = bank_headline(context_, left_, kind),
                          right = bank_headline(context_, right_, kind);
        line(context_.tr(key), style_.colour.dim);
        for (const auto& [words, ink] :
             {std::pair(left, style_.colour.dim), std::pair(right, style_.colour.text)}) {
            text_cut(context_, style_.mono, {area_.x + 2 * style_.unit, y_}, area_.width - 2 * style_.unit,
                     ink, words);
            y_ += line_height();
        }
        y_ += style_.unit;
    }

    // Those that differ; returns how many are equal.
    int numbers() {
        int equal = 0;
        for (const NumberGroup& group : right_.groups) {
            const auto other =
                std::find_if(left_.groups.begin(), left_.groups.end(), [&](const NumberGroup& candidate) {
                    return std::string_view(candidate.key) == group.key;
                });
            if (other == left_.groups.end() || std::string_view(group.key) == "numbers.engine") continue;
            bool titled = false;
            for (size_t i = 0; i < group.numbers.size(); ++i) {
                if (shown(context_, group.numbers[i]) == shown(context_, other->numbers[i])) {
                    ++equal;
                    continue;
                }
                if (!titled) line(context_.tr(group.key), style_.colour.dim);
                titled = true;
                row(other->numbers[i], group.numbers[i]);
            }
        }
        return equal;
    }

    void row(const Number& left, const Number& right) {
        const Rect box{area_.x, y_, area_.width, line_height()};
        const std::string left_value = shown(context_, left), right_value = shown(context_, right);
        const float label = left_edge_ - text_size(style_.mono, left_value).x - area_.x - 3 * style_.unit;
        text_cut(context_, style_.text, {area_.x + 2 * style_.unit, y_}, label, style_.colour.text,
                 context_.tr(right.key));
        text_right(style_.mono, {left_edge_, y_}, style_.colour.dim, left_value);
        text_right(style_.mono, {right_edge_, y_}, style_.colour.text, right_value);
        if (*right.unit)
            text_cut(context_, style_.text, {right_edge_ + style_.unit, y_}, unit_width_ - style_.unit,
                     style_.colour.dim, context_.tr(right.unit));
        if (hovered(box)) tooltip(context_, context_.tr(std::string(right.key) + "_tip"));
        y_ += box.height;
    }

    Context& context_;
    const Style& style_;
    const Subjects &left_, &right_;
    Rect area_;
    float y_ = 0, left_edge_ = 0, right_edge_ = 0, unit_width_ = 0;
};

TextTable compare_table(const Context& context, const Subjects& left, const Subjects& right) {
    const Strings& tr = context.tr;
    TextTable table{
        {tr("numbers.column_what"), tr("compare.baseline"), tr("compare.current"), tr("numbers.column_unit")},
        {}};
    table.rows.push_back({"", title(context, left), title(context, right)});
    for (const auto& [key, kind] :
         {std::pair("compare.loads", trace::Kind::load), std::pair("compare.stores", trace::Kind::store)})
        table.rows.push_back(
            {tr(key), bank_headline(context, left, kind), bank_headline(context, right, kind)});
    for (const NumberGroup& group : right.groups)
        for (const NumberGroup& other : left.groups) {
            if (std::string_view(other.key) != group.key) continue;
            for (size_t i = 0; i < group.numbers.size(); ++i)
                table.rows.push_back({std::string(tr(group.key)) + ": " + tr(group.numbers[i].key),
                                      shown(context, other.numbers[i]), shown(context, group.numbers[i]),
                                      *group.numbers[i].unit ? tr(group.numbers[i].unit) : ""});
        }
    return table;
}

// The two titles over the two sides.
void draw_titles(Context& context, const Subjects& left, const Subjects& right) {
    const Style& style = context.style;
    const Rect area = free_area();
    const float half = area.width / 2;
    text_cut(context, style.text, {area.x, area.y}, half - 2 * style.unit, style.colour.dim,
             title(context, left));
    text_cut(context, style.text, {area.x + half, area.y}, half, style.colour.text, title(context, right));
    ImGui::Dummy({area.width, style.text->FontSize + style.unit});
}

} // namespace

void draw_compare(Context& context) {
    const auto& pinned = context.session.view().baseline;
    if (!pinned) return sentence(context, context.tr("compare.empty"));
    const Subjects left = collect(context, *pinned, context.session.baseline());
    const Subjects right = collect(context, context.session.view().subject, &context.session.products());
    if (!left.kernel || !right.kernel) return sentence(context, context.tr("code.no_kernel"));
    if (!face(context, context.session.products().prepared)) return;
    if (context.view.table) return draw_table(context, compare_table(context, left, right));
    const Rect area = free_area();
    const bool beside = area.width > 48 * context.style.text->FontSize;
    const float gap = 4 * context.style.unit;
    const ImVec2 first = beside ? ImVec2{std::floor(area.width * 0.56f), area.height}
                                : ImVec2{area.width, std::floor(area.height * 0.5f)};
    ImGui::BeginChild("sources", first);
    draw_titles(context, left, right);
    draw_diff(context, left.kernel->source, right.kernel->source);
    ImGui::EndChild();
    if (beside) ImGui::SameLine(0, gap);
    ImGui::BeginChild("figures");
    Columns(context, left, right).draw();
    ImGui::EndChild();
}

} // namespace ui
