// The files of the user that a source includes.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace compile {

// The contents of every file that `text` includes as "name" and that lies in `folder` or beside the file that includes
// it, in order, those of included files too. Looks at no condition: a file too many only costs a compilation.
std::vector<std::string> local_includes(std::string_view text, const std::filesystem::path& folder);

} // namespace compile
