#include "exercise/sheet_grade.h"

#include "base/number.h"
#include "base/text.h"
#include "exercise/verdict_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace exercise {
namespace {

using Standing = Judged::Standing;

constexpr size_t room = 60; // bytes of what a student wrote, in tables

// ITEM.cu, else EXERCISE.cu, else the only one.
const std::pair<const std::string, std::string>* source_of(const HandIn& work, const Item& item) {
    for (const std::string& name : {item.id + ".cu", item.exercise->id + ".cu"})
        if (const auto found = work.sources.find(name); found != work.sources.end()) return &*found;
    return work.sources.size() == 1 ? &*work.sources.begin() : nullptr;
}

ItemResult grade_kernel(const Asked& asked, const HandIn& work, GradeOptions options, std::stop_token stop) {
    ItemResult result{asked.item, 0, Standing::waiting, {}, {}, {}};
    const auto* source = source_of(work, *asked.item);
    if (!source) return result;
    options.seed = fmt::format("{}/{}", options.seed, asked.seed);
    // The compiler sees the item's name: a student's may be anything.
    const Verdict verdict =
        grade(*asked.item->exercise, source->second, asked.item->id + ".cu", options, std::move(stop));
    const int most = std::max(verdict.most_points(), 1);
    result.points = asked.item->points * verdict.points() / most;
    result.given = fmt::format("{}/{}", verdict.points(), verdict.most_points());
    const Judged* first = verdict.first();
    result.standing = first ? first->standing : Standing::passed;
    if (!first) return result;
    const bool placed = first->look && !first->look->text.empty();
    const base::Sentence what = placed ? first->look->text : first->got;
    const std::string place = first->look ? place_text(*first->look) : std::string();
    result.look =
        place.empty() ? base::say("{}: {}", first->wanted, what) : base::say("{}: {}: {}", place, first->wanted, what);
    if (result.standing == Standing::waiting) result.standing = Standing::failed;
    return result;
}

ItemResult grade_lines(const Asked& asked, const HandIn& work) {
    ItemResult result{asked.item, 0, Standing::waiting, {}, to_text(*asked.race->answers.begin()), {}};
    const auto answer = work.answers.find(asked.item->id);
    if (answer == work.answers.end()) return result;
    result.given = base::shown_in(answer->second, room);
    const auto lines = parse_lines(answer->second);
    const bool right = lines && judge(*asked.race, *lines);
    result.standing = right ? Standing::passed : Standing::failed;
    result.points = right ? asked.item->points : 0;
    if (!lines) result.look = base::say("\"{}\" is not a list of lines", result.given);
    return result;
}

// As a person writes it: "8,192". A comma elsewhere may be a decimal point, and is left for the reader of numbers to refuse.
std::string without_thousands_separators(std::string_view text) {
    std::string digits(base::trimmed(text));
    const auto is_digit = [&](size_t i) { return i < digits.size() && digits[i] >= '0' && digits[i] <= '9'; };
    for (size_t at = digits.find(','); at != digits.npos; at = digits.find(',', at + 1)) {
        const bool three = is_digit(at + 1) && is_digit(at + 2) && is_digit(at + 3) && !is_digit(at + 4);
        if (at == 0 || !is_digit(at - 1) || !three || digits[0] == '0') return digits;
    }
    std::erase(digits, ',');
    return digits;
}

ItemResult grade_number(const Asked& asked, const HandIn& work) {
    ItemResult result{asked.item, 0, Standing::waiting, {}, number_text(*asked.answer), {}};
    const auto answer = work.answers.find(asked.item->id);
    if (answer == work.answers.end()) return result;
    result.given = base::shown_in(answer->second, room);
    const auto number = base::parse_number(without_thousands_separators(answer->second), {});
    const bool right = number && is_right(asked, *number);
    result.standing = right ? Standing::passed : Standing::failed;
    result.points = right ? asked.item->points : 0;
    if (!number) result.look = base::say("\"{}\" is not a number", result.given);
    return result;
}

} // namespace

int StudentResult::points() const {
    int sum = 0;
    for (const ItemResult& item : items) sum += item.points;
    return sum;
}

StudentResult grade(const Sheet& sheet, const HandIn& work, lesson::Executions& executions, const GradeOptions& options,
                    std::stop_token stop) {
    const auto start = std::chrono::steady_clock::now();
    StudentResult result{base::shown_in(work.student, room), {}, {}, {}, 0};
    for (const Item& item : sheet.items) {
        const auto asked = ask(sheet, item, work.student, executions);
        if (!asked) {
            result.items.push_back({&item, 0, Standing::unknown, {}, {}, asked.error().said()});
            continue;
        }
        result.items.push_back(item.exercise ? grade_kernel(*asked, work, options, stop)
                               : asked->race ? grade_lines(*asked, work)
                                             : grade_number(*asked, work));
    }
    result.wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

} // namespace exercise
