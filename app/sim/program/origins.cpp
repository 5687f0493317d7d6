// Which variable or parameter an address was made from: a shared array's accesses are held to that array's bounds, and only
// memory that the kernel may write to is watched for races between blocks.
#include "sim/program/passes.h"

#include <algorithm>

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

class Origins {
public:
    explicit Origins(const Assembly& a) : program_(a.program), of_(a.draft.registers.size(), not_seen) {
        for (const SpecialRow& s : program_.specials) of_[s.at >> 1] = no_origin;
        const auto& operations = program_.operations;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t n = 0; n < operations.size(); ++n) changed |= take(operations[n], n);
        }
    }
    Origin of(RowAt at) const {
        if (at == no_row) return no_origin;
        if (!(at & 1)) return of_[at >> 1];
        const Origin origin = program_.constants[at / constant_row_bytes].origin;
        return origin >= first_parameter_origin ? plain(origin) : origin;
    }

private:
    const Program& program_;
    std::vector<Origin> of_; // per register, wherever it is written

    bool put(RowAt at, Origin o) {
        if (at == no_row || at & 1) return false;
        const Origin now = either(of_[at >> 1], o);
        if (now == of_[at >> 1]) return false;
        of_[at >> 1] = now;
        return true;
    }

    bool take(const Operation& op, uint32_t n) {
        const uint8_t written = program_.effects[n].written;
        bool changed = false;
        if (op.what == What::load_parameter) { // element e comes from row 4 + e, a single one from row 1
            for (uint32_t e = 0; e < op.elements; ++e)
                changed |= put(op.row[e], of(op.row[op.elements == 1 ? 1 : 4 + e]));
            return changed;
        }
        if (splits(op, written)) { // the upper half has none: the lower one's is that of both, joined again
            changed |= put(op.row[0], of(op.row[2]));
            return put(op.row[1], no_origin) || changed;
        }
        const Origin result = op.address != no_row ? no_origin : result_of(op, written); // what lies in memory has none
        for (int slot = 0; slot < 8; ++slot)
            if (written >> slot & 1) changed |= put(op.row[slot], result);
        return changed;
    }

    Origin result_of(const Operation& op, uint8_t written) const {
        const bool scalar = written == 1;
        switch (op.what) {
        case What::to_generic:
        case What::from_generic:
            if (scalar) return pointer(of(op.row[1]));
            break;
        case What::map_address: return of(op.row[1]); // the same array of another block
        case What::move:
        case What::convert:
            if (scalar && op.row[3] == no_row && op.row[2] == no_row) return of(op.row[1]);
            if (scalar && op.row[3] == no_row && op.width[1] == 4) return sum(of(op.row[1]), of(op.row[2])); // joined
            break;
        case What::add:
        case What::bit_or:
            if (scalar) return sum(of(op.row[1]), of(op.row[2]));
            break;
        case What::subtract:
            if (scalar && !is_one(of(op.row[2]))) return sum(of(op.row[1]), of(op.row[2]));
            break;
        case What::multiply_add:
            if (scalar) return sum(mixture(of(op.row[1]), of(op.row[2])), of(op.row[3]));
            break;
        case What::select: return either(of(op.row[1]), of(op.row[2]));
        default: break;
        }
        Origin all = no_origin;
        for (int slot = 0; slot < 8; ++slot)
            if (op.row[slot] != no_row && !(written >> slot & 1)) all = mixture(all, of(op.row[slot]));
        for (const RowAt at : {op.address, op.source}) all = mixture(all, of(at));
        return all;
    }
};

} // namespace

void find_origins(Assembly& a) {
    Program& p = a.program;
    const Origins origins(a);
    const auto& shared = a.draft.shared_arrays;
    for (Operation& op : p.operations) {
        if (op.address == no_row) continue;
        const Origin from = pointer(origins.of(op.address));
        const auto array = shared.find(from);
        if ((op.space == Space::shared || op.space == Space::generic) && array != shared.end())
            op.shared_array = array->second;
        const trace::Instruction& instruction = a.listing.instructions[op.pc];
        const bool reads = instruction.kind == trace::Kind::load ||
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
