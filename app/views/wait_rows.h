// What warps waited for instead of executing, summed by source line and by instruction: for the window and for `gemmscope predict`.
#pragma once

#include "session/expected_error.h"
#include "timing/multiprocessor.h"
#include "trace/listing.h"
#include "views/strings.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace views {

struct WaitShare {
    timing::Wait why = timing::Wait::selected;
    uint64_t cycles = 0;
    double share = 0; // of the row's
};

struct WaitRow {                      // cycles of warps
    int line = 0;                     // of the kernel's own source, from 1; 0: of no line there
    int64_t pc = -1;                  // -1: of several instructions
    uint64_t issued = 0;              // in which an instruction was issued
    uint64_t lost = 0;                // in which none was
    double share = 0;                 // of what is lost in all rows
    std::vector<WaitShare> reasons{}; // the largest first; none that is 0
};

// `lost` is by pc. The most lost first; rows in which nothing is lost or issued are left out.
std::vector<WaitRow> waits_by_instruction(std::span<const timing::Lost> lost, const trace::Listing&);
std::vector<WaitRow> waits_by_line(std::span<const timing::Lost> lost, const trace::Listing&);
WaitRow all_waits(std::span<const timing::Lost> lost);

const char* wait_key(timing::Wait); // of its name
// "Long Scoreboard", and what that is in plain words: "global memory".
const char* wait_name(const Strings&, timing::Wait);
const char* wait_plain(const Strings&, timing::Wait);
const char* wait_tip(const Strings&, timing::Wait); // a sentence
const char* nsight_wait(timing::Wait);              // as Nsight Compute shows it: "Stall Long Scoreboard"

// "Long Scoreboard 41 %, Barrier 22 %, Wait 9 %": the largest, at most so many.
std::string largest_waits(const Strings&, const WaitRow&, size_t most);

// In lines: what a row loses of everything, and to what.
std::string waits_text(const Strings&, const session::ExpectedError&, const WaitRow&);

} // namespace views
