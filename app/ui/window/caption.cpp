#include "ui/window/caption.h"

#include "base/version.h"
#include "ui/draw/wrap.h"
#include "ui/speed/sliders.h"
#include "ui/speed/speed.h"
#include "ui/time/cycles.h"
#include "ui/time/what_if_row.h"
#include "views/number_rows.h"
#include "views/run_words.h"
#include "views/say.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace ui {
namespace {

// What a view counts, and whether it tells speeds.
struct Basis {
    std::string_view view;
    const char* counts; // key; nullptr: nothing but times
    bool speeds = false;
};
constexpr std::array bases{
    Basis{"window", "caption.window", true}, Basis{"ladder", nullptr, true},    Basis{"tiles", nullptr, true},
    Basis{"map", "caption.block"},           Basis{"banks", "caption.banks"},   Basis{"sectors", "caption.sectors"},
    Basis{"timeline", "caption.block"},      Basis{"shared", "caption.block"},  Basis{"registers", "caption.block"},
    Basis{"compare", "caption.banks", true}, Basis{"result", "caption.result"}, Basis{"source", "caption.source"},
    Basis{"numbers", "caption.numbers"},     Basis{"plot", nullptr, true},      Basis{"ladder_plot", nullptr, true},
    Basis{"parameter", nullptr, true},       Basis{"roofline", nullptr, true},  Basis{"errors", "caption.errors"},
    Basis{"transport", "caption.block"},
};

const Basis* basis_of(std::string_view view) {
    for (const Basis& one : bases)
        if (one.view == view) return &one;
    return nullptr;
}

// "1.78 TFLOPS, 3.4 % of cuBLAS FP32, recorded on NVIDIA H200", or what is predicted where it was not measured; "": neither.
std::string speed_words(const Context& context) {
    const auto now = speed_now(context);
    if (!now || (!now->speed && !speed_of(now->predicted))) return {};
    const std::string size = size_text(now->size.m, now->size.n, now->size.k);
    if (!now->speed) return say(context.tr, "speed.at_size", size, predicted_text(context, now->predicted));
    return say(context.tr, "speed.at_size", size,
               speed_text(context, now->speeds.kernel(), now->speed) + ", " + speed_origin(context.tr, *now->speed));
}

constexpr std::string_view between = "  \u00b7  ";

void add(std::string& line, const std::string& part) {
    if (part.empty()) return;
    if (!line.empty()) line += between;
    line += part;
}

// No line begins or ends with what stands between parts.
std::string in_lines(ImFont* font, float width, std::string_view words) {
    std::string lines, line;
    while (!words.empty()) {
        const size_t end = std::min(words.find(between), words.size());
        const std::string part(words.substr(0, end));
        words.remove_prefix(std::min(end + between.size(), words.size()));
        if (!line.empty() && text_size(font, line + std::string(between) + part).x > width)
            lines += std::exchange(line, {}) + "\n";
        add(line, part);
    }
    return wrapped(font, width, lines + line);
}

// Where the view shows predicted cycles, that they are, and of what multiprocessor.
std::string predicted(const Context& context, const Basis& basis) {
    const auto& time = context.session.products().time.value;
    if (basis.view != "timeline" || !shows_cycles(context) || !time) return {};
    std::string words = context.tr("caption.predicted");
    add(words, standing_text(context.tr, context.session.products().judged));
    if (time->asked()) add(words, what_if_words(context, *time));
    return words;
}

std::string counted(const Context& context, const Basis& basis) {
    if (!basis.counts) return {};
    const bool of_sass = views::counters_key(context.session.products()) == std::string_view("numbers.basis_line_sass");
    if (basis.view == "numbers" && !of_sass)
        return say(context.tr, "caption.source", 0, 0, 0, executed_program(context));
    const base::Dim3 block = context.session.view().selection.block;
    return say(context.tr, basis.counts, block.x, block.y, block.z, executed_program(context));
}

} // namespace

