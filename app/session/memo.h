// Products of recent subjects, so that going back to one is instant.
#pragma once

#include "session/stages.h"
#include "session/stand_in.h"
#include "session/timed_block.h"
#include "session/view.h"

#include <list>

namespace session {

struct Remembered { // what is there of one subject; nullptr: not yet computed
    std::shared_ptr<const Prepared> prepared;
    std::shared_ptr<const BlockRun> block;  // of the block it was last computed for
    size_t drawn_bytes = 0;                 // that Options::on_block made of `block`
    std::shared_ptr<const TimedBlock> time; // of `block`
    std::shared_ptr<const FullRun> grid;
    std::shared_ptr<const compile::MachineCode> machine;
    std::shared_ptr<const trace::MachineListing> disassembly; // of `machine`
    std::shared_ptr<const StandIn> stand_in;
};

class Memo {
public:
    // The entry of `subject`, made if there is none, and now the most recent. What depends on kernel, parameters,
    // architecture and engine alone is taken from another subject that shares them. Valid until the next call.
    Remembered& operator[](const Subject&);

    void forget(const std::string& kernel); // its file has changed

    // Forgets the oldest entries until the bounds are met.
    void trim();

    size_t bytes() const; // that the large parts take of memory

private:
    struct Entry {
        Subject subject;
        Remembered products;
    };
    std::list<Entry> entries_; // newest first
};

} // namespace session
