#include "timing/instruction_cache.h"

#include <algorithm>
#include <limits>

namespace timing {

InstructionCache::InstructionCache(const Machine& m) : machine_(m) {
    near_.lines = static_cast<size_t>(m.code_near_bytes) / line_bytes;
    far_.lines = static_cast<size_t>(m.code_far_bytes) / line_bytes;
}

bool InstructionCache::Level::touch(uint32_t line) {
    if (line >= used.size()) used.resize(line + 1);
    const bool was_held = used[line] != 0;
    used[line] = ++clock;
    if (was_held) return true;
    if (++held > lines) {
        auto oldest = used.end();
        for (auto at = used.begin(); at != used.end(); ++at)
            if (*at != 0 && (oldest == used.end() || *at < *oldest)) oldest = at;
        *oldest = 0;
        --held;
    }
    return false;
}

Cycle InstructionCache::bring(uint32_t line, Cycle now) {
    if (line >= ready_.size()) ready_.resize(line + 1);
    if (near_.touch(line)) return ready_[line];
    const bool is_far = !far_.touch(line);
    free_ =
        std::max(free_, static_cast<double>(now)) + (is_far ? machine_.code_far_interval : machine_.code_near_interval);
    return ready_[line] = static_cast<Cycle>(free_);
}

Cycle InstructionCache::enter(uint32_t next, uint32_t& line, Cycle now, Buffer& buffer) {
    const bool ahead = next == line + 1;
    line = next;
    const Cycle ready = bring(line, now);
    bring(line + 1, now);
    return buffer.enter(line, ahead, std::max(now, ready));
}

InstructionCache::Buffer::Buffer(const Machine& m)
    : entries_(static_cast<size_t>(m.code_buffer_bytes) / line_bytes),
      branch_(static_cast<Cycle>(m.code_branch_cycles)) {}

// When it is there; `ready`: if it is not held yet.
Cycle InstructionCache::Buffer::bring(uint32_t line, Cycle ready) {
    Entry* oldest = &entries_.front();
    for (Entry& e : entries_) {
        if (e.line == line) {
            e.used = ++clock_;
            return e.ready;
        }
        if (e.used < oldest->used) oldest = &e;
    }
    *oldest = {line, ready, ++clock_};
    return ready;
}

Cycle InstructionCache::Buffer::enter(uint32_t line, bool ahead, Cycle now) {
    const Cycle ready = std::max(now, bring(line, ahead ? now : now + branch_));
    bring(line + 1, ready);
    return ready;
}

} // namespace timing
