#include "lesson/tell.h"

#include "base/text.h"
#include "catalog/rules.h"
#include "trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace lesson {
namespace {

using session::Language;

base::Error at(base::Error error, const std::string& path, uint32_t line) {
    if (error.where.empty()) error.where = fmt::format("{}:{}", path, line);
    else error.what = fmt::format("{}: {}", error.where, error.what), error.where = fmt::format("{}:{}", path, line);
    error.failure = base::Failure::check_failed;
    return error;
}

std::string decimals(double value, int count) {
    std::string text = fmt::format("{:.{}f}", std::abs(value), count);
    const size_t point = std::min(text.find('.'), text.size());
    uint64_t whole = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + point, whole);
    if (error == std::errc{} && end == text.data() + point) text = base::thousands(whole) + text.substr(point);
    const bool zero = text.find_first_of("123456789") == text.npos;
    return (value < 0 && !zero ? "-" : "") + text;
}

// The one that the item of a choice is: "8,192"; nothing: it is no number.
std::optional<double> number_of(const Prose& item) {
    std::string text;
    for (const char c : plain_text(item))
        if (c != ',' && c != ' ') text += c;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool near(double value, double truth, double within) {
    return std::abs(value - truth) <= std::max(within, 1e-9) * std::max(std::abs(truth), 1e-12);
}

// Answers one question.
class Answerer {
public:
    Answerer(Executions& executions, const Lesson& lesson, const Question& question, const Scene& scene,
             std::vector<base::Error>& problems)
        : executions_(executions), lesson_(lesson), question_(question), scene_(scene),
          figures_(executions, lesson, scene), path_(lesson.path.string()), problems_(problems) {}

    std::optional<Answer> answer() {
        switch (question_.kind) {
        case Question::Kind::number: return number();
        case Question::Kind::choice: return question_.right.empty() ? choice_of_numbers() : choice();
        case Question::Kind::lane: return lanes();
        case Question::Kind::order: return order();
        case Question::Kind::curve: return curve();
        }
        return {};
    }

private:
    std::optional<double> value(const Formula& formula, Figures& figures, std::optional<int> lane = {}) {
        const Lookup lookup = [&](const std::string& name) {
            return lane ? figures.of_lane(name, *lane) : figures.value(name);
        };
        auto found = evaluate(formula.text, lookup);
        if (found) return *found;
        problems_.push_back(at(found.error(), path_, formula.line));
        return {};
    }
    std::optional<Answer> refuse(uint32_t line, std::string what, std::string todo) {
        problems_.push_back(at({base::Failure::check_failed, std::move(what), {}, std::move(todo)}, path_, line));
        return {};
    }

    std::optional<Answer> number() {
        const auto found = value(question_.answer, figures_);
        return found ? std::optional(Answer{*found, {}, 0, {}}) : std::nullopt;
    }

    std::optional<Answer> choice_of_numbers() {
        const auto truth = value(question_.answer, figures_);
        if (!truth) return {};
        Answer answer{*truth, {}, 0, {}};
        const Lookup lookup = [&](const std::string& name) { return figures_.value(name); };
        for (size_t i = 0; i < question_.items.size(); ++i) {
            const auto item = number_of(filled(question_.items[i].en, lookup, path_, problems_));
            if (!item)
                return refuse(question_.line,
                              fmt::format("\"{}\" is no number, and the choice has no conditions",
                                          plain_text(question_.items[i].en)),
                              "write numbers, or right = [...] with a condition for each item");
            if (near(*item, *truth, question_.within)) answer.items.push_back(i);
        }
        return one(std::move(answer), fmt::format("the answer is {}", number_text(*truth)));
    }

    std::optional<Answer> choice() {
        Answer answer;
        for (size_t i = 0; i < question_.right.size(); ++i) {
            const auto holds = value(question_.right[i], figures_);
            if (!holds) return {};
            if (*holds != 0) answer.items.push_back(i);
        }
        return one(std::move(answer), "by its conditions");
    }
    std::optional<Answer> one(Answer answer, const std::string& why) {
        if (answer.items.size() == 1) return answer;
        return refuse(question_.line,
                      fmt::format("{} of {} choices are right, {}", answer.items.size(), question_.items.size(), why),
                      "let one be right");
    }

    std::optional<Answer> lanes() {
        Answer answer;
        for (int lane = 0; lane < trace::warp_size; ++lane) {
            const auto holds = value(question_.lane, figures_, lane);
            if (!holds) return {};
            if (*holds != 0) answer.lanes |= 1u << lane;
        }
        if (answer.lanes == 0) return refuse(question_.lane.line, "no lane is right", "mend the condition");
        if (answer.lanes == ~0u) return refuse(question_.lane.line, "every lane is right", "mend the condition");
        return answer;
    }

    std::optional<Answer> order() {
        std::vector<double> keys;
        for (const Formula& by : question_.by) {
            const auto key = value(by, figures_);
            if (!key) return {};
            keys.push_back(*key);
        }
        Answer answer;
        answer.items.resize(keys.size());
        std::iota(answer.items.begin(), answer.items.end(), size_t{0});
        std::stable_sort(answer.items.begin(), answer.items.end(),
                         [&](size_t a, size_t b) { return keys[a] < keys[b]; });
        for (size_t i = 1; i < keys.size(); ++i)
            if (near(keys[answer.items[i]], keys[answer.items[i - 1]], 0))
                return refuse(question_.line,
                              fmt::format("items {} and {} are equal, so that either may come first",
                                          answer.items[i - 1] + 1, answer.items[i] + 1),
                              "choose others");
        return answer;
    }

    std::optional<Answer> curve() {
        const auto kernel = executions_.catalog().find(scene_.subject.kernel);
        auto job = executions_.job(scene_.subject);
        if (!job) {
            problems_.push_back(at(job.error(), path_, question_.line));
            return {};
        }
        const auto is_it = [&](const catalog::Parameter& one) { return one.name == question_.over; };
        const auto parameter = std::find_if(kernel->parameters.begin(), kernel->parameters.end(), is_it);
        if (parameter == kernel->parameters.end())
            return refuse(question_.line, fmt::format("{} has no parameter {}", kernel->id, question_.over),
                          "name one in over");
        Answer answer;
        for (const catalog::Choice& choice : catalog::choices(*kernel, (*job)->parameters, question_.over)) {
            if (choice.broken) continue;
            Scene other = scene_;
            other.subject.parameters = (*job)->parameters;
            other.subject.parameters[question_.over] = choice.value;
            Figures figures(executions_, lesson_, other);
            const auto y =
                evaluate(question_.answer.text, [&](const std::string& name) { return figures.value(name); });
            if (y) answer.curve.push_back({choice.value, *y});
            else if (y.error().failure != base::Failure::check_failed)
                problems_.push_back(at(y.error(), path_, question_.answer.line));
        }
        if (answer.curve.size() < 3)
            return refuse(question_.line,
                          fmt::format("of {} values of {} something is known", answer.curve.size(), question_.over),
                          "choose a setting of which three or more were recorded");
        return answer;
    }

    Executions& executions_;
    const Lesson& lesson_;
    const Question& question_;
    const Scene& scene_;
    Figures figures_;
    std::string path_;
    std::vector<base::Error>& problems_;
};

// Lines of the kernel's source that the step shows.
void find_lines(Told& told, const Scene& scene, Figures& figures, const Lesson& lesson, const Step& step) {
    auto traced = figures.traced();
    if (!traced) return;
    if (scene.source.empty()) {
        const trace::Trace& trace = (*traced)->block.block->trace;
        const trace::Instruction& shown = trace.listing->instructions[trace.events[told.event].pc];
        if (shown.source_file == 0 && shown.source_line > 0)
            told.first_line = told.last_line = static_cast<uint32_t>(shown.source_line);
        return;
    }
    const auto lines = base::lines((*traced)->block.kernel->source);
    for (size_t i = 0; i < lines.size(); ++i) {
        if (lines[i].find(scene.source) == std::string_view::npos) continue;
        if (told.first_line == 0) told.first_line = static_cast<uint32_t>(i + 1);
        if (i <= told.first_line + 2) told.last_line = static_cast<uint32_t>(i + 1);
    }
    if (told.first_line == 0)
        told.problems.push_back(at({base::Failure::check_failed,
                                    fmt::format("no line of {} has \"{}\"", scene.subject.kernel, scene.source),
                                    {},
                                    "copy a part of one into source"},
                                   lesson.path.string(), step.line));
}

Text filled(const Text& text, const Lookup& lookup, const Lesson& lesson, std::vector<base::Error>& problems) {
    Text done;
    done.en = filled(text.en, lookup, lesson.path.string(), problems);
    std::vector<base::Error> twice; // without a translation the same
    done.zh = filled(text.zh, lookup, lesson.chinese.value_or(lesson.path).string(), lesson.chinese ? problems : twice);
    return done;
}

} // namespace

