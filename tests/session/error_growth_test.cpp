#include "session/error_growth.h"

#include "fixture.h"

#include <gtest/gtest.h>

#include <algorithm>

using session::ErrorCurve;
using session::ErrorGrowth;

namespace {

session::Subject subject_of(const std::string& kernel, catalog::Values parameters = {}) {
    session::Subject subject;
    subject.kernel = kernel;
    subject.parameters = std::move(parameters);
    return subject;
}

double at(const ErrorCurve& curve, int edge) {
    const auto found =
        std::find_if(curve.points.begin(), curve.points.end(), [&](const auto& point) { return point.edge == edge; });
    return found == curve.points.end() ? -1 : found->error;
}

TEST(ErrorGrowth, GrowsWithTheSizeAndWithTheLevels) {
    ErrorGrowth growth([] {}, 2, false);
    EXPECT_EQ(growth.wanted(), nullptr);
    growth.want(fixture::kernels(), subject_of("strassen", {{"LEVELS", 0}}));
    growth.wait();
    ASSERT_EQ(growth.curves().size(), 3u) << "one for each of the levels, on which the rounding depends";
    EXPECT_EQ(growth.wanted(), &growth.curves()[0]);
    growth.want(fixture::kernels(), subject_of("strassen", {{"LEVELS", 2}}));
    EXPECT_FALSE(growth.busy()) << "it is there";
    EXPECT_EQ(growth.wanted(), &growth.curves()[2]);
    for (const ErrorCurve& curve : growth.curves()) {
        EXPECT_TRUE(curve.is_whole() && !curve.failed);
        ASSERT_EQ(curve.points.size(), ErrorGrowth::edges.size());
        for (size_t i = 0; i < curve.points.size(); ++i) {
            EXPECT_EQ(curve.points[i].edge, ErrorGrowth::edges[i]);
            EXPECT_GT(curve.points[i].error, 0);
            EXPECT_LE(curve.points[i].error, curve.points[i].tolerance);
        }
        EXPECT_GT(at(curve, 1024), 2 * at(curve, 64)) << "rounding errors add up along k";
    }
    for (const int edge : {256, 512, 1024}) {
        EXPECT_LT(at(growth.curves()[0], edge), at(growth.curves()[1], edge)) << edge;
        EXPECT_LT(at(growth.curves()[1], edge), at(growth.curves()[2], edge)) << edge;
    }
}

TEST(ErrorGrowth, IsOfTheLatestWantAndKeepsWhatIsWhole) {
    ErrorGrowth growth([] {}, 2, false);
    growth.want(fixture::kernels(), subject_of("register_tile"));
    growth.want(fixture::kernels(), subject_of("conflict_free"));
    EXPECT_EQ(growth.curves().size(), 1u) << "what was dragged over is given up";
    growth.wait();
    EXPECT_FALSE(growth.busy());
    growth.want(fixture::kernels(), subject_of("add_one"));
    growth.wait();
    ASSERT_EQ(growth.curves().size(), 2u);
    EXPECT_EQ(growth.wanted()->kernel->id, "add_one");
    EXPECT_EQ(at(*growth.wanted(), 1024), 0) << "exact";

    session::Subject back = subject_of("conflict_free");
    back.problem = {100, 37, 65}; // the size of what is looked at plays no part
    growth.want(fixture::kernels(), back);
    EXPECT_FALSE(growth.busy()) << "it is known";
    EXPECT_EQ(growth.wanted()->kernel->id, "conflict_free");
    EXPECT_EQ(growth.curves().size(), 2u);

    back.seed = 2;
    growth.want(fixture::kernels(), back);
    ASSERT_EQ(growth.curves().size(), 1u) << "of other operands";
    growth.want(fixture::kernels(), subject_of("no_such_kernel"));
    EXPECT_EQ(growth.wanted(), nullptr);
    EXPECT_FALSE(growth.busy());
}

TEST(ErrorGrowth, SaysWhatFails) {
    catalog::Catalog catalog;
    auto kernel = std::make_shared<catalog::Kernel>(*fixture::kernels().find("naive"));
    kernel->id = "broken";
    kernel->source.insert(kernel->source.rfind('}'), "this is not C++");
    catalog.kernels.push_back(kernel);
    ErrorGrowth growth([] {}, 2, false);
    growth.want(catalog, subject_of("broken"));
    growth.wait();
    ASSERT_TRUE(growth.wanted());
    EXPECT_TRUE(growth.wanted()->failed);
    EXPECT_TRUE(growth.wanted()->is_whole()) << "there is no more to come";

    auto silent = std::make_shared<catalog::Kernel>(*fixture::kernels().find("naive"));
    silent->id = "silent"; // C stays as it was before the launch: NaN
    silent->source.insert(silent->source.rfind("float sum"), "if (beta == 0) return; ");
    catalog.kernels.push_back(silent);
    growth.want(catalog, subject_of("silent"));
    growth.wait();
    ASSERT_TRUE(growth.wanted() && growth.wanted()->failed);
    EXPECT_EQ(growth.wanted()->failed->sentence(),
              "16 x 16 x 16: C holds values that are not numbers; see the findings");
}

} // namespace
