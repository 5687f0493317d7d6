#include "lesson/class_files.h"

#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <set>

namespace lesson {
namespace {

namespace fs = std::filesystem;

constexpr size_t most_students = 2000, most_entries = 20'000;
constexpr uintmax_t most_bytes = 64 << 20; // a student's whole course is some 20 KiB
constexpr int deepest = 3;                 // learning platforms give each student a folder
constexpr size_t first_bytes = 16 << 10;   // a line of answers is no longer

// Its first line is an answer. Devices and pipes are not read.
bool begins_with_answer(const fs::path& file) {
    std::error_code error;
    if (!fs::is_regular_file(file, error)) return false;
    std::string text(first_bytes, '\0');
    std::ifstream stream(file, std::ios::binary);
    stream.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(std::max<std::streamsize>(stream.gcount(), 0)));
    for (const std::string_view line : base::lines(text))
        if (!base::trimmed(line).empty()) return !parse_answers(line).given.empty();
    return false;
}

bool is_named_so(const fs::path& file) { return file.extension() == ".jsonl"; }

// Those that may hold answers, by name. Hidden ones are left out, and links to folders, which may lead back.
std::vector<fs::path> files_in(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    size_t entries = 0;
    using Walk = fs::recursive_directory_iterator;
    for (Walk at(folder, fs::directory_options::skip_permission_denied, error), end;
         !error && at != end && entries < most_entries; at.increment(error), ++entries) {
        std::error_code ignored;
        const bool hidden = at->path().filename().string().starts_with('.');
        if (at->is_directory(ignored)) {
            if (hidden || at.depth() + 1 >= deepest) at.disable_recursion_pending();
        } else if (!hidden && (is_named_so(at->path()) || begins_with_answer(at->path()))) {
            files.push_back(at->path());
        }
        if (files.size() > most_students) break;
    }
    std::sort(files.begin(), files.end());
    return files;
}

class Reader {
public:
    void add(const fs::path& file) {
        std::error_code error;
        if (!seen_.insert(fs::weakly_canonical(file, error)).second) return; // given twice
        if (!fs::exists(file, error))
            return leave_out(file, base::say("there is no such file"), base::say("give each student's answers"));
        if (!fs::is_regular_file(file, error))
            return leave_out(file, base::say("this is not a file"), base::say("give each student's answers"));
        if (files_.students.size() >= most_students)
            return leave_out(file, base::say("a class has at most {} students", most_students),
                             base::say("give fewer files"));
        const uintmax_t bytes = fs::file_size(file, error);
        if (error || bytes > most_bytes - bytes_)
            return leave_out(file, base::say("a class's files have at most {}", base::bytes_text(most_bytes)),
                             base::say("give fewer files"));
        auto read = read_answers(file);
        if (!read) return files_.left_out.push_back(read.error());
        if (read->given.empty() && bytes > 0)
            return leave_out(file, base::say("no line of it is an answer"),
                             base::say("ask for the student's answers.jsonl"));
        bytes_ += bytes;
        files_.damaged += read->damaged;
        files_.students.push_back(std::move(*read));
    }
    void nothing_in(const fs::path& folder) {
        leave_out(folder, base::say("there are no answers in this folder"),
                  base::say("give the folder of the students' answers.jsonl"));
    }
    ClassFiles take() { return std::move(files_); }

private:
    void leave_out(const fs::path& file, base::Sentence what, base::Sentence todo) {
        files_.left_out.push_back({base::Failure::usage, std::move(what), file.string(), std::move(todo)});
    }

    ClassFiles files_;
    std::set<fs::path> seen_;
    uintmax_t bytes_ = 0;
};

} // namespace

bool holds_answers(const fs::path& path) {
    std::error_code error;
    if (!fs::is_directory(path, error)) return is_named_so(path) || begins_with_answer(path);
    return !files_in(path).empty();
}

ClassFiles read_class(const std::vector<fs::path>& places) {
    Reader reader;
    for (const fs::path& place : places) {
        std::error_code error;
        if (!fs::is_directory(place, error)) {
            reader.add(place);
            continue;
        }
        const auto files = files_in(place);
        if (files.empty()) reader.nothing_in(place);
        for (const fs::path& file : files) reader.add(file);
    }
    return reader.take();
}

} // namespace lesson
