// Counters from a few blocks against those of the whole grid, to the last digit. Some settings here; GEMMSCOPE_SAMPLE_TABLE=FILE compares
// all of them at all sizes, which takes an hour, and writes a table; with GEMMSCOPE_SAMPLE_SIZES="-m 1024 -n 1024 -k 1024;..." at these.
#include "base/random.h"
#include "cases.h"
#include "catalog/catalog.h"
#include "session/sample.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <set>

namespace {

struct Compared {
    uint64_t executed = 0, blocks = 0;
    double whole_s = 0, sample_s = 0;
    std::string why; // only the whole grid can be counted
};

base::Result<Compared> compare(const std::string& source, const std::string& options, session::Engine engine) {
    SCOPED_TRACE(name(engine));
    auto job = cases::job_of(source, options);
    if (!job) return job.error();
    job->engine = engine;
    job->checks = false;
    const auto prepared = session::prepare(*job);
    if (prepared.failed) return prepared.failed->error;
    EXPECT_EQ(prepared.value->fallback.english(), "");
    const auto sampled = session::run_sample(*job, *prepared.value, 2, {});
    if (sampled.failed && sampled.failed->error.failure == base::Failure::missing)
        return Compared{.why = sampled.failed->error.what.english()};
    if (sampled.failed) return sampled.failed->error;
    job->gemm.reset(); // C is verified elsewhere
    const auto whole = session::run_grid(*job, *prepared.value, 2, {});
    if (whole.failed) return whole.failed->error;
    const trace::Listing& listing = *prepared.value->listing;
    if (!session::count_the_same(listing, whole.value->counts, sampled.value->counts)) {
        for (size_t pc = 0; pc < whole.value->counts.size(); ++pc)
            EXPECT_EQ(whole.value->counts[pc], sampled.value->counts[pc])
                << "instruction " << pc << ", " << listing.instructions[pc].text;
    }
    return Compared{sampled.value->sample->executed(),
                    sampled.value->sample->blocks(),
                    whole.value->wall_s,
                    sampled.value->wall_s,
                    {}};
}

base::Result<Compared> compare(const std::string& source, const std::string& options) {
    const auto ptx = compare(source, options, session::Engine::ptx);
    const auto machine = compare(source, options, session::Engine::machine);
    return ptx ? machine : ptx;
}

class Table {
public:
    Table() {
        if (const char* name = std::getenv("GEMMSCOPE_SAMPLE_TABLE")) file_.open(name), wanted_ = true;
    }
    bool wanted() const { return wanted_; }
    void line(const cases::Case& one, const std::string& run, const Compared& c) {
        if (wanted_)
            file_ << fmt::format("| {} | {} | {} | {} | {:.3f} | {:.3f} |\n", one.source, one.options, run,
                                 c.why.empty() ? fmt::format("{} of {}", c.executed, c.blocks) : c.why, c.sample_s,
                                 c.whole_s)
                  << std::flush;
    }

private:
    std::ofstream file_;
    bool wanted_ = false;
};

// What a setting of a kernel is run with besides its own sizes.
std::vector<std::string> sizes_of(const cases::Case& one) {
    if (one.source.ends_with(".cu")) return one.runs;
    if (const char* wanted = std::getenv("GEMMSCOPE_SAMPLE_SIZES")) return cases::parts(wanted, ';');
    std::vector<std::string> sizes = one.runs;
    for (const char* more :
         {"-m 100 -n 37 -k 65", "-m 129 -n 130 -k 131", "-m 1000 -n 513 -k 77", "-m 1024 -n 1024 -k 32"})
        sizes.push_back(more);
    return sizes;
}

TEST(Sample, CountsWhatTheWholeGridCounts) {
    Table table;
    uint64_t equal = 0, few = 0, whole_only = 0, drawn = 0;
    const base::RandomStream random(18, 6);
    std::set<std::string> persistent; // how many SMs the grid fills is their parameter
    for (const auto& kernel : catalog::load({SOURCE_DIR "/kernels"}).kernels)
        for (const auto& parameter : kernel->parameters)
            if (parameter.name == "SMS") persistent.insert(kernel->id);
    for (const cases::Case& one : cases::all()) {
        if (one.runs.front().empty()) continue; // compiled only
        std::vector<std::string> sizes = sizes_of(one);
        if (!table.wanted()) sizes = {sizes[random.bits(drawn++) % one.runs.size()]};
        for (const std::string& size : sizes) {
            SCOPED_TRACE(one.source + " " + one.options + " " + size);
            const auto compared = compare(one.source, one.options + " " + size);
            ASSERT_TRUE(compared) << compared.error().sentence();
            table.line(one, size, *compared);
            ++(compared->why.empty() ? equal : whole_only);
            few += compared->executed < compared->blocks;
            // Which tiles a persistent block takes, and so where it meets the edges of C, follows from divisions of its number.
            EXPECT_TRUE(compared->why.empty() || one.source.ends_with(".cu") || persistent.contains(one.source))
                << "a kernel of the catalogue: " << compared->why;
        }
    }
    std::cout << equal << " grids counted from their kinds of blocks, " << few << " of them from fewer than all; "
              << whole_only << " can only be counted whole\n";
}

const std::string fooling = "--grid 40 --block 64 --arg in:f32[2500] --arg out:f32[2500] --arg i32=2500";

TEST(Sample, IsNotFooledByParityNorByOneBlockInTheMiddle) {
    const auto compared = compare("tests/data/kinds/fooling.cu", fooling);
    ASSERT_TRUE(compared) << compared.error().sentence();
    EXPECT_EQ(compared->why, "");
    EXPECT_GE(compared->executed, 4u) << "even, odd, number 13 and the last one";
    EXPECT_LE(compared->executed, 12u);
}

struct Elsewhere {
    const char* options;
    uint64_t most = 0; // kinds of blocks; 0: only the whole grid can be counted
};
const std::string matrices =
    " --arg in:f32[10000] --arg in:f32[7000] --arg out:f32[28000]"; // 200 x 50 and 50 x 140, and their product

TEST(Sample, KernelsFromElsewhereCountWhatTheirWholeGridsCount) {
    const std::string product = "--block 16,16 --arg i32=200 --arg i32=140 --arg i32=50 ";
    for (const auto& [options, most] : {Elsewhere{"--entry swizzled --grid 9,13", 4},
                                        {"--entry persistent --grid 24", 14},
                                        {"--entry slices --grid 9,13,5", 12}}) {
        const std::string per = std::string(options).find("slices") == std::string::npos ? "" : " --arg i32=12";
        const auto compared =
            compare("tests/data/kinds/elsewhere.cu", std::string(options) + " " + product + per + matrices);
        ASSERT_TRUE(compared) << compared.error().sentence();
        EXPECT_EQ(compared->why, "") << options;
        EXPECT_LE(compared->executed, most) << options;
    }
    for (
        const auto& [options, most] :
        {Elsewhere{
             "--entry lower --grid 13,13 --block 16,16 --arg i32=200 --arg in:f32[40000] --arg in:f32[40000] --arg out:f32[40000]",
             26},
         {"--entry batched --grid 5,7,6 --block 32,8 --arg i32=50 --arg i32=140 --arg i32=20 --arg in:f32[6000] --arg in:f32[16800] --arg out:f32[42000]",
          4},
         {"--entry stencil --grid 9,20 --block 32,8 --arg in:f32[39000] --arg out:f32[39000] --arg i32=250 --arg i32=155",
          12},
         {"--entry packed --grid 100 --block 64 --arg in:i16[4100] --arg out:i16[4100] --arg i32=4000", 3},
         {"--entry hashed --grid 40 --block 128 --arg in:f32[5120] --arg out:f32[5120] --arg i32=5000", 2},
         {"--entry local_array --grid 40 --block 64 --arg in:f32[2600] --arg out:f32[2600] --arg i32=2500", 11},
         {"--grid 40 --block 128 --arg in:f32[5000] --arg out:f32[5000] --arg i32=5000", 4},
         {"--entry modulo --grid 79 --block 128 --arg in:f32[10000] --arg out:f32[10000] --arg i32=10000 --arg i32=3",
          0}}) {
        const bool in_clusters = !std::string(options).starts_with("--entry"); // its header takes long to compile
        const auto compared =
            compare(fmt::format("tests/data/kinds/{}.cu", in_clusters ? "neighbours" : "elsewhere"), options);
        ASSERT_TRUE(compared) << compared.error().sentence();
        if (most == 0)
            EXPECT_TRUE(compared->why.ends_with(" depends on the block's index by arithmetic that is not followed"))
                << options << ": " << compared->why;
        else EXPECT_EQ(compared->why, "") << options;
        EXPECT_LE(compared->executed, most) << options;
    }
}

TEST(Sample, PackedRowsAndColumnsAreOfFewKinds) {
    for (const auto& [kernel, options, most] : {std::tuple{"binary_pack_rows", "-m 1024 -n 1024", 1u},
                                                {"binary_pack_rows", "-m 1000 -n 513", 16u},
                                                {"binary_pack_columns", "-p THREADS=32 -m 129 -n 130", 10u}}) {
        const auto compared = compare(kernel, options);
        ASSERT_TRUE(compared) << compared.error().sentence();
        EXPECT_EQ(compared->why, "");
        EXPECT_LE(compared->executed, most) << kernel << " " << options;
    }
}

// A block that is only counted stores anything: that two stores differ says nothing.
TEST(Sample, FindsNoRaceOfValuesThatAreNotKnown) {
    const auto job = cases::job_of("tests/data/kinds/elsewhere.cu",
                                   "--entry same_values --grid 8 --block 128 --arg in:f32[1024] --arg out:f32[1024]");
    ASSERT_TRUE(job) << job.error().sentence();
    const auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    const auto run = session::run_sample(*job, *prepared.value, 2, {});
    ASSERT_TRUE(run.value);
    EXPECT_EQ(run.value->sample->executed(), 1u);
    for (const trace::Finding& f : run.value->findings) ADD_FAILURE() << f.text.english();
}

TEST(Sample, WhereCountersDependOnDataOrOnOrderTheWholeGridIsCounted) {
    for (const auto& [file, options] :
         {std::pair{"by_data", "--grid 40 --block 64 --arg in:f32[2500] --arg out:f32[2500] --arg i32=2500"},
          std::pair{"tickets", "--grid 40 --block 64 --arg in:f32[64] --arg out:f32[2560] --arg 'in:i32[1]%1'"}}) {
        const auto compared = compare(fmt::format("tests/data/kinds/{}.cu", file), options);
        ASSERT_TRUE(compared) << compared.error().sentence();
        EXPECT_TRUE(
            compared->why.starts_with("no block can stand for another: which lanes execute an instruction in line "))
            << compared->why;
        EXPECT_TRUE(compared->why.ends_with(" depends on what is in memory")) << compared->why;
    }
}

// As a hole in the reasoning would be found.
TEST(Sample, ABlockThatCountsSomethingElseIsNoticed) {
    auto job = cases::job_of("tests/data/kinds/fooling.cu", fooling);
    ASSERT_TRUE(job) << job.error().sentence();
    const auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    const auto run = session::run_sample(*job, *prepared.value, 2, {});
    ASSERT_TRUE(run.value);
    session::Sample sample = *run.value->sample;
    const auto right = session::check_sample(*job, *prepared.value, sample, 16);
    ASSERT_TRUE(right.value);
    EXPECT_EQ(right.value->blocks, 16u);
    EXPECT_FALSE(right.value->differs);

    std::fill(sample.kind_of.begin(), sample.kind_of.end(), 0u); // all as the first
    const auto wrong = session::check_sample(*job, *prepared.value, sample, 16);
    ASSERT_TRUE(wrong.value);
    EXPECT_TRUE(wrong.value->differs);
}

TEST(Sample, NumbersAtALargeSizeNeedFewBlocksAndLittleMemory) {
    for (const auto& [kernel, blocks] :
         {std::pair{"double_buffer", 4096u}, {"row_per_block", 8192u}, {"matrix_vector", 2048u}}) {
        auto job = cases::job_of(kernel, "-m 8192 -n 8192 -k 8192");
        ASSERT_TRUE(job) << job.error().sentence();
        const auto prepared = session::prepare(*job);
        ASSERT_TRUE(prepared.value);
        const auto run = session::run_sample(*job, *prepared.value, 2, {});
        ASSERT_TRUE(run.value);
        EXPECT_EQ(run.value->sample->executed(), 1u);
        EXPECT_EQ(run.value->sample->blocks(), blocks);
        EXPECT_EQ(run.value->totals.ffma_thread_instructions, uint64_t{8192} * 8192 * 8192);
    }
}

} // namespace
