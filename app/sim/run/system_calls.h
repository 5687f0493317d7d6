// What CUDA's runtime does for device code: printf, whose output nobody reads here, and a failed assert, which ends its lanes.
#pragma once

#include "sim/checks/report.h"
#include "sim/run/address_spaces.h"
#include "sim/run/block_context.h"
#include "sim/run/segments.h"

#include <cstdint>
#include <string>

namespace sim {

class SystemCalls {
public:
    SystemCalls(const BlockContext& block, Report& report, Segments& segments, AddressSpaces& spaces)
        : block_(block), report_(report), segments_(segments), spaces_(spaces) {}

    void print(const Warp&, const Operation&, uint32_t active);
    // By trap, a failed assert and the like. The block's report gives up.
    void end_lanes(const Warp&, const Operation&, uint32_t active);

private:
    const BlockContext& block_;
    Report& report_;
    Segments& segments_;
    AddressSpaces& spaces_;

    template <class T>
    T argument(const Warp&, const Operation&, size_t number, uint32_t lane) const;
    std::string text_at(uint64_t address);
};

} // namespace sim
