// NVIDIA's assembler, a program: makes machine code of PTX.
#pragma once

#include "base/result.h"

#include <string>

namespace compile {

struct PtxasOutput {
    std::string cubin; // an ELF file; empty: it refused
    std::string log;
};

class Ptxas {
public:
    // $GEMMSCOPE_PTXAS if set, and nothing else; else bin/ptxas of the toolkit that NVRTC's file lies in, of
    // the other places where NVRTC is looked for, or on $PATH.
    static base::Result<Ptxas> find(const std::string& nvrtc);

    const std::string& path() const { return path_; }
    const std::string& version() const { return version_; } // "13.0.88"

    // With lines, and the resources of each kernel in the log. Thread-safe. Errors: it cannot be started.
    base::Result<PtxasOutput> assemble(const std::string& ptx, const std::string& arch) const;

private:
    std::string path_, version_;
};

} // namespace compile
