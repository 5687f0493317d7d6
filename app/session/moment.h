// A moment of a traced block in words that another tile, size or kernel shares, so that a view stays with what it shows.
#pragma once

#include "session/stages.h"
#include "sim/shared_arrays.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace session {

// What the moment belongs to.
struct Traced {
    std::shared_ptr<const catalog::Kernel> kernel;
    std::shared_ptr<const Prepared> prepared;
    std::shared_ptr<const BlockRun> block;
};

// Which array an event accesses, under the name that the source has for it: "As" of shared memory, "A" of global memory.
class AccessedArrays {
public:
    explicit AccessedArrays(const Traced&);
    // Empty: none, or one that is not known. Valid as long as this.
    std::string_view of(const trace::Event&, trace::Space) const;

private:
    std::shared_ptr<const BlockRun> block_;
    std::vector<sim::SharedArray> shared_;
};

// One execution of an instruction by a warp.
struct Moment {
    std::string kernel; // catalogue id
    trace::Kind kind = trace::Kind::arithmetic;
    trace::Space space = trace::Space::none;
    std::string array;       // that it accesses: "As" of shared memory, "A" of global memory; empty: none
    int line = 0;            // of the kernel's source; 0: unknown
    std::string text;        // of that line, without the blanks around it
    uint32_t turn = 0;       // of the warp's main loop: how often it has been entered
    uint32_t repetition = 0; // within the turn: executions before it with the same kind, space, array and line
    bool operator==(const Moment&) const = default;
};

// Nothing where the trace has no such event.
std::optional<Moment> moment_of(const Traced&, uint32_t event);

// The event of `warp` that does the same, in the nearest turn with the nearest repetition. The same: kind, space, array and source
// line; in another kernel, where no line reads the same, an access of the same kind to the same array of shared memory.
std::optional<uint32_t> event_like(const Moment&, const Traced&, int warp);

} // namespace session
