#include "exercise/hand_in.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"
#include "base/version.h"
#include "catalog/toml_reader.h"
#include "compile/compiler.h"
#include "lesson/answers.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace exercise {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr uintmax_t largest_hand_in = 16 << 20; // bytes
constexpr size_t most_sources = 64, most_answers = 256, most_predictions = 10000, longest_answer = 1000,
                 most_hand_ins = 2000;
constexpr size_t longest_name = 100;
constexpr const char* form = "gemmscope_hand_in";

base::Error wrong(const std::string& where, base::Sentence what) {
    return {base::Failure::usage, std::move(what), where,
            base::say("give a file that gemmscope made, or a folder with answers.toml and .cu files")};
}

bool is_file_name(std::string_view name) { // in a folder of ours; no way out of it
    return !name.empty() && name.size() <= longest_name && name[0] != '.' &&
           std::none_of(name.begin(), name.end(), [](unsigned char c) { return c == '/' || c == '\\' || c < ' '; });
}

std::string digest(const Json& content) {
    return base::hash(content.dump(-1, ' ', true, Json::error_handler_t::replace));
}

Json content_of(const HandIn& one) {
    return {{form, 1},
            {"student", one.student},
            {"time", one.time},
            {"program", one.program},
            {"compiler", one.compiler},
            {"answers", one.answers},
            {"sources", one.sources},
            {"view", one.view},
            {"predictions", one.predictions}};
}

// Of a file that others may have written.
class HandInReader {
public:
    HandInReader(const Json& json, std::string name) : json_(json), name_(std::move(name)) {}

    base::Result<HandIn> read() {
        if (!json_.is_object() || !json_.contains(form)) return wrong(name_, base::say("this is not a hand-in file"));
        if (json_[form] != Json(1))
            return base::Error{base::Failure::usage, base::say("a newer gemmscope made this hand-in"), name_,
                               base::say("install that one")};
        HandIn one;
        text("student", one.student, longest_name);
        text("time", one.time, longest_name);
        text("program", one.program, longest_name);
        text("compiler", one.compiler, longest_name);
        text("view", one.view, largest_source);
        map("answers", one.answers, most_answers, longest_answer);
        map("sources", one.sources, most_sources, largest_source);
        lines("predictions", one.predictions);
        if (!fault_.empty()) return wrong(name_, fault_);
        for (const auto& [name, source] : one.sources)
            if (!is_file_name(name)) return wrong(name_, base::say("\"{}\" is not the name of a file", name));
        const auto hash = json_.find("hash");
        if (hash == json_.end() || *hash != Json(digest(content_of(one))))
            return base::Error{base::Failure::check_failed,
                               base::say("its hash does not match: it was changed or damaged"), name_,
                               base::say("ask the student for the file again")};
        return one;
    }

private:
    void fail(const char* key) {
        if (fault_.empty()) fault_ = base::say("\"{}\" is missing, of another kind or too large", key);
    }
    void text(const char* key, std::string& into, size_t longest) {
        const auto found = json_.find(key);
        if (found == json_.end() || !found->is_string()) return fail(key);
        into = found->get<std::string>();
        if (into.size() > longest) fail(key);
    }
    void map(const char* key, std::map<std::string, std::string>& into, size_t most, size_t longest) {
        const auto found = json_.find(key);
        if (found == json_.end() || !found->is_object() || found->size() > most) return fail(key);
        for (const auto& [name, value] : found->items()) {
            if (!value.is_string() || name.size() > longest_name) return fail(key);
            into[name] = value.get<std::string>();
            if (into[name].size() > longest) return fail(key);
        }
    }
    void lines(const char* key, std::vector<std::string>& into) {
        const auto found = json_.find(key);
        if (found == json_.end() || !found->is_array() || found->size() > most_predictions) return fail(key);
        for (const Json& line : *found) {
            if (!line.is_string()) return fail(key);
            into.push_back(line.get<std::string>());
        }
    }

    const Json& json_;
    std::string name_;
    base::Sentence fault_;
};

// answers.toml: "sectors = 8192", "race = [12, 15]", "why = \"...\""
class AnswersReader : catalog::TomlReader {
public:
    explicit AnswersReader(const fs::path& file) : TomlReader(file.string()) {}

