// Predicted times of products that are cut short, against those of the same executed whole.
#include "session/prediction.h"

#include "fixture.h"

namespace {

session::Subject subject_of(const catalog::Kernel& kernel, const catalog::Values& other,
                            const catalog::Problem& problem) {
    session::Subject subject;
    subject.kernel = kernel.id;
    subject.parameters = *catalog::with(kernel, other);
    subject.problem = problem;
    return subject;
}

// Cycles as they are predicted over those of all that the blocks do.
double cut_over_whole(const catalog::Kernel& kernel, const catalog::Values& other, const catalog::Problem& problem) {
    const session::Subject subject = subject_of(kernel, other, problem);
    const auto job = session::resolve(kernel, subject);
    if (!job) return 0;
    const auto prepared = session::prepare(*job);
    if (!prepared.value) return 0;
    const auto cut = session::predict(kernel, subject, *prepared.value),
               whole = session::predict(*job, *prepared.value);
    return cut.value && whole.value ? cut.value->cycles / whole.value->cycles : 0;
}

struct Case {
    const char* kernel;
    catalog::Values other = {};
    catalog::Problem problem{256, 256, 2048};
};

class Cut : public testing::TestWithParam<Case> {};

TEST_P(Cut, TakesAsLongAsTheWhole) {
    const auto kernel = fixture::kernels().find(GetParam().kernel);
    ASSERT_TRUE(kernel);
    EXPECT_NEAR(cut_over_whole(*kernel, GetParam().other, GetParam().problem), 1, 0.03);
}

INSTANTIATE_TEST_SUITE_P(
    Prediction, Cut,
    testing::Values(
        Case{"champion"},
        // Four copies fill the ring in a loop of their own, which is not the main one. Its warps come apart only in the 22nd tile: 321 cycles a
        // k before, 334 from then on.
        Case{"champion",
             {{"BK", 16}, {"BM", 128}, {"BN", 256}, {"SLICES", 1}, {"STAGES", 4}, {"TM", 8}, {"TN", 8}},
             {256, 256, 4096}},
        Case{"split_k", {{"SPLITS", 5}}}, Case{"split_k", {{"SPLITS", 8}}},
        Case{"split_k", {{"SPLITS", 3}}, {256, 256, 2000}}, Case{"binary_tensor", {{"BK", 1024}}, {256, 256, 16384}},
        Case{"binary_tensor", {{"BK", 512}, {"BM", 32}, {"BN", 128}, {"WM", 32}, {"WN", 32}}, {256, 256, 8192}},
        // Blocks that walk along C.
        Case{"matrix_vector", {}, {256, 1024, 512}}, Case{"row_per_block", {{"THREADS", 32}}, {256, 4096, 256}},
        Case{"persistent", {{"BLOCKS", 4}}, {512, 4096, 256}},
        // The last tiles are shared: a block's part of them grows with the depth.
        Case{"stream_k", {}, {1536, 3328, 2048}}));

// Where a multiprocessor has several blocks, they come apart after a while and go on at paces of their own; tiles may not divide C: less is
// foreseen by a part.
class CutOfMany : public testing::TestWithParam<Case> {};

TEST_P(CutOfMany, TakesAboutAsLongAsTheWhole) {
    const auto kernel = fixture::kernels().find(GetParam().kernel);
    ASSERT_TRUE(kernel);
    EXPECT_NEAR(cut_over_whole(*kernel, GetParam().other, GetParam().problem), 1, 0.1);
}

constexpr catalog::Problem full{2048, 2048, 1024};
INSTANTIATE_TEST_SUITE_P(
    Prediction, CutOfMany,
    testing::Values(Case{"naive", {}, full}, Case{"shared_tile", {}, full}, Case{"register_tile", {}, full},
                    Case{"conflict_free", {}, full}, Case{"double_buffer", {}, full}, Case{"warp_tile", {}, full},
                    Case{"block_64", {}, full}, Case{"dgemm_tile", {}, full}, Case{"thread_column", {}, full},
                    Case{"managed", {{"BM", 64}}, full},
                    // A part of C twice as wide has not twice as many tiles.
                    Case{"persistent",
                         {{"BK", 32}, {"BLOCKS", 2}, {"BM", 128}, {"BN", 192}, {"STAGES", 4}, {"TM", 8}, {"TN", 8}},
                         {1024, 2048, 256}},
                    // The ring is full when a tile begins: its first turns wait for nothing.
                    Case{"tensor_bf16_persistent", {{"BM", 128}, {"BN", 128}, {"SMS", 1}}, {512, 1024, 2048}},
                    Case{"tensor_tf32_persistent", {{"SMS", 1}}, {1024, 1024, 1024}},
                    // Pairs of warps meet at barriers whose numbers registers hold.
                    Case{"tensor_tf32_multicast", {{"SMS", 2}}, {1024, 1024, 1024}}));

session::Prediction predicted(const char* name, const catalog::Values& other, const catalog::Problem& problem) {
    const auto kernel = fixture::kernels().find(name);
    const auto made = session::predict(*kernel, subject_of(*kernel, other, problem));
    EXPECT_TRUE(made.value) << name;
    return made.value ? *made.value : session::Prediction{};
}

// 156 tiles: the champion's last wave is of 24, which here 132 blocks share.
TEST(Prediction, OfTilesThatAreSharedCountsWhatEachBlockHas) {
    const catalog::Problem problem{12 * 128, 13 * 256, 4096};
    const double champion = predicted("champion", {}, problem).cycles,
                 shared = predicted("stream_k", {}, problem).cycles;
    EXPECT_NEAR(shared / champion, (1 + 24.0 / 132) / 2, 0.03);
}

// Half a row of tiles lies beside C: it costs as much as there is to do in it.
TEST(Prediction, OfTilesAtTheEdgeCountsWhatTheyHave) {
    const catalog::Problem problem{2048, 2048, 512}, wider{2048 + 8, 2048, 512};
    EXPECT_LT(predicted("naive", {}, wider).cycles, 1.1 * predicted("naive", {}, problem).cycles);
}

// Each block of a cluster asks for half of the lines of A that both need: they have none in common, their clusters have.
TEST(Prediction, OfClustersComparesThoseNotTheirBlocks) {
    const catalog::Problem problem{4096, 4096, 4096};
    const double clusters = predicted("tensor_bf16_multicast", {}, problem).from_memory,
                 blocks = predicted("tensor_bf16_persistent", {}, problem).from_memory;
    EXPECT_GT(clusters, blocks); // of fewer requests
    EXPECT_LT(clusters, 1.5 * blocks);
}

// Steady turns are simulated and the rest is extrapolated: for every kernel, verified by a run in full. For each of its columns matrix_vector
// reads the same lines again, which L1 keeps of a short depth and not of a long one: it is made for one.
TEST(Prediction, OfEveryKernelIsThatOfTheWhole) {
    for (const auto& kernel : catalog::load({SOURCE_DIR "/kernels"}).kernels) {
        const int columns = kernel->id == "matrix_vector" ? 1 : 256;
        EXPECT_NEAR(cut_over_whole(*kernel, {}, {256, columns, 2048}), 1, 0.05) << kernel->id;
    }
}

} // namespace
