#include "gpu/protocol.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

gpu::Launch launch() {
    gpu::Launch l;
    l.kernel = "double_buffer";
    l.parameters = {{"BM", 128}};
    for (int i = 0; i < 300; ++i) l.image.push_back(static_cast<std::byte>(i));
    l.entry = "_Z13double_buffer";
    l.cuda = "13.0";
    l.grid = {64, 32, 1};
    l.block = {16, 16, 1};
    l.dynamic_shared_bytes = 65536;
    l.tensor_maps = {{'A', 64, 32, 128, true}, {'C', 8, 4, 0}};
    l.problem.m = 100;
    l.problem.n = 37;
    l.problem.k = 65;
    l.operands = catalog::OperandType::bf16;
    l.row_alignment = 128;
    l.placement = catalog::Placement::prefetch;
    l.alpha = 1.1f;
    l.beta = -0.3f;
    l.seed = 0xffff'ffff'ffff'fff1;
    return l;
}

template <class Message>
void expect_request_returns(const Message& sent) {
    std::string line = gpu::to_json(gpu::Request(sent));
    EXPECT_EQ(line.find('\n'), std::string::npos);
    auto back = gpu::request_from_json(line).request;
    ASSERT_TRUE(back) << back.error().sentence();
    ASSERT_TRUE(std::holds_alternative<Message>(*back));
    EXPECT_TRUE(std::get<Message>(*back) == sent) << line;
}

template <class Message>
void expect_reply_returns(const Message& sent) {
    auto back = gpu::reply_from_json(gpu::to_json(gpu::Reply(sent)));
    ASSERT_TRUE(back) << back.error().sentence();
    ASSERT_TRUE(std::holds_alternative<Message>(back->reply));
    EXPECT_TRUE(std::get<Message>(back->reply) == sent);
}

