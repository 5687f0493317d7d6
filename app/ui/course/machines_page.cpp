#include "ui/course/machines_page.h"

#include "ui/draw/grid.h"
#include "ui/draw/notices.h"
#include "ui/draw/text_field.h"

namespace ui {
namespace {

using session::Machine;
using session::MachineTrial;
using Kind = session::MachineWish::Kind;

constexpr const char* given = "--worker"; // where no machine has its command

void wish(Context& context, Kind kind, const Machine& machine) { context.commands.machines.push_back({kind, machine}); }

// "2 x NVIDIA H200 · driver 580.159.04, CUDA 13.0 · 12.3 ms there and back · lab-gpu"
std::string answer_text(const Context& context, const session::MachineAnswer& answer) {
    const size_t count = answer.devices.size();
    std::string words = (count > 1 ? fmt::format("{} × ", count) : "") + answer.devices.front().name;
    words += answer.driver.empty() ? " · CUDA " + answer.cuda
                                   : " · " + say(context, "machines.driver", answer.driver, answer.cuda);
    words += " · " + say(context, "machines.round_trip", fmt::format("{:.3g}", answer.round_trip_ms));
    return answer.host.empty() ? words : words + " · " + answer.host;
}

struct Status {
    std::string words;
    bool good = true;
};

Status status_of(Context& context, const MachineTrial* trial) {
    if (!trial) return {context.tr("machines.untried")};
    const auto& outcome = trial->outcome();
    if (!outcome) {
        draw_again(context, 1);
        return {say(context, "machines.trying", fmt::format("{:.0f}", trial->seconds()))};
    }
    if (!*outcome) return {context.tr(outcome->error().said()), false};
    return {answer_text(context, **outcome)};
}

class MachineRow {
public:
    MachineRow(Context& context, Machine machine, const Rect& area)
        : context_(context), style_(context.style), machine_(std::move(machine)),
          trial_(context.session.machines().trial(machine_.command)), area_(area) {}

    // Returns where it ends.
    float draw() {
        const bool chosen = context_.session.machines().chosen(machine_);
        const float pad = 3 * style_.unit, left = area_.x + pad, width = area_.width - 2 * pad;
        const Status status = status_of(context_, trial_);
        const float words = wrapped_size(style_.text, width, status.words).y;
        const float height = 2 * pad + style_.title->FontSize + style_.mono->FontSize + words + 2 * style_.unit;
        fill({area_.x, area_.y, area_.width, height}, mixed(style_.colour.panel, style_.colour.text, 0.05f));
        if (chosen) fill({area_.x, area_.y, style_.unit, height}, style_.colour.selection);
        float y = area_.y + pad;
        const float room = buttons(chosen, left + width, y) - left - 2 * style_.unit;
        const bool here = machine_.command.empty();
        text_cut(context_, style_.title, {left, y}, room, style_.colour.text,
                 here ? std::string(context_.tr("machines.here")) : machine_.name);
        y += style_.title->FontSize + style_.unit;
        text_cut(context_, here ? style_.text : style_.mono, {left, y}, width, style_.colour.dim,
                 here ? std::string(context_.tr("machines.here_text")) : machine_.command);
        y += style_.mono->FontSize + style_.unit;
        text_wrapped(style_.text, {left, y}, width, status.good ? style_.colour.dim : style_.colour.alarm,
                     status.words);
        context_.probe.mark("machine." + id(), area_.x, area_.y, area_.width, height);
        return area_.y + height;
    }

private:
    std::string id() const { return machine_.command.empty() ? "here" : machine_.name; }

