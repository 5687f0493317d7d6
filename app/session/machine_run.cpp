#include "session/machine_run.h"

#include "sass/reader.h"

namespace session {

MachineRun machine_run(const Prepared& prepared, const FullRun& run, const compile::MachineCode& code) {
    if (prepared.listing->engine == Engine::machine) { // it was executed itself
        MachineRun executed{{run.totals, {}}, {}};
        executed.counts.basis.fill({.unknown = analysis::Unknown::nothing});
        return executed;
    }
    auto listing = sass::read(code.cubin, code.entry);
    if (!listing) return {{run.totals, {}}, {}}; // basis: no machine code
    return {analysis::machine_counts(*prepared.listing, run.counts, **listing),
            analysis::access_widths(*prepared.listing, **listing)};
}

} // namespace session
