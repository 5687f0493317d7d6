// Runs the real binary as a user does.
#pragma once

#include "base/file.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace program {

struct Result {
    int code = -1; // exit code; 128 + signal if it died
    std::string out, err;

    nlohmann::json json() const {
        auto parsed = nlohmann::json::parse(out, nullptr, false);
        EXPECT_FALSE(parsed.is_discarded()) << "not JSON: " << out << err;
        return parsed;
    }
};

inline std::string quoted(const std::string& word) {
    std::string text = "'";
    for (char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return text + "'";
}

// A folder for each process of tests, gone afterwards. The window's state and the cache are not the user's.
class Folder {
public:
    Folder() : path(std::filesystem::temp_directory_path() / ("gemmscope_cli_test." + std::to_string(::getpid()))) {
        std::filesystem::create_directories(path);
    }
    ~Folder() { std::filesystem::remove_all(path); }
    const std::filesystem::path path;
};
inline const std::filesystem::path& folder() {
    static const Folder one;
    return one.path;
}

inline std::string file(const std::string& name, const std::string& text) {
    const auto path = folder() / name;
    EXPECT_TRUE(base::write_file(path, text).ok());
    return path.string();
}

// Processor time of the programs that have been run.
inline double cpu_s() {
    rusage used{};
    ::getrusage(RUSAGE_CHILDREN, &used);
    return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec);
}

inline Result run(const std::vector<std::string>& arguments, const std::string& environment = {}) {
    const std::string out = (folder() / "out").string(), err = (folder() / "err").string();
    std::string command = "cd " + quoted(folder().string()) + " && " + environment +
                          " GEMMSCOPE_STATE=" + quoted(folder().string()) + " " + quoted(GEMMSCOPE);
    for (const std::string& argument : arguments) command += " " + quoted(argument);
    command += " >" + quoted(out) + " 2>" + quoted(err) + " </dev/null";
    const int status = std::system(command.c_str());
    Result result;
    result.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    result.out = *base::read_file(out);
    result.err = *base::read_file(err);
    return result;
}

// Bad input: this exit code, nothing on stdout, one sentence on stderr that holds `says`.
inline void expect_refused(const std::vector<std::string>& arguments, int code, const std::string& says) {
    const Result result = run(arguments);
    std::string line;
    for (const std::string& argument : arguments) line += argument + " ";
    SCOPED_TRACE(line);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.out, "");
    EXPECT_NE(result.err.find(says), std::string::npos) << result.err;
    EXPECT_TRUE(result.err.starts_with("gemmscope: ")) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
}

// The names of an object's fields, in order.
using Names = std::vector<std::string>;
inline Names keys(const nlohmann::json& object) {
    Names names;
    for (const auto& [name, value] : object.items()) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace program
