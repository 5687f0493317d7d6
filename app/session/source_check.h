// What is wrong with a kernel's text while it is typed: read, compiled to PTX and decoded in the background, and nothing else.
#pragma once

#include "base/job.h"
#include "session/stages.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace session {

// The faults of a text at their lines (from 1; 0: of the whole): of its description, else what the compiler says. At the parameters of
// `like`, where the kernel has them. `families`: those that the description may name; none: any. Empty: it compiles.
std::vector<compile::Diagnostic> faults_of(const std::string& text, const std::filesystem::path& file,
                                           const Subject& like, const std::vector<catalog::Family>& families = {},
                                           std::stop_token = {});

class SourceCheck {
public:
    explicit SourceCheck(std::function<void()> wake) : jobs_(1, std::move(wake), base::background_niceness) {}

    struct Checked {
        uint64_t revision = 0; // as want() was given it
        std::vector<compile::Diagnostic> faults;
    };
    // Replaces what was asked for before.
    void want(uint64_t revision, std::string text, std::filesystem::path file, Subject like,
              std::vector<catalog::Family> families = {});
    void forget();                                               // what is asked for, and what is known
    const std::optional<Checked>& last() const { return last_; } // nothing: nothing was checked yet
    bool busy() const { return jobs_.busy(job); }
    bool collect() { return jobs_.collect(); } // true if something has come
    void wait() { jobs_.wait(); }

private:
    static constexpr const char* job = "check source";

    std::optional<Checked> last_;
    base::Jobs jobs_;
};

} // namespace session
