// What is known of a setting without running it on a GPU. Beside the fastest one's it says why that is faster.
#pragma once

#include "analysis/occupancy.h"
#include "base/job.h"
#include "session/stages.h"

#include <deque>
#include <memory>

namespace session {

struct SettingFacts {
    int threads = 0, registers = 0;             // of a block; of a thread
    uint64_t shared_bytes = 0, spill_bytes = 0; // of a block; of a thread, stores and loads
    analysis::Occupancy occupancy;
    double product_share = 0;     // of the main loop's machine instructions, those that multiply; 0..1
    double excessive_share = 0;   // of the shared-memory wavefronts at 256 cubed, those beyond the ideal; 0..1
    uint64_t blocks = 0;          // at the size of speeds
    uint64_t blocks_per_wave = 0; // resident at once, on all multiprocessors
    uint64_t waves() const { return blocks_per_wave ? (blocks + blocks_per_wave - 1) / blocks_per_wave : 0; }
    // How full the last wave is, 0..1.
    double last_wave() const {
        return waves() ? static_cast<double>(blocks - (waves() - 1) * blocks_per_wave) /
                             static_cast<double>(blocks_per_wave)
                       : 0;
    }
};

// Compiles the subject to machine code and executes it at 256 cubed, whatever its own size. `size`: at which speed is shown; `multiprocessors`: of
// the device. Errors: it does not compile or does not fit.
base::Result<SettingFacts> setting_facts(const catalog::Kernel&, const Subject&, const catalog::Problem& size,
                                         int multiprocessors, std::stop_token = {});

// Facts of recent settings, computed in the background one after the other.
class FactsOfSettings {
public:
    explicit FactsOfSettings(base::Jobs& jobs) : jobs_(jobs) {}

    // Nothing happens where they are known or others are being computed: who shows them asks again in the next frame.
    void want(std::shared_ptr<const catalog::Kernel>, const Subject&, const catalog::Problem& size,
              int multiprocessors);
    std::shared_ptr<const base::Result<SettingFacts>> find(const Subject&,
                                                           const catalog::Problem& size) const; // nullptr: not yet
    void forget(const std::string& kernel);                                                     // its file has changed

private:
    struct Entry {
        Subject subject;
        catalog::Problem size;
        std::shared_ptr<const base::Result<SettingFacts>> facts;
    };
    const Entry* entry(const Subject&, const catalog::Problem& size) const;

    base::Jobs& jobs_;
    std::deque<Entry> entries_; // the latest first
};

} // namespace session
