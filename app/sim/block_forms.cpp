#include "sim/block_forms.h"

#include "sim/block.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace sim {

using ptx::Modifier;
using ptx::Opcode;
using ptx::Special;
using ptx::Type;

namespace {

bool of_the_block(Special s) {
    using enum Special;
    return s == ctaid_x || s == ctaid_y || s == ctaid_z || (s >= clusterid_x && s <= clusterid_z);
}
bool of_the_launch(Special s) {
    using enum Special;
    return (s >= ntid_x && s <= ntid_z) || (s >= nctaid_x && s <= nctaid_z) || s == nwarpid || s == nsmid || s == gridid || s == dynamic_smem_size ||
           s == total_smem_size || s == aggr_smem_size || s == warp_size;
}
bool of_a_clock(Special s) { return s >= Special::clock && s <= Special::globaltimer_hi; }

// Operations whose results depend on nothing but their operands: what they make of the index can be computed for any block.
bool is_pure(Opcode o) {
    using enum Opcode;
    switch (o) {
    case mov: case cvt: case cvta: case add: case sub: case mul: case mad: case mul24: case mad24: case min: case max: case neg: case abs:
    case and_: case or_: case xor_: case not_: case cnot: case shl: case shr: case shf: case bfe: case bfi: case lop3: case prmt: case selp:
    case slct: case setp: case set: case div: case rem: case popc: case clz: case bfind: case brev: case sad: case fma: case rcp: return true;
    default: return false;
    }
}

// What these write is taken from memory, or made of it.
bool loads(Opcode o) {
    using enum Opcode;
    switch (o) {
    case ld: case ldu: case atom: case ldmatrix_sync: case mma_sync: case wmma_mma: case wmma_load_a: case wmma_load_b: case wmma_load_c:
    case movmatrix_sync: case wgmma_mma_async: case stacksave: case alloca_: case call: return true;
    default: return false;
    }
}

int low_zeros(std::span<const Term> terms) { // the power of two that all factors are multiples of
    int zeros = 63;
    for (const Term& t : terms) zeros = std::min(zeros, std::countr_zero(static_cast<uint64_t>(t.factor)));
    return zeros;
}

// The forms that a register may have: one, or one of several, where what is chosen from had others.
class Forms {
public:
    Forms() = default;
    Forms(Form one) : count_(1) { of_[0] = one; }
    bool add(Form f) { // false: they are too many
        const auto end = of_.begin() + count_, place = std::lower_bound(of_.begin(), end, f);
        if (place != end && *place == f) return true;
        if (count_ == of_.size()) return false;
        std::copy_backward(place, end, end + 1);
        *place = f;
        ++count_;
        return true;
    }
    const Form* begin() const { return of_.data(); }
    const Form* end() const { return of_.data() + count_; }
    bool none() const { return count_ == 1 && of_[0] == no_form; }
    bool is_one() const { return count_ == 1; }
    bool operator==(const Forms&) const = default;

private:
    uint8_t count_ = 0;
    std::array<Form, 6> of_{};
};

// A bound that is not known to be wider.
constexpr Wide none_below = INT64_MIN, none_above = INT64_MAX;

} // namespace

void Bounds::within(Wide least, Wide most) {
    low = std::max(low, static_cast<int64_t>(std::clamp(least, none_below, none_above)));
    high = std::min(high, static_cast<int64_t>(std::clamp(most, none_below, none_above)));
}

// Finds the forms of all registers: by what each operation makes of its operands' forms, again and again until nothing changes. PTX
// writes most registers once, so where a register is written does not matter: one that is written several times has all their forms.
class FormFinder {
public:
    FormFinder(std::shared_ptr<const Program> own, const Launch& l, BlockForms& out)
        : own_(std::move(own)), p_(*own_), launch_(l), out_(out), values_(p_.register_bytes / unit + 1), writes_(values_.size()), uniform_(p_.operations.size()),
          chosen_(p_.operations.size(), both), file_(std::max<size_t>(p_.register_bytes, 1)), constants_(std::max<size_t>(p_.constant_bytes, 1)) {
        std::vector<std::byte> parameters = l.parameters;
        parameters.resize(std::max<size_t>(parameters.size(), p_.parameter_bytes));
        fill_constants(p_, parameters, constants_.data());
        warp_.file[0] = file_.data();
        warp_.file[1] = constants_.data();
    }

    // Finds what is to be watched. Empty, or why no block can stand for another.
    std::string run(const Program& executed) {
        find_uniform();
        compute_uniform(0, false);
        find_forms();
        for (uint32_t n = 0; n < p_.operations.size() && why_.empty(); ++n) check(n);
        if (why_.empty()) compute_variables();
        if (why_.empty()) watch(executed);
        return why_;
    }

    // By form: with the choices that a block was seen to make.
    std::vector<Bounds> bounds(const PathCondition& told) {
        for (const Watch& w : out_.watches_) chosen_[w.operation] = choice(w, told.noted[out_.watch_of_[w.operation]]);
        find_forms();
        std::vector<Bounds> all(out_.forms_.size());
        for (const Watch& w : out_.watches_) bound(w, told.noted[out_.watch_of_[w.operation]], all);
        for (size_t i = 0; i < out_.accesses_.size(); ++i) bound(out_.accesses_[i], told.reached[i], all);
        for (const auto& [n, slot] : exact_) each_form(in(n, slot).forms, all, [](Bounds& b) { b.exact(); });
        all.resize(out_.forms_.size()); // differences may be new
        return all;
    }

private:
    enum State : uint8_t { unset, known, unclear };
    struct Value {
        State state = unset;
        bool uniform = false;  // the same for all threads and at all times: a function of the block's index alone
        bool constant = false; // and not even of that
        Forms forms = no_form;
        bool varies() const { return state == unclear || !forms.none(); }
    };
    static constexpr RowAt unit = 4;                   // bytes: rows begin at multiples of it
    static constexpr uint64_t most_computed = 1 << 24; // blocks for which variables are computed
    enum : uint8_t { first = 1, second = 2, both = 3 };

