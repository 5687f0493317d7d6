#include "analysis/banks.h"

#include "access_patterns.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <fstream>
#include <set>
#include <sstream>

namespace {

using analysis::BankRule;
using test::all_lanes;
using test::strided;

const BankRule rule = analysis::bank_rule("sm_90");

struct Measured {
    std::string line, op;
    int bytes = 0, wavefronts = 0, conflicts = 0;
    uint32_t active = 0;
    trace::Addresses address{};
};

std::vector<Measured> measured() {
    std::ifstream file(TEST_DATA "/shared_wavefronts_h200.csv");
    std::vector<Measured> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#' || line.starts_with("op,")) continue;
        Measured m;
        m.line = line;
        std::istringstream in(line);
        std::string bytes, wavefronts, conflicts, pattern, offsets;
        std::getline(in, m.op, ',');
        std::getline(in, bytes, ',');
        std::getline(in, wavefronts, ',');
        std::getline(in, conflicts, ',');
        std::getline(in, pattern, ',');
        std::getline(in, offsets);
        m.bytes = std::stoi(bytes), m.wavefronts = std::stoi(wavefronts), m.conflicts = std::stoi(conflicts);
        std::istringstream lanes(offsets);
        int64_t offset = 0;
        for (unsigned lane = 0; lanes >> offset; ++lane) {
            if (offset < 0) continue;
            m.active |= 1u << lane;
            m.address.at(lane) = static_cast<uint64_t>(offset);
        }
        rows.push_back(std::move(m));
    }
    return rows;
}

TEST(Banks, EveryMeasuredAccessIsExact) {
    const std::vector<Measured> rows = measured();
    ASSERT_EQ(rows.size(), 1122u);
    for (const Measured& m : rows) {
        const auto w = analysis::wavefronts(rule, m.op == "load", m.bytes, m.active, m.address);
        EXPECT_EQ(w.wavefronts, m.wavefronts) << m.line;
        EXPECT_EQ(w.excessive(), m.conflicts) << m.line;
        const auto c = analysis::count_wavefronts(rule, m.op == "load", m.bytes, m.active, m.address);
        EXPECT_EQ(c.wavefronts, m.wavefronts) << m.line;
        EXPECT_EQ(c.wavefronts - c.ideal, m.conflicts) << m.line;
    }
}

// What Nsight Compute's source page says of 326 of these accesses (tests/data/counters/shared_ideal.csv).
TEST(Banks, TheSourcePageIsExact) {
    std::ifstream file(TEST_DATA "/counters/shared_ideal.csv");
    int count = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#' || line.starts_with("op,")) continue;
        std::istringstream in(line);
        std::string op, bytes, wavefronts, ideal, offsets;
        for (std::string* field : {&op, &bytes, &wavefronts, &ideal, &offsets}) std::getline(in, *field, ',');
        std::istringstream lanes(offsets);
        trace::Addresses address{};
        uint32_t active = 0;
        int64_t offset = 0;
        for (unsigned lane = 0; lanes >> offset; ++lane) {
            if (offset < 0) continue;
            active |= 1u << lane;
            address.at(lane) = static_cast<uint64_t>(offset);
        }
        const auto counted = analysis::source_page_wavefronts(rule, op == "load", std::stoi(bytes), active, address);
        EXPECT_EQ(counted.wavefronts, std::stoi(wavefronts)) << line;
        EXPECT_EQ(counted.ideal, std::stoi(ideal)) << line;
        ++count;
    }
    EXPECT_EQ(count, 326);
}

// Without merging, the measured loads that merge come out wrong: the rule's flag does something.
TEST(Banks, MeasuredLoadsNeedPairMerging) {
    BankRule plain = rule;
    plain.loads_merge_pairs = false;
    int wrong = 0;
    for (const Measured& m : measured())
        wrong +=
            analysis::count_wavefronts(plain, m.op == "load", m.bytes, m.active, m.address).wavefronts != m.wavefronts;
    EXPECT_GT(wrong, 0);
}

