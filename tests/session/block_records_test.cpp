// Every kernel with the recording of its blocks in it, on the CPU engine: C stays the same to the bit, and
// every block has a record.
#include "fixture.h"
#include "measure/block_timeline.h"
#include "session/block_timelines.h"
#include "session/stages.h"

#include <cstring>

namespace {

const catalog::Catalog& all_kernels() {
    static const catalog::Catalog catalog = catalog::load({SOURCE_DIR "/kernels", std::string(TEST_DATA) + "/kernels"});
    return catalog;
}

struct Ran {
    std::vector<std::byte> c;
    std::vector<measure::BlockRecord> records; // none: the job takes none
    std::string trouble;
};

std::vector<std::byte> buffer(const session::FullRun& run, const std::string& name) {
    for (const trace::Buffer& each : run.memory.buffers())
        if (each.name == name) {
            const auto bytes = run.memory.bytes(each.address);
            return {bytes.begin(), bytes.end()};
        }
    return {};
}

Ran ran(const session::Job& job) {
    Ran result;
    auto prepared = session::prepare(job);
    if (prepared.failed) return {{}, {}, prepared.failed->error.sentence()};
    auto run = session::run_grid(job, *prepared.value, 2, {});
    if (run.failed) return {{}, {}, run.failed->error.sentence()};
    for (const trace::Finding& f : run.value->findings) result.trouble += f.text.english() + "\n";
    result.c = buffer(*run.value, "C");
    const auto bytes = buffer(*run.value, "records");
    result.records.resize(bytes.size() / sizeof(measure::BlockRecord));
    if (!bytes.empty()) std::memcpy(static_cast<void*>(result.records.data()), bytes.data(), bytes.size());
    return result;
}

class BlockRecords : public testing::TestWithParam<std::string> {};

TEST_P(BlockRecords, LeaveCAsItIs) {
    session::Subject subject;
    subject.kernel = GetParam();
    subject.problem = {132, 560, 36}; // several blocks of each kernel
    subject.alpha = 1.5f, subject.beta = -0.5f;
    auto job = session::resolve(all_kernels(), subject);
    ASSERT_TRUE(job) << job.error().sentence();
    const Ran plain = ran(*job);
    ASSERT_EQ(plain.trouble, "");

    auto ptx = session::recording_ptx(*job);
    ASSERT_TRUE(ptx) << ptx.error().sentence();
    session::Job recording = *job;
    recording.is_ptx = true;
    recording.source.text = ptx->text;
    recording.source.entry = ptx->entry;
    session::Argument records;
    records.buffer = {.name = "records", .bytes = job->shape.grid.count() * sizeof(measure::BlockRecord)};
    recording.arguments.push_back(records);
    Ran recorded = ran(recording);
    ASSERT_EQ(recorded.trouble, "");
    EXPECT_EQ(std::memcmp(plain.c.data(), recorded.c.data(), plain.c.size()), 0);
    ASSERT_EQ(recorded.records.size(), job->shape.grid.count());
    ASSERT_GT(recorded.records.size(), 1u);
    for (const measure::BlockRecord& record : recorded.records) EXPECT_GT(record.end_ns, record.start_ns);
    EXPECT_TRUE(measure::settle(recorded.records));
}

std::vector<std::string> ids() {
    std::vector<std::string> all;
    for (const auto& kernel : all_kernels().kernels)
        if (kernel->id != "double_by_floats") all.push_back(kernel->id); // whose C is wrong on purpose
    return all;
}
INSTANTIATE_TEST_SUITE_P(Kernels, BlockRecords, testing::ValuesIn(ids()), [](const auto& each) { return each.param; });

} // namespace