TEST(Protocol, RequestsReturn) {
    gpu::BenchRequest bench;
    bench.launch = launch();
    bench.device = 3;
    bench.max_samples = 7;
    bench.time_limit_s = 1.25;
    bench.quick = true;
    expect_request_returns(bench);
    gpu::RunRequest run;
    run.launch = launch();
    run.values = true;
    expect_request_returns(run);
    expect_request_returns(gpu::HostProductRequest{launch(), 1, 7, 2.5});
    gpu::PeaksRequest peaks{launch(), launch(), launch(), 5e9, {launch(), 1 << 14, 3e6}, {launch(), 1 << 24, 4e6},
                            1,        2.5};
    peaks.l1.read.entry = "l1_peak";
    peaks.l2.read.entry = "l2_peak";
    peaks.fp64.entry = "fp64_peak";
    peaks.copy.entry = "copy_peak";
    expect_request_returns(peaks);
    expect_request_returns(gpu::TimelineRequest{launch(), {std::byte{1}, std::byte{0}}, 1, 2.5});
    expect_request_returns(gpu::StreamRequest{launch(),
                                              {4096, 2048, 1024, 3, 4'000'000'000},
                                              {{{100, 37, 64}, {1, 2, 3}}, {{100, 37, 1}, {4, 5, 6}}},
                                              1,
                                              2.5});
    expect_request_returns(gpu::Ping{});
    expect_request_returns(gpu::Quit{});
}

TEST(Protocol, RepliesReturn) {
    measure::StreamRecord streamed;
    streamed.kernel = "out_of_core";
    streamed.problem = {100, 37, 65};
    streamed.shape = {128, 128, 128, 2, 4'000'000};
    streamed.measured = true;
    streamed.times = {{0, 1}, {1, 2.5}, {2.5, 3}};
    streamed.device = "GPU", streamed.date = "2026-11-20";
    expect_reply_returns(streamed);
    gpu::Hello hello;
    hello.driver = "580.159.04";
    hello.cuda = "13.0";
    hello.cublas_missing = "libcublas.so.13: cannot open";
    hello.devices = {{"NVIDIA H200", "sm_90", 132, 1980, 3201, 6144, uint64_t{143} << 30, 60 << 20, 228 << 10},
                     {"other", "sm_75", 1, 2, 3, 4, 5, 6, 7}};
    expect_reply_returns(hello);
    expect_reply_returns(measure::Progress{measure::Phase::back_to_back, 3, 9});
    gpu::RunResult ran;
    ran.hash = "0123";
    ran.c = base::Numbers(std::vector{1.5f, -0.0f, 3e38f});
    ran.ms = 0.25;
    ran.device = "NVIDIA H200";
    expect_reply_returns(ran);
    ran.c = base::Numbers(std::vector{0.1, -0.0, 1e300});
    expect_reply_returns(ran);
    measure::BlockTimeline timeline;
    timeline.kernel = "double_buffer";
    timeline.m = timeline.n = timeline.k = timeline.multiprocessors = 2;
    timeline.plain_ms = timeline.recorded_ms = 0.5;
    timeline.blocks = {{0, 7, 1}};
    expect_reply_returns(timeline);
    expect_reply_returns(measure::Peaks{65300, 32600, 4321.5, 1980, 1950, 1965, "580.159.04", "13.0", "2026-11-20",
                                        30100.5, 7000.5, 1970, 1960});
}

TEST(Protocol, RefusalReturns) {
    const base::Sentence what = base::say("cannot open {}: {}", "/dev/nvidia0", base::say("no GPU"));
    gpu::Refusal refusal{{base::Failure::missing, what, "here", base::say("buy one")}, true};
    auto back = gpu::reply_from_json(gpu::to_json(gpu::Reply(refusal)));
    ASSERT_TRUE(back);
    const auto& read = std::get<gpu::Refusal>(back->reply);
    EXPECT_EQ(read.error.sentence(), "here: cannot open /dev/nvidia0: no GPU; buy one");
    EXPECT_EQ(read.error.what, what) << "it can be said in another language";
    EXPECT_EQ(read.error.todo, refusal.error.todo);
    EXPECT_EQ(read.error.failure, base::Failure::missing);
    EXPECT_TRUE(read.fatal);
}

TEST(Protocol, NaNReturnsAsNaN) {
    gpu::RunResult ran;
    ran.c = base::Numbers(std::vector{std::nanf("")});
    ran.max_rel_error = std::nan("");
    auto back = gpu::reply_from_json(gpu::to_json(gpu::Reply(ran)));
    ASSERT_TRUE(back) << back.error().sentence();
    EXPECT_TRUE(std::isnan(std::get<gpu::RunResult>(back->reply).max_rel_error));
    EXPECT_TRUE(std::isnan(std::get<gpu::RunResult>(back->reply).c[0]));
}

TEST(Protocol, AnotherVersionIsReadAsFarAsItsNumber) {
    auto reply = gpu::reply_from_json(R"({"type":"hello","version":99,"anything":true})");
    ASSERT_TRUE(reply);
    EXPECT_EQ(std::get<gpu::Hello>(reply->reply).version, 99);
}

TEST(Protocol, ARequestAndItsAnswerCarryItsNumber) {
    constexpr uint64_t number = 0xffff'ffff'ffff'fff1;
    EXPECT_EQ(gpu::request_from_json(gpu::to_json(gpu::Request(gpu::Quit{}), number)).number, number);
    auto said = gpu::reply_from_json(gpu::to_json(gpu::Reply(measure::Progress{}), number));
    ASSERT_TRUE(said) << said.error().sentence();
    EXPECT_EQ(said->number, number);
    EXPECT_EQ(gpu::to_json(gpu::Reply(measure::Progress{})).find("\"id\""), std::string::npos);
    const auto asked = gpu::request_from_json(R"({"type":"tea","id":7})");
    EXPECT_EQ(asked.number, 7u) << "what is not understood is refused by its number";
    EXPECT_FALSE(asked.request);
    EXPECT_FALSE(gpu::request_from_json(R"({"type":"quit","id":-1})").request);
}

// As deep as it is long, in each place where a value was copied or printed.
TEST(Protocol, DepthIsRefused) {
    constexpr size_t depth = 1 << 20;
    const std::string deep = std::string(depth, '[') + std::string(depth, ']');
    for (const char* line :
         {R"({"type":"point","point":{"a":#}})", R"({"type":"peaks","peaks":{"a":#}})",
          R"({"type":"timeline","timeline":{"parameters":{"a":#}}})",
          R"({"type":"streamed","record":{"shape":{"a":#}}})", R"({"type":"hello","devices":[{"a":#}]})"}) {
        std::string text = line;
        auto reply = gpu::reply_from_json(text.replace(text.find('#'), 1, deep));
        ASSERT_FALSE(reply) << line;
        EXPECT_EQ(reply.error().what.english(), "JSON of more than 16 levels");
    }
    auto asked = gpu::request_from_json(R"({"type":"bench","launch":{"parameters":{"a":)" + deep + "}}}");
    EXPECT_FALSE(asked.request);
    EXPECT_FALSE(measure::point_from_json(R"({"kernel":"naive","parameters":{"a":)" + deep + "}}"));
}

TEST(Protocol, DamageIsNamed) {
    gpu::BenchRequest bench;
    bench.launch = launch();
    std::string line = gpu::to_json(gpu::Request(bench));
    auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = line;
        size_t at = text.find(from);
        EXPECT_NE(at, std::string::npos) << from;
        return text.replace(at, from.size(), to);
    };
    struct {
        std::string text, said;
    } cases[] = {
        {"", "not JSON"},
        {"{}", "type is missing"},
        {R"({"type":"tea"})", "type is unknown: \"tea\""},
        {changed("\"m\":100", "\"m\":0"), "launch.m is not a whole number"},
        {changed("\"m\":100", "\"m\":99999999"), "launch.m is not a whole number"},
        {changed("\"grid\":{\"x\":64", "\"grid\":{\"x\":-1"), "launch.grid.x is not a whole number"},
        {changed("\"image\":\"", "\"image\":\"*"), "launch.image is not base64"},
        {changed("\"seed\":", "\"seed\":-"), "launch.seed is not a whole number"},
        {changed("\"time_limit_s\":20.0", "\"time_limit_s\":0"), "time_limit_s is not above 0"},
    };
    for (const auto& [text, said] : cases) {
        auto request = gpu::request_from_json(text).request;
        ASSERT_FALSE(request) << text;
        EXPECT_NE(request.error().what.english().find(said), std::string::npos) << request.error().what.english();
    }
    EXPECT_FALSE(gpu::reply_from_json(
        R"({"type":"refusal","failure":1,"what":{"say":"no list"},"where":"","todo":"","fatal":false})"));
    EXPECT_FALSE(gpu::reply_from_json(R"({"type":"progress","phase":"tea","done":0,"of":0})"));
    EXPECT_FALSE(gpu::reply_from_json(
        R"({"type":"hello","version":16,"host":"","driver":"","cuda":"","cublas":"","cublas_missing":"","devices":[]})"));
    EXPECT_FALSE(gpu::reply_from_json(R"({"type":"ran","hash":"","ms":1,"device":"","max_rel_error":0,"c":"AAA="})"))
        << "two bytes are no float";
}

} // namespace
