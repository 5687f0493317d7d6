// A library that is loaded when the program runs, so that the program also starts where it is missing.
#pragma once

#include "base/result.h"

#include <string>
#include <vector>

namespace base {

// A handle; copies refer to the same library. It stays loaded until the process ends: CUDA's libraries start threads
// and register exit handlers whose code must not disappear.
class SharedLibrary {
public:
    // The first of `candidates` (names for the loader's search path, or paths) that loads.
    // Errors: Failure::missing with the loader's reason for the most telling candidate: one that exists but fails to load.
    static Result<SharedLibrary> open(const std::vector<std::string>& candidates);

    const std::string& path() const { return path_; } // of the file that was loaded

    // The address of a function, nullptr if the library has none of that name: library.function<decltype(nvrtcVersion)>("nvrtcVersion").
    template <class Function>
    Function* function(const char* name) const {
        return reinterpret_cast<Function*>(symbol(name));
    }

private:
    SharedLibrary(void* handle, std::string path) : handle_(handle), path_(std::move(path)) {}
    void* symbol(const char* name) const;

    void* handle_;
    std::string path_;
};

} // namespace base
