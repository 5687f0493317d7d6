#include "session/machine_run.h"

namespace session {

MachineRun machine_run(const Prepared& prepared, const FullRun& run, const trace::MachineListing* code) {
    MachineRun made{.executed = false, .counts = {run.totals, {}}, .widths = {}}; // basis: no machine code
    if (prepared.machine_code) {
        made.executed = true;
        made.counts.basis.fill({.unknown = analysis::Unknown::nothing});
        code = prepared.machine_code.get();
    } else if (code) {
        made.counts = analysis::machine_counts(*prepared.listing, run.counts, *code);
    }
    if (code) made.widths = analysis::access_widths(*prepared.ptx_listing, *code);
    return made;
}

} // namespace session
