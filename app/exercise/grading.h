// Verdicts for a window: computed in the background, for the text that is shown now.
#pragma once

#include "exercise/grade.h"

#include <functional>

namespace exercise {

// All functions are called from one thread, the owner's; none waits but wait().
class Grading {
public:
    explicit Grading(std::function<void()> wake = {}); // called from another thread when a verdict is ready
    ~Grading();                                        // cancels and joins

    // On this text of `file`. nullptr: not yet; it is being computed from now on, and what is computed for another text is dropped.
    std::shared_ptr<const Verdict> verdict(const std::shared_ptr<const Exercise>&, const std::string& source,
                                           const std::filesystem::path& file);
    // The one before, of the same exercise, while a newer one is computed; nullptr: there is none.
    std::shared_ptr<const Verdict> last(const Exercise&) const;

    bool collect(); // true if a verdict has come
    bool busy() const;
    void wait();

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

} // namespace exercise
