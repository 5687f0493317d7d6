// Which variable or parameter an address was made from: a shared array's accesses are held to that array's bounds, and only
// memory that the kernel may write to is watched for races between blocks.
#include "sim/program/passes.h"

#include <algorithm>
#include <map>

namespace sim {
namespace {

constexpr Origin not_seen = -1, several = -2;

bool is_one(Origin o) { return o > no_origin; }

// What a parameter holds may be a pointer or a number; cvta says that it is a pointer.
constexpr Origin first_plain = first_parameter_origin << 1;
bool is_plain(Origin o) { return o >= first_plain; }
Origin plain(Origin parameter) { return parameter - first_parameter_origin + first_plain; }
Origin pointer(Origin o) { return is_plain(o) ? o - first_plain + first_parameter_origin : o; }

// Of a choice between both.
Origin either(Origin a, Origin b) { return a == not_seen ? b : b == not_seen || a == b ? a : several; }

// Of a sum of both: an index has no origin.
Origin sum(Origin a, Origin b) {
    if (a == not_seen || b == not_seen) return not_seen;
    if (a == no_origin || (is_plain(a) && is_one(b) && !is_plain(b))) return b;
    return b == no_origin || (is_plain(b) && is_one(a) && !is_plain(a)) ? a : several;
}

// Of anything else made from them: a product of a number is a number.
Origin mixture(Origin a, Origin b) {
    if (is_plain(a)) a = no_origin;
    if (is_plain(b)) b = no_origin;
    if (a == several || b == several || is_one(a) || is_one(b)) return several;
    return a == not_seen || b == not_seen ? not_seen : no_origin;
}

// A register of 64 bits into its halves.
bool splits(const Operation& op, uint8_t written) { return op.what == What::move && written == 3 && op.width[2] == 8; }

// Forward data flow. A register that one operation writes has one origin; of the others, the registers of machine code above all, each block
// of the graph knows what they hold where it begins (reaching definitions, joined). What is written under a guard is known where the same guard
// reads it: kept within a block, as predicated code is straight.
class Origins {
public:
    explicit Origins(const Assembly& a)
        : program_(a.program), graph_(a.graph), one_(a.draft.registers.size(), not_seen) {
        number_registers();
        for (const SpecialRow& s : program_.specials) one_[s.at >> 1] = no_origin;
        address_.resize(program_.operations.size(), not_seen);
        begins_.assign(graph_.next.size(), State(numbers_, not_seen));
        for (changed_ = true; changed_;) {
            changed_ = false;
            for (uint32_t b = 0; b < graph_.exit(); ++b) pass(b);
        }
    }
    Origin of_address(uint32_t n) const { return address_[n]; }

private:
    using State = std::vector<Origin>; // by number of a register
    static constexpr uint32_t one_writer = ~uint32_t{0};

    const Program& program_;
    const Graph& graph_;
    std::vector<Origin> one_;      // by register that has one writer
    std::vector<uint32_t> number_; // by register: of those that have several
    uint32_t numbers_ = 0;
    std::vector<State> begins_; // by block
    State now_;
    struct Guarded {
        RowAt guard = no_row;
        bool negated = false;
        Origin origin = not_seen;
    };
    std::map<uint32_t, Guarded>
        guarded_;                 // by register: what the lanes have that its guard, unchanged since, lets through
    std::vector<Origin> address_; // by operation
    bool changed_ = false;

    void number_registers() {
        std::vector<uint8_t> writers(one_.size(), 0);
        for (uint32_t n = 0; n < program_.operations.size(); ++n)
            each_register(program_, n, [&](uint32_t r, bool w) {
                if (w && writers[r] < 2) ++writers[r];
            });
        number_.assign(one_.size(), one_writer);
        const auto several_write = static_cast<uint64_t>(std::count(writers.begin(), writers.end(), 2));
        if (several_write * graph_.next.size() * 64 > most_bits) return; // then all that any of them writes is joined
        for (size_t r = 0; r < writers.size(); ++r)
            if (writers[r] == 2) number_[r] = numbers_++;
    }

    Origin of(RowAt at, const Operation& op) const { // as the operation reads it
        if (at == no_row) return no_origin;
        if (is_register(at)) {
            const uint32_t number = number_[at >> 1];
            if (op.guard != no_row) {
                const auto it = guarded_.find(at >> 1);
                if (it != guarded_.end() && it->second.guard == op.guard && it->second.negated == op.guard_negated)
                    return it->second.origin;
            }
            return number == one_writer ? one_[at >> 1] : now_[number];
        }
        const Origin origin = program_.constants[at / constant_row_bytes].origin;
        return origin >= first_parameter_origin ? plain(origin) : origin;
    }

    void join(Origin& to, Origin o) {
        const Origin both = either(to, o);
        changed_ |= both != to;
        to = both;
    }

