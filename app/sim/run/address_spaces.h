// Where the accesses of a block's warps lead, by the space of their addresses, and what is wrong with them.
#pragma once

#include "sim/checks/report.h"
#include "sim/lanes/access.h"
#include "sim/run/block_context.h"
#include "sim/run/recorder.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim {

class GlobalRaces;
class Segments;
class SharedSpace;

class AddressSpaces {
public:
    AddressSpaces(BlockContext&, Recorder&, Report&, Segments&, GlobalRaces&, SharedSpace&);
    void reset() { std::fill(local_.begin(), local_.end(), std::byte{0}); }

    // As sim::resolve() (access.h).
    std::byte* resolve(const Warp&, const Operation&, const Access&, std::byte** host);
    // Of one thread, Program::local_bytes long.
    std::byte* local(const Warp& w, uint32_t lane) {
        return local_.data() + (uint64_t{w.index} * trace::warp_size + lane) * block_.program.local_bytes;
    }
    // An instruction: whether addresses are of a space.
    void is_in_space(const Warp&, const Operation&, uint32_t active);

    static uint64_t bytes(const Program& p, const Launch& l) { // of this machine's memory
        return l.block.count() * p.local_bytes;
    }

private:
    BlockContext& block_;
    Recorder& recorder_;
    Report& report_;
    Segments& segments_;
    GlobalRaces& global_races_;
    SharedSpace& shared_;
    std::vector<std::byte> local_; // [thread]

    std::byte* resolve_global(const Warp&, const Operation&, const Access&, std::byte** host);
    std::byte* resolve_local(const Warp&, const Operation&, const Access&, std::byte** host);
    std::byte* resolve_generic(const Warp&, const Operation&, const Access&, std::byte** host);
};

} // namespace sim
