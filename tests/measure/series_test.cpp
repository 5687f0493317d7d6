#include "measure/references.h"
#include "measure/series.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;

const fs::path published = fs::path(SOURCE_DIR) / "assets/published";

class Series : public testing::Test {
protected:
    fs::path write(const std::string& text) {
        fs::path path = fs::path(testing::TempDir()) / ("series_" + std::to_string(getpid()) + "_" +
                                                        testing::UnitTest::GetInstance()->current_test_info()->name());
        std::ofstream(path) << text;
        written_.push_back(path);
        return path;
    }
    void TearDown() override {
        for (const fs::path& path : written_) fs::remove(path);
    }

private:
    std::vector<fs::path> written_;
};

const measure::Series* named(const std::vector<measure::Series>& all, const std::string& name) {
    for (const measure::Series& series : all)
        if (series.name == name) return &series;
    return nullptr;
}

measure::BenchPoint point(const std::string& kernel, int size, double ms, double cublas_ms) {
    measure::BenchPoint p;
    p.kernel = kernel;
    p.m = p.n = p.k = size;
    p.samples = 10;
    p.median_ms = p.min_ms = p.back_to_back_ms = ms;
    p.gflops = measure::gflops(size, size, size, ms);
    p.cublas = {"pedantic_fp32", cublas_ms, measure::gflops(size, size, size, cublas_ms), {}, {}};
    p.ratio = cublas_ms / ms;
    p.device = "Device";
    p.sm_clock_mhz = 1980;
    p.driver = "1";
    p.cuda = "13.0";
    p.date = "2026-11-20";
    return p;
}

TEST_F(Series, PublishedByTimesNotByTheirOwnColumn) {
    auto series = measure::read_published(published / "v100_pcie_sgemm_k1024.csv");
    ASSERT_TRUE(series) << series.error().sentence();
    ASSERT_EQ(series->size(), 5u);
    const measure::Series* naive = named(*series, "naive");
    ASSERT_TRUE(naive);
    ASSERT_EQ(naive->samples.size(), 15u);
    // First row: 128 128 1024, mean 0.00010260 s; its own column divides by 2^30 and says 304.5951.
    EXPECT_EQ(naive->samples[0].m, 128);
    EXPECT_EQ(naive->samples[0].k, 1024);
    EXPECT_NEAR(naive->samples[0].gflops, 2.0 * 128 * 128 * 1024 / 0.00010260 / 1e9, 1e-6);
    EXPECT_NEAR(naive->samples[0].gflops / 304.5951, 1.0737, 0.005);
    EXPECT_EQ(naive->origin, measure::Origin::published);
    EXPECT_EQ(naive->device, "Tesla V100-PCIE-32GB");
    EXPECT_NE(naive->source.find("2^30"), std::string::npos);
    for (size_t i = 1; i < naive->samples.size(); ++i) EXPECT_GT(naive->samples[i].m, naive->samples[i - 1].m);
    ASSERT_TRUE(named(*series, "double_buffer"));
    EXPECT_EQ(named(*series, "double_buffer")->kernel, "double_buffer");
    ASSERT_TRUE(named(*series, "cublas_fp32"));
    EXPECT_EQ(named(*series, "cublas_fp32")->kernel, "");
}

TEST_F(Series, PublishedOfOneSize) {
    auto series = measure::read_published(published / "v100_sxm2_sgemm_8192.csv");
    ASSERT_TRUE(series) << series.error().sentence();
    EXPECT_EQ(series->size(), 14u);
    const measure::Series* cublas = named(*series, "cublas_fp32");
    ASSERT_TRUE(cublas);
    ASSERT_EQ(cublas->samples.size(), 1u);
    EXPECT_EQ(cublas->samples[0].n, 8192);
    EXPECT_NEAR(cublas->samples[0].gflops, 15325.16, 0.1); // its own column: 1.532516e13
    EXPECT_EQ(cublas->clock, "1530 MHz");
    EXPECT_EQ(cublas->compiler, "CUDA 11.2");
    EXPECT_EQ(cublas->date, "2021-10-08");
    ASSERT_TRUE(named(*series, "naive_uncoalesced"));
    EXPECT_EQ(named(*series, "CutlassSgemmNN")->kernel, "");
}

