#include "exercise/race.h"

#include "base/number.h"
#include "base/text.h"
#include "catalog/breaks.h"
#include "catalog/catalog.h"
#include "session/nearest.h"
#include "session/stages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

namespace exercise {
namespace {

using base::Error;
using base::Failure;

constexpr int most_lines = 100000; // of a file
constexpr size_t most_asked = 16;

// Small, and no multiple of any tile. The first at which the mistake can show is executed.
constexpr std::array<catalog::Problem, 2> sizes{{{70, 76, 40}, {134, 140, 200}}};

base::Sentence name_of(const catalog::Kernel& kernel, const catalog::Break& mistake) {
    return base::verbatim(kernel.id + ":" + mistake.name);
}

// The code behind the first comment, from its first line that is not empty.
void hand_out(const std::string& source, Race& race) {
    size_t at = source.find("*/");
    at = at == source.npos ? 0 : source.find('\n', at);
    at = at == source.npos ? source.size() : source.find_first_not_of("\r\n", at);
    at = at == source.npos ? source.size() : at;
    race.code = source.substr(at);
    race.first_line = 1 + static_cast<int>(std::count(source.begin(), source.begin() + at, '\n'));
}

Lines lines_of(const trace::Finding& finding) {
    Lines lines{finding.source_line};
    if (finding.other) lines.push_back(finding.other->source_line);
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

bool names_another_access(const trace::Finding& finding) { return finding.other && finding.other->source_line > 0; }

// One order's findings of the kind that is asked for.
std::set<Lines> answers_of(const std::vector<trace::Finding>& findings) {
    std::set<Lines> pairs;
    Lines alone;
    for (const trace::Finding& finding : findings) {
        if (names_another_access(finding)) pairs.insert(lines_of(finding));
        else if (finding.source_line > 0) alone.push_back(finding.source_line);
    }
    if (!pairs.empty() || alone.empty()) return pairs;
    std::sort(alone.begin(), alone.end());
    alone.erase(std::unique(alone.begin(), alone.end()), alone.end());
    return {alone};
}

// Keeps the findings of the kind that is asked for, and notes the kinds of the others.
void sort_out(std::vector<trace::Finding>& findings, const std::string& asked, Race& race) {
    std::erase_if(findings, [&](const trace::Finding& finding) {
        const std::string kind = trace::name(finding.kind);
        if (finding.kind != trace::FindingKind::wrong_result) race.kinds.insert(kind);
        return kind != asked;
    });
}

base::Status execute(const session::Job& job, const session::Prepared& prepared, const catalog::Break& mistake,
                     int threads, std::stop_token stop, Race& race) {
    const auto run = session::run_grid(job, prepared, threads, stop);
    if (run.failed) return run.failed->error;
    if (run.value->stopped) return Error{Failure::check_failed, base::say("stopped"), race.kernel, {}};
    std::vector<trace::Finding> findings = run.value->findings;
    sort_out(findings, mistake.findings.front(), race);
    const std::set<Lines> answers = answers_of(findings);
    if (answers.empty()) {
        race.same_in_every_order = false;
        return base::Done{};
    }
    if (race.answers.empty()) {
        const auto pair = std::find_if(findings.begin(), findings.end(), names_another_access);
        race.finding = pair == findings.end() ? findings.back() : *pair;
    }
    race.same_in_every_order = race.same_in_every_order && (race.answers.empty() || race.answers == answers);
    race.answers.insert(answers.begin(), answers.end());
    return base::Done{};
}

base::Result<catalog::Problem> size_for(const catalog::Kernel& kernel, const catalog::Break& mistake) {
    const catalog::Values values = catalog::initial_values(kernel);
    const auto size = std::find_if(sizes.begin(), sizes.end(), [&](const catalog::Problem& problem) {
        return catalog::can_show(kernel, mistake, values, problem);
    });
    if (size != sizes.end()) return *size;
    return Error{Failure::usage, base::say("{} does not show at small sizes", name_of(kernel, mistake)), kernel.path,
                 base::say("it shows where {}; write a \"when\" that allows 134 x 140 x 200", mistake.when)};
}

} // namespace

std::span<const trace::Schedule> race_schedules() {
    using enum trace::Schedule::Kind;
    static constexpr std::array<trace::Schedule, 5> all{
        {{in_order, 0}, {warp_first, 1}, {shuffled, 1}, {shuffled, 2}, {shuffled, 3}}};
    return all;
}

size_t Race::lines() const {
    size_t most = 0;
    for (const Lines& answer : answers) most = std::max(most, answer.size());
    return most;
}

base::Result<Race> race(const catalog::Kernel& kernel, const std::string& mistake, int threads, std::stop_token stop) {
    const auto source = catalog::broken_source(kernel, {mistake});
    if (!source) return source.error();
    const catalog::Break& planted = *catalog::find_break(kernel, mistake);
    const auto size = size_for(kernel, planted);
    if (!size) return size.error();
    Race race;
    race.kernel = kernel.id, race.mistake = mistake, race.size = *size, race.same_in_every_order = true;
    hand_out(*source, race);

    session::Subject subject;
    subject.kernel = kernel.id, subject.problem = *size, subject.breaks = {mistake};
    auto job = session::resolve(kernel, subject);
    if (!job) return job.error();
    const auto prepared = session::prepare(*job, stop);
    if (prepared.failed) return prepared.failed->error;
    for (const trace::Schedule& schedule : race_schedules()) {
        job->schedule = schedule;
        if (auto done = execute(*job, *prepared.value, planted, threads, stop, race); !done) return done.error();
    }
    if (!race.answers.empty()) return race;
    return Error{Failure::check_failed,
                 base::say("{} is not found by the checks: no {} with a line", name_of(kernel, planted),
                           planted.findings.front()),
                 kernel.path, base::say("take a planted mistake whose first \"finding\" names a line")};
}

base::Result<Lines> parse_lines(std::string_view text) {
    Lines lines;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(',', at), text.size());
        std::string_view one = text.substr(at, end - at);
        one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
        one = one.substr(0, one.find_last_not_of(' ') + 1);
        const auto line = base::parse_integer(one, "a line", 1, most_lines);
        if (!line || lines.size() == most_asked)
            return Error{
                Failure::usage, base::say("\"{}\" is not a list of lines", text), {}, base::say("write them as 12,15")};
        lines.push_back(static_cast<int>(*line));
        at = end + 1;
    }
    std::sort(lines.begin(), lines.end());
    lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
    return lines;
}

