// CUDA source to PTX by NVRTC, a library, and PTX to machine code by ptxas, a program; both are looked for
// when they are first needed, and run in processes of their own (compile_processes.h).
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace compile {

struct Source {
    std::string text;
    std::string name;                 // file name for messages and line numbers
    std::string entry;                // C++ name to instantiate, "ns::name<float, 4>"; empty: the file's only kernel
    std::vector<std::string> defines; // "NAME=VALUE"
    std::string arch = "sm_90";
};

struct Diagnostic {
    bool error = true;
    int line = 0; // in the source; 0: unknown
    base::Sentence text;
};

struct Resources { // per thread and per block, as ptxas reports them
    int registers = 0;
    uint32_t static_shared_bytes = 0;
    uint32_t stack_bytes = 0, spill_store_bytes = 0, spill_load_bytes = 0; // local memory, per thread
};

struct Ptx {
    std::string text;
    std::string entry; // mangled name
    std::vector<Diagnostic> warnings;
};

struct MachineCode {
    std::vector<std::byte> cubin; // ELF
    std::string entry;            // mangled name
    std::string arch;
    Resources resources;
};

// The diagnostics of a failed compilation, kept whole so that each can stand at its source line.
struct CompileError {
    base::Error error;
    std::vector<Diagnostic> diagnostics;
};
template <class T>
struct Outcome { // either `value` or `failed`
    std::shared_ptr<const T> value;
    std::optional<CompileError> failed;
};

// All look in the cache first (folder base::cache_folder()/compile; content-addressed by source or PTX,
// options and the compiler's version; safe under several processes; a damaged entry is compiled again).
// Thread-safe. Once a stop is asked for, what is not done within half a second is given up: check_failed, "stopped".
Outcome<Ptx> to_ptx(const Source&, std::stop_token = {});
// Of the very PTX that is executed: NVRTC 13.0 does not always make the same PTX of the same source, so that
// a second compilation would have other registers and lines. `source` is what the PTX came from; errors stand
// at its lines.
Outcome<MachineCode> to_machine_code(const Ptx&, const Source&, std::stop_token = {});
Outcome<MachineCode> to_machine_code(const Source&, std::stop_token = {}); // both of the above

// What of a compiler is here: version and path, or why there is none.
struct Availability {
    bool found = false;
    std::string version, path, reason;
    std::vector<std::string> architectures; // NVRTC's, as "sm_90", ascending
};
Availability availability(); // NVRTC
Availability assembler();    // ptxas

// Loads NVRTC and ptxas and lets NVRTC compile a kernel of one line, so that the first real compilation does
// not pay for that (30 ms and more); also keeps the cache's size in bounds. For a background job at the
// start.
void warm_up(std::stop_token = {});

} // namespace compile