    const std::shared_ptr<const Program> own_; // in which each register has a row of its own
    const Program& p_;
    const Launch launch_;
    BlockForms& out_;
    std::vector<Value> values_;   // by row
    std::vector<uint8_t> writes_; // likewise: operations that write it, up to two
    static constexpr uint32_t nobody = ~uint32_t{0};
    // By operation and row: the operation just before it, in straight code, that wrote what it reads; nobody: it may be one of several.
    std::vector<std::array<uint32_t, 11>> writers_;
    std::vector<Value> written_;  // by operation: what it writes
    std::vector<bool> uniform_;   // by operation
    std::vector<uint8_t> chosen_; // likewise: which of two operands a choice took
    AlignedBytes file_, constants_;
    Warp warp_;
    std::vector<std::pair<uint32_t, int>> exact_;    // what has to be the same in all blocks of a kind
    std::string why_;

    const Operation& op(uint32_t n) const { return p_.operations[n]; }
    const Statement& statement(uint32_t n) const { return p_.statements[n]; }
    const ptx::Instruction& instruction(uint32_t n) const { return *p_.statements[n].instruction; }
    bool writes(uint32_t n, int slot) const { return (statement(n).written >> slot & 1) && op(n).row[slot] != no_row; }
    Value& at(RowAt row) { return values_[row / unit]; }
    // Rows that an operation reads: 0 to 7 as in Operation, and
    static constexpr int address = 8, source = 9, guard = 10;
    static RowAt row_of(const Operation& o, int slot) { return slot < 8 ? o.row[slot] : slot == address ? o.address : slot == source ? o.source : o.guard; }
    Value in(uint32_t n, int slot) {
        const RowAt row = row_of(op(n), slot);
        if (row == no_row || row & 1) return {known, true, true, no_form};
        const uint32_t writer = writers_[n][static_cast<size_t>(slot)];
        return writer == nobody ? at(row) : written_[writer];
    }
    std::span<const Term> terms(Form f) const { return out_.forms_[f]; }

    template <class F>
    void each_read(uint32_t n, F f) {
        for (int slot = 0; slot < 8; ++slot)
            if (op(n).row[slot] != no_row && !writes(n, slot)) f(in(n, slot));
    }

    // Forms.

    Form intern(std::vector<Term> of) {
        std::erase_if(of, [](const Term& t) { return t.factor == 0; });
        const auto found = std::find(out_.forms_.begin(), out_.forms_.end(), of);
        const auto number = static_cast<Form>(found - out_.forms_.begin());
        if (found == out_.forms_.end()) out_.forms_.push_back(std::move(of));
        return number;
    }
    Form sum(Form a, Form b, uint64_t times_b = 1) {
        if (b == no_form) return a;
        std::vector<Term> all(terms(a).begin(), terms(a).end());
        for (const Term& t : terms(b)) {
            const auto more = static_cast<int64_t>(static_cast<uint64_t>(t.factor) * times_b);
            const auto same = std::find_if(all.begin(), all.end(), [&](const Term& other) { return other.variable == t.variable; });
            if (same == all.end()) all.push_back({t.variable, more});
            else same->factor = static_cast<int64_t>(static_cast<uint64_t>(same->factor) + static_cast<uint64_t>(more));
        }
        std::sort(all.begin(), all.end());
        return intern(std::move(all));
    }
    Form shifted_down(Form a, int bits) {
        std::vector<Term> all(terms(a).begin(), terms(a).end());
        for (Term& t : all) t.factor >>= bits;
        return intern(std::move(all));
    }
    Form variable(Special s, RowAt row, uint8_t width) {
        const auto same = [&](const BlockForms::Variable& v) { return v.special == s && (s != Special::count_ || v.row == row); };
        const auto found = std::find_if(out_.variables_.begin(), out_.variables_.end(), same);
        const auto number = static_cast<uint32_t>(found - out_.variables_.begin());
        if (found == out_.variables_.end()) out_.variables_.push_back({.special = s, .row = row, .width = width, .values = {}});
        return intern({{number, 1}});
    }
    // The form divided by a number, rounded down.
    Form quotient(Form form, uint64_t divisor) {
        if (form == no_form) return no_form;
        const auto same = [&](const BlockForms::Variable& v) { return v.row == no_row && v.form == form && v.divisor == divisor; };
        const auto found = std::find_if(out_.variables_.begin(), out_.variables_.end(), same);
        const auto number = static_cast<uint32_t>(found - out_.variables_.begin());
        if (found == out_.variables_.end()) out_.variables_.push_back({.form = form, .divisor = divisor, .values = {}});
        return intern({{number, 1}});
    }
    int zeros_of(const Forms& forms) const {
        int zeros = 63;
        for (const Form f : forms) zeros = std::min(zeros, low_zeros(terms(f)));
        return zeros;
    }

    static Value undetermined() { return {.state = unclear}; }
    static Value of(const Forms& forms) { return {known, false, false, forms}; }
    template <class F>
    static Value each(const Forms& a, F f) {
        Forms all;
        for (const Form one : a)
            if (!all.add(f(one))) return undetermined();
        return of(all);
    }
    Value sums(const Forms& a, const Forms& b, uint64_t times_b = 1) {
        Forms all;
        for (const Form x : a)
            for (const Form y : b)
                if (!all.add(sum(x, y, times_b))) return undetermined();
        return of(all);
    }
    Value products(const Forms& a, uint64_t factor) {
        return each(a, [&](Form f) { return sum(no_form, f, factor); });
    }
    static Value either(const Forms& a, const Forms& b) {
        Forms all = a;
        for (const Form f : b)
            if (!all.add(f)) return undetermined();
        return of(all);
    }