bool judge(const Race& race, const Lines& lines) { return race.answers.contains(lines); }

base::Result<std::string> race_starter(const catalog::Kernel& kernel, const std::string& mistake) {
    const auto source = catalog::broken_source(kernel, {mistake});
    if (!source) return source.error();
    std::string told;
    bool within_break = false;
    size_t at = 0;
    for (bool in_comment = true; in_comment && at < source->size();) {
        const size_t end = std::min(source->find('\n', at), source->size() - 1) + 1;
        std::string line = source->substr(at, end - at);
        in_comment = line.find("*/") == line.npos;
        if (line.starts_with('[')) within_break = line.starts_with("[[break]]");
        // The file may have any name, and is of no family but the student's own.
        if (line.starts_with("family =")) line = fmt::format("function = \"{}\"\n", kernel.function);
        told += within_break && in_comment ? "\n" : line;
        at = end;
    }
    return told + source->substr(at);
}

base::Result<Exercise> mending(const catalog::Kernel& kernel, const std::string& mistake) {
    const auto text = race_starter(kernel, mistake);
    if (!text) return text.error();
    const auto size = size_for(kernel, *catalog::find_break(kernel, mistake));
    if (!size) return size.error();
    auto starter = catalog::parse(*text, kernel.path);
    if (!starter) return starter.error();
    Exercise exercise;
    exercise.id = kernel.id + ":" + mistake;
    exercise.title = kernel.title, exercise.text = kernel.story;
    exercise.starter = std::make_shared<const catalog::Kernel>(std::move(*starter));
    const auto pattern = [](const catalog::Problem& p) { return *parse_size(fmt::format("{}x{}x{}", p.m, p.n, p.k)); };
    Rule quiet;
    quiet.kind = Rule::Kind::findings;
    quiet.sizes = {pattern(*size), pattern({1, 1, 1})};
    quiet.schedules.assign(race_schedules().begin(), race_schedules().end());
    quiet.view = "source";
    Rule right;
    right.sizes = {pattern(sizes.back()), pattern({1, 1, 1})};
    exercise.steps = {{kernel.title, {quiet, right}}};
    return exercise;
}

base::Result<NamedRace> find_race(std::span<const std::shared_ptr<const catalog::Kernel>> kernels,
                                  std::string_view name) {
    const size_t colon = std::min(name.find(':'), name.size());
    const std::string id(name.substr(0, colon)), mistake(name.substr(std::min(colon + 1, name.size())));
    std::vector<std::string> known;
    for (const auto& kernel : kernels) {
        if (!kernel->breaks.empty()) known.push_back(kernel->id);
        if (kernel->id != id) continue;
        if (kernel->breaks.empty())
            return Error{Failure::usage,
                         base::say("{} has no planted mistake to find", id),
                         {},
                         base::say("see gemmscope list: the family \"races\" has them")};
        const catalog::Break* found =
            colon == name.size() ? &kernel->breaks.front() : catalog::find_break(*kernel, mistake);
        if (found) return NamedRace{kernel, found};
        std::vector<std::string> names;
        for (const catalog::Break& one : kernel->breaks) names.push_back(one.name);
        return Error{Failure::usage,
                     base::say("{} has no planted mistake {}", id, mistake),
                     {},
                     base::say("choose among {}", base::names(names))};
    }
    const std::string meant = session::nearest(id, known);
    return Error{Failure::usage,
                 base::say("there is no kernel {}", id),
                 {},
                 meant.empty() ? base::say("see gemmscope list: the family \"races\" has them")
                               : base::say("did you mean {}?", meant)};
}

std::string to_text(const Lines& lines) { return fmt::format("{}", fmt::join(lines, ", ")); }

std::string numbered_code(const Race& race) {
    std::string text;
    int number = race.first_line;
    for (const std::string_view line : base::lines(race.code)) {
        text += line.empty() ? fmt::format("{:4}\n", number) : fmt::format("{:4}  {}\n", number, line);
        ++number;
    }
    return text;
}

} // namespace exercise
