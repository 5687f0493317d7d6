#include "session/recent_files.h"

#include "base/file.h"
#include "base/folder_lock.h"
#include "base/text.h"

#include <algorithm>
#include <system_error>

namespace session {

namespace fs = std::filesystem;

fs::path own_recent_files() { return base::state_folder() / "recent"; }

std::vector<fs::path> recent_files(const fs::path& list) {
    std::vector<fs::path> found;
    const auto text = base::read_file(list);
    if (!text || text->size() > 64 * 1024) return found;
    for (const auto line : base::lines(*text)) {
        std::error_code error;
        const fs::path file{std::string(line)};
        if (found.size() == most_recent_files) break;
        if (!line.empty() && file.is_absolute() && fs::is_regular_file(file, error)) found.push_back(file);
    }
    return found;
}

base::Status remember_file(const fs::path& list, const fs::path& file) {
    if (auto ending = base::ends(list); !ending) return ending;
    std::error_code error;
    const fs::path first = fs::absolute(file, error);
    if (error || first.string().find('\n') != std::string::npos) return base::Done{}; // a name that no line holds
    const base::FolderLock alone(list.parent_path());                                 // several windows may open files
    std::string text = first.string() + "\n";
    size_t count = 1;
    for (const fs::path& other : recent_files(list))
        if (other != first && count++ < most_recent_files) text += other.string() + "\n";
    return base::write_file(list, text);
}

} // namespace session
