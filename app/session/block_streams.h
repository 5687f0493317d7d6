// What blocks of one launch execute, as time needs it (timing/stream.h).
#pragma once

#include "session/stages.h"
#include "timing/stream.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace session {

base::Error stopped();
base::Error too_long();

// Each block is executed once. Of a product no matrix is filled, since its time does not hang on values; a file's own kernel may branch by
// what it reads.
class BlockStreams {
public:
    static constexpr uint64_t most_bytes = 400 << 20; // of a block's stream

    // Errors: those of make_inputs. `prepared` outlives this.
    static base::Result<BlockStreams> of(const Job&, const Prepared&, const std::stop_token&);

    // By their numbers in the grid. They live as long as this. Errors: stopped, too long, whatever ends the run.
    base::Result<std::vector<const timing::Stream*>> get(std::span<const uint64_t> blocks);
    // Instructions of a block's warps; it is not recorded for that.
    base::Result<uint64_t> executed(uint64_t block = 0);

private:
    Job job_;
    const Prepared* prepared_;
    Inputs inputs_;
    std::stop_token stop_;
    std::map<uint64_t, timing::Stream> known_;
    std::map<uint64_t, uint64_t> executed_; // by block

    BlockStreams(const Job&, const Prepared&, Inputs, std::stop_token);
    base::Result<timing::Stream> write(uint64_t block) const;
    base::Result<sim::Outcome> run(uint64_t block, timing::StreamWriter*, std::stop_token) const;
};

} // namespace session
