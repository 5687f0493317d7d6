#include "measure/series.h"

#include "base/file.h"
#include "base/number.h"
#include "measure/point_log.h"
#include "measure/references.h"
#include "measure/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>

namespace measure {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::Failure;

bool smaller(const Sample& a, const Sample& b) {
    auto key = [](const Sample& s) { return std::tuple(double(s.m) * s.n * s.k, s.m, s.n, s.k); };
    return key(a) < key(b);
}

// Of a size and a setting the latest.
void set_setting(std::vector<Sample>& settings, const Sample& sample) {
    const auto same = [&](const Sample& old) {
        return old.m == sample.m && old.n == sample.n && old.k == sample.k && old.parameters == sample.parameters;
    };
    const auto old = std::find_if(settings.begin(), settings.end(), same);
    if (old == settings.end()) settings.push_back(sample);
    else *old = sample;
}

// Of a size stands the latest sample, or the fastest.
enum class Keep { latest, fastest };
void set_sample(std::vector<Sample>& samples, const Sample& sample, Keep keep) {
    for (Sample& old : samples)
        if (old.m == sample.m && old.n == sample.n && old.k == sample.k) {
            if (keep == Keep::latest || sample.gflops > old.gflops) old = sample;
            return;
        }
    samples.push_back(sample);
}

// The clocks of all points of a series: "1980 MHz", or "1785-1980 MHz".
struct ClockRange {
    int least = INT32_MAX, most = 0;
    void add(int mhz) {
        if (mhz <= 0) return;
        least = std::min(least, mhz);
        most = std::max(most, mhz);
    }
    std::string text() const {
        if (most == 0) return {};
        return least == most ? fmt::format("{} MHz", most) : fmt::format("{}-{} MHz", least, most);
    }
};

// The series that a point, or cuBLAS beside it, belongs to. `settings_apart`: a kernel has one for each setting of its
// parameters; else they are told only where all its points have the same.
Series& series_for(std::vector<Series>& all, std::vector<ClockRange>& clocks, const BenchPoint& point, bool cublas,
                   bool settings_apart) {
    const bool reference = cublas || reference_series(point.kernel);
    std::string name = cublas ? cublas_name(point.operands) : point.kernel;
    auto parameters = cublas ? std::map<std::string, int>{} : point.parameters;
    size_t at = 0;
    while (at < all.size() &&
           !(all[at].name == name && all[at].device == point.device && all[at].operands == point.operands &&
             all[at].operation == point.operation && (!settings_apart || all[at].parameters == parameters)))
        ++at;
    if (at == all.size()) {
        Series series;
        series.name = name;
        series.kernel = reference ? "" : point.kernel;
        series.parameters = parameters;
        series.operation = point.operation;
        series.operands = point.operands;
        series.device = point.device;
        all.push_back(series);
        clocks.emplace_back();
    }
    Series& series = all[at];
    if (series.parameters != parameters) series.parameters.clear();
    clocks[at].add(point.sm_clock_mhz);
    series.driver = point.driver;
    const bool by_library = !point.library.empty() && !cublas; // which is not that which cuBLAS stood beside
    series.compiler = by_library ? point.library : point.cuda.empty() ? "" : "CUDA " + point.cuda;
    series.date = std::max(series.date, point.date);
    return series;
}

// cuBLAS is measured beside every kernel, so a size has several figures: their median.
void add_cublas(Series& series, const std::vector<BenchPoint>& points) {
    std::map<std::tuple<int, int, int>, std::vector<double>> figures;
    for (const BenchPoint& point : points)
        if (!point.cublas.mode.empty() && point.device == series.device && point.operands == series.operands)
            figures[{point.m, point.n, point.k}].push_back(point.cublas.gflops);
    for (const auto& [size, values] : figures) {
        auto [m, n, k] = size;
        series.samples.push_back({m, n, k, median(values)});
    }
}

// The non-empty lines of a file with their numbers, without the ends "\r".
struct Line {
    int number;
    std::string_view text;
};
std::vector<Line> lines_of(std::string_view text) {
    std::vector<Line> lines;
    for (int number = 1; !text.empty(); ++number) {
        size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
        if (!line.empty()) lines.push_back({number, line});
    }
    return lines;
}

Error at_line(Error error, const fs::path& path, int line) {
    error.where = fmt::format("{}:{}", path.string(), line);
    return error;
}

std::vector<std::string_view> cells_of(std::string_view line) {
    std::vector<std::string_view> cells;
    while (true) {
        size_t comma = line.find(',');
        cells.push_back(line.substr(0, comma));
        if (comma == std::string_view::npos) return cells;
        line.remove_prefix(comma + 1);
    }
}

// What the lines "# name: value" say.
struct Preamble {
    std::map<std::string, std::string, std::less<>> values;

