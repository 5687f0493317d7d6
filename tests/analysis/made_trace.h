// Traces written by hand: a listing and the events of a block, built line by line.
#pragma once

#include "listed.h"
#include "trace/trace.h"

namespace test {

class MadeTrace {
public:
    explicit MadeTrace(uint32_t threads) {
        trace_.block = {threads, 1, 1};
        trace_.grid = {1, 1, 1};
    }

    // Adds an instruction to the listing and returns its pc.
    uint32_t code(trace::Kind kind, trace::Space space = trace::Space::none, int bytes = 0,
                  const std::string& text = {}, int64_t target = -1) {
        trace::Instruction& i = Lister(listing_).add(text, kind);
        i.space = space;
        i.bytes = static_cast<uint8_t>(bytes);
        i.target = target;
        return static_cast<uint32_t>(listing_.instructions.size() - 1);
    }
    // ldmatrix or stmatrix of 1, 2 or 4 matrices.
    uint32_t rows_code(trace::Kind kind, int matrices, const std::string& text = {}) {
        const uint32_t pc = code(kind, trace::Space::shared, 16, text);
        listing_.instructions[pc].role = trace::Role::matrix_rows;
        listing_.instructions[pc].register_bytes = static_cast<uint8_t>(4 * matrices);
        return pc;
    }
    void buffer(std::string name, uint64_t address, uint64_t rows, uint64_t columns,
                base::NumberType element = base::NumberType::f32) {
        trace_.buffers.push_back(
            {std::move(name), address, rows * columns * base::bytes_of(element), element, rows, columns});
    }
    uint32_t run(uint16_t warp, uint32_t pc, uint32_t active = ~0u) {
        trace_.events.push_back({pc, active, trace::no_access, warp});
        return static_cast<uint32_t>(trace_.events.size() - 1);
    }
    uint32_t run(uint16_t warp, uint32_t pc, const trace::Addresses& address, uint32_t active = ~0u) {
        trace_.accesses.push_back(address);
        trace_.events.push_back({pc, active, static_cast<uint32_t>(trace_.accesses.size() - 1), warp});
        return static_cast<uint32_t>(trace_.events.size() - 1);
    }
    // The second addresses of an async copy, after run() with the first.
    void source(const trace::Addresses& address) { trace_.accesses.push_back(address); }

    trace::Trace& get() {
        trace_.listing = std::make_shared<trace::Listing>(listing_);
        return trace_;
    }

private:
    trace::Trace trace_;
    trace::Listing listing_;
};

} // namespace test