TEST_F(Series, DamagedPublishedFilesNameTheLine) {
    struct {
        std::string text, said;
    } cases[] = {
        {"", "holds no figures"},
        {"# only: this\n", "holds no figures"},
        {"version,M,N,K,mean_s\n", "holds no figures"},
        {"version,M,N,K\nnaive,1,1,1\n", ":1: the header needs"},
        {"version,M,N,K,mean_s\nnaive,1,1\n", ":2: has 3 cells, the header 5"},
        {"version,M,N,K,mean_s\nnaive,1,x,1,0.5\n", ":2: N = x"},
        {"version,M,N,K,mean_s\nnaive,1,0,1,0.5\n", ":2: N = 0"},
        {"version,M,N,K,mean_s\n\nnaive,1,1,1,0\n", ":3: mean_s is not above 0"},
        {"version,M,N,K,mean_s\nnaive,1,1,1,fast\n", ":2: mean_s = fast"},
        {"version,ms\nnaive,1\n", ":2: M = "},
    };
    for (const auto& [text, said] : cases) {
        auto series = measure::read_published(write(text));
        ASSERT_FALSE(series) << text;
        EXPECT_NE(series.error().sentence().find(said), std::string::npos) << series.error().sentence();
    }
    EXPECT_FALSE(measure::read_published("/nowhere/at/all.csv"));
}

TEST_F(Series, WindowsLineEnds) {
    auto series = measure::read_published(write("# m: 8\r\n# n: 8\r\n# k: 8\r\nversion,ms\r\nnaive,1\r\n"));
    ASSERT_TRUE(series) << series.error().sentence();
    EXPECT_EQ(series->at(0).samples.at(0).m, 8);
}

TEST_F(Series, RecordedBecomesOneSeriesAKernelAndOneOfCublas) {
    std::string text = R"({"provenance":{"command":"gemmscope bench naive"}})"
                       "\n";
    for (const auto& p : {point("naive", 1024, 2, 1.0), point("naive", 512, 1, 0.5),
                          point("shared_tile", 1024, 1.5, 1.2), point("shared_tile", 1024, 1.25, 1.1)})
        text += measure::to_json(p) + "\n";
    auto series = measure::read_recorded(write(text));
    ASSERT_TRUE(series) << series.error().sentence();
    ASSERT_EQ(series->size(), 3u);
    const measure::Series& naive = *named(*series, "naive");
    ASSERT_EQ(naive.samples.size(), 2u);
    EXPECT_EQ(naive.samples[0].m, 512);
    EXPECT_EQ(naive.clock, "1980 MHz");
    EXPECT_EQ(naive.compiler, "CUDA 13.0");
    EXPECT_NE(naive.source.find("gemmscope bench naive"), std::string::npos);
    const measure::Series& shared = *named(*series, "shared_tile");
    ASSERT_EQ(shared.samples.size(), 1u); // the fastest of a size stands
    constexpr double digits = 1e-5;       // six are written
    EXPECT_NEAR(shared.samples[0].gflops / measure::gflops(1024, 1024, 1024, 1.25), 1, digits);
    EXPECT_EQ(shared.settings.size(), 1u) << "the same setting, measured again";
    const measure::Series& cublas = *named(*series, "cublas_fp32");
    ASSERT_EQ(cublas.samples.size(), 2u);
    EXPECT_NEAR(cublas.samples[1].gflops / measure::gflops(1024, 1024, 1024, 1.1), 1,
                digits); // median of 1.0, 1.2, 1.1 ms
    EXPECT_EQ(cublas.kernel, "");
}

