#include "lesson/quiz.h"

#include "base/html.h"
#include "catalog/rules.h"
#include "lesson/markup.h"
#include "lesson/tell.h"
#include "trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace lesson {
namespace {

using base::xml_text;
using session::Language;
using Kind = Question::Kind;

constexpr size_t most_settings = 4096; // that are looked at
constexpr size_t most_variants = 500;

// Every legal setting that has other values of the named parameters.
std::vector<catalog::Values> settings(const catalog::Kernel& kernel, const catalog::Values& values,
                                      const std::vector<std::string>& vary) {
    std::vector<catalog::Values> found{values};
    for (const std::string& name : vary) {
        const catalog::Parameter* parameter = catalog::find_parameter(kernel, name);
        if (!parameter) continue;
        std::vector<catalog::Values> more;
        for (const catalog::Values& one : found)
            for (const int value : parameter->values) {
                if (more.size() == most_settings) break;
                more.push_back(one);
                more.back()[name] = value;
            }
        found = std::move(more);
    }
    std::erase_if(found, [&](const catalog::Values& one) { return !catalog::broken_rules(kernel, one).empty(); });
    return found;
}

// The same shuffle with every library: std::shuffle and the distributions differ.
template <class T>
void shuffle(std::vector<T>& all, uint64_t seed) {
    std::mt19937_64 random(seed);
    for (size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[random() % i]);
}

std::string setting_text(const session::Subject& subject) {
    std::string text = subject.kernel;
    for (const auto& [name, value] : subject.parameters) text += fmt::format(", {} = {}", name, value);
    const catalog::Problem& p = subject.problem;
    if (p.m == p.n && p.n == p.k) return text + fmt::format(", M = N = K = {}", p.m);
    return text + fmt::format(", M = {}, N = {}, K = {}", p.m, p.n, p.k);
}

// The labels of the planted mistakes that are switched on.
Title planted(const catalog::Kernel& kernel, const session::Subject& subject) {
    Title words;
    for (const catalog::Break& one : kernel.breaks) {
        if (!subject.breaks.contains(one.name)) continue;
        words.en += (words.en.empty() ? "" : ", ") + fmt::format("\"{}\"", one.label.en);
        words.zh += fmt::format("“{}”", one.label.zh);
    }
    return words;
}

class Maker {
public:
    Maker(Executions& executions, const Lesson& lesson, size_t students, uint64_t seed)
        : executions_(executions), lesson_(lesson), students_(std::clamp<size_t>(students, 1, most_variants)),
          seed_(seed) {}

    Quiz quiz() {
        for (size_t i = 0; i < lesson_.steps.size(); ++i)
            if (lesson_.steps[i].question) add(lesson_.steps[i], i);
        return std::move(quiz_);
    }

private:
    void add(const Step& step, size_t number) {
        const Question& question = *step.question;
        if (question.kind == Kind::curve) {
            quiz_.notes.push_back(fmt::format("{}: a curve cannot be drawn there, and is left out", step.id));
            return;
        }
        auto job = executions_.job(question.subject);
        const auto kernel = executions_.catalog().find(question.subject.kernel);
        if (!job || !kernel) {
            if (!job) quiz_.problems.push_back(job.error());
            return;
        }
        auto drawn = settings(*kernel, (*job)->parameters, question.vary);
        shuffle(drawn, seed_ + number);
        const bool of_step = question.vary.empty() && question.subject == step.scene.subject;
        size_t made = 0;
        std::vector<base::Error> problems;
        for (size_t i = 0; i < drawn.size() && made < students_; ++i) {
            Step varied = step;
            varied.question->subject.parameters = drawn[i];
            made += add_variant(varied, *kernel, of_step, made + 1, problems);
        }
        // A setting for which no choice is right is none to draw; it counts only where there is no other.
        if (made == 0) quiz_.problems.insert(quiz_.problems.end(), problems.begin(), problems.end());
        else if (made < students_ && !question.vary.empty())
            quiz_.notes.push_back(fmt::format("{}: {} settings for {} students", step.id, made, students_));
    }

