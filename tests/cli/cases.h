// The programs of tests/data/counters/cases.txt.
#pragma once

#include "cli/source.h"

#include <CLI/CLI.hpp>

#include <fstream>
#include <string>
#include <vector>

namespace cases {

// The job of a line: what `gemmscope trace SOURCE OPTIONS RUN` would execute.
inline base::Result<session::Job> job_of(const std::string& source, const std::string& options,
                                         bool needs_launch = true) {
    CLI::App app;
    cli::SourceOptions parsed;
    cli::Options declared(app);
    cli::add_source_options(declared, parsed);
    const std::string path = source.ends_with(".cu") ? SOURCE_DIR "/" + source : source;
    try {
        app.parse(path + " " + options);
    } catch (const CLI::Error& error) {
        return base::Error{base::Failure::usage, base::verbatim(error.what()), source, {}};
    }
    cli::Common common;
    common.kernel_folders = {SOURCE_DIR "/kernels"};
    return cli::to_job(parsed, common, needs_launch);
}

struct Case {
    std::string source, options;
    std::vector<std::string> runs; // sizes, or the launch of a file
};

inline std::string trimmed(const std::string& text) {
    const size_t first = text.find_first_not_of(' ');
    return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

inline std::vector<std::string> parts(const std::string& text, char separator) {
    std::vector<std::string> list;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find(separator, at), text.size());
        list.push_back(trimmed(text.substr(at, end - at)));
        at = end + 1;
    }
    return list;
}

inline std::vector<Case> all() {
    std::ifstream input(TEST_DATA "/counters/cases.txt");
    std::vector<Case> list;
    for (std::string line; std::getline(input, line);) {
        if (line.empty() || line[0] == '#') continue;
        const auto columns = parts(line, '|');
        list.push_back({columns.at(0), columns.at(1), parts(columns.at(2), ';')});
    }
    return list;
}

} // namespace cases
