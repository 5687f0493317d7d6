// log: the champion's log, all of it, one kernel's or arithmetic's, or one step.
#include "base/file.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/table.h"
#include "cli/words.h"
#include "views/log_words.h"
#include "views/plot_data.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

namespace cli {
namespace {

struct LogOptions {
    std::string what;
    bool json = false;
};

base::Result<std::vector<views::LogEntry>> asked_of(const views::ChampionLog& log, const std::string& what) {
    auto all = views::entries(log);
    if (what.empty()) return all;
    std::vector<views::LogEntry> found;
    std::set<std::string> names;
    for (const views::LogEntry& entry : all) {
        const std::string operands(catalog::name_of(entry.chapter->operands));
        names.insert(entry.chapter->kernel), names.insert(operands);
        if (entry.step->id == what || entry.chapter->id == what || operands == what || views::tells_of(entry, what))
            found.push_back(entry);
    }
    if (!found.empty()) return found;
    return base::Error{base::Failure::usage,
                       base::say("the log tells nothing of \"{}\"", what),
                       {},
                       base::say("give the id of a step, or one of {}", base::names(names))};
}

Json figure_json(const views::LogFigure& figure, const Common& common) {
    using Kind = views::LogFigure::Kind;
    const auto known = [](double value) { return value > 0 ? number_json(value) : Json(); };
    const char* const names[] = {"TFLOPS", "of cuBLAS", ""};
    return {{"value", number_json(figure.value)},
            {"unit", figure.kind == Kind::other ? in_language(figure.unit, common)
                                                : std::string(names[static_cast<size_t>(figure.kind)])},
            {"before", known(figure.before)},
            {"cublas_tflops", known(figure.cublas)},
            {"ratio", known(figure.ratio())},
            {"of", figure.of.en.empty() ? Json() : Json(in_language(figure.of, common))},
            {"m", figure.size.m},
            {"n", figure.size.n},
            {"k", figure.size.k},
            {"device", figure.device},
            {"date", figure.date}};
}

Json step_json(const views::LogEntry& entry, const Common& common) {
    const auto& [chapter, step, number] = entry;
    const auto known = [&](const catalog::Text& text) {
        return text.en.empty() ? Json() : Json(in_language(text, common));
    };
    Json measured = Json::array();
    for (const views::LogFigure& figure : step->measured) measured.push_back(figure_json(figure, common));
    const views::LogScene& scene = step->scene;
    return {{"id", step->id},
            {"chapter", chapter->id},
            {"number", number},
            {"kernel", chapter->kernel},
            {"operands", catalog::name_of(chapter->operands)},
            {"title", in_language(step->title, common)},
            {"setting", known(step->setting)},
            {"hypothesis", in_language(step->hypothesis, common)},
            {"predicted", known(step->predicted)},
            {"measured", std::move(measured)},
            {"cause", known(step->cause)},
            {"kept", step->kept},
            {"driver", chapter->driver},
            {"compiler", chapter->compiler},
            {"scene",
             {{"kernel", scene.kernel},
              {"parameters", values_json(scene.parameters)},
              {"m", scene.size.m},
              {"n", scene.size.n},
              {"k", scene.size.k},
              {"baseline", scene.baseline.empty() ? Json() : Json(scene.baseline)},
              {"view", scene.view},
              {"source", scene.source.empty() ? Json() : Json(scene.source)},
              {"look", in_language(scene.look, common)}}}};
}

void print_step(const views::LogEntry& entry, const views::Strings& tr) {
    const views::LogStep& step = *entry.step;
    print(fmt::format("{} ({}), {}\n{}, {}\n\n", tr(step.title), step.id, views::outcome_text(tr, step),
                      views::operands_text(entry.chapter->operands), entry.chapter->kernel));
    const auto row = [&](const char* label, const std::string& words) {
        print(fmt::format("{}\n  {}\n", tr(label), words));
    };
    row("log.hypothesis", tr(step.hypothesis));
    if (tr(step.setting)[0]) row("log.setting", tr(step.setting));
    row("log.predicted", views::predicted_text(tr, step));
    std::vector<std::string> figures;
    for (const views::LogFigure& figure : step.measured) figures.push_back(views::figure_text(tr, figure));
    row("log.measured", fmt::format("{}", fmt::join(figures, "\n  ")));
    if (tr(step.cause)[0]) row("log.cause", tr(step.cause));
    print(fmt::format("\n{}\n{}\n", views::measured_on(tr, entry), tr(entry.chapter->how)));
}

void print_table(const std::vector<views::LogEntry>& found, const views::Strings& tr) {
    Table table({Table::Align::right, Table::Align::left, Table::Align::left, Table::Align::left});
    const views::LogChapter* chapter = nullptr;
    for (const views::LogEntry& entry : found) {
        if (entry.chapter != chapter) {
            chapter = entry.chapter;
            table.heading(fmt::format("{} · {} ({})", views::operands_text(chapter->operands), tr(chapter->title),
                                      chapter->kernel));
        }
        table.row({std::to_string(entry.number), entry.step->id, views::figure_text(tr, entry.step->measured.front()),
                   entry.step->kept ? std::string() : views::outcome_text(tr, *entry.step)});
    }
    print(table.text());
}

base::Status print_log(const LogOptions& options, const Common& common) {
    auto tr = english();
    if (!tr) return tr.error();
    if (common.language == "zh") tr->use(session::Language::zh);
    const auto found = asked_of(tr->log(), options.what);
    if (!found) return found.error();
    if (options.json)
        for (const views::LogEntry& entry : *found) print(line(step_json(entry, common)));
    else if (found->size() == 1) print_step(found->front(), *tr);
    else print_table(*found, *tr);
    return base::Done{};
}

} // namespace

Action define_log(Options& app, const Common& common) {
    auto options = std::make_shared<LogOptions>();
    app.add_option("WHAT", options->what,
                   "a step's id, a kernel, or an arithmetic: f32, tf32, bf16, f64; nothing: all");
    app.add_flag("--json", options->json, "print one JSON object a step");
    return [options, &common] { return print_log(*options, common); };
}

} // namespace cli
