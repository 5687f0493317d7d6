// The check of a kernel whose whole grid would take long to execute on the CPU: the same code on fewer rows
// and columns of C.
#pragma once

#include "session/stages.h"

#include <functional>

namespace session {

// With two full tiles of C each way and the same leftover at its edges; K stays as it is, and with it every
// turn of the main loop. The sizes keep their remainders by 16, on which vector loads depend. Nothing: that
// would not be smaller.
std::optional<catalog::Problem> stand_in_problem(const catalog::Kernel&, const catalog::Values&,
                                                 const catalog::Problem&);

struct StandIn {
    catalog::Problem problem; // whose whole grid was executed, every access checked, and C verified
    base::Dim3 last;          // block of the subject's own grid that was executed beside it: the largest addresses
    enum class Verdict {
        passed,
        wrong,      // an error was found in one of the two
        other_code, // `last` executed an instruction that the smaller grid never executed: the check of that
                    // grid proves nothing about it
    } verdict = Verdict::passed;
};
// `job`: of the subject's own size, with its inputs. Stopped: neither value nor failure. Errors: there is no
// smaller problem.
Stage<StandIn> check_stand_in(const catalog::Kernel&, const Subject&, const Job& job, const Prepared&, int threads,
                              std::stop_token, const std::function<void(float)>& progress = {});

// Does `block` execute an instruction that `grid` never executes? Both of one program.
bool executes_more(const trace::Counts& block, const trace::Counts& grid);

// An error among what the checks found.
bool has_error(const std::vector<trace::Finding>&);

} // namespace session
