#include "lesson/check.h"

#include "lesson/figures.h"
#include "lesson/formula.h"
#include "lesson/tell.h"

#include <fmt/format.h>

#include <algorithm>

namespace lesson {
namespace {

class Checker {
public:
    Checker(Executions& executions, const Lesson& lesson, const std::vector<std::string>& views,
            const std::vector<std::string>& lessons)
        : executions_(executions), lesson_(lesson), views_(views), lessons_(lessons) {}

    std::vector<base::Error> faults() {
        for (const std::string& id : lesson_.needs) check_need(id);
        for (size_t i = 0; i < lesson_.steps.size(); ++i)
            told_.push_back(tell(executions_, lesson_, i, lesson_.steps[i].scene.subject));
        for (size_t i = 0; i < lesson_.steps.size(); ++i) check_step(lesson_.steps[i], told_[i]);
        if (lesson_.teachers.en.empty())
            add(1, base::say("the sheet for teachers is missing"),
                base::say("end the file with ## For teachers {{#teachers}}"));
        return std::move(faults_);
    }

private:
    void add_to(const std::filesystem::path& file, uint32_t line, base::Sentence what, base::Sentence todo) {
        faults_.push_back(
            {base::Failure::check_failed, std::move(what), fmt::format("{}:{}", file.string(), line), std::move(todo)});
    }
    void add(uint32_t line, base::Sentence what, base::Sentence todo) {
        add_to(lesson_.path, line, std::move(what), std::move(todo));
    }

    void check_need(const std::string& id) {
        std::error_code ignored;
        const bool beside =
            id.find('/') == id.npos && std::filesystem::exists(lesson_.path.parent_path() / (id + ".md"), ignored);
        if (id == lesson_.id)
            return add(lesson_.needs_line, base::say("the lesson needs itself"),
                       base::say("name those that come before it"));
        if (beside || std::find(lessons_.begin(), lessons_.end(), id) != lessons_.end()) return;
        add(lesson_.needs_line, base::say("there is no lesson \"{}\"", id),
            lessons_.empty() ? base::say("give its folder with --lessons")
                             : base::say("choose among {}, or give its folder with --lessons", base::names(lessons_)));
    }

    static bool is_root(const base::Error& problem, const Told& told) {
        return std::find(told.roots.begin(), told.roots.end(), problem.what) != told.roots.end();
    }
    // It is told where it stands: at another step whose figure this one names, or at the first step of a kernel that is not there.
    bool told_elsewhere(const base::Error& problem, const Told* here) const {
        if (here && is_root(problem, *here) && executions_.catalog().find(here->subject.kernel)) return false;
        return std::any_of(told_.begin(), told_.end(), [&](const Told& other) {
            return &other != here && is_root(problem, other) && !(here && is_root(problem, *here) && here < &other);
        });
    }

    void check_step(const Step& step, const Told& told) {
        check_names(step);
        check_length(step, told);
        for (const base::Error& problem : told.problems)
            if (!told_elsewhere(problem, &told)) faults_.push_back(problem);
        if (told.problems.empty()) check_statements(step);
        if (step.question) check_question(step, told);
    }

    void check_names(const Step& step) {
        for (const std::string& view : step.scene.views)
            if (std::find(views_.begin(), views_.end(), view) == views_.end())
                add(line_of(step.scene.lines, "views", step.line), base::say("there is no view \"{}\"", view),
                    base::say("choose one of {}", base::names(views_)));
        const auto kernel = executions_.catalog().find(step.scene.subject.kernel);
        if (kernel && !step.scene.slider.empty())
            check_parameter(*kernel, line_of(step.scene.lines, "slider", step.line), step.scene.slider, "slider");
        if (!kernel || !step.question) return;
        for (const std::string& name : step.question->vary)
            check_parameter(*kernel, line_of(step.question->lines, "vary", step.line), name, "vary");
    }
    void check_parameter(const catalog::Kernel& kernel, uint32_t line, const std::string& name, const char* key) {
        if (catalog::find_parameter(kernel, name)) return;
        add(line, base::say("{} = \"{}\", and {} has no such parameter", key, name, kernel.id),
            base::say("choose one of {}", base::names(catalog::parameter_names(kernel))));
    }