    // What is uniform.

    // The writers that are known: those of one register, without a guard, with no label and no branch in between.
    void find_writers() {
        std::vector<bool> begins(p_.operations.size() + 1);
        for (const Operation& o : p_.operations)
            if (o.flow == Flow::branch) begins[o.target] = true;
        for (const auto& table : p_.tables)
            for (const uint32_t target : table) begins[target] = true;
        std::array<uint32_t, 11> none;
        none.fill(nobody);
        writers_.assign(p_.operations.size(), none);
        std::vector<std::pair<uint32_t, uint32_t>> last(values_.size(), {nobody, 0}); // who wrote the row, and in which stretch of code
        uint32_t stretch = 1;
        for (uint32_t n = 0; n < p_.operations.size(); ++n) {
            if (begins[n]) ++stretch;
            for (int slot = 0; slot < 11; ++slot) {
                const RowAt row = row_of(op(n), slot);
                if (row == no_row || row & 1 || last[row / unit].second != stretch) continue;
                if (slot >= 8 || !writes(n, slot)) writers_[n][static_cast<size_t>(slot)] = last[row / unit].first;
            }
            const bool clear = op(n).guard == no_row && std::popcount(statement(n).written) == 1;
            for (int slot = 0; slot < 8; ++slot)
                if (writes(n, slot)) last[op(n).row[slot] / unit] = {n, clear ? stretch : 0};
            for (const RowAt row : p_.wide[op(n).wide].written)
                if (!(row & 1)) last[row / unit].second = 0;
            if (op(n).flow == Flow::branch || op(n).flow == Flow::multiway) ++stretch;
        }
    }

    void find_uniform() {
        written_.resize(p_.operations.size());
        find_writers();
        give_specials();
        const auto count = [&](RowAt row) {
            if (row != no_row && !(row & 1)) writes_[row / unit] = static_cast<uint8_t>(std::min(2, writes_[row / unit] + 1));
        };
       
        for (uint32_t n = 0; n < p_.operations.size(); ++n) {
            for (int slot = 0; slot < 8; ++slot)
                if (writes(n, slot)) count(op(n).row[slot]);
            for (const RowAt row : p_.wide[op(n).wide].written) count(row);
        }
        for (uint32_t n = 0; n < p_.operations.size(); ++n) {
            bool uniform = (is_pure(statement(n).opcode) || is_parameter(n) || (is_constant_load(n) && in(n, address).uniform)) && op(n).guard == no_row && op(n).wide == 0 && op(n).full != read_clock && !instruction(n).modifiers.has(Modifier::cc);
            bool constant = uniform && (!is_constant_load(n) || in(n, address).constant);
            each_read(n, [&](const Value& v) { uniform &= v.uniform, constant &= v.constant; });
            for (int slot = 0; slot < 8; ++slot)
                if (writes(n, slot)) uniform &= writes_[op(n).row[slot] / unit] == 1;
            uniform_[n] = uniform;
            for (int slot = 0; slot < 8 && uniform; ++slot)
                if (writes(n, slot)) at(op(n).row[slot]) = written_[n] = {unset, true, constant, no_form};
        }
    }

    void give_specials() {
        for (const SpecialRow& s : p_.specials) {
            Value& v = at(s.at);
            v = {known, of_the_launch(s.special) || of_the_block(s.special), of_the_launch(s.special), no_form};
            if (of_the_block(s.special)) give_coordinate(v, s);
            if (of_a_clock(s.special)) v.state = unclear;
        }
    }

    // Blocks of the same rank in their clusters are compared: a coordinate that is the same in all of them has no form.
    void give_coordinate(Value& v, const SpecialRow& s) {
        using enum Special;
        const base::Dim3 grid = launch_.grid, shape = p_.cluster;
        const bool x = s.special == ctaid_x || s.special == clusterid_x, y = s.special == ctaid_y || s.special == clusterid_y;
        if ((x ? grid.x / shape.x : y ? grid.y / shape.y : grid.z / shape.z) > 1) v.forms = variable(s.special, s.at, s.width);
        else v.uniform = v.constant = (x ? grid.x : y ? grid.y : grid.z) == 1;
    }