std::string number_text(double value) {
    if (std::abs(value) < 1e15 && near(value, std::round(value), 1e-9)) return decimals(std::round(value), 0);
    const double size = std::abs(value);
    if (size >= 1e15 || size < 1e-4) return fmt::format("{:.3g}", value);
    const int digits = std::clamp(2 - static_cast<int>(std::floor(std::log10(size))), 0, 6);
    std::string text = decimals(value, digits); // without zeros at the end: 12.5, not 12.50
    if (text.find('.') != text.npos) text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

base::Result<Amount> figure(const std::string& text, const Lookup& lookup) {
    size_t bar = text.rfind('|');
    if (bar != text.npos && bar > 0 && text[bar - 1] == '|') bar = text.npos;
    const std::string format(bar == text.npos ? "" : base::trimmed(std::string_view(text).substr(bar + 1)));
    auto value = evaluate(text.substr(0, bar), lookup);
    if (!value) return value.error();
    if (format.empty()) return Amount{*value, number_text(*value)};
    if (format == "percent") return Amount{*value, number_text(*value) + " %"};
    if (format == "bytes" && *value >= 0)
        return Amount{*value, base::bytes_text(static_cast<uint64_t>(std::llround(std::min(*value, 9e18))))};
    if (format.size() == 1 && format[0] >= '0' && format[0] <= '9')
        return Amount{*value, decimals(*value, format[0] - '0')};
    return base::Error{base::Failure::usage,
                       fmt::format("a figure cannot be written as \"{}\"", format),
                       {},
                       "write |percent, |bytes, or how many decimals: |1"};
}

Prose filled(const Prose& prose, const Lookup& lookup, const std::string& path, std::vector<base::Error>& problems) {
    Prose done = prose;
    for (Paragraph& paragraph : done)
        for (Run& run : paragraph.runs) {
            if (run.style != Run::Style::figure) continue;
            auto amount = figure(run.text, lookup);
            if (!amount) problems.push_back(at(amount.error(), path, run.line));
            run.text = amount ? amount->text : "?";
        }
    return done;
}

std::optional<Answer> answer(Executions& executions, const Lesson& lesson, const Question& question, const Scene& scene,
                             std::vector<base::Error>& problems) {
    return Answerer(executions, lesson, question, scene, problems).answer();
}

Told tell(Executions& executions, const Lesson& lesson, size_t number, const session::Subject& subject) {
    const Step& step = lesson.steps[number];
    const std::string path = lesson.path.string();
    Scene scene = step.scene;
    const bool wandered = subject != scene.subject;
    scene.subject = subject;
    Figures figures(executions, lesson, scene);
    const Lookup lookup = [&](const std::string& name) { return figures.value(name); };
    Told told;
    told.subject = subject;
    if (auto event = figures.event()) told.event = *event;
    else told.problems.push_back(at(event.error(), path, step.line));
    if (told.problems.empty()) find_lines(told, scene, figures, lesson, step);
    told.text = filled(step.text, lookup, lesson, told.problems);
    const auto amount = [&](Figures& of, const Formula& formula) -> std::optional<Amount> {
        auto found = figure(formula.text, [&](const std::string& name) { return of.value(name); });
        if (found) return *found;
        told.problems.push_back(at(found.error(), path, formula.line));
        return {};
    };
    if (scene.number) told.number = amount(figures, *scene.number);
    if (const Step* before = scene.number ? lesson.step(scene.before) : nullptr) {
        Figures of_before(executions, lesson, before->scene);
        told.before = amount(of_before, *scene.number);
    } else if (!scene.before.empty()) {
        told.problems.push_back(
            at({base::Failure::check_failed,
                fmt::format("before = \"{}\" names no step whose number could stand there", scene.before),
                {},
                "name another step, and give this one a number"},
               path, step.line));
    }
    if (!step.question) return told;
    Scene asked = scene;
    if (!wandered || !step.question->follow) asked.subject = step.question->subject;
    Figures of_question(executions, lesson, asked);
    const Lookup question_lookup = [&](const std::string& name) { return of_question.value(name); };
    const auto truth = answer(executions, lesson, *step.question, asked, told.problems);
    if (!truth) return told;
    const Question& question = *step.question;
    told.question = ToldQuestion{filled(question.title, question_lookup, lesson, told.problems),
                                 filled(question.ask, question_lookup, lesson, told.problems),
                                 filled(question.explanation, question_lookup, lesson, told.problems),
                                 {},
                                 *truth};
    for (const Text& item : question.items)
        told.question->items.push_back(filled(item, question_lookup, lesson, told.problems));
    return told;
}

bool is_right(const Question& question, const Answer& truth, const Answer& given) {
    switch (question.kind) {
    case Question::Kind::number: return near(given.number, truth.number, question.within);
    case Question::Kind::choice:
    case Question::Kind::order: return given.items == truth.items;
    case Question::Kind::lane: return given.lanes != 0 && (given.lanes & ~truth.lanes) == 0;
    case Question::Kind::curve:
        return !truth.curve.empty() &&
               std::all_of(truth.curve.begin(), truth.curve.end(), [&](const Answer::Point& point) {
                   return std::any_of(given.curve.begin(), given.curve.end(), [&](const Answer::Point& drawn) {
                       return drawn.x == point.x && near(drawn.y, point.y, 0.25);
                   });
               });
    }
    return false;
}

} // namespace lesson
