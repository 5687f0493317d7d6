// Rules that set parameters, that count at a moment, and which of several findings a verdict names.
#include "fixture.h"

#include "compile/compiler.h"

namespace {

using namespace fixture;
using exercise::Judged;

// A tile along k in a ring of STAGES, loaded by `load`, multiplied by `product` in each turn of the k loop.
std::string staged(const std::string& turn) {
    return "/* gemmscope\nfunction = \"work\"\n[[parameter]]\nname = \"DEPTH\"\nvalues = [8, 16]\ninitial = 16\nmeaning = \"k\"\n"
           "[launch]\nblock = [\"32\"]\ngrid = [\"ceil_div(N, 32)\", \"M\"]\n*/\n"
           "template <int DEPTH>\n__global__ void work(int M, int N, int K, float alpha, const float* A, const float* B, float beta, "
           "float* C) {\n    __shared__ float a[32];\n    const int x = threadIdx.x, row = blockIdx.y, column = blockIdx.x * 32 + x;\n"
           "    float sum = 0;\n    for (int first = 0; first < K; first += DEPTH) {\n" +
           turn +
           "    }\n    if (column < N) C[row * N + column] = beta == 0 ? alpha * sum : alpha * sum + beta * C[row * N + column];\n}\n";
}
const std::string load = "        if (x < DEPTH) a[x] = first + x < K ? A[row * K + first + x] : 0;\n";
const std::string product = "        for (int k = 0; k < DEPTH && first + k < K; ++k) "
                            "sum += a[k] * (column < N ? B[(first + k) * N + column] : 0);\n";
const std::string barrier = "        __syncthreads();\n";

const std::string rule_head =
    "title = \"Work\"\ntext = \"Do it.\"\n[[step]]\ntitle = \"Right\"\n[[step.rule]]\nhint = \"Think.\"\n";

class Rules : public testing::Test {
protected:
    void SetUp() override {
        if (!compile::availability().found) GTEST_SKIP() << "no NVRTC";
    }
    exercise::Verdict judge(const std::string& rules, const std::string& source) {
        auto read = exercise_of(folder_, rule_head + rules);
        EXPECT_TRUE(read) << read.error().sentence();
        if (!read) return {};
        exercise_ = *read;
        return exercise::grade(exercise_, source, folder_.path() / "mine.cu", {{}, 60, 2});
    }
    Folder folder_;
    exercise::Exercise exercise_;
};

const std::string right = staged(load + barrier + product + barrier);

TEST_F(Rules, SetTheParametersThatTheyName) {
    const std::string rule = "check = \"result\"\nsizes = [\"33x40x20\"]\nparameters = { DEPTH = 8 }\n";
    EXPECT_TRUE(judge(rule, right).passed());
    // Right with 16 alone.
    std::string fixed = right;
    fixed.replace(fixed.find("x < DEPTH"), 9, "x < 16 ");
    fixed.replace(fixed.find("k < DEPTH"), 9, "k < 16");
    EXPECT_TRUE(judge("check = \"result\"\nsizes = [\"33x40x20\"]\n", fixed).passed());
    const auto verdict = judge(rule, fixed);
    ASSERT_TRUE(verdict.first() && verdict.first()->look);
    EXPECT_EQ(verdict.first()->look->parameters, (catalog::Values{{"DEPTH", 8}}));
}

// Neither by leaving out the work at the sizes that are counted, which are not those that are compared.
TEST_F(Rules, CountOnlyWhatIsRight) {
    const std::string rules = "check = \"result\"\nsizes = [\"33x40x20\"]\n[[step]]\ntitle = \"Few\"\n[[step.rule]]\n"
                              "figure = \"counters.global_load.sectors\"\nmost = \"M * N * K\"\nsay = \"Sectors\"\n"
                              "sizes = [\"32x64x64\"]\nhint = \"Think.\"\n";
    EXPECT_TRUE(judge(rules, right).passed());
    std::string idle = right;
    idle.replace(idle.find("first < K"), 9, "first < K && K != 64");
    const auto verdict = judge(rules, idle);
    ASSERT_TRUE(verdict.first());
    EXPECT_EQ(verdict.first()->step, 1u);
    EXPECT_EQ(verdict.first()->found, trace::FindingKind::wrong_result);
    EXPECT_FALSE(verdict.first()->value);
}

// What atomic operations fetch is no load: a count that must not be large must not be too small either.
TEST_F(Rules, MayBoundAFigureFromBothSides) {
    const std::string rule = "figure = \"counters.global_load.sectors\"\nmost = \"M * N * K\"\nleast = \"K * N / 8\"\n"
                             "say = \"Sectors\"\nsizes = [\"8x32x64\"]\nview = \"sectors\"\n";
    const auto verdict = judge(rule, right);
    EXPECT_TRUE(verdict.passed());
    EXPECT_EQ(verdict.rules.back().bound, 8 * 32 * 64);
    std::string atomic = right;
    atomic.replace(atomic.find("B[(first + k) * N + column]"), 27,
                   "atomicAdd(const_cast<float*>(&B[(first + k) * N + column]), 0.0f)");
    atomic.replace(atomic.find("A[row * K + first + x]"), 22,
                   "atomicAdd(const_cast<float*>(&A[row * K + first + x]), 0.0f)");
    const auto cheat = judge(rule, atomic);
    ASSERT_TRUE(cheat.first() && cheat.first()->look);
    EXPECT_EQ(cheat.first()->wanted.english(), "at least 256");
    EXPECT_EQ(cheat.first()->look->line, 0);
}

// Lines cause what is too much. Of instructions, those with the most of them, however many sectors each moves.
TEST_F(Rules, NameTheLineOfWhatIsTooMuch) {
    const std::string few = "figure = \"counters.global_load.instructions\"\nleast = \"M * N * K\"\nsay = \"Loads\"\n"
                            "sizes = [\"8x32x64\"]\nview = \"source\"\n";
    const auto missing = judge(few, right);
    ASSERT_TRUE(missing.first() && missing.first()->look);
    EXPECT_EQ(missing.first()->look->line, 0);
    EXPECT_EQ(missing.first()->look->view, "source");
    const std::string many = "figure = \"counters.global_load.instructions\"\nmost = \"0\"\nsay = \"Loads\"\n"
                             "sizes = [\"128x32x4\"]\n";
    std::string wide = right; // one load of 32 sectors before the loop, four of four sectors in it
    wide.replace(wide.find("    float sum = 0;"), 18, "    float sum = 0 * A[x * 8];");
    const auto verdict = judge(many, wide);
    ASSERT_TRUE(verdict.first() && verdict.first()->look);
    EXPECT_EQ(verdict.first()->look->line, 20);
}

TEST_F(Rules, SayWhichParameterIsMissing) {
    const auto verdict = judge("check = \"result\"\nsizes = [\"8x8x8\"]\nparameters = { TILE = 8 }\n", right);
    ASSERT_TRUE(verdict.first());
    EXPECT_EQ(verdict.first()->standing, Judged::Standing::failed);
    EXPECT_NE(verdict.first()->got.english().find("no parameter TILE"), std::string::npos)
        << verdict.first()->got.english();
}

// Through registers: what is loaded before the product and stored behind it.
TEST_F(Rules, CountTilesInFlightAtAMoment) {
    const std::string rule =
        "figure = \"in_flight\"\nmoment = \"first fma in k-tile 1\"\nleast = \"1\"\nsay = \"In flight\"\n"
        "sizes = [\"8x32x64\"]\n";
    const std::string fetch =
        "        const float next = x < DEPTH && first + DEPTH + x < K ? A[row * K + first + DEPTH + x] : 0;\n";
    const std::string put = "        if (x < DEPTH) a[x] = next;\n";
    const std::string first = "        if (first == 0 && x < DEPTH) a[x] = x < K ? A[row * K + x] : 0;\n";
    const std::string sums = "        float extra = 0;\n#pragma unroll 1\n" // of the tile alone
                             "        for (int k = 0; k < DEPTH; ++k) extra = fmaf(a[k], a[k], extra);\n"
                             "        sum += 0 * extra;\n";
    const auto ahead = judge(rule, staged(first + barrier + fetch + sums + product + barrier + put));
    EXPECT_EQ(ahead.rules.back().value, 1) << ahead.rules.back().got.english();
    EXPECT_TRUE(ahead.passed());
    const auto late = judge(rule, staged(load + barrier + sums + product + barrier));
    EXPECT_EQ(late.rules.back().value, 0);
    ASSERT_TRUE(late.first() && late.first()->look);
    EXPECT_EQ(late.first()->look->line, 22); // the sums
    const auto none = judge(
        "figure = \"access.wavefronts\"\nmoment = \"load of nothing\"\nmost = \"1\"\nsay = \"W\"\nsizes = [\"8x32x64\"]\n",
        right);
    ASSERT_TRUE(none.first());
    EXPECT_NE(none.first()->got.english().find("load of nothing"), std::string::npos) << none.first()->got.english();
}

// A figure of lessons at a moment: 16 lanes store a row.
TEST_F(Rules, CountAnAccessAtAMoment) {
    const auto verdict = judge(
        "figure = \"access.lanes\"\nmoment = \"first store of a in k-tile 1\"\nmost = \"16\"\nsay = \"Lanes\"\nsizes = [\"8x32x64\"]\n",
        right);
    EXPECT_TRUE(verdict.passed());
    EXPECT_EQ(verdict.rules.back().value, 16);
}

// Of a copy that nobody waits for, the read is named, not that the thread exits while the copy is under way.
TEST_F(Rules, AReadOfACopyUnderWayIsNamedFirst) {
    std::string copied = right;
    copied.insert(copied.find("template"), "#include <cuda_pipeline.h>\n");
    copied.replace(
        copied.find(load), load.size(),
        "        if (x < DEPTH) __pipeline_memcpy_async(&a[x], first + x < K ? A + row * K + first + x : A, 4, first + x < K ? 0 : 4);\n"
        "        __pipeline_commit();\n");
    const auto verdict = judge("check = \"findings\"\nsizes = [\"8x32x32\"]\n", copied);
    ASSERT_TRUE(verdict.first() && verdict.first()->look);
    EXPECT_TRUE(verdict.first()->got.english().starts_with("unwaited_async_copy")) << verdict.first()->got.english();
    EXPECT_NE(verdict.first()->look->text.english().find("before the wait"), std::string::npos)
        << verdict.first()->look->text.english();
}

TEST(RuleFiles, MistakesInParametersAndMomentsAreTold) {
    const std::string result = "check = \"result\"\nsizes = [\"8x8x8\"]\n";
    for (const auto& [rule, says] :
         {std::pair<std::string, const char*>{result + "parameters = 3\n", "table of numbers"},
          {result + "parameters = { DEPTH = \"8\" }\n", "whole number"},
          {"figure = \"in_flight\"\nleast = \"1\"\nsay = \"S\"\nsizes = [\"8x8x8\"]\n", "a figure of a moment"}}) {
        const Folder folder;
        const auto read = exercise_of(folder, rule_head + rule);
        ASSERT_FALSE(read) << rule;
        EXPECT_NE(read.error().sentence().find(says), std::string::npos) << read.error().sentence();
    }
}

TEST(RuleFiles, ExercisesStandInTheirOrder) {
    const Folder folder;
    for (const auto& [id, order] : {std::pair{"a", 3}, {"b", 1}, {"c", 2}, {"d", 1}}) {
        folder.write(fs::path(id) / "exercise.toml", fmt::format("order = {}\n", order) + rules);
        folder.write(fs::path(id) / fmt::format("{}.cu", id), kernel(right_body));
    }
    const auto all = exercise::load({folder.path()});
    std::string ids;
    for (const auto& one : all.exercises) ids += one->id;
    EXPECT_EQ(ids, "bdca");
}

} // namespace
