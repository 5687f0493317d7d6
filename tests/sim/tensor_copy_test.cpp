// Copies of boxes of tensors against a loop over their elements, and what goes wrong with them.
#include "ptx/parser.h"
#include "sim/engine.h"
#include "trace/tensor_map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>

namespace {

using trace::FindingKind;
using Index = std::array<int64_t, 5>;

constexpr size_t room_bytes = 8192, tensor_bytes = 4096;

struct Ran {
    std::vector<trace::Finding> findings;
    std::vector<uint8_t> tensor, room; // afterwards; `room` as the kernel stored it
};

trace::TensorMap map_of(std::vector<uint64_t> size, std::vector<uint16_t> box, uint8_t element_bytes = 4,
                        uint8_t swizzle = 0) {
    trace::TensorMap map;
    map.dimensions = static_cast<uint8_t>(size.size());
    map.element_bytes = element_bytes;
    map.swizzle = swizzle;
    uint64_t stride = element_bytes;
    for (size_t d = 0; d < size.size(); ++d) {
        map.size[d] = size[d];
        map.box[d] = box[d];
        if (d > 0) map.stride[d - 1] = stride;
        stride = (stride * size[d] + 15) / 16 * 16;
    }
    return map;
}

// `body` has %t (thread), %q (of thread 0), %m (an mbarrier for one arrival), %s (`room`, 8 KB of shared
// memory that holds 0xEE), %a (the map), %p, %v. The tensor holds a count in its bytes; its address is filled
// in, and it begins with `words`. `room` is stored where the body ends.
Ran run(trace::TensorMap map, const std::string& body, const std::function<void(trace::TensorMap&)>& change = {},
        const std::vector<uint32_t>& words = {}) {
    auto module = ptx::parse(R"(.version 8.6
.target sm_90a
.address_size 64
.shared .align 8 .b64 bar;
.shared .align 1024 .b8 room[8192];
.visible .entry k(.param .u64 out, .param .align 64 .b8 map[128]) {
.reg .b32 %t, %m, %s, %v<8>, %n; .reg .b64 %a, %g, %x; .reg .pred %p, %q, %more;
mov.u32 %t, %tid.x; mov.u32 %m, bar; mov.u32 %s, room; setp.eq.u32 %q, %t, 0;
mov.b64 %a, map; cvta.param.u64 %a, %a;
mad.lo.u32 %v0, %t, 4, %s; mov.u32 %n, 0;
FILL: st.shared.u32 [%v0], 0xEEEEEEEE; add.u32 %v0, %v0, 128; add.u32 %n, %n, 1; setp.lt.u32 %more, %n, 64; @%more bra FILL;
@%q mbarrier.init.shared::cta.b64 [%m], 1; fence.proxy.async.shared::cta; bar.warp.sync -1;
)" + body + R"(
ld.param.u64 %g, [out]; mad.wide.u32 %g, %t, 4, %g; mad.lo.u32 %v0, %t, 4, %s; mov.u32 %n, 0;
COPY: ld.shared.u32 %v1, [%v0]; st.global.u32 [%g], %v1; add.u32 %v0, %v0, 128; add.u64 %g, %g, 128; add.u32 %n, %n, 1; setp.lt.u32 %more, %n, 64; @%more bra COPY;
ret;
})");
    EXPECT_TRUE(module.ok());
    for (const ptx::Unknown& u : module->unknown) ADD_FAILURE() << u.why.english() << ": " << u.text;
    auto program = sim::prepare(std::make_shared<ptx::Module>(std::move(*module)), "");
    EXPECT_TRUE(program.ok());
    sim::Memory memory;
    const uint64_t out = memory.allocate(
        {.name = "out", .bytes = room_bytes, .element = base::NumberType::f32, .rows = 1, .columns = room_bytes / 4});
    const uint64_t tensor = memory.allocate({.name = "tensor",
                                             .bytes = tensor_bytes,
                                             .element = base::NumberType::f32,
                                             .rows = 1,
                                             .columns = tensor_bytes / 4});
    for (size_t n = 0; n < tensor_bytes; ++n) memory.bytes(tensor)[n] = static_cast<std::byte>(n % 251);
    if (!words.empty()) std::memcpy(memory.bytes(tensor).data(), words.data(), words.size() * 4);
    map.address = tensor;
    if (change) change(map);
    sim::Launch launch{.grid = {1, 1, 1},
                       .block = {32, 1, 1},
                       .dynamic_shared_bytes = 0,
                       .parameters = std::vector<std::byte>(64 + sizeof map)};
    std::memcpy(launch.parameters.data(), &out, 8);
    std::memcpy(launch.parameters.data() + 64, &map, sizeof map);
    auto outcome = sim::run(**program, launch, memory, {});
    EXPECT_TRUE(outcome.ok());
    const auto bytes = [&](uint64_t at) {
        const auto all = memory.bytes(at);
        return std::vector<uint8_t>(reinterpret_cast<const uint8_t*>(all.data()),
                                    reinterpret_cast<const uint8_t*>(all.data()) + all.size());
    };
    return {std::move(outcome->findings), bytes(tensor), bytes(out)};
}

std::string indices(const trace::TensorMap& map, const std::array<int, 5>& at) {
    std::string text;
    for (size_t d = 0; d < map.dimensions; ++d) text += fmt::format("{}{}", d ? ", " : "", at[d]);
    return "{" + text + "}";
}

std::string load(const trace::TensorMap& map, const std::array<int, 5>& at) {
    return fmt::format(
        "@%q mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], {};\n"
        "@%q cp.async.bulk.tensor.{}d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%s], [%a, "
        "{}], [%m];\n"
        "W: mbarrier.try_wait.parity.shared::cta.b64 %p, [%m], 0; @!%p bra W;",
        map.box_bytes(), map.dimensions, indices(map, at));
}

std::string store(const trace::TensorMap& map, const std::array<int, 5>& at) {
    return fmt::format("@%q cp.async.bulk.tensor.{}d.global.shared::cta.bulk_group [%a, {}], [%s];\n@%q "
                       "cp.async.bulk.commit_group; @%q cp.async.bulk.wait_group 0;",
                       map.dimensions, indices(map, at));
}

// Where byte `at` of a box lies once it is swizzled: in each 128 bytes the pieces of 16 change places, as the
// number of the 128 bytes says. Written out from the tables of CUDA's programming guide.
size_t swizzled(size_t at, int bytes) {
    const size_t line = at / 128, piece = at / 16 % 8, within = at % 16;
    const size_t changed = bytes == 128  ? piece ^ line % 8
                           : bytes == 64 ? piece ^ line % 4
                           : bytes == 32 ? piece ^ line % 2
                                         : piece;
    return line * 128 + changed * 16 + within;
}

// Calls f(byte in the box, byte in the tensor; -1: outside) for every byte of the box.
void each_byte(const trace::TensorMap& map, const std::array<int, 5>& at,
               const std::function<void(size_t, int64_t)>& f) {
    for (size_t n = 0; n < map.box_bytes(); ++n) {
        size_t element = n / map.element_bytes;
        int64_t place = static_cast<int64_t>(n % map.element_bytes);
        bool inside = true;
        for (size_t d = 0; d < map.dimensions; ++d) {
            const int64_t index = at[d] + static_cast<int64_t>(element % map.box[d]);
            element /= map.box[d];
            inside &= index >= 0 && index < static_cast<int64_t>(map.size[d]);
            place += index * (d == 0 ? map.element_bytes : static_cast<int64_t>(map.stride[d - 1]));
        }
        f(n, inside ? place : -1);
    }
}

struct Box {
    trace::TensorMap map;
    std::array<int, 5> at;
};
std::string name_of(const testing::TestParamInfo<Box>& info) {
    return fmt::format("{}d_swizzle{}_bytes{}_number{}", info.param.map.dimensions, info.param.map.swizzle,
                       info.param.map.element_bytes, info.index);
}

class Boxes : public testing::TestWithParam<Box> {};

TEST_P(Boxes, ArriveAsTheirElements) {
    const auto& [map, at] = GetParam();
    const Ran r = run(map, load(map, at));
    for (const trace::Finding& f : r.findings) ADD_FAILURE() << f.text.english();
    size_t wrong = 0;
    each_byte(map, at, [&, &map = map](size_t in_box, int64_t in_tensor) {
        wrong += r.room[swizzled(in_box, map.swizzle)] != (in_tensor < 0 ? 0 : in_tensor % 251);
    });
    EXPECT_EQ(wrong, 0u);
    for (size_t n = (map.box_bytes() + 127) / 128 * 128; n < room_bytes; ++n)
        ASSERT_EQ(r.room[n], 0xEE) << "byte " << n << " is none of the box";
}

TEST_P(Boxes, LeaveWhatIsOutsideTheTensorAlone) {
    const auto& [map, at] = GetParam();
    const std::string numbered =
        "mad.lo.u32 %v0, %t, 4, %s; mov.u32 %n, 0;\nN: mad.lo.u32 %v1, %n, 77777, %t; mul.lo.u32 %v1, %v1, "
        "40503; st.shared.u32 [%v0], %v1; add.u32 %v0, %v0, "
        "128; add.u32 %n, %n, 1; setp.lt.u32 %p, %n, 64; @%p bra N; fence.proxy.async.shared::cta; "
        "bar.warp.sync -1;\n";
    const Ran r = run(map, numbered + store(map, at));
    for (const trace::Finding& f : r.findings) ADD_FAILURE() << f.text.english();
    std::vector<uint8_t> expected(tensor_bytes);
    for (size_t n = 0; n < tensor_bytes; ++n) expected[n] = static_cast<uint8_t>(n % 251);
    each_byte(map, at, [&, &map = map](size_t in_box, int64_t in_tensor) {
        if (in_tensor >= 0) expected[static_cast<size_t>(in_tensor)] = r.room[swizzled(in_box, map.swizzle)];
    });
    EXPECT_EQ(r.tensor, expected);
}

INSTANTIATE_TEST_SUITE_P(
    TensorCopy, Boxes,
    testing::Values(Box{map_of({100}, {32}), {8}}, Box{map_of({100}, {32}), {-4}}, Box{map_of({100}, {64}), {88}},
                    Box{map_of({20, 13}, {8, 8}), {4, 3}}, Box{map_of({20, 13}, {8, 8}), {16, 9}},
                    Box{map_of({20, 13}, {8, 8}), {-4, -2}}, Box{map_of({20, 13}, {8, 8}), {40, 2}},
                    Box{map_of({52, 13}, {8, 16}, 4, 32), {4, -3}}, Box{map_of({52, 13}, {16, 16}, 4, 64), {40, 3}},
                    Box{map_of({36, 20}, {32, 24}, 4, 128), {4, 1}}, Box{map_of({72, 20}, {64, 11}, 2, 128), {8, 5}},
                    Box{map_of({8, 6, 5}, {4, 3, 2}), {4, 4, 3}}, Box{map_of({8, 6, 5}, {8, 6, 5}, 4, 32), {0, -1, 1}},
                    Box{map_of({8, 3, 4, 3}, {4, 2, 3, 2}), {4, 2, 2, 2}},
                    Box{map_of({4, 3, 4, 3, 2}, {4, 2, 2, 2, 2}), {0, 1, 3, -1, 1}},
                    Box{map_of({64, 10}, {32, 4}, 1), {48, 2}}, Box{map_of({20, 13}, {4, 8}, 8), {2, 3}}),
    name_of);

// Eleven significant bits, by arithmetic in double.
uint32_t rounded_to_tf32(uint32_t bits) {
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) return 0x7FFFE000;
    if (std::isinf(value) || value == 0) return bits;
    const double unit = std::ldexp(1.0, std::max(std::ilogb(value), -126) - 10);
    return std::bit_cast<uint32_t>(static_cast<float>(std::nearbyint(value / unit) * unit)); // of two the even one
}

