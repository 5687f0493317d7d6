#include "exercise/sheet_page.h"

#include "base/html.h"
#include "exercise/verdict_words.h"
#include "views/lines.h"

#include <fmt/format.h>

#include <algorithm>

namespace exercise {
namespace {

using Standing = Judged::Standing;

// Black on white, and for print: at least 7:1.
constexpr const char* style =
    "body{font:16px/1.5 sans-serif;max-width:70em;margin:2em auto;padding:0 1em;color:#111;background:#fff}"
    "table{border-collapse:collapse;width:100%}th,td{border:1px solid #666;padding:4px 8px;"
    "text-align:left;vertical-align:top;overflow-wrap:anywhere}td.n,th.n{text-align:right}"
    "@media(min-width:30em){th{overflow-wrap:normal}tbody th{min-width:8em;overflow-wrap:anywhere}}"
    "caption{text-align:left}.wide{overflow-x:auto}td.look{min-width:20em}tr{break-inside:avoid}"
    "pre{overflow-x:auto;font-size:14px}"
    "td.passed::before{content:\"\\2713  \"}td.failed::before{content:\"\\2717  \"}"
    ".blank{border-bottom:1px solid #111;height:2em;max-width:20em}"
    "section{break-inside:avoid}";

const char* language(const views::Strings& tr) { return tr.language() == session::Language::zh ? "zh" : "en"; }

std::vector<std::string> paragraphs(std::string_view text) {
    std::vector<std::string> all;
    while (!text.empty()) {
        const size_t end = std::min(text.find("\n\n"), text.size());
        if (end > 0) all.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    return all;
}

std::string points_text(int points, const views::Strings& tr) {
    return fmt::format("{} {}", points, tr("sheet.points"));
}

std::string answer_text(const Asked& asked, const views::Strings& tr) {
    if (asked.answer) return number_text(*asked.answer);
    if (asked.race) return fmt::format("{} ({})", to_text(*asked.race->answers.begin()), tr(asked.race->finding.text));
    return named_text(tr("sheet.exercise"), tr(asked.item->exercise->title), tr);
}

// What has been drawn of it, for who wonders why a neighbour's sheet differs.
std::string basis_text(const Asked& asked, const views::Strings& tr) {
    return asked.basis.empty() ? std::string() : fmt::format("({})", tr(asked.basis));
}

// The student's own sizes stay hidden; the exercise's are as good to try.
std::string hand_in_text(const Asked& asked, const views::Strings& tr) {
    return fmt::format("{}: {}.cu; gemmscope grade {}.cu --exercise {}", tr("sheet.file"), asked.item->id,
                       asked.item->id, asked.item->exercise->id);
}

const char* class_of(Standing standing) {
    return standing == Standing::passed ? "n passed" : standing == Standing::failed ? "n failed" : "n";
}

} // namespace

std::string to_text(const ToldSheet& told, const views::Strings& tr) {
    std::string text =
        fmt::format("{} - {} - {}\n", tr(told.sheet.title), told.student, points_text(told.sheet.points(), tr));
    for (const std::string& paragraph : paragraphs(tr(told.sheet.text))) text += paragraph + "\n";
    for (const Asked& asked : told.items) {
        text += fmt::format("\n{} ({})\n  {}\n", asked.item->id, points_text(asked.item->points, tr), tr(asked.ask));
        if (const std::string basis = basis_text(asked, tr); !basis.empty()) text += "  " + basis + "\n";
        if (asked.item->exercise) text += "  " + hand_in_text(asked, tr) + "\n";
        if (asked.race)
            text += fmt::format("  {}\n\n{}\n  {}\n", views::joined_lines(tr(asked.story)), numbered_code(*asked.race),
                                race_question(*asked.race, tr));
        if (told.key) text += fmt::format("  = {}\n", answer_text(asked, tr));
    }
    return text;
}

std::string to_html(const ToldSheet& told, const views::Strings& tr) {
    base::Html page = base::Html::page(language(tr), tr(told.sheet.title), style);
    page.open("main").element("h1", tr(told.sheet.title));
    page.element("p",
                 fmt::format("{}: {} - {}", tr("sheet.student"), told.student, points_text(told.sheet.points(), tr)));
    for (const std::string& paragraph : paragraphs(tr(told.sheet.text))) page.element("p", paragraph);
    for (const Asked& asked : told.items) {
        page.open("section").element("h2", fmt::format("{} ({})", asked.item->id, points_text(asked.item->points, tr)));
        page.element("p", tr(asked.ask));
        if (const std::string basis = basis_text(asked, tr); !basis.empty()) page.element("p", basis);
        if (asked.item->exercise) page.element("p", hand_in_text(asked, tr));
        if (asked.race) {
            page.element("p", views::joined_lines(tr(asked.story)));
            page.element("pre", numbered_code(*asked.race),
                         {{"tabindex", "0"}, {"role", "region"}, {"aria-label", asked.race->kernel}});
            page.element("p", race_question(*asked.race, tr));
        }
        if (told.key) page.element("p", named_text(tr("sheet.answer"), answer_text(asked, tr), tr));
        else if (!asked.item->exercise) page.element("div", "", {{"class", "blank"}});
        page.close();
    }
    return page.done();
}

std::string to_html(const Sheet& sheet, const std::vector<StudentResult>& students, const views::Strings& tr) {
    base::Html page = base::Html::page(language(tr), tr(sheet.title), style);
    page.open("main").element("h1", tr(sheet.title));
    page.element("p", fmt::format("{} {}", students.size(), tr("sheet.hand_ins")));
    page.open("div", {{"class", "wide"}, {"role", "region"}, {"aria-label", tr("sheet.results")}, {"tabindex", "0"}});
    page.open("table").element("caption", tr("sheet.results")).open("thead").open("tr");
    page.element("th", tr("sheet.student"), {{"scope", "col"}});
    page.element("th", fmt::format("{} ({})", tr("sheet.points"), sheet.points()), {{"scope", "col"}, {"class", "n"}});
    for (const Item& item : sheet.items)
        page.element("th", fmt::format("{} ({})", item.id, item.points), {{"scope", "col"}, {"class", "n"}});
    page.element("th", tr("exercise.look_first"), {{"scope", "col"}}).close().close().open("tbody");
    for (const StudentResult& student : students) {
        page.open("tr").element("th", student.student, {{"scope", "row"}});
        page.element("td", std::to_string(student.points()), {{"class", "n"}});
        for (size_t i = 0; i < sheet.items.size(); ++i) {
            if (student.unreadable) page.element("td", "");
            else
                page.element("td", std::to_string(student.items[i].points),
                             {{"class", class_of(student.items[i].standing)}});
        }
        page.element("td", first_look(student, tr), {{"class", "look"}}).close();
    }
    page.close().close().close();
    page.element("h2", tr("sheet.by_item")).open("table").open("thead").open("tr");
    for (const char* key : {"sheet.item", "exercise.passed", "exercise.failed", "sheet.missing"})
        page.element("th", tr(key), {{"scope", "col"}});
    page.close().close().open("tbody");
    for (size_t i = 0; i < sheet.items.size(); ++i) {
        size_t passed = 0, failed = 0, missing = 0;
        for (const StudentResult& student : students) {
            const Standing standing = student.unreadable ? Standing::waiting : student.items[i].standing;
            passed += standing == Standing::passed;
            failed += standing == Standing::failed;
            missing += standing == Standing::waiting || standing == Standing::unknown;
        }
        page.open("tr").element("th", sheet.items[i].id, {{"scope", "row"}});
        for (const size_t count : {passed, failed, missing})
            page.element("td", std::to_string(count), {{"class", "n"}});
        page.close();
    }
    return page.done();
}

} // namespace exercise
