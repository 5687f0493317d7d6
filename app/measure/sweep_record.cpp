#include "measure/sweep_record.h"

#include "base/fields.h"
#include "base/file.h"
#include "base/text.h"
#include "catalog/code_hash.h"
#include "measure/bench_point.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

namespace measure {
namespace {

using base::Error;
using base::Failure;
using base::Fields;
using base::FieldsWriter;
using catalog::Problem;

constexpr std::string_view first_line = "gemmscope sweep 1";
constexpr std::string_view fixed_columns = "size ms cublas_ms samples spread by";
constexpr base::Phrase cure = base::phrase("delete the file and run gemmscope sweep again");

// A file of a million points is 60 MB.
constexpr size_t most_points = 1'000'000, longest_line = 4096, most_sources = 10'000, most_parameters = 64,
                 most_sizes = 256, most_values = 4096;
constexpr size_t longest_chain =
    4096; // of slots that a lookup goes along: of rows that were not chosen to collide, some dozens
constexpr int largest_edge = 1 << 20, most_samples = 1'000'000;
constexpr double longest_ms = 1e9;

auto key(const Problem& p) { return std::tuple(double(p.m) * p.n * p.k, p.m, p.n, p.k); }

uint64_t hash_of(const int* row, size_t count, const Problem& p) {
    uint64_t hash = 0x9e3779b97f4a7c15;
    const auto mix = [&](int value) { // as boost::hash_combine, of 64 bits
        hash ^= static_cast<uint32_t>(value) + 0x9e3779b97f4a7c15 + (hash << 12) + (hash >> 4);
        hash *= 0xff51afd7ed558ccd;
        hash ^= hash >> 32;
    };
    for (size_t i = 0; i < count; ++i) mix(row[i]);
    for (const int edge : {p.m, p.n, p.k}) mix(edge);
    return hash;
}

std::string number_or_dash(double value, int digits) { return value > 0 ? fmt::format("{:.{}g}", value, digits) : "-"; }

std::string text_of(const Problem& p) {
    return p.m == p.n && p.n == p.k ? fmt::format("{}", p.m) : fmt::format("{}x{}x{}", p.m, p.n, p.k);
}

FieldsWriter fields_of(const SweepSource& s) {
    FieldsWriter json;
    return json.text("host", s.host)
        .integer("gpu", s.gpu)
        .text("driver", s.driver)
        .text("cuda", s.cuda)
        .text("cublas", s.cublas)
        .integer("sm_clock_mhz", s.sm_clock_mhz)
        .text("date", s.date)
        .text("command", s.command);
}

// The words of a line, one after another. Any number that is not one makes it fail.
class Words {
public:
    explicit Words(std::string_view line) : rest_(line) {}