TEST(TensorCopy, FloatsAreRoundedToTf32OnTheirWay) {
    std::vector<uint32_t> words{0x3F800000, 0x3F800FFF, 0x3F801000, 0x3F801001, 0x3F803000, 0xBF803000, 0x3FFFF000,
                                0x7F7FEFFF, 0x7F7FF000, 0xFF7FFFFF, 0x7F800000, 0xFF800000, 0x7F800001, 0xFFC00000,
                                0x00000000, 0x80000000, 0x00000001, 0x00001000, 0x80001001, 0x007FFFFF};
    for (uint32_t n = 0; words.size() < 512; ++n) words.push_back(n * 2654435761u);
    auto map = map_of({512}, {256});
    map.to_tf32 = 1;
    const auto word = [](const std::vector<uint8_t>& bytes, size_t n) {
        uint32_t value = 0;
        std::memcpy(&value, bytes.data() + 4 * n, 4);
        return value;
    };
    for (const int first : {0, 256, 384}) {
        const Ran r = run(map, load(map, {first}), {}, words);
        EXPECT_TRUE(r.findings.empty());
        for (size_t n = 0; n < 256; ++n) {
            const size_t at = static_cast<size_t>(first) + n;
            const uint32_t expected = at < words.size() ? rounded_to_tf32(words[at]) : 0; // beside the tensor
            EXPECT_EQ(word(r.room, n), expected) << fmt::format("{:08x}", at < words.size() ? words[at] : 0);
        }
    }
    const Ran back = run(map, store(map, {0}), {}, words);
    EXPECT_EQ(word(back.tensor, 0), 0xEEEEEEEEu) << "the way back leaves them as they are";
}

