// The command line, one argument a line: parsed, and what the arguments mean worked out; nothing is run.
// Coverage: app/cli/command.h app/cli/options.cpp app/cli/argument.cpp app/cli/source.cpp
#include "entry.h"

#include "base/file.h"
#include "cli/command.h"
#include "cli/source.h"

#include <CLI/CLI.hpp>

namespace {

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty() && lines.size() < 64) {
        const size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, std::min(end, text.find('\0')))); // as the system hands arguments over
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

// A kernel of the catalogue, to which -p, -m, -n and -k are applied.
std::shared_ptr<const catalog::Kernel> kernel() {
    static const auto found = [] {
        const std::string path = *base::resource_folder("kernels") / "double_buffer.cu";
        return std::make_shared<const catalog::Kernel>(*catalog::parse(*base::read_file(path), path));
    }();
    return found;
}

void resolve(const std::vector<std::string>& words) {
    cli::SourceOptions options;
    CLI::App app;
    cli::Options declared(app);
    cli::add_source_options(declared, options);
    try {
        app.parse(std::vector<std::string>(words.rbegin(), words.rend()));
    } catch (const CLI::ParseError&) {
        return;
    }
    if (auto subject = cli::to_subject(options, "double_buffer")) (void)session::resolve(*kernel(), *subject);
    for (size_t i = 0; i < options.arguments.size(); ++i) (void)cli::parse_argument(options.arguments[i], i);
    for (const std::string* size : {&options.grid, &options.block}) (void)cli::parse_dim3(*size, "size");
    (void)cli::thread_count(options);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    if (size > 4096) return 0;
    const std::vector<std::string> words = lines_of(text_of(data, size));
    std::vector<const char*> arguments{"gemmscope"};
    for (const std::string& word : words) arguments.push_back(word.c_str());
    cli::Frontend frontend;
    frontend.views = {"window", "banks"};
    cli::Common common;
    common.frontend = &frontend;
    (void)cli::parse(static_cast<int>(arguments.size()), arguments.data(), common);
    if (!words.empty()) resolve({words.begin() + 1, words.end()});
    return 0;
}