TEST_F(Series, SettingsAreAllThatWereMeasuredAtASizeTheLatestOfEach) {
    auto narrow = point("naive", 512, 4, 2), wide = point("naive", 512, 2, 2), again = point("naive", 512, 5, 2);
    narrow.parameters = again.parameters = {{"BX", 8}};
    wide.parameters = {{"BX", 32}};
    for (const auto origin : {measure::Origin::recorded, measure::Origin::live}) {
        const auto series = measure::series_of({narrow, wide, again}, origin, "");
        std::map<int, double> settings;
        for (const measure::Series& one : series)
            for (const measure::Sample& sample : one.settings) {
                EXPECT_EQ(one.kernel, "naive") << "cuBLAS has none";
                EXPECT_TRUE(settings.emplace(sample.parameters.at("BX"), sample.gflops).second);
            }
        EXPECT_EQ(settings, (std::map<int, double>{{8, again.gflops}, {32, wide.gflops}}));
        const auto is_narrow = [](const measure::BenchPoint& p) { return p.parameters.at("BX") == 8; };
        const auto some = measure::series_of({narrow, wide}, measure::Origin::recorded, "", is_narrow);
        ASSERT_EQ(some[0].samples.size(), 1u);
        EXPECT_EQ(some[0].samples[0].gflops, narrow.gflops) << "though the other is faster";
        EXPECT_EQ(some[0].settings.size(), 2u);
    }
}

TEST_F(Series, EachTypeOfOperandsHasItsOwnCublas) {
    auto single = point("naive", 512, 4, 2), half = point("tensor", 512, 0.5, 0.25), cut = point("tensor", 512, 1, 0.5),
         twice = point("double", 512, 8, 4);
    half.operands = catalog::OperandType::bf16;
    cut.operands = catalog::OperandType::tf32;
    twice.operands = catalog::OperandType::f64;
    auto series = measure::series_of({single, half, cut, twice}, measure::Origin::recorded, "a record");
    ASSERT_EQ(series.size(), 8u) << "the same kernel with other operands is another, too";
    for (auto [name, of] :
         {std::pair{"cublas_fp32", single}, {"cublas_bf16", half}, {"cublas_tf32", cut}, {"cublas_fp64", twice}}) {
        const measure::Series* cublas = named(series, name);
        ASSERT_TRUE(cublas) << name;
        EXPECT_TRUE(measure::is_cublas(*cublas));
        EXPECT_EQ(cublas->operands, of.operands);
        ASSERT_EQ(cublas->samples.size(), 1u);
        EXPECT_EQ(cublas->samples[0].gflops, of.cublas.gflops);
    }
    EXPECT_FALSE(measure::is_cublas(*named(series, "tensor")));
}

TEST_F(Series, OfALibraryIsAReferenceAndNoKernel) {
    auto openblas = point("openblas_fp64", 512, 4, 2);
    openblas.parameters = {{"threads", 8}};
    openblas.operands = catalog::OperandType::f64;
    openblas.cublas = {};
    openblas.driver = openblas.cuda = "";
    openblas.sm_clock_mhz = 0;
    openblas.library = "OpenBLAS 0.3.21, Haswell kernels";
    const auto series = measure::series_of({openblas}, measure::Origin::recorded, "a record");
    ASSERT_EQ(series.size(), 1u);
    EXPECT_EQ(series[0].name, "openblas_fp64");
    EXPECT_EQ(series[0].kernel, "");
    EXPECT_FALSE(measure::is_cublas(series[0]));
    EXPECT_EQ(series[0].compiler, openblas.library);
    EXPECT_EQ(series[0].clock, "");
    ASSERT_EQ(series[0].samples.size(), 1u);
    EXPECT_EQ(series[0].samples[0].gflops, openblas.gflops);
}

TEST_F(Series, EveryNameOfCublasIsAReference) {
    using enum catalog::OperandType;
    for (const auto type : {f32, tf32, bf16, f64, b1}) {
        const auto* known = measure::reference_series(measure::cublas_name(type));
        ASSERT_TRUE(known) << measure::cublas_name(type);
        EXPECT_EQ(known->operands, catalog::cublas_operands(type));
    }
    EXPECT_EQ(measure::references_named("openblas").size(), 2u);
    EXPECT_EQ(measure::references_named("openblas_fp64").size(), 1u);
    EXPECT_EQ(measure::references_named("cutlass").size(), 2u);
    EXPECT_TRUE(measure::references_named("open").empty());
}

