#include "base/file.h"

#include "base/system_reason.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <random>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace base {
namespace fs = std::filesystem;
namespace {

constexpr size_t largest_file = size_t{1} << 28; // some devices never end
constexpr std::chrono::minutes long_ago{1};

Error system_error(const fs::path& path, const Sentence& action, int code) {
    return {Failure::usage, say("{}: {}", action, system_reason(code)), path.string(), {}};
}

class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {}
    ~Descriptor() { close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int number() const { return number_; }
    bool close() {
        int closing = std::exchange(number_, -1);
        return closing < 0 || ::close(closing) == 0;
    }

private:
    int number_;
};

bool write_all(int descriptor, std::string_view bytes) {
    while (!bytes.empty()) {
        ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return false;
        bytes.remove_prefix(static_cast<size_t>(written));
    }
    return true;
}

// A device or a pipe: renaming a file over it would destroy it.
Status write_into(const fs::path& path, std::string_view bytes) {
    Descriptor file(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
    if (file.number() < 0 || !write_all(file.number(), bytes) || !file.close())
        return system_error(path, say("cannot write"), errno);
    return Done{};
}

// What a file is called while it is not whole, before 16 hexadecimal digits.
constexpr std::string_view part = ".gemmscope-part-";

fs::path new_part_in(const fs::path& folder) {
    return folder / fmt::format("{}{:08x}{:08x}", part, std::random_device{}(), std::random_device{}());
}

// Whether it is a minute ago, or was never, that this was asked of the folder.
bool is_due(const fs::path& folder) {
    using Clock = std::chrono::steady_clock;
    static std::mutex mutex;
    static std::map<fs::path, Clock::time_point> looked_at;
    std::lock_guard lock(mutex);
    const Clock::time_point now = Clock::now();
    const auto [at, is_new] = looked_at.try_emplace(folder, now);
    if (!is_new && now - at->second < long_ago) return false;
    at->second = now;
    return true;
}

// Of programs that were killed: nobody has written to them for a minute. A cache holds thousands of entries, so that a look at all is
// not for every file that is written.
void remove_left_parts(const fs::path& folder) {
    if (!is_due(folder)) return;
    std::error_code failed;
    fs::directory_iterator entries(folder.empty() ? "." : folder, failed);
    for (; !failed && entries != fs::directory_iterator(); entries.increment(failed)) {
        if (!entries->path().filename().string().starts_with(part)) continue;
        std::error_code gone;
        const auto written = fs::last_write_time(entries->path(), gone);
        if (!gone && written < fs::file_time_type::clock::now() - long_ago) fs::remove(entries->path(), gone);
    }
}

// Whoever may read the file may read the one that takes its place, and nobody else.
void keep_mode(int descriptor, const fs::path& target) {
    struct stat before {};
    if (::stat(target.c_str(), &before) == 0) (void)::fchmod(descriptor, before.st_mode & 07777);
}

// Others may make a folder of any name in the system's temporary folder, or a link.
bool is_private(const fs::path& folder) {
    struct stat status {};
    if (::lstat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || status.st_uid != ::geteuid()) return false;
    return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0 || ::chmod(folder.c_str(), S_IRWXU) == 0;
}

// An environment variable that holds an absolute path; relative ones are to be ignored, says the XDG specification.
fs::path absolute_from_environment(const char* name) {
    const char* value = std::getenv(name);
    fs::path path = value ? value : "";
    return path.is_absolute() ? path : fs::path{};
}

fs::path user_folder(const char* own, const char* xdg, const char* below_home) {
    if (const char* value = std::getenv(own); value && *value) return value;
    if (fs::path folder = absolute_from_environment(xdg); !folder.empty()) return folder / "gemmscope";
    if (fs::path home = absolute_from_environment("HOME"); !home.empty()) return home / below_home / "gemmscope";
    std::error_code ignored;
    fs::path temporary = fs::temp_directory_path(ignored);
    const fs::path folder = (temporary.empty() ? "/tmp" : temporary) / fmt::format("gemmscope-{}", ::geteuid());
    (void)::mkdir(folder.c_str(), S_IRWXU);                     // it may be there
    return is_private(folder) ? folder : "/dev/null/gemmscope"; // there no file can be
}

} // namespace

Status ends(const fs::path& path) {
    std::error_code ignored;
    if (!fs::is_other(path, ignored)) return Done{};
    return Error{Failure::usage, say("this is a device or a pipe"), path.string(), say("give a regular file")};
}

Result<std::string> read_file(const fs::path& path) {
    if (auto ending = ends(path); !ending) return ending.error();
    return read_named(path);
}

Result<std::string> read_named(const fs::path& path) {
    Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.number() < 0) return system_error(path, say("cannot read"), errno);
    std::string text;
    struct stat status {};
    if (::fstat(file.number(), &status) == 0 && S_ISREG(status.st_mode)) {
        if (static_cast<uintmax_t>(status.st_size) > largest_file) return system_error(path, say("cannot read"), EFBIG);
        text.reserve(static_cast<size_t>(status.st_size));
    }
    std::array<char, 1 << 16> chunk;
    while (true) {
        ssize_t count = ::read(file.number(), chunk.data(), chunk.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return system_error(path, say("cannot read"), errno);
        if (count == 0) return text;
        text.append(chunk.data(), static_cast<size_t>(count));
        if (text.size() > largest_file) return system_error(path, say("cannot read"), EFBIG);
    }
}

Status write_file(const fs::path& path, std::string_view bytes, Survives survives) {
    std::error_code failed;
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
    if (failed) return system_error(path.parent_path(), say("cannot make the folder"), failed.value());
    if (fs::is_other(path, failed)) return write_into(path, bytes);
    // What a link points to is replaced, not the link.
    fs::path target = fs::is_symlink(path, failed) ? fs::weakly_canonical(path, failed) : path;
    if (target.empty()) target = path;

    remove_left_parts(target.parent_path());
    const fs::path beside = new_part_in(target.parent_path());
    Descriptor file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.number() < 0) return system_error(path, say("cannot write"), errno);
    keep_mode(file.number(), target);
    // Some file systems write the new name before the bytes.
    const bool written =
        write_all(file.number(), bytes) && (survives == Survives::crash || ::fsync(file.number()) == 0) && file.close();
    if (written && ::rename(beside.c_str(), target.c_str()) == 0) return Done{};
    int code = errno;
    ::unlink(beside.c_str());
    return system_error(path, say("cannot write"), code);
}

