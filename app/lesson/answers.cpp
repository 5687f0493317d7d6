#include "lesson/answers.h"

#include "base/file.h"
#include "base/json.h"
#include "base/system_reason.h"
#include "base/text.h"
#include "trace/trace.h"

#include <fmt/chrono.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <fstream>
#include <optional>

namespace lesson {
namespace {

using Json = nlohmann::json;

constexpr uintmax_t largest_file = 16 << 20; // some hundred thousand answers
constexpr size_t longest_line = 16 << 10;
constexpr size_t most_entries = 64; // of one list

// Ids, names and times are words; anything else is no answer of ours, and might be a formula in a spreadsheet.
bool is_word(std::string_view text) {
    return !text.empty() && text.size() <= 100 && std::isalnum(static_cast<unsigned char>(text[0])) &&
           std::all_of(text.begin(), text.end(), [](unsigned char c) {
               return std::isalnum(c) || c == '_' || c == '-' || c == '.' || c == ':' || c >= 0x80;
           });
}

// Reads one line; what is missing or of another type makes it damaged.
class LineReader {
public:
    explicit LineReader(const Json& json) : json_(json) {}

    std::string word(const char* key) {
        const auto found = json_.find(key);
        if (found != json_.end() && found->is_string())
            if (auto text = found->get<std::string>(); is_word(text)) return text;
        ok_ = false;
        return {};
    }
    double number(const char* key) {
        const auto found = json_.find(key);
        if (found == json_.end()) return 0;
        return real(*found);
    }
    double real(const Json& value) {
        if (value.is_number() && std::isfinite(value.get<double>())) return value.get<double>();
        ok_ = false;
        return 0;
    }
    int64_t whole(const Json& value, int64_t least, int64_t most) {
        if (value.is_number_integer())
            if (const auto number = value.get<int64_t>(); number >= least && number <= most) return number;
        ok_ = false;
        return least;
    }
    bool flag(const char* key) {
        const auto found = json_.find(key);
        if (found != json_.end() && found->is_boolean()) return found->get<bool>();
        ok_ = false;
        return false;
    }
    // Calls f(element) for each of a list that may be missing.
    template <class F>
    void each(const char* key, F f) {
        const auto found = json_.find(key);
        if (found == json_.end()) return;
        ok_ = ok_ && found->is_array() && found->size() <= most_entries;
        if (ok_)
            for (const Json& element : *found) f(element);
    }
    catalog::Values values(const char* key) {
        catalog::Values values;
        const auto found = json_.find(key);
        if (found == json_.end()) return values;
        ok_ = ok_ && found->is_object() && found->size() <= most_entries;
        if (!ok_) return values;
        for (const auto& [name, value] : found->items()) {
            ok_ = ok_ && is_word(name);
            values[name] = static_cast<int>(whole(value, -(int64_t{1} << 31), (int64_t{1} << 31) - 1));
        }
        return values;
    }
    void refuse() { ok_ = false; }
    bool ok() const { return ok_; }

private:
    const Json& json_;
    bool ok_ = true;
};

std::optional<Given> read_line(std::string_view line) {
    if (line.size() > longest_line) return {};
    const auto json = base::parse_json(line);
    if (!json || !json->is_object()) return {};
    LineReader reader(*json);
    Given given;
    given.lesson = reader.word("lesson");
    given.step = reader.word("step");
    given.kernel = reader.word("kernel");
    given.time = reader.word("time");
    given.right = reader.flag("right");
    given.parameters = reader.values("parameters");
    const std::string kind = reader.word("kind");
    const auto known = std::find(Question::kinds.begin(), Question::kinds.end(), kind);
    if (known == Question::kinds.end()) return {};
    given.kind = static_cast<Question::Kind>(known - Question::kinds.begin());
    given.answer.number = reader.number("number");
    reader.each("items", [&](const Json& item) {
        given.answer.items.push_back(static_cast<size_t>(reader.whole(item, 0, most_entries)));
    });
    reader.each("lanes", [&](const Json& lane) { given.answer.lanes |= 1u << reader.whole(lane, 0, 31); });
    reader.each("curve", [&](const Json& point) {
        if (!point.is_array() || point.size() != 2) return reader.refuse();
        given.answer.curve.push_back({static_cast<int>(reader.whole(point[0], 0, 1 << 30)), reader.real(point[1])});
    });
    return reader.ok() ? std::optional(std::move(given)) : std::nullopt;
}

} // namespace

std::filesystem::path own_answers() { return base::state_folder() / "answers.jsonl"; }

std::string time_now() {
    return fmt::format("{:%FT%TZ}",
                       fmt::gmtime(std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now())));
}

std::string to_line(const Given& given) {
    nlohmann::ordered_json json{{"time", given.time},
                                {"lesson", given.lesson},
                                {"step", given.step},
                                {"kernel", given.kernel},
                                {"parameters", given.parameters},
                                {"kind", Question::kinds[static_cast<size_t>(given.kind)]},
                                {"right", given.right}};
    const Answer& answer = given.answer;
    if (given.kind == Question::Kind::number) json["number"] = answer.number;
    if (!answer.items.empty()) json["items"] = answer.items;
    for (int lane = 0; lane < trace::warp_size; ++lane)
        if (answer.lanes >> lane & 1) json["lanes"].push_back(lane);
    for (const Answer::Point& point : answer.curve) json["curve"].push_back({point.x, point.y});
    return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Answers parse_answers(std::string_view text) {
    Answers answers;
    for (const std::string_view line : base::lines(text)) {
        if (base::trimmed(line).empty()) continue;
        if (auto given = read_line(line)) answers.given.push_back(std::move(*given));
        else ++answers.damaged;
    }
    return answers;
}

base::Result<Answers> read_answers(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return Answers{};
    if (const auto bytes = std::filesystem::file_size(path, error); !error && bytes > largest_file)
        return base::Error{base::Failure::usage, base::say("{} is more than answers take", base::bytes_text(bytes)),
                           path.string(),
                           base::say("give the file that gemmscope wrote, or move it away to begin a new one")};
    auto text = base::read_file(path);
    if (!text) return text.error();
    return parse_answers(*text);
}

base::Status append(const std::filesystem::path& path, const Given& given) {
    if (auto ending = base::ends(path); !ending) return ending;
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    const uintmax_t bytes = std::filesystem::file_size(path, error);
    if (!error && bytes > largest_file - longest_line)
        return base::Error{base::Failure::usage, base::say("the file of answers is full"), path.string(),
                           base::say("move it away to begin a new one")};
    // A line that a crash has cut short ends here.
    std::string line = to_line(given);
    if (std::ifstream last(path, std::ios::binary); last && last.seekg(-1, std::ios::end) && last.get() != '\n')
        line = "\n" + line;
    std::ofstream file(path, std::ios::app | std::ios::binary);
    file << line << std::flush;
    if (file) return base::Done{};
    return base::Error{base::Failure::usage, base::say("{}: {}", base::say("cannot write"), base::system_reason(errno)),
                       path.string(), base::say("make room, or let the folder be written to")};
}

} // namespace lesson
