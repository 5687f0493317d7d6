// Every kernel of the catalogue through every stage, against the float64 reference.
#include "base/cpu_time.h"
#include "base/random.h"
#include "fixture.h"
#include "sass/reader.h"
#include "session/stages.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <sstream>
#include <thread>
#include <vector>

namespace {

using session::Subject;

struct Case {
    std::string kernel;
    catalog::Problem problem;
};

void expect_verified(const Subject& subject) {
    auto job = session::resolve(fixture::kernels(), subject);
    ASSERT_TRUE(job.ok()) << job.error().sentence();
    auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value) << prepared.failed->error.sentence();
    auto run = session::run_grid(*job, *prepared.value, 2, {});
    ASSERT_TRUE(run.value) << run.failed->error.sentence();
    ASSERT_TRUE(run.value->verification.has_value());
    EXPECT_TRUE(run.value->verification->passed) << "error " << run.value->verification->max_abs_error;
    for (const auto& finding : run.value->findings)
        ADD_FAILURE() << finding.source_line << ": " << finding.text.english();
    const analysis::Totals& totals = run.value->totals;
    if (totals.tensor_core_flop > 0 || job->gemm->operands == catalog::OperandType::b1 ||
        job->gemm->operation != catalog::Operation::product)
        return;
    const bool doubles = job->gemm->operands == catalog::OperandType::f64;
    double madds = double(subject.problem.m) * subject.problem.n * subject.problem.k;
    if (subject.kernel == "strassen") madds *= std::pow(7.0 / 8, job->parameters.at("LEVELS"));
    EXPECT_GE(static_cast<double>(doubles ? totals.dfma_thread_instructions : totals.ffma_thread_instructions),
              madds); // guards and padding may add some
}

std::vector<Case> cases(const std::vector<catalog::Problem>& sizes) {
    std::vector<Case> all;
    for (const auto& kernel : fixture::kernels().kernels) {
        for (const auto& problem : sizes) all.push_back({kernel->id, problem});
    }
    return all;
}

class Kernels : public testing::TestWithParam<Case> {};

TEST_P(Kernels, Verified) {
    Subject subject;
    subject.kernel = GetParam().kernel;
    subject.problem = GetParam().problem;
    expect_verified(subject);
}

class KernelsAtOneSize : public testing::TestWithParam<Case> {};

TEST_P(KernelsAtOneSize, VerifiedWithAlphaAndBeta) {
    Subject subject;
    subject.kernel = GetParam().kernel;
    subject.problem = GetParam().problem;
    subject.alpha = -1.5f, subject.beta = 0.75f;
    expect_verified(subject);
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
    const auto& p = info.param.problem;
    return info.param.kernel + "_" + std::to_string(p.m) + "_" + std::to_string(p.n) + "_" + std::to_string(p.k);
}
INSTANTIATE_TEST_SUITE_P(Stages, Kernels,
                         testing::ValuesIn(cases({{256, 256, 256}, {100, 37, 65}, {1, 1, 1}, {129, 130, 131}})),
                         case_name);
INSTANTIATE_TEST_SUITE_P(Stages, KernelsAtOneSize, testing::ValuesIn(cases({{100, 37, 65}})), case_name);

// Each parameter at its least and largest, the others moved as little as the rules ask.
std::vector<Subject> corners() {
    std::vector<Subject> all;
    for (const auto& kernel : fixture::kernels().kernels) {
        for (const auto& parameter : kernel->parameters) {
            for (int value : {parameter.values.front(), parameter.values.back()}) {
                auto values = catalog::nearest_legal(*kernel, catalog::initial_values(*kernel), parameter.name, value);
                if (!values) continue;
                Subject subject;
                subject.kernel = kernel->id;
                subject.parameters = *values;
                subject.problem = {67, 35, 21};
                if (std::find(all.begin(), all.end(), subject) == all.end()) all.push_back(subject);
            }
        }
    }
    return all;
}

class Corners : public testing::TestWithParam<Subject> {};
TEST_P(Corners, Verified) { expect_verified(GetParam()); }

std::string corner_name(const testing::TestParamInfo<Subject>& info) {
    std::string name = info.param.kernel;
    for (const auto& [parameter, value] : info.param.parameters) name += "_" + parameter + std::to_string(value);
    return name;
}
INSTANTIATE_TEST_SUITE_P(Stages, Corners, testing::ValuesIn(corners()), corner_name);

session::Job job_of(const Subject& subject) {
    auto job = session::resolve(fixture::kernels(), subject);
    EXPECT_TRUE(job.ok()) << job.error().sentence();
    return *job;
}

