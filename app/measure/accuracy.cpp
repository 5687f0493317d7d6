#include "measure/accuracy.h"

#include "base/file.h"
#include "base/number.h"
#include "base/text.h"

#include <fmt/format.h>

namespace measure {
namespace {

using base::Error;
using base::Failure;
using base::Fields;
using base::FieldsWriter;
using base::significant;

constexpr int64_t most_judged = 10'000'000;
constexpr double most_error = 1e4; // ten thousand times too slow: a figure beyond is damage

constexpr auto texts = {std::pair{"device", &AccuracyRecord::device},
                        {"arch", &AccuracyRecord::arch},
                        {"measured", &AccuracyRecord::measured},
                        {"half", &AccuracyRecord::half},
                        {"rule", &AccuracyRecord::rule},
                        {"command", &AccuracyRecord::command},
                        {"date", &AccuracyRecord::date},
                        {"version", &AccuracyRecord::version}};

double within(Fields& fields, const char* name, double least, double most) {
    const double value = fields.number(name);
    if (fields.ok() && !(value >= least && value <= most))
        fields.fail(base::say("{} is not from {} to {}", name, least, most));
    return value;
}

Accuracy accuracy_from(Fields& fields) {
    Accuracy a;
    a.points = static_cast<size_t>(fields.integer("points", 1, most_judged));
    a.median = within(fields, "median", 0, most_error);
    a.p90 = within(fields, "p90", a.median, most_error);
    a.worst = within(fields, "worst", a.p90, most_error);
    a.bias = within(fields, "bias", -1, most_error);
    a.low = within(fields, "low", -1, a.bias);
    a.high = within(fields, "high", a.bias, most_error);
    a.lines = static_cast<size_t>(fields.integer("lines", 0, most_judged));
    if (a.lines > 0) a.tau = within(fields, "tau", -1, 1);
    return a;
}

AccuracyRow row_from(Fields& fields) {
    AccuracyRow row;
    row.kernel = fields.text("kernel");
    row.code = fields.text("code");
    if (!fields.null("m")) row.size = {fields.integer("m", 1), fields.integer("n", 1), fields.integer("k", 1)};
    row.accuracy = accuracy_from(fields);
    return row;
}

} // namespace

FieldsWriter fields_of(const AccuracyRow& row) {
    const Accuracy& a = row.accuracy;
    FieldsWriter json;
    json.text("kernel", row.kernel).text("code", row.code);
    if (row.size) json.integer("m", row.size->m).integer("n", row.size->n).integer("k", row.size->k);
    else json.null("m").null("n").null("k");
    json.natural("points", a.points)
        .number("median", significant(a.median, 4))
        .number("p90", significant(a.p90, 4))
        .number("worst", significant(a.worst, 4))
        .number("bias", significant(a.bias, 4))
        .number("low", significant(a.low, 4))
        .number("high", significant(a.high, 4));
    a.tau ? json.number("tau", significant(*a.tau, 4)) : json.null("tau");
    return json.natural("lines", a.lines);
}

std::string text_of(const AccuracyRecord& record) {
    FieldsWriter provenance;
    for (const auto& [name, member] : texts) provenance.text(name, record.*member);
    std::string text = FieldsWriter().object("provenance", provenance).line() + "\n";
    for (const AccuracyRow& row : record.rows) text += fields_of(row).line() + "\n";
    return text;
}

base::Result<AccuracyRecord> accuracy_record_from(std::string_view text, const std::filesystem::path& path) {
    AccuracyRecord record;
    int number = 0;
    for (const std::string_view line : base::lines(text)) {
        ++number;
        Fields fields(line);
        if (number == 1) {
            Fields provenance = fields.object("provenance");
            for (const auto& [name, member] : texts) record.*member = provenance.text(name);
            fields.adopt(provenance);
        } else {
            record.rows.push_back(row_from(fields));
        }
        if (!fields.ok())
            return Error{Failure::usage, fields.error().what, fmt::format("{}:{}", path.string(), number),
                         base::say("write it again by gemmscope judge --output")};
    }
    if (record.rows.empty())
        return Error{Failure::usage, base::say("no accuracy is in it"), path.string(),
                     base::say("write it again by gemmscope judge --output")};
    return record;
}

base::Result<AccuracyRecord> read_accuracy_record(const std::filesystem::path& path) {
    auto text = base::read_file(path);
    if (!text) return text.error();
    return accuracy_record_from(*text, path);
}

} // namespace measure
