// A cache folder of one test's own.
#pragma once

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <unistd.h>

namespace scratch {

class Folder {
public:
    Folder() {
        static std::atomic<int> count = 0;
        path_ = std::filesystem::temp_directory_path() /
                ("gemmscope_compile_test." + std::to_string(::getpid()) + "." + std::to_string(count++));
        std::filesystem::create_directories(path_);
        ::setenv("GEMMSCOPE_CACHE", path_.c_str(), 1);
    }
    ~Folder() {
        ::unsetenv("GEMMSCOPE_CACHE");
        std::filesystem::remove_all(path_);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace scratch
