// Reads of shared memory whose value nobody has waited for when their thread says that it has read, and that a bulk copy then overtakes.
// A warp waits for a load where an instruction takes the value or overwrites its register; neither an arrival at an mbarrier nor a barrier
// does. For what threads write that is enough: their accesses are in order. A bulk copy writes by the async proxy, and is behind the load
// only if a fence.proxy.async stands between them (manual, section 8.6, "Proxies") or the value was there already.
#include "sim/block.h"
#include "sim/decoder.h"
#include "sim/flow.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

namespace sim {
namespace {

using ptx::Opcode;

constexpr uint32_t most_watched = 512; // reads: each keeps its lanes' addresses in every warp

bool is_proxy_fence(const Program& p, uint32_t n) {
    const Statement& s = p.statements[n];
    return s.opcode == Opcode::fence_proxy && s.instruction->modifiers.has(ptx::Modifier::async);
}

// Which reads may be under way at each operation: reaching definitions (Kildall, "A unified approach to global program optimization",
// 1973) that the first use of the value ends. A mov is no use, the compiler to machine code leaves it out: registers that it writes hold
// the value, too. It keeps those that write a register while the value of an earlier execution is in use; but then the read overwrites its
// register before that use, and waits there: what is under way is always a read's last execution.
class ReadsUnderWay {
public:
    ReadsUnderWay(const Program& p, const Virtuals& v) : p_(p), v_(v), number_(p.operations.size(), none) {
        for (uint32_t n = 0; n < p.operations.size(); ++n)
            if (reads(n)) number_[n] = static_cast<uint32_t>(reads_.size()), reads_.push_back(n);
        words_ = (reads_.size() + 63) / 64;
    }

    // The operations whose value may not have been waited for where something is told to other threads, or a bulk copy begins.
    std::vector<uint32_t> watched() {
        if (reads_.empty() || uint64_t{words_} * 64 * v_.width.size() >= most_bits / 16) return {};
        find_holders();
        graph_ = graph_of(p_.operations, p_.tables);
        if (uint64_t{words_} * 64 * (registers_.size() + 1) * graph_.next.size() >= most_bits / 4) return {};
        flow(true);
        Bits found(words_);
        each([&](uint32_t n, const State& s) {
            for (size_t i = 0; tells(n) && i < words_; ++i) found[i] |= s.under_way[i];
        });
        std::vector<uint32_t> operations;
        for (uint32_t r = 0; r < reads_.size() && operations.size() < most_watched; ++r)
            if (has(found, r)) operations.push_back(reads_[r]);
        return operations;
    }

    // Whether a register may hold the value of one of them.
    bool may_hold(uint32_t reg, const std::vector<uint32_t>& watched) const {
        return !holders_[reg].empty() &&
               std::any_of(watched.begin(), watched.end(), [&](uint32_t n) { return has(holders_[reg], number_[n]); });
    }

    // visit(n, register): operation n may be the first to use the value of a read, which lies there.
    template <class F>
    void each_first_use(F visit) {
        flow(false);
        each([&](uint32_t n, const State& s) {
            if (v_.kind[n] == Tracked::moves) return;
            each_virtual(p_.operations[n], v_, n, [&](uint32_t r, bool written) {
                uint64_t first = 0;
                for (size_t i = 0; !written && at_[r] != none && i < words_; ++i)
                    first |= s.held[at_[r]][i] & s.under_way[i];
                if (first) visit(n, r);
            });
        });
    }

private:
    static constexpr uint32_t none = ~0u;
    struct State {
        Bits under_way;         // not taken by anybody yet
        std::vector<Bits> held; // by each of registers_
    };
    const Program& p_;
    const Virtuals& v_;
    std::vector<uint32_t> reads_, number_; // operations; by operation: where it stands in reads_
    size_t words_ = 0;                     // of a set
    std::vector<Bits> holders_;            // by virtual register: the reads whose value it may ever hold
    std::vector<uint32_t> registers_, at_; // those that may; by virtual register: where it stands there
    Graph graph_;
    bool fences_ = true;    // whether a fence is looked at
    std::vector<State> in_; // by block of the graph

