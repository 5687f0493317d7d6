// gemmscope log, as a user types it.
#include "program.h"

#include <sstream>

namespace {

using nlohmann::json;
using program::expect_refused;
using program::run;

std::vector<json> lines(const std::string& text) {
    std::vector<json> all;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) all.push_back(json::parse(line));
    return all;
}

TEST(Log, IsATableWithItsDeadEnds) {
    const auto log = run({"log"});
    ASSERT_EQ(log.code, 0) << log.err;
    EXPECT_NE(log.out.find("FP32 · From double buffering past cuBLAS (champion)"), std::string::npos) << log.out;
    EXPECT_NE(log.out.find("49.7 TFLOPS, 0.971 × cuBLAS"), std::string::npos) << log.out;
    EXPECT_NE(log.out.find("dead end"), std::string::npos) << log.out;
}

TEST(Log, TellsOneStepInEitherLanguage) {
    const auto one = run({"log", "bf16_stream_k"});
    ASSERT_EQ(one.code, 0) << one.err;
    for (const char* words :
         {"dead end", "Predicted\n  2 % faster.", "0.445 × cuBLAS, 2048 × 4096 × 14336", "H100 SXM"})
        EXPECT_NE(one.out.find(words), std::string::npos) << words << one.out;
    const auto chinese = run({"--lang", "zh", "log", "bf16_stream_k"});
    EXPECT_NE(chinese.out.find("此路不通"), std::string::npos) << chinese.out;
}

// docs/json.md says what each field is.
TEST(Log, PrintsAnObjectForEachStep) {
    const auto all = lines(run({"log", "bf16", "--json"}).out);
    ASSERT_GE(all.size(), 8u);
    for (const json& one : all) {
        EXPECT_EQ(program::keys(one),
                  (program::Names{"cause", "chapter", "compiler", "driver", "hypothesis", "id", "kept", "kernel",
                                  "measured", "number", "operands", "predicted", "scene", "setting", "title"}));
        EXPECT_EQ(one["operands"], "bf16");
        ASSERT_FALSE(one["measured"].empty()) << one["id"];
        for (const json& figure : one["measured"])
            EXPECT_EQ(program::keys(figure), (program::Names{"before", "cublas_tflops", "date", "device", "k", "m", "n",
                                                             "of", "ratio", "unit", "value"}));
        EXPECT_EQ(program::keys(one["scene"]),
                  (program::Names{"baseline", "k", "kernel", "look", "m", "n", "parameters", "source", "view"}));
    }
}

TEST(Log, IsAskedByKernelToo) {
    const auto of_kernel = lines(run({"log", "split_k", "--json"}).out);
    ASSERT_GE(of_kernel.size(), 4u);
    for (const json& one : of_kernel) EXPECT_EQ(one["kernel"], "split_k");
    const auto shown = lines(run({"log", "double_buffer", "--json"}).out);
    ASSERT_GE(shown.size(), 2u);
    EXPECT_EQ(shown.front()["scene"]["kernel"], "double_buffer") << "whose chapter is the champion's";
    expect_refused({"log", "nothing"}, 2, "the log tells nothing of \"nothing\"");
}

} // namespace
