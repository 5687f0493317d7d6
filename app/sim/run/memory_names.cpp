#include "sim/run/memory_names.h"

#include "sim/run/cluster.h"

#include <fmt/format.h>

#include <algorithm>

namespace sim {

using base::say;
using base::Sentence;

namespace {

// As the source indexes it: of a matrix of bits a word.
Sentence element_name(const trace::Buffer& b, uint64_t byte) {
    const uint64_t element = byte / b.element_bytes(), leading = b.layout().leading_dimension();
    if (b.rows <= 1 || b.columns <= 0) return base::verbatim(fmt::format("{}[{}]", b.name, element));
    const std::string name = fmt::format("{}[{}][{}]", b.name, element / leading, element % leading);
    return b.layout().is_padding(element) ? say("{} (padding)", name) : base::verbatim(name);
}

Sentence size_of(const trace::Buffer& b) {
    if (b.rows <= 1 || b.columns <= 0) return say("{} has {} elements", b.name, b.bytes / b.element_bytes());
    const int64_t rows = b.layout().stored_rows(), columns = b.layout().stored_columns();
    const Sentence size = b.packing != base::Packing::none ? say("{} has {} x {} words", b.name, rows, columns)
                                                           : say("{} has {} x {} elements", b.name, rows, columns);
    return b.padding > 0 ? say("{}, rows padded to {}", size, b.layout().leading_dimension()) : size;
}

// Which of the arrays `address` lies in or is nearest to; -1: there is none near. `begin_of` gives an array's
// first address.
template <class Arrays, class Begin>
int64_t nearest(const Arrays& arrays, uint64_t address, Begin begin_of) {
    uint64_t distance = uint64_t{1} << 35;
    int64_t found = -1;
    for (size_t n = 0; n < arrays.size(); ++n) {
        const uint64_t begin = begin_of(arrays[n]), end = begin + arrays[n].bytes;
        const uint64_t d = address < begin ? begin - address : address < end ? 0 : address - end;
        if (d < distance) distance = d, found = static_cast<int64_t>(n);
    }
    return found;
}

// Where nothing says how large the array's elements are (`element_bytes` 1), they are as large as the access. `offset` may
// be past the array's end.
Sentence element_text(const std::string& name, uint32_t element_bytes, uint32_t access_bytes, uint64_t offset) {
    const uint32_t size = element_bytes > 1 ? element_bytes : std::max<uint32_t>(access_bytes, 1);
    return size == 4 ? say("element {} of {}", offset / size, name)
                     : say("{}-byte element {} of {}", size, offset / size, name);
}

} // namespace

Sentence block_name(base::Dim3 index) { return say("block ({}, {}, {})", index.x, index.y, index.z); }

Sentence MemoryNames::global(const Operation& op, uint64_t address) const {
    if (const int64_t n = nearest_variable(address); n >= 0) {
        const Program::FileVariable& v = block_.program.file_variables[static_cast<size_t>(n)];
        const uint64_t begin = module_window + v.at;
        return address < begin ? say("{} bytes before {} begins", begin - address, v.name)
                               : element_text(v.name, v.element_bytes, op.bytes, address - begin);
    }
    const auto buffers = block_.run.memory.buffers();
    const int64_t number = nearest_buffer(address);
    if (number < 0) return say("address {:#x}, which is in no array", address);
    const trace::Buffer& b = buffers[static_cast<size_t>(number)];
    if (address < b.address) return say("{} bytes before {} begins", b.address - address, b.name);
    return element_name(b, address - b.address);
}

Sentence MemoryNames::beyond_global(const Operation& op, uint64_t address, uint32_t bytes) const {
    Sentence what = global(op, address);
    if (const int64_t n = nearest_variable(address); n >= 0) {
        const Program::FileVariable& v = block_.program.file_variables[static_cast<size_t>(n)];
        if (address < module_window + v.at) return what;
        if (v.bytes >= address - module_window - v.at + bytes) return say("{}, which is constant", what);
        return base::list({what, say("{} has {} bytes", v.name, v.bytes)});
    }
    const int64_t n = nearest_buffer(address);
    if (n < 0) return what;
    const trace::Buffer& b = block_.run.memory.buffers()[static_cast<size_t>(n)];
    if (address < b.address) return what;
    if (bytes > b.element_bytes()) what = say("{} bytes from {} on", bytes, what);
    return base::list({what, size_of(b)});
}

int64_t MemoryNames::nearest_buffer(uint64_t address) const {
    return nearest(block_.run.memory.buffers(), address, [](const trace::Buffer& b) { return b.address; });
}

int64_t MemoryNames::nearest_variable(uint64_t address) const {
    return nearest(block_.program.file_variables, address,
                   [](const Program::FileVariable& v) { return module_window + v.at; });
}

int64_t MemoryNames::global_array(uint64_t address) const {
    const int64_t variable = nearest_variable(address);
    return variable >= 0 ? static_cast<int64_t>(block_.run.memory.buffers().size()) + variable
                         : nearest_buffer(address);
}

Sentence MemoryNames::shared(const Operation& op, uint64_t offset) const {
    if (const BlockContext* other = other_block(offset))
        return say("{} of {}", shared(op, offset_of(offset)), block_name(other->index));
    int64_t number = shared_array(offset);
    if (number < 0 && offset >= block_.shared.data.size())
        number = static_cast<int64_t>(block_.program.shared_variables.size()) - 1; // past the last one
    if (number < 0) return say("byte {} of shared memory", offset);
    return element(op, static_cast<size_t>(number), offset);
}

const BlockContext* MemoryNames::other_block(uint64_t shared_address) const {
    const uint32_t rank = block_.rank_of(shared_address);
    return shared_address < rank_unit || rank >= block_.cluster.size() ? nullptr : &block_.cluster.block(rank).context;
}

// Also of an offset past the array's end.
Sentence MemoryNames::element(const Operation& op, size_t array, uint64_t offset) const {
    const auto& v = block_.program.shared_variables[array];
    const uint32_t bytes = op.bytes <= 4 ? op.bytes : std::min<uint32_t>(op.bytes, block_.program.shared_element_bytes);
    return element_text(v.name, v.element_bytes, bytes, offset - v.at);
}

Sentence MemoryNames::beyond_shared(const Operation& op, uint64_t offset) const {
    constexpr uint64_t half = uint64_t{1} << 31, whole = uint64_t{1} << 32;
    const uint64_t before = offset < whole ? whole - offset : 0 - offset; // addresses of 32 and of 64 bits wrap
    if (before <= half) return say("{} bytes before the block's shared memory begins", before);
    return say("{}, past the end of the block's {} bytes of shared memory", shared(op, offset),
               block_.shared.data.size());
}

Sentence MemoryNames::beyond_local(uint64_t at) const {
    constexpr uint64_t half = uint64_t{1} << 63; // addresses below wrap
    if (at >= half)
        return say("{} bytes before the thread's {} bytes of local memory begin", 0 - at, block_.program.local_bytes);
    return say("byte {} of the thread's {} bytes of local memory", at, block_.program.local_bytes);
}

int64_t MemoryNames::shared_array(uint64_t offset) const {
    int64_t found = -1;
    for (size_t n = 0; n < block_.program.shared_variables.size(); ++n) {
        const auto& v = block_.program.shared_variables[n];
        const uint64_t end = v.bytes > 0 ? uint64_t{v.at} + v.bytes : block_.shared.data.size(); // 0: dynamic
        if (offset >= v.at && offset < end) found = static_cast<int64_t>(n);
    }
    return found;
}

Sentence MemoryNames::of(Space space, const Operation& op, uint64_t at) const {
    if (space == Space::shared) return shared(op, at);
    return space == Space::local ? say("byte {} of the thread's local memory", at) : global(op, at);
}

} // namespace sim
