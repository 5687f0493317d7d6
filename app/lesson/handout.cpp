#include "lesson/handout.h"

#include "base/html.h"
#include "base/version.h"
#include "lesson/figures.h"
#include "lesson/markup.h"
#include "lesson/tell.h"
#include "trace/trace.h"
#include "views/say.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace lesson {
namespace {

using base::Html;
using session::Language;
using Kind = Question::Kind;

// What a view counts, as figures of a lesson name it; in the table of words a dot is an underscore.
struct Fact {
    std::string_view view, figure;
};
constexpr std::array all_facts{
    Fact{"banks", "access.wavefronts"},
    Fact{"banks", "access.ideal"},
    Fact{"banks", "access.ways"},
    Fact{"sectors", "access.sectors"},
    Fact{"sectors", "access.ideal_sectors"},
    Fact{"sectors", "access.used|percent"},
    Fact{"numbers", "registers"},
    Fact{"numbers", "shared_bytes|bytes"},
    Fact{"numbers", "occupancy.percent|percent"},
    Fact{"numbers", "ffma_share|percent"},
    Fact{"timeline", "barriers"},
    Fact{"source", "findings"},
    Fact{"roofline", "intensity"},
    Fact{"roofline", "speed.tflops|1"},
    Fact{"plot", "speed.tflops|1"},
    Fact{"plot", "speed.percent|percent"},
    Fact{"ladder_plot", "speed.tflops|1"},
    Fact{"ladder_plot", "speed.percent|percent"},
    Fact{"parameter", "speed.tflops|1"},
    Fact{"parameter", "speed.percent|percent"},
};

// Dark on white, so that it prints and is read at arm's length: #444 on white has a contrast of 9.7 to 1.
constexpr std::string_view style =
    "body{font:10pt/1.4 \"Noto Sans\",\"DejaVu Sans\",\"Noto Sans CJK SC\",sans-serif;color:#111;background:#fff;"
    "max-width:180mm;margin:0 auto;padding:8mm}\n"
    "h1{font-size:20pt;margin:0 0 2mm}h2{font-size:13pt;margin:3mm 0 1mm;border-top:1px solid #767676;padding-top:2mm}"
    "h3{font-size:11pt;margin:3mm 0 1mm}h1,h2,h3{line-height:1.25;break-after:avoid}\n"
    "p{margin:0 0 1.5mm;orphans:3;widows:3}code{font-family:\"DejaVu Sans Mono\",monospace;font-size:.95em}\n"
    ".subtitle,figcaption{color:#444;font-size:8.5pt}.number{font-size:12.5pt;font-weight:bold}\n"
    "section:not(.key)>p{break-inside:avoid;break-after:avoid}figure{margin:1mm 0;break-inside:avoid;max-width:138mm}"
    "img{display:block;width:100%;height:auto;border:1px solid #767676}\n"
    "table{border-collapse:collapse;margin:1mm 0;font-size:9pt;break-inside:avoid}caption{text-align:left;font-weight:bold}"
    "th,td{border:1px solid #767676;padding:.5mm 2mm;text-align:left}td{white-space:nowrap}"
    "th{font-weight:normal;color:#444}.blank{min-width:14mm;height:7mm}\n"
    ".question{border-left:1.5mm solid #0b5394;padding-left:4mm;break-inside:avoid}\n"
    ".question ul{list-style:none;padding:0}.question li{margin:1mm 0}.box{display:inline-block;width:4mm;height:4mm;"
    "border:1px solid #111;margin-right:2.5mm;vertical-align:-.5mm}\n"
    ".line{display:inline-block;min-width:60mm;border-bottom:1px solid #111}\n"
    "@media(max-width:40em){th,td{white-space:normal;overflow-wrap:anywhere;padding:.5mm 1mm}.line{min-width:40mm}.blank{min-width:0}}\n"
    "@page{size:A4;margin:13mm 15mm}@media print{body{padding:0;max-width:none}.key{break-before:page}}\n";

// A paragraph that stands out altogether is a heading of the sheet.
bool is_heading(const Paragraph& paragraph) {
    return !paragraph.runs.empty() && std::all_of(paragraph.runs.begin(), paragraph.runs.end(),
                                                  [](const Run& run) { return run.style == Run::Style::strong; });
}

class Handout {
public:
    Handout(const Lesson& lesson, const std::vector<HandoutStep>& steps, const views::Strings& tr)
        : lesson_(lesson), steps_(steps), tr_(tr), language_(tr.language()),
          page_(Html::page(language_ == Language::zh ? "zh-Hans" : "en", lesson.title.in(language_), style)) {}