TEST(Banks, TextbookCases) {
    const auto count = [](bool load, int bytes, const trace::Addresses& a) {
        const auto c = analysis::count_wavefronts(rule, load, bytes, all_lanes, a);
        return std::pair(c.wavefronts, c.ideal);
    };
    using P = std::pair<int, int>;
    EXPECT_EQ(count(true, 4, strided(0, 4)), P(1, 1));    // contiguous
    EXPECT_EQ(count(true, 4, strided(64, 0)), P(1, 1));   // broadcast
    EXPECT_EQ(count(true, 4, strided(0, 8)), P(2, 1));    // every other word
    EXPECT_EQ(count(true, 4, strided(0, 128)), P(32, 1)); // a column of a 32-wide tile
    EXPECT_EQ(count(true, 4, strided(0, 132)), P(1, 1));  // the same, padded by one word
    EXPECT_EQ(count(true, 16, strided(0, 16)), P(4, 4));  // contiguous 16-byte pieces
    EXPECT_EQ(count(true, 16, strided(0, 0)), P(2, 2));   // all lanes the same 16 bytes: phases merge
    EXPECT_EQ(count(false, 16, strided(0, 0)), P(4, 4));  // stores never merge
    EXPECT_EQ(count(true, 8, strided(0, 8)), P(2, 2));
    EXPECT_EQ(count(true, 8, strided(0, 0)), P(1, 1));
    EXPECT_EQ(count(true, 1, strided(0, 1)), P(1, 1)); // four lanes to a word
    EXPECT_EQ(count(true, 2, strided(0, 128)), P(32, 1));
}

TEST(Banks, RowsOfMatricesNeverMerge) {
    trace::Instruction rows;
    rows.kind = trace::Kind::load, rows.bytes = 16;
    rows.role = trace::Role::matrix_rows;
    for (const int matrices : {1, 2, 4}) {
        rows.register_bytes = static_cast<uint8_t>(4 * matrices);
        EXPECT_EQ(analysis::count_wavefronts(rule, rows, ~0u, strided(0, 0)).wavefronts, matrices);
        EXPECT_EQ(analysis::source_page_wavefronts(rule, rows, ~0u, strided(0, 0)).wavefronts, matrices);
        EXPECT_EQ(analysis::wavefronts(rule, rows, ~0u, strided(0, 128)).wavefronts, 8 * matrices);
        EXPECT_EQ(analysis::wavefronts(rule, rows, ~0u, strided(0, 128)).ideal, matrices);
    }
    trace::Instruction plain = rows;
    plain.role = trace::Role::other;
    EXPECT_EQ(analysis::count_wavefronts(rule, plain, ~0u, strided(0, 0)).wavefronts, 2) << "pairs of phases merge";
}

TEST(Banks, NoLanesNoWavefronts) {
    const auto w = analysis::wavefronts(rule, true, 16, 0, strided(0, 16));
    EXPECT_EQ(w.wavefronts, 0);
    EXPECT_EQ(w.ideal, 0);
    EXPECT_TRUE(w.phases.empty());
}

TEST(Banks, InactiveLanesDoNotCount) {
    trace::Addresses a = strided(0, 4);
    a[7] = 1 << 20; // garbage in an inactive lane
    EXPECT_EQ(analysis::count_wavefronts(rule, true, 4, all_lanes & ~(1u << 7), a).wavefronts, 1);
}

