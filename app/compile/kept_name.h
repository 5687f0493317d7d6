// The program's own kernels lie elsewhere on every machine. What is compiled of them is kept under names that are the same
// everywhere, so that it can come with the program (pack.h).
#pragma once

#include <string>
#include <string_view>

namespace compile {

// "kernels/tile.cu" of a file that comes with the program; any other as it is.
std::string kept_name(const std::string& file);

// `ptx` with `to` in the place of `from` where it names the files that its lines are of.
std::string with_file(std::string ptx, const std::string& from, const std::string& to);

} // namespace compile