    // Of one number from the file's constants, which no block changes.
    bool is_constant_load(uint32_t n) const {
        const auto& i = instruction(n);
        return statement(n).opcode == Opcode::ld && op(n).address != no_row && i.modifiers.has(Modifier::const_) && op(n).elements == 1 && op(n).address_bytes == 8;
    }
    void load_constant(uint32_t n) {
        const Operation& o = op(n);
        const bool sign = ptx::is_signed(instruction(n).types[0]);
        for (uint32_t lane = 0; lane < 32; ++lane) {
            const uint64_t at = row<uint64_t>(warp_, o.address)[lane] + static_cast<uint64_t>(o.offset) - module_window;
            uint64_t bits = 0;
            if (at < p_.variables.size() && o.bytes <= p_.variables.size() - at) std::memcpy(&bits, p_.variables.data() + at, std::min<size_t>(o.bytes, sizeof bits));
            if (sign && o.bytes < 8) bits = static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - 8 * o.bytes)) >> (64 - 8 * o.bytes));
            if (o.width[0] == 2) row<uint16_t>(warp_, o.row[0])[lane] = static_cast<uint16_t>(bits);
            if (o.width[0] == 4) row<uint32_t>(warp_, o.row[0])[lane] = static_cast<uint32_t>(bits);
            if (o.width[0] == 8) row<uint64_t>(warp_, o.row[0])[lane] = bits;
        }
    }

    bool is_parameter(uint32_t n) const { return (statement(n).opcode == Opcode::ld || statement(n).opcode == Opcode::ldu) && op(n).address == no_row; }

    // Executes the uniform operations for 32 blocks, one in each lane; with `of_blocks` only those that differ between blocks.
    void compute_uniform(uint64_t begin, bool of_blocks) {
        for (const SpecialRow& s : p_.specials)
            for (uint32_t lane = 0; lane < 32; ++lane) {
                const base::Dim3 index = base::position(std::min(begin + lane, launch_.grid.count() - 1), launch_.grid);
                const uint64_t v = special_value(s.special, launch_, p_.cluster, index, {0, 0, 0}, 0, 0, p_.dynamic_shared_at + launch_.dynamic_shared_bytes);
                if (s.width == 2) row<uint16_t>(warp_, s.at)[lane] = static_cast<uint16_t>(v);
                if (s.width == 4) row<uint32_t>(warp_, s.at)[lane] = static_cast<uint32_t>(v);
                if (s.width >= 8) row<uint64_t>(warp_, s.at)[lane] = v;
            }
        for (uint32_t n = 0; n < p_.operations.size(); ++n) {
            if (!uniform_[n]) continue;
            bool constant = !is_constant_load(n) || in(n, address).constant;
            each_read(n, [&](const Value& v) { constant &= v.constant; });
            if (of_blocks && constant) continue;
            if (is_constant_load(n)) {
                load_constant(n);
                continue;
            }
            const Handler handler = op(n).tracked ? p_.tracked[op(n).tracked].full : op(n).full;
            handler(warp_, op(n), ~0u);
        }
    }

    int64_t lane(RowAt row_at, uint8_t width, uint32_t n) const {
        if (width == 2) return row<int16_t>(warp_, row_at)[n];
        return width == 4 ? row<int32_t>(warp_, row_at)[n] : row<int64_t>(warp_, row_at)[n];
    }

    void compute_variables() {
        const auto computed = [](const BlockForms::Variable& v) { return v.row != no_row && v.special == Special::count_; };
        const uint64_t blocks = launch_.grid.count();
        if (std::none_of(out_.variables_.begin(), out_.variables_.end(), computed)) return;
        if (blocks > most_computed) return fail("the grid is too large to compute for each block what its index is turned into");
        for (BlockForms::Variable& v : out_.variables_)
            if (computed(v)) v.values.resize(blocks);
        for (uint64_t begin = 0; begin < blocks; begin += 32) {
            compute_uniform(begin, true);
            for (BlockForms::Variable& v : out_.variables_)
                for (uint32_t n = 0; computed(v) && n < std::min<uint64_t>(32, blocks - begin); ++n) v.values[begin + n] = lane(v.row, v.width, n);
        }
        compute_uniform(0, false); // constants are read again
    }

    // The forms.

    void find_forms() {
        for (Value& v : values_)
            v.state = unset, v.forms = no_form;
        for (Value& v : written_)
            v.state = unset, v.forms = no_form;
        give_specials();
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t n = 0; n < p_.operations.size(); ++n) changed |= take(n);
        }
    }

    bool put(RowAt row, const Value& v) {
        if (row & 1 || v.state == unset) return false;
        Value& now = at(row);
        const Value before = now;
        if (now.state == unset) now.state = v.state, now.forms = v.forms;
        else if (v.state == unclear || now.state == unclear) now.state = unclear;
        else if (const Value all = either(now.forms, v.forms); all.state == known) now.forms = all.forms;
        else now.state = unclear;
        return now.state != before.state || now.forms != before.forms;
    }

    bool take(uint32_t n) {
        bool changed = false;
        for (const RowAt row : p_.wide[op(n).wide].written) changed |= put(row, undetermined());
        if (statement(n).written == 0) return changed;
        const Value v = result(n);
        Value& its_own = written_[n];
        for (int slot = 0; slot < 8; ++slot) {
            if (!writes(n, slot)) continue;
            const uint8_t width = op(n).width[slot];
            Value its = v;
            if (width == 0) its.forms = no_form; // known: comparisons and what is made of them
            else if (uniform_[n] && (v.state == unclear || !v.forms.is_one())) its = of(variable(Special::count_, op(n).row[slot], width)); // of the index alone
            changed |= put(op(n).row[slot], its);
            if (its.state == unset) continue;
            changed |= its_own.state != its.state || its_own.forms != its.forms;
            its_own = {its.state, at(op(n).row[slot]).uniform, at(op(n).row[slot]).constant, its.forms};
        }
        return changed;
    }
    // Whether the row's form is a variable that stands for the row itself, whatever it was made of.
    bool is_variable(RowAt row) {
        if (!at(row).forms.is_one()) return false;
        const std::span<const Term> its = terms(*at(row).forms.begin());
        return its.size() == 1 && out_.variables_[its[0].variable].row == row && out_.variables_[its[0].variable].special == Special::count_;
    }

    Value result(uint32_t n) {
        using enum Opcode;
        const Statement& s = statement(n);
        if (is_parameter(n)) return of(no_form);
        if (is_constant_load(n) && (in(n, address).state == unset || !in(n, address).varies())) return in(n, address).state == unset ? Value{} : of(no_form);
        if (loads(s.opcode) || op(n).full == read_clock) return undetermined();
        if (tested_or(n)) return of(no_form);
        bool waits = false, none = false, plain = true;
        each_read(n, [&](const Value& v) { waits |= v.state == unset, none |= v.state == unclear, plain &= !v.varies(); });
        if (waits || none) return {.state = none ? unclear : unset};
        if (plain) return of(no_form);
        if (s.opcode == setp) return is_order(n) ? of(no_form) : undetermined();
        if (s.opcode == shfl_sync) return any_but(n, 2);
        const auto& i = instruction(n);
        if (i.types.empty() || ptx::is_float(i.types.back()) || ptx::is_float(i.types[0]) || i.modifiers.has(Modifier::sat) || i.modifiers.has(Modifier::cc) || s.written != 1)
            return undetermined();
        return linear(n);
    }

    // The forms of `slot` where all else that is read has none.
    Value any_but(uint32_t n, int slot) {
        for (int other = 0; other < 8; ++other)
            if (other != slot && op(n).row[other] != no_row && !writes(n, other) && in(n, other).varies()) return undetermined();
        return of(in(n, slot).forms);
    }

    Value linear(uint32_t n) {
        using enum Opcode;
        const Forms a = in(n, 1).forms, b = in(n, 2).forms;
        switch (statement(n).opcode) {
        case mov: case cvta: case mapa: return any_but(n, 1);
        case cvt: return ptx::bytes(instruction(n).types[1]) >= 4 ? of(a) : undetermined();
        case add: return sums(a, b);
        case sub: return sums(a, b, ~uint64_t{0});
        case neg: case not_: return products(a, ~uint64_t{0});
        case mul: return multiplied(n);
        case mad: {
            const Value v = multiplied(n);
            return v.state == known ? sums(v.forms, in(n, 3).forms) : v;
        }
        case min: case max: case selp: {
            const uint8_t taken = uniform_[n] ? uint8_t{both} : chosen_[n];
            return taken == first ? of(a) : taken == second ? of(b) : either(a, b);
        }
        case shl: case shr: case and_: case or_: case xor_: return of_bits(n);
        case div: case rem: return divided(n);
        case bfi: return inserted(n);
        default: return undetermined();
        }
    }

    std::optional<uint64_t> constant(uint32_t n, int slot) {
        if (!in(n, slot).constant || op(n).width[slot] == 0) return {};
        return static_cast<uint64_t>(lane(op(n).row[slot], op(n).width[slot], 0));
    }

    // The factor must be a number.
    Value multiplied(uint32_t n) {
        const Forms a = in(n, 1).forms, b = in(n, 2).forms;
        const auto& m = instruction(n).modifiers;
        if (a.none() && b.none()) return of(no_form);
        const auto times = constant(n, a.none() ? 1 : 2);
        if (!times || m.has(Modifier::hi)) return undetermined();
        const bool u32 = m.has(Modifier::wide) && instruction(n).types[0] == Type::u32;
        return products(a.none() ? b : a, u32 ? static_cast<uint32_t>(*times) : *times);
    }

    Value of_bits(uint32_t n) {
        using enum Opcode;
        const Opcode opcode = statement(n).opcode;
        const Forms a = in(n, 1).forms, b = in(n, 2).forms;
        if (!a.none() && !b.none()) return undetermined();
        const Forms& its = a.none() ? b : a;
        const int zeros = zeros_of(its);
        if (opcode == or_ || opcode == xor_) return zeros > 0 && op(n).width[0] != 0 ? of(its) : undetermined(); // bound() says when
        const auto mask = constant(n, a.none() ? 1 : 2);
        const auto is_low = [&](uint64_t bits) { return (bits & (bits + 1)) == 0 && std::popcount(bits) <= zeros; };
        if (!mask) return undetermined();
        if (opcode == and_ && is_low(*mask)) return of(no_form);
        if (opcode == and_ && is_low(~*mask)) return of(its);
        if (opcode == shl && *mask < 64 && b.none()) return products(a, uint64_t{1} << *mask);
        if (opcode == shr && *mask <= static_cast<uint64_t>(zeros) && b.none()) return each(a, [&](Form f) { return shifted_down(f, static_cast<int>(*mask)); });
        return divided(n);
    }

    // Upper bits: a shift to the left, and lower bits of what has no form.
    Value inserted(uint32_t n) {
        const auto at = constant(n, 3), bits = constant(n, 4);
        const uint64_t width = uint64_t{op(n).width[0]} * 8;
        if (!at || !bits || *at >= width || *bits < width - *at || in(n, 2).varies()) return undetermined();
        return products(in(n, 1).forms, uint64_t{1} << *at);
    }

    // Of an operation that asks whether one of two numbers has more than 32 bits, (a | b) & ~0xFFFFFFFF, before it divides them: the or.
    std::optional<uint32_t> tested_or(uint32_t n) {
        if (statement(n).opcode != Opcode::and_ || op(n).width[0] != 8 || op(n).row[1] == no_row || op(n).row[1] & 1) return {};
        const uint32_t made = writers_[n][1];
        const auto mask = constant(n, 2);
        if (made == nobody || statement(made).opcode != Opcode::or_ || !mask || *mask != ~uint64_t{0xFFFFFFFF}) return {};
        return in(made, 1).state == known && in(made, 2).state == known ? std::optional(made) : std::nullopt;
    }

    // The number that the operation divides by: of shr and of an and with low bits, too.
    std::optional<uint64_t> divisor(uint32_t n) {
        using enum Opcode;
        const Opcode opcode = statement(n).opcode;
        const auto number = constant(n, 2);
        constexpr uint64_t most = uint64_t{1} << 31;
        if (!number || in(n, 1).forms.none() || !in(n, 2).forms.none()) return {};
        if (opcode == shr) return *number < 32 ? std::optional(uint64_t{1} << *number) : std::nullopt;
        const uint64_t low = opcode == and_ && *number >= most ? ~*number : *number; // of an and that keeps the upper bits
        if (opcode == and_) return low < most && (low & (low + 1)) == 0 ? std::optional(low + 1) : std::nullopt;
        return (opcode == div || opcode == rem) && *number > 0 && *number < most ? number : std::nullopt;
    }

    // v = q d + r. The form f of v is a multiple of d and a rest, too; where the rest moves r to no other multiple, q moves as f / d does.
    Value divided(uint32_t n) {
        using enum Opcode;
        const auto d = divisor(n);
        if (!d || uniform_[n] || op(n).width[0] == 2) return undetermined(); // a uniform one is computed for each block
        const bool masks = statement(n).opcode == and_, rest = statement(n).opcode == rem || (masks && *constant(n, 2) == *d - 1);
        if (masks && !rest) return each(in(n, 1).forms, [&](Form f) { return sum(no_form, quotient(f, *d), *d); });
        return each(in(n, 1).forms, [&](Form f) { return rest ? sum(f, quotient(f, *d), ~*d + 1) : quotient(f, *d); });
    }
    // That its result is of this kind: not of what a multiple is shifted or masked to.
    bool divides(uint32_t n) {
        using enum Opcode;
        const Opcode opcode = statement(n).opcode;
        if (!divisor(n) || uniform_[n]) return false;
        const auto shift = static_cast<uint64_t>(std::countr_zero(*divisor(n)));
        return opcode == div || opcode == rem || ((opcode == shr || opcode == and_) && shift > static_cast<uint64_t>(zeros_of(in(n, 1).forms)));
    }

    // A comparison of integers.
    bool is_order(uint32_t n) const {
        const auto& i = instruction(n);
        return !ptx::is_float(i.types.back()) && i.types.back() != Type::pred && !i.modifiers.has(Modifier::num) && !i.modifiers.has(Modifier::nan);
    }

    // Whether all that decides what is counted has forms.

    void fail(std::string why) {
        if (why_.empty()) why_ = std::move(why);
    }
    void fail(uint32_t n, const char* what) {
        const int line = instruction(n).source_line;
        fail(line > 0 ? fmt::format("{} in line {} depends on more than the block's index", what, line) : fmt::format("{} depends on more than the block's index", what));
    }
    // What has a form only stands for those where it is the same.
    void must_be_same(uint32_t n, int slot, const char* what) {
        if (in(n, slot).state == unclear) fail(n, what);
        else if (in(n, slot).varies()) exact_.push_back({n, slot});
    }
    void must_be_clear(uint32_t n, const char* what) {
        each_read(n, [&](const Value& v) { if (v.state == unclear) fail(n, what); });
    }

    void check(uint32_t n) {
        const Operation& o = op(n);
        if (o.flow == Flow::unknown) return fail(n, "a statement that the engine does not execute");
        if (o.guard != no_row) must_be_same(n, guard, "which lanes execute an instruction");
        if (o.flow == Flow::multiway) must_be_same(n, 0, "where a branch leads");
        if (o.flow == Flow::barrier) must_be_same(n, 1, "a barrier's number"), must_be_same(n, 2, "a barrier's count");
        if (o.flow == Flow::poll) must_be_same(n, 1, "the phase of an mbarrier");
        if (o.full == copy_async) must_be_same(n, 1, "whether something is copied"), check_size(n);
        if (o.full == use_mbarrier) must_be_same(n, 1, "the count of an mbarrier");
        if (o.full == load_fragment || o.full == store_fragment) must_be_clear(n, "a stride");
        if (o.full == start_bulk_copy) return check_bulk_copy(n);
        if (o.address != no_row) check_address(n, address, o.space);
        if (o.source != no_row) check_address(n, source, Space::global);
    }

    // Bytes that are read by a cp.async: what else it writes are zeros, which counts the same; whether there are any is what counts.
    void check_size(uint32_t n) {
        if (in(n, 0).state == unclear) fail(n, "the size of a copy");
    }

    void check_address(uint32_t n, int slot, Space space) {
        const Value v = in(n, slot);
        if (v.state == unclear) return fail(n, "an address");
        if (v.forms.none()) return;
        if (space != Space::global && space != Space::generic) return exact_.push_back({n, slot});
        out_.accesses_.push_back(n);
    }

    void check_bulk_copy(uint32_t n) {
        const Operation& o = op(n);
        const BulkUse& u = p_.bulk_copies[o.extra];
        if (u.from_registers) return fail(n, "an asynchronous store");
        must_be_same(n, 1, "an mbarrier's address");
        must_be_same(n, 7, "the mask of blocks");
        if (u.dimensions == 0) {
            must_be_same(n, 0, "the size of a copy");
            check_address(n, address, u.to_shared ? Space::shared : Space::global);
            check_address(n, source, u.from_shared ? Space::shared : Space::global);
            return;
        }
        must_be_same(n, address, "an address in shared memory");
        must_be_same(n, source, "the address of a tensor map");
        must_be_clear(n, "an index into a tensor");
    }

    // What is noted while a block is executed.

    void watch(const Program& executed) {
        const auto watched = std::make_shared<Program>(executed);
        out_.watch_of_.resize(p_.operations.size());
        for (uint32_t n = 0; n < p_.operations.size(); ++n) {
            std::optional<Watch> w = watch_of(n);
            if (!w) continue;
            Operation& o = watched->operations[n];
            w->operation = n;
            w->full = o.full;
            w->masked = o.masked;
            o.full = o.masked = watch_form;
            out_.watch_of_[n] = static_cast<uint32_t>(out_.watches_.size());
            out_.watches_.push_back(*w);
        }
        out_.program_ = watched;
    }

    std::optional<Watch> watch_of(uint32_t n) {
        using enum Opcode;
        const Opcode opcode = statement(n).opcode;
        bool plain = true;
        each_read(n, [&](const Value& v) { plain &= !v.varies(); });
        if (op(n).full == start_bulk_copy && p_.bulk_copies[op(n).extra].dimensions > 0 && !plain) return Watch{.kind = Watch::box};
        if (op(n).full == copy_async && op(n).row[0] != no_row && in(n, 0).varies()) return with_type({.kind = Watch::range, .slot = 0}, Type::u32, 1);
        if (op(n).address != no_row) return op(n).space == Space::generic && in(n, address).varies() ? std::optional(Watch{.kind = Watch::generic}) : std::nullopt;
        const RowAt result = std::popcount(statement(n).written) == 0 ? no_row : op(n).row[std::countr_zero(statement(n).written)];
        const bool combines = opcode == or_ || opcode == xor_;
        if (plain || result == no_row || (written_[n].state != known && !combines) || is_variable(result)) return {};
        const auto& i = instruction(n);
        const bool wide = i.modifiers.has(Modifier::wide);
        switch (opcode) {
        case setp: return with_type({.kind = Watch::compare, .order = order_of(i.modifiers), .slot = 2}, i.types.back(), 2);
        case min: case max: return with_type({.kind = Watch::compare}, i.types.back(), 2);
        case selp: return Watch{.kind = Watch::choose};
        case cvt: return ptx::bytes(i.types[0]) > ptx::bytes(i.types[1]) ? std::optional(with_type({}, i.types[1], 1)) : std::nullopt;
        case mul: case mad: return wide ? std::optional(with_type({}, i.types[0], 2)) : std::nullopt;
        case shr: case and_: case div: case rem:
            if (divides(n)) return with_type({.kind = Watch::divide, .divisor = *divisor(n)}, opcode == and_ ? op(n).width[0] == 8 ? Type::u64 : Type::u32 : i.types[0], 1);
            return opcode == shr ? std::optional(with_type({}, i.types[0], 1)) : std::nullopt;
        case or_: case xor_: return with_type({}, op(n).width[0] == 8 ? Type::u64 : op(n).width[0] == 2 ? Type::u16 : Type::u32, 2);
        default: return {};
        }
    }
    static Watch with_type(Watch w, Type type, int rows) {
        w.is_signed = ptx::is_signed(type);
        w.bits[0] = static_cast<uint8_t>(ptx::bytes(type) * 8);
        w.bits[1] = rows == 2 ? w.bits[0] : uint8_t{0};
        return w;
    }
    static Watch::Order order_of(const ptx::Modifiers& m) {
        const auto has = [&](std::initializer_list<Modifier> any_of) { return std::any_of(any_of.begin(), any_of.end(), [&](Modifier one) { return m.has(one); }); };
        if (has({Modifier::eq, Modifier::ne})) return Watch::equality;
        return has({Modifier::le, Modifier::ls, Modifier::gt, Modifier::hi}) ? Watch::less_or_equal : Watch::less;
    }

    // What follows from it.

    uint8_t choice(const Watch& w, const Noted& noted) const {
        using enum Opcode;
        if (w.kind == Watch::choose) return noted.chosen[0] != noted.chosen[1] ? noted.chosen[0] ? first : second : both;
        const Opcode opcode = statement(w.operation).opcode;
        if (opcode != min && opcode != max) return both;
        const bool smaller = noted.below.any(), larger = noted.above.any(); // the first one is
        if (smaller == larger) return both;
        return smaller == (opcode == min) ? first : second;
    }

    template <class F>
    void each_form(const Forms& forms, std::vector<Bounds>& all, F f) {
        if (all.size() < out_.forms_.size()) all.resize(out_.forms_.size());
        for (const Form form : forms)
            if (form != no_form) f(all[form]);
    }

    // The value and the change of its form stay in the type.
    void keep_in_type(const Watch& w, int which, const Noted& noted, std::vector<Bounds>& all) {
        const Noted::Range& v = noted.value[which];
        if (w.bits[which] == 0 || !v.any()) return;
        const Wide least = w.is_signed ? -(Wide{1} << (w.bits[which] - 1)) : Wide{0}, most = (Wide{1} << (w.is_signed ? w.bits[which] - 1 : w.bits[which])) - 1;
        each_form(in(w.operation, w.slot + which).forms, all, [&](Bounds& b) { b.within(least - v.low, most - v.high); });
    }

    void bound(const Watch& w, const Noted& noted, std::vector<Bounds>& all) {
        const uint32_t n = w.operation;
        const Opcode opcode = statement(n).opcode;
        switch (w.kind) {
        case Watch::choose: return; // the predicate has its own bounds
        case Watch::generic:
            if (noted.elsewhere) each_form(in(n, address).forms, all, [](Bounds& b) { b.exact(); });
            return;
        case Watch::box: return bound_box(n, noted, all);
        case Watch::divide: return bound_division(w, noted, all);
        case Watch::compare:
            keep_in_type(w, 0, noted, all), keep_in_type(w, 1, noted, all);
            return bound_order(w, noted, all);
        case Watch::range:
            if (op(n).full == copy_async) return bound_size(n, noted, all);
            if (opcode == Opcode::or_ || opcode == Opcode::xor_) return written_[n].state == known ? bound_bits(n, noted, all) : bound_tested(n, noted, all);
            keep_in_type(w, 0, noted, all), keep_in_type(w, 1, noted, all);
        }
    }

    void bound_order(const Watch& w, const Noted& noted, std::vector<Bounds>& all) {
        const Value difference = sums(in(w.operation, w.slot).forms, in(w.operation, w.slot + 1).forms, ~uint64_t{0});
        const auto keep = [&](Bounds& b) {
            if (noted.equal.any()) b.exact();
            if (noted.below.any()) b.within(none_below, -1 - noted.below.high);
            if (noted.above.any()) b.within(-noted.above.low + (w.order == Watch::equality ? 1 : 0), none_above);
        };
        if (difference.state == known) return each_form(difference.forms, all, keep);
        for (int i = 0; i < 2; ++i) each_form(in(w.operation, w.slot + i).forms, all, [](Bounds& b) { b.exact(); }); // too many to tell apart
    }

    // Of the operands of a tested_or(): both have at most 32 bits.
    void bound_tested(uint32_t n, const Noted& noted, std::vector<Bounds>& all) {
        for (int i = 0; i < 2; ++i) {
            const Noted::Range& v = noted.value[i];
            constexpr Wide end = Wide{1} << 32;
            if (v.any()) each_form(in(n, 1 + i).forms, all, [&](Bounds& b) { v.high < end ? b.within(-v.low, end - 1 - v.high) : b.exact(); });
        }
    }

    // The other operand has bits only below all that the form changes: then the result is a sum.
    void bound_bits(uint32_t n, const Noted& noted, std::vector<Bounds>& all) {
        const int changing = in(n, 1).forms.none() ? 2 : 1;
        const Forms& forms = in(n, changing).forms;
        const Noted::Range& other = noted.value[2 - changing];
        if (other.any() && other.high >= Wide{1} << zeros_of(forms)) each_form(forms, all, [](Bounds& b) { b.exact(); });
    }

    // The rest stays less than the divisor, and nothing becomes negative.
    void bound_division(const Watch& w, const Noted& noted, std::vector<Bounds>& all) {
        if (!noted.value[0].any()) return;
        keep_in_type(w, 0, noted, all);
        const Forms forms = in(w.operation, 1).forms;
        const auto rest = each(forms, [&](Form f) { return sum(f, quotient(f, w.divisor), ~w.divisor + 1); });
        each_form(forms, all, [&](Bounds& b) { noted.value[0].low < 0 ? b.exact() : b.within(-noted.value[0].low, none_above); });
        if (rest.state == known) return each_form(rest.forms, all, [&](Bounds& b) { b.within(-noted.value[1].low, Wide{w.divisor} - 1 - noted.value[1].high); });
        each_form(forms, all, [](Bounds& b) { b.exact(); });
    }

    // Whether a cp.async reads anything.
    void bound_size(uint32_t n, const Noted& noted, std::vector<Bounds>& all) {
        const Noted::Range& bytes = noted.value[0];
        if (!bytes.any()) return;
        each_form(in(n, 0).forms, all, [&](Bounds& b) { b.exact(); });
    }

    // The box stays inside the tensor in each dimension in which it moves, and moves there by whole sectors.
    void bound_box(uint32_t n, const Noted& noted, std::vector<Bounds>& all) {
        for (int d = 0; d < p_.bulk_copies[op(n).extra].dimensions; ++d) {
            const Noted::Index& index = noted.index[d];
            if (!index.at.any()) continue;
            each_form(in(n, d + 2).forms, all, [&](Bounds& b) {
                if (index.at.low < 0 || index.at.high > index.last) return b.exact();
                b.within(-index.at.low, index.last - index.at.high);
                b.multiple(BlockForms::sector / std::min<uint64_t>(BlockForms::sector, index.step & (~index.step + 1)));
            });
        }
    }

    // The access moves by whole sectors and stays in its buffer.
    void bound(uint32_t n, const PathCondition::Reached& reached, std::vector<Bounds>& all) {
        if (reached.low > reached.end) return;
        const bool reads = op(n).source != no_row && in(n, address).forms.none();
        each_form(in(n, reads ? source : address).forms, all, [&](Bounds& b) {
            b.multiple(BlockForms::sector);
            if (reached.exact) return b.exact();
            b.within(Wide{reached.first} - reached.low, Wide{reached.last} - reached.end);
        });
    }
};

