#include "sim/memory.h"

#include <utility>

namespace sim {
namespace {

// Buffers lie 64 GB apart, so that an index off by gigabytes still lands in nobody's memory.
constexpr uint64_t first_address = uint64_t{1} << 40;
constexpr uint64_t spacing = uint64_t{1} << 36;

} // namespace

uint64_t Memory::allocate(trace::Buffer shape) {
    uint64_t next = first_address;
    if (!shapes_.empty()) {
        const trace::Buffer& last = shapes_.back();
        next = last.address + (last.bytes / spacing + 1) * spacing;
    }
    shape.address = next;
    storage_.emplace_back(shape.bytes);
    shapes_.push_back(std::move(shape));
    return next;
}

std::span<std::byte> Memory::bytes(uint64_t address) {
    for (size_t i = 0; i < shapes_.size(); ++i)
        if (shapes_[i].address == address) return storage_[i].write();
    return {};
}

std::span<const std::byte> Memory::bytes(uint64_t address) const {
    for (size_t i = 0; i < shapes_.size(); ++i)
        if (shapes_[i].address == address) return storage_[i].read();
    return {};
}

void Memory::seal() {
    for (Pages& pages : storage_) pages.seal();
}

const trace::Buffer* Memory::find(uint64_t address, uint64_t size) const {
    for (const trace::Buffer& b : shapes_)
        if (address >= b.address && address - b.address <= b.bytes && size <= b.bytes - (address - b.address))
            return &b;
    return nullptr;
}

} // namespace sim