    bool reads(uint32_t n) const {
        const Opcode o = v_.opcode[n];
        const Space s = p_.operations[n].space;
        return (o == Opcode::ld || o == Opcode::ldu || o == Opcode::ldmatrix_sync) &&
               p_.operations[n].address != no_row && (s == Space::shared || s == Space::generic);
    }
    bool tells(uint32_t n) const {
        const Operation& op = p_.operations[n];
        return op.flow == Flow::barrier ||
               (op.full == use_mbarrier && p_.mbarrier_uses[op.extra].what == MbarrierUse::arrive) ||
               (op.full == start_bulk_copy && p_.bulk_copies[op.extra].to_shared);
    }
    static bool add(Bits& to, const Bits& more) { // true: something was missing
        uint64_t missing = 0;
        for (size_t i = 0; i < to.size(); ++i) missing |= more[i] & ~to[i], to[i] |= more[i];
        return missing != 0;
    }

    void find_holders() {
        holders_.assign(v_.width.size(), Bits());
        const auto hold = [&](uint32_t reg, const Bits& more) {
            return holders_[reg].resize(words_), add(holders_[reg], more);
        };
        for (uint32_t n : reads_) {
            Bits self(words_);
            set(self, number_[n]);
            each_virtual(p_.operations[n], v_, n, [&](uint32_t r, bool written) {
                if (written) hold(r, self);
            });
        }
        std::vector<uint32_t> moves;
        for (uint32_t n = 0; n < p_.operations.size(); ++n)
            if (v_.kind[n] == Tracked::moves) moves.push_back(n);
        constexpr int most_rounds = 64; // whatever chain of movs somebody generates
        bool grows = true;
        for (int round = 0; grows && round < most_rounds; ++round) {
            grows = false;
            for (uint32_t n : moves) {
                Bits moved(words_);
                each_virtual(p_.operations[n], v_, n, [&](uint32_t r, bool written) {
                    if (!written && !holders_[r].empty()) add(moved, holders_[r]);
                });
                if (std::all_of(moved.begin(), moved.end(), [](uint64_t bits) { return bits == 0; })) continue;
                each_virtual(p_.operations[n], v_, n, [&](uint32_t r, bool written) {
                    if (written) grows |= hold(r, moved);
                });
            }
        }
        at_.assign(v_.width.size(), none);
        for (uint32_t r = 0; r < v_.width.size(); ++r)
            if (!holders_[r].empty()) at_[r] = static_cast<uint32_t>(registers_.size()), registers_.push_back(r);
    }

    void pass(uint32_t n, State& s) const {
        if (fences_ && is_proxy_fence(p_, n)) return std::fill(s.under_way.begin(), s.under_way.end(), 0);
        const bool moves = v_.kind[n] == Tracked::moves;
        Bits held(words_); // by the registers that it names, or moves
        each_virtual(p_.operations[n], v_, n, [&](uint32_t r, bool written) {
            if (at_[r] != none && !(moves && written)) add(held, s.held[at_[r]]);
        });
        for (size_t i = 0; !moves && i < words_; ++i) s.under_way[i] &= ~held[i];
        const uint32_t read = number_[n];
        if (read != none) {
            for (Bits& of_register : s.held) clear(of_register, read);
            set(s.under_way, read);
        }
        if (!moves) std::fill(held.begin(), held.end(), 0);
        if (read != none) set(held, read);
        const bool some_lanes = p_.operations[n].guard != no_row; // the others keep what they had
        each_virtual(p_.operations[n], v_, n, [&](uint32_t r, bool written) {
            if (!written || at_[r] == none) return;
            if (some_lanes) add(s.held[at_[r]], held);
            else s.held[at_[r]] = held;
        });
    }

    void flow(bool fences) {
        fences_ = fences;
        in_.assign(graph_.next.size(), {Bits(words_), std::vector<Bits>(registers_.size(), Bits(words_))});
        std::vector<bool> todo(graph_.next.size(), true);
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t b = 0; b + 1 < in_.size(); ++b) {
                if (!todo[b]) continue;
                todo[b] = false;
                State s = in_[b];
                for (uint32_t n = graph_.first[b]; n < graph_.first[b + 1]; ++n) pass(n, s);
                for (uint32_t next : graph_.next[b]) {
                    bool more = add(in_[next].under_way, s.under_way);
                    for (size_t r = 0; r < registers_.size(); ++r) more |= add(in_[next].held[r], s.held[r]);
                    if (more) todo[next] = changed = true;
                }
            }
        }
    }
    // visit(operation, the state before it)
    template <class F>
    void each(F visit) const {
        for (uint32_t b = 0; b + 1 < in_.size(); ++b) {
            State s = in_[b];
            for (uint32_t n = graph_.first[b]; n < graph_.first[b + 1]; ++n) visit(n, s), pass(n, s);
        }
    }
};

} // namespace