    base::Status read_into(HandIn& one) {
        auto text = base::read_file(path());
        if (!text) return text.error();
        if (text->size() > largest_source)
            return base::Error{base::Failure::usage, base::say("the file has {} bytes", text->size()), path(),
                               base::say("a hand-in may have {}", largest_source)};
        const toml::table root = parse(*text);
        if (!error()) bounded(root, "answers", root.size(), most_answers);
        for (auto&& [key, node] : root) {
            const std::string name(key.str()), answer = answer_of(node);
            if (answer.empty() || answer.size() > longest_answer)
                fail(node.source(), base::say("\"{}\" should be a number, a text or a list of numbers", name),
                     base::say("write {} = 8", name));
            if (name == "student") one.student = answer.substr(0, longest_name);
            else one.answers[name] = answer;
        }
        if (error()) return *error();
        return base::Done{};
    }

private:
    static std::string answer_of(const toml::node& node) {
        if (const auto text = node.value_exact<std::string>()) return *text;
        if (const auto whole = node.value_exact<int64_t>()) return std::to_string(*whole);
        if (const auto real = node.value_exact<double>()) return fmt::format("{}", *real);
        std::string text;
        if (const toml::array* array = node.as_array(); array && array->size() <= most_answers)
            for (const toml::node& value : *array) text += (text.empty() ? "" : ", ") + answer_of(value);
        return text;
    }
};

// A student's link would make a teacher's file part of the work; a pipe would never end.
base::Status is_own_file(const fs::path& file) {
    std::error_code ignored;
    const fs::file_status status = fs::symlink_status(file, ignored);
    if (fs::is_regular_file(status)) return base::Done{};
    return base::Error{base::Failure::usage,
                       fs::is_symlink(status) ? base::say("this is a link") : base::say("this is not a file"),
                       file.string(), base::say("put the file itself there")};
}

base::Result<HandIn> read_folder(const fs::path& folder) {
    HandIn one;
    one.student = (folder.has_filename() ? folder : folder.parent_path()).filename().string();
    std::error_code error;
    if (const fs::path answers = folder / "answers.toml"; fs::exists(fs::symlink_status(answers, error))) {
        if (auto own = is_own_file(answers); !own) return own.error();
        if (auto read = AnswersReader(answers).read_into(one); !read) return read.error();
    }
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        std::error_code ignored;
        const std::string name = each->path().filename().string();
        if (each->path().extension() != ".cu" || !is_file_name(name)) continue;
        if (auto own = is_own_file(each->path()); !own) return own.error();
        if (fs::file_size(each->path(), ignored) > largest_source || one.sources.size() == most_sources)
            return wrong(each->path().string(), base::say("the folder has too many files, or too large ones"));
        auto text = base::read_file(each->path());
        if (!text) return text.error();
        one.sources[name] = std::move(*text);
    }
    if (one.answers.empty() && one.sources.empty()) return wrong(folder.string(), base::say("nothing was handed in"));
    return one;
}

bool holds_work(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder / "answers.toml", error))) return true;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
        if (each->path().extension() == ".cu") return true;
    return false;
}

// Learning platforms give each student a folder. One that holds no work is a student's, too, who has handed in nothing.
void find_in(const fs::path& folder, int depth, std::vector<fs::path>& found) {
    constexpr int deepest = 3;
    std::error_code error, ignored;
    for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
        const std::string name = each->path().filename().string();
        if (name[0] == '.' || name == "__MACOSX" || found.size() >= most_hand_ins) continue;
        const size_t before = found.size();
        const bool is_folder = fs::is_directory(each->symlink_status(ignored)); // a link may lead back
        if (is_folder && !holds_work(each->path())) {
            if (depth + 1 < deepest) find_in(each->path(), depth + 1, found);
            if (depth > 0 || found.size() > before) continue;
        }
        if (is_folder || each->path().extension() == ".gemm") found.push_back(each->path());
    }
}

} // namespace

std::string to_text(const HandIn& one) {
    Json json = content_of(one);
    json["hash"] = digest(json);
    return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Status write_hand_in(const fs::path& path, const HandIn& one) { return base::write_file(path, to_text(one)); }

base::Status stamp(HandIn& one, const fs::path& answers) {
    one.time = lesson::time_now();
    one.program = base::version();
    const compile::Availability compiler = compile::availability();
    one.compiler = compiler.found ? "NVRTC " + compiler.version : std::string();
    auto given = lesson::read_answers(answers);
    if (!given) return given.error();
    one.predictions.clear();
    for (const lesson::Given& each : given->given) one.predictions.push_back(lesson::to_line(each));
    return base::Done{};
}

base::Result<HandIn> parse_hand_in(const std::string& text, const std::string& name) {
    const auto json = base::parse_json(text);
    if (!json) return wrong(name, json.error().what);
    return HandInReader(Json(*json), name).read();
}

base::Result<HandIn> read_hand_in(const fs::path& path) {
    std::error_code error;
    if (fs::is_directory(path, error)) return read_folder(path);
    if (const auto bytes = fs::file_size(path, error); !error && bytes > largest_hand_in)
        return wrong(path.string(), base::say("the file has {} bytes", bytes));
    auto text = base::read_file(path);
    if (!text) return text.error();
    return parse_hand_in(*text, path.string());
}

std::vector<fs::path> hand_ins_in(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error) || holds_work(path)) return {path};
    std::vector<fs::path> found;
    find_in(path, 0, found);
    std::sort(found.begin(), found.end());
    return found;
}

} // namespace exercise