    void read(std::string_view line) {
        line.remove_prefix(1);
        size_t colon = line.find(": ");
        if (colon == std::string_view::npos) return;
        std::string_view name = line.substr(0, colon);
        while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
        values[std::string(name)] = line.substr(colon + 2);
    }
    std::string operator[](std::string_view name) const {
        auto at = values.find(name);
        return at == values.end() ? std::string() : at->second;
    }
};

class PublishedReader {
public:
    base::Status row(std::string_view line) {
        std::vector<std::string_view> cells = cells_of(line);
        if (columns_.empty()) return header(cells);
        if (cells.size() != columns_.size())
            return Error{
                Failure::usage, base::say("has {} cells, the header {}", cells.size(), columns_.size()), {}, {}};
        auto m = dimension("M", "m", cells), n = dimension("N", "n", cells), k = dimension("K", "k", cells);
        for (const auto* size : {&m, &n, &k})
            if (!*size) return size->error();
        auto time = base::parse_number(cells[time_column_], columns_[time_column_]);
        if (!time) return time.error();
        if (*time <= 0) return Error{Failure::usage, base::say("{} is not above 0", columns_[time_column_]), {}, {}};
        double ms = columns_[time_column_] == "ms" ? *time : *time * 1e3;
        set_sample(of_version(std::string(cells[version_column_])).samples, {*m, *n, *k, gflops(*m, *n, *k, ms)},
                   Keep::latest);
        return base::Done{};
    }

    Preamble preamble;
    std::vector<Series> series;

private:
    base::Status header(const std::vector<std::string_view>& cells) {
        columns_.assign(cells.begin(), cells.end());
        auto version = column("version"), mean = column("mean_s"), ms = column("ms");
        if (!version || (!mean && !ms))
            return Error{Failure::usage, base::say("the header needs the columns version and mean_s or ms"), {}, {}};
        version_column_ = *version;
        time_column_ = mean ? *mean : *ms;
        return base::Done{};
    }

    std::optional<size_t> column(std::string_view name) const {
        auto at = std::find(columns_.begin(), columns_.end(), name);
        if (at == columns_.end()) return {};
        return static_cast<size_t>(at - columns_.begin());
    }

    base::Result<int> dimension(const char* in_row, const char* in_preamble,
                                const std::vector<std::string_view>& cells) const {
        auto at = column(in_row);
        std::string text = at ? std::string(cells[*at]) : preamble[in_preamble];
        auto value = base::parse_integer(text, in_row, 1, 1 << 20);
        if (!value) return value.error();
        return static_cast<int>(*value);
    }

    Series& of_version(const std::string& version) {
        std::string kernel = preamble["kernel " + version], reference = preamble["reference " + version];
        std::string name = !kernel.empty() ? kernel : !reference.empty() ? reference : version;
        for (Series& known : series)
            if (known.name == name) return known;
        Series& made = series.emplace_back();
        made.name = name;
        made.kernel = kernel;
        made.origin = Origin::published;
        made.device = preamble["device"];
        made.clock = preamble["clock"];
        made.driver = preamble["driver"];
        made.compiler = preamble["compiler"];
        made.date = preamble["date"];
        made.source = preamble["source"];
        return made;
    }

    std::vector<std::string> columns_;
    size_t version_column_ = 0, time_column_ = 0;
};

} // namespace

std::string cublas_name(catalog::OperandType type) {
    return catalog::cublas_operands(type) == catalog::OperandType::f32 ? "cublas_fp32"
                                                                       : fmt::format("cublas_{}", cublas_mode(type));
}

bool is_cublas(const Series& series) { return series.kernel.empty() && series.name == cublas_name(series.operands); }

const Sample* fastest(const Series& series) {
    const auto slower = [](const Sample& a, const Sample& b) { return a.gflops < b.gflops; };
    const auto found = std::max_element(series.samples.begin(), series.samples.end(), slower);
    return found == series.samples.end() ? nullptr : &*found;
}

std::vector<Series> series_of(const std::vector<BenchPoint>& points, Origin origin, const std::string& source,
                              const Counts& counts) {
    std::vector<Series> all;
    std::vector<ClockRange> clocks;
    const bool apart = origin == Origin::live; // a record says what a kernel reaches, whatever its tiles
    for (const BenchPoint& point : points) {
        Series& series = series_for(all, clocks, point, false, apart);
        const Sample sample{point.m, point.n, point.k, point.gflops, point.parameters};
        if (apart || !counts || counts(point)) set_sample(series.samples, sample, apart ? Keep::latest : Keep::fastest);
        if (!series.kernel.empty()) set_setting(series.settings, sample);
        if (!point.cublas.mode.empty()) series_for(all, clocks, point, true, apart);
    }
    for (size_t i = 0; i < all.size(); ++i) {
        if (is_cublas(all[i])) add_cublas(all[i], points);
        all[i].origin = origin;
        all[i].source = source;
        all[i].clock = clocks[i].text();
        std::sort(all[i].samples.begin(), all[i].samples.end(), smaller);
    }
    return all;
}

base::Result<std::vector<Series>> read_recorded(const fs::path& json, const Counts& counts) {
    auto file = read_points(json);
    if (!file) return file.error();
    if (file->points.empty()) return Error{Failure::usage, base::say("holds no measured point"), json.string(), {}};
    std::string source = json.filename().string();
    if (!file->command.empty()) source += ": " + file->command;
    return series_of(file->points, Origin::recorded, source, counts);
}

base::Result<std::vector<Series>> read_published(const fs::path& csv) {
    auto text = base::read_file(csv);
    if (!text) return text.error();
    PublishedReader reader;
    for (const Line& line : lines_of(*text)) {
        if (line.text.front() == '#') {
            reader.preamble.read(line.text);
            continue;
        }
        if (auto read = reader.row(line.text); !read) return at_line(read.error(), csv, line.number);
    }
    if (reader.series.empty()) return Error{Failure::usage, base::say("holds no figures"), csv.string(), {}};
    for (Series& series : reader.series) std::sort(series.samples.begin(), series.samples.end(), smaller);
    return std::move(reader.series);
}

} // namespace measure
