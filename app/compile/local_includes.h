// The files of the user that a source includes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace compile {

struct IncludedFile {
    std::string path; // as the compiler names it in messages: its folder as given, and its name
    std::string text;
};

// What an #include line names: "x.h" of `#include "x.h"` and of `#include <x.h>`; empty for any other line.
std::string_view included_name(std::string_view line);

// Every file that `text` includes and that lies in `folder` or beside the file that includes it, in order, those of included
// files too. Looks at no condition: a file too many only costs a compilation.
std::vector<IncludedFile> local_includes(std::string_view text, const std::filesystem::path& folder);

} // namespace compile
