#include "ui/numbers/numbers.h"

#include "session/sample.h"
#include "ui/code/findings.h"
#include "ui/draw/draw.h"
#include "ui/draw/grid.h"
#include "ui/draw/text_table.h"
#include "ui/numbers/transfers.h"
#include "ui/panel.h"
#include "ui/speed/speed.h"
#include "views/error_words.h"
#include "views/number_rows.h"
#include "views/run_words.h"

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

std::string shown(const Context& context, const Number& number) {
    if (!number.word.empty()) return context.tr(number.word);
    return number.value.empty() ? context.tr("numbers.unknown") : number.value;
}

const char* unit_of(const Context& context, const Number& number) {
    return *number.unit ? context.tr(number.unit) : "";
}

struct Lane { // a column of groups
    float x = 0, width = 0, y = 0;
    float unit_width = 0; // the widest unit
};

class Columns {
public:
    Columns(Context& context, const std::vector<NumberGroup>& groups, const std::vector<NumberGroup>& baseline)
        : context_(context), style_(context.style), groups_(groups), baseline_(baseline) {}

    // Only the groups that `wanted` accepts.
    template <class Wanted>
    void draw(const Wanted& wanted) {
        lanes_.clear();
        const Rect area = free_area();
        const float character = text_size(style_.mono, "0").x, gap = 5 * style_.unit;
        const float least = (baseline_.empty() ? 30 : 40) * character;
        const int count = std::clamp(static_cast<int>((area.width + gap) / (least + gap)), 1, 4);
        const float width = (area.width - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
        for (int i = 0; i < count; ++i)
            lanes_.push_back({area.x + static_cast<float>(i) * (width + gap), width, area.y, unit_width(width)});
        for (const NumberGroup& one : groups_) {
            if (!wanted(one)) continue;
            Lane& lane =
                *std::min_element(lanes_.begin(), lanes_.end(), [](const Lane& a, const Lane& b) { return a.y < b.y; });
            group(lane, one, counterpart(one));
        }
        float bottom = area.y;
        for (const Lane& lane : lanes_) bottom = std::max(bottom, lane.y);
        ImGui::Dummy({area.width, bottom - area.y});
    }

private:
    float unit_width(float lane_width) const {
        float widest = 0;
        for (const NumberGroup& group : groups_)
            for (const Number& number : group.numbers)
                widest = std::max(widest, text_size(style_.text, unit_of(context_, number)).x);
        return widest > 0 ? std::min(widest + 1.5f * style_.unit, lane_width / 4) : 0;
    }

    const NumberGroup* counterpart(const NumberGroup& group) const {
        for (const NumberGroup& other : baseline_)
            if (std::string_view(other.key) == group.key) return &other;
        return nullptr;
    }

    void group(Lane& lane, const NumberGroup& group, const NumberGroup* other) {
        text_cut(context_, style_.text, {lane.x, lane.y}, lane.width, style_.colour.dim, context_.tr(group.key));
        if (other)
            text_right(style_.text, {lane.x + lane.width - lane.unit_width, lane.y}, style_.colour.dim,
                       context_.tr("numbers.baseline"));
        if (!group.note.empty()) note(lane, group);
        context_.probe.mark(group.key, lane.x, lane.y, lane.width, style_.text->FontSize);
        lane.y += style_.text->FontSize + style_.unit / 2;
        ImGui::GetWindowDrawList()->AddLine({lane.x, lane.y}, {lane.x + lane.width, lane.y}, style_.colour.line);
        lane.y += style_.unit / 2;
        if (group.bar) bar(lane, *group.bar, other ? other->bar : std::nullopt);
        for (size_t i = 0; i < group.numbers.size(); ++i)
            row(lane, group, group.numbers[i], other && i < other->numbers.size() ? &other->numbers[i] : nullptr);
        lane.y += 2 * style_.unit;
    }

    // At the right of the heading; below it where there is no room.
    void note(Lane& lane, const NumberGroup& group) {
        const float room = lane.width - text_size(style_.text, context_.tr(group.key)).x - 2 * style_.unit,
                    width = text_size(style_.text, group.note).x;
        if (width > room) lane.y += style_.text->FontSize;
        text_cut(context_, style_.text, {lane.x + std::max(lane.width - width, 0.0f), lane.y}, lane.width,
                 style_.colour.text, group.note);
    }

    void bar(Lane& lane, double share, std::optional<double> other) {
        const float height = 1.5f * style_.unit, y = lane.y + style_.unit / 2;
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled({lane.x, y}, {lane.x + lane.width, y + height}, style_.colour.line);
        list->AddRectFilled({lane.x, y}, {lane.x + lane.width * static_cast<float>(share), y + height},
                            style_.colour.text);
        if (other) { // where the baseline stands
            const float x = lane.x + lane.width * static_cast<float>(*other);
            list->AddRectFilled({x - 1, y - style_.unit / 2}, {x + 1, y + height + style_.unit / 2}, style_.colour.dim);
        }
        lane.y += height + style_.unit;
    }

    void row(Lane& lane, const NumberGroup& group, const Number& number, const Number* other) {
        const std::string value = shown(context_, number), name = context_.tr(number.key);
        const float line = std::round(style_.mono->FontSize * 1.2f), left = lane.x + lane.width - lane.unit_width;
        const float right = other ? left - 14 * text_size(style_.mono, "0").x : left; // "▲ 99,999,999"
        const float room = right - text_size(style_.mono, value).x - style_.unit - lane.x;
        const bool apart = text_size(style_.text, name).x > room; // the name has a line of its own
        const Rect box{lane.x, lane.y, lane.width, apart ? 2 * line : line};
        const float above = std::floor((line - style_.mono->FontSize) / 2), y = box.bottom() - line + above;
        const bool known = !number.value.empty() || !number.word.empty();
        if (known && changed(context_, (std::string(group.key) + number.key).c_str(), value))
            ImGui::GetWindowDrawList()->AddRectFilled({box.x, box.y}, {box.right(), box.bottom()},
                                                      with_alpha(style_.colour.selection, 0.18f));
        text_cut(context_, style_.text, {left + style_.unit, y}, lane.unit_width - style_.unit, style_.colour.dim,
                 unit_of(context_, number));
        if (other) baseline_value(number, *other, {left, y});
        const ImU32 ink = number.alarming ? style_.colour.alarm : !known ? style_.colour.dim : style_.colour.text;
        text_right(style_.mono, {right, y}, ink, value);
        text_cut(context_, style_.text, {box.x, box.y + above}, apart ? lane.width : room, style_.colour.dim, name);
        if (hovered(box)) explain(group, number, value, other);
        lane.y += box.height;
    }

    // The baseline's value, and which way it lies: an arrow, because colour alone would not say.
    void baseline_value(const Number& number, const Number& other, ImVec2 upper_right) {
        const std::string value = shown(context_, other);
        const bool differs = value != shown(context_, number);
        text_right(style_.mono, upper_right, differs ? style_.colour.text : style_.colour.dim, value);
        if (!differs || number.value.empty() || other.value.empty()) return;
        const float size = style_.mono->FontSize, x = upper_right.x - text_size(style_.mono, value).x - size * 0.8f;
        const float up = upper_right.y + size * 0.25f, down = upper_right.y + size * 0.75f;
        ImDrawList* list = ImGui::GetWindowDrawList();
        const ImU32 colour = style_.colour.selection;
        if (other.amount > number.amount)
            list->AddTriangleFilled({x, down}, {x + size / 2, down}, {x + size / 4, up}, colour);
        else list->AddTriangleFilled({x, up}, {x + size / 2, up}, {x + size / 4, down}, colour);
    }

    void explain(const NumberGroup& group, const Number& number, const std::string& value, const Number* other) {
        std::string sentence = std::string(context_.tr(number.key)) + ": " + value + " " + unit_of(context_, number);
        if (!group.note.empty()) sentence += "\n" + group.note;
        if (other) sentence += "\n" + say(context_, "numbers.baseline_value", shown(context_, *other));
        sentence += std::string("\n") + say(context_, number.key + "_tip", executed_program(context_));
        if (const NsightName nsight = nsight_name(group.key, number.key); !nsight.name.empty())
            sentence += "\n" + say(context_, nsight.page, nsight.name);
        tooltip(context_, sentence);
    }

    Context& context_;
    const Style& style_;
    const std::vector<NumberGroup>& groups_;
    const std::vector<NumberGroup>& baseline_;
    std::vector<Lane> lanes_;
};

std::vector<NumberGroup> baseline_groups(const Context& context) {
    const session::Products* products = context.session.baseline();
    const auto& subject = context.session.view().baseline;
    if (!products || !subject) return {};
    return number_groups(context.session.catalog().find(subject->kernel).get(), *subject, *products);
}

Table numbers_table(const Context& context, const std::vector<NumberGroup>& groups,
                    const std::vector<NumberGroup>& baseline) {
    const Strings& tr = context.tr;
    Table table{.notes = {context.tr(counters_key(context.session.products()))},
                .columns =
                    table_columns(tr, {{"numbers.column_group"}, {"numbers.column_what"}, {"numbers.column_value"}})};
    if (!baseline.empty()) table.columns.push_back({tr("numbers.column_baseline")});
    table.columns.push_back({tr("numbers.column_unit")});
    for (const NumberGroup& group : groups) {
        const auto other = std::find_if(baseline.begin(), baseline.end(), [&](const NumberGroup& candidate) {
            return std::string_view(candidate.key) == group.key;
        });
        for (size_t i = 0; i < group.numbers.size(); ++i) {
            const Number& number = group.numbers[i];
            const std::string kind = group.note.empty() ? "" : ": " + group.note;
            std::vector<std::string> row{tr(group.key) + kind, tr(number.key), shown(context, number)};
            if (!baseline.empty()) row.push_back(other == baseline.end() ? "" : shown(context, other->numbers[i]));
            row.push_back(unit_of(context, number));
            table.rows.push_back(std::move(row));
        }
    }
    return table;
}

// The launch whose speed is shown everywhere, in time. Nothing of a kernel that is broken on purpose: nobody asks how fast that is.
std::vector<NumberGroup> predicted_groups(const Context& context) {
    const auto now = speed_now(context);
    if (!now || !context.view.subject.breaks.empty()) return {};
    const PredictedAnswer answer = predicted(context, now->values, now->size);
    const session::PredictedSpeed* const speed = answer && *answer ? &**answer : nullptr;
    const std::string kind = speed    ? predicted_kind(context.tr, speed->error)
                             : answer ? context.tr("predicted.unknown")
                                      : context.tr("predicted.word");
    return time_groups(speed,
                       say(context, "numbers.time_note", size_text(now->size.m, now->size.n, now->size.k), kind));
}

// Which device the figures per multiprocessor and the bandwidth refer to.
std::string remark(const Context& context) {
    const std::string& arch = context.session.view().subject.arch;
    const analysis::Device* device = analysis::device_of(arch);
    return device ? arch + " · " + device->name : arch;
}

// Can the result be trusted? "Verified against float64: largest error 1.2e-05. No findings."
// What is known of the grid is of what was set before. One that takes long is counted when asked for, and says so itself.
bool is_computing(const session::Products& products) {
    return products.grid.face == session::Slot<session::FullRun>::Face::computing && !products.grid_estimate_s;
}

std::string trust(const Context& context, const session::Products& products,
                  const std::vector<trace::Finding>* findings) {
    if (is_computing(products)) return context.tr("numbers.checking");
    std::string words;
    if (products.grid.value && products.grid.value->verification) {
        const session::Verification& found = *products.grid.value->verification;
        words = say(context, found.passed ? "numbers.verified" : "numbers.not_verified",
                    fmt::format("{:.1e}", found.max_abs_error), fmt::format("{:.1e}", found.tolerance));
    }
    if (findings && findings->empty()) words += (words.empty() ? "" : "  ") + std::string(context.tr("findings.none"));
    return words;
}

bool is_wrong(const session::Products& products) {
    return products.grid.value && products.grid.value->verification && !products.grid.value->verification->passed;
}

// "about 6 minutes"
std::string duration(const Context& context, double seconds) {
    const auto rounded = [](double value) { return fmt::format("{:.0f}", std::max(std::round(value), 1.0)); };
    if (seconds < 90) return say(context, "numbers.about_seconds", rounded(seconds));
    if (seconds < 90 * 60) return say(context, "numbers.about_minutes", rounded(seconds / 60));
    return say(context, "numbers.about_hours", rounded(seconds / 3600));
}

// A grid that takes long is counted only when asked for, and can be stopped.
void draw_long_count(Context& context, const session::Products& products) {
    if (!products.grid_estimate_s) return;
    const auto& counted = products.grid.value;
    if (counted && counted->sample && products.grid.face == session::Slot<session::FullRun>::Face::ready)
        paragraph(sample_text(context.tr, *counted) + " " + context.tr("numbers.sample_c"));
    const bool running = products.grid.face == session::Slot<session::FullRun>::Face::computing;
    paragraph(say(context, running ? "numbers.counting" : "numbers.long_count",
                  duration(context, *products.grid_estimate_s), fmt::format("{:.0f}", products.grid.progress * 100)));
    if (button(context, "numbers.count", context.tr(running ? "numbers.stop" : "numbers.count")))
        (running ? context.commands.cancel : context.commands.run_grid) = true;
    ImGui::Dummy({1, context.style.unit});
}

// Above the numbers: what a failed stage said, whether C is right, every finding.
void draw_standing(Context& context, const std::vector<trace::Finding>* findings) {
    const session::Products& products = context.session.products();
    if (products.grid.failed && !products.grid.value) paragraph(context.tr(products.grid.failed->error));
    draw_long_count(context, products);
    if (products.block.value && products.block.value->trace.truncated) paragraph(context.tr("timeline.truncated"));
    const std::string words = trust(context, products, findings);
    if (!words.empty()) {
        ImGui::PushStyleColor(ImGuiCol_Text,
                              is_wrong(products) ? context.style.colour.alarm : context.style.colour.text);
        paragraph(words);
        ImGui::PopStyleColor();
        ImGui::Dummy({1, context.style.unit});
    }
    if (products.grid.value && products.grid.value->unwatched) {
        paragraph(unwatched_text(context.tr, *products.grid.value));
        const ImVec2 from = ImGui::GetItemRectMin(), to = ImGui::GetItemRectMax();
        context.probe.mark("numbers.unwatched", from.x, from.y, to.x - from.x, to.y - from.y);
        ImGui::Dummy({1, context.style.unit});
    }
    if (products.prepared.value && !products.prepared.value->wrong_units.empty()) {
        paragraph(context.tr(products.prepared.value->wrong_units));
        ImGui::Dummy({1, context.style.unit});
    }
    if (findings && !findings->empty()) draw_findings(context, *findings);
}

// What one looks at last: details of the verification, the engine's speed.
bool is_last(const NumberGroup& group) {
    return std::string_view(group.key) == "numbers.verification" || std::string_view(group.key) == "numbers.engine";
}

bool nothing_known(const session::Products& products) {
    const bool compiles = products.prepared.face != session::Slot<session::Prepared>::Face::failed;
    return !compiles || (!products.prepared.value && !products.machine.value && !products.grid.value);
}

} // namespace

