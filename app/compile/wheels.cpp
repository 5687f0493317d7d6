#include "compile/wheels.h"

#include "base/file.h"
#include "base/system_reason.h"

#include <sstream>

namespace compile {
namespace {
namespace fs = std::filesystem;

fs::path note_in(const fs::path& folder) { return folder / "wheels.txt"; }

// Links to all that lies in `wheel`/`kind`. What two wheels have is the first's.
std::error_code link_all(const fs::path& wheel, const char* kind, const fs::path& folder) {
    std::error_code failed;
    if (!fs::is_directory(wheel / kind, failed)) return {};
    for (const fs::directory_entry& entry : fs::directory_iterator(wheel / kind, failed)) {
        const fs::path link = folder / kind / entry.path().filename();
        if (fs::is_symlink(fs::symlink_status(link, failed))) continue;
        fs::create_symlink(fs::path("..") / entry.path().lexically_relative(folder), link, failed);
        if (failed) return failed;
    }
    return failed;
}

} // namespace

base::Result<std::vector<Wheel>> wheels_of(std::string_view list, int cuda, bool cublas) {
    std::vector<Wheel> wheels;
    std::istringstream lines{std::string(list)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        int version = 0;
        std::string use;
        Wheel wheel;
        if (!(words >> version >> use >> wheel.name >> wheel.bytes) || version != cuda) continue;
        if (use == "compile" || (cublas && use == "cublas")) wheels.push_back(wheel);
    }
    if (wheels.empty())
        return base::Error{base::Failure::usage, base::say("there are no wheels of CUDA {}", cuda), {}, {}};
    return wheels;
}

fs::path wheels_folder() { return base::data_folder() / "cuda"; }

base::Status link_wheels(const fs::path& folder, const std::vector<std::string>& wheels) {
    std::error_code failed;
    const auto error = [&] {
        return base::Error{
            base::Failure::missing,
            base::say("{}: {}", base::say("the wheels cannot be linked"), base::system_reason(failed.value())),
            folder.string(),
            {}};
    };
    for (const char* kind : {"bin", "include", "lib"}) {
        fs::create_directories(folder / kind, failed);
        if (failed) return error();
    }
    // CUDA 12 has a folder for each wheel, CUDA 13 one for all.
    for (const fs::directory_entry& wheel : fs::directory_iterator(folder / "nvidia", failed))
        for (const char* kind : {"bin", "include", "lib"})
            if ((failed = link_all(wheel.path(), kind, folder))) return error();
    if (failed) return error();
    std::string note;
    for (const std::string& wheel : wheels) note += wheel + "\n";
    return base::write_file(note_in(folder), note);
}

std::vector<std::string> linked_wheels(const fs::path& folder) {
    std::vector<std::string> wheels;
    const auto note = base::read_file(note_in(folder));
    std::istringstream lines(note ? *note : std::string());
    for (std::string line; std::getline(lines, line);) wheels.push_back(line);
    return wheels;
}

} // namespace compile
