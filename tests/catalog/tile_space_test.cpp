#include "base/cpu_time.h"
#include "catalog/catalog.h"
#include "sample.h"

#include <gtest/gtest.h>

#include <climits>

namespace {

catalog::Kernel sample_kernel() {
    auto kernel = catalog::parse(sample, "sample.cu");
    EXPECT_TRUE(kernel);
    return std::move(*kernel);
}

catalog::Parameter slider(std::string name, std::vector<int> values) {
    catalog::Parameter parameter;
    parameter.name = std::move(name);
    parameter.initial = values.front();
    parameter.values = std::move(values);
    return parameter;
}

TEST(Parameters, AreFoundByName) {
    const auto kernel = sample_kernel();
    EXPECT_EQ(catalog::parameter_names(kernel), (std::vector<std::string>{"BM", "TM", "PAD"}));
    ASSERT_NE(catalog::find_parameter(kernel, "TM"), nullptr);
    EXPECT_EQ(catalog::find_parameter(kernel, "TM"), &kernel.parameters[1]);
    EXPECT_EQ(catalog::find_parameter(kernel, "T"), nullptr);
    EXPECT_EQ(catalog::find_parameter(catalog::Kernel{}, ""), nullptr);
}

TEST(With, TakesWhatIsLegal) {
    auto kernel = sample_kernel();
    auto values = catalog::with(kernel, {{"BM", 32}});
    ASSERT_TRUE(values) << values.error().sentence();
    EXPECT_EQ(*values, (catalog::Values{{"BM", 32}, {"TM", 4}, {"PAD", 0}}));
    EXPECT_EQ(*catalog::with(kernel, {}), catalog::initial_values(kernel));
    EXPECT_TRUE(catalog::with(kernel, {{"BM", 48}})) << "between the offered values, where the rules allow it";
}

TEST(With, SaysWhatWouldDo) {
    auto kernel = sample_kernel();
    auto sentence = [&](catalog::Values given) {
        auto values = catalog::with(kernel, given);
        return values ? "no error" : values.error().sentence();
    };
    EXPECT_EQ(sentence({{"BX", 1}}), "sample has no parameter BX; its parameters are BM, TM, PAD");
    EXPECT_EQ(sentence({{"BM", 8}}), "BM = 8 is not offered; choose BM among 16, 32, 64, 128");
    EXPECT_EQ(sentence({{"BM", INT_MAX}}), "BM = 2147483647 is not offered; choose BM among 16, 32, 64, 128");
    EXPECT_EQ(sentence({{"BM", 50}}),
              "BM = 50, TM = 4: A thread's rows divide the block's (BM % TM == 0); choose BM among 16, 32, 64");
    EXPECT_EQ(sentence({{"BM", 128}}),
              "BM = 128, TM = 4: At most 16 threads (BM / TM <= 16); choose BM among 16, 32, 64");
}

// No other value of the one parameter given is legal: the sentence proposes a setting that is.
TEST(With, ProposesAWholeSettingWhereOneValueIsNotEnough) {
    catalog::Kernel kernel;
    kernel.id = "stiff";
    kernel.parameters = {slider("a", {1, 2}), slider("b", {1, 2})};
    kernel.parameters[0].initial = 2;
    kernel.rules = {{"a + b >= 4", {"The sum is 4.", ""}}, {"a == 2", {"a is 2.", ""}}};
    auto values = catalog::with(kernel, {{"a", 2}});
    ASSERT_FALSE(values);
    EXPECT_EQ(values.error().todo.english(), "with a = 2, choose b = 2");
}

TEST(Choices, EachValueIsLegalOrNamesItsRule) {
    auto kernel = sample_kernel();
    auto choices = catalog::choices(kernel, catalog::initial_values(kernel), "BM");
    ASSERT_EQ(choices.size(), 4u);
    for (const auto& choice : choices)
        EXPECT_EQ(choice.broken, choice.value == 128 ? &kernel.rules[1] : nullptr) << choice.value;
    EXPECT_TRUE(catalog::choices(kernel, {}, "nonsense").empty());
    EXPECT_EQ(catalog::broken_rules(kernel, {{"BM", 50}, {"TM", 1}, {"PAD", 0}}),
              (std::vector<const catalog::Rule*>{&kernel.rules[1]}));
}

TEST(NearestLegal, MovesTheFewestParametersTheFewestSteps) {
    auto kernel = sample_kernel();
    auto initial = catalog::initial_values(kernel);
    EXPECT_EQ(*catalog::nearest_legal(kernel, initial, "BM", 32), (catalog::Values{{"BM", 32}, {"TM", 4}, {"PAD", 0}}));
    EXPECT_EQ(*catalog::nearest_legal(kernel, initial, "BM", 128),
              (catalog::Values{{"BM", 128}, {"TM", 8}, {"PAD", 0}}));
    EXPECT_EQ(*catalog::nearest_legal(kernel, initial, "TM", 1), (catalog::Values{{"BM", 16}, {"TM", 1}, {"PAD", 0}}));
    EXPECT_EQ(*catalog::nearest_legal(kernel, initial, "TM", 2), (catalog::Values{{"BM", 32}, {"TM", 2}, {"PAD", 0}}));
}

TEST(NearestLegal, SaysWhyThereIsNone) {
    auto kernel = sample_kernel();
    kernel.rules.push_back({"PAD == 0", {"No padding.", ""}});
    auto none = catalog::nearest_legal(kernel, catalog::initial_values(kernel), "PAD", 1);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().sentence(), "PAD = 1: No padding (PAD == 0); no values of the others allow PAD = 1");
    for (int value : {INT_MIN, -1, 2, INT_MAX}) EXPECT_FALSE(catalog::nearest_legal(kernel, {}, "PAD", value));
    EXPECT_FALSE(catalog::nearest_legal(kernel, {}, "nonsense", 1));
}

