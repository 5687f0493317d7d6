// Results as text, as a table for spreadsheets, and as a course's CI reads them.
#include "base/html.h"
#include "exercise/sheet_grade.h"
#include "exercise/verdict_words.h"
#include "lesson/markup.h"

#include <fmt/format.h>

namespace exercise {
namespace {

using Standing = Judged::Standing;
using base::xml_text;
using lesson::csv_cell;

std::string item_line(const ItemResult& result, const views::Strings& tr) {
    const bool missing = result.standing == Standing::waiting;
    std::string text = fmt::format("  {}: {}, {}/{}", result.item->id,
                                   missing ? tr("sheet.missing") : standing_text(result.standing, tr), result.points,
                                   result.item->points);
    if (!result.given.empty()) text += fmt::format(", {}", result.given);
    if (result.standing == Standing::failed && !result.wanted.empty()) text += fmt::format(" ({})", result.wanted);
    if (!result.look.empty()) text += fmt::format("\n    {}", tr(result.look));
    return text + "\n";
}

// One test of JUnit's: what it failed with, where it did.
std::string test_case(const std::string& of, const std::string& name, Standing standing, const std::string& message) {
    std::string text = fmt::format("    <testcase classname=\"{}\" name=\"{}\"", xml_text(of), xml_text(name));
    if (standing == Standing::passed) return text + "/>\n";
    const char* element = standing == Standing::failed    ? "failure"
                          : standing == Standing::waiting ? "skipped"
                                                          : "error";
    return text + fmt::format("><{} message=\"{}\"/></testcase>\n", element, xml_text(message));
}

struct Tally {
    size_t tests = 0, failures = 0, errors = 0, skipped = 0;
    void add(Standing standing) {
        ++tests;
        failures += standing == Standing::failed;
        errors += standing == Standing::unknown;
        skipped += standing == Standing::waiting;
    }
    std::string attributes() const {
        return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\"", tests, failures, errors,
                           skipped);
    }
};

constexpr const char* xml_head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

} // namespace

std::string first_look(const StudentResult& student, const views::Strings& tr) {
    if (student.unreadable) return tr(*student.unreadable);
    for (const ItemResult& result : student.items) {
        if (result.standing == Standing::passed) continue;
        std::string said = result.standing == Standing::waiting ? tr("sheet.missing") : tr(result.look);
        if (said.empty()) said = fmt::format("{} ({})", result.given, result.wanted);
        return fmt::format("{}: {}", result.item->id, said);
    }
    return {};
}

std::string to_text(const Sheet& sheet, const StudentResult& student, const views::Strings& tr) {
    std::string text = fmt::format("{}: {}/{}\n", student.student, student.points(), sheet.points());
    if (student.unreadable) return text + fmt::format("  {}\n", tr(*student.unreadable));
    for (const ItemResult& result : student.items) text += item_line(result, tr);
    return text;
}

std::string to_csv(const Sheet& sheet, const std::vector<StudentResult>& students, const views::Strings& tr) {
    std::string text = "student,points,of";
    for (const Item& item : sheet.items) text += "," + csv_cell(item.id);
    text += ",look_first,file,seconds\r\n";
    for (const StudentResult& student : students) {
        text += fmt::format("{},{},{}", csv_cell(student.student), student.points(), sheet.points());
        for (size_t i = 0; i < sheet.items.size(); ++i)
            text += student.unreadable ? "," : fmt::format(",{}", student.items[i].points);
        text +=
            fmt::format(",{},{},{:.2f}\r\n", csv_cell(first_look(student, tr)), csv_cell(student.file), student.wall_s);
    }
    return text;
}

std::string to_junit(const Sheet& sheet, const std::vector<StudentResult>& students, const views::Strings& tr) {
    std::string text = xml_head + fmt::format("<testsuites name=\"{}\">\n", xml_text(sheet.id));
    for (const StudentResult& student : students) {
        Tally tally;
        std::string cases;
        const std::string of =
            fmt::format("{}.{}", sheet.id, student.student); // GitLab leaves out what has the same two names
        if (student.unreadable) {
            tally.add(Standing::unknown);
            cases = test_case(of, "hand-in", Standing::unknown, tr(*student.unreadable));
        }
        for (const ItemResult& result : student.items) {
            tally.add(result.standing);
            const std::string message = !result.look.empty() ? tr(result.look) : result.given;
            cases += test_case(of, result.item->id, result.standing, message);
        }
        text += fmt::format("  <testsuite name=\"{}\" {} time=\"{:.3f}\">\n{}  </testsuite>\n",
                            xml_text(student.student), tally.attributes(), student.wall_s, cases);
    }
    return text + "</testsuites>\n";
}

std::string to_junit(const Exercise& exercise, const Verdict& verdict, const views::Strings& tr) {
    Tally tally;
    std::string cases;
    for (const Judged& judged : verdict.rules) {
        tally.add(judged.standing);
        std::string message = tr(judged.got);
        const auto add = [&message](const std::string& more) {
            if (!more.empty()) message += (message.empty() ? "" : "; ") + more;
        };
        if (judged.look) {
            const std::string place = place_text(*judged.look);
            if (!(judged.look->text == judged.got)) add(tr(judged.look->text));
            if (!place.empty()) message = place + ": " + message;
        }
        add(hint_text(judged, tr));
        cases += test_case(exercise.id, rule_text(judged, tr), judged.standing, message);
    }
    return xml_head + fmt::format("<testsuites name=\"{}\">\n  <testsuite name=\"{}\" {} time=\"{:.3f}\">\n{}  "
                                  "</testsuite>\n</testsuites>\n",
                                  xml_text(exercise.id), xml_text(verdict.file), tally.attributes(), verdict.wall_s,
                                  cases);
}

} // namespace exercise
