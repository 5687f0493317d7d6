// PTX by somebody who means harm, tests/data/hostile/*.ptx: each reached memory that is not the engine's. The fuzzers have them as seeds.
#include "base/file.h"
#include "ptx/parser.h"
#include "sim/engine.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>

namespace {

using trace::FindingKind;

struct Case {
    std::string text;
    base::Dim3 grid{2, 1, 1}, block{33, 1, 1}; // an odd number of threads: their local memory ends within 16 bytes
};

std::string text_of(const std::string& name) {
    const auto text = base::read_file(std::string(TEST_DATA) + "/hostile/" + name + ".ptx");
    EXPECT_TRUE(text.ok()) << name;
    return text ? *text : "";
}

std::shared_ptr<const sim::Program> prepared(const std::string& text) {
    auto module = ptx::parse(text);
    EXPECT_TRUE(module.ok());
    auto program = sim::prepare(std::make_shared<const ptx::Module>(std::move(*module)), "");
    EXPECT_TRUE(program.ok()) << (program ? "" : program.error().sentence());
    return program ? *program : nullptr;
}

base::Result<sim::Outcome> run(const Case& c, const sim::Options& options = {}) {
    const auto program = prepared(c.text);
    sim::Memory memory;
    const uint64_t out = memory.allocate(
        {.name = "out", .bytes = 16 << 10, .element = base::NumberType::u32, .rows = 1, .columns = 4096});
    sim::Launch launch{
        .grid = c.grid, .block = c.block, .dynamic_shared_bytes = 0, .parameters = std::vector<std::byte>(8)};
    std::memcpy(launch.parameters.data(), &out, sizeof out);
    return sim::run(*program, launch, memory, options);
}

// What is said of the file, which is one thing.
std::string finding(const std::string& name, FindingKind kind) {
    const auto outcome = run({text_of(name)});
    EXPECT_TRUE(outcome.ok());
    if (!outcome || outcome->findings.size() != 1) {
        if (outcome)
            for (const trace::Finding& f : outcome->findings) ADD_FAILURE() << name << ": " << f.text.english();
        return {};
    }
    EXPECT_EQ(outcome->findings[0].kind, kind);
    return outcome->findings[0].text.english();
}

// kernel k, whose parameter p is a pointer
std::string kernel(const std::string& body, const std::string& before = "", const std::string& directives = "") {
    return ".version 8.0\n.target sm_90\n.address_size 64\n" + before + "\n.visible .entry k(.param .u64 p) " +
           directives + " {\n" + body + "\n}\n";
}

TEST(Hostile, ALoadBeforeTheFirstParameterIsRefused) {
    EXPECT_EQ(finding("parameter_before_the_first", FindingKind::unsupported),
              "the load of 8 bytes at offset -8 lies outside the kernel's 8 bytes of parameters");
    for (const char* address : {"[p+-1]", "[p+1]", "[p+8]", "[p+4294967288]", "[p+-9223372036854775808]",
                                "[p+9223372036854775807]", "[p+18446744073709551608]"}) {
        const auto outcome = run({kernel(std::string(".reg .b64 %a; ld.param.u64 %a, ") + address + "; ret;")});
        ASSERT_TRUE(outcome.ok());
        ASSERT_EQ(outcome->findings.size(), 1u) << address;
        EXPECT_EQ(outcome->findings[0].kind, FindingKind::unsupported) << address;
    }
    const auto vector = run({kernel(".reg .b32 %a, %b, %c, %d; ld.param.v4.u32 {%a, %b, %c, %d}, [p+-16]; ret;")});
    ASSERT_TRUE(vector.ok());
    EXPECT_EQ(vector->findings.size(), 1u);
    const auto inside = run({kernel(".reg .b32 %a; ld.param.u32 %a, [p+4]; ret;")});
    ASSERT_TRUE(inside.ok());
    EXPECT_TRUE(inside->findings.empty());
}

TEST(Hostile, WhatTheRuntimesFunctionsReadAndWriteMustBeThere) {
    EXPECT_EQ(finding("print_without_a_result", FindingKind::unsupported),
              "the result of vprintf has 0 bytes, and the function writes 4");
    EXPECT_EQ(finding("print_with_a_short_format", FindingKind::unsupported),
              "argument 1 of vprintf has 0 bytes, and the function reads 8");
    EXPECT_EQ(finding("assert_with_short_arguments", FindingKind::unsupported),
              "argument 1 of __assertfail has 0 bytes, and the function reads 8");
}

TEST(Hostile, ACopyOfNothingTouchesNothing) {
    const auto outcome = run({text_of("bulk_copy_of_nothing")});
    ASSERT_TRUE(outcome.ok());
}

TEST(Hostile, AnAsynchronousCopyTouchesOnlyWhatItReads) {
    const auto outcome = run({text_of("async_copy_at_the_end"), {2, 1, 1}, {1, 1, 1}});
    ASSERT_TRUE(outcome.ok());
    for (const trace::Finding& f : outcome->findings) EXPECT_NE(f.kind, FindingKind::out_of_bounds) << f.text.english();
}

// Local memory whose alignment alone leads beyond what a thread has.
TEST(Hostile, LocalMemoryIsBoundedWithItsAlignment) {
    const auto module = ptx::parse(kernel(
        ".reg .b32 %a; .local .b8 x[8]; .local .align 1048576 .b8 y[0]; mov.u32 %a, 0; st.local.u32 [x], %a; st.local.u32 [y], %a; ret;"));
    ASSERT_TRUE(module.ok());
    const auto program = sim::prepare(std::make_shared<const ptx::Module>(*module), "");
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(program.error().what.english(), "the kernel needs more than 512 KB of local memory a thread");
}

// 4 GB for each of 16 threads of this machine.
TEST(Hostile, WhatOneThreadNeedsIsSummedBeforeItIsTaken) {
    sim::Options options;
    options.threads = 16;
    options.memory_bytes = uint64_t{3} << 30;
    const auto outcome = run({text_of("local_of_a_cluster"), {64, 1, 1}, {1024, 1, 1}}, options);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(
        outcome.error().what.english(),
        "executing one cluster of 8 blocks takes 4 GiB of memory, mostly for 524288 bytes of local memory a thread, and this machine has 3 GiB left");
    EXPECT_EQ(outcome.error().todo.english(), "use less local memory, or fewer threads in a block");
}

// An observer is made for each thread that runs.
TEST(Hostile, ThreadsAreAsManyAsFindRoom) {
    const Case c{kernel(".local .b8 x[65536]; .reg .b32 %a; mov.u32 %a, 0; st.local.u32 [x], %a; ret;"),
                 {64, 1, 1},
                 {128, 1, 1}}; // 8 MB a block
    const auto threads = [&](uint64_t mebibytes) {
        int observers = 0;
        sim::Options options;
        options.threads = 8;
        options.memory_bytes = mebibytes << 20;
        options.observer = [&]() -> trace::Observer* {
            ++observers;
            return nullptr;
        };
        EXPECT_TRUE(run(c, options).ok()) << mebibytes;
        return observers;
    };
    EXPECT_EQ(threads(4096), 8);
    const int some = threads(40);
    EXPECT_GT(some, 1);
    EXPECT_LT(some, 5);
    EXPECT_EQ(threads(16), 1);
}

// The trace and what finds races give way first, and say so.
TEST(Hostile, ATraceForWhichThereIsNoRoomEndsEarly) {
    std::string body =
        ".reg .b32 %a, %i; .reg .b64 %o; .reg .pred %p; ld.param.u64 %o, [p]; mov.u32 %i, 0;\nagain: st.global.u32 [%o], %i; add.u32 %i, %i, 1; setp.lt.u32 %p, %i, 20000; @%p bra again; ret;";
    const auto truncated = [&](uint64_t mebibytes) {
        sim::Options options;
        options.traced_block = base::Dim3{0, 0, 0};
        options.memory_bytes = mebibytes << 20;
        const auto outcome = run({kernel(body), {1, 1, 1}, {32, 1, 1}}, options);
        EXPECT_TRUE(outcome.ok());
        return outcome && outcome->trace.truncated;
    };
    EXPECT_FALSE(truncated(1024));
    EXPECT_TRUE(truncated(16));
}

TEST(Hostile, GlobalMemoryThatCannotBeWatchedIsTold) {
    const Case c{
        kernel(
            ".reg .b32 %a; .reg .b64 %o, %t; ld.param.u64 %o, [p]; mov.u32 %a, %tid.x; mul.wide.u32 %t, %a, 256; add.u64 %o, %o, %t; st.global.u32 [%o], %a; ret;"),
        {2, 1, 1},
        {64, 1, 1}};
    sim::Options options;
    for (uint64_t kibibytes = 1024;; kibibytes += 16) { // to where one block finds room, and little beside it
        options.memory_bytes = kibibytes << 10;
        const auto outcome = run(c, options);
        if (!outcome) continue;
        EXPECT_TRUE(outcome->unwatched);
        break;
    }
    options.memory_bytes = uint64_t{1} << 30;
    const auto outcome = run(c, options);
    ASSERT_TRUE(outcome.ok());
    EXPECT_FALSE(outcome->unwatched);
}

// Sixty-four megabytes, a thousand times, from forty kilobytes of text.
TEST(Hostile, InitialValuesTakeAsMuchAsIsWritten) {
    std::string variables;
    for (int n = 0; n < 1000; ++n) variables += ".global .b8 a" + std::to_string(n) + "[67108864] = {0};\n";
    const auto module = ptx::parse(kernel("ret;", variables));
    ASSERT_TRUE(module.ok());
    ASSERT_EQ(module->variables.size(), 1001u);
    uint64_t bytes = 0;
    for (const ptx::Variable& v : module->variables) bytes += v.initial.capacity();
    EXPECT_LT(bytes, 64u << 10);
    const auto program = sim::prepare(std::make_shared<const ptx::Module>(*module), "");
    ASSERT_FALSE(program.ok());
    EXPECT_EQ(
        program.error().what.english(),
        "the file's variables take more than 1 GB, the most that the engine keeps: a15 in line 19 is one too many");
}

struct Throwing : trace::Observer {
    void access(uint32_t, const trace::Instruction&, const trace::Footprint&) override { throw std::bad_alloc(); }
};

// Memory runs out on a thread of the engine's, where nobody above could catch it.
TEST(Hostile, WhatAThreadThrowsIsAnError) {
    const Case c{
        kernel(".reg .b32 %a; .reg .b64 %o; ld.param.u64 %o, [p]; mov.u32 %a, 0; st.global.u32 [%o], %a; ret;"),
        {4096, 1, 1},
        {32, 1, 1}};
    Throwing observer;
    sim::Options options;
    options.threads = 4;
    options.observer = [&] { return &observer; };
    const auto outcome = run(c, options);
    ASSERT_FALSE(outcome.ok());
    EXPECT_EQ(outcome.error().sentence(), "memory ran out; choose a smaller size");
    int made = 0;
    options.observer = [&]() -> trace::Observer* {
        if (++made == 3) throw std::bad_alloc();
        return nullptr;
    };
    EXPECT_FALSE(run(c, options).ok());
}

// Blocks without instructions use no fuel, at whose end the token is looked at.
TEST(Hostile, AnEmptyBodyCanBeStopped) {
    std::stop_source stop;
    uint64_t blocks = 0;
    sim::Options options;
    options.stop = stop.get_token();
    options.progress = [&](uint64_t done) {
        blocks = done;
        stop.request_stop();
    };
    const auto outcome = run({kernel(""), {1 << 20, 1, 1}, {32, 1, 1}}, options);
    ASSERT_TRUE(outcome.ok());
    EXPECT_TRUE(outcome->stopped);
    EXPECT_EQ(blocks, 1u);
}

TEST(Hostile, AReplayCanBeStopped) {
    const auto program = prepared(kernel(".reg .pred %p; again: bra again;"));
    std::stop_source stop;
    stop.request_stop();
    const sim::Memory memory;
    const sim::Launch launch{
        .grid = {1, 1, 1}, .block = {32, 1, 1}, .dynamic_shared_bytes = 0, .parameters = std::vector<std::byte>(8)};
    const auto state = sim::state_at(*program, launch, memory, {0, 0, 0}, 1 << 30, {}, stop.get_token());
    ASSERT_FALSE(state.ok());
    EXPECT_EQ(state.error().what.english(), "stopped before it was done");
}

} // namespace
