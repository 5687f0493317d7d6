// Reads of shared memory whose value nobody has waited for when their thread says that it has read, and that a bulk copy then overtakes.
// A warp waits for a load where an instruction takes the value or overwrites its register; neither an arrival at an mbarrier nor a barrier
// does. For what threads write that is enough: their accesses are in order. A bulk copy writes by the async proxy, and is behind the load
// only if a fence.proxy.async stands between them (manual, section 8.6, "Proxies") or the value was there already.
#include "sim/program/passes.h"

#include <algorithm>
#include <map>

namespace sim {
namespace {

constexpr uint32_t most_watched = 512; // reads: each keeps its lanes' addresses in every warp

// Which reads may be under way at each operation: reaching definitions (Kildall, "A unified approach to global program optimization",
// 1973) that the first use of the value ends. A mov is no use, the compiler to machine code leaves it out: registers that it writes hold
// the value, too. It keeps those that write a register while the value of an earlier execution is in use; but then the read overwrites its
// register before that use, and waits there: what is under way is always a read's last execution.
class ReadsUnderWay {
public:
    explicit ReadsUnderWay(const Assembly& a)
        : p_(a.program), used_in_time_(a.draft.used_in_time), registers_count_(a.draft.registers.size()),
          graph_(a.graph), number_(p_.operations.size(), none) {
        for (uint32_t n = 0; n < p_.operations.size(); ++n)
            if (reads(n)) number_[n] = static_cast<uint32_t>(reads_.size()), reads_.push_back(n);
        words_ = (reads_.size() + 63) / 64;
    }

