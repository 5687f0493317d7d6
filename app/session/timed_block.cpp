#include "session/timed_block.h"

namespace session {

Stage<TimedBlock> timed_block(const Job& job, const Prepared& prepared, std::shared_ptr<const BlockRun> block,
                              const timing::WhatIf& what_if, const std::shared_ptr<const TimedBlock>& before,
                              const std::stop_token& stop) {
    TimedBlock timed{std::move(block), what_if, nullptr, nullptr};
    if (before && before->block == timed.block) {
        timed.real = before->real;
    } else {
        auto real = time_block(job, prepared, *timed.block, {}, stop);
        if (!real.value) return {nullptr, std::move(real.failed)};
        timed.real = std::move(real.value);
    }
    timed.shown = timed.real;
    if (timed.asked()) {
        auto asked = time_block(job, prepared, *timed.block, what_if, stop);
        if (!asked.value) return {nullptr, std::move(asked.failed)};
        timed.shown = std::move(asked.value);
    }
    timed.clock_mhz = timing::machine(job.source.arch)->clock_mhz;
    return {std::make_shared<const TimedBlock>(std::move(timed)), {}};
}

} // namespace session
