// Follows values from global loads through registers into shared memory, as far as the executed instructions carry
// them unchanged: loads, moves, stores and asynchronous copies.
#include "analysis/mapping.h"
#include "trace/tensor_map.h"

#include <algorithm>
#include <bit>

namespace analysis {
namespace {

enum class Role : uint8_t { nothing, other, global_load, shared_load, move, shared_store, async_copy, bulk_copy };

struct Step { // what one instruction of the listing means for origins
    Role role = Role::other;
    uint8_t bytes = 0;                  // per lane
    std::vector<int32_t> written, read; // as in trace::Instruction; read: of a move or a store
};

// The listing reduced to register numbers.
struct Program {
    std::vector<Step> steps;
    uint32_t registers = 0;
};

Role role(const trace::Instruction& i) {
    using trace::Kind;
    using trace::Space;
    if (i.kind == Kind::async_copy) return Role::async_copy;
    if (i.kind == Kind::bulk_copy) return Role::bulk_copy;
    if (i.kind == Kind::load && i.space == Space::global) return Role::global_load;
    if (i.kind == Kind::load && i.space == Space::shared) return Role::shared_load;
    if (i.kind == Kind::store && i.space == Space::shared) return Role::shared_store;
    return i.role == trace::Role::move ? Role::move : Role::other;
}

Program reduce(const trace::Listing& listing) {
    Program p;
    p.registers = static_cast<uint32_t>(listing.names.size());
    for (const trace::Instruction& i : listing.instructions) {
        Step& step = p.steps.emplace_back();
        step.role = role(i);
        step.bytes = i.bytes;
        step.written = i.written;
        if (step.role == Role::shared_store || step.role == Role::move) step.read = i.read;
    }
    return p;
}

// Most instructions write registers whose values never reach shared memory as they are: those need not be followed.
void drop_what_is_not_stored(Program& p) {
    std::vector<bool> wanted(p.registers, false);
    const auto want = [&](const Step& step) {
        bool news = false;
        for (const int32_t r : step.read) {
            if (r < 0 || wanted[static_cast<size_t>(r)]) continue;
            news = wanted[static_cast<size_t>(r)] = true;
        }
        return news;
    };
    const auto writes_wanted = [&](const Step& step) {
        return std::any_of(step.written.begin(), step.written.end(),
                           [&](int32_t r) { return r >= 0 && wanted[static_cast<size_t>(r)]; });
    };
    for (const Step& step : p.steps)
        if (step.role == Role::shared_store) want(step);
    for (bool again = true; again;) { // a move passes the wish on
        again = false;
        for (const Step& step : p.steps)
            if (step.role == Role::move && writes_wanted(step)) again = want(step) || again;
    }
    for (Step& step : p.steps)
        if (step.role != Role::shared_store && step.role != Role::async_copy && step.role != Role::bulk_copy &&
            !writes_wanted(step))
            step.role = Role::nothing;
}

class Follower {
public:
    Follower(const trace::Trace& t, const Program& p) : trace_(t), program_(p), words_((t.shared_bytes + 3) / 4) {
        const uint64_t threads = t.block.count();
        warps_ = static_cast<size_t>(std::min<uint64_t>((threads + 31) / 32, 32));
        registers_.resize(warps_ * p.registers * trace::warp_size);
    }

    void execute(uint32_t number) {
        const trace::Event& e = trace_.events[number];
        if (e.pc >= program_.steps.size() || e.warp >= warps_) return;
        const Step& step = program_.steps[e.pc];
        if (step.role == Role::nothing) return;
        if (step.role == Role::bulk_copy) return copy_in_bulk(number);
        const bool has_access = e.access < trace_.accesses.size();
        for (uint32_t rest = e.active; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const uint64_t address = has_access ? trace_.accesses[e.access][lane] : 0;
            if (step.role == Role::async_copy) copy(e, lane, step.bytes);
            else if (step.role == Role::shared_store && has_access) store(step, e.warp, lane, address);
            else write(step, e.warp, lane, has_access, address);
        }
    }

