// SRC on the command line: a catalogue id, a .cu file or a .ptx file, with the options that say how it is run.
#pragma once

#include "cli/command.h"
#include "session/stages.h"

#include <string>
#include <utility>
#include <vector>

namespace cli {

struct SourceOptions { // as typed
    std::string source;
    std::vector<std::string> parameters; // -p BM=64
    std::string m = "256", n = "256", k = "256";
    std::string alpha = "1", beta = "0";
    std::string arch = "sm_90";
    std::string engine = "machine";
    std::string seed = "1", threads = "0"; // 0: all cores
    std::string schedule = "in-order";
    std::string entry, grid, block, dynamic_shared = "0";
    std::vector<std::string> breaks;                      // --break
    std::vector<std::string> defines, arguments, symbols; // -D, --arg, --symbol
    std::string blocks = "auto";                          // --blocks
    bool json = false, no_checks = false, tuned = false;
};

void add_source_options(Options&, SourceOptions&);
// -p, -m, -n, -k, --alpha, --beta, --arch, --seed: those that make a Subject.
void add_subject_options(Options&, SourceOptions&);
// --break, for those who execute the subject on the CPU or show its code.
void add_break_option(Options&, SourceOptions&);
// --schedule, for those who execute the subject on the CPU.
void add_schedule_option(Options&, SourceOptions&);
// --engine, likewise.
void add_engine_option(Options&, SourceOptions&);

// --tuned, and what it asks for: the settings tuned for the nearest size on that GPU, or on its architecture.
// Errors: -p was given, too, or nothing was tuned.
void add_tuned_option(Options&, SourceOptions&);
base::Status take_tuned(session::Subject&, const SourceOptions&, const catalog::Kernel&, const std::string& device,
                        const std::string& arch);

// The view's subject of a catalogue kernel.
base::Result<session::Subject> to_subject(const SourceOptions&, const std::string& kernel);

// Whether `needs_launch`: the command executes the kernel, so that a file without a launch shape is an error.
base::Result<session::Job> to_job(const SourceOptions&, const Common&, bool needs_launch);

base::Result<int> thread_count(const SourceOptions&);

// The names of the types that an argument may have: "f16, bf16, f32 ...".
std::string argument_types();

// "i32=256", "f32=1.5", "in:f32[65536]", "out:f32[65536]" as the argument of this number. A buffer may also
// be given as rows and columns: "in:f32[256x256]"; of integers the values may be bounded: "in:i32[1024]%256",
// from 0 to 255; and a file may have them: "in:f32[1024]=a.bin". A struct is its members in braces,
// "{i32=8,in:f32[64]}": consecutive arguments, of which this is the first one's number.
base::Result<std::vector<session::Argument>> parse_argument(const std::string& text, size_t number);

// "x,y,z", each at least `least`, which missing ones are.
base::Result<base::Dim3> parse_dim3(const std::string& text, const std::string& name, uint32_t least = 1);

} // namespace cli
