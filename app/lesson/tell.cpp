#include "lesson/tell.h"

#include "base/text.h"
#include "catalog/rules.h"
#include "lesson/scene_fault.h"
#include "trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace lesson {
namespace {

constexpr uint32_t most_lines = 3; // of the source that a step shows

base::Error at(base::Error error, const std::string& path, uint32_t line) {
    if (error.where.empty()) error.where = fmt::format("{}:{}", path, line);
    else error.what = base::say("{}: {}", error.where, error.what), error.where = fmt::format("{}:{}", path, line);
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
    std::optional<Answer> refuse(uint32_t line, base::Sentence what, base::Sentence todo) {
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
                              base::say("\"{}\" is not a number, and the choice has no conditions",
                                        plain_text(question_.items[i].en)),
                              base::say("write numbers, or right = [...] with a condition for each item"));
            if (near(*item, *truth, question_.within)) answer.items.push_back(i);
        }
        return one(std::move(answer), base::say("the answer is {}", number_text(*truth)));
    }

    std::optional<Answer> choice() {
        Answer answer;
        for (size_t i = 0; i < question_.right.size(); ++i) {
            const auto holds = value(question_.right[i], figures_);
            if (!holds) return {};
            if (*holds != 0) answer.items.push_back(i);
        }
        return one(std::move(answer), base::say("by its conditions"));
    }
    std::optional<Answer> one(Answer answer, const base::Sentence& why) {
        if (answer.items.size() == 1) return answer;
        return refuse(question_.line,
                      base::say("{} of {} choices are right, {}", answer.items.size(), question_.items.size(), why),
                      base::say("let one be right"));
    }

    std::optional<Answer> lanes() {
        Answer answer;
        for (int lane = 0; lane < trace::warp_size; ++lane) {
            const auto holds = value(question_.lane, figures_, lane);
            if (!holds) return {};
            if (*holds != 0) answer.lanes |= 1u << lane;
        }
        if (answer.lanes == 0)
            return refuse(question_.lane.line, base::say("no lane is right"), base::say("correct the condition"));
        if (answer.lanes == ~0u)
            return refuse(question_.lane.line, base::say("every lane is right"), base::say("correct the condition"));
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
                              base::say("items {} and {} are equal, so that either may come first",
                                        answer.items[i - 1] + 1, answer.items[i] + 1),
                              base::say("choose others"));
        return answer;
    }

    std::optional<Answer> curve() {
        const auto kernel = executions_.catalog().find(scene_.subject.kernel);
        auto job = executions_.job(scene_.subject);
        if (!job) {
            problems_.push_back(at(job.error(), path_, question_.line));
            return {};
        }
        if (!catalog::find_parameter(*kernel, question_.over))
            return refuse(question_.line, base::say("{} has no parameter {}", kernel->id, question_.over),
                          base::say("name one in over"));
        Answer answer;
        std::optional<base::Error> unknown; // why a point is not there, the first of them
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
            else if (!unknown) unknown = y.error();
        }
        if (answer.curve.empty() && unknown) {
            problems_.push_back(at(*unknown, path_, question_.answer.line));
            return {};
        }
        if (answer.curve.size() < 3)
            return refuse(question_.line,
                          base::say("of {} values of {} something is known", answer.curve.size(), question_.over),
                          base::say("choose a setting of which three or more were recorded"));
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

Text filled(const Text& text, const Lookup& lookup, const Lesson& lesson, std::vector<base::Error>& problems) {
    Text done;
    done.en = filled(text.en, lookup, lesson.path.string(), problems);
    std::vector<base::Error> twice; // without a translation the same
    done.zh = filled(text.zh, lookup, lesson.chinese.value_or(lesson.path).string(), lesson.chinese ? problems : twice);
    return done;
}

// Tells one step.
class Teller {
public:
    Teller(Executions& executions, const Lesson& lesson, const Step& step, const session::Subject& subject)
        : executions_(executions), lesson_(lesson), step_(step), path_(lesson.path.string()),
          wandered_(subject != step.scene.subject) {
        told_.subject = subject;
        scene_ = step.scene;
        scene_.subject = subject;
        if (wandered_) stay_within(scene_);
    }

    Told tell() {
        Figures figures(executions_, lesson_, scene_);
        if (auto fault = scene_fault(executions_, lesson_, scene_, step_.line)) root(*fault);
        else told_.event = *figures.event(), find_lines(figures);
        told_.text = filled(step_.text, lookup(figures), lesson_, told_.problems);
        tell_number(figures);
        if (step_.question) tell_question(*step_.question);
        leave_out_what_follows();
        return std::move(told_);
    }

private:
    void problem(const base::Error& error, uint32_t line) { told_.problems.push_back(at(error, path_, line)); }
    void root(const SceneFault& fault) {
        problem(fault.error, fault.line);
        told_.roots.push_back(told_.problems.back().what);
    }
    // Every figure of a setting that does not run fails with the same words.
    void leave_out_what_follows() {
        std::vector<base::Error> kept;
        for (base::Error& one : told_.problems) {
            const auto same = [&](const base::Error& other) { return other.what == one.what; };
            const bool is_root = std::find(told_.roots.begin(), told_.roots.end(), one.what) != told_.roots.end();
            if (!is_root || std::none_of(kept.begin(), kept.end(), same)) kept.push_back(std::move(one));
        }
        told_.problems = std::move(kept);
    }
    static Lookup lookup(Figures& figures) {
        return [&figures](const std::string& name) { return figures.value(name); };
    }