int count(const Ran& r, FindingKind kind, const char* text) {
    int n = 0;
    for (const trace::Finding& f : r.findings)
        n += f.kind == kind && f.text.english().find(text) != std::string::npos && f.pc >= 0;
    return n;
}

const trace::TensorMap plain = map_of({20, 13}, {8, 8});

TEST(TensorCopy, NeedsAMap) {
    const auto with = [&](const std::function<void(trace::TensorMap&)>& change) {
        return run(plain, load(plain, {}), change);
    };
    EXPECT_EQ(count(with([](trace::TensorMap& m) { std::memset(static_cast<void*>(&m), 0, sizeof m); }),
                    FindingKind::out_of_bounds, "it is not a tensor map"),
              1);
    EXPECT_EQ(count(with([](trace::TensorMap& m) {
                        m.dimensions = 3;
                        m.size[2] = m.box[2] = 1;
                    }),
                    FindingKind::out_of_bounds, "its tensor has 3 dimensions"),
              1);
    EXPECT_EQ(
        count(with([](trace::TensorMap& m) { m.dimensions = 9; }), FindingKind::out_of_bounds, "1 to 5 dimensions"), 1);
    EXPECT_EQ(count(with([](trace::TensorMap& m) { m.box[1] = 300; }), FindingKind::out_of_bounds, "1 to 256 elements"),
              1);
    EXPECT_EQ(count(with([](trace::TensorMap& m) { m.stride[0] = 20; }), FindingKind::out_of_bounds, "multiple of 16"),
              1);
    EXPECT_EQ(count(with([](trace::TensorMap& m) {
                        m.element_bytes = 2;
                        m.to_tf32 = 1;
                    }),
                    FindingKind::out_of_bounds, "rounded to TF32 have 4 bytes, not 2"),
              1);
    EXPECT_EQ(count(with([](trace::TensorMap& m) { m.swizzle = 128; }), FindingKind::out_of_bounds,
                    "rows of as many, not 32"),
              1);
    EXPECT_GE(count(with([](trace::TensorMap& m) { m.address += 1 << 20; }), FindingKind::out_of_bounds, "tensor"), 1)
        << "of memory that is not there";
    EXPECT_EQ(
        count(run(plain, "@%q add.u64 %a, %a, 32;" + load(plain, {})), FindingKind::misaligned, "aligned to 64 bytes"),
        1);
    EXPECT_EQ(count(run(plain, "mov.b64 %a, 64;" + load(plain, {})), FindingKind::out_of_bounds, "nothing lies there"),
              1);
}

