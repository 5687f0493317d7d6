// Where words of shared memory came from, on real kernels: as PTX and as machine code, through registers, by cp.async, by TMA.
#include "../analysis/followed.h"
#include "fixture.h"
#include "session/stages.h"

namespace {

class SharedOrigin : public testing::TestWithParam<const char*> {};

TEST_P(SharedOrigin, IsWhatExecutingEveryEventFromTheFirstOnGives) {
    for (const trace::Engine engine : {trace::Engine::ptx, trace::Engine::machine}) {
        session::Subject subject = fixture::small(GetParam()).subject;
        subject.engine = engine;
        const auto job = session::resolve(fixture::kernels(), subject);
        ASSERT_TRUE(job) << job.error().sentence();
        const auto prepared = session::prepare(*job);
        ASSERT_TRUE(prepared.value) << prepared.failed->error.sentence();
        const auto block = session::run_block(*job, *prepared.value, {0, 0, 0}, {});
        ASSERT_TRUE(block.value) << block.failed->error.sentence();
        const trace::Trace& trace = block.value->trace;
        const auto last = static_cast<uint32_t>(trace.events.size() - 1);
        const std::vector<uint32_t> writes = analysis::shared_writes(trace).events;
        size_t known = 0;
        for (uint32_t event = last / 5; event <= last; event += std::max(last / 5, 1u)) {
            const std::vector<analysis::Origin> words = analysis::shared_origin(trace, event);
            ASSERT_EQ(words, test::Followed(trace, event).words()) << "event " << event;
            const auto after = std::upper_bound(writes.begin(), writes.end(), event);
            if (after != writes.begin()) { // nothing has changed since the last write
                ASSERT_EQ(words, analysis::shared_origin(trace, *(after - 1)));
            }
            for (const analysis::Origin& word : words) known += word.buffer >= 0;
        }
        EXPECT_GT(known, 0u);
    }
}

INSTANTIATE_TEST_SUITE_P(Kernels, SharedOrigin,
                         testing::Values("shared_tile", "shared_tile_padded", "double_buffer", "async_copy",
                                         "bulk_copy", "persistent", "tensor_bf16", "dgemm_tile"));

} // namespace
