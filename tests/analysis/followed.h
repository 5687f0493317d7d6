// What analysis::shared_origin says, found the plain way: every event of the block is executed, from the first on.
#pragma once

#include "analysis/mapping.h"
#include "trace/tensor_map.h"

#include <array>
#include <map>
#include <tuple>

namespace test {

class Followed {
public:
    Followed(const trace::Trace& t, uint32_t event) : trace_(t) {
        for (const trace::Buffer& buffer : t.buffers)
            if (buffer.element_bytes() == 2) unit_ = 2;
        units_.resize((t.shared_bytes + 3) / 4 * (4 / unit_));
        for (uint32_t i = 0; i <= event && i < t.events.size(); ++i) execute(i);
    }
    std::vector<analysis::Origin> words() const {
        std::vector<analysis::Origin> words;
        for (size_t unit = 0; unit < units_.size(); unit += 4 / unit_) {
            const Origin &lower = units_[unit], &upper = units_[unit + 4 / unit_ - 1];
            analysis::Origin& word = words.emplace_back(lower.buffer < 0 ? upper : lower);
            word.upper = upper.buffer == word.buffer ? upper.upper : word.upper;
        }
        return words;
    }

private:
    using Origin = analysis::Origin;
    using Register = std::array<Origin, 8>; // by unit

    void execute(uint32_t number) {
        const trace::Event& event = trace_.events[number];
        const trace::Instruction& i = trace_.listing->instructions[event.pc];
        if (i.kind == trace::Kind::bulk_copy) return bulk_copy(number);
        for (int lane = 0; lane < trace::warp_size; ++lane)
            if (event.active >> lane & 1) execute(event, i, lane);
    }
    void execute(const trace::Event& event, const trace::Instruction& i, int lane) {
        using trace::Kind;
        using trace::Space;
        const bool access = event.access != trace::no_access;
        const uint64_t address = access ? trace_.accesses[event.access][static_cast<size_t>(lane)] : 0;
        const auto reg = [&](int32_t number) -> Register& { return registers_[{event.warp, number, lane}]; };
        if (i.kind == Kind::async_copy) {
            const uint64_t source = trace_.accesses[event.access + 1][static_cast<size_t>(lane)];
            for (uint64_t at = 0; at < i.bytes; at += unit_) set(address + at, global(source + at));
        } else if (i.kind == Kind::store && i.space == Space::shared) {
            const uint64_t each = i.read.empty() ? 0 : i.bytes / i.read.size();
            for (size_t n = 0; n < i.read.size(); ++n)
                for (uint64_t at = 0; at < std::max<uint64_t>(each, 1); at += unit_)
                    set(address + n * each + at, i.read[n] < 0 ? Origin{} : reg(i.read[n]).at(at / unit_));
        } else {
            const uint64_t each = i.written.empty() ? 0 : i.bytes / i.written.size();
            const bool move = i.role == trace::Role::move && i.read.size() == 1 && i.written.size() == 1;
            for (size_t n = 0; n < i.written.size(); ++n) {
                Register from;
                for (uint64_t at = 0; at < std::max<uint64_t>(each, 1) && i.kind == Kind::load && access; at += unit_) {
                    if (i.space == Space::global) from.at(at / unit_) = global(address + n * each + at);
                    else if (i.space == Space::shared) from.at(at / unit_) = unit(address + n * each + at);
                }
                if (i.kind != Kind::load && move && i.read[0] >= 0) from = reg(i.read[0]);
                if (i.written[n] >= 0) reg(i.written[n]) = from;
            }
        }
    }
    void bulk_copy(uint32_t number) {
        for (const trace::BulkCopy& copy : trace_.bulk_copies) {
            if (copy.event != number || !copy.to_shared) continue;
            uint64_t at = copy.shared;
            for (const trace::BulkCopy::Row& row : copy.rows)
                for (uint64_t n = 0; n < copy.row_bytes; n += unit_, at += unit_) {
                    const bool inside = n >= row.skipped && n < row.skipped + row.bytes;
                    set(trace::swizzled(at, copy.swizzle), inside ? global(row.address + n - row.skipped) : Origin{});
                }
        }
    }
    Origin global(uint64_t address) const {
        for (size_t b = 0; b < trace_.buffers.size(); ++b)
            if (const auto at = analysis::element(trace_.buffers[b], address))
                return {static_cast<int>(b), at->row, at->column, *at};
        return {};
    }
    Origin unit(uint64_t address) const { return address / unit_ < units_.size() ? units_[address / unit_] : Origin{}; }
    void set(uint64_t address, Origin from) {
        if (address / unit_ >= units_.size()) return;
        Origin& to = units_[address / unit_];
        if (address % unit_ == 0 || from.buffer < 0 || to.buffer != from.buffer) to = from;
    }

    const trace::Trace& trace_;
    uint64_t unit_ = 4;                                                // bytes
    std::map<std::tuple<uint16_t, int32_t, int>, Register> registers_; // of warp, register and lane
    std::vector<Origin> units_;
};

} // namespace test
