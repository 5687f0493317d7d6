// An input as a file, for what reads files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

class FileOf {
public:
    FileOf(const uint8_t* data, size_t size) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
        for (size_t at = 0; at < size;) {
            const ssize_t written = ::write(descriptor_, data + at, size - at);
            if (written <= 0) break;
            at += static_cast<size_t>(written);
        }
    }
    ~FileOf() { ::close(descriptor_); }
    FileOf(const FileOf&) = delete;
    FileOf& operator=(const FileOf&) = delete;

    std::filesystem::path path() const {
        return "/proc/" + std::to_string(::getpid()) + "/fd/" + std::to_string(descriptor_);
    }

private:
    int descriptor_;
};
