#include "compile/refusal.h"

#include "compile/compiler_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace compile {
namespace {

base::Sentence todo(const Message& first, int more) {
    if (first.text.starts_with("Unsupported .version"))
        return base::say("NVRTC is newer than ptxas: let $GEMMSCOPE_PTXAS name one of its version");
    const base::Sentence todo = first.line > 0 ? base::say("correct the inline PTX there") : base::Sentence();
    if (more <= 0) return todo;
    return base::list({todo, more == 1 ? base::say("1 more error follows") : base::say("{} more errors follow", more)});
}

} // namespace

bool is_same_file(const std::string& a, const std::string& b) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    return fs::absolute(a, ignored).lexically_normal() == fs::absolute(b, ignored).lexically_normal();
}

Place source_of(std::string_view ptx, int line) {
    std::istringstream lines{std::string(ptx)};
    std::string text, word;
    int file = 0, number = 0;
    Place place;
    for (int at = 1; std::getline(lines, text); ++at) {
        std::istringstream words(text);
        words >> word;
        if (at <= line && word == ".loc") words >> file >> place.line;   // .loc 1 47 5
        else if (word == ".file" && words >> number && number == file) { // .file 1 "/home/me/naive.cu", behind the code
            const size_t open = text.find('"'), close = text.rfind('"');
            if (open < close && close != text.npos) place.file = text.substr(open + 1, close - open - 1);
        }
    }
    return place.file.empty() ? Place{} : place;
}

CompileError refusal(std::string_view log, const Ptx& ptx, const Source& source) {
    std::vector<Message> errors = messages(log);
    std::erase_if(errors, [](const Message& m) { return !m.error; });
    if (errors.size() > 1)
        std::erase_if(errors, [](const Message& m) { return m.text.starts_with("Ptx assembly aborted"); });
    if (errors.empty()) errors.push_back({true, {}, 0, "it gives no reason"});
    CompileError failed;
    for (const Message& m : errors) {
        const Place place = m.line > 0 ? source_of(ptx.text, m.line) : Place{};
        const bool is_here = is_same_file(place.file, source.name);
        failed.diagnostics.push_back({true, is_here ? place.line : 0, base::verbatim("ptxas: " + m.text)});
        if (failed.diagnostics.size() > 1) continue;
        const std::string where =
            place.file.empty() ? source.name : fmt::format("{}:{}", is_here ? source.name : place.file, place.line);
        failed.error = {base::Failure::usage, failed.diagnostics.front().text, where,
                        todo(m, static_cast<int>(errors.size()) - 1)};
    }
    return failed;
}

} // namespace compile