// Against trying all 3125 settings.
TEST(NearestLegal, AgreesWithTryingEverything) {
    catalog::Kernel kernel;
    for (const char* name : {"BM", "BN", "BK"}) kernel.parameters.push_back(slider(name, {8, 16, 32, 64, 128}));
    for (const char* name : {"TM", "TN"}) kernel.parameters.push_back(slider(name, {1, 2, 4, 8, 16}));
    for (const char* rule :
         {"BM % TM == 0", "BN % TN == 0", "(BM / TM) * (BN / TN) >= 32", "(BM / TM) * (BN / TN) <= 1024",
          "(BM * BK) % ((BM / TM) * (BN / TN)) == 0", "4 * BK * (BM + BN) <= 49152"})
        kernel.rules.push_back({rule, {}});
    auto legal = [&](const catalog::Values& values) { return catalog::broken_rules(kernel, values).empty(); };
    auto step = [](int value) { return __builtin_ctz(static_cast<unsigned>(value)); };

    std::vector<catalog::Values> all;
    for (int bm : kernel.parameters[0].values)
        for (int bn : kernel.parameters[1].values)
            for (int bk : kernel.parameters[2].values)
                for (int tm : kernel.parameters[3].values)
                    for (int tn : kernel.parameters[4].values) {
                        catalog::Values values{{"BM", bm}, {"BN", bn}, {"BK", bk}, {"TM", tm}, {"TN", tn}};
                        if (legal(values)) all.push_back(values);
                    }
    ASSERT_GT(all.size(), 100u);
    for (size_t i = 0; i < all.size(); i += all.size() / 10)
        for (const auto& parameter : kernel.parameters)
            for (int value : parameter.values) {
                auto cost = [&](const catalog::Values& to) {
                    std::pair<int, int> moved{0, 0}; // parameters, steps
                    for (const auto& [name, v] : to) {
                        if (name == parameter.name) continue;
                        moved.first += v != all[i].at(name);
                        moved.second += std::abs(step(v) - step(all[i].at(name)));
                    }
                    return moved;
                };
                std::pair<int, int> least{INT_MAX, 0};
                for (const auto& candidate : all)
                    if (candidate.at(parameter.name) == value) least = std::min(least, cost(candidate));
                auto found = catalog::nearest_legal(kernel, all[i], parameter.name, value);
                ASSERT_EQ(found.ok(), least.first != INT_MAX);
                if (!found) continue;
                EXPECT_TRUE(legal(*found));
                EXPECT_EQ(found->at(parameter.name), value);
                EXPECT_EQ(cost(*found), least);
            }
}

// Nine parameters of nine values and a rule that nothing satisfies: gives up instead of trying 387 million settings.
TEST(NearestLegal, GivesUpOnAHopelessSpace) {
    catalog::Kernel kernel;
    std::string sum = "0";
    for (char name = 'a'; name < 'j'; ++name) {
        kernel.parameters.push_back(slider(std::string(1, name), {1, 2, 3, 4, 5, 6, 7, 8, 9}));
        sum += std::string(" + ") + name;
    }
    kernel.rules = {{sum + " == 1000", {"hopeless", ""}}};
    const double start = base::thread_cpu_s();
    EXPECT_FALSE(catalog::nearest_legal(kernel, catalog::initial_values(kernel), "a", 2));
    EXPECT_LT(base::thread_cpu_s() - start, 20); // all settings would take minutes of processor time
}

TEST(LaunchShape, FollowsTheExpressions) {
    auto kernel = sample_kernel();
    auto shape = catalog::launch_shape(kernel, {{"BM", 64}, {"TM", 8}, {"PAD", 1}}, {129, 33, 7});
    ASSERT_TRUE(shape) << shape.error().sentence();
    EXPECT_EQ(shape->grid, (base::Dim3{3, 3, 1}));
    EXPECT_EQ(shape->block, (base::Dim3{8, 2, 1}));
    EXPECT_EQ(shape->dynamic_shared_bytes, 4u * 65 * 8);
    EXPECT_EQ(catalog::instantiation(kernel, {{"BM", 64}, {"TM", 8}, {"PAD", 1}}), "sample<64, 8, 1>");
}

TEST(LaunchShape, ExtremeSizesAreErrorsOrExact) {
    auto kernel = sample_kernel();
    auto values = catalog::initial_values(kernel);
    for (int bad : {0, -1, INT_MIN}) {
        EXPECT_FALSE(catalog::launch_shape(kernel, values, {bad, 1, 1}));
        EXPECT_FALSE(catalog::launch_shape(kernel, values, {1, bad, 1}));
        EXPECT_FALSE(catalog::launch_shape(kernel, values, {1, 1, bad}));
    }
    auto wide = catalog::launch_shape(kernel, values, {1, INT_MAX, INT_MAX});
    ASSERT_TRUE(wide) << wide.error().sentence();
    EXPECT_EQ(wide->grid.x, 134217728u);
    auto tall = catalog::launch_shape(kernel, values, {INT_MAX, 1, 1});
    ASSERT_FALSE(tall) << "33,554,432 blocks in y are more than CUDA has";
    EXPECT_NE(tall.error().what.english().find("blocks in y"), std::string::npos);
    for (int extreme : {INT_MIN, 0, INT_MAX}) {
        auto any = catalog::launch_shape(kernel, {{"BM", extreme}, {"TM", extreme}, {"PAD", extreme}}, {});
        EXPECT_FALSE(any);
    }
}

} // namespace