    // `of_step`: it asks about what the step shows, so that the step's text may stand before it.
    bool add_variant(const Step& step, const catalog::Kernel& kernel, bool of_step, size_t variant,
                     std::vector<base::Error>& problems) {
        Lesson one; // that other steps' figures are found in
        one = lesson_;
        const auto place =
            std::find_if(one.steps.begin(), one.steps.end(), [&](const Step& s) { return s.id == step.id; });
        *place = step;
        const Told told = tell(executions_, one, static_cast<size_t>(place - one.steps.begin()), step.scene.subject);
        if (!told.question || !told.problems.empty()) {
            problems.insert(problems.end(), told.problems.begin(), told.problems.end());
            return false;
        }
        const Question& question = *step.question;
        quiz_.questions.push_back({lesson_.id, step.id, variant, setting_text(question.subject),
                                   planted(kernel, question.subject), of_step ? told.text : Text{}, question.kind,
                                   question.within, *told.question});
        return true;
    }

    Executions& executions_;
    const Lesson& lesson_;
    size_t students_;
    uint64_t seed_;
    Quiz quiz_;
};

std::string name_of(const QuizQuestion& one) { return fmt::format("{}.{} {:03}", one.lesson, one.step, one.variant); }

// Which place each item has in the order, from 1.
std::vector<size_t> places(const Answer& answer) {
    std::vector<size_t> places(answer.items.size());
    for (size_t i = 0; i < answer.items.size(); ++i) places[answer.items[i]] = i + 1;
    return places;
}

std::string hint(Kind kind, Language language) {
    const bool zh = language == Language::zh;
    if (kind == Kind::lane) return zh ? "（填 lane 的编号）" : "Type its number.";
    if (kind == Kind::order) return zh ? "（1 排在最前）" : "(1 comes first.)";
    return "";
}

// A sentence: "Kernel: tile, TILE = 32, M = N = K = 256."
std::string setting_of(const QuizQuestion& one, Language language) {
    const bool zh = language == Language::zh;
    const std::string& broken = one.broken.in(language);
    std::string text = (zh ? "内核：" : "Kernel: ") + one.setting;
    if (!broken.empty()) text += (zh ? "，故意改错：" : ", broken by ") + broken;
    return text + (zh ? "。" : ".");
}

// Nothing can be clicked there: "Click a lane that waits." becomes "Which lane waits?".
Prose title_of(const QuizQuestion& one, Language language) {
    Prose title = one.told.title.in(language);
    if (one.kind != Kind::lane || title.empty() || title.back().runs.empty()) return title;
    const auto replace = [&title](std::string_view from, std::string_view to) {
        for (Paragraph& paragraph : title)
            for (Run& run : paragraph.runs)
                if (const size_t at = run.text.find(from); at != run.text.npos) {
                    run.text.replace(at, from.size(), to);
                    return true;
                }
        return false;
    };
    if (replace("Click a lane that", "Which lane") || replace("click a lane that", "which lane") ||
        replace("Click another lane that", "Which other lane")) {
        std::string& end = title.back().runs.back().text;
        if (end.ends_with('.')) end.back() = '?';
    } else if (!replace("Click", "Name") && !replace("click", "name")) {
        replace("点击", "写出");
    }
    return title;
}

std::string moodle_answers(const QuizQuestion& one, Language language) {
    const Answer& answer = one.told.answer;
    std::string text;
    const auto numeric = [&](double value, double tolerance) {
        text += fmt::format("<answer fraction=\"100\"><text>{}</text><tolerance>{}</tolerance></answer>\n", value,
                            tolerance);
    };
    if (one.kind == Kind::number) numeric(answer.number, std::abs(answer.number) * std::max(one.within, 1e-6));
    if (one.kind == Kind::lane)
        for (int lane = 0; lane < trace::warp_size; ++lane)
            if (answer.lanes >> lane & 1) numeric(lane, 0);
    if (one.kind == Kind::choice)
        for (size_t i = 0; i < one.told.items.size(); ++i)
            text += fmt::format("<answer fraction=\"{}\" format=\"html\"><text>{}</text></answer>\n",
                                answer.items[0] == i ? 100 : 0, xml_text(html(one.told.items[i].in(language))));
    if (one.kind == Kind::order) {
        const auto place = places(answer);
        for (size_t i = 0; i < place.size(); ++i)
            text += fmt::format(
                "<subquestion format=\"html\"><text>{}</text><answer><text>{}</text></answer></subquestion>\n",
                xml_text(html(one.told.items[i].in(language))), place[i]);
    }
    if (one.kind == Kind::choice)
        text += "<single>true</single><shuffleanswers>true</shuffleanswers><answernumbering>none</answernumbering>\n";
    if (one.kind == Kind::order) text += "<shuffleanswers>true</shuffleanswers>\n";
    return text;
}

std::string gift_answers(const QuizQuestion& one, Language language) {
    const Answer& answer = one.told.answer;
    if (one.kind == Kind::number)
        return fmt::format("#{}:{}", answer.number, std::abs(answer.number) * std::max(one.within, 1e-6));
    std::string text = one.kind == Kind::lane ? "#" : "";
    if (one.kind == Kind::lane)
        for (int lane = 0; lane < trace::warp_size; ++lane)
            if (answer.lanes >> lane & 1) text += fmt::format("={}:0 ", lane);
    const auto place = one.kind == Kind::order ? places(answer) : std::vector<size_t>{};
    for (size_t i = 0; i < one.told.items.size(); ++i) {
        const std::string item = gift_text(plain_text(one.told.items[i].in(language), " "));
        if (one.kind == Kind::choice) text += (answer.items[0] == i ? "=" : "~") + item + " ";
        if (one.kind == Kind::order) text += fmt::format("={} -> {} ", item, place[i]);
    }
    return text;
}

} // namespace

