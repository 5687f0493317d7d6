#include "cli/grade_race.h"

#include "base/file.h"
#include "cli/json.h"
#include "exercise/race.h"
#include "exercise/verdict_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using exercise::NamedRace;
using exercise::Race;

// What a student gets: nothing of it tells the mistake.
std::string handed_out(const NamedRace& named, const Race& race, const views::Strings& tr) {
    const catalog::Kernel& kernel = *named.kernel;
    const auto pair = [&](std::string name, std::string value) { return tr(base::say("{}: {}", name, value)); };
    std::string text = fmt::format("{}\n\n{}\n", pair(tr(kernel.title), tr(kernel.idea)), tr(kernel.story));
    text += fmt::format("{}\n\n{}\n", pair(tr("exercise.symptom"), tr(named.mistake->label)),
                        exercise::numbered_code(race));
    const char* example = race.lines() == 1 ? "LINE" : "LINE,LINE";
    const std::string command = fmt::format("gemmscope grade --race {}:{}", race.kernel, race.mistake);
    return text + fmt::format("{}\n  {} --lines {}\n{}\n  {} --starter mine.cu\n", exercise::race_question(race, tr),
                              command, example, tr("exercise.race_mend"), command);
}

Json handed_out_json(const NamedRace& named, const Race& race, const views::Strings& tr) {
    return {{"kernel", race.kernel},
            {"break", race.mistake},
            {"title", tr(named.kernel->title)},
            {"story", tr(named.kernel->story)},
            {"symptom", tr(named.mistake->label)},
            {"question", exercise::race_question(race, tr)},
            {"code", race.code},
            {"first_line", race.first_line},
            {"lines", race.lines()}};
}

base::Result<NamedRace> race_named(const RaceOptions& options, const Common& common) {
    if (options.race.empty())
        return Error{Failure::usage,
                     base::say("--lines and --starter need --race"),
                     {},
                     base::say("name the planted mistake with --race")};
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    return exercise::find_race(catalog->kernels, options.race);
}

// What a student has written is not overwritten.
base::Status write_starter(const NamedRace& named, const std::string& file) {
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored))
        return Error{Failure::usage, base::say("{} exists already", file), {}, base::say("give another name")};
    const auto text = exercise::race_starter(*named.kernel, named.mistake->name);
    if (!text) return text.error();
    return base::write_file(file, *text);
}

} // namespace

void add_race_options(Options& app, RaceOptions& options) {
    app.add_option("--race", options.race,
                   "print a kernel with a planted mistake to find; with FILE.cu, judge whether that file fixes it")
        .type_name("KERNEL[:BREAK]");
    app.add_option("--lines", options.lines, "with --race: your answer, the lines in conflict, as 12,15")
        .type_name("LINES");
    app.add_option("--starter", options.starter, "with --race: write the broken kernel to a file, for you to fix")
        .type_name("FILE.cu");
}

base::Result<std::shared_ptr<const exercise::Exercise>> mending_of(const RaceOptions& options, const Common& common) {
    if (options.race.empty() || !options.lines.empty() || !options.starter.empty())
        return Error{Failure::usage,
                     base::say("--race alone judges a fixed kernel"),
                     {},
                     base::say("leave --lines and --starter out")};
    const auto named = race_named(options, common);
    if (!named) return named.error();
    auto exercise = exercise::mending(*named->kernel, named->mistake->name);
    if (!exercise) return exercise.error();
    return std::make_shared<const exercise::Exercise>(std::move(*exercise));
}

base::Status grade_race(const RaceOptions& options, bool json, const Common& common, const views::Strings& tr) {
    const auto named = race_named(options, common);
    if (!named) return named.error();
    if (!options.starter.empty()) return write_starter(*named, options.starter);
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
    return Error{Failure::check_failed,
                 base::say("these lines are not in conflict"),
                 {},
                 lines.size() == race->lines()
                     ? base::Sentence{}
                     : base::Sentence(base::say("give as many lines as the question asks for: {}", race->lines()))};
}

} // namespace cli
