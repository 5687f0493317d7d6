// What a block holds at a moment, without changing the memory that it started from.
#include "ptx/parser.h"
#include "sim/engine.h"
#include "sim/run/overlay.h"

#include <gtest/gtest.h>

#include <cstring>

namespace {

struct Launched {
    std::shared_ptr<const sim::Program> program;
    sim::Memory memory;
    sim::Launch launch;
    uint64_t out = 0;
};

// Adds one to every word of out, twice; out has 16 K words, and thread t of 64 starts at t * 256 words.
Launched launched() {
    auto module = ptx::parse(R"(.version 8.0
.target sm_90
.address_size 64
.shared .align 4 .b32 s[64];
.visible .entry k(.param .u64 p) {
.reg .b32 %t, %s, %a; .reg .b64 %out, %o;
ld.param.u64 %out, [p]; mov.u32 %t, %tid.x; mov.u32 %s, s; mad.lo.u32 %s, %t, 4, %s; mul.wide.u32 %o, %t, 1024; add.u64 %o, %o, %out;
ld.global.u32 %a, [%o]; add.u32 %a, %a, 1; st.global.u32 [%o], %a; st.shared.u32 [%s], %a;
ld.global.u32 %a, [%o]; add.u32 %a, %a, 1; st.global.u32 [%o], %a;
ret;
})");
    EXPECT_TRUE(module.ok() && module->unknown.empty());
    Launched s;
    s.program = *sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    s.out = s.memory.allocate(
        {.name = "C", .bytes = 64 * 1024, .element = base::NumberType::f32, .rows = 64, .columns = 256});
    s.launch = {
        .grid = {1, 1, 1}, .block = {64, 1, 1}, .dynamic_shared_bytes = 0, .parameters = std::vector<std::byte>(8)};
    std::memcpy(s.launch.parameters.data(), &s.out, 8);
    const uint32_t seven = 7;
    for (size_t i = 0; i < 16384; ++i) std::memcpy(s.memory.bytes(s.out).data() + i * 4, &seven, 4);
    return s;
}

uint64_t lane(const sim::BlockState& state, size_t warp, const std::string& name, size_t lane) {
    for (const sim::Row& r : state.registers[warp])
        if (r.name == name) return r.lanes[lane];
    ADD_FAILURE() << name << " is not there";
    return 0;
}

TEST(State, FollowsTheBlockAndLeavesMemoryAlone) {
    const Launched s = launched();
    const auto before = std::vector(s.memory.bytes(s.out).begin(), s.memory.bytes(s.out).end());
    for (const auto& [steps, expected] : {std::pair<uint64_t, uint64_t>{6, 0}, {7, 7}, {8, 8}, {11, 8}, {12, 9}}) {
        const auto state = sim::state_at(*s.program, s.launch, s.memory, {0, 0, 0}, steps);
        ASSERT_TRUE(state.ok());
        EXPECT_EQ(lane(*state, 0, "%a", 31), expected) << "after " << steps;
        EXPECT_EQ(lane(*state, 1, "%a", 31), 0u);
        EXPECT_EQ(state->shared_written[31 * 4], steps >= 10);
        EXPECT_FALSE(state->shared_written[32 * 4]);
    }
    EXPECT_TRUE(std::equal(before.begin(), before.end(), s.memory.bytes(s.out).begin()));
}

TEST(State, BeyondTheEndIsTheEnd) {
    const Launched s = launched();
    const auto state = sim::state_at(*s.program, s.launch, s.memory, {0, 0, 0}, 1 << 20);
    ASSERT_TRUE(state.ok());
    EXPECT_EQ(lane(*state, 1, "%a", 31), 9u);
}

TEST(Overlay, CopiesThePagesThatAreWritten) {
    std::vector<std::byte> original(10000, std::byte{1});
    sim::Overlay overlay(original);
    EXPECT_EQ(overlay.read(100, 9000), original.data() + 100);
    *overlay.own(5000, 1) = std::byte{2};
    EXPECT_EQ(original[5000], std::byte{1});
    EXPECT_EQ(*overlay.read(5000, 1), std::byte{2});
    EXPECT_EQ(*overlay.read(4999, 1), std::byte{1});
    EXPECT_EQ(overlay.read(100, 4), original.data() + 100);
    EXPECT_EQ(overlay.read(4090, 8), nullptr) << "lies in a copied and an original page";
    const std::byte* both = overlay.own(4090, 1000);
    EXPECT_EQ(both[0], std::byte{1});
    EXPECT_EQ(both[910], std::byte{2});
    *overlay.own(9999, 1) = std::byte{3};
    EXPECT_EQ(*overlay.read(9999, 1), std::byte{3});
}

} // namespace