Quiz quiz_of(Executions& executions, const Lesson& lesson, size_t students, uint64_t seed) {
    return Maker(executions, lesson, students, seed).quiz();
}

std::string to_moodle(const Quiz& quiz, Language language) {
    const auto type = [](Kind kind) {
        return kind == Kind::choice ? "multichoice" : kind == Kind::order ? "matching" : "numerical";
    };
    std::string text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<quiz>\n", category;
    for (const QuizQuestion& one : quiz.questions) {
        if (std::string wanted = fmt::format("$course$/gemmscope/{}/{}", one.lesson, one.step); wanted != category) {
            category = std::move(wanted);
            text += fmt::format("<question type=\"category\"><category><text>{}</text></category></question>\n",
                                xml_text(category));
        }
        const std::string asked =
            html(one.before.in(language)) + "<p>" + xml_text(setting_of(one, language)) + "</p>" +
            html(title_of(one, language)) + html(one.told.ask.in(language)) +
            (one.kind == Kind::lane || one.kind == Kind::order ? "<p>" + hint(one.kind, language) + "</p>" : "");
        text += fmt::format(
            "<question type=\"{}\">\n<name><text>{}</text></name>\n<questiontext format=\"html\"><text>{}</text></questiontext>\n"
            "<generalfeedback format=\"html\"><text>{}</text></generalfeedback>\n<defaultgrade>1</defaultgrade>\n{}</question>\n",
            type(one.kind), xml_text(name_of(one)), xml_text(asked), xml_text(html(one.told.explanation.in(language))),
            moodle_answers(one, language));
    }
    return text + "</quiz>\n";
}

std::string to_gift(const Quiz& quiz, Language language) {
    std::string text, category;
    for (const QuizQuestion& one : quiz.questions) {
        if (std::string wanted = fmt::format("$course$/gemmscope/{}/{}", one.lesson, one.step); wanted != category) {
            category = std::move(wanted);
            text += "$CATEGORY: " + category + "\n\n";
        }
        const auto flat = [&](const Text& prose) { return plain_text(prose.in(language), " "); };
        std::string asked;
        for (const std::string& part :
             {flat(one.before), setting_of(one, language), plain_text(title_of(one, language), " "), flat(one.told.ask),
              hint(one.kind, language)})
            if (!part.empty()) asked += (asked.empty() ? "" : " ") + part;
        // [plain]: Moodle would read "a < b" as HTML.
        text += fmt::format("::{}::[plain]{} {{{}####{}}}\n\n", gift_text(name_of(one)), gift_text(asked),
                            gift_answers(one, language), gift_text(flat(one.told.explanation)));
    }
    return text;
}

} // namespace lesson
