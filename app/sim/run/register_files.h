// The registers of a block's warps: rows of 32 lanes (operation.h), and the rows that are the same in all of them.
#pragma once

#include "sim/engine.h"
#include "sim/lanes/warp.h"
#include "sim/program/program.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sim {

// Buffers aligned for the lane handlers.
class AlignedBytes {
public:
    explicit AlignedBytes(size_t bytes);
    std::byte* data() { return data_; }

private:
    std::unique_ptr<std::byte[]> room_;
    std::byte* data_;
};

// Of a lane; `shared`: bytes of the block.
uint64_t special_value(ptx::Special, const Launch&, base::Dim3 cluster, base::Dim3 index, base::Dim3 thread,
                       uint32_t lane, uint32_t warp, uint32_t shared);
// The constants' file of a launch, at `to`.
void fill_constants(const Program&, std::span<const std::byte> parameters, std::byte* to);

class RegisterFiles {
public:
    RegisterFiles(const Program&, const Launch&, std::span<const std::byte> parameters);

    std::byte* registers(size_t warp) { return registers_.data() + warp * program_.register_bytes; }
    std::byte* constants() { return constants_.data(); }
    // For the block at `index`: all registers are 0, but the special ones. `warps` point to their files already.
    void reset(std::span<const Warp> warps, const Launch&, base::Dim3 index, uint32_t shared_bytes);

    static uint64_t bytes(const Program&, uint64_t warps); // of this machine's memory

private:
    struct SpecialOfThreads { // a special register that is the same in every block
        const SpecialRow* row;
        std::vector<std::byte> values; // [warp][lane]
    };
    const Program& program_;
    const size_t warps_;
    AlignedBytes registers_, constants_;
    std::vector<SpecialOfThreads> specials_of_threads_;

    void find_specials_of_threads(const Launch&);
};

} // namespace sim
