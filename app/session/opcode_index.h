// The opcodes of every kernel, compiled while nobody waits for them: what a search looks through.
#pragma once

#include "base/job.h"
#include "session/search.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace session {

struct Found { // a kernel that a search means
    std::shared_ptr<const catalog::Kernel> kernel;
    std::vector<Match> matches; // at least one
};

// All functions are called from one thread, the owner's.
class OpcodeIndex {
public:
    explicit OpcodeIndex(std::function<void()> wake);

    // Compiles those kernels that have not been compiled, one after the other.
    void want(const catalog::Catalog&, const std::string& arch);
    void want_no_more(); // but the one that is being compiled

    // In the order of the catalogue, by what is known so far.
    std::vector<Found> search(const catalog::Catalog&, std::string_view text) const;
    size_t left() const { return waiting_.size(); } // kernels still to be compiled

    bool collect(); // true if more is known
    void wait();    // until all is

private:
    using KernelPointer = std::shared_ptr<const catalog::Kernel>;
    void compile_next();

    std::string arch_;
    std::vector<KernelPointer> waiting_;     // the first one is being compiled
    std::map<KernelPointer, Opcodes> known_; // by the kernel itself: a file that has changed is another
    base::Jobs jobs_;
};

} // namespace session
