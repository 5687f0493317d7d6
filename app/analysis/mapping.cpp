#include "analysis/mapping.h"

#include <algorithm>
#include <bit>

namespace analysis {
namespace {

bool contains(const trace::Buffer& b, uint64_t address) {
    return address >= b.address && address - b.address < b.bytes;
}

// A set of numbers by open addressing, because a trace can hold millions of touches.
class NumberSet {
public:
    size_t size() const { return used_; }
    bool insert(uint64_t number) { // false if it was there
        if ((used_ + 1) * 2 > slots_.size()) grow();
        uint64_t& slot = find(number);
        if (slot == number) return false;
        slot = number;
        ++used_;
        return true;
    }

private:
    static constexpr uint64_t empty = ~uint64_t{0};

    // Eight neighbouring numbers hash to neighbouring slots, one cache line.
    uint64_t& find(uint64_t number) {
        const size_t mask = slots_.size() - 1;
        const auto bits = static_cast<unsigned>(std::countr_zero(slots_.size()));
        size_t i = ((number >> 3) * 0x9E3779B97F4A7C15u) >> (67 - bits) << 3 | (number & 7);
        while (slots_[i] != empty && slots_[i] != number) i = (i + 1) & mask;
        return slots_[i];
    }
    void grow() {
        std::vector<uint64_t> old(slots_.size() * 2, empty);
        old.swap(slots_);
        for (uint64_t number : old)
            if (number != empty) find(number) = number;
    }

    std::vector<uint64_t> slots_ = std::vector<uint64_t>(1024, empty);
    size_t used_ = 0;
};

Rectangle rectangle(const base::MatrixLayout::Box& box) {
    const auto narrow = [](uint64_t value) { return static_cast<uint32_t>(value); };
    return {narrow(box.row), narrow(box.column), narrow(box.rows), narrow(box.columns)};
}

class Mapper {
public:
    explicit Mapper(const trace::Trace& t) : trace_(t), maps_(t.buffers.size()) {
        for (size_t i = 0; i < maps_.size(); ++i) maps_[i].name = t.buffers[i].name;
    }

    // All lanes of one warp access.
    void add(uint32_t event, int bytes, bool load, bool store, uint32_t access) {
        const trace::Event& e = trace_.events[event];
        for (uint32_t rest = e.active; rest; rest &= rest - 1) {
            const auto lane = static_cast<unsigned>(std::countr_zero(rest));
            const auto thread = static_cast<uint16_t>(e.warp * trace::warp_size + static_cast<int>(lane));
            add_lane(event, thread, trace_.accesses[access][lane], bytes, load, store);
        }
    }

    void add(const trace::BulkCopy& copy) {
        for (const trace::BulkCopy::Row& row : copy.rows)
            if (row.bytes > 0)
                add_lane(copy.event, copy.thread, row.address, static_cast<int>(row.bytes), copy.to_shared,
                         !copy.to_shared);
    }

    std::vector<ArrayMap> take() { return std::move(maps_); }

private:
    void add_lane(uint32_t event, uint16_t thread, uint64_t address, int bytes, bool load, bool store) {
        if (!find_buffer(address)) return;
        const trace::Buffer& b = trace_.buffers[current_];
        if (b.columns == 0) return;
        const uint64_t offset = address - b.address;
        const uint64_t last = element_number(std::min(offset + static_cast<uint64_t>(std::max(bytes, 1)), b.bytes) - 1);
        uint64_t index = element_number(offset);
        if (b.packing != base::Packing::none) return add_words(event, thread, index, last, load, store);
        const uint64_t leading = b.layout().leading_dimension();
        enter_row(index, leading);
        ArrayMap& map = maps_[current_];
        for (; index <= last; ++index) {
            if (index >= row_end_) enter_row(index, leading);
            const auto column = static_cast<uint32_t>(index - (row_end_ - leading));
            if (column >= b.columns) continue; // padding
            touch(map, event, thread, index, {row_, column}, load, store);
        }
    }
    void add_words(uint32_t event, uint16_t thread, uint64_t first, uint64_t last, bool load, bool store) {
        const base::MatrixLayout layout = trace_.buffers[current_].layout();
        for (; first <= last; ++first) {
            const Rectangle box = rectangle(layout.box_of(first));
            for (uint32_t row = box.row; row < box.row + box.rows; ++row)
                for (uint32_t column = box.column; column < box.column + box.columns; ++column)
                    touch(maps_[current_], event, thread, row * layout.columns + column, {row, column}, load, store);
        }
    }
    void touch(ArrayMap& map, uint32_t event, uint16_t thread, uint64_t index, Element at, bool load, bool store) {
        if (load && first_time(index, thread, false)) map.loads.push_back({event, thread, at.row, at.column});
        if (store && first_time(index, thread, true)) map.stores.push_back({event, thread, at.row, at.column});
        include(map.box, {at.row, at.column, 1, 1});
    }
    // Of words, where these hold elements. Divisions are what this costs most: elements have a power of two
    // of bytes, and neighbours lie in one row.
    uint64_t element_number(uint64_t offset) const {
        return offset >> std::countr_zero(trace_.buffers[current_].element_bytes());
    }
    void enter_row(uint64_t index, uint64_t leading) {
        if (row_of_ == current_ && index < row_end_ && row_end_ - index <= leading) return;
        row_of_ = current_;
        row_ = static_cast<uint32_t>(index / leading);
        row_end_ = (index / leading + 1) * leading;
    }
    bool first_time(uint64_t index, uint16_t thread, bool store) {
        if (seen_.size() >= max_touches) return false;
        // 16 bits of thread, 5 of buffer, 1 of direction, 42 of element: a buffer of 16 TiB.
        return seen_.insert(uint64_t{thread} << 48 | uint64_t{current_ & 31} << 43 | uint64_t{store} << 42 | index);
    }
    bool find_buffer(uint64_t address) { // mostly the one of the lane before
        if (current_ < trace_.buffers.size() && contains(trace_.buffers[current_], address)) return true;
        for (current_ = 0; current_ < trace_.buffers.size(); ++current_)
            if (contains(trace_.buffers[current_], address)) return true;
        return false;
    }

