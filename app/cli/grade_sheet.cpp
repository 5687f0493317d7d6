#include "cli/grade_sheet.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/json.h"
#include "exercise/sheet_page.h"

#include <fmt/format.h>

#include <cmath>
#include <unistd.h>

namespace cli {
namespace {

using base::Error;
using base::Failure;
using exercise::Asked;
using exercise::ItemResult;
using exercise::StudentResult;

Json asked_json(const Asked& asked, bool key) {
    Json json{{"id", asked.item->id},
              {"points", asked.item->points},
              {"ask", asked.ask.en},
              {"drawn", values_json(asked.drawn)},
              {"basis", asked.basis.empty() ? Json() : Json(asked.basis.english())}};
    if (asked.item->exercise) json["exercise"] = asked.item->exercise->id;
    if (asked.race) json["code"] = asked.race->code, json["first_line"] = asked.race->first_line;
    if (key && asked.race) json["answer"] = exercise::to_text(*asked.race->answers.begin());
    else if (key) json["answer"] = asked.answer ? number_json(*asked.answer) : Json();
    return json;
}

base::Status print_sheet(const SheetTools& tools, const SheetRequest& request) {
    if (request.student.empty())
        return Error{Failure::usage,
                     base::say("no student is named"),
                     {},
                     base::say("give --student ID, whose sheet is printed, or the work that was handed in")};
    std::vector<Asked> all;
    for (const exercise::Item& item : tools.sheet.items) {
        auto asked = exercise::ask(tools.sheet, item, request.student, tools.executions);
        if (!asked) return asked.error();
        all.push_back(std::move(*asked));
    }
    const exercise::ToldSheet told{tools.sheet, request.student, all, request.key};
    if (!request.html.empty())
        if (auto written = base::write_file(request.html, to_html(told, tools.tr)); !written) return written;
    if (!request.json) {
        if (request.html.empty()) print(to_text(told, tools.tr));
        return base::Done{};
    }
    Json items = Json::array();
    for (const Asked& asked : all) items.push_back(asked_json(asked, request.key));
    print(line({{"sheet", tools.sheet.id},
                {"student", request.student},
                {"points", tools.sheet.points()},
                {"items", std::move(items)}}));
    return base::Done{};
}

Json result_json(const SheetTools& tools, const StudentResult& student) {
    using Standing = exercise::Judged::Standing;
    Json items = Json::array();
    for (const ItemResult& one : student.items)
        items.push_back(
            {{"id", one.item->id},
             {"points", one.points},
             {"most_points", one.item->points},
             {"passed", one.standing == Standing::unknown ? Json() : Json(one.standing == Standing::passed)},
             {"given", one.given.empty() ? Json() : Json(one.given)},
             {"wanted", one.wanted.empty() ? Json() : Json(one.wanted)},
             {"look", one.look.empty() ? Json() : Json(one.look.english())}});
    return {{"sheet", tools.sheet.id},
            {"student", student.student},
            {"file", student.file},
            {"points", student.points()},
            {"most_points", tools.sheet.points()},
            {"items", std::move(items)},
            {"error", student.unreadable ? Json(student.unreadable->sentence()) : Json()},
            {"wall_s", student.wall_s}};
}

// A hand-in says whose it is; who grades it may say so of a folder, but not take one for another's.
base::Status name_student(exercise::HandIn& work, const SheetRequest& request, const std::filesystem::path& file) {
    if (request.student.empty()) return base::Done{};
    if (file.extension() == ".gemm" && work.student != request.student)
        return Error{Failure::usage, base::say("{} handed this in, not {}", work.student, request.student),
                     file.string(), base::say("leave --student out")};
    work.student = request.student;
    return base::Done{};
}

constexpr size_t longest_name = 60; // bytes, in tables

StudentResult grade_one(const SheetTools& tools, const SheetRequest& request, const std::filesystem::path& file) {
    auto work = exercise::read_hand_in(file);
    base::Status named = work ? name_student(*work, request, file) : base::Status(base::Done{});
    StudentResult result;
    if (work && named)
        result = exercise::grade(tools.sheet, *work, tools.executions, {request.seed, tools.limit_s, tools.threads});
    else {
        result.student = base::shown_in(file.stem().string(), longest_name);
        result.unreadable = work ? named.error() : work.error();
    }
    result.file = file.string();
    return result;
}

base::Status write_reports(const SheetTools& tools, const SheetRequest& request,
                           const std::vector<StudentResult>& all) {
    if (!request.csv.empty())
        if (auto written = base::write_file(request.csv, to_csv(tools.sheet, all, tools.tr)); !written) return written;
    if (!request.html.empty())
        if (auto written = base::write_file(request.html, to_html(tools.sheet, all, tools.tr)); !written)
            return written;
    if (!request.junit.empty())
        if (auto written = base::write_file(request.junit, to_junit(tools.sheet, all, tools.tr)); !written)
            return written;
    return base::Done{};
}

base::Status judge(const SheetTools& tools, const std::vector<StudentResult>& all) {
    size_t unreadable = 0;
    for (const StudentResult& one : all) unreadable += one.unreadable.has_value();
    if (unreadable > 0)
        return Error{
            Failure::check_failed, base::say("{} of {} hand-ins could not be read", unreadable, all.size()), {}, {}};
    if (all.size() == 1 && all[0].points() < tools.sheet.points())
        return Error{
            Failure::check_failed, base::say("{} of {} points", all[0].points(), tools.sheet.points()), {}, {}};
    return base::Done{};
}

} // namespace

base::Status grade_sheet(const SheetTools& tools, const SheetRequest& request) {
    if (request.work.empty()) return print_sheet(tools, request);
    const auto files = exercise::hand_ins_in(request.work);
    if (files.empty())
        return Error{Failure::usage, base::say("nothing was handed in"), request.work,
                     base::say("give FILE.gemm, a folder with answers.toml and .cu files, or a folder of those")};
    if (files.size() > 1 && !request.student.empty())
        return Error{Failure::usage,
                     base::say("--student with {} hand-ins", files.size()),
                     {},
                     base::say("leave --student out")};
    const bool watched = ::isatty(STDERR_FILENO) == 1;
    std::vector<StudentResult> all;
    for (const auto& file : files) {
        if (watched) fmt::print(stderr, "\r{} of {}  ", all.size() + 1, files.size());
        all.push_back(grade_one(tools, request, file));
        if (request.json) print(line(result_json(tools, all.back())));
        else if (request.csv.empty() && request.html.empty())
            print(exercise::to_text(tools.sheet, all.back(), tools.tr));
    }
    if (watched) fmt::print(stderr, "\r            \r");
    if (auto written = write_reports(tools, request, all); !written) return written;
    return judge(tools, all);
}

} // namespace cli
