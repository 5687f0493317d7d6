#include "sim/memory.h"

#include <gtest/gtest.h>

namespace {

constexpr size_t bytes = 3 * 4096 + 100;

std::byte value(int n) { return static_cast<std::byte>(n); }

// Buffer A of ones and B of twos, sealed.
sim::Memory inputs() {
    sim::Memory memory;
    for (int i = 1; i <= 2; ++i) {
        trace::Buffer shape;
        shape.bytes = bytes;
        for (std::byte& b : memory.bytes(memory.allocate(shape))) b = value(i);
    }
    memory.seal();
    return memory;
}

std::byte at(const sim::Memory& memory, size_t buffer, size_t offset) {
    return memory.bytes(memory.buffers()[buffer].address)[offset];
}

void write(sim::Memory& memory, size_t buffer, size_t offset, int n) {
    memory.bytes(memory.buffers()[buffer].address)[offset] = value(n);
}

TEST(Memory, CopiesOfSealedMemoryDoNotSeeEachOthersWrites) {
    const sim::Memory original = inputs();
    sim::Memory one = original, two = original;
    write(one, 0, 5000, 7);
    write(two, 1, bytes - 1, 9);
    EXPECT_EQ(at(one, 0, 5000), value(7));
    EXPECT_EQ(at(one, 1, bytes - 1), value(2));
    EXPECT_EQ(at(two, 0, 5000), value(1));
    EXPECT_EQ(at(two, 1, bytes - 1), value(9));
    EXPECT_EQ(at(original, 0, 5000), value(1));
    EXPECT_EQ(at(original, 1, bytes - 1), value(2));
}

TEST(Memory, ACopyOfAWrittenCopyHasWhatWasWritten) {
    const sim::Memory original = inputs();
    sim::Memory written = original;
    write(written, 0, 0, 7);
    sim::Memory copy = written;
    write(written, 0, 0, 8);
    EXPECT_EQ(at(copy, 0, 0), value(7));
    EXPECT_EQ(at(copy, 0, 1), value(1));
    EXPECT_EQ(at(written, 0, 0), value(8));
}

TEST(Memory, SealingAgainKeepsWhatWasWrittenSince) {
    sim::Memory memory = inputs();
    write(memory, 1, 4096, 5);
    memory.seal();
    const sim::Memory copy = memory;
    EXPECT_EQ(at(copy, 1, 4096), value(5));
    EXPECT_EQ(at(copy, 1, 4097), value(2));
}

TEST(Memory, ACopyOutlivesWhatItWasMadeFrom) {
    auto original = std::make_unique<sim::Memory>(inputs());
    const sim::Memory copy = *original;
    original.reset();
    EXPECT_EQ(at(copy, 1, 10), value(2));
}

// Zeros that nobody wrote take no memory. They are bytes like all others.
TEST(Memory, WhatWasNeverWrittenIsZeroInEachCopy) {
    sim::Memory memory;
    trace::Buffer shape;
    shape.bytes = bytes;
    memory.allocate(shape);
    const sim::Memory unsealed = memory;
    memory.seal();
    sim::Memory one = memory, two = memory;
    write(one, 0, 5000, 7);
    write(memory, 0, 10, 3);
    sim::Memory third = one;
    write(one, 0, 5001, 8);
    memory.seal();
    const sim::Memory fourth = memory;
    EXPECT_EQ(at(one, 0, 5001), value(8));
    EXPECT_EQ(at(third, 0, 5000), value(7));
    EXPECT_EQ(at(third, 0, 5001), value(0));
    EXPECT_EQ(at(fourth, 0, 10), value(3));
    const sim::Memory& untouched = two;
    for (const sim::Memory* blank : {&unsealed, &untouched})
        for (const size_t offset : {size_t{0}, size_t{10}, size_t{5000}, bytes - 1})
            EXPECT_EQ(at(*blank, 0, offset), value(0));
}

} // namespace