    void check_length(const Step& step, const Told& told) {
        const auto one = [&](const Prose& text, const std::filesystem::path& file, uint32_t heading) {
            const uint32_t line = text.empty() || text[0].runs.empty() ? heading : text[0].runs[0].line;
            if (text.empty())
                add_to(file, line, base::say("the step \"{}\" says nothing", step.id),
                       base::say("write a sentence or two"));
            if (const int count = words(text); count > most_words)
                add_to(file, line, base::say("the text has {} words", count),
                       base::say("say it in {}: it is shown beside a picture", most_words));
        };
        one(told.text.en, lesson_.path, step.line);
        if (lesson_.chinese) one(told.text.zh, *lesson_.chinese, step.chinese_line);
    }

    void check_statements(const Step& step) {
        Figures figures(executions_, lesson_, step.scene);
        const Lookup lookup = [&](const std::string& name) { return figures.value(name); };
        for (const Formula& statement : step.checks) {
            const auto value = evaluate(statement.text, lookup);
            if (!value) {
                if (!told_elsewhere(value.error(), nullptr))
                    add(statement.line, value.error().what, value.error().todo);
            } else if (*value == 0)
                add(statement.line, does_not_hold(statement, figures), base::say("correct the statement or the step"));
        }
    }
    // With what is known of its names: "access.wavefronts is 32".
    static base::Sentence does_not_hold(const Formula& statement, Figures& figures) {
        std::vector<base::Sentence> values;
        for (const std::string& name : names_in(statement.text))
            if (const auto value = figures.value(name))
                values.push_back(base::say("{} is {}", name, number_text(*value)));
        if (values.empty()) return base::say("\"{}\" does not hold", statement.text);
        return base::say("\"{}\" does not hold: {}", statement.text, base::list(std::move(values), ", "));
    }

    void check_question(const Step& step, const Told& told) {
        const Question& question = *step.question;
        if (question.explanation.en.empty())
            add(question.line, base::say("the question has no explanation"),
                base::say("write a paragraph after its block"));
        if (lesson_.chinese && question.explanation.zh.empty())
            add_to(*lesson_.chinese, question.chinese_line,
                   base::say("the question of \"{}\" has no explanation", step.id), base::say("translate it"));
        if (step.scene.number && step.scene.number->text == question.answer.text &&
            question.subject == step.scene.subject)
            add(question.line, base::say("the step's number, {}, tells the answer", question.answer.text),
                base::say("leave the number out, or let the question name another setting"));
        check_computed(step, question.answer);
        const auto typed = [](const Formula& condition) { return names_in(condition.text).empty(); };
        if (std::all_of(question.right.begin(), question.right.end(), typed) && !question.right.empty())
            check_computed(step, question.right.front());
        if (told.question && question.kind == Question::Kind::number && question.within < 0)
            add(question.line, base::say("within is negative"), base::say("write a share of the answer, such as 0.05"));
    }

    // A number, or a setting alone, is typed: it stays what it is when the kernel changes.
    void check_computed(const Step& step, const Formula& answer) {
        if (answer.text.empty()) return;
        const auto kernel = executions_.catalog().find(step.question->subject.kernel);
        const auto names = names_in(answer.text);
        const bool setting = names.size() == 1 && names[0] == answer.text &&
                             ((kernel && catalog::find_parameter(*kernel, answer.text)) || answer.text == "M" ||
                              answer.text == "N" || answer.text == "K");
        if (names.empty() || setting)
            add(answer.line, base::say("the answer \"{}\" is typed, not counted", answer.text),
                base::say("answers are computed: name a figure"));
    }

    Executions& executions_;
    const Lesson& lesson_;
    const std::vector<std::string>& views_;
    const std::vector<std::string>& lessons_;
    std::vector<Told> told_; // of all steps
    std::vector<base::Error> faults_;
};

} // namespace

std::vector<base::Error> check(Executions& executions, const Lesson& lesson, const std::vector<std::string>& views,
                               const std::vector<std::string>& lessons) {
    return Checker(executions, lesson, views, lessons).faults();
}

} // namespace lesson
