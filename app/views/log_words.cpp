#include "views/log_words.h"

#include "views/plot_data.h"
#include "views/say.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace views {

namespace {

std::string bare_text(const Strings& tr, const LogFigure& figure, double value) {
    switch (figure.kind) {
    case LogFigure::Kind::tflops: return fmt::format("{:g} TFLOPS", value);
    case LogFigure::Kind::ratio: return say(tr, "log.ratio", fmt::format("{:g}", value));
    case LogFigure::Kind::other: break;
    }
    return fmt::format("{:g} {}", value, tr(figure.unit));
}

} // namespace

std::string value_text(const Strings& tr, const LogFigure& figure) {
    std::string words = bare_text(tr, figure, figure.value);
    if (figure.kind == LogFigure::Kind::tflops && figure.cublas > 0)
        words += say(tr, "log.and", say(tr, "log.ratio", fmt::format("{:.3g}", figure.ratio())));
    return words;
}

std::string figure_text(const Strings& tr, const LogFigure& figure) {
    std::string words = value_text(tr, figure);
    words += say(tr, "log.and", size_text(figure.size.m, figure.size.n, figure.size.k));
    if (!figure.of.en.empty()) words += say(tr, "log.and", std::string(tr(figure.of)));
    if (figure.before > 0) words += say(tr, "log.before", fmt::format("{:g}", figure.before));
    return words;
}

std::string predicted_text(const Strings& tr, const LogStep& step) {
    return tr(step.predicted)[0] ? tr(step.predicted) : tr("log.not_predicted");
}

std::string outcome_text(const Strings& tr, const LogStep& step) { return tr(step.kept ? "log.kept" : "log.dead_end"); }

std::string measured_on(const Strings& tr, const LogEntry& entry) {
    std::vector<std::string> devices, dates;
    const auto once = [](std::vector<std::string>& list, const std::string& one) {
        if (std::find(list.begin(), list.end(), one) == list.end()) list.push_back(one);
    };
    for (const LogFigure& figure : entry.step->measured) once(devices, figure.device), once(dates, figure.date);
    const auto& chapter = *entry.chapter;
    return fmt::format("{} · {} · {} · {}", fmt::join(devices, ", "), say(tr, "log.driver", chapter.driver),
                       chapter.compiler, fmt::join(dates, ", "));
}

} // namespace views
