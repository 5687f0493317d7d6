// Memory that is written without changing the original: pages are copied when they are first written.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sim {

class Overlay {
public:
    explicit Overlay(std::span<const std::byte> original);

    // Where the bytes [at, at + count) of the memory lie, in one piece, for reading only.
    // nullptr: some are in copied pages and some are not.
    const std::byte* read(uint64_t at, uint64_t count) const;
    // The same after their pages were copied.
    std::byte* own(uint64_t at, uint64_t count);

private:
    static constexpr uint64_t page = 4096;
    std::span<const std::byte> original_;
    std::unique_ptr<std::byte[]> copy_; // as large as the original, but a page takes room only when it is written
    std::vector<bool> copied_;          // per page
    bool any_ = false;
};

} // namespace sim
