// The worker's part of a sweep, on an invented GPU where every launch takes a millisecond and cuBLAS two.
#include "fake_gpu.h"

#include <gtest/gtest.h>

namespace {

using fake_gpu::answer, fake_gpu::on_fake_gpu, fake_gpu::said;

const std::string with_cublas = FAKE_CUDA ":" FAKE_CUBLAS;

gpu::SweepRequest request(const std::string& behaviour, std::vector<int> edges = {33, 65}) {
    gpu::SweepRequest r;
    r.launch = fake_gpu::launch(behaviour);
    for (const int edge : edges) r.sizes.push_back({{edge, edge, edge}, {1, 1, 1}, {32, 1, 1}, 0, {}});
    r.compare = fake_gpu::launch("compare");
    r.time_limit_s = 2;
    return r;
}

gpu::Swept swept(gpu::Worker& worker, const gpu::SweepRequest& r) {
    auto event = answer(worker, r);
    auto* found = std::get_if<gpu::Swept>(&event);
    EXPECT_TRUE(found) << said(event);
    return found ? *found : gpu::Swept{};
}

TEST(SweepWorker, MeasuresASettingAtEachSizeBesideCublas) {
    gpu::Worker worker(on_fake_gpu(with_cublas));
    const gpu::Swept s = swept(worker, request("right"));
    ASSERT_EQ(s.sizes.size(), 2u);
    for (const auto& at : s.sizes) {
        EXPECT_EQ(at.failed, "");
        EXPECT_EQ(at.ms, 1);
        EXPECT_EQ(at.samples, 6); // all alike: as few as the rule allows
        EXPECT_EQ(at.spread, 0);
        EXPECT_EQ(at.cublas_ms, 2);
        EXPECT_EQ(at.cublas, "13.0.2 cublasLt heuristic 3 (algorithm 22, split-K 4)");
    }
}

TEST(SweepWorker, WithoutCublasItIsVerifiedOnTheHost) {
    gpu::Worker worker(on_fake_gpu());
    EXPECT_EQ(swept(worker, request("right")).sizes[1].cublas_ms, 0);
    EXPECT_EQ(swept(worker, request("right")).sizes[1].ms, 1);
    EXPECT_NE(swept(worker, request("wrong")).sizes[0].failed.find("wrong is wrong at 33 x 33 x 33"),
              std::string::npos);
}

TEST(SweepWorker, AWrongSettingIsSaidAndTheNextIsMeasured) {
    gpu::Worker worker(on_fake_gpu(with_cublas));
    for (const auto& at : swept(worker, request("wrong")).sizes) {
        EXPECT_NE(at.failed.find("wrong is wrong at"), std::string::npos) << at.failed; // by one element that is NaN
        EXPECT_EQ(at.ms, 0);
    }
    EXPECT_EQ(swept(worker, request("right")).sizes[0].ms, 1);
}

TEST(SweepWorker, AGpuThatIsLostIsNotAskedFurther) {
    gpu::Worker worker(on_fake_gpu(with_cublas));
    for (const char* behaviour : {"illegal", "endless"}) {
        auto r = request(behaviour);
        if (behaviour[0] == 'e') r.time_limit_s = 0.5;
        const gpu::Swept s = swept(worker, r);
        ASSERT_EQ(s.sizes.size(), 2u);
        EXPECT_NE(s.sizes[0].failed, "");
        EXPECT_NE(s.sizes[1].failed.find("not tried after 33 x 33 x 33"), std::string::npos) << s.sizes[1].failed;
        EXPECT_TRUE(s.lost);
        worker.cancel();
        EXPECT_EQ(swept(worker, request("right")).sizes[1].ms, 1) << "another worker is started";
    }
}

TEST(SweepWorker, OperandsOfOneKernelAfterAnothersAreMultipliedAsTheyAre) {
    gpu::Worker worker(on_fake_gpu(with_cublas));
    for (const char* behaviour : {"right", "bf16", "right"}) {
        auto r = request(behaviour);
        r.launch.operands = behaviour[0] == 'b' ? catalog::OperandType::bf16 : catalog::OperandType::f32;
        EXPECT_EQ(swept(worker, r).sizes[0].cublas_ms, behaviour[0] == 'b' ? 1 : 2);
    }
}

TEST(SweepWorker, WhatIsSaidIsReadAgain) {
    gpu::SweepRequest r = request("right");
    r.sizes[1].tensor_maps.push_back({'B', 16, 32, 128});
    const auto asked = gpu::request_from_json(gpu::to_json(gpu::Request(r), 5));
    ASSERT_TRUE(asked.request) << asked.request.error().sentence();
    EXPECT_EQ(std::get<gpu::SweepRequest>(*asked.request), r);
    gpu::Swept s;
    s.sizes = {{1.5, 7, 0.25, 2, "13.0.2 cublasSgemm", ""}, {0, 0, 0, 2, "", "it is wrong"}};
    s.sm_clock_mhz = 1980;
    const auto reply = gpu::reply_from_json(gpu::to_json(gpu::Reply(s), 5));
    ASSERT_TRUE(reply) << reply.error().sentence();
    EXPECT_EQ(std::get<gpu::Swept>(reply->reply), s);
}

TEST(SweepWorker, HostileAnswersAreRefused) {
    const auto with = [](const std::string& at) {
        return R"({"type":"swept","id":1,"sm_clock_mhz":1,"lost":false,"sizes":[)" + at + "]}";
    };
    const std::string right = R"({"ms":1.5,"samples":7,"spread":0.1,"cublas_ms":2,"cublas":"","failed":""})";
    EXPECT_TRUE(gpu::reply_from_json(with(right)));
    for (const auto& [from, to] : {std::pair<std::string, std::string>{"1.5", "-1.5"},
                                   {"1.5", "1e300"},
                                   {"1.5", "0"},
                                   {"1.5", "null"},
                                   {"7", "0"},
                                   {"7", "-7"},
                                   {"0.1", "-0.1"},
                                   {":2,", ":-2,"},
                                   {R"("failed":"")", R"("failed":"no")"},
                                   {"\"cublas\":\"\",", ""}}) {
        std::string broken = right;
        broken.replace(broken.find(from), from.size(), to);
        EXPECT_FALSE(gpu::reply_from_json(with(broken))) << broken;
    }
    std::string many = right;
    for (int i = 0; i < 64; ++i) many += "," + right;
    EXPECT_FALSE(gpu::reply_from_json(with(many)));
}

} // namespace
