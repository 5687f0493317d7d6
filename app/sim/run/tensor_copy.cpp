// Copies of boxes of a tensor (manual, sections 5.5 and 9.7.9.25.5), in tile mode. They wait and land as
// other bulk copies do. What of a box lies outside the tensor arrives as zeros, and is left alone on the way
// back; all of it counts as copied.
#include "sim/lanes/tf32.h"
#include "sim/run/bulk_copies.h"
#include "sim/run/segments.h"
#include "sim/run/shared_address.h"

#include <algorithm>
#include <cstring>

namespace sim {
namespace {

using BoxRow = trace::BulkCopy::Row;

// The row that begins at `index`, counted from the tensor's first element.
BoxRow row_at(const trace::TensorMap& map, const std::array<int64_t, trace::TensorMap::most_dimensions>& index) {
    const auto size = static_cast<int64_t>(map.size[0]);
    const int64_t first = std::clamp<int64_t>(index[0], 0, size),
                  end = std::clamp<int64_t>(index[0] + map.box[0], 0, size);
    BoxRow row{map.address + static_cast<uint64_t>(first) * map.element_bytes,
               static_cast<uint32_t>(first - index[0]) * map.element_bytes,
               static_cast<uint32_t>(end - first) * map.element_bytes};
    for (size_t d = 1; d < map.dimensions; ++d) {
        if (index[d] < 0 || index[d] >= static_cast<int64_t>(map.size[d])) return {};
        row.address += static_cast<uint64_t>(index[d]) * map.stride[d - 1];
    }
    return row;
}

// Calls f(number, BoxRow) for each row of the box, as they follow each other in shared memory.
template <class F>
void each_row(const TensorBox& box, F f) {
    std::array<int64_t, trace::TensorMap::most_dimensions> index{};
    for (size_t d = 0; d < box.map.dimensions; ++d) index[d] = box.at[d];
    for (uint64_t n = 0; n < box.map.rows(); ++n) {
        f(n, row_at(box.map, index));
        for (size_t d = 1; d < box.map.dimensions; ++d) {
            if (++index[d] < int64_t{box.at[d]} + box.map.box[d]) break;
            index[d] = box.at[d];
        }
    }
}

} // namespace

std::vector<BoxRow> TensorBox::rows() const {
    std::vector<BoxRow> all(map.rows());
    each_row(*this, [&](uint64_t number, const BoxRow& row) { all[number] = row; });
    return all;
}

// False, and a finding: there is no such map.
bool BulkCopies::read_tensor_map(const Warp& w, const Operation& op, const BulkUse& use, const BulkCopy& c,
                                 uint64_t address, trace::TensorMap& map) {
    const auto wrong = [&](trace::FindingKind kind, const base::Sentence& why) {
        if (!report_.known(kind, op))
            report_.finding(kind, w, op, 1u << c.lane,
                            base::say("lane {} copies by a tensor map at {:#x}: {}", c.lane, address, why));
        return false;
    };
    if (address % alignof(trace::TensorMap) != 0)
        return wrong(trace::FindingKind::misaligned, base::say("it is aligned to 64 bytes"));
    const Segment* s = segments_.find(address, address + sizeof map);
    if (!s) return wrong(trace::FindingKind::out_of_bounds, base::say("nothing lies there"));
    std::memcpy(&map, Segments::host(*s, address, sizeof map, false), sizeof map);
    if (const base::Sentence fault = trace::fault_of(map); !fault.empty())
        return wrong(trace::FindingKind::out_of_bounds, fault);
    if (map.dimensions != use.dimensions)
        return wrong(trace::FindingKind::out_of_bounds, base::say("its tensor has {} dimensions", map.dimensions));
    return true;
}

// rows: 1 the mbarrier, 2 and following the indices.
bool BulkCopies::open_tensor_copy(const Warp& w, const Operation& op, const BulkUse& use, BulkCopy& c) {
    c.box.emplace();
    if (!read_tensor_map(w, op, use, c, row<uint64_t>(w, op.source)[c.lane] + static_cast<uint64_t>(op.source_offset),
                         c.box->map))
        return false;
    for (size_t d = 0; d < use.dimensions; ++d) c.box->at[d] = row<int32_t>(w, op.row[d + 2])[c.lane];
    c.bytes = c.box->map.box_bytes();
    if (const int64_t from = int64_t{c.box->at[0]} * c.box->map.element_bytes; from % 16 != 0) {
        // An H200 stops with an illegal instruction; the manual does not say it.
        if (!report_.known(trace::FindingKind::misaligned, op))
            report_.finding(
                trace::FindingKind::misaligned, w, op, 1u << c.lane,
                base::say(
                    "lane {} copies a box that begins {} bytes from the start of a row, which is not a multiple of 16",
                    c.lane, from));
        return false;
    }
    uint64_t& shared = use.to_shared ? c.to : c.from;
    shared = shared_address(w, op, op.address, op.address_bytes, op.offset, c.lane);
    if (!use.to_shared) shared = block_.own_offset(shared);
    if (shared % 128 == 0) return true;
    if (!report_.known(trace::FindingKind::misaligned, op))
        report_.finding(
            trace::FindingKind::misaligned, w, op, 1u << c.lane,
            base::say("lane {} copies a box of a tensor at {:#x} of shared memory, which is not a multiple of 128",
                      c.lane, shared));
    return false;
}

void BulkCopies::move_box(const Warp& w, const BulkCopy& c, const BulkUse& use, BulkCopies& home) {
    const trace::TensorMap& map = c.box->map;
    const uint64_t shared = use.to_shared ? c.to : c.from;
    if (use.from_shared && !reach(w, c, shared, c.bytes, true, false)) return;
    std::byte* const in_block = (use.to_shared ? home : *this).block_.shared.data.data();
    if (use.from_shared) check_shared(c, shared, Access::load);
    constexpr uint32_t most_row_bytes = 256 * 8;
    std::array<std::byte, most_row_bytes> line;
    each_row(*c.box, [&](uint64_t number, const BoxRow& row) {
        const auto each_16 = [&](auto f) {
            for (uint32_t n = 0; n < map.row_bytes(); n += 16)
                f(line.data() + n, in_block + trace::swizzled(shared + number * map.row_bytes() + n, map.swizzle));
        };
        std::fill_n(line.begin(), map.row_bytes(), std::byte{0});
        if (use.from_shared)
            each_16([](std::byte* in_line, const std::byte* in_shared) { std::memcpy(in_line, in_shared, 16); });
        if (row.bytes > 0) {
            std::byte* const global = reach(w, c, row.address, row.bytes, false, !use.to_shared);
            if (!global) return;
            if (use.to_shared) std::memcpy(line.data() + row.skipped, global, row.bytes);
            else std::memcpy(global, line.data() + row.skipped, row.bytes);
        }
        if (use.to_shared && map.to_tf32)
            for (uint32_t n = 0; n < map.row_bytes(); n += 4) {
                uint32_t bits = 0;
                std::memcpy(&bits, line.data() + n, 4);
                bits = rounded_to_tf32(bits);
                std::memcpy(line.data() + n, &bits, 4);
            }
        if (use.to_shared)
            each_16([](const std::byte* in_line, std::byte* in_shared) { std::memcpy(in_shared, in_line, 16); });
    });
}

} // namespace sim
