// Counts a grid from a few of its blocks: one of each kind is executed, and stands for all that do the same (block_forms.h says how
// that is known). What the blocks compute is not known then, nor whether they race with each other.
#pragma once

#include "sim/engine.h"

namespace sim {

struct Representative {
    base::Dim3 block;
    uint64_t times =
        1; // blocks that it stands for, itself included; of a kernel with clusters: its cluster, and clusters
    trace::Counts counts;                // of itself or its cluster: executed, threads, diverged
    trace::Observer* observer = nullptr; // that was told of its accesses
};

struct Representatives {
    std::vector<Representative> kinds;    // the order is not the same in every run
    std::vector<uint32_t> kind_of;        // by number of the block, or of the cluster
    base::Dim3 cluster;                   // blocks
    std::vector<trace::Finding> findings; // in the blocks that were executed
    bool stopped = false;
    double wall_s = 0;
};

// Options::observer is called once a block that is executed; a block is traced by nothing here. What `memory` holds does not matter: error
// Failure::missing, with a sentence, where the counters may depend on it, or on anything but the block's index, or where there are too many kinds.
base::Result<Representatives> run_representatives(const Program&, const Launch&, Memory& memory, const Options&);

// Executes these blocks or their clusters, each for itself, whatever `memory` holds: fewer than asked for if it was stopped or one did not
// end. `findings`: receives what is wrong with them; nullptr: nobody asks.
base::Result<std::vector<Representative>> run_blocks(const Program&, const Launch&, Memory& memory, const Options&,
                                                     std::span<const base::Dim3> blocks,
                                                     std::vector<trace::Finding>* findings = nullptr);

} // namespace sim
