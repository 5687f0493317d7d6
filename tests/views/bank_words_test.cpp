#include "views/bank_words.h"

#include <gtest/gtest.h>

namespace {

trace::Addresses strided(uint64_t bytes) {
    trace::Addresses address{};
    for (size_t lane = 0; lane < address.size(); ++lane) address[lane] = lane * bytes;
    return address;
}

views::BankWords words_of(bool load, int bytes, uint32_t active, const trace::Addresses& address) {
    return views::bank_words(analysis::wavefronts({}, load, bytes, active, address), bytes, address);
}

int cells(const views::BankWords& words) {
    int count = 0;
    for (const views::BankRow& row : words.rows)
        for (const views::WordBox& box : row.boxes) count += box.words;
    return count;
}

TEST(BankWords, ContiguousWordsAreOneRowOfSingleLanes) {
    const auto words = words_of(true, 4, ~0u, strided(4));
    ASSERT_EQ(words.rows.size(), 1u);
    ASSERT_EQ(words.rows[0].boxes.size(), 32u);
    for (int lane = 0; lane < 32; ++lane) {
        EXPECT_EQ(words.rows[0].boxes[static_cast<size_t>(lane)].lanes, 1u << lane);
        EXPECT_EQ(words.rows[0].boxes[static_cast<size_t>(lane)].bank(), lane);
    }
    EXPECT_EQ(words.worst, 1);
}

TEST(BankWords, AColumnOfSharedMemoryPilesUpInOneBank) {
    const auto words = words_of(true, 4, ~0u, strided(128));
    EXPECT_EQ(words.rows.size(), 32u);
    EXPECT_EQ(words.worst, 32);
    EXPECT_EQ(words.degree[0], 32);
    EXPECT_EQ(words.degree[1], 0);
    EXPECT_EQ(words.count.wavefronts, 32);
}

TEST(BankWords, TheSameWordForAllIsOneBoxOfAllLanes) {
    const auto words = words_of(true, 4, ~0u, strided(0));
    ASSERT_EQ(words.rows.size(), 1u);
    ASSERT_EQ(words.rows[0].boxes.size(), 1u);
    EXPECT_EQ(words.rows[0].boxes[0].lanes, ~0u);
    EXPECT_EQ(words.worst, 1);
}

TEST(BankWords, SixteenBytesMakeBoxesOfFourInFourPhases) {
    const auto words = words_of(true, 16, ~0u, strided(16));
    EXPECT_EQ(words.count.phases.size(), 4u);
    ASSERT_EQ(words.rows.size(), 4u);
    for (const views::BankRow& row : words.rows) {
        EXPECT_EQ(row.boxes.size(), 8u);
        for (const views::WordBox& box : row.boxes) EXPECT_EQ(box.words, 4);
    }
    EXPECT_EQ(cells(words), 128);
}

TEST(BankWords, DegreesAgreeWithTheWavefrontsOfEachPhase) {
    for (const uint64_t stride : {4, 8, 12, 16, 36, 64, 128, 132}) {
        const auto words = words_of(true, 4, 0x0FFFFFFF, strided(stride));
        int most = 0;
        for (const auto& phase : words.count.phases) most = std::max(most, phase.wavefronts);
        EXPECT_EQ(words.worst, most) << "stride " << stride;
    }
}

TEST(BankWords, InactiveLanesTouchNothing) {
    const auto words = words_of(false, 4, 0x3, strided(4));
    EXPECT_EQ(cells(words), 2);
}

} // namespace
