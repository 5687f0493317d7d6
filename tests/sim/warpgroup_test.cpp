// Products of a warpgroup in every layout of shared memory, against integers; and what goes wrong with them.
#include "ptx/parser.h"
#include "sim/engine.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <functional>

namespace {

using trace::FindingKind;

constexpr uint32_t shared_bytes = 32768, b_at = 16384; // A's tile lies at 0, B's behind

struct Ran {
    std::vector<trace::Finding> findings;
    std::vector<float> d; // [thread][register]
};

// `body` has %t (thread), %da and %db (the descriptors), %f0 to %f127, %a0 to %a3 (the thread's first words
// of `image`), %p (false), %one (true); shared memory holds `image`. The first `registers` of %f are stored.
Ran run(const std::vector<uint32_t>& image, uint64_t da, uint64_t db, uint32_t registers, const std::string& body,
        uint32_t threads = 128) {
    std::string store;
    for (uint32_t r = 0; r < registers; ++r) store += fmt::format("st.global.f32 [%out+{}], %f{};\n", 4 * r, r);
    std::string text = fmt::format(R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 1024 .b8 room[{}];
.visible .entry k(.param .u64 image, .param .u64 out, .param .u64 da, .param .u64 db) {{
.reg .b32 %t, %s, %n, %v, %a<4>; .reg .b64 %g, %out, %w, %da, %db; .reg .pred %p, %one, %more; .reg .f32 %f<128>;
ld.param.u64 %g, [image]; ld.param.u64 %out, [out]; ld.param.u64 %da, [da]; ld.param.u64 %db, [db];
mov.u32 %t, %tid.x; mul.lo.u32 %n, %t, {}; mad.wide.u32 %out, %n, 4, %out; setp.ne.u32 %p, %t, %t; setp.eq.u32 %one, %t, %t;
mad.wide.u32 %w, %t, 16, %g; ld.global.v4.u32 {{%a0, %a1, %a2, %a3}}, [%w];
mov.u32 %s, room; mad.lo.u32 %s, %t, 4, %s; mad.wide.u32 %g, %t, 4, %g; mov.u32 %n, 0;
FILL: ld.global.u32 %v, [%g]; st.shared.u32 [%s], %v; add.u32 %s, %s, {}; add.u64 %g, %g, {}; add.u32 %n, %n, 1; setp.lt.u32 %more, %n, {}; @%more bra FILL;
fence.proxy.async.shared::cta; bar.sync 0;
)",
                                   shared_bytes, registers, 4 * threads, 4 * threads, shared_bytes / 4 / threads);
    auto module = ptx::parse(text + body + "\n" + store + "ret;\n}\n");
    EXPECT_TRUE(module.ok());
    for (const ptx::Unknown& u : module->unknown) ADD_FAILURE() << u.why.english() << ": " << u.text;
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    EXPECT_TRUE(program.ok());
    sim::Memory memory;
    const uint64_t from = memory.allocate({.name = "image",
                                           .bytes = shared_bytes,
                                           .element = base::NumberType::f32,
                                           .rows = 1,
                                           .columns = shared_bytes / 4});
    const uint64_t to = memory.allocate({.name = "out",
                                         .bytes = threads * registers * 4,
                                         .element = base::NumberType::f32,
                                         .rows = threads,
                                         .columns = registers});
    std::memcpy(memory.bytes(from).data(), image.data(), shared_bytes);
    sim::Launch launch{.grid = {1, 1, 1},
                       .block = {threads, 1, 1},
                       .dynamic_shared_bytes = 0,
                       .parameters = std::vector<std::byte>(32)};
    const uint64_t parameters[] = {from, to, da, db};
    std::memcpy(launch.parameters.data(), parameters, 32);
    auto outcome = sim::run(**program, launch, memory, {});
    EXPECT_TRUE(outcome.ok());
    Ran r{std::move(outcome->findings), std::vector<float>(threads * registers)};
    std::memcpy(r.d.data(), memory.bytes(to).data(), r.d.size() * 4);
    return r;
}

enum Type { tf32, f16, bf16 };
const char* const names[] = {"tf32", "f16", "bf16"};

struct Layout {  // of one operand
    int swizzle; // bytes
    bool transposed;
};
struct Case {
    Type type;
    uint32_t n;
    Layout a, b;
    bool in_registers = false;
};

uint32_t bytes_of(Type t) { return t == tf32 ? 4 : 2; }
uint32_t depth_of(Type t) { return 32 / bytes_of(t); } // of one product

// Small integers, exact in every type.
int value(uint32_t matrix, uint32_t i, uint32_t k) {
    return static_cast<int>((i * 7 + k * 13 + matrix * 5 + i * k) % 17) - 8;
}

uint32_t bits(Type type, int v) {
    const auto single = std::bit_cast<uint32_t>(static_cast<float>(v));
    if (type == tf32) return single;
    if (type == bf16) return single >> 16;
    const uint32_t magnitude = single & 0x7FFFFFFF;
    return (single >> 16 & 0x8000) | (magnitude ? (magnitude >> 13) - (112 << 10) : 0);
}

// As copies of boxes leave a tile of `rows` x `depth` elements there, a row or a column being as long as the
// swizzle; without one, pieces of 8 x 16 bytes, each in one piece, one after the other along M or N and then
// along K.
struct Tile {
    Layout layout;
    Type type;
    uint32_t rows, depth;

    uint32_t wide() const { return static_cast<uint32_t>(layout.swizzle); }
    uint64_t offset(uint32_t i, uint32_t k) const {
        const uint32_t e = bytes_of(type), each = 16 / e;
        if (wide() == 0)
            return layout.transposed ? i / each * 128 + k / 8 * (rows / each) * 128 + k % 8 * 16 + i % each * e
                                     : i / 8 * 128 + k / each * (rows / 8) * 128 + i % 8 * 16 + k % each * e;
        const uint64_t at = layout.transposed ? i * e / wide() * depth * wide() + k * wide() + i * e % wide()
                                              : uint64_t{i} * wide() + k * e;
        const uint64_t line = at / 128, piece = at / 16 % 8;
        return line * 128 + (piece ^ line % (wide() / 16)) * 16 + at % 16;
    }
    uint64_t descriptor(uint64_t start) const {
        const uint64_t each = 16 / bytes_of(type);
        uint64_t leading = 0, stride = 0, mode = wide() == 128 ? 1 : wide() == 64 ? 2 : wide() == 32 ? 3 : 0;
        if (wide() == 0 && !layout.transposed) leading = rows / 8 * 128, stride = 128;
        if (wide() == 0 && layout.transposed) leading = rows / each * 128, stride = 128;
        if (wide() != 0 && !layout.transposed) stride = 8 * wide();
        if (wide() != 0 && layout.transposed) leading = uint64_t{depth} * wide(), stride = 8 * wide();
        return start / 16 | leading / 16 << 16 | stride / 16 << 32 | mode << 62;
    }
    // From one product to the next along K.
    uint64_t step() const {
        const uint64_t each = 16 / bytes_of(type);
        if (!layout.transposed) return wide() ? 32 : 2 * (rows / 8) * 128;
        return wide() ? depth_of(type) * wide() : 2 * (rows / each) * 128;
    }
};

std::string mma(const Case& c, const std::string& a, const char* adds, const char* signs = "1, 1") {
    std::string d;
    for (uint32_t r = 0; r < c.n / 2; ++r) d += fmt::format("{}%f{}", r ? ", " : "", r);
    const std::string transposed = c.type == tf32   ? ""
                                   : c.in_registers ? fmt::format(", {:d}", c.b.transposed)
                                                    : fmt::format(", {:d}, {:d}", c.a.transposed, c.b.transposed);
    return fmt::format("wgmma.mma_async.sync.aligned.m64n{}k{}.f32.{}.{} {{{}}}, {}, %db, {}, {}{};\n", c.n,
                       depth_of(c.type), names[c.type], names[c.type], d, a, adds, signs, transposed);
}

const std::string finished = "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";

uint32_t row_of(uint32_t thread, uint32_t r) { return thread / 32 * 16 + thread % 32 / 4 + r / 2 % 2 * 8; }
uint32_t column_of(uint32_t thread, uint32_t r) { return r / 4 * 8 + thread % 4 * 2 + r % 2; }

std::vector<uint32_t> image_of(const Case& c, const Tile& a, const Tile& b) {
    std::vector<uint32_t> image(shared_bytes / 4, 0x7FC07FC0); // NaN in every type
    auto* bytes = reinterpret_cast<std::byte*>(image.data());
    const auto fill = [&](const Tile& tile, uint64_t at, uint32_t matrix) {
        for (uint32_t i = 0; i < tile.rows; ++i)
            for (uint32_t k = 0; k < tile.depth; ++k) {
                const uint32_t v = bits(c.type, value(matrix, i, k));
                std::memcpy(bytes + at + tile.offset(i, k), &v, bytes_of(c.type));
            }
    };
    fill(a, 0, 0);
    fill(b, b_at, 1);
    return image;
}

// As deep as a swizzle along K is long; across K two products.
Tile tile_of(const Case& c, const Layout& layout, uint32_t rows) {
    const bool long_rows = !layout.transposed && layout.swizzle != 0;
    return {layout, c.type, rows,
            long_rows ? static_cast<uint32_t>(layout.swizzle) / bytes_of(c.type) : 2 * depth_of(c.type)};
}

class Warpgroup : public testing::TestWithParam<Case> {};

TEST_P(Warpgroup, MultipliesTiles) {
    const Case& c = GetParam();
    const Tile a = tile_of(c, c.a, 64), b = tile_of(c, c.b, c.n);
    const uint32_t products = std::min(a.depth, b.depth) / depth_of(c.type), depth = products * depth_of(c.type);
    std::string body = "wgmma.fence.sync.aligned;\n";
    for (uint32_t n = 0; n < products; ++n)
        body += mma(c, "%da", n == 0 ? "%p" : "%one") +
                fmt::format("add.u64 %da, %da, {}; add.u64 %db, %db, {};\n", a.step() / 16, b.step() / 16);
    const Ran r = run(image_of(c, a, b), a.descriptor(0), b.descriptor(b_at), c.n / 2, body + finished);
    for (const trace::Finding& f : r.findings) ADD_FAILURE() << trace::name(f.kind) << ": " << f.text.english();
    size_t wrong = 0;
    for (uint32_t thread = 0; thread < 128; ++thread)
        for (uint32_t reg = 0; reg < c.n / 2; ++reg) {
            int expected = 0;
            for (uint32_t k = 0; k < depth; ++k)
                expected += value(0, row_of(thread, reg), k) * value(1, column_of(thread, reg), k);
            wrong += r.d[thread * (c.n / 2) + reg] != static_cast<float>(expected);
        }
    EXPECT_EQ(wrong, 0u);
}

INSTANTIATE_TEST_SUITE_P(
    Layouts, Warpgroup,
    testing::Values(Case{tf32, 8, {0, false}, {0, false}}, Case{tf32, 32, {32, false}, {32, false}},
                    Case{tf32, 24, {64, false}, {64, false}}, Case{tf32, 64, {128, false}, {128, false}},
                    Case{tf32, 128, {128, false}, {32, false}}, Case{bf16, 256, {128, false}, {32, false}},
                    Case{bf16, 64, {0, false}, {0, true}}, Case{bf16, 64, {0, true}, {0, false}},
                    Case{bf16, 64, {32, true}, {32, true}}, Case{f16, 64, {64, true}, {64, true}},
                    Case{f16, 128, {128, true}, {128, true}}, Case{f16, 64, {128, false}, {128, true}},
                    Case{bf16, 16, {64, false}, {32, true}}));

const Case small{bf16, 16, {128, false}, {128, false}};
const Tile small_a = tile_of(small, small.a, 64), small_b = tile_of(small, small.b, 16);

Ran run_small(const std::string& body, const Case& c = small, uint32_t threads = 128) {
    return run(image_of(c, small_a, small_b), small_a.descriptor(0), small_b.descriptor(b_at), 8, body, threads);
}

TEST(WarpgroupProduct, SignsAndSums) {
    std::string body;
    for (int r = 0; r < 8; ++r) body += fmt::format("mov.f32 %f{}, 0f42C80000;\n", r); // 100
    const Ran r = run_small(body + "wgmma.fence.sync.aligned;\n" + mma(small, "%da", "%one", "-1, 1") + finished);
    EXPECT_TRUE(r.findings.empty());
    for (uint32_t thread = 0; thread < 128; ++thread)
        for (uint32_t reg = 0; reg < 8; ++reg) {
            int sum = 100;
            for (uint32_t k = 0; k < 16; ++k)
                sum -= value(0, row_of(thread, reg), k) * value(1, column_of(thread, reg), k);
            ASSERT_EQ(r.d[thread * 8 + reg], static_cast<float>(sum)) << thread << " " << reg;
        }
}

// Of 16-bit types a register holds columns 2n and 2n + 1 of rows l / 4 and l / 4 + 8, and then the same eight
// columns on.
TEST(WarpgroupProduct, TakesAFromRegisters) {
    Case c = small;
    c.in_registers = true;
    auto image = image_of(c, small_a, small_b);
    const Ran r = run(image, 0, small_b.descriptor(b_at), 8,
                      "wgmma.fence.sync.aligned;\n" + mma(c, "{%a0, %a1, %a2, %a3}", "%p") + finished);
    for (const trace::Finding& f : r.findings) ADD_FAILURE() << f.text.english();
    const auto element = [&](uint32_t row, uint32_t k) {
        const uint32_t thread = row / 16 * 32 + row % 8 * 4 + k % 8 / 2, reg = row / 8 % 2 + k / 8 * 2;
        const uint32_t half = image[thread * 4 + reg] >> (k % 2 * 16) & 0xFFFF;
        return std::bit_cast<float>(half << 16);
    };
    for (uint32_t thread = 0; thread < 128; ++thread)
        for (uint32_t reg = 0; reg < 8; ++reg) {
            float sum = 0;
            for (uint32_t k = 0; k < 16; ++k)
                sum += element(row_of(thread, reg), k) * static_cast<float>(value(1, column_of(thread, reg), k));
            ASSERT_EQ(r.d[thread * 8 + reg], sum) << thread << " " << reg;
        }
}

int count(const Ran& r, FindingKind kind, const char* text) {
    int n = 0;
    for (const trace::Finding& f : r.findings)
        n += f.kind == kind && f.text.english().find(text) != std::string::npos && f.pc >= 0;
    return n;
}

TEST(WarpgroupProduct, IsWaitedFor) {
    const std::string begun =
        "wgmma.fence.sync.aligned;\n" + mma(small, "%da", "%p") + "wgmma.commit_group.sync.aligned;\n";
    EXPECT_GE(count(run_small(begun), FindingKind::unwaited_async_copy, "reads %f0 before the wait"), 1);
    EXPECT_GE(count(run_small(begun + "wgmma.wait_group.sync.aligned 1;\n"), FindingKind::unwaited_async_copy,
                    "reads %f0 before the wait"),
              1);
    EXPECT_GE(count(run_small(begun + "mov.f32 %f3, 0f00000000;\nwgmma.wait_group.sync.aligned 0;\n"),
                    FindingKind::unwaited_async_copy, "writes %f3 before the wait"),
              1);
    EXPECT_GE(count(run_small(begun + "exit;\n"), FindingKind::unwaited_async_copy, "exits without having waited"), 1);
    EXPECT_TRUE(run_small(begun + "wgmma.wait_group.sync.aligned 0;\n").findings.empty());
}

// The tile is filled anew while the product may still read it.
TEST(WarpgroupProduct, ReadsSharedMemoryUntilTheWait) {
    const std::string begun =
        "wgmma.fence.sync.aligned;\n" + mma(small, "%da", "%p") + "wgmma.commit_group.sync.aligned;\n";
    const std::string refill = "mov.u32 %s, room; mad.lo.u32 %s, %t, 4, %s; st.shared.u32 [%s], 0;\n",
                      wait = "wgmma.wait_group.sync.aligned 0;\n";
    EXPECT_GE(count(run_small(begun + refill + wait), FindingKind::shared_race, ""), 1);
    EXPECT_GE(count(run_small(begun + "bar.sync 0;\n" + refill + wait), FindingKind::unfinished_read,
                    "wait for the product before the "),
              1);
    EXPECT_TRUE(run_small(begun + wait + "bar.sync 0;\n" + refill).findings.empty());
}

TEST(WarpgroupProduct, WrongFormsAreFindings) {
    const auto said = [](const std::string& from, const std::string& to) {
        std::string text = mma(small, "%da", "%p");
        text.replace(text.find(from), from.size(), to);
        return run_small("wgmma.fence.sync.aligned;\n" + text + finished);
    };
    EXPECT_EQ(count(said("m64n16k16", "m64n12k16"), FindingKind::unsupported, "no such shape"), 1);
    EXPECT_EQ(count(said("m64n16k16", "m64n16k8"), FindingKind::unsupported, "no such shape"), 1);
    EXPECT_EQ(count(said("bf16.bf16", "bf16.f16"), FindingKind::unsupported, "one type"), 1);
    EXPECT_EQ(count(said("1, 1, 0, 0", "1, 1, 0"), FindingKind::unsupported, "one transposition for each"), 1);
    EXPECT_EQ(count(said("1, 1, 0, 0", "2, 1, 0, 0"), FindingKind::unsupported, "1 or -1"), 1);
    EXPECT_EQ(count(run_small("add.u64 %db, %db, 2000;\n" + mma(small, "%da", "%p") + finished),
                    FindingKind::out_of_bounds, ""),
              1);
    EXPECT_EQ(count(run_small("or.b64 %db, %db, 0x2000000000000;\n" + mma(small, "%da", "%p") + finished),
                    FindingKind::unsupported, "base offset"),
              1);
    EXPECT_GE(
        count(run_small(mma(small, "%da", "%p") + finished, small, 64), FindingKind::divergent_barrier, "four warps"),
        1);
    EXPECT_GE(count(run_small("setp.lt.u32 %more, %t, 7;\n@%more " + mma(small, "%da", "%p") + finished),
                    FindingKind::divergent_barrier, "all 32 lanes"),
              1);
}

} // namespace
