// Matrix products as NVRTC compiles them (tests/data/ptx/sgemm): right, without findings, and the same bits with the
// handlers of every processor.
#include "ptx/parser.h"
#include "sim/engine.h"
#include "sim/program/program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <sstream>

namespace {

struct Kernel {
    const char* file;
    base::Dim3 block;
    uint32_t rows, columns; // of C, per block
};
struct Size {
    int m, n, k;
};

std::shared_ptr<const ptx::Module> module_of(const char* file) {
    std::ifstream in(std::string(TEST_DATA) + "/ptx/sgemm/" + file + ".ptx");
    std::stringstream text;
    text << in.rdbuf();
    auto parsed = ptx::parse(text.str());
    EXPECT_TRUE(parsed.ok());
    EXPECT_TRUE(parsed->unknown.empty());
    return std::make_shared<ptx::Module>(std::move(*parsed));
}

class Sgemm : public testing::TestWithParam<std::tuple<Kernel, Size>> {
protected:
    static constexpr float alpha_ = 1.5f, beta_ = -0.5f;
    Kernel kernel_ = std::get<0>(GetParam());
    Size size_ = std::get<1>(GetParam());

    sim::Outcome multiply(const sim::Program& program, std::vector<float>& c, sim::Options options = {}) {
        sim::Memory memory;
        const auto [m, n, k] = size_;
        const uint64_t at[3] = {allocate(memory, "A", m, k), allocate(memory, "B", k, n), allocate(memory, "C", m, n)};
        sim::Launch launch{
            .grid = {(n + kernel_.columns - 1) / kernel_.columns, (m + kernel_.rows - 1) / kernel_.rows, 1},
            .block = kernel_.block,
            .dynamic_shared_bytes = 0,
            .parameters = std::vector<std::byte>(64)};
        const auto put = [&](size_t number, auto value) {
            std::memcpy(launch.parameters.data() + sim::parameters(program)[number].offset, &value, sizeof value);
        };
        put(0, m), put(1, n), put(2, k), put(3, alpha_), put(4, at[0]), put(5, at[1]), put(6, beta_), put(7, at[2]);
        auto outcome = sim::run(program, launch, memory, options);
        EXPECT_TRUE(outcome.ok());
        const auto bytes = memory.bytes(at[2]);
        c.resize(bytes.size() / 4);
        std::memcpy(c.data(), bytes.data(), bytes.size());
        return std::move(*outcome);
    }
    static float input(const std::string& name, size_t i) {
        return static_cast<float>((i * 2654435761u + static_cast<unsigned char>(name[0]) * 97u) % 2001u) / 1000.f - 1.f;
    }

private:
    static uint64_t allocate(sim::Memory& memory, const char* name, int rows, int columns) {
        const auto r = static_cast<uint64_t>(rows), c = static_cast<uint64_t>(columns);
        const uint64_t at = memory.allocate(
            {.name = name, .bytes = r * c * 4, .element = base::NumberType::f32, .rows = r, .columns = c});
        for (size_t i = 0; i < r * c; ++i) {
            const float v = input(name, i);
            std::memcpy(memory.bytes(at).data() + i * 4, &v, 4);
        }
        return at;
    }
};

TEST_P(Sgemm, IsRightOnEveryProcessor) {
    const auto module = module_of(kernel_.file);
    std::vector<float> first;
    for (const sim::Lanes& lanes : sim::supported_lanes()) {
        auto program = sim::decode(module, "", sim::Rows::reused, lanes);
        ASSERT_TRUE(program.ok());
        std::vector<float> c;
        const sim::Outcome outcome = multiply(**program, c);
        for (const trace::Finding& f : outcome.findings)
            ADD_FAILURE() << trace::name(f.kind) << " line " << f.source_line << ": " << f.text.english();
        const auto [m, n, k] = size_;
        for (int i = 0; i < m; ++i)
            for (int j = 0; j < n; ++j) {
                double sum = 0;
                for (int x = 0; x < k; ++x)
                    sum += static_cast<double>(input("A", static_cast<size_t>(i * k + x))) *
                           input("B", static_cast<size_t>(x * n + j));
                const auto at = static_cast<size_t>(i * n + j);
                ASSERT_LE(std::abs(alpha_ * sum + beta_ * input("C", at) - c[at]), 1e-4)
                    << lanes.name << " at " << i << ", " << j;
            }
        if (first.empty()) first = c;
        EXPECT_EQ(std::memcmp(first.data(), c.data(), c.size() * 4), 0) << lanes.name << " gives other bits";
    }
}

TEST_P(Sgemm, ThreadsRowReuseAndTheOrderOfWarpsChangeNothing) {
    const auto module = module_of(kernel_.file);
    auto reused = sim::decode(module, "", sim::Rows::reused), kept = sim::decode(module, "", sim::Rows::own);
    ASSERT_TRUE(reused.ok() && kept.ok());
    EXPECT_LT((*reused)->register_bytes, (*kept)->register_bytes);
    std::vector<float> one, two, other, first, shuffled;
    sim::Options threads;
    threads.threads = 2;
    const auto a = multiply(**reused, one), b = multiply(**reused, two, threads), c = multiply(**kept, other);
    EXPECT_EQ(one, two);
    EXPECT_EQ(one, other);
    EXPECT_EQ(a.thread_instructions, b.thread_instructions);
    EXPECT_EQ(a.warp_instructions, c.warp_instructions);
    sim::Options schedule;
    schedule.schedule = {trace::Schedule::Kind::warp_first, 2};
    const auto d = multiply(**reused, first, schedule);
    schedule.schedule = {trace::Schedule::Kind::shuffled, 7};
    const auto e = multiply(**reused, shuffled, schedule);
    EXPECT_EQ(one, first);
    EXPECT_EQ(one, shuffled);
    EXPECT_EQ(a.thread_instructions, d.thread_instructions);
    EXPECT_EQ(a.thread_instructions, e.thread_instructions);
    EXPECT_TRUE(d.findings.empty() && e.findings.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Kernels, Sgemm,
    testing::Combine(testing::Values(Kernel{"naive", {32, 8, 1}, 8, 32}, Kernel{"shared_tile", {16, 16, 1}, 16, 16},
                                     Kernel{"register_tile", {128, 1, 1}, 32, 64},
                                     Kernel{"double_buffer", {128, 1, 1}, 32, 64}),
                     testing::Values(Size{64, 64, 64}, Size{100, 37, 65}, Size{1, 1, 1}, Size{33, 70, 19})),
    [](const auto& each) {
        return std::string(std::get<0>(each.param).file) + "_" + std::to_string(std::get<1>(each.param).m);
    });

} // namespace