TEST(TensorCopy, BoxesLieInSharedMemoryAndAligned) {
    EXPECT_EQ(
        count(run(plain, load(plain, {-2, 3})), FindingKind::misaligned, "begins -8 bytes from the start of a row"), 1);
    EXPECT_EQ(count(run(plain, "add.u32 %s, %s, 64;" + load(plain, {}) + "sub.u32 %s, %s, 64;"),
                    FindingKind::misaligned, "not a multiple of 128"),
              1);
    EXPECT_EQ(count(run(plain, "add.u32 %s, %s, 8192;" + load(plain, {}) + "sub.u32 %s, %s, 8192;"),
                    FindingKind::out_of_bounds, ""),
              1);
}

TEST(TensorCopy, IsWaitedFor) {
    const std::string begun =
        "@%q mbarrier.arrive.expect_tx.shared::cta.b64 _, [%m], 256;\n"
        "@%q cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%a, {0, 0}], "
        "[%m];\n bar.warp.sync -1;";
    EXPECT_GE(count(run(plain, begun), FindingKind::unwaited_async_copy, "before the wait"), 1);
    EXPECT_EQ(count(run(plain, "@%q cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%a, {0, 0}], [%s];"),
                    FindingKind::unwaited_async_copy, "without having waited"),
              1);
    std::string too_many = load(plain, {});
    too_many.replace(too_many.find(", 256;"), 6, ", 260;");
    EXPECT_EQ(count(run(plain, too_many), FindingKind::mbarrier_misuse, "still needs 0 arrivals and 4 bytes"), 1);
}

TEST(TensorCopy, OneIndexForEachDimension) {
    std::string wrong = load(plain, {});
    wrong.replace(wrong.find("{0, 0}"), 6, "{0, 0, 0}");
    EXPECT_EQ(count(run(plain, wrong), FindingKind::unsupported, "one index for each dimension"), 1);
}

} // namespace
