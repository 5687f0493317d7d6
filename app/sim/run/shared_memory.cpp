#include "sim/run/shared_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace sim {

uint64_t SharedMemory::bytes(uint64_t shared_bytes) {
    return 2 * shared_bytes + (shared_bytes + 3) / 4 * 3 * sizeof(Touch) +
           ReadLog::most_entries * sizeof(ReadLog::Entry) + ReadLog::most_runs * sizeof(Pattern::Run) +
           ReadLog::most_shapes * sizeof(ReadLog::Lanes);
}

void SharedMemory::reset(uint32_t bytes, bool keeps_reads) {
    keeps_reads_ = keeps_reads;
    data.assign(bytes, std::byte{0});
    state.assign(bytes, unwritten);
    // Touches of former blocks are of older epochs.
    if (writer.size() != (bytes + 3) / 4 || order_.epoch > BlockOrder::most_epochs / 2) {
        writer.resize((bytes + 3) / 4);
        reader.resize(writer.size());
        other_reader.resize(writer.size());
        forget_touches();
    } else {
        order_.begin_block();
    }
    log.entry = entries_.get();
    log.run = runs_.get();
    log.lanes = lanes_.get();
    log.quiet = true;
    log.complete = false;
    empty_log();
    unwritten_ = 0;
}

void SharedMemory::forget_touches() {
    for (auto* touches : {&writer, &reader, &other_reader}) std::fill(touches->begin(), touches->end(), 0);
    order_.restart();
    empty_log();
}

void SharedMemory::pass_barrier() {
    if (keeps_reads_) enter_reads();
    if (order_.worn_out()) forget_touches();
    order_.all_meet();
    log.quiet = true;
    empty_log();
    if (!log.complete) look_for_unwritten();
}

VectorClock SharedMemory::release(uint32_t warp) {
    if (order_.worn_out()) forget_touches();
    return order_.release(warp);
}

void SharedMemory::fence(uint32_t warp) {
    if (data.empty()) return;
    if (order_.worn_out()) forget_touches();
    order_.fence(warp);
}

void SharedMemory::lanes_meet(uint32_t warp, uint32_t lanes) {
    if (data.empty()) return;
    if (order_.worn_out()) forget_touches();
    order_.lanes_meet(warp, lanes);
}

void SharedMemory::look_for_unwritten() {
    constexpr size_t many = 64;
    static constexpr std::array<uint8_t, many> all_written = [] {
        std::array<uint8_t, many> a{};
        a.fill(written);
        return a;
    }();
    while (unwritten_ + many <= state.size() && std::memcmp(state.data() + unwritten_, all_written.data(), many) == 0)
        unwritten_ += many;
    while (unwritten_ < state.size() && state[unwritten_] == written) ++unwritten_;
    log.complete = unwritten_ == state.size();
}

void SharedMemory::set_pending(uint64_t at, uint32_t count) {
    std::memset(state.data() + at, pending, count);
    unwritten_ = std::min<size_t>(unwritten_, at);
    log.complete = false;
}

void SharedMemory::set_mbarrier(uint64_t at, uint8_t its_state, Touch its_writer, Touch its_reader) {
    enter_reads();
    std::memset(state.data() + at, its_state, 8);
    for (uint64_t word : {at / 4, at / 4 + 1}) writer[word] = its_writer, reader[word] = its_reader;
    unwritten_ = std::min<size_t>(unwritten_, at);
    log.complete = false;
}

// Bytes of one word that a warp touched one after the other are kept together.
void SharedMemory::update(Touch& noted, Touch by) const {
    constexpr Touch all = Touch{15} << touch_mask_at;
    noted = by | (epoch_of(noted) >= order_.floor && warp_of(noted) == warp_of(by) ? noted & all : 0);
}

void SharedMemory::note_read(Touch by, uint32_t word) {
    const auto takes = [&](Touch t) { return epoch_of(t) < order_.floor || warp_of(t) == warp_of(by); };
    if (takes(reader[word])) update(reader[word], by);
    else if (takes(other_reader[word])) update(other_reader[word], by);
}

void SharedMemory::date_back(uint64_t at, uint64_t bytes, uint32_t epoch) {
    constexpr Touch below = (Touch{1} << touch_epoch_at) - 1;
    if (bytes == 0 || !since_barrier(epoch)) return;
    for (uint64_t word = at / 4; word <= (at + bytes - 1) / 4; ++word)
        writer[word] = (writer[word] & below) | Touch{epoch} << touch_epoch_at;
}

void SharedMemory::note_write(Touch by, uint32_t word) { update(writer[word], by); }

namespace {

Pattern pattern_of(const ReadLog::Lanes& lanes, uint32_t bytes) {
    Pattern p;
    p.bytes = bytes;
    for (uint32_t i = 0; i < 32; ++i) {
        if (lanes.at[i] == ReadLog::Lanes::none) continue;
        p.active |= 1u << i;
        p.offset[i] = lanes.at[i];
    }
    find_runs(p);
    return p;
}

} // namespace

void SharedMemory::enter_reads() {
    log.quiet = false;
    for (uint32_t n = 0; n < log.entries; ++n) {
        const ReadLog::Entry& entry = log.entry[n];
        if (entry.runs > 0) {
            enter_read(entry, log.run + entry.first, entry.runs);
        } else {
            const Pattern p = pattern_of(log.lanes[entry.first], entry.each);
            enter_read(entry, p.run, p.runs);
        }
    }
    empty_log();
}

void SharedMemory::enter_read(const ReadLog::Entry& entry, const Pattern::Run* runs, uint32_t count) {
    constexpr Touch all = Touch{15} << touch_mask_at;
    for (const Pattern::Run* run = runs; run != runs + count; ++run) {
        const uint64_t begin = entry.low + run->at, end = begin + run->bytes;
        for (uint64_t word = begin / 4; word < (end + 3) / 4; ++word) {
            const uint64_t from = std::max(begin, word * 4), to = std::min(end, word * 4 + 4);
            const Touch lane = run->lane + (from - begin) / entry.each;
            const Touch mask = ((Touch{1} << (to - from)) - 1) << (from & 3);
            note_read((entry.by & ~all) | lane << touch_lane_at | mask << touch_mask_at, static_cast<uint32_t>(word));
        }
    }
}

void SharedMemory::empty_log() {
    log.entries = log.runs = log.shapes = 0;
    ++log.generation;
}

} // namespace sim