void watch_reads(Warp& w, const Operation& op, uint32_t active) { w.block->watch_reads(w, op, active); }

// Fills in Operation::watched, Program::watched and watched_reads. Before the rows are placed; wrap_watched() then puts the handlers there.
void Decoder::find_unfinished_reads() {
    Program& p = *program;
    if (std::none_of(p.bulk_copies.begin(), p.bulk_copies.end(),
                     [](const BulkUse& u) { return u.to_shared && !u.from_registers; }))
        return;
    ReadsUnderWay reads(p, virtuals);
    const std::vector<uint32_t> watched = reads.watched();
    if (watched.empty()) return;
    p.watched_reads = static_cast<uint32_t>(watched.size());
    const auto at = [&](uint32_t n) -> Watched& {
        uint32_t& number = p.operations[n].watched;
        if (number == 0) number = static_cast<uint32_t>(p.watched.size()), p.watched.emplace_back();
        return p.watched[number];
    };
    for (uint32_t r = 0; r < watched.size(); ++r) at(watched[r]).begins = r;
    std::map<uint32_t, uint32_t> number; // virtual register -> watched register
    for (uint32_t r = 0; r < virtuals.width.size(); ++r)
        if (reads.may_hold(r, watched)) number.try_emplace(r, static_cast<uint32_t>(number.size()));
    p.watched_registers = static_cast<uint32_t>(number.size());
    for (uint32_t n = 0; n < p.operations.size(); ++n) {
        if (is_proxy_fence(p, n)) at(n).fences = true;
        bool writes = false;
        each_virtual(p.operations[n], virtuals, n, [&](uint32_t r, bool written) {
            if (written && number.contains(r)) at(n).sets.push_back(number[r]), writes = true;
        });
        each_virtual(p.operations[n], virtuals, n, [&](uint32_t r, bool written) {
            if (writes && !written && virtuals.kind[n] == Tracked::moves && number.contains(r))
                at(n).moved.push_back(number[r]);
        });
    }
    reads.each_first_use([&](uint32_t n, uint32_t r) {
        if (number.contains(r)) at(n).uses.push_back(number[r]);
    });
}

void Decoder::wrap_watched() {
    Program& p = *program;
    for (uint32_t n = 0; n < p.operations.size(); ++n) {
        Operation& op = p.operations[n];
        if (op.watched == 0) continue;
        Watched& watched = p.watched[op.watched];
        watched.full = op.full;
        watched.masked = op.masked;
        const bool rows = virtuals.opcode[n] == Opcode::ldmatrix_sync; // of 16 bytes, which the first lanes give
        constexpr uint32_t rows_of_a_matrix = 8;
        watched.bytes = rows ? matrix_row_bytes : uint32_t{op.bytes} * op.elements;
        watched.lanes =
            static_cast<uint32_t>((uint64_t{1} << (rows ? op.elements * rows_of_a_matrix : trace::warp_size)) - 1);
        op.full = op.masked = sim::watch_reads;
    }
}

void Block::watch_reads(Warp& w, const Operation& op, uint32_t active) {
    const Watched& watched = program_.watched[op.watched];
    if (run_.options.checks) {
        HeldRead* const held = held_reads_.data() + w.index * program_.watched_registers; // by its registers
        for (uint32_t r : watched.uses) use_read(w, held[r]);
        for (uint32_t r : watched.sets) // waits before it overwrites
            if (watched.moved.empty() && held[r].read != Watched::none &&
                held[r].number == read_of(w, held[r].read).number)
                read_of(w, held[r].read).under_way = false;
        HeldRead result;
        for (uint32_t r : watched.moved)
            if (held[r].read != Watched::none) result = held[r];
        if (watched.begins != Watched::none)
            result = {watched.begins, begin_read(w, op, watched, active & watched.lanes)};
        for (uint32_t r : watched.sets) held[r] = result;
        if (watched.fences) fence_reads(w);
    }
    (active == ~0u ? watched.full : watched.masked)(w, op, active);
}

uint64_t Block::begin_read(const Warp& w, const Operation& op, const Watched& watched, uint32_t lanes) {
    Read& read = read_of(w, watched.begins);
    read.by = &op;
    ++read.number;
    read.lanes = lanes;
    read.bytes = watched.bytes;
    read.under_way = read.unused = true;
    std::memcpy(read.address.data(), row<std::byte>(w, op.address), trace::warp_size * op.address_bytes);
    return read.number;
}

