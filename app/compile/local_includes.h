// The files of the user that a source includes.
#pragma once

#include "base/result.h"

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

// The file of that name beside a file in `folder`, or where projects keep what they include from everywhere: in a folder above
// or its include, inc, common, src or utils folder; else in those that $GEMMSCOPE_INCLUDE names. Empty: there is none.
std::filesystem::path find_included(std::string_view name, const std::filesystem::path& folder);

// Where a file's #include lines may read, besides the toolkit: its own folder, or up to three above it where these may be of one
// project, and those that $GEMMSCOPE_INCLUDE names. Without links.
std::vector<std::filesystem::path> readable_folders(const std::filesystem::path& file);

// Every file that `text`, of `file`, includes, in order, those of included files too, by find_included(); a file with several
// names by the first. Looks at no condition: a file too many only costs a compilation. Errors: one is a device or a pipe, which
// NVRTC would open; one lies elsewhere than in readable_folders(); there are too many, or they are too large.
base::Result<std::vector<IncludedFile>> local_includes(std::string_view text, const std::filesystem::path& file);

} // namespace compile
