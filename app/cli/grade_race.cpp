#include "cli/grade_race.h"

#include "cli/json.h"
#include "exercise/race.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <thread>

namespace cli {
namespace {

using exercise::NamedRace;
using exercise::Race;

// "  35  __shared__ float s[128];": as an editor numbers the kernel's file.
std::string numbered(const Race& race) {
    std::istringstream code(race.code);
    std::string text, line;
    for (int number = race.first_line; std::getline(code, line); ++number)
        text += line.empty() ? fmt::format("{:4}\n", number) : fmt::format("{:4}  {}\n", number, line);
    return text;
}

std::string question(const Race& race, const views::Strings& tr) {
    return race.lines() == 1 ? std::string(tr("exercise.race_one"))
                             : fmt::format(fmt::runtime(tr("exercise.race_more")), race.lines());
}

// What a student gets: nothing of it tells the mistake.
std::string handed_out(const NamedRace& named, const Race& race, const views::Strings& tr) {
    const catalog::Kernel& kernel = *named.kernel;
    std::string text = fmt::format("{}: {}\n\n{}\n", tr(kernel.title), tr(kernel.idea), tr(kernel.story));
    text += fmt::format("{}: {}\n\n{}\n", tr("exercise.symptom"), tr(named.mistake->label), numbered(race));
    const char* example = race.lines() == 1 ? "LINE" : "LINE,LINE";
    return text + fmt::format("{}\n  gemmscope grade --race {}:{} --lines {}\n", question(race, tr), race.kernel,
                              race.mistake, example);
}

Json handed_out_json(const NamedRace& named, const Race& race, const views::Strings& tr) {
    return {{"kernel", race.kernel},
            {"break", race.mistake},
            {"title", tr(named.kernel->title)},
            {"story", tr(named.kernel->story)},
            {"symptom", tr(named.mistake->label)},
            {"question", question(race, tr)},
            {"code", race.code},
            {"first_line", race.first_line},
            {"lines", race.lines()}};
}

} // namespace

void add_race_options(Options& app, RaceOptions& options) {
    app.add_option("--race", options.race,
                   "a planted mistake to be found, in place of FILE; without --lines its source is printed")
        .type_name("KERNEL[:BREAK]");
    app.add_option("--lines", options.lines, "with --race: the lines in conflict, 12,15").type_name("LINES");
}

base::Status grade_race(const RaceOptions& options, bool alone, bool json, const Common& common,
                        const views::Strings& tr) {
    using base::Error;
    using base::Failure;
    if (options.race.empty())
        return Error{Failure::usage,
                     base::say("--lines says nothing without --race"),
                     {},
                     base::say("name the planted mistake with --race")};
    if (!alone)
        return Error{Failure::usage,
                     base::say("--race is judged without a file"),
                     {},
                     base::say("leave FILE and --exercise away")};
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    const auto named = exercise::find_race(catalog->kernels, options.race);
    if (!named) return named.error();
    exercise::Lines lines;
    if (!options.lines.empty()) {
        auto parsed = exercise::parse_lines(options.lines);
        if (!parsed) return parsed.error();
        lines = std::move(*parsed);
    }
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const auto race = exercise::race(*named->kernel, named->mistake->name, threads);
    if (!race) return race.error();
    if (lines.empty()) {
        print(json ? line(handed_out_json(*named, *race, tr)) : handed_out(*named, *race, tr));
        return base::Done{};
    }
    const bool right = exercise::judge(*race, lines);
    if (json) {
        Json verdict{{"kernel", race->kernel}, {"break", race->mistake}, {"lines", lines}, {"right", right}};
        verdict["finding"] = right ? Json(tr(race->finding.text)) : Json();
        print(line(verdict));
    } else if (right) {
        print(fmt::format("{}\n{}\n{}.cu:{}: {}\n", tr("exercise.race_right"), tr(named->mistake->look), race->kernel,
                          race->finding.source_line, tr(race->finding.text)));
    }
    if (right) return base::Done{};
    return base::Error{base::Failure::check_failed,
                       base::say("these are not the lines in conflict"),
                       {},
                       lines.size() == race->lines() ? base::Sentence{} : base::Sentence(base::say("{} are asked for", race->lines()))};
}

} // namespace cli
