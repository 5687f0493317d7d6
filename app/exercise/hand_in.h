// What a student hands in: one file (source, state, predictions with their times, versions, a hash), or a folder that is written by hand.
#pragma once

#include "base/result.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace exercise {

constexpr size_t largest_source = 1 << 20; // bytes of a kernel that is handed in

struct HandIn {
    std::string student;
    std::map<std::string, std::string> answers; // to the items of a sheet, as typed: "8", "12, 15"
    std::map<std::string, std::string> sources; // by file name: "coalesced.cu"
    std::string view;                           // the window's state as JSON; empty: none
    std::vector<std::string> predictions;       // lines of answers.jsonl, as lesson/answers.h has them
    std::string time;                           // when it was made, UTC; empty: unknown
    std::string program, compiler;              // versions: "0.1.0", "NVRTC 13.0"
    bool operator==(const HandIn&) const = default;
};

// FILE.gemm, or a folder with answers.toml (item = 8, item = [12, 15] or item = "text") and *.cu: its name is the student's, unless
// answers.toml says `student = "..."`. Errors: neither, damaged (the hash does not hold), or larger than a hand-in may be.
base::Result<HandIn> read_hand_in(const std::filesystem::path&);
base::Result<HandIn> parse_hand_in(const std::string& text, const std::string& name);

// The hash tells damage, not who wrote it.
std::string to_text(const HandIn&);
base::Status write_hand_in(const std::filesystem::path&, const HandIn&);

// As it is made now, here: time and versions, and the predictions of a file of answers. Errors: that file cannot be read.
base::Status stamp(HandIn&, const std::filesystem::path& answers);

// The files and folders of a class, as they lie in a folder or come from a learning platform: each a hand-in, by name. Folders in which
// nothing is handed in are among them, links to folders are not. `path` itself where it is a hand-in.
std::vector<std::filesystem::path> hand_ins_in(const std::filesystem::path&);

} // namespace exercise