    std::string_view next() {
        const size_t blank = std::min(rest_.find(' '), rest_.size());
        const std::string_view word = rest_.substr(0, blank);
        rest_.remove_prefix(std::min(blank + 1, rest_.size()));
        return word;
    }
    int integer(int least, int most) {
        const std::string_view before = rest_;
        int value = least;
        if (!parse(value) || value < least || value > most) fail(before.substr(0, before.find(' ')));
        return value;
    }
    // "-" is 0.
    double number(double most) {
        const std::string_view before = rest_;
        double value = 0;
        if (rest_.starts_with("- ")) return rest_.remove_prefix(2), 0;
        if (!parse(value) || !(value >= 0 && value <= most)) fail(before.substr(0, before.find(' ')));
        return value;
    }
    Problem size() {
        const std::string_view word = next();
        const size_t first = word.find('x'), second = first == word.npos ? word.npos : word.find('x', first + 1);
        const auto edge = [&](std::string_view text) { return integer_in(text, 1, largest_edge); };
        if (first == word.npos) {
            const int n = edge(word);
            return {n, n, n};
        }
        if (second == word.npos) return fail(word), Problem{};
        return {edge(word.substr(0, first)), edge(word.substr(first + 1, second - first - 1)),
                edge(word.substr(second + 1))};
    }
    std::string_view rest() const { return rest_; }
    const base::Sentence& wrong() const { return wrong_; }
    void fail(std::string_view word) {
        if (wrong_.empty())
            wrong_ = word.empty() ? base::say("a number is missing")
                                  : base::say("{} is not what belongs here", word.substr(0, 40));
    }

private:
    // The word that comes next, and the blank behind it, are taken only if they are a number.
    template <class Number>
    bool parse(Number& value) {
        const char *const begin = rest_.data(), *const all = begin + rest_.size();
        const auto [end, error] = std::from_chars(begin, all, value);
        if (error != std::errc() || (end != all && *end != ' ')) return false;
        rest_.remove_prefix(std::min(static_cast<size_t>(end - begin) + 1, rest_.size()));
        return true;
    }
    int integer_in(std::string_view word, int least, int most) {
        int value = least;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
        if (error != std::errc() || end != word.data() + word.size() || value < least || value > most) fail(word);
        return value;
    }
    std::string_view rest_;
    base::Sentence wrong_;
};

base::Result<SweepSource> source_from(std::string_view json) {
    Fields fields(json);
    SweepSource s;
    s.host = fields.text("host");
    s.gpu = fields.integer("gpu", 0);
    s.driver = fields.text("driver");
    s.cuda = fields.text("cuda");
    s.cublas = fields.text("cublas");
    s.sm_clock_mhz = fields.integer("sm_clock_mhz", 0);
    s.date = fields.text("date");
    s.command = fields.text("command");
    if (!fields.ok()) return fields.error();
    return s;
}

bool is_name(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(),
                                        [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

} // namespace

// Reads line after line; the first that is wrong ends it.
class SweepReader {
public:
    SweepReader(std::string_view text, const std::filesystem::path& path) : text_(text), path_(path) {}

    base::Result<std::shared_ptr<const SweepRecord>> read() {
        if (next() != first_line)
            return error(base::say("it does not begin with \"{}\"", first_line), base::say("give the file of a sweep"));
        for (auto [name, value] :
             {std::pair{"kernel: ", &record_->kernel_}, {"code: ", &record_->code_}, {"device: ", &record_->device_}})
            if (auto read = named(name, *value); !read) return read.error();
        if (auto read = operation(); !read) return read.error();
        if (auto read = columns(); !read) return read.error();
        record_->points_.reserve(static_cast<size_t>(std::count(text_.begin(), text_.end(), '\n')));
        record_->rows_.reserve(record_->points_.capacity() * record_->parameters_.size());
        while (!text_.empty()) {
            if (text_.find('\n') == text_.npos) break; // of a run that was killed while it wrote
            const std::string_view line = next();
            auto read = line.starts_with("by ") ? source(line.substr(3)) : point(line);
            if (!read) return read.error();
        }
        if (auto indexed = record_->index(); !indexed) return error(indexed.error().what);
        return std::shared_ptr<const SweepRecord>(std::move(record_));
    }

private:
    std::string_view next() {
        ++number_;
        const size_t end = std::min(text_.find('\n'), text_.size());
        const std::string_view line = text_.substr(0, end);
        text_.remove_prefix(std::min(end + 1, text_.size()));
        return line;
    }
    Error error(base::Sentence what, base::Sentence todo = cure) const {
        return {Failure::usage, std::move(what), fmt::format("{}:{}", path_.string(), number_), todo};
    }
    base::Status named(std::string_view name, std::string& value) {
        const std::string_view line = next();
        if (!line.starts_with(name) || line.size() == name.size() || line.size() > longest_line)
            return error(base::say("\"{}\" is expected here", base::trimmed(name)));
        value = line.substr(name.size());
        return base::Done{};
    }
    base::Status operation() {
        std::string operation, operands;
        if (auto read = named("operation: ", operation); !read) return read;
        if (auto known = catalog::operation_named(operation)) record_->operation_ = *known;
        else return error(base::say("the operation is unknown"));
        if (auto read = named("operands: ", operands); !read) return read;
        if (auto known = catalog::operand_type_named(operands)) record_->operands_ = *known;
        else return error(base::say("the operands have no type that is known"));
        return base::Done{};
    }
    base::Status columns() {
        const std::string_view line = next();
        if (line.size() > longest_line || !line.ends_with(fixed_columns))
            return error(
                base::say("the names of the columns, the last being \"{}\", are expected here", fixed_columns));
        Words words(line.substr(0, line.size() - fixed_columns.size()));
        while (!words.rest().empty()) {
            const std::string_view name = words.next();
            auto& known = record_->parameters_;
            if (!is_name(name) || known.size() == most_parameters ||
                std::find(known.begin(), known.end(), name) != known.end())
                return error(base::say("\"{}\" cannot be a parameter's column", name.substr(0, 40)));
            known.emplace_back(name);
        }
        row_.resize(record_->parameters_.size());
        return base::Done{};
    }
    base::Status source(std::string_view line) {
        const size_t colon = line.find(": ");
        const std::string_view number = line.substr(0, colon);
        if (colon == line.npos || number != std::to_string(record_->sources_.size() + 1) ||
            record_->sources_.size() == most_sources || line.size() > longest_line)
            return error(base::say("\"by {}: {{...}}\" is expected here", record_->sources_.size() + 1));
        auto source = source_from(line.substr(colon + 2));
        if (!source) return error(source.error().what);
        record_->sources_.push_back(std::move(*source));
        return base::Done{};
    }
    base::Status point(std::string_view line) {
        if (line.size() > longest_line || record_->points_.size() == most_points)
            return error(line.size() > longest_line ? base::say("the line is too long")
                                                    : base::say("there are too many points"));
        Words words(line);
        for (int& value : row_) value = words.integer(std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
        SweepPoint p;
        p.problem = words.size();
        p.ms = words.number(longest_ms);
        p.cublas_ms = words.number(longest_ms);
        p.samples = words.integer(0, most_samples);
        p.spread = words.number(longest_ms);
        const int by = words.integer(1, static_cast<int>(most_sources));
        if (!words.wrong().empty()) return error(words.wrong());
        p.source = by - 1;
        if (static_cast<size_t>(p.source) >= record_->sources_.size())
            return error(base::say("there is no \"by {}\"", p.source + 1));
        if (p.measured() != words.rest().empty())
            return error(p.measured() ? base::say("something follows the line's last number")
                                      : base::say("neither a time nor a reason stands here"));
        auto& sizes = record_->sizes_;
        if (std::find(sizes.begin(), sizes.end(), p.problem) == sizes.end()) sizes.push_back(p.problem);
        if (sizes.size() > most_sizes) return error(base::say("there are too many sizes"));
        p.reason = words.rest();
        record_->points_.push_back(std::move(p));
        record_->rows_.insert(record_->rows_.end(), row_.begin(), row_.end());
        return base::Done{};
    }

    std::string_view text_;
    const std::filesystem::path& path_;
    int number_ = 0;
    std::vector<int> row_;
    std::shared_ptr<SweepRecord> record_ = std::make_shared<SweepRecord>();
};

base::Result<std::shared_ptr<const SweepRecord>> SweepRecord::read(const std::filesystem::path& path) {
    auto text = base::read_file(path);
    if (!text) return text.error();
    return parse(*text, path);
}

base::Result<std::shared_ptr<const SweepRecord>> SweepRecord::parse(std::string_view text,
                                                                    const std::filesystem::path& path) {
    return SweepReader(text, path).read();
}

// Of a setting at a size that was measured more than once, the latest point counts.
base::Status SweepRecord::index() {
    size_t slots = 16;
    while (slots < 2 * points_.size()) slots *= 2;
    table_.assign(slots, 0);
    size_t kept = 0;
    for (size_t i = 0; i < points_.size(); ++i) {
        const auto values = row(i);
        size_t at = hash_of(values.data(), values.size(), points_[i].problem) & (slots - 1), chain = 0;
        while (table_[at] && !(points_[table_[at] - 1].problem == points_[i].problem &&
                               std::equal(values.begin(), values.end(), row(table_[at] - 1).begin()))) {
            at = (at + 1) & (slots - 1);
            if (++chain > longest_chain)
                return Error{Failure::usage, base::say("its settings were chosen to be slow to look up"), {}, {}};
        }
        const size_t to = table_[at] ? table_[at] - 1 : kept++;
        table_[at] = static_cast<uint32_t>(to + 1);
        if (to == i) continue;
        std::copy(values.begin(), values.end(), rows_.begin() + static_cast<std::ptrdiff_t>(to * values.size()));
        points_[to] = std::move(points_[i]);
    }
    points_.resize(kept);
    rows_.resize(kept * parameters_.size());
    for (SweepPoint& p : points_) {
        p.gflops = gflops_of(p.problem, p.ms);
        p.cublas_gflops = gflops_of(p.problem, p.cublas_ms);
    }
    std::vector<std::vector<int>> offered(parameters_.size()); // of each parameter, ascending
    for (size_t i = 0; i < rows_.size(); ++i) {
        auto& known = offered[i % parameters_.size()];
        const auto place = std::lower_bound(known.begin(), known.end(), rows_[i]);
        if (place == known.end() || *place != rows_[i]) known.insert(place, rows_[i]);
        if (known.size() > most_values)
            return Error{Failure::usage, base::say("a parameter has too many values"), {}, {}};
    }
    std::sort(sizes_.begin(), sizes_.end(), [](const Problem& a, const Problem& b) { return key(a) < key(b); });
    best_.assign(sizes_.size(), nullptr);
    for (const SweepPoint& p : points_) {
        const auto size = std::find(sizes_.begin(), sizes_.end(), p.problem) - sizes_.begin();
        const SweepPoint*& best = best_[static_cast<size_t>(size)];
        if (p.measured() && (!best || p.ms < best->ms)) best = &p;
    }
    return base::Done{};
}

double SweepRecord::gflops_of(Problem p, double ms) const {
    return ms > 0 ? catalog::operations(operation_, p.m, p.n, p.k) / ms * 1e-6 : 0;
}

catalog::Values SweepRecord::setting(const SweepPoint& point) const {
    catalog::Values values;
    const auto of = row(point);
    for (size_t i = 0; i < parameters_.size(); ++i) values[parameters_[i]] = of[i];
    return values;
}

std::optional<std::vector<int>> SweepRecord::row_of(const catalog::Values& values) const {
    if (values.size() != parameters_.size()) return {};
    std::vector<int> row;
    for (const std::string& name : parameters_) {
        const auto value = values.find(name);
        if (value == values.end()) return {};
        row.push_back(value->second);
    }
    return row;
}

const SweepPoint* SweepRecord::find(const int* wanted, Problem problem) const {
    const size_t count = parameters_.size(), slots = table_.size();
    for (size_t at = hash_of(wanted, count, problem) & (slots - 1); table_[at]; at = (at + 1) & (slots - 1)) {
        const size_t point = table_[at] - 1;
        if (points_[point].problem == problem && std::equal(wanted, wanted + count, row(point).begin()))
            return &points_[point];
    }
    return nullptr;
}

const SweepPoint* SweepRecord::find(const catalog::Values& values, Problem problem) const {
    const auto row = row_of(values);
    return row ? find(row->data(), problem) : nullptr;
}

const SweepPoint* SweepRecord::best(Problem problem) const {
    const auto size = std::find(sizes_.begin(), sizes_.end(), problem);
    return size == sizes_.end() ? nullptr : best_[static_cast<size_t>(size - sizes_.begin())];
}

bool SweepRecord::is_of(const catalog::Kernel& kernel) const {
    return kernel.id == kernel_ && catalog::code_hash(kernel) == code_;
}

namespace {

std::string header_of(const std::string& kernel, const std::string& code, const std::string& device,
                      catalog::Operation operation, catalog::OperandType operands,
                      const std::vector<std::string>& parameters) {
    return fmt::format("{}\nkernel: {}\ncode: {}\ndevice: {}\noperation: {}\noperands: {}\n{}{}{}\n", first_line,
                       kernel, code, device, catalog::name_of(operation), catalog::name_of(operands),
                       fmt::join(parameters, " "), parameters.empty() ? "" : " ", fixed_columns);
}

} // namespace

std::string header_of(const catalog::Kernel& kernel, const std::string& device) {
    return header_of(kernel.id, catalog::code_hash(kernel), device, kernel.operation, kernel.operands,
                     catalog::parameter_names(kernel));
}

std::string printable(std::string_view text, size_t most) {
    std::string kept(text.substr(0, most));
    std::replace_if(
        kept.begin(), kept.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return kept;
}

SweepSource bounded(SweepSource s) {
    s.host = printable(s.host, 200);
    s.driver = printable(s.driver, 60);
    s.cuda = printable(s.cuda, 60);
    s.cublas = printable(s.cublas, 600);
    s.date = printable(s.date, 30);
    s.command = printable(s.command, 600);
    s.sm_clock_mhz = std::max(s.sm_clock_mhz, 0);
    return s;
}

std::string line_of(const SweepSource& source, size_t number) {
    return fmt::format("by {}: {}\n", number, fields_of(source).line());
}

std::string line_of(std::span<const int> row, const SweepPoint& p) {
    std::string line;
    for (const int value : row) line += fmt::format("{} ", value);
    line +=
        fmt::format("{} {} {} {} {} {}", text_of(p.problem), number_or_dash(p.ms, 5), number_or_dash(p.cublas_ms, 5),
                    p.samples, p.samples > 0 ? fmt::format("{:.2g}", p.spread) : "-", p.source + 1);
    if (!p.measured()) {
        std::string reason = p.reason.empty() ? "it failed" : p.reason;
        std::replace_if(
            reason.begin(), reason.end(), [](unsigned char c) { return c < ' ' || c == 127; }, ' ');
        if (reason.size() > 300) reason = reason.substr(0, 300) + "...";
        line += ' ' + reason;
    }
    return line + '\n';
}

std::string text_of(const SweepRecord& record) {
    std::string text = header_of(record.kernel(), record.code(), record.device(), record.operation(), record.operands(),
                                 record.parameters());
    for (size_t i = 0; i < record.sources().size(); ++i) text += line_of(record.sources()[i], i + 1);
    const auto& points = record.points();
    std::vector<const SweepPoint*> order;
    for (const SweepPoint& p : points) order.push_back(&p);
    std::sort(order.begin(), order.end(), [&](const SweepPoint* a, const SweepPoint* b) {
        const auto first = record.row(*a), second = record.row(*b);
        if (!std::equal(first.begin(), first.end(), second.begin()))
            return std::lexicographical_compare(first.begin(), first.end(), second.begin(), second.end());
        return key(a->problem) < key(b->problem);
    });
    for (const SweepPoint* p : order) text += line_of(record.row(*p), *p);
    return text;
}

std::filesystem::path sweep_path(const std::filesystem::path& folder, std::string_view device,
                                 std::string_view kernel) {
    if (device.starts_with("NVIDIA ")) device.remove_prefix(7);
    std::string name;
    for (const char c : device.substr(0, 100))
        name += std::isalnum(static_cast<unsigned char>(c))
                    ? static_cast<char>(std::tolower(static_cast<unsigned char>(c)))
                    : '_';
    return folder / (name.empty() ? "gpu" : name) / fmt::format("{}.txt", kernel);
}

} // namespace measure
