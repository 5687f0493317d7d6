#include "sim/kinds/uniform_values.h"

#include <algorithm>
#include <cstring>

namespace sim {

using ptx::Special;

bool is_of_the_block(Special s) {
    using enum Special;
    return s == ctaid_x || s == ctaid_y || s == ctaid_z || (s >= clusterid_x && s <= clusterid_z);
}
namespace {

bool of_the_launch(Special s) {
    using enum Special;
    return (s >= ntid_x && s <= ntid_z) || (s >= nctaid_x && s <= nctaid_z) || s == nwarpid || s == nsmid ||
           s == gridid || s == dynamic_smem_size || s == total_smem_size || s == aggr_smem_size || s == warp_size;
}

} // namespace

UniformValues::UniformValues(const Code& code, const Launch& launch)
    : code_(code), launch_(launch), rows_(code.rows()), operations_(code.size()),
      file_(std::max<size_t>(code.p.register_bytes, 1)), constants_(std::max<size_t>(code.p.constant_bytes, 1)) {
    std::vector<std::byte> parameters = launch.parameters;
    parameters.resize(std::max<size_t>(parameters.size(), code.p.parameter_bytes));
    fill_constants(code.p, parameters, constants_.data());
    warp_.file[0] = file_.data();
    warp_.file[1] = constants_.data();
    find_specials();
    find_operations();
    execute(0, false);
}

// Blocks of the same rank in their clusters are compared: a coordinate that is the same in all of them is uniform only if there is one.
void UniformValues::find_specials() {
    using enum Special;
    const base::Dim3 grid = launch_.grid, shape = code_.p.cluster;
    for (const SpecialRow& s : code_.p.specials) {
        Flags& its = rows_[s.at / Code::unit];
        its = {of_the_launch(s.special) || is_of_the_block(s.special), of_the_launch(s.special)};
        if (!is_of_the_block(s.special)) continue;
        const bool x = s.special == ctaid_x || s.special == clusterid_x,
                   y = s.special == ctaid_y || s.special == clusterid_y;
        if ((x ? grid.x / shape.x : y ? grid.y / shape.y : grid.z / shape.z) == 1)
            its.uniform = its.constant = (x ? grid.x : y ? grid.y : grid.z) == 1;
    }
}

// An operation that writes what no other writes and nobody reads before, of what is uniform.
void UniformValues::find_operations() {
    std::vector<uint8_t> writes(rows_.size()); // operations that write the row, up to two
    const auto count = [&](RowAt row) {
        if (Code::is_register(row))
            writes[row / Code::unit] = static_cast<uint8_t>(std::min(2, writes[row / Code::unit] + 1));
    };
    for (uint32_t n = 0; n < code_.size(); ++n) {
        for (int slot = 0; slot < 8; ++slot)
            if (code_.writes(n, slot)) count(code_.op(n).row[slot]);
        for (const RowAt row : code_.p.wide[code_.op(n).wide].written) count(row);
    }
    for (uint32_t n = 0; n < code_.size(); ++n) {
        const Operation& op = code_.op(n);
        bool uniform = is_pure(n), constant = uniform && (!is_constant_load(n) || row_is_constant(op.address));
        code_.each_read(n, [&](int slot) {
            uniform &= row_is_uniform(code_.row(n, slot)), constant &= row_is_constant(code_.row(n, slot));
        });
        for (int slot = 0; slot < 8; ++slot)
            if (code_.writes(n, slot))
                uniform &=
                    writes[op.row[slot] / Code::unit] == 1 && code_.p.tracked[op.tracked].row[slot] == Tracked::none;
        operations_[n] = uniform;
        for (int slot = 0; slot < 8 && uniform; ++slot)
            if (code_.writes(n, slot)) rows_[op.row[slot] / Code::unit] = {true, constant};
    }
}

// What it makes of the index can be computed for any block.
bool UniformValues::is_pure(uint32_t n) const {
    const Operation& op = code_.op(n);
    if (op.guard != no_row || op.wide != 0 || code_.effect(n).carries) return false;
    return row_of(op.what).made == Made::of_operands || (is_constant_load(n) && row_is_uniform(op.address));
}

bool UniformValues::is_constant_load(uint32_t n) const {
    const Operation& op = code_.op(n);
    return op.what == What::load && code_.p.listing->instructions[op.pc].space == trace::Space::constant &&
           op.elements == 1 && op.address_bytes == 8;
}

std::optional<uint64_t> UniformValues::constant(uint32_t n, int slot) const {
    const Operation& op = code_.op(n);
    if (!row_is_constant(op.row[slot]) || op.width[slot] == 0) return {};
    return static_cast<uint64_t>(lane(op.row[slot], op.width[slot], 0));
}

void UniformValues::load_constant(uint32_t n) {
    const Operation& o = code_.op(n);
    const bool sign = code_.effect(n).is_signed;
    for (uint32_t lane = 0; lane < 32; ++lane) {
        const uint64_t at = row<uint64_t>(warp_, o.address)[lane] + static_cast<uint64_t>(o.offset) - module_window;
        uint64_t bits = 0;
        if (at < code_.p.variables.size() && o.bytes <= code_.p.variables.size() - at)
            std::memcpy(&bits, code_.p.variables.data() + at, std::min<size_t>(o.bytes, sizeof bits));
        if (sign && o.bytes < 8)
            bits = static_cast<uint64_t>(static_cast<int64_t>(bits << (64 - 8 * o.bytes)) >> (64 - 8 * o.bytes));
        if (o.width[0] == 2) row<uint16_t>(warp_, o.row[0])[lane] = static_cast<uint16_t>(bits);
        if (o.width[0] == 4) row<uint32_t>(warp_, o.row[0])[lane] = static_cast<uint32_t>(bits);
        if (o.width[0] == 8) row<uint64_t>(warp_, o.row[0])[lane] = bits;
    }
}

// Executes the uniform operations for 32 blocks, one in each lane; with `of_blocks` only those that differ between blocks.
void UniformValues::execute(uint64_t begin, bool of_blocks) {
    for (const SpecialRow& s : code_.p.specials)
        for (uint32_t lane = 0; lane < 32; ++lane) {
            const base::Dim3 index = base::position(std::min(begin + lane, launch_.grid.count() - 1), launch_.grid);
            const uint64_t v = special_value(s.special, launch_, code_.p.cluster, index, {0, 0, 0}, 0, 0,
                                             code_.p.dynamic_shared_at + launch_.dynamic_shared_bytes);
            if (s.width == 2) row<uint16_t>(warp_, s.at)[lane] = static_cast<uint16_t>(v);
            if (s.width == 4) row<uint32_t>(warp_, s.at)[lane] = static_cast<uint32_t>(v);
            if (s.width >= 8) row<uint64_t>(warp_, s.at)[lane] = v;
        }
    for (uint32_t n = 0; n < code_.p.operations.size(); ++n) {
        if (!operations_[n]) continue;
        bool constant = !is_constant_load(n) || row_is_constant(code_.op(n).address);
        code_.each_read(n, [&](int slot) { constant &= row_is_constant(code_.row(n, slot)); });
        if (of_blocks && constant) continue;
        if (is_constant_load(n)) {
            load_constant(n);
            continue;
        }
        code_.handler(n)(warp_, code_.op(n), ~0u);
    }
}

int64_t UniformValues::lane(RowAt row_at, uint8_t width, uint32_t n) const {
    if (width == 2) return row<int16_t>(warp_, row_at)[n];
    return width == 4 ? row<int32_t>(warp_, row_at)[n] : row<int64_t>(warp_, row_at)[n];
}

bool UniformValues::compute(std::vector<FormTable::Variable>& variables) {
    const uint64_t blocks = launch_.grid.count();
    if (std::none_of(variables.begin(), variables.end(), [](const auto& v) { return v.computed(); })) return true;
    if (blocks > most_computed) return false;
    for (auto& v : variables)
        if (v.computed()) v.values.resize(blocks);
    for (uint64_t begin = 0; begin < blocks; begin += 32) {
        execute(begin, true);
        for (auto& v : variables)
            for (uint32_t n = 0; v.computed() && n < std::min<uint64_t>(32, blocks - begin); ++n)
                v.values[begin + n] = lane(v.row, v.width, n);
    }
    execute(0, false); // constants are read again
    return true;
}

} // namespace sim
