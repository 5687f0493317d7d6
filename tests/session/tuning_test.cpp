#include "session/tuning.h"

#include "catalog/catalog.h"
#include "compile/compiler.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace {

measure::Device h200() {
    measure::Device device;
    device.name = "NVIDIA H200";
    device.arch = "sm_90";
    device.multiprocessors = 132;
    return device;
}

const catalog::Kernel& kernel(const char* id) {
    static const catalog::Catalog all = catalog::load({SOURCE_DIR "/kernels"});
    return *all.find(id);
}

TEST(Tuning, FillCountsTheLastWaveAndTheEdges) {
    auto all = session::candidates(kernel("naive"), {1024, 1024, 64}, h200());
    ASSERT_TRUE(all) << all.error().sentence();
    for (const auto& candidate : *all) {
        const int bx = candidate.values.at("BX"), by = candidate.values.at("BY");
        const int blocks = (1024 / bx) * (1024 / by), busiest = (blocks + 131) / 132;
        EXPECT_DOUBLE_EQ(candidate.fill, 1024.0 * 1024 / (132.0 * busiest * bx * by));
    }
    auto edge = session::candidates(kernel("naive"), {1, 1, 64}, h200());
    ASSERT_TRUE(edge);
    EXPECT_LT(edge->front().fill, 0.01) << "one element for a whole block";
}

TEST(Tuning, TheBestProspectComesFirst) {
    auto all = session::candidates(kernel("register_tile"), {4096, 4096, 4096}, h200());
    ASSERT_TRUE(all) << all.error().sentence();
    EXPECT_GT(all->size(), 50u);
    EXPECT_TRUE(std::is_sorted(all->begin(), all->end(), session::is_more_promising));
    const auto& best = all->front().values;
    EXPECT_GE(best.at("TM") * best.at("TN"), 32) << "a thread that owns more loads less for an FMA";
    session::Candidate spills, other;
    spills.product_share = spills.fill = spills.hiding = 1;
    spills.spill_bytes = 4;
    other.product_share = 0.1, other.fill = other.hiding = 1;
    EXPECT_TRUE(session::is_more_promising(other, spills));
}

// How large their tiles are the launch does not tell: taken for one tile a block, they needed more registers than there are.
TEST(Tuning, BlocksThatWalkAlongCAreLookedAt) {
    const auto& persistent = kernel("tensor_bf16_persistent");
    auto all = session::candidates(persistent, {4096, 4096, 4096}, h200());
    ASSERT_TRUE(all) << all.error().sentence();
    EXPECT_EQ(all->size(), catalog::legal_settings(persistent, 1000)->size());
}

TEST(Tuning, WhatIsPredictedToBeFastComesFirst) {
    session::Candidate fast, slow, unknown;
    fast.predicted_ms = 1, slow.predicted_ms = 2;
    slow.product_share = slow.fill = slow.hiding = unknown.product_share = unknown.fill = unknown.hiding = 1;
    EXPECT_TRUE(session::is_more_promising(fast, slow));
    EXPECT_FALSE(session::is_more_promising(slow, fast));
    EXPECT_TRUE(session::is_more_promising(slow, unknown));
}

TEST(Tuning, CompilingReplacesTheGuesses) {
    if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    session::Subject subject;
    subject.kernel = "double_buffer";
    subject.problem = {4096, 4096, 4096};
    auto known = session::compiled(kernel("double_buffer"), subject, h200());
    ASSERT_TRUE(known) << known.error().sentence();
    EXPECT_TRUE(known->compiled);
    EXPECT_GT(known->registers, 64); // 8 x 8 elements of C alone
    EXPECT_EQ(known->spill_bytes, 0u);
    EXPECT_GT(known->shared_bytes, 2u * 8 * 128 * 4 * 2); // two buffers of A and B
    EXPECT_GT(known->product_share, 0.6);
    EXPECT_LT(known->product_share, 0.95);
    EXPECT_EQ(known->values.at("BM"), 128);
    EXPECT_NEAR(known->predicted_ms.value_or(0), 3.1, 0.5);
    auto device = h200();
    device.arch = "sm_1";
    EXPECT_FALSE(session::compiled(kernel("double_buffer"), subject, device));
    EXPECT_FALSE(session::candidates(kernel("double_buffer"), subject.problem, device));
}

} // namespace
