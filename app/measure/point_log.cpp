#include "measure/point_log.h"

#include "base/fields.h"
#include "base/file.h"
#include "base/system_reason.h"
#include "base/text.h"

#include <fmt/chrono.h>

#include <algorithm>
#include <cerrno>
#include <fstream>

namespace measure {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Failure;

std::string provenance_line(const std::string& command) {
    base::FieldsWriter provenance;
    provenance.text("command", command)
        .text("started", fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::now())));
    return base::FieldsWriter().object("provenance", provenance).line() + "\n";
}

} // namespace

base::Result<PointFile> read_points(const fs::path& json) {
    auto text = base::read_file(json);
    if (!text) return text.error();
    PointFile file;
    int number = 0;
    const auto at_line = [&](Error error) {
        error.where = fmt::format("{}:{}", json.string(), number);
        return error;
    };
    for (const std::string_view line : base::lines(*text)) {
        ++number;
        if (base::trimmed(line).empty()) continue;
        base::Fields fields(line);
        if (fields.has("provenance")) {
            base::Fields provenance = fields.object("provenance");
            if (provenance.has("command")) file.command = provenance.text("command");
            fields.adopt(provenance);
            if (!fields.ok()) return at_line(fields.error());
            continue;
        }
        auto point = point_from(std::move(fields));
        if (!point) return at_line(point.error());
        file.points.push_back(*point);
    }
    return file;
}

base::Result<PointLog> PointLog::open(const fs::path& path, const std::string& command) {
    PointLog log(path);
    std::error_code absent;
    if (!fs::exists(path, absent) || fs::file_size(path, absent) == 0) {
        if (auto made = base::write_file(path, provenance_line(command)); !made) return made.error();
        return log;
    }
    auto text = base::read_file(path);
    if (!text) return text.error();
    size_t whole = text->rfind('\n') + 1;                 // 0: there is no whole line
    if (whole < text->size() && text->starts_with('{')) { // ours, not a file named by mistake
        if (auto cut = base::write_file(path, std::string_view(*text).substr(0, whole)); !cut) return cut.error();
    }
    auto file = read_points(path);
    if (!file) return file.error();
    log.points_ = std::move(file->points);
    return log;
}

const BenchPoint* PointLog::find(const Key& key, int least_samples) const {
    const auto is_it = [&](const BenchPoint& p) {
        return p.kernel == key.kernel && p.parameters == key.parameters && p.operands == key.operands &&
               catalog::Problem{p.m, p.n, p.k} == key.problem && p.device == key.device && p.driver == key.driver &&
               (key.library.empty() || p.library == key.library) && p.samples >= least_samples;
    };
    const auto found = std::find_if(points_.rbegin(), points_.rend(), is_it);
    return found == points_.rend() ? nullptr : &*found;
}

base::Status PointLog::append(const BenchPoint& point) {
    std::ofstream file(path_, std::ios::app);
    file << to_json(point) + "\n" << std::flush;
    if (!file)
        return Error{Failure::usage, base::say("{}: {}", base::say("cannot write"), base::system_reason(errno)),
                     path_.string(), base::say("give --output a file that can be written")};
    points_.push_back(point);
    return base::Done{};
}

} // namespace measure