    std::vector<Origin> take() { return std::move(words_); }

private:
    Origin& reg(size_t warp, int32_t number, unsigned lane) {
        return registers_[(warp * program_.registers + static_cast<size_t>(number)) * trace::warp_size + lane];
    }

    Origin origin(uint64_t address) const {
        for (size_t b = 0; b < trace_.buffers.size(); ++b)
            if (const std::optional<Element> e = element(trace_.buffers[b], address))
                return {static_cast<int>(b), e->row, e->column};
        return {};
    }

    // Registers that the step writes: from memory, from another register, or from arithmetic (no origin).
    void write(const Step& step, size_t warp, unsigned lane, bool has_access, uint64_t address) {
        const uint64_t each = step.written.empty() ? 0 : step.bytes / step.written.size();
        for (size_t i = 0; i < step.written.size(); ++i) {
            Origin from;
            if (step.role == Role::global_load && has_access) from = origin(address + i * each);
            if (step.role == Role::shared_load && has_access) from = word(address + i * each);
            if (step.role == Role::move && step.read.size() == 1 && step.written.size() == 1 && step.read[0] >= 0)
                from = reg(warp, step.read[0], lane);
            if (step.written[i] >= 0) reg(warp, step.written[i], lane) = from;
        }
    }
    void store(const Step& step, size_t warp, unsigned lane, uint64_t address) {
        const uint64_t each = step.read.empty() ? 0 : step.bytes / step.read.size();
        for (size_t i = 0; i < step.read.size(); ++i) {
            const Origin from = step.read[i] < 0 ? Origin{} : reg(warp, step.read[i], lane);
            set_word(address + i * each, from);
            if (each == 8) set_word(address + i * each + 4, from); // a double is two words
        }
    }
    void copy(const trace::Event& e, unsigned lane, uint64_t bytes) {
        if (e.access == trace::no_access || uint64_t{e.access} + 1 >= trace_.accesses.size()) return;
        for (uint64_t at = 0; at < bytes; at += 4)
            set_word(trace_.accesses[e.access][lane] + at, origin(trace_.accesses[e.access + 1][lane] + at));
    }

    void copy_in_bulk(uint32_t event) {
        const auto earlier = [](const trace::BulkCopy& copy, uint32_t number) { return copy.event < number; };
        auto copy = std::lower_bound(trace_.bulk_copies.begin(), trace_.bulk_copies.end(), event, earlier);
        for (; copy != trace_.bulk_copies.end() && copy->event == event; ++copy) {
            if (!copy->to_shared) continue;
            uint64_t at = copy->shared;
            for (const trace::BulkCopy::Row& row : copy->rows)
                for (uint32_t n = 0; n < copy->row_bytes; n += 4, at += 4) {
                    const bool inside = n >= row.skipped && n - row.skipped < row.bytes;
                    set_word(trace::swizzled(at, copy->swizzle),
                             inside ? origin(row.address + n - row.skipped) : Origin{});
                }
        }
    }

    Origin word(uint64_t address) const { return address / 4 < words_.size() ? words_[address / 4] : Origin{}; }
    // Of two halves the lower one names the word.
    void set_word(uint64_t address, Origin from) {
        if (address / 4 >= words_.size()) return;
        Origin& word = words_[address / 4];
        const bool upper_half = address % 4 != 0 && from.buffer >= 0 && word.buffer == from.buffer;
        if (!upper_half) word = from;
    }

    const trace::Trace& trace_;
    const Program& program_;
    size_t warps_ = 0;
    std::vector<Origin> registers_; // [warp][register][lane]
    std::vector<Origin> words_;     // of shared memory
};

} // namespace

std::vector<Origin> shared_origin(const trace::Trace& t, uint32_t event) {
    if (!t.listing) return std::vector<Origin>((t.shared_bytes + 3) / 4);
    Program program = reduce(*t.listing);
    drop_what_is_not_stored(program);
    Follower follower(t, program);
    const size_t end = std::min<size_t>(size_t{event} + 1, t.events.size());
    for (uint32_t i = 0; i < end; ++i) follower.execute(i);
    return follower.take();
}

} // namespace analysis
