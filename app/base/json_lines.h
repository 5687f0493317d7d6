// Files of JSON objects, one a line. Include it in .cpp files only.
#pragma once

#include "base/file.h"
#include "base/result.h"

#include <fmt/format.h>

#include <filesystem>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace base {

// What `parse` makes of each line; its `file` becomes the file's name. Errors name file and line, too, and say
// `cure`.
template <class T>
Result<std::vector<T>> read_json_lines(const std::filesystem::path& path, Result<T> (*parse)(std::string_view),
                                       Phrase cure) {
    auto text = read_file(path);
    if (!text) return text.error();
    std::vector<T> all;
    std::istringstream lines(*text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        auto one = parse(line);
        if (!one) return Error{Failure::usage, one.error().what, fmt::format("{}:{}", path.string(), number), cure};
        one->file = path.filename().string();
        all.push_back(std::move(*one));
    }
    return all;
}

} // namespace base
