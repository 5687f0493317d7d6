// Which thread touches which element, derived from traced addresses alone.
#pragma once

#include "trace/trace.h"

#include <array>
#include <optional>
#include <string>

namespace analysis {

struct Element { // of a buffer
    uint32_t row = 0, column = 0;
    bool operator==(const Element&) const = default;
};
// Of a word of bits the first. Nothing: the address is outside, or in the padding behind a row.
std::optional<Element> element(const trace::Buffer&, uint64_t address);
// Of an address in the padding, the row that it is behind.
std::optional<uint64_t> padded_row(const trace::Buffer&, uint64_t address);
const trace::Buffer* buffer_at(const trace::Trace&, uint64_t address);
// Lanes that a warp has: fewer than 32 in the last one of a block of an odd size, none behind it.
uint32_t launched_lanes(const trace::Trace&, size_t warp);
// Of the active lanes those whose addresses an access takes. ldmatrix and stmatrix move rows of matrices, 8 of each: with .x1 and .x2
// the lanes behind the 8th and the 16th give addresses that nobody uses.
uint32_t accessing_lanes(const trace::Instruction&, uint32_t active);
// Lanes of an asynchronous copy that read global memory; the others write zeros.
uint32_t reading_lanes(const trace::Trace&, const trace::Event& copy);

struct Rectangle {
    uint32_t row = 0, column = 0, rows = 0, columns = 0;
    bool operator==(const Rectangle&) const = default;
}; // half-open box of elements
// The element, or all that its word holds.
Rectangle stored_with(const trace::Buffer&, uint32_t row, uint32_t column);
// Grows it so that it holds both; one without rows is nothing.
void include(Rectangle&, const Rectangle& other);

// One contact of a thread with an element of a global array.
struct Touch {
    uint32_t event = 0;  // first event at which it happens
    uint16_t thread = 0; // linear thread of the block
    uint32_t row = 0, column = 0;
};
struct ArrayMap {
    std::string name;                 // "A"
    std::vector<Touch> loads, stores; // by event; a thread's repeated touch of an element is listed once
    Rectangle box;                    // of everything the block touches
};
// More touches than a picture can show are not listed, so that a long trace cannot exhaust memory; the boxes are whole.
constexpr size_t max_touches = 8'000'000;
// One entry per buffer of the trace.
std::vector<ArrayMap> mapping(const trace::Trace&);

// Where the words of shared memory came from: for each 4-byte word the element of a global array that was
// stored there last, at or before `event`, of bits the first of the word. Values are followed through loads,
// moves and stores of a listing; buffer -1: never written, or written with something else (a zero at the
// edge, a sum).
struct Origin {
    int buffer = -1;
    uint32_t row = 0, column = 0;
    Element upper; // of two elements of 16 bits the one in the upper half; else the same one
    bool operator==(const Origin&) const = default;
};
std::vector<Origin> shared_origin(const trace::Trace&, uint32_t event);
// Likewise of the words that are wanted. It looks backwards from the event no further than to where the last of them was written:
// one that never was costs a look at all events.
std::vector<Origin> shared_origin(const trace::Trace&, uint32_t event, const std::vector<bool>& wanted);
// What may change an origin.
struct SharedWrites {
    std::vector<uint32_t> events; // of all warps, ascending
    std::vector<uint32_t> first;  // [word] the first event that writes it; trace::no_access: none does
};
SharedWrites shared_writes(const trace::Trace&);
// All elements that the word of a known origin holds: the second box has no rows, unless two halves are no neighbours.
std::array<Rectangle, 2> elements_of(const trace::Trace&, const Origin&);
// Of them those that an access of so many bytes at the offset takes: of two halves perhaps one.
std::array<Rectangle, 2> elements_of(const trace::Trace&, const Origin&, uint64_t offset, uint32_t bytes);

} // namespace analysis
