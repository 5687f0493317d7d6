#include "exercise/one_file.h"

#include "compile/include_folders.h"
#include "compile/local_includes.h"

#include <algorithm>

namespace exercise {
namespace {

namespace fs = std::filesystem;

base::Error included(const std::string& other, const fs::path& file) {
    return {base::Failure::check_failed, base::say("it includes {}, and a solution is one file", other), file.string(),
            base::say("copy what it needs into the file; CUDA's own headers may be included")};
}

bool lies_below(const fs::path& file, const fs::path& folder) {
    return std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first == folder.end();
}

} // namespace

base::Status includes_no_file(const std::string& source, const fs::path& file) {
    const auto files = compile::local_includes(source, file);
    if (!files) return files.error();
    if (!files->empty()) return included(files->front().path, file);
    return base::Done{};
}

base::Status is_of_one_file(const trace::Listing& listing, const fs::path& file) {
    const auto folders = compile::include_folders();
    for (const auto& [number, name] : listing.source_files) {
        std::error_code error;
        const fs::path other = fs::weakly_canonical(name, error); // CUDA's folders are written so, too
        const bool own = !fs::is_regular_file(other, error) || fs::equivalent(other, file, error);
        const auto holds_it = [&](const std::string& folder) { return lies_below(other, folder); };
        if (!own && std::none_of(folders.begin(), folders.end(), holds_it)) return included(name, file);
    }
    return base::Done{};
}

} // namespace exercise
