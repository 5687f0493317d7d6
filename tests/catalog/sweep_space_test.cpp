#include "catalog/sweep_space.h"

#include "catalog/catalog.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace {

using catalog::SweepSpace;

const catalog::Kernel& kernel(const std::string& id) {
    static const catalog::Catalog all = catalog::load({SOURCE_DIR "/kernels"});
    return *all.find(id);
}

std::vector<catalog::Values> settings(const std::string& id, SweepSpace space) {
    auto found = catalog::sweep_settings(kernel(id), space);
    EXPECT_TRUE(found) << found.error().sentence();
    return found ? *found : std::vector<catalog::Values>{};
}

size_t changes(const catalog::Values& a, const catalog::Values& b) {
    size_t count = 0;
    for (const auto& [name, value] : a) count += b.at(name) != value;
    return count;
}

TEST(SweepSpace, NearIsAllThatDiffersInTwoParametersNearestFirst) {
    for (const char* id : {"double_buffer", "managed", "block_128_unrolled"}) {
        SCOPED_TRACE(id);
        const catalog::Values initial = catalog::initial_values(kernel(id));
        const auto near = settings(id, SweepSpace::near);
        ASSERT_FALSE(near.empty());
        EXPECT_EQ(near.front(), initial);
        EXPECT_TRUE(std::is_sorted(near.begin(), near.end(), [&](const auto& a, const auto& b) {
            return changes(a, initial) < changes(b, initial);
        }));
        EXPECT_LE(changes(near.back(), initial), 2u);
        const std::set<catalog::Values> once(near.begin(), near.end());
        EXPECT_EQ(once.size(), near.size());
        // Counted another way: value by value.
        size_t count = 0;
        const auto& parameters = kernel(id).parameters;
        const auto legal = [&](const catalog::Values& values) {
            return catalog::broken_rules(kernel(id), values).empty();
        };
        for (size_t i = 0; i < parameters.size(); ++i)
            for (const int first : parameters[i].values) {
                if (first == parameters[i].initial) continue;
                catalog::Values values = initial;
                values[parameters[i].name] = first;
                count += legal(values);
                for (size_t j = i + 1; j < parameters.size(); ++j)
                    for (const int second : parameters[j].values) {
                        if (second == parameters[j].initial) continue;
                        catalog::Values both = values;
                        both[parameters[j].name] = second;
                        count += legal(both);
                    }
            }
        EXPECT_EQ(near.size(), count + 1);
    }
}

TEST(SweepSpace, TilesAreTheProductOfTheTilesAlone) {
    const catalog::Values initial = catalog::initial_values(kernel("double_buffer"));
    const auto tiles = settings("double_buffer", SweepSpace::tiles);
    const std::set<std::string> varied{"BM", "BN", "BK", "TM", "TN"};
    for (const auto& values : tiles)
        for (const auto& [name, value] : values)
            EXPECT_TRUE(varied.contains(name) || value == initial.at(name)) << name;
    size_t legal = 0;
    const auto everything = catalog::legal_settings(kernel("double_buffer"), 1'000'000);
    ASSERT_TRUE(everything);
    for (const auto& values : *everything)
        legal += std::all_of(values.begin(), values.end(), [&](const auto& one) {
            return varied.contains(one.first) || one.second == initial.at(one.first);
        });
    EXPECT_EQ(tiles.size(), legal);
    EXPECT_EQ(settings("dgemm_tensor", SweepSpace::tiles).front().size(), kernel("dgemm_tensor").parameters.size());
    EXPECT_GT(settings("row_per_block", SweepSpace::tiles).size(), 1u); // its only parameter is none of the names
}

TEST(SweepSpace, AllIsWhatIsLegal) {
    for (const char* id : {"naive", "warp_tile", "strassen"})
        EXPECT_EQ(settings(id, SweepSpace::all).size(), catalog::legal_settings(kernel(id), 1'000'000)->size()) << id;
}

TEST(SweepSpace, IsNamed) {
    EXPECT_EQ(catalog::sweep_space_named("tiles"), SweepSpace::tiles);
    EXPECT_EQ(catalog::sweep_space_named("all"), SweepSpace::all);
    EXPECT_FALSE(catalog::sweep_space_named("some"));
}

} // namespace
