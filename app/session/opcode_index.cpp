#include "session/opcode_index.h"

#include <algorithm>

namespace session {
namespace {

constexpr const char* opcodes_job = "opcodes";

} // namespace

OpcodeIndex::OpcodeIndex(std::function<void()> wake) : jobs_(1, std::move(wake), base::background_niceness) {}

void OpcodeIndex::want(const catalog::Catalog& catalog, const std::string& arch) {
    if (arch != arch_) {
        jobs_.cancel(opcodes_job);
        waiting_.clear();
        known_.clear();
    }
    arch_ = arch;
    const bool idle = waiting_.empty();
    std::erase_if(known_, [&](const auto& entry) { return catalog.find(entry.first->id) != entry.first; });
    for (const KernelPointer& kernel : catalog.kernels)
        if (!known_.contains(kernel) && std::find(waiting_.begin(), waiting_.end(), kernel) == waiting_.end())
            waiting_.push_back(kernel);
    if (idle) compile_next();
}

void OpcodeIndex::want_no_more() {
    if (waiting_.size() > 1) waiting_.resize(1);
}

void OpcodeIndex::compile_next() {
    if (waiting_.empty()) return;
    auto work = [kernel = waiting_.front(), arch = arch_](std::stop_token stop) {
        return opcodes_of(*kernel, arch, stop);
    };
    auto done = [this](Opcodes&& opcodes) {
        known_.emplace(waiting_.front(), std::move(opcodes));
        waiting_.erase(waiting_.begin());
        compile_next();
    };
    jobs_.start(opcodes_job, std::move(work), done, [done](base::Error) { done({}); });
}

std::vector<Found> OpcodeIndex::search(const catalog::Catalog& catalog, std::string_view text) const {
    std::vector<Found> found;
    for (const KernelPointer& kernel : catalog.kernels) {
        const auto opcodes = known_.find(kernel);
        auto matches = match(*kernel, opcodes == known_.end() ? nullptr : &opcodes->second, text);
        if (!matches.empty()) found.push_back({kernel, std::move(matches)});
    }
    return found;
}

bool OpcodeIndex::collect() { return jobs_.collect(); }

void OpcodeIndex::wait() { jobs_.wait(); }

} // namespace session