BlockForms::~BlockForms() = default;

base::Result<std::shared_ptr<BlockForms>> BlockForms::of(const Program& program, const Launch& launch) {
    const auto unsuitable = [](std::string why) { return base::Error{base::Failure::missing, "no block can stand for another: " + why, {}, {}}; };
    const auto own = program.with_own_rows();
    if (!own) return own.error();
    auto forms = std::make_shared<BlockForms>();
    forms->grid_ = launch.grid;
    forms->finder_ = std::make_unique<FormFinder>(*own, launch, *forms);
    if (std::string why = forms->finder_->run(program); !why.empty()) return unsuitable(std::move(why));
    return forms;
}

std::vector<BlockForms::Bound> BlockForms::bounds(const PathCondition& told) {
    const std::vector<Bounds> all = finder_->bounds(told);
    std::vector<Bound> some;
    for (Form form = 1; form < all.size(); ++form) {
        if (!all[form].always()) some.push_back({form, all[form], axis_of(form)});
    }
    return some;
}

int BlockForms::axis_of(Form form) const {
    int axis = -2;
    for (const Term& t : forms_[form]) {
        const Variable& v = variables_[t.variable];
        const Special s = v.special;
        const bool line = grid_.y == 1 && grid_.z == 1;
        const int its = line || s == Special::ctaid_x || s == Special::clusterid_x ? 0 : s == Special::ctaid_y || s == Special::clusterid_y ? 1
                        : s == Special::ctaid_z || s == Special::clusterid_z       ? 2 : v.row == no_row ? axis_of(v.form) : -1;
        if (axis != -2 && axis != its) return -1;
        axis = its;
    }
    return axis;
}

int64_t BlockForms::value(const Variable& v, base::Dim3 block) const {
    switch (v.special) {
    case Special::ctaid_x: return block.x;
    case Special::ctaid_y: return block.y;
    case Special::ctaid_z: return block.z;
    case Special::clusterid_x: return block.x / program_->cluster.x;
    case Special::clusterid_y: return block.y / program_->cluster.y;
    case Special::clusterid_z: return block.z / program_->cluster.z;
    default: break;
    }
    if (v.row != no_row) return v.values[base::index_of(block, grid_)];
    const int64_t whole = value(v.form, block), by = static_cast<int64_t>(v.divisor);
    return whole / by - (whole % by < 0 ? 1 : 0);
}

int64_t BlockForms::value(std::span<const Term> terms, base::Dim3 block) const {
    uint64_t sum = 0;
    for (const Term& t : terms) sum += static_cast<uint64_t>(t.factor) * static_cast<uint64_t>(value(variables_[t.variable], block));
    return static_cast<int64_t>(sum);
}

} // namespace sim