uint64_t Block::read_at(const Read& read, uint32_t lane) const {
    uint64_t address = 0;
    const uint8_t bytes = read.by->address_bytes;
    std::memcpy(&address, read.address.data() + lane * bytes, bytes); // least significant byte first
    return own_offset(shared_address(*read.by, address, bytes, read.by->offset));
}

// fence.proxy.async: of its own reads, and of those that it was told of.
void Block::fence_reads(const Warp& w) {
    for (uint32_t r = 0; r < program_.watched_reads; ++r) read_of(w, r).under_way = false;
    for (const Warp& other : warps_) {
        const uint32_t known = shared_.known_until(w.index, other.index);
        for (ToldRead& told : told_reads_[other.index])
            if (told.from > 0 && told.from <= known) told.fenced_by |= 1u << w.index;
    }
}

// The warp waits for the value; if that was overwritten meanwhile, it may be the wrong one.
void Block::use_read(const Warp& w, const HeldRead& held) {
    if (held.read == Watched::none) return;
    Read& read = read_of(w, held.read);
    if (held.number == read.number) {
        read.under_way = false;
        if (!std::exchange(read.unused, false)) return;
    }
    for (ToldRead& told : told_reads_[w.index]) {
        if (told.read.by != read.by || told.read.number != held.number || !std::exchange(told.read.unused, false))
            continue;
        if (told.copy) overtaken(w, told);
    }
}

Block::ToldRead* Block::told(const Warp& w, const Read& read) {
    auto& all = told_reads_[w.index];
    const auto same = std::find_if(all.begin(), all.end(), [&](const ToldRead& t) {
        return t.read.by == read.by && t.read.number == read.number;
    });
    return same == all.end() ? nullptr : &*same;
}

Block::ToldRead& Block::tell_read(const Warp& w, const Read& read, const Operation& by) {
    constexpr size_t most = 64; // of a warp: more than a ring has stages
    auto& all = told_reads_[w.index];
    if (all.size() == most) all.pop_front();
    return all.emplace_back(ToldRead{.read = read, .by = &by});
}

// By `op` the warp says, in this epoch, that it is done with what it has read.
void Block::tell_reads(const Warp& w, const Operation& op, uint32_t epoch) {
    for (uint32_t r = 0; r < program_.watched_reads; ++r) {
        const Read& read = read_of(w, r);
        if (!read.under_way || read.lanes == 0) continue;
        ToldRead* known = told(w, read);
        if (!known) known = &tell_read(w, read, op);
        if (known->from == 0) known->from = epoch;
        known->until = epoch;
    }
}

// The lanes whose bytes the copy overwrites.
uint32_t Block::overlap(const Read& read, const BulkCopy& c) const {
    uint32_t overwritten = 0;
    for (uint32_t i = 0; i < trace::warp_size; ++i) {
        if (!(read.lanes >> i & 1)) continue;
        const uint64_t at = read_at(read, i); // may be no place in the block's shared memory
        if (at < c.to + c.bytes && at + read.bytes > c.to) overwritten |= 1u << i;
    }
    return overwritten;
}

// A bulk copy begins. What its thread was told of must have been read; what it was not told of is a race, and found elsewhere.
void Block::overtake_reads(const BulkCopy& c) {
    if (program_.watched_reads == 0) return;
    const auto overtake = [&](const Warp& w, ToldRead& read, uint32_t overwritten) {
        read.overwritten = overwritten;
        read.copy = c.by;
        read.copy_warp = c.warp;
        read.copy_lane = c.lane;
        if (!read.read.unused) overtaken(w, read);
    };
    for (const Warp& w : warps_) {
        const uint32_t known = shared_.known_until(c.warp, w.index);
        for (ToldRead& t : told_reads_[w.index]) {
            if (w.index == c.warp || t.copy || t.fenced_by >> c.warp & 1 || known < t.from || known > t.until) continue;
            if (const uint32_t lanes = overlap(t.read, c)) overtake(w, t, lanes);
        }
    }
    const Warp& own = warps_[c.warp]; // it knows by the order of its instructions
    for (uint32_t r = 0; r < program_.watched_reads; ++r) {
        const Read& read = read_of(own, r);
        const uint32_t lanes = read.under_way ? overlap(read, c) : 0;
        ToldRead* const known = lanes ? told(own, read) : nullptr;
        if (lanes && !(known && known->copy)) overtake(own, known ? *known : tell_read(own, read, *c.by), lanes);
    }
}

} // namespace sim
