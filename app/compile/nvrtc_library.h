// NVIDIA's runtime compiler, loaded at run time.
#pragma once

#include "base/result.h"
#include "base/shared_library.h"
#include "compile/local_includes.h"

#include <memory>
#include <string>
#include <vector>

namespace compile {

// What one compilation gives.
struct NvrtcOutput {
    bool succeeded = false;
    std::string ptx, entry; // entry: the mangled name of the name expression, if one was given
    std::string log;
};

class Nvrtc {
public:
    // $GEMMSCOPE_NVRTC (a library file) if set, and nothing else; else NVRTC 13 or 12 from $CUDA_HOME or $CUDA_PATH, the
    // loader's path, /usr/local/cuda, or the private environment that gemmscope.sh makes.
    static base::Result<Nvrtc> load();

    const std::string& path() const { return library_.path(); }
    const std::string& version() const { return version_; }               // "13.0"
    const std::string& build() const { return build_; }                   // tells builds of one version apart
    const std::vector<int>& architectures() const { return architectures_; } // 75, 80, ... ascending
    const std::vector<std::string>& include_folders() const { return include_folders_; } // CUDA's own

    // To PTX. `name` stands in messages and line tables. `headers` go before files on disk of the same path.
    // Thread-safe.
    NvrtcOutput compile(const std::string& text, const std::string& name, const std::string& name_expression,
                        const std::vector<std::string>& options,
                        const std::vector<IncludedFile>& headers = {}) const;

private:
    struct Functions;
    explicit Nvrtc(base::SharedLibrary library) : library_(std::move(library)) {}
    base::Status bind();

    base::SharedLibrary library_;
    std::shared_ptr<const Functions> functions_;
    std::string version_, build_;
    std::vector<int> architectures_;
    std::vector<std::string> include_folders_;
};

} // namespace compile
