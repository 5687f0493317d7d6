// The folder of the kernels that a user writes in the window: copies of samples, starters of exercises, what was typed and not
// compiled yet, and every text that was compiled.
#pragma once

#include "base/result.h"
#include "catalog/kernel.h"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace session {

// FOLDER/kernels of base::state_folder().
std::filesystem::path own_kernels();

// FOLDER/NAME.cu is a kernel as it was last compiled, which the session reads. FOLDER/NAME/ is its history: draft.cu, what has been typed
// since; sample.cu, what it began as; DATE-TIME.cu, what was compiled. The history of a file elsewhere is in FOLDER/elsewhere/.
class OwnKernels {
public:
    // `samples`: the program's own kernels, which are never written to.
    OwnKernels(std::filesystem::path folder, std::filesystem::path samples)
        : folder_(std::move(folder)), samples_(std::move(samples)) {}

    // A kernel that is to stay as it is: of the program, or a file that may not be written.
    bool is_sample(const std::filesystem::path& file) const;

    // A copy under a name of its own, my_NAME.cu, of the family of own kernels. As many lines as the sample has, if its description
    // names family and rung. Errors: it cannot be written, or is no kernel any more.
    base::Result<std::filesystem::path> copy(const catalog::Kernel& sample) const;

    // The file NAME.cu with that text, which is also what restoring it brings back; as it is where it exists already and is not empty, so
    // that work on it goes on. For starters of exercises: `text` describes itself, and its function has that name or the one it says.
    // Errors: a name that is no file's, a text that is too long, a folder that cannot be written.
    base::Result<std::filesystem::path> start(const std::string& name, const std::string& text) const;

    // What was typed and not compiled. Nothing: there is none. `newer`: the file was written after it, by someone else.
    struct Draft {
        std::string text;
        bool newer_file = false;
    };
    std::optional<Draft> draft(const std::filesystem::path& kernel) const;
    std::filesystem::path draft_file(const std::filesystem::path& kernel) const;

    // Writes the kernel's file, and keeps the text among its versions. `before`: what the file held, kept as what it began as where
    // nothing is yet.
    base::Status compile(const std::filesystem::path& kernel, const std::string& text, const std::string& before) const;

    struct Version {
        std::filesystem::path file;
        std::string time; // "2026-11-24 03:15:20", of the user's clock
    };
    static constexpr size_t most_versions = 100, most_version_bytes = size_t{4} << 20; // of a kernel; the oldest go
    // The latest first. A text that is the latest already is not kept again.
    std::vector<Version> versions(const std::filesystem::path& kernel) const;
    base::Status keep_version(const std::filesystem::path& kernel, const std::string& text) const;
    base::Result<std::string> text_of(const Version&) const;

    // What it began as; nothing: that is not known.
    std::optional<std::string> sample(const std::filesystem::path& kernel) const;

    std::filesystem::path history(const std::filesystem::path& kernel) const; // folder
    const std::filesystem::path& folder() const { return folder_; }

private:
    std::filesystem::path folder_, samples_;
};

// A sample's text as that of a kernel of one's own: its function is named, its family is "own", its title says so.
std::string as_own(const catalog::Kernel& sample);

} // namespace session
