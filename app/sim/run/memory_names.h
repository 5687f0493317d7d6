// What findings call the places in memory: as elements of the arrays of the source.
#pragma once

#include "base/sentence.h"
#include "sim/run/block_context.h"

#include <cstdint>

namespace sim {

base::Sentence block_name(base::Dim3 index); // "block (0, 1, 0)"

class MemoryNames {
public:
    explicit MemoryNames(const BlockContext& block) : block_(block) {}

    base::Sentence of(Space, const Operation&, uint64_t at) const;
    base::Sentence global(const Operation&, uint64_t address) const;
    base::Sentence shared(const Operation&, uint64_t offset) const; // may be another block's
    // Of shared memory: an element of array `array` of Program::shared_variables, or past its end.
    base::Sentence element(const Operation&, size_t array, uint64_t offset) const;
    // Where nothing lies, or less than `bytes` are left.
    base::Sentence beyond_global(const Operation&, uint64_t address, uint32_t bytes) const;
    base::Sentence beyond_shared(const Operation&, uint64_t offset) const;
    base::Sentence beyond_local(uint64_t at) const;

    // Numbers of arrays, for keys of findings; -1: none.
    int64_t shared_array(uint64_t offset) const;      // of Program::shared_variables
    int64_t nearest_variable(uint64_t address) const; // of Program::file_variables
    int64_t nearest_buffer(uint64_t address) const;   // of Memory::buffers()
    int64_t global_array(uint64_t address) const;     // the buffers, then the variables
    // The block of the cluster whose shared memory the address names; nullptr: it names none.
    const BlockContext* other_block(uint64_t shared_address) const;

private:
    const BlockContext& block_;
};

} // namespace sim
