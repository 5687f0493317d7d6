#include "compile/kept_name.h"

#include "base/file.h"
#include "compile/refusal.h"

#include <filesystem>

namespace compile {

std::string kept_name(const std::string& file) {
    for (const char* name : {"kernels", "assets"}) {
        const auto folder = base::resource_folder(name);
        if (!folder) continue;
        const std::string start = (*folder / "").string();
        if (file.starts_with(start)) return std::string(name) + "/" + file.substr(start.size());
    }
    return file;
}

// The lines are `	.file	1 "/home/me/naive.cu"`, behind the code.
std::string with_file(std::string ptx, const std::string& from, const std::string& to) {
    if (from == to) return ptx;
    constexpr std::string_view before = "\n\t.file\t";
    for (size_t at = ptx.find(before); at != ptx.npos; at = ptx.find(before, at + before.size())) {
        const size_t open = ptx.find('"', at + before.size()) + 1;
        const size_t close = open == 0 ? ptx.npos : ptx.find('"', open);
        if (close == ptx.npos) break;
        if (is_same_file(ptx.substr(open, close - open), from)) ptx.replace(open, close - open, to);
    }
    return ptx;
}

} // namespace compile
