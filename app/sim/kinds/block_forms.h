// How what a block does depends on its index. The technique is concolic execution (King 1976, "Symbolic Execution and Program Testing";
// Godefroid, Klarlund, Sen 2005, "DART"): the block's index is symbolic, everything else is concrete. Each register is a number that
// threads and loops may change, plus a linear form of the index (register = concrete + form). A block is executed once and notes between
// which values its comparisons were (PathNotes); with the forms of what was compared these say how far a form may move for the
// same outcome: the path condition. All blocks that fulfil it execute the same instructions for the same lanes.
#pragma once

#include "base/result.h"
#include "sim/kinds/likeness.h"

#include <memory>

namespace sim {

class BlockForms { // not for several threads at a time
public:
    // Error: which instruction depends on the block in another way (on what it loads, say), so that no block can stand for another.
    static base::Result<std::shared_ptr<BlockForms>> of(const Program&, const Launch&);
    BlockForms(std::shared_ptr<const Program> with_own_rows, const Launch&);

    // What is executed of the program, and watched.
    const Program& program() const { return *program_; }
    const Dependences& dependences() const { return dependences_; }

    // The clusters whose blocks do the same as those of the one of `like`, which told this, by rank. Some that do may be missing.
    Likeness like(base::Dim3 like, std::span<const PathCondition> told);

private:
    const std::shared_ptr<const Program> own_;
    const base::Dim3 grid_;
    const Code code_;
    FormTable table_;
    UniformValues uniform_;
    RegisterForms forms_;
    Slice slice_;
    Dependences dependences_;
    std::shared_ptr<const Program> program_;
};

} // namespace sim