    // The operations whose value may not have been waited for where something is told to other threads, or a bulk copy begins.
    std::vector<uint32_t> watched() {
        if (reads_.empty() || uint64_t{words_} * 64 * registers_count_ >= most_bits / 16) return {};
        find_holders();
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
            if (moves(n)) return;
            each_register(p_, n, [&](uint32_t r, bool written) {
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
    const std::set<uint32_t>& used_in_time_;
    const size_t registers_count_;
    const Graph& graph_;
    std::vector<uint32_t> reads_, number_; // operations; by operation: where it stands in reads_
    size_t words_ = 0;                     // of a set
    std::vector<Bits> holders_;            // by register: the reads whose value it may ever hold
    std::vector<uint32_t> registers_, at_; // those that may; by register: where it stands there
    bool fences_ = true;                   // whether a fence is looked at, and who else waits without taking a value
    std::vector<State> in_;                // by block of the graph

    bool reads(uint32_t n) const {
        const Operation& op = p_.operations[n];
        return (op.what == What::load || op.what == What::load_matrix) && !used_in_time_.contains(n) &&
               (op.space == Space::shared || op.space == Space::generic);
    }
    bool moves(uint32_t n) const { return p_.operations[n].what == What::move; }
    bool tells(uint32_t n) const {
        const Operation& op = p_.operations[n];
        return op.flow == Flow::barrier ||
               (op.what == What::mbarrier && p_.mbarrier_uses[op.detail.number].what == MbarrierUse::arrive) ||
               (op.what == What::bulk_copy && p_.bulk_copies[op.detail.number].to_shared);
    }
    static bool add(Bits& to, const Bits& more) { // true: something was missing
        uint64_t missing = 0;
        for (size_t i = 0; i < to.size(); ++i) missing |= more[i] & ~to[i], to[i] |= more[i];
        return missing != 0;
    }

    void find_holders() {
        holders_.assign(registers_count_, Bits());
        const auto hold = [&](uint32_t reg, const Bits& more) {
            return holders_[reg].resize(words_), add(holders_[reg], more);
        };
        for (uint32_t n : reads_) {
            Bits self(words_);
            set(self, number_[n]);
            each_register(p_, n, [&](uint32_t r, bool written) {
                if (written) hold(r, self);
            });
        }
        std::vector<uint32_t> all_moves;
        for (uint32_t n = 0; n < p_.operations.size(); ++n)
            if (moves(n)) all_moves.push_back(n);
        constexpr int most_rounds = 64; // whatever chain of movs somebody generates
        bool grows = true;
        for (int round = 0; grows && round < most_rounds; ++round) {
            grows = false;
            for (uint32_t n : all_moves) {
                Bits moved(words_);
                each_register(p_, n, [&](uint32_t r, bool written) {
                    if (!written && !holders_[r].empty()) add(moved, holders_[r]);
                });
                if (std::all_of(moved.begin(), moved.end(), [](uint64_t bits) { return bits == 0; })) continue;
                each_register(p_, n, [&](uint32_t r, bool written) {
                    if (written) grows |= hold(r, moved);
                });
            }
        }
        at_.assign(registers_count_, none);
        for (uint32_t r = 0; r < registers_count_; ++r)
            if (!holders_[r].empty()) at_[r] = static_cast<uint32_t>(registers_.size()), registers_.push_back(r);
    }

    void pass(uint32_t n, State& s) const {
        if (fences_ && p_.operations[n].what == What::fence_async_proxy)
            return std::fill(s.under_way.begin(), s.under_way.end(), 0);
        const bool is_move = moves(n);
        Bits held(words_); // by the registers that it names, or moves
        each_register(p_, n, [&](uint32_t r, bool written) {
            const bool waits =
                !written || (fences_ && !is_move); // who overwrites the register does, and takes no value
            if (at_[r] != none && waits) add(held, s.held[at_[r]]);
        });
        for (size_t i = 0; !is_move && i < words_; ++i) s.under_way[i] &= ~held[i];
        const uint32_t read = number_[n];
        if (read != none) {
            for (Bits& of_register : s.held) clear(of_register, read);
            set(s.under_way, read);
        }
        if (!is_move) std::fill(held.begin(), held.end(), 0);
        if (read != none) set(held, read);
        const bool some_lanes = p_.operations[n].guard != no_row; // the others keep what they had
        each_register(p_, n, [&](uint32_t r, bool written) {
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

void find_unfinished_reads(Assembly& a) {
    Program& p = a.program;
    if (std::none_of(p.bulk_copies.begin(), p.bulk_copies.end(),
                     [](const BulkUse& u) { return u.to_shared && !u.from_registers; }))
        return;
    ReadsUnderWay reads(a);
    const std::vector<uint32_t> watched = reads.watched();
    if (watched.empty()) return;
    p.watched_reads = static_cast<uint32_t>(watched.size());
    const auto at = [&](uint32_t n) -> Watched& {
        uint32_t& number = p.operations[n].watched;
        if (number == 0) number = static_cast<uint32_t>(p.watched.size()), p.watched.emplace_back();
        return p.watched[number];
    };
    for (uint32_t r = 0; r < watched.size(); ++r) at(watched[r]).begins = r;
    std::map<uint32_t, uint32_t> number; // register -> watched register
    for (uint32_t r = 0; r < a.draft.registers.size(); ++r)
        if (reads.may_hold(r, watched)) number.try_emplace(r, static_cast<uint32_t>(number.size()));
    p.watched_registers = static_cast<uint32_t>(number.size());
    for (uint32_t n = 0; n < p.operations.size(); ++n) {
        if (p.operations[n].what == What::fence_async_proxy) at(n).fences = true;
        bool writes = false;
        each_register(p, n, [&](uint32_t r, bool written) {
            if (written && number.contains(r)) at(n).sets.push_back(number[r]), writes = true;
        });
        each_register(p, n, [&](uint32_t r, bool written) {
            if (writes && !written && p.operations[n].what == What::move && number.contains(r))
                at(n).moved.push_back(number[r]);
        });
    }
    reads.each_first_use([&](uint32_t n, uint32_t r) {
        if (number.contains(r)) at(n).uses.push_back(number[r]);
    });
}

void watch_unfinished_reads(Assembly& a) {
    Program& p = a.program;
    for (Operation& op : p.operations) {
        if (op.watched == 0) continue;
        Watched& watched = p.watched[op.watched];
        watched.full = op.full;
        watched.masked = op.masked;
        const bool rows = op.what == What::load_matrix; // of 16 bytes, which the first lanes give
        constexpr uint32_t rows_of_a_matrix = 8;
        watched.bytes = rows ? matrix_row_bytes : uint32_t{op.bytes} * op.elements;
        watched.lanes =
            static_cast<uint32_t>((uint64_t{1} << (rows ? op.elements * rows_of_a_matrix : trace::warp_size)) - 1);
        op.full = op.masked = sim::watch_reads;
    }
}

} // namespace sim