fs::path cache_folder() { return user_folder("GEMMSCOPE_CACHE", "XDG_CACHE_HOME", ".cache"); }

fs::path state_folder() { return user_folder("GEMMSCOPE_STATE", "XDG_STATE_HOME", ".local/state"); }

fs::path data_folder() { return user_folder("GEMMSCOPE_DATA", "XDG_DATA_HOME", ".local/share"); }

fs::path executable() {
    std::error_code failed;
    fs::path path = fs::read_symlink("/proc/self/exe", failed);
    return failed ? fs::path{} : path;
}

fs::path source_folder() {
    const fs::path beside = executable().parent_path();
    std::error_code ignored;
    if (!fs::exists(beside / "CMakeCache.txt", ignored)) return {};
    return (beside / GEMMSCOPE_TO_SOURCE).lexically_normal();
}

Result<fs::path> resource_folder(std::string_view name) {
    const fs::path beside = executable().parent_path();
    // The installed place goes first: "assets" in somebody's ~/.local is not ours.
    std::vector<fs::path> folders = {beside / "../share/gemmscope", beside, beside / ".."};
    if (!source_folder().empty()) folders.push_back(source_folder());
    for (const fs::path& folder : folders) {
        std::error_code ignored;
        if (fs::path found = folder / name; fs::is_directory(found, ignored)) return found.lexically_normal();
    }
    return Error{Failure::missing, say("the folder {}/ is missing", name), beside.string(),
                 say("keep it beside the program, or install gemmscope again")};
}

} // namespace base
