#include "lesson/class_answers.h"

#include "base/html.h"
#include "lesson/markup.h"
#include "lesson/tell.h"
#include "trace/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace lesson {
namespace {

using session::Language;
using Kind = Question::Kind;

const Question* question_of(const Lessons& lessons, const Given& given) {
    const auto lesson = lessons.find(given.lesson);
    const Step* step = lesson ? lesson->step(given.step) : nullptr;
    return step && step->question ? &*step->question : nullptr;
}

std::string item_text(const Question* question, size_t item, Language language) {
    if (question && item < question->items.size()) return plain_text(question->items[item].in(language), " ");
    return fmt::format("{}", item + 1);
}

std::string answer_text(const Given& given, const Question* question, Language language) {
    const Answer& answer = given.answer;
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (given.kind == Kind::number) return number_text(answer.number);
    if (given.kind == Kind::curve)
        return given.right ? (language == Language::zh ? "相符" : "close")
                           : (language == Language::zh ? "不符" : "off");
    if (given.kind == Kind::lane)
        for (int lane = 0; lane < trace::warp_size; ++lane)
            if (answer.lanes >> lane & 1) add(fmt::format("lane {}", lane));
    for (const size_t item : answer.items) add(item_text(question, item, language));
    return text.empty() ? "-" : text;
}

// The title of the question that was asked. Only parameters are known here; other figures are left open.
Title title_of(const Question* question, const catalog::Values& parameters) {
    if (!question) return {};
    const Lookup lookup = [&](const std::string& name) -> base::Result<double> {
        const auto known = parameters.find(name);
        if (known != parameters.end()) return double(known->second);
        return base::Error{base::Failure::missing, base::verbatim(name), {}, {}};
    };
    std::vector<base::Error> open;
    return {plain_text(filled(question->title.en, lookup, {}, open), " "),
            plain_text(filled(question->title.zh, lookup, {}, open), " ")};
}

// A question that follows its reader is another for each setting.
using Key = std::tuple<std::string, std::string, std::string, catalog::Values>; // lesson, step, kernel, parameters

void add(Histogram& histogram, const Given& first, const Given& last, const Question* question) {
    const Title answer{answer_text(first, question, Language::en), answer_text(first, question, Language::zh)};
    auto bar = std::find_if(histogram.bars.begin(), histogram.bars.end(), [&](const Histogram::Bar& one) {
        return one.answer == answer && one.right == first.right;
    });
    if (bar == histogram.bars.end()) bar = histogram.bars.insert(bar, {answer, 0, first.right});
    ++bar->students;
    ++histogram.students;
    histogram.right += first.right;
    histogram.right_at_last += last.right;
}

struct Words {
    const char *title, *students, *right, *at_last, *damaged, *answer, *share;
};
Words words_in(Language language) {
    if (language == Language::zh)
        return {"全班的回答", "名学生", "首次答对", "最后答对", "行损坏，已略过", "答案", "占比"};
    return {"What the class answered", "students", "right at first", "right at last",
            "damaged lines left out",  "answer",   "share"};
}

std::string heading(const Histogram& one, Language language) {
    const std::string& title = one.title.in(language);
    return fmt::format("{} / {}{}{}", one.lesson, one.step, title.empty() ? "" : ": ", title);
}

std::string summary(const Histogram& one, Language language) {
    const Words words = words_in(language);
    return fmt::format("{} {}, {} {}, {} {}", one.students, words.students, one.right, words.right, one.right_at_last,
                       words.at_last);
}

} // namespace

Class class_of(const std::vector<Answers>& students, const Lessons& lessons) {
    Class all;
    all.students = students.size();
    std::map<Key, Histogram> questions;
    for (const Answers& one : students) {
        all.damaged += one.damaged;
        std::map<Key, std::pair<const Given*, const Given*>> of_student; // first, last
        for (const Given& given : one.given) {
            auto& [first, last] = of_student[{given.lesson, given.step, given.kernel, given.parameters}];
            if (!first) first = &given;
            last = &given;
        }
        for (const auto& [id, given] : of_student) {
            const Question* question = question_of(lessons, *given.first);
            Histogram& histogram = questions[id];
            histogram.lesson = given.first->lesson;
            histogram.step = given.first->step;
            histogram.title = title_of(question, given.first->parameters);
            add(histogram, *given.first, *given.second, question);
        }
    }
    for (auto& [id, histogram] : questions) {
        std::stable_sort(histogram.bars.begin(), histogram.bars.end(),
                         [](const auto& a, const auto& b) { return a.students > b.students; });
        all.questions.push_back(std::move(histogram));
    }
    return all;
}

std::string to_text(const Class& all, Language language) {
    const Words words = words_in(language);
    std::string text = fmt::format("{} {}\n", all.students, words.students);
    if (all.damaged) text += fmt::format("{} {}\n", all.damaged, words.damaged);
    for (const Histogram& one : all.questions) {
        text += fmt::format("\n{}\n{}\n", heading(one, language), summary(one, language));
        for (const Histogram::Bar& bar : one.bars) {
            const size_t length = (40 * bar.students + one.students - 1) / one.students;
            text += fmt::format("  {} {:>4} {:<40} {}\n", bar.right ? '*' : ' ', bar.students, std::string(length, '#'),
                                bar.answer.in(language));
        }
    }
    return text;
}

std::string to_csv(const Class& all, Language language) {
    std::string text = "lesson,step,question,answer,students,right\r\n";
    for (const Histogram& one : all.questions)
        for (const Histogram::Bar& bar : one.bars)
            text += fmt::format("{},{},{},{},{},{}\r\n", csv_cell(one.lesson), csv_cell(one.step),
                                csv_cell(one.title.in(language)), csv_cell(bar.answer.in(language)), bar.students,
                                bar.right ? 1 : 0);
    return text;
}

std::string to_html(const Class& all, Language language) {
    const Words words = words_in(language);
    base::Html page = base::Html::page(
        language == Language::zh ? "zh-Hans" : "en", words.title,
        "body{font:16px/1.5 sans-serif;color:#111;background:#fff;max-width:60em;margin:2em auto;padding:0 1em}"
        "th,td{padding:2px 8px;text-align:left}.n{text-align:right}.bar{height:1.1em;background:#56b4e9}"
        ".right .bar{background:#009e73}.right th::before{content:\"\\2713  \"}table{width:100%}"
        "tbody th{width:35%;font-weight:normal}td.share{width:50%}");
    page.open("main").element("h1", words.title).element("p", fmt::format("{} {}", all.students, words.students));
    if (all.damaged) page.element("p", fmt::format("{} {}", all.damaged, words.damaged));
    for (const Histogram& one : all.questions) {
        page.element("h2", heading(one, language)).element("p", summary(one, language));
        page.open("table").open("thead").open("tr");
        page.element("th", words.answer, {{"scope", "col"}})
            .element("th", words.students, {{"scope", "col"}, {"class", "n"}});
        page.element("th", words.share, {{"scope", "col"}}).close().close().open("tbody");
        for (const Histogram::Bar& bar : one.bars) {
            const std::string percent = fmt::format("{}%", 100 * bar.students / one.students);
            page.open("tr", {{"class", bar.right ? "right" : "wrong"}});
            page.element("th", bar.answer.in(language), {{"scope", "row"}});
            page.element("td", std::to_string(bar.students), {{"class", "n"}});
            page.open("td", {{"class", "share"}}).element("div", "", {{"class", "bar"}, {"style", "width:" + percent}});
            page.text(percent).close().close();
        }
        page.close().close();
    }
    return page.done();
}

} // namespace lesson
