#include "compile/toolkit.h"

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
    folders.insert(folders.end(), {"/usr/local/cuda", fs::path(GEMMSCOPE_SOURCE_DIR) / ".venv/cuda"});
    return folders;
}

} // namespace compile