    std::string make(bool with_key) {
        page_.open("main");
        begin();
        for (size_t i = 0; i < lesson_.steps.size() && i < steps_.size(); ++i) step(i);
        if (with_key) key();
        return page_.done();
    }

private:
    std::string fill(std::string_view key, const auto&... values) const { return views::say(tr_, key, values...); }
    std::string flat(const Text& text) const { return plain_text(text.in(language_), " "); }
    void prose(const Text& text) { page_.markup(html(text.in(language_))).markup("\n"); }
    void line(std::string_view label, std::string_view kind = "line") {
        page_.text(label).markup(" ").element("span", "", {{"class", kind}});
    }

    void begin() {
        page_.element("h1", lesson_.title.in(language_));
        page_.element("p", fill("handout.subtitle", lesson_.id, lesson_.minutes, base::version()),
                      {{"class", "subtitle"}});
        page_.open("p");
        line(tr_("handout.name"));
        page_.markup(" ");
        line(tr_("handout.date"));
        page_.close();
    }

    void step(size_t i) {
        const Step& step = lesson_.steps[i];
        const HandoutStep& done = steps_[i];
        const std::string heading = fmt::format("step{}", i + 1);
        page_.open("section", {{"aria-labelledby", heading}});
        page_.element("h2", fill("handout.step", i + 1, step.title.in(language_)), {{"id", heading}});
        prose(done.told.text);
        if (!step.question) number(step, done.told);
        for (const views::PagePicture& one : done.pictures) add_picture(page_, one);
        facts(done);
        if (step.question && done.told.question) ask(*step.question, *done.told.question);
        page_.close();
    }

    void number(const Step& step, const Told& told) {
        if (!told.number) return;
        const std::string words = told.number->text + " " + step.scene.label.in(language_);
        page_.element("p", told.before ? fill("handout.before", told.before->text, words) : words,
                      {{"class", "number"}});
    }

    // One row below its names: a step is to leave room for another one on the page. The captions say what is set.
    void facts(const HandoutStep& done) {
        if (done.facts.empty()) return;
        page_.open("table").element("caption", tr_("handout.facts")).open("thead").open("tr");
        for (const auto& [name, value] : done.facts) page_.element("th", name, {{"scope", "col"}});
        page_.close().close().open("tbody").open("tr");
        for (const auto& [name, value] : done.facts) page_.element("td", value);
        page_.close().close().close();
    }

    void boxes(const ToldQuestion& told) {
        page_.open("ul");
        char letter = 'A';
        for (const Text& item : told.items) {
            page_.open("li").element("span", "", {{"class", "box"}});
            page_.text(fmt::format("{}. {}", letter++, flat(item))).close();
        }
        page_.close();
    }

    // The values that the reader is to draw, as a row to fill in.
    void row_to_fill(const Question& question, const Answer& answer) {
        page_.open("table").open("tbody").open("tr").element("th", question.over, {{"scope", "row"}});
        for (const Answer::Point& point : answer.curve)
            page_.element("th", std::to_string(point.x), {{"scope", "col"}});
        page_.close().open("tr").element("th", tr_("handout.expected"), {{"scope", "row"}});
        for (size_t i = 0; i < answer.curve.size(); ++i) page_.element("td", "", {{"class", "blank"}});
        page_.close().close().close();
    }

    void ask(const Question& question, const ToldQuestion& told) {
        page_.open("div", {{"class", "question"}}).element("h3", fill("handout.question", ++asked_));
        prose(told.title);
        prose(told.ask);
        const char* how = question.kind == Kind::choice  ? "handout.tick"
                          : question.kind == Kind::order ? "handout.number_items"
                          : question.kind == Kind::lane  ? "handout.lane"
                          : question.kind == Kind::curve ? "handout.fill_row"
                                                         : nullptr;
        if (how) page_.element("p", tr_(how), {{"class", "subtitle"}});
        if (question.kind == Kind::choice || question.kind == Kind::order) boxes(told);
        else if (question.kind == Kind::curve) row_to_fill(question, told.answer);
        if (question.kind == Kind::number || question.kind == Kind::lane) {
            page_.open("p");
            line(tr_("handout.answer"));
            page_.close();
        }
        page_.close();
    }