    // Returns where they begin.
    float buttons(bool chosen, float right, float y) {
        const bool trying = trial_ && !trial_->outcome();
        const std::string use = "machine." + id() + ".use", attempt = "machine." + id() + ".try",
                          remove = "machine." + id() + ".remove";
        const std::array all{ButtonLabel{use.c_str(), context_.tr(chosen ? "machines.used" : "machines.use")},
                             ButtonLabel{attempt.c_str(), context_.tr(trying ? "machines.stop" : "machines.try")},
                             ButtonLabel{remove.c_str(), context_.tr("machines.remove")}};
        const bool stays = machine_.command.empty() || machine_.name == given;
        const size_t shown = stays ? 2 : 3;
        float start = right;
        const int pressed =
            button_row(context_, std::span(all).first(shown), area_.x, right, y, chosen ? 0 : -1, &start);
        constexpr std::array kinds{Kind::choose, Kind::try_out, Kind::remove};
        if (pressed >= 0)
            wish(context_, pressed == 1 && trying ? Kind::stop : kinds[static_cast<size_t>(pressed)], machine_);
        return start;
    }

    Context& context_;
    const Style& style_;
    Machine machine_;
    const MachineTrial* trial_;
    Rect area_;
};

bool field(Context& context, const char* id, const char* hint, std::span<char> typed, float width) {
    ImGui::SetNextItemWidth(width);
    const bool enter = text_field((std::string("##") + id).c_str(), hint, typed, ImGuiInputTextFlags_EnterReturnsTrue);
    const ImVec2 low = ImGui::GetItemRectMin(), size = ImGui::GetItemRectSize();
    context.probe.mark(id, low.x, low.y, size.x, size.y);
    return enter;
}

// A name, a command, and what adds them. What is refused stays to be corrected.
void draw_new(Context& context, float width) {
    const Style& style = context.style;
    Chrome& chrome = context.chrome;
    const float name = std::min(width * 0.2f, 16 * style.text->FontSize), gap = 2 * style.unit,
                add = text_size(style.text, context.tr("machines.add")).x + 4 * style.unit;
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {style.unit, style.unit});
    bool enter = field(context, "machines.name", context.tr("machines.name"), chrome.machine_name, name);
    ImGui::SameLine(0, gap);
    enter |= field(context, "machines.command", context.tr("machines.command"), chrome.machine_command,
                   width - name - add - 2 * gap);
    ImGui::SameLine(0, gap);
    ImGui::PopStyleVar();
    if (!button(context, "machines.add", context.tr("machines.add")) && !enter) return;
    const Machine machine{chrome.machine_name.data(), chrome.machine_command.data()};
    session::MachineList known{context.session.machines().all(), {}};
    if (const auto added = known.add(machine); !added) return notify(context, context.tr(added.error()));
    wish(context, Kind::add, machine);
    wish(context, Kind::try_out, *known.find(machine.name));
    chrome.machine_name = {};
    chrome.machine_command = {};
}

} // namespace

void draw_machines(Context& context, const Rect& area) {
    const Style& style = context.style;
    const session::Machines& machines = context.session.machines();
    text(style.title, {area.x, area.y}, style.colour.text, context.tr("machines.title"));
    float top = area.y + 1.4f * style.title->FontSize;
    top += text_wrapped(style.text, {area.x, top}, area.width, style.colour.dim, context.tr("machines.about")) +
           2 * style.unit;
    ImGui::SetCursorScreenPos({area.x, top});
    draw_new(context, area.width);
    top = ImGui::GetCursorScreenPos().y + 2 * style.unit;
    ImGui::SetCursorScreenPos({area.x, top});
    ImGui::BeginChild("machines", {area.width, area.bottom() - top}, false, ImGuiWindowFlags_NoNav);
    const Rect inner = free_area();
    std::vector<Machine> rows{{}}; // this one first
    rows.insert(rows.end(), machines.all().begin(), machines.all().end());
    const auto is_chosen = [&](const Machine& one) { return machines.chosen(one); };
    if (std::none_of(rows.begin(), rows.end(), is_chosen)) rows.push_back({given, machines.command()});
    float y = inner.y;
    for (const Machine& machine : rows)
        y = MachineRow(context, machine, {inner.x, y, inner.width - 3 * style.unit, 0}).draw() + 2 * style.unit;
    ImGui::SetCursorScreenPos({inner.x, inner.y});
    ImGui::Dummy({inner.width, y - inner.y});
    ImGui::EndChild();
}

} // namespace ui
