#include "compile/toolkit.h"

#include "base/file.h"
#include "compile/wheels.h"

#include <cstdlib>

namespace compile {
namespace fs = std::filesystem;

// A toolkit has its libraries in lib64, or in targets/<machine>/lib with lib64 a link to it.
std::vector<fs::path> toolkit_folders(const fs::path& nvrtc) {
    std::error_code ignored;
    const fs::path beside = fs::weakly_canonical(nvrtc, ignored).parent_path();
    std::vector<fs::path> folders = {nvrtc.parent_path() / "..", beside / "..", beside / "../../.."};
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* root = std::getenv(variable); root && *root) folders.push_back(root);
    folders.push_back("/usr/local/cuda");
    for (fs::path& folder : fetched_toolkits()) folders.push_back(std::move(folder));
    return folders;
}

std::vector<fs::path> fetched_toolkits() {
    std::vector<fs::path> folders;
    if (const fs::path source = base::source_folder(); !source.empty()) folders.push_back(source / ".venv/cuda");
    folders.push_back(wheels_folder());
    return folders;
}

} // namespace compile