    const trace::Trace& trace_;
    std::vector<ArrayMap> maps_;
    NumberSet seen_;
    size_t current_ = 0;         // buffer
    size_t row_of_ = ~size_t{0}; // the buffer in which row_ is, which ends before the element row_end_
    uint32_t row_ = 0;
    uint64_t row_end_ = 0;
};

} // namespace

std::optional<Element> element(const trace::Buffer& b, uint64_t address) {
    if (!contains(b, address) || b.columns == 0) return std::nullopt;
    const uint64_t index = (address - b.address) / b.element_bytes();
    if (b.layout().is_padding(index)) return std::nullopt;
    const Rectangle box = rectangle(b.layout().box_of(index));
    return Element{box.row, box.column};
}

std::optional<uint64_t> padded_row(const trace::Buffer& b, uint64_t address) {
    if (!contains(b, address) || b.padding == 0) return std::nullopt;
    const uint64_t index = (address - b.address) / b.element_bytes();
    if (!b.layout().is_padding(index)) return std::nullopt;
    return index / b.layout().leading_dimension();
}

Rectangle stored_with(const trace::Buffer& b, uint32_t row, uint32_t column) {
    return rectangle(b.layout().box_with(row, column));
}

std::array<Rectangle, 2> elements_of(const trace::Trace& t, const Origin& origin) {
    const trace::Buffer& buffer = t.buffers[static_cast<size_t>(origin.buffer)];
    const Rectangle lower = stored_with(buffer, origin.row, origin.column);
    if (origin.upper == Element{origin.row, origin.column}) return {lower};
    const Rectangle upper = stored_with(buffer, origin.upper.row, origin.upper.column);
    if (upper.row == lower.row && upper.column == lower.column + 1) return {{{lower.row, lower.column, 1, 2}}};
    if (upper.column == lower.column && upper.row == lower.row + 1) return {{{lower.row, lower.column, 2, 1}}};
    return {lower, upper};
}

std::array<Rectangle, 2> elements_of(const trace::Trace& t, const Origin& origin, uint64_t offset, uint32_t bytes) {
    const trace::Buffer& buffer = t.buffers[static_cast<size_t>(origin.buffer)];
    if (bytes != 2 || buffer.element_bytes() != 2) return elements_of(t, origin);
    const Element half = offset % 4 == 2 ? origin.upper : Element{origin.row, origin.column};
    return {stored_with(buffer, half.row, half.column)};
}

void include(Rectangle& box, const Rectangle& other) {
    if (other.rows == 0) return;
    if (box.rows == 0) {
        box = other;
        return;
    }
    const uint32_t bottom = std::max(box.row + box.rows, other.row + other.rows),
                   right = std::max(box.column + box.columns, other.column + other.columns);
    box.row = std::min(box.row, other.row);
    box.column = std::min(box.column, other.column);
    box.rows = bottom - box.row;
    box.columns = right - box.column;
}

const trace::Buffer* buffer_at(const trace::Trace& t, uint64_t address) {
    for (const trace::Buffer& b : t.buffers)
        if (contains(b, address)) return &b;
    return nullptr;
}

uint32_t launched_lanes(const trace::Trace& trace, size_t warp) {
    const uint64_t before = uint64_t{warp} * trace::warp_size, threads = trace.block.count();
    const uint64_t lanes = threads > before ? std::min<uint64_t>(threads - before, trace::warp_size) : 0;
    return static_cast<uint32_t>((uint64_t{1} << lanes) - 1);
}

uint32_t accessing_lanes(const trace::Instruction& i, uint32_t active) {
    if (i.role != trace::Role::matrix_rows) return active;
    const uint32_t rows = uint32_t{trace::warp_size} * i.register_bytes / i.bytes;
    return active & static_cast<uint32_t>((uint64_t{1} << rows) - 1);
}

uint32_t reading_lanes(const trace::Trace& t, const trace::Event& copy) {
    uint32_t reading = 0;
    for (size_t lane = 0; lane < trace::warp_size; ++lane)
        if (t.accesses[copy.access + 1][lane] != 0) reading |= 1u << lane;
    return reading & copy.active;
}

std::vector<ArrayMap> mapping(const trace::Trace& t) {
    using trace::Kind;
    Mapper mapper(t);
    if (!t.listing) return mapper.take();
    auto copy = t.bulk_copies.begin();
    for (uint32_t event = 0; event < t.events.size(); ++event) {
        for (; copy != t.bulk_copies.end() && copy->event == event; ++copy) mapper.add(*copy);
        const trace::Event& e = t.events[event];
        if (e.access >= t.accesses.size() || e.pc >= t.listing->instructions.size()) continue;
        const trace::Instruction& i = t.listing->instructions[e.pc];
        if (i.kind == Kind::async_copy) { // its global source follows its shared destination
            if (e.access + 1 < t.accesses.size()) mapper.add(event, i.bytes, true, false, e.access + 1);
        } else if (i.space == trace::Space::global) {
            const bool atomic = i.kind == Kind::atomic;
            mapper.add(event, i.bytes, atomic || i.kind == Kind::load, atomic || i.kind == Kind::store, e.access);
        }
    }
    return mapper.take();
}

} // namespace analysis