TEST_F(Series, CublasBesideALibraryIsNotOfThatLibrary) {
    auto cutlass = point("cutlass_256x128", 512, 1, 1);
    cutlass.library = "CUTLASS 4.2.0, 5 stages";
    cutlass.cuda = "13.0";
    const auto series = measure::series_of({cutlass}, measure::Origin::recorded, "a record");
    ASSERT_EQ(series.size(), 2u);
    const auto* of_cutlass = named(series, "cutlass_256x128");
    ASSERT_TRUE(of_cutlass);
    EXPECT_EQ(of_cutlass->kernel, "");
    EXPECT_FALSE(measure::is_cublas(*of_cutlass)) << "though its operands are cuBLAS's";
    EXPECT_EQ(of_cutlass->compiler, cutlass.library);
    const auto* cublas = named(series, "cublas_fp32");
    ASSERT_TRUE(cublas);
    EXPECT_EQ(cublas->compiler, "CUDA 13.0");
}

TEST_F(Series, OtherParametersAreAnotherSeries) {
    auto one = point("naive", 512, 1, 1), other = point("naive", 512, 2, 1);
    one.parameters = {{"BLOCK", 16}};
    other.parameters = {{"BLOCK", 32}};
    auto series = measure::series_of({one, other}, measure::Origin::live, "this run");
    ASSERT_EQ(series.size(), 3u);
    EXPECT_EQ(series[0].origin, measure::Origin::live);
    EXPECT_NE(series[0].parameters, series[2].parameters);
    EXPECT_TRUE(measure::series_of({}, measure::Origin::live, "").empty());
}

TEST_F(Series, ARecordSaysWhatAKernelReachesWhateverItsTiles) {
    auto small = point("naive", 512, 1, 1), large = point("naive", 1024, 4, 1), slow = point("naive", 1024, 5, 1);
    small.parameters = {{"BLOCK", 16}};
    large.parameters = {{"BLOCK", 32}};
    slow.parameters = {{"BLOCK", 16}};
    auto series = measure::series_of({small, large, slow}, measure::Origin::recorded, "a record");
    ASSERT_EQ(series.size(), 2u);              // and cuBLAS
    EXPECT_TRUE(series[0].parameters.empty()); // they differ from size to size
    ASSERT_EQ(series[0].samples.size(), 2u);
    EXPECT_EQ(series[0].samples[1].gflops, large.gflops);
    auto alike = measure::series_of({small, slow}, measure::Origin::recorded, "a record");
    EXPECT_EQ(alike[0].parameters, small.parameters);
}

TEST_F(Series, DamagedRecordedFilesNameTheLine) {
    std::string good = measure::to_json(point("naive", 512, 1, 1)) + "\n";
    struct {
        std::string text, said;
    } cases[] = {
        {"", "holds no measured point"},
        {R"({"provenance":{"command":"x"}})"
         "\n",
         "holds no measured point"},
        {R"({"provenance":7})"
         "\n" +
             good,
         ":1: provenance is not an object"},
        {good + good.substr(0, 40), ":2: not JSON"},
        {good + "\n" + R"({"kernel":"naive"})", ":3: parameters is missing"},
    };
    for (const auto& [text, said] : cases) {
        auto series = measure::read_recorded(write(text));
        ASSERT_FALSE(series) << text;
        EXPECT_NE(series.error().sentence().find(said), std::string::npos) << series.error().sentence();
    }
}

TEST_F(Series, EveryRecordedFileOfTheRepositoryReads) {
    fs::path folder = fs::path(SOURCE_DIR) / "assets/recorded";
    if (!fs::exists(folder)) GTEST_SKIP() << "nothing recorded yet";
    for (const auto& file : fs::directory_iterator(folder)) {
        if (file.path().extension() != ".json") continue;
        auto series = measure::read_recorded(file.path());
        EXPECT_TRUE(series) << series.error().sentence();
    }
}

} // namespace
