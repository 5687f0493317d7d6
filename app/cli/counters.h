// Counters as trace prints them: those of the machine code where they are known, else those of the PTX, and on what each rests.
#pragma once

#include "cli/command.h"
#include "cli/json.h"
#include "session/machine_run.h"
#include "views/strings.h"

#include <optional>
#include <string>

namespace cli {

// "counters": those of the machine code where they are known, else those of the PTX.
Json counters_json(const analysis::Totals& ptx, const std::optional<session::MachineRun>&);

// "counted": "basis": "machine" or "ptx" for each of the counters; "why": a sentence for those that had to stay with the PTX; "ptx": all
// of them as counted in the PTX, null where it was not executed; "widths": memory accesses in the program text, PTX and machine code side
// by side. Without machine code (a PTX file) every basis is "ptx"; where it was executed every one is "machine".
Json counted_json(const analysis::Totals& ptx, const std::optional<session::MachineRun>&, const views::Strings&);

// The same for people; "" where the PTX was executed, nothing differs and everything is known.
std::string basis_text(const analysis::Totals& ptx, const session::MachineRun&, const std::string& file,
                       const views::Strings&);

} // namespace cli
