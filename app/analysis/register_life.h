// Which of the registers that a warp has written still matter. PTX never reuses a register: of hundreds that a warp has written,
// those whose value is still read later are what the hardware's registers hold. Machine code reuses each: its value is of the last writer.
#pragma once

#include "trace/trace.h"

#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace analysis {

struct RegisterLife {
    static constexpr uint32_t never = std::numeric_limits<uint32_t>::max();
    uint32_t written = never; // the last event that wrote it, of those that have been executed
    uint32_t read = never;    // the next event that reads the value
    bool live() const { return read != never; }
};

// When a warp executes an instruction.
struct Executions {
    uint32_t first = 0, last = 0;       // events
    bool whole = false, partly = false; // some by all lanes that the warp has, some not
    bool ever() const { return whole || partly; }
};
// Of one warp, [pc]; `events`: all of the warp's, ascending.
std::vector<Executions> executions(const trace::Trace&, std::span<const uint32_t> events);

// A listing reduced to the registers that each instruction reads and writes.
class RegisterUses {
public:
    explicit RegisterUses(const trace::Listing&);
    // By register name, of those that a warp writes; `events` and `executions` are the warp's, and those up to event `now` have been
    // executed. A write to some lanes only, by a guard or a divergent branch, ends no life. Looks from `now` to both sides, no further
    // than to the nearest execution of each instruction: a warp may have millions.
    std::unordered_map<std::string_view, RegisterLife> at(const trace::Trace&, std::span<const uint32_t> events,
                                                          std::span<const Executions> executions, uint32_t now) const;

private:
    struct Uses {
        std::vector<uint32_t> reads, writes; // indices into names_
        bool guarded = false;
    };
    std::vector<std::string> names_;
    std::vector<Uses> instructions_;
};

} // namespace analysis