void draw_numbers_line(Context& context) {
    const Style& style = context.style;
    const session::Products& products = context.session.products();
    const std::vector<trace::Finding>* findings = findings_of(products);
    const Rect area = free_area();
    const char* title = context.tr("numbers.title");
    const bool computing = is_computing(products), verified = products.grid.value && products.grid.value->verification;
    std::string words = computing                        ? context.tr("numbers.checking")
                        : verified && is_wrong(products) ? context.tr("numbers.wrong")
                        : verified                       ? context.tr("numbers.right")
                                                         : "";
    if (findings && !computing)
        words += (words.empty() ? "" : "  ") +
                 (findings->empty() ? context.tr("findings.none") : say(context, "numbers.findings", findings->size()));
    const bool alarming = is_wrong(products) || (findings && !findings->empty());
    const float left = text_size(style.heading, title).x + 4 * style.unit;
    text(style.heading, {area.x, area.y}, style.colour.text, title);
    text_cut(context, style.text, {area.x + left, area.y}, area.width - left,
             alarming ? style.colour.alarm : style.colour.dim, words);
    context.probe.mark("numbers.line", area.x, area.y, area.width, area.height);
    if (clicked(area)) context.view.layout.numbers = true;
}

void draw_numbers(Context& context) {
    heading(context, context.tr("numbers.title"), remark(context));
    const session::Products& products = context.session.products();
    if (nothing_known(products)) {
        face(context, products.prepared);
        return;
    }
    if (products.grid.value) face(context, products.grid); // marks the old numbers while new ones are counted
    auto groups = number_groups(context.session.kernel().get(), context.session.view().subject, products);
    const auto time = predicted_groups(context);
    const auto place = std::find_if(groups.begin(), groups.end(),
                                    [](const NumberGroup& group) { return group.key == "numbers.arithmetic"; });
    groups.insert(place, time.begin(), time.end());
    const auto baseline = baseline_groups(context);
    const std::vector<trace::Finding>* findings = findings_of(products);
    if (context.view.table) {
        Table table = numbers_table(context, groups, baseline);
        if (const std::string words = trust(context, products, findings); !words.empty())
            table.notes.insert(table.notes.begin(), words);
        if (const std::string device = remark(context); !device.empty())
            table.notes.insert(table.notes.begin(), device);
        if (findings) append_findings(table, context, *findings);
        if (products.grid.value && products.grid.value->unwatched)
            table.notes.push_back(unwatched_text(context.tr, *products.grid.value));
        if (products.prepared.value && !products.prepared.value->wrong_units.empty())
            table.notes.push_back(context.tr(products.prepared.value->wrong_units));
        return draw_table(context, table);
    }
    ImGui::BeginChild("numbers");
    draw_standing(context, findings);
    const bool table = transfers_fit(context, free_area().width);
    const auto first = [](const NumberGroup& group) { return !*group.space && !is_last(group); };
    Columns columns(context, groups, baseline);
    columns.draw(first);
    ImGui::PushStyleColor(ImGuiCol_Text, context.style.colour.dim);
    paragraph(context.tr(counters_key(products)));
    ImGui::PopStyleColor();
    if (table) draw_transfers(context, groups, baseline);
    columns.draw([&](const NumberGroup& group) { return !first(group) && !(table && *group.space); });
    ImGui::EndChild();
}

} // namespace ui