    std::string answer_text(const Question& question, const ToldQuestion& told) const {
        const Answer& answer = told.answer;
        std::string text;
        const auto add = [&](const std::string& part) { text += (text.empty() ? "" : "; ") + part; };
        if (question.kind == Kind::number) add(number_text(answer.number));
        if (question.kind == Kind::lane)
            for (int lane = 0; lane < trace::warp_size; ++lane)
                if (answer.lanes >> lane & 1) add(fill("handout.lanes", lane));
        for (const size_t item : answer.items)
            if (item < told.items.size())
                add(fmt::format("{}. {}", static_cast<char>('A' + item), flat(told.items[item])));
        for (const Answer::Point& point : answer.curve)
            add(fmt::format("{} = {}: {}", question.over, point.x, number_text(point.y)));
        return text;
    }

    void key() {
        page_.open("section", {{"class", "key"}, {"aria-labelledby", "key"}});
        page_.element("h2", tr_("handout.key"), {{"id", "key"}});
        size_t number = 0;
        for (size_t i = 0; i < lesson_.steps.size() && i < steps_.size(); ++i) {
            const auto& question = lesson_.steps[i].question;
            const auto& told = steps_[i].told.question;
            if (!question || !told) continue;
            page_.element("h3", fill("handout.question", ++number));
            page_.open("p").element("strong", answer_text(*question, *told)).close();
            prose(told->explanation);
            if (told->number)
                page_.element(
                    "p", fill("handout.asked_number", told->number->text, lesson_.steps[i].scene.label.in(language_)));
        }
        sheet(lesson_.teachers.in(language_));
        page_.close();
    }

    // Its items follow each other as a list.
    void sheet(const Prose& sheet) {
        constexpr std::string_view dot = "• ";
        bool in_list = false;
        for (const Paragraph& paragraph : sheet) {
            const bool item = !paragraph.runs.empty() && paragraph.runs.front().text.starts_with(dot);
            if (item != in_list) item ? page_.open("ul") : page_.close();
            in_list = item;
            if (item) {
                Paragraph rest = paragraph;
                rest.runs.front().text.erase(0, dot.size());
                page_.open("li").markup(html(Prose{rest})).close();
            } else if (is_heading(paragraph)) {
                page_.element("h3", plain_text(Prose{paragraph}));
            } else {
                page_.markup(html(Prose{paragraph})).markup("\n");
            }
        }
        if (in_list) page_.close();
    }

    const Lesson& lesson_;
    const std::vector<HandoutStep>& steps_;
    const views::Strings& tr_;
    Language language_;
    Html page_;
    int asked_ = 0;
};

} // namespace

std::vector<std::pair<std::string, std::string>> facts(Executions& executions, const Lesson& lesson, const Step& step,
                                                       const views::Strings& tr) {
    std::vector<std::pair<std::string, std::string>> found;
    if (step.question) return found; // it could be the answer
    Figures figures(executions, lesson, step.scene);
    const auto shows = [&](std::string_view view) {
        const auto& views = step.scene.views;
        return views.empty() ? view == "banks" : std::find(views.begin(), views.end(), view) != views.end();
    };
    for (const Fact& fact : all_facts) {
        if (!shows(fact.view)) continue;
        const auto amount =
            figure(std::string(fact.figure), [&](const std::string& name) { return figures.value(name); });
        if (!amount) continue; // not of this step: no access, or nothing recorded
        std::string word(fact.figure.substr(0, fact.figure.find('|')));
        std::replace(word.begin(), word.end(), '.', '_');
        found.emplace_back(tr("handout." + word), amount->text);
    }
    return found;
}

std::string to_handout(const Lesson& lesson, const std::vector<HandoutStep>& steps, const views::Strings& tr,
                       bool with_key) {
    return Handout(lesson, steps, tr).make(with_key);
}

} // namespace lesson