TEST(Stages, OneBlockIsTracedFromItsOwnAddresses) {
    const auto job = job_of(fixture::small().subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto block = session::run_block(job, *prepared.value, {1, 0, 0}, {});
    ASSERT_TRUE(block.value) << block.failed->error.sentence();
    const auto& trace = block.value->trace;
    EXPECT_EQ(trace.block_index, (base::Dim3{1, 0, 0}));
    EXPECT_FALSE(trace.events.empty());
    EXPECT_FALSE(trace.truncated);
    EXPECT_LT(block.value->interesting_event, trace.events.size());
    std::vector<std::string> names;
    for (const auto& array : block.value->mapping) names.push_back(array.name);
    EXPECT_EQ(names, (std::vector<std::string>{"A", "B", "C"}));
    EXPECT_EQ(trace.buffers[0].rows, 64u);
    EXPECT_EQ(trace.buffers[0].columns, 32u);
}

TEST(Stages, ABlockOutsideTheGridIsAnError) {
    const auto job = job_of(fixture::small().subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto block = session::run_block(job, *prepared.value, {1000, 0, 0}, {});
    ASSERT_TRUE(block.failed);
    EXPECT_NE(block.failed->error.what.english().find("(1000, 0, 0)"), std::string::npos);
    EXPECT_TRUE(session::run_grid(job, *prepared.value, 1, {}, {}, base::Dim3{0, 1000, 0}).failed);
    EXPECT_TRUE(session::block_state(job, *prepared.value, {0, 0, 9}, 0).failed);
}

// On a machine that is loaded, here by more runs than it has cores, a block takes no longer than its thread computed.
TEST(Stages, ABlockTakesTheTimeOfItsOwnThread) {
    Subject subject;
    subject.kernel = "naive";
    auto job = session::resolve(fixture::kernels(), subject);
    ASSERT_TRUE(job.ok());
    const auto prepared = session::prepare(*job);
    ASSERT_TRUE(prepared.value);
    std::vector<std::jthread> runs(4 * std::max(1u, std::thread::hardware_concurrency()));
    for (std::jthread& run : runs)
        run = std::jthread([&] {
            const double start = base::thread_cpu_s();
            const auto block = session::run_block(*job, *prepared.value, {0, 0, 0}, {});
            ASSERT_TRUE(block.value);
            EXPECT_GT(block.value->cpu_s, 0);
            EXPECT_LE(block.value->cpu_s, base::thread_cpu_s() - start);
        });
}

TEST(Stages, TheEstimateOfAGridIsOfBlocksInTurn) {
    session::Job job; // of no product: nothing is verified
    session::BlockRun block;
    block.cpu_s = 0.5;
    job.shape.grid = {5, 2, 1};
    EXPECT_DOUBLE_EQ(session::estimate_grid_s(job, block, 1), 5);
    EXPECT_DOUBLE_EQ(session::estimate_grid_s(job, block, 4), 1.5); // the third turn has two of them
    EXPECT_DOUBLE_EQ(session::estimate_grid_s(job, block, 64), 0.5);
}

TEST(Stages, CountsDoNotDependOnThreads) {
    const auto job = job_of(fixture::small("double_buffer").subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto one = session::run_grid(job, *prepared.value, 1, {});
    auto four = session::run_grid(job, *prepared.value, 4, {});
    ASSERT_TRUE(one.value && four.value);
    EXPECT_EQ(one.value->thread_instructions, four.value->thread_instructions);
    EXPECT_EQ(one.value->totals.shared_load.wavefronts, four.value->totals.shared_load.wavefronts);
    EXPECT_EQ(one.value->totals.global_load.sectors, four.value->totals.global_load.sectors);
    const auto& buffers = one.value->memory.buffers();
    for (size_t i = 0; i < buffers.size(); ++i) {
        auto a = one.value->memory.bytes(buffers[i].address),
             b = four.value->memory.bytes(four.value->memory.buffers()[i].address);
        EXPECT_TRUE(std::equal(a.begin(), a.end(), b.begin(), b.end())) << buffers[i].name;
    }
}

TEST(Stages, AStoppedRunSaysSo) {
    Subject subject;
    subject.problem = {1024, 1024, 1024};
    const auto job = job_of(subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    std::stop_source source;
    auto run = session::run_grid(job, *prepared.value, 2, source.get_token(), [&](float) { source.request_stop(); });
    ASSERT_TRUE(run.value);
    EXPECT_TRUE(run.value->stopped);
    EXPECT_FALSE(run.value->verification);
    auto not_begun = session::run_grid(job, *prepared.value, 2, source.get_token());
    ASSERT_TRUE(not_begun.failed);
    EXPECT_NE(not_begun.failed->error.what.english().find("stopped"), std::string::npos);
}

TEST(Stages, ContentsOfABlockAtAnEvent) {
    const auto job = job_of(fixture::small().subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto block = session::run_block(job, *prepared.value, {0, 0, 0}, {});
    ASSERT_TRUE(block.value);
    auto last = static_cast<uint32_t>(block.value->trace.events.size() - 1);
    auto early = session::block_state(job, *prepared.value, {0, 0, 0}, 0),
         late = session::block_state(job, *prepared.value, {0, 0, 0}, last);
    ASSERT_TRUE(early.value && late.value);
    auto written = [](const sim::BlockState& s) {
        return std::count(s.shared_written.begin(), s.shared_written.end(), true);
    };
    EXPECT_EQ(written(*early.value), 0);
    EXPECT_EQ(written(*late.value), static_cast<long>(block.value->trace.shared_bytes));
    size_t warps = block.value->timeline.warps.size();
    EXPECT_EQ(late.value->registers.size(), warps);
}

// In kernels whose shared memory the copy engine fills, each word that anything was copied to is either there or on its way: at the
// copy's own step on its way, where a lane reads it there.
TEST(Stages, ContentsThatTheCopyEngineFills) {
    for (const char* kernel : {"bulk_copy", "async_copy", "tensor_tf32"}) {
        SCOPED_TRACE(kernel);
        Subject subject;
        subject.kernel = kernel;
        subject.problem = {128, 128, 256};
        const auto job = job_of(subject);
        auto prepared = session::prepare(job);
        ASSERT_TRUE(prepared.value);
        auto block = session::run_block(job, *prepared.value, {0, 0, 0}, {});
        ASSERT_TRUE(block.value);
        const trace::Trace& trace = block.value->trace;
        const auto is_copy = [&](const trace::Event& e) {
            const trace::Kind kind = trace.listing->instructions[e.pc].kind;
            return e.active && (kind == trace::Kind::async_copy || kind == trace::Kind::bulk_copy);
        };
        const auto first = std::find_if(trace.events.begin(), trace.events.end(), is_copy) - trace.events.begin();
        ASSERT_LT(first, static_cast<std::ptrdiff_t>(trace.events.size()));
        const auto count = [](const std::vector<bool>& bytes) { return std::count(bytes.begin(), bytes.end(), true); };
        const auto begun = session::block_state(job, *prepared.value, {0, 0, 0}, static_cast<uint32_t>(first));
        ASSERT_TRUE(begun.value);
        EXPECT_GT(count(begun.value->shared_in_flight), 0);
        const auto landed =
            session::block_state(job, *prepared.value, {0, 0, 0}, static_cast<uint32_t>(trace.events.size() - 1));
        ASSERT_TRUE(landed.value);
        EXPECT_EQ(count(landed.value->shared_in_flight), 0) << "all of them were waited for";
        EXPECT_GT(count(landed.value->shared_written), count(begun.value->shared_in_flight));
        for (size_t byte = 0; byte < trace.shared_bytes; ++byte)
            if (begun.value->shared_in_flight[byte]) {
                EXPECT_TRUE(landed.value->shared_written[byte] && !begun.value->shared_written[byte]) << byte;
            }
    }
}

TEST(Stages, MachineCodeHasResources) {
    auto machine = session::machine_code(job_of(Subject{}));
    ASSERT_TRUE(machine.value) << machine.failed->error.sentence();
    EXPECT_GT(machine.value->resources.registers, 64); // 64 sums alone
    EXPECT_FALSE(machine.value->cubin.empty());
}

// The cubin carries the PTX that ptxas was given.
TEST(Stages, MachineCodeIsMadeOfThePtxThatIsDecoded) {
    for (const auto& kernel : fixture::kernels().kernels) {
        SCOPED_TRACE(kernel->id);
        Subject subject;
        subject.kernel = kernel->id;
        const auto job = job_of(subject);
        const auto prepared = session::prepare(job);
        ASSERT_TRUE(prepared.value) << prepared.failed->error.sentence();
        const auto machine = session::machine_code(job, prepared.value->ptx.get());
        ASSERT_TRUE(machine.value) << machine.failed->error.sentence();
        const auto code = sass::read(machine.value->cubin, machine.value->entry);
        ASSERT_TRUE(code) << code.error().sentence();
        std::vector<std::string> lines;
        std::istringstream executed(prepared.value->ptx_listing->text);
        for (std::string line; std::getline(executed, line);)
            lines.push_back(line.substr(std::min(line.find_first_not_of(" \t"), line.size())));
        size_t different = 0;
        for (const trace::Instruction& i : prepared.value->ptx_listing->instructions) {
            const auto at = static_cast<size_t>(i.text_line) - 1;
            different += at >= (*code)->ptx.size() || (*code)->ptx[at] != lines.at(at);
        }
        EXPECT_EQ(different, 0u);
        EXPECT_GT(prepared.value->ptx_listing->instructions.size(), 20u);
    }
}

TEST(Resolve, SaysWhatIsWrong) {
    auto slip = [](auto edit) {
        Subject subject;
        edit(subject);
        auto job = session::resolve(fixture::kernels(), subject);
        return job ? std::string("resolved") : job.error().sentence();
    };
    EXPECT_NE(slip([](Subject& s) { s.kernel = "double_bufer"; }).find("did you mean double_buffer?"),
              std::string::npos);
    EXPECT_NE(slip([](Subject& s) { s.kernel = ""; }).find("gemmscope list"), std::string::npos);
    EXPECT_NE(slip([](Subject& s) { s.problem.k = 0; }).find("K = 0 is not positive"), std::string::npos);
    EXPECT_NE(slip([](Subject& s) { s.problem.m = -5; }).find("M = -5 is not positive"), std::string::npos);
    EXPECT_NE(slip([](Subject& s) {
                  s.problem = {2147483647, 2147483647, 2147483647};
              }).find("of memory"),
              std::string::npos);
    EXPECT_NE(slip([](Subject& s) { s.parameters["BM"] = 7; }).find("BM"), std::string::npos);
    EXPECT_NE(slip([](Subject& s) { s.parameters["BQ"] = 64; }).find("BQ"), std::string::npos);
}

TEST(Inputs, AreTheSharedStreamByArgumentNumber) {
    const auto job = job_of(fixture::small().subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto inputs = session::make_inputs(job, *prepared.value->program);
    ASSERT_TRUE(inputs.ok());
    for (size_t argument : {4, 5}) {
        auto bytes = inputs->memory.bytes(inputs->addresses[argument]);
        for (size_t i : {size_t{0}, size_t{1}, bytes.size() / 4 - 1}) {
            float value = 0;
            std::memcpy(&value, bytes.data() + 4 * i, 4);
            EXPECT_EQ(value, base::RandomStream(job.seed, argument)(i));
        }
    }
    float c = 0;
    std::memcpy(&c, inputs->memory.bytes(inputs->addresses[7]).data(), 4);
    EXPECT_TRUE(std::isnan(c)); // beta is 0: C must not be read
}

TEST(Inputs, AreSharedWhereTheyAreTheSame) {
    auto subject = fixture::small().subject;
    auto first = job_of(subject);
    auto prepared = session::prepare(first);
    ASSERT_TRUE(prepared.value);
    const sim::Program& program = *prepared.value->program;
    auto made = session::share_inputs(first, program, nullptr);
    ASSERT_TRUE(made.ok());
    first.inputs = *made;
    const auto values = [](const session::Inputs& inputs, int argument) {
        auto bytes = inputs.memory.bytes(inputs.addresses[static_cast<size_t>(argument)]);
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    subject.alpha = 2; // the buffers are the same, the parameter block is not
    const auto scaled = job_of(subject);
    subject.seed = 2;
    const auto reseeded = job_of(subject);
    for (const auto& job : {scaled, reseeded}) {
        auto own = session::make_inputs(job, program);
        auto shared = session::share_inputs(job, program, &first);
        ASSERT_TRUE(own.ok() && shared.ok());
        EXPECT_EQ((*shared)->parameters, own->parameters);
        for (int argument : {4, 5, 7}) EXPECT_EQ(values(**shared, argument), values(*own, argument));
    }
    EXPECT_EQ(values(**session::share_inputs(scaled, program, &first), 4), values(*first.inputs, 4));
    EXPECT_NE(values(**session::share_inputs(reseeded, program, &first), 4), values(*first.inputs, 4));
}

TEST(Inputs, ARunLeavesSharedOnesAsTheyWere) {
    auto job = job_of(fixture::small().subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    auto made = session::share_inputs(job, *prepared.value->program, nullptr);
    ASSERT_TRUE(made.ok());
    job.inputs = *made;
    for (int i = 0; i < 2; ++i) {
        auto run = session::run_grid(job, *prepared.value, 2, {});
        ASSERT_TRUE(run.value);
        EXPECT_TRUE(run.value->verification->passed);
        float c = 0;
        std::memcpy(&c, job.inputs->memory.bytes(job.inputs->addresses[7]).data(), 4);
        EXPECT_TRUE(std::isnan(c));
    }
}

TEST(Inputs, WrongNumberOfArgumentsIsAnError) {
    auto job = job_of(fixture::small().subject);
    auto prepared = session::prepare(job);
    ASSERT_TRUE(prepared.value);
    job.arguments.pop_back();
    auto inputs = session::make_inputs(job, *prepared.value->program);
    ASSERT_FALSE(inputs.ok());
    EXPECT_NE(inputs.error().what.english().find("takes 8 arguments and a kernel with front matter is called with 7"),
              std::string::npos);
}

} // namespace