std::string setting_text(const Context& context, const std::optional<catalog::Problem>& problem) {
    const auto kernel = context.session.kernel();
    const session::Subject& subject = context.session.view().subject;
    if (!kernel) return subject.arch;
    std::string text;
    const catalog::Values values = values_in_force(context, *kernel);
    for (const auto& parameter : kernel->parameters)
        text += fmt::format("{}{} {}", text.empty() ? "" : "  ", parameter.name, values.at(parameter.name));
    if (problem) {
        const bool deep = catalog::has_argument(kernel->operation, 'K');
        add(text,
            fmt::format("{}\u00d7{}", problem->m, problem->n) + (deep ? fmt::format("\u00d7{}", problem->k) : ""));
    }
    add(text, subject.arch);
    if (engine_of(context.session.products()) == trace::Engine::ptx)
        add(text, say(context.tr, "engine.line", executed_program(context)));
    if (subject.schedule != trace::Schedule{}) add(text, schedule_text(context.tr, subject.schedule));
    return text;
}

std::string caption(const Context& context, std::string_view view) {
    const session::Subject& subject = context.session.view().subject;
    const auto kernel = context.session.kernel();
    const Basis* basis = basis_of(view);
    std::string line = kernel ? fmt::format("{} ({})", context.tr(kernel->title), kernel->id) : subject.kernel;
    const bool at_speed_size = basis && basis->speeds && !basis->counts;
    add(line, setting_text(context, at_speed_size ? std::nullopt : std::optional(subject.problem)));
    if (kernel)
        for (const catalog::Break& one : kernel->breaks)
            if (subject.breaks.contains(one.name)) add(line, say(context.tr, "caption.broken", context.tr(one.label)));
    if (basis) add(line, predicted(context, *basis));
    if (basis) add(line, counted(context, *basis));
    if (basis && basis->speeds) add(line, speed_words(context));
    add(line, fmt::format("gemmscope {}", base::version()));
    return line;
}

std::string alternative_text(const Context& context, std::string_view view) {
    const bool chinese = context.tr.language() == session::Language::zh;
    std::string text = about(context, view);
    const auto sentence = [&](const std::string& words) {
        if (words.empty()) return;
        const bool ended = text.empty() || text.ends_with('.') || text.ends_with("\u3002");
        if (!ended) text += chinese ? "\u3002" : ".";
        text += (chinese || text.empty() ? "" : " ") + words;
    };
    sentence(context.chrome.headline);
    const auto kernel = context.session.kernel();
    const LinesToShow& shown = context.chrome.lines_to_show;
    if (view == "source" && kernel && shown.first > 0) {
        const auto lines = base::lines(kernel->source);
        for (size_t i = shown.first; i <= shown.last && i <= lines.size(); ++i)
            sentence(say(context.tr, "caption.line", i, base::trimmed(lines[i - 1])));
    }
    const Basis* basis = basis_of(view);
    if (basis && basis->speeds) sentence(speed_words(context));
    if (kernel) sentence(fmt::format("{}: {}", context.tr(kernel->title), setting_text(context, {})));
    return text;
}

CaptionStrip::CaptionStrip(const Style& style, std::string_view words, float width)
    : list_(ImGui::GetDrawListSharedData()) {
    const float margin = 3 * style.unit;
    const std::string lines = in_lines(style.text, width - 2 * margin, words);
    const ImVec2 size{width, std::ceil(text_size(style.text, lines).y + 2 * margin)};
    list_._ResetForNewFrame();
    list_.PushClipRect({0, 0}, size);
    list_.PushTextureID(ImGui::GetIO().Fonts->TexID);
    list_.AddRectFilled({0, 0}, size, style.colour.background);
    list_.AddText(style.text, style.text->FontSize, {margin, margin}, style.colour.text, lines.data(),
                  lines.data() + lines.size());
    data_.Valid = true;
    data_.DisplayPos = {0, 0};
    data_.DisplaySize = size;
    data_.FramebufferScale = ImGui::GetIO().DisplayFramebufferScale;
#if IMGUI_VERSION_NUM >= 18980
    data_.AddDrawList(lists_);
#else
    data_.CmdLists = &lists_;
    data_.CmdListsCount = 1;
    data_.TotalVtxCount = list_.VtxBuffer.Size;
    data_.TotalIdxCount = list_.IdxBuffer.Size;
#endif
}

} // namespace ui
