#include "session/setting_facts.h"

#include "fixture.h"

namespace {

session::Subject subject(const std::string& kernel, const catalog::Values& changed = {}) {
    session::Subject s;
    s.kernel = kernel;
    s.parameters = *catalog::with(*fixture::kernels().find(kernel), changed);
    return s;
}

base::Result<session::SettingFacts> facts(const session::Subject& s,
                                          const catalog::Problem& size = {4096, 4096, 4096}) {
    return session::setting_facts(*fixture::kernels().find(s.kernel), s, size, 132);
}

// 128 x 128 tiles of 4096 x 4096 are 1,024 blocks; two of 256 threads with 128 registers each fit on a multiprocessor.
TEST(SettingFacts, CountWavesAtTheSizeOfSpeeds) {
    const auto found = facts(subject("double_buffer"));
    ASSERT_TRUE(found) << found.error().sentence();
    EXPECT_EQ(found->threads, 256);
    EXPECT_EQ(found->occupancy.blocks, 65536 / (256 * ((found->registers + 7) / 8 * 8)));
    EXPECT_EQ(found->occupancy.limiter, analysis::Limiter::registers);
    EXPECT_EQ(found->blocks, 1024u);
    EXPECT_EQ(found->blocks_per_wave, 132u * static_cast<unsigned>(found->occupancy.blocks));
    EXPECT_EQ(found->waves(), (1024 + found->blocks_per_wave - 1) / found->blocks_per_wave);
    EXPECT_NEAR(found->last_wave(),
                (1024.0 - static_cast<double>((found->waves() - 1) * found->blocks_per_wave)) /
                    static_cast<double>(found->blocks_per_wave),
                1e-12);
    EXPECT_GT(found->product_share, 0.8);
    EXPECT_LE(found->product_share, 1);
    EXPECT_EQ(found->excessive_share, 0);
}

TEST(SettingFacts, SeeBankConflicts) {
    const auto with = facts(subject("register_tile")), without = facts(subject("conflict_free"));
    ASSERT_TRUE(with) << with.error().sentence();
    ASSERT_TRUE(without) << without.error().sentence();
    EXPECT_GT(with->excessive_share, without->excessive_share);
}

TEST(SettingFacts, AWholeLastWaveIsFull) {
    session::SettingFacts one;
    one.blocks = 528, one.blocks_per_wave = 264;
    EXPECT_EQ(one.waves(), 2u);
    EXPECT_EQ(one.last_wave(), 1);
    EXPECT_EQ(session::SettingFacts{}.waves(), 0u);
}

TEST(SettingFacts, WhatDoesNotCompileIsAnError) {
    auto wrong = subject("naive");
    wrong.arch = "sm_12345";
    EXPECT_FALSE(facts(wrong));
}

// Both settings that a view compares, one after the other.
TEST(SettingFacts, AreComputedForWhoAsks) {
    session::Session session(fixture::options());
    session.apply(fixture::small("naive"), {});
    session.wait();
    session::Commands commands;
    commands.facts = {{{"BX", 32}, {"BY", 8}}, {{"BX", 16}, {"BY", 8}}};
    commands.multiprocessors = 132;
    for (int i = 0; i < 2; ++i) {
        session.apply(session.view(), commands);
        session.wait();
    }
    for (const catalog::Values& values : commands.facts) {
        ASSERT_TRUE(session.facts(values));
        EXPECT_TRUE(session.facts(values)->ok());
        EXPECT_EQ((*session.facts(values))->threads, values.at("BX") * 8);
    }
    EXPECT_FALSE(session.facts({{"BX", 64}, {"BY", 8}})) << "nobody asked";
}

} // namespace
