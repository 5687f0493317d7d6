#include "exercise/verdict_words.h"

#include "views/run_words.h"
#include "views/say.h"

#include <fmt/format.h>

namespace exercise {

using Standing = Judged::Standing;

std::string named_text(const std::string& name, const std::string& text, const views::Strings& tr) {
    return tr(base::say("{}: {}", name, text));
}

std::string rule_text(const Judged& judged, const views::Strings& tr) {
    if (judged.rule && !judged.rule->say.en.empty()) return tr(judged.rule->say);
    return tr(judged.wanted);
}

namespace {

// "43 x 47 x 17, TILE = 8, alpha = 1.5, beta = -0.5, warps shuffled (seed 1)"
std::string circumstances(const Look& look, const views::Strings& tr) {
    std::string text = size_text(*look.size);
    for (const auto& [name, value] : look.parameters) text += fmt::format(", {} = {}", name, value);
    if (look.alpha != 1 || look.beta != 0) text += fmt::format(", alpha = {}, beta = {}", look.alpha, look.beta);
    if (look.schedule != trace::Schedule{}) text += ", " + views::schedule_text(tr, look.schedule);
    return text;
}

} // namespace

std::string got_text(const Judged& judged, const views::Strings& tr) {
    if (judged.found && judged.look && judged.look->size)
        return views::say(tr, "exercise.found_at", tr(fmt::format("findings.{}", trace::name(*judged.found))),
                          circumstances(*judged.look, tr));
    return tr(judged.got);
}

std::string standing_text(Standing standing, const views::Strings& tr) {
    switch (standing) {
    case Standing::passed: return tr("exercise.passed");
    case Standing::failed: return tr("exercise.failed");
    case Standing::unknown: return tr("exercise.unknown");
    case Standing::waiting: break;
    }
    return tr("exercise.waiting");
}

std::string hint_text(const Judged& judged, const views::Strings& tr) {
    return judged.rule ? tr(judged.rule->hint) : std::string();
}

std::string place_text(const Look& look) {
    return look.line > 0 ? fmt::format("{}:{}", look.file, look.line) : look.file;
}

std::string size_of_look(const Look& look) {
    if (!look.size) return {};
    std::string text = fmt::format("-m {} -n {} -k {}", look.size->m, look.size->n, look.size->k);
    for (const auto& [name, value] : look.parameters) text += fmt::format(" -p {}={}", name, value);
    if (look.alpha != 1) text += fmt::format(" --alpha {}", look.alpha);
    if (look.beta != 0) text += fmt::format(" --beta {}", look.beta);
    if (look.seed != 1) text += fmt::format(" --seed {}", look.seed);
    if (look.schedule != trace::Schedule{}) text += " --schedule " + trace::to_text(look.schedule);
    return text;
}

std::string see_command(const Look& look, const std::string& file) {
    if (!look.size) return {};
    if (look.view.empty()) return fmt::format("gemmscope check {} {}", file, size_of_look(look));
    const std::string step = look.step ? fmt::format(" --step {}", *look.step) : "";
    return fmt::format("gemmscope render {} {} {}{} -o look.png", look.view, file, size_of_look(look), step);
}

namespace {

std::string rule_line(const Judged& judged, const views::Strings& tr) {
    const char* mark = judged.standing == Standing::passed ? "+" : judged.standing == Standing::failed ? "x" : "-";
    std::string text = named_text(standing_text(judged.standing, tr), rule_text(judged, tr), tr);
    const bool figure = judged.rule && judged.rule->kind == Rule::Kind::figure;
    if (!judged.got.empty()) text = named_text(text, got_text(judged, tr), tr);
    if (figure && judged.value) text += fmt::format(" ({})", tr(judged.wanted));
    return fmt::format("  {} {}\n", mark, text);
}

} // namespace

std::string verdict_text(const Exercise& exercise, const Verdict& verdict, const views::Strings& tr) {
    std::string text = named_text(tr(exercise.title), verdict.file, tr) + "\n";
    const Judged* before = nullptr;
    for (const Judged& judged : verdict.rules) {
        if (judged.rule && (!before || !before->rule || before->step != judged.step))
            text += fmt::format("{} {}\n", judged.step + 1, tr(exercise.steps[judged.step].title));
        text += rule_line(judged, tr);
        before = &judged;
    }
    const Judged* first = verdict.first();
    if (!first) return text + fmt::format("{}\n", tr("exercise.all_passed"));
    if (first->look && !first->look->text.empty()) {
        const std::string place = place_text(*first->look);
        text += named_text(tr("exercise.look_first"), (place.empty() ? "" : place + ": ") + tr(first->look->text), tr) +
                "\n";
    }
    if (const std::string hint = hint_text(*first, tr); !hint.empty())
        text += views::say(tr, "exercise.hint", hint) + "\n";
    if (first->look)
        if (const std::string command = see_command(*first->look, verdict.file); !command.empty())
            text += named_text(tr("exercise.see"), command, tr) + "\n";
    return text;
}

std::string race_question(const Race& race, const views::Strings& tr) {
    return race.lines() == 1 ? std::string(tr("exercise.race_one"))
                             : fmt::format(fmt::runtime(tr("exercise.race_more")), race.lines());
}

} // namespace exercise