    // What the reader has set may have fewer blocks and warps, and another kernel need not do what the words say.
    void stay_within(Scene& scene) {
        auto job = executions_.job(scene.subject);
        if (!job) return;
        const catalog::LaunchShape& shape = (*job)->shape;
        scene.block = {std::min(scene.block.x, shape.grid.x - 1), std::min(scene.block.y, shape.grid.y - 1),
                       std::min(scene.block.z, shape.grid.z - 1)};
        const auto warps = (shape.block.count() + trace::warp_size - 1) / trace::warp_size;
        scene.warp = static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(scene.warp), warps - 1));
        if (scene.subject.kernel == step_.scene.subject.kernel) return;
        scene.source.clear();
        if (!Figures(executions_, lesson_, scene).event()) scene.moment.clear();
    }

    // Of the kernel's source, behind what it says of itself.
    void find_lines(Figures& figures) {
        auto traced = figures.traced();
        if (!traced) return;
        if (scene_.source.empty()) {
            const trace::Trace& trace = (*traced)->block.block->trace;
            const trace::Instruction& shown = trace.listing->instructions[trace.events[told_.event].pc];
            const int line = shown.kernel_line > 0 ? shown.kernel_line : shown.source_line;
            if (shown.source_file == 0 && line > 0) told_.first_line = told_.last_line = static_cast<uint32_t>(line);
            return;
        }
        const std::string& source = (*traced)->block.kernel->source;
        const auto lines = base::lines(source);
        const size_t comment = std::min(source.find("*/"), source.size());
        const auto first = std::count(source.begin(), source.begin() + static_cast<ptrdiff_t>(comment), '\n');
        for (size_t i = static_cast<size_t>(first); i < lines.size(); ++i) {
            if (lines[i].find(scene_.source) == std::string_view::npos) continue;
            if (told_.first_line == 0) told_.first_line = static_cast<uint32_t>(i + 1);
            if (i < told_.first_line + most_lines - 1) told_.last_line = static_cast<uint32_t>(i + 1);
        }
        if (told_.first_line == 0)
            problem({base::Failure::check_failed,
                     base::say("no line of {} has \"{}\"", scene_.subject.kernel, scene_.source),
                     {},
                     base::say("copy a part of one into source")},
                    line_of(scene_.lines, "source", step_.line));
    }

    std::optional<Amount> amount(Figures& of, const Formula& formula) {
        auto found = figure(formula.text, lookup(of));
        if (found) return *found;
        problem(found.error(), formula.line);
        return {};
    }

    void tell_number(Figures& figures) {
        if (scene_.number) told_.number = amount(figures, *scene_.number);
        if (scene_.before.empty()) return;
        const Step* before = lesson_.step(scene_.before);
        if (before && scene_.number) {
            Figures of_before(executions_, lesson_, before->scene);
            told_.before = amount(of_before, *scene_.number);
            return;
        }
        problem({base::Failure::check_failed,
                 base::say("before = \"{}\" names no step whose number could stand there", scene_.before),
                 {},
                 base::say("name another step, and give this one a number")},
                line_of(scene_.lines, "before", step_.line));
    }

    void tell_question(const Question& question) {
        Scene asked = scene_;
        if (!wandered_ || !question.follow) asked = asked_scene(step_);
        if (auto fault = setting_fault(executions_, asked, question.line)) return root(*fault);
        Figures figures(executions_, lesson_, asked);
        const auto truth = answer(executions_, lesson_, question, asked, told_.problems);
        if (!truth) return;
        const auto fill = [&](const Text& text) { return filled(text, lookup(figures), lesson_, told_.problems); };
        told_.question = ToldQuestion{fill(question.title), fill(question.ask), fill(question.explanation), {}, *truth};
        for (const Text& item : question.items) told_.question->items.push_back(fill(item));
        if (!scene_.number) return;
        if (const auto number = figure(scene_.number->text, lookup(figures))) told_.question->number = *number;
    }

    Executions& executions_;
    const Lesson& lesson_;
    const Step& step_;
    std::string path_;
    bool wandered_; // the reader has set something else
    Scene scene_;
    Told told_;
};

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
                       base::say("a figure cannot be written as \"{}\"", format),
                       {},
                       base::say("write |percent, |bytes, or how many decimals: |1")};
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
    return Teller(executions, lesson, lesson.steps[number], subject).tell();
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
