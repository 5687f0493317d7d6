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

struct NvrtcFacts {
    std::string path, version;                // "13.0"
    std::string build;                        // tells builds of one version apart
    std::vector<int> architectures;           // 75, 80, ... ascending
    std::vector<std::string> include_folders; // CUDA's own
};

class Nvrtc {
public:
    // $GEMMSCOPE_NVRTC (a library file) if set, and nothing else; else NVRTC 13 or 12 from $CUDA_HOME or $CUDA_PATH, the
    // loader's path, /usr/local/cuda, or fetched_toolkits().
    static base::Result<Nvrtc> load();

    const NvrtcFacts& facts() const { return facts_; }

    // To PTX. `name` stands in messages and line tables. `headers` go before files on disk of the same path.
    // In this process, as far as its limits let it: compile_service.h runs it in one of its own. Thread-safe.
    NvrtcOutput compile(const std::string& text, const std::string& name, const std::string& name_expression,
                        const std::vector<std::string>& options, const std::vector<IncludedFile>& headers = {}) const;

private:
    struct Functions;
    explicit Nvrtc(base::SharedLibrary library) : library_(std::move(library)) {}
    base::Status bind();

    base::SharedLibrary library_;
    std::shared_ptr<const Functions> functions_;
    NvrtcFacts facts_;
};

} // namespace compile