// The rule once more, word by word as hardware/README has it, without any of banks.cpp's shortcuts.
struct Plain {
    int wavefronts = 0, ideal = 0;
};
Plain plain_rule(const test::Access& x) {
    const unsigned words = x.bytes <= 4 ? 1 : static_cast<unsigned>(x.bytes) / 4;
    unsigned lanes = 32 / words;
    const auto same_as = [&](unsigned distance) {
        for (unsigned n = 0; n < 32; ++n) {
            const unsigned o = n ^ distance;
            if ((x.active >> n & 1) && (x.active >> o & 1) && x.address[n] != x.address[o]) return false;
        }
        return true;
    };
    if (x.load && words > 1 && (same_as(1) || same_as(2))) lanes *= 2;
    Plain result;
    for (unsigned first = 0; first < 32; first += lanes) {
        std::array<std::set<uint64_t>, 32> bank;
        size_t most = 0;
        for (unsigned n = first; n < first + lanes; ++n)
            for (unsigned w = 0; (x.active >> n & 1) && w < words; ++w) {
                const uint64_t word = x.address[n] / 4 + w;
                bank[word % 32].insert(word);
                most = std::max(most, bank[word % 32].size());
            }
        result.wavefronts += static_cast<int>(most);
        result.ideal += most > 0;
    }
    return result;
}

TEST(Banks, AgreesWithTheRuleWordByWord) {
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
        const test::Access x = test::random_access(random, 4096);
        const Plain want = plain_rule(x);
        const auto got = analysis::count_wavefronts(rule, x.load, x.bytes, x.active, x.address);
        ASSERT_EQ(got.wavefronts, want.wavefronts) << i;
        ASSERT_EQ(got.ideal, want.ideal) << i;
    }
}

// A wavefront serves lanes whose words fit side by side: no bank has two different ones, and each lane is served once.
TEST(Banks, ServedLanesShareNoBankUnlessTheyShareTheWord) {
    std::mt19937 random(11);
    for (int i = 0; i < 5000; ++i) {
        const test::Access x = test::random_access(random, 4096);
        const auto w = analysis::wavefronts(rule, x.load, x.bytes, x.active, x.address);
        const unsigned words = x.bytes <= 4 ? 1 : static_cast<unsigned>(x.bytes) / 4;
        uint32_t lanes = 0;
        int sum = 0;
        for (const analysis::Phase& phase : w.phases) {
            EXPECT_EQ(static_cast<size_t>(phase.wavefronts), phase.served.size());
            EXPECT_EQ(lanes & phase.lanes, 0u);
            lanes |= phase.lanes;
            sum += phase.wavefronts;
            uint32_t served = 0;
            for (uint32_t mask : phase.served) {
                EXPECT_NE(mask, 0u);
                EXPECT_EQ(served & mask, 0u);
                served |= mask;
                std::array<int64_t, 32> in_bank;
                in_bank.fill(-1);
                for (unsigned lane = 0; lane < 32; ++lane)
                    for (unsigned word = 0; (mask >> lane & 1) && word < words; ++word) {
                        const auto at = static_cast<int64_t>(x.address[lane] / 4 + word);
                        int64_t& bank = in_bank[static_cast<size_t>(at % 32)];
                        ASSERT_TRUE(bank == -1 || bank == at);
                        bank = at;
                    }
            }
            EXPECT_EQ(served, phase.lanes);
        }
        EXPECT_EQ(lanes, x.active);
        EXPECT_EQ(sum, w.wavefronts);
    }
}

TEST(Banks, MovingAnAccessByAWholeRowOfBanksChangesNothing) {
    std::mt19937 random(3);
    for (int i = 0; i < 2000; ++i) {
        test::Access x = test::random_access(random, 4096);
        const auto before = analysis::count_wavefronts(rule, x.load, x.bytes, x.active, x.address);
        for (uint64_t& a : x.address) a += 128;
        const auto after = analysis::count_wavefronts(rule, x.load, x.bytes, x.active, x.address);
        ASSERT_EQ(before.wavefronts, after.wavefronts);
        ASSERT_EQ(before.ideal, after.ideal);
    }
}

TEST(Banks, OddWidthsAndRulesAreHarmless) {
    for (int bytes : {-4, 0, 3, 12, 32, 128, 4096})
        EXPECT_GE(analysis::count_wavefronts(rule, true, bytes, all_lanes, strided(~0ull - 64, 7)).wavefronts, 1)
            << bytes;
    EXPECT_GE(analysis::count_wavefronts({0, 0, true}, true, 4, all_lanes, strided(0, 4)).wavefronts, 1);
}

} // namespace