    // A guard leaves some lanes what they had.
    void put(RowAt at, Origin o, const Operation& op) {
        if (!is_register(at)) return;
        const uint32_t number = number_[at >> 1];
        std::erase_if(guarded_, [&](const auto& g) { return g.first == at >> 1 || g.second.guard == at; });
        if (number == one_writer) return join(one_[at >> 1], o);
        now_[number] = op.guard == no_row ? o : either(now_[number], o);
        if (op.guard != no_row && op.guard != at) guarded_[at >> 1] = {op.guard, op.guard_negated, o};
    }

    void pass(uint32_t b) {
        now_ = begins_[b];
        guarded_.clear();
        for (uint32_t n = graph_.first[b]; n < graph_.first[b + 1]; ++n) {
            address_[n] = of(program_.operations[n].address, program_.operations[n]);
            take(program_.operations[n], n);
        }
        for (const uint32_t next : graph_.next[b])
            for (uint32_t number = 0; number < numbers_; ++number) join(begins_[next][number], now_[number]);
    }

    void take(const Operation& op, uint32_t n) {
        const uint8_t written = program_.effects[n].written;
        if (op.what == What::load_parameter) { // element e comes from row 4 + e, a single one from row 1
            for (uint32_t e = 0; e < op.elements; ++e) put(op.row[e], of(op.row[op.elements == 1 ? 1 : 4 + e], op), op);
            return;
        }
        if (splits(op, written)) { // the upper half has none: the lower one's is that of both, joined again
            put(op.row[0], of(op.row[2], op), op);
            put(op.row[1], no_origin, op);
            return;
        }
        if (written == 3 && (op.what == What::multiply || op.what == What::multiply_add)) { // by halves, likewise
            const Origin product = mixture(of(op.row[2], op), of(op.row[3], op));
            put(op.row[0], op.what == What::multiply ? product : sum(product, of(op.row[4], op)), op);
            put(op.row[1], no_origin, op);
            return;
        }
        if (op.what == What::add_with_carries) {
            Origin all = no_origin;
            for (int t = 0; t < 3; ++t) {
                const Origin term = of(op.row[3 + t], op);
                all = sum(all, (op.detail.terms.negated | op.detail.terms.inverted) >> t & 1 ? mixture(term, no_origin)
                                                                                             : term);
            }
            put(op.row[0], all, op);
            for (const RowAt carry : {op.row[1], op.row[2]}) put(carry, no_origin, op);
            return;
        }
        const Origin result = op.address != no_row ? no_origin : result_of(op, written); // what lies in memory has none
        for (int slot = 0; slot < 8; ++slot)
            if (written >> slot & 1) put(op.row[slot], result, op);
    }

    Origin result_of(const Operation& op, uint8_t written) const {
        const bool scalar = written == 1;
        switch (op.what) {
        case What::to_generic:
        case What::from_generic:
            if (scalar) return pointer(of(op.row[1], op));
            break;
        case What::map_address: return of(op.row[1], op); // the same array of another block
        case What::broadcast: return of(op.row[1], op);
        case What::move:
        case What::convert:
            if (scalar && op.row[3] == no_row && op.row[2] == no_row) return of(op.row[1], op);
            if (scalar && op.row[3] == no_row && op.width[1] == 4)
                return sum(of(op.row[1], op), of(op.row[2], op)); // joined
            break;
        case What::add:
        case What::bit_or:
            if (scalar) return sum(of(op.row[1], op), of(op.row[2], op));
            break;
        case What::subtract:
            if (scalar && !is_one(of(op.row[2], op))) return sum(of(op.row[1], op), of(op.row[2], op));
            break;
        case What::multiply_add:
            if (scalar) return sum(mixture(of(op.row[1], op), of(op.row[2], op)), of(op.row[3], op));
            break;
        case What::select: return either(of(op.row[1], op), of(op.row[2], op));
        default: break;
        }
        Origin all = no_origin;
        for (int slot = 0; slot < 8; ++slot)
            if (op.row[slot] != no_row && !(written >> slot & 1)) all = mixture(all, of(op.row[slot], op));
        for (const RowAt at : {op.address, op.source}) all = mixture(all, of(at, op));
        return all;
    }
};

} // namespace

void find_origins(Assembly& a) {
    Program& p = a.program;
    const Origins origins(a);
    const auto& shared = a.draft.shared_arrays;
    for (uint32_t n = 0; n < p.operations.size(); ++n) {
        Operation& op = p.operations[n];
        if (op.address == no_row) continue;
        const Origin from = pointer(origins.of_address(n));
        const auto array = shared.find(from);
        if ((op.space == Space::shared || op.space == Space::generic) && array != shared.end())
            op.shared_array = array->second;
        const trace::Instruction& instruction = a.listing.instructions[op.pc];
        const bool reads = op.what == What::load || instruction.kind == trace::Kind::load ||
                           (instruction.kind == trace::Kind::async_copy && op.space == Space::shared);
        if (reads || op.space == Space::shared || op.space == Space::local || op.space == Space::parameter ||
            op.shared_array >= 0)
            continue;
        if (from >= first_parameter_origin)
            p.stored_parameters.insert(static_cast<uint32_t>(from - first_parameter_origin));
        else if (is_one(from)) p.stores_variables = true;
        else p.stores_anywhere = true;
    }
}

} // namespace sim
