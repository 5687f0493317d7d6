// What time is made of: the stream that is written while a block is executed is that of its trace.
#include "fixture.h"
#include "session/stages.h"
#include "timing/stream.h"

namespace {

bool same(const timing::Moved& a, const timing::Moved& b) {
    return a.sectors == b.sectors && a.lines == b.lines && a.first_line == b.first_line;
}
bool same(const timing::Access& a, const timing::Access& b) {
    return same(static_cast<const timing::Moved&>(a), b) && a.wavefronts == b.wavefronts && a.ideal == b.ideal &&
           a.effects == b.effects && a.first_effect == b.first_effect;
}
bool same(const timing::Line& a, const timing::Line& b) { return a.number == b.number && a.sectors == b.sectors; }
bool same(const timing::Step& a, const timing::Step& b) { return a.pc == b.pc && a.access == b.access; }
bool same(const timing::Effect& a, const timing::Effect& b) {
    return a.what == b.what && a.phase == b.phase && same(a.moved, b.moved);
}
template <class T>
bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

struct Executed {
    trace::Trace trace;
    timing::Stream written;
    bool full = false, stopped = false;
};

// The last block of the grid, which is cut off by the matrices' edges, traced and written.
Executed execute(const catalog::Kernel& kernel, int depth, uint64_t most_bytes) {
    Executed executed;
    session::Subject subject;
    subject.kernel = kernel.id;
    subject.parameters = catalog::initial_values(kernel);
    subject.problem = {200, 136, depth};
    const auto job = session::resolve(kernel, subject);
    if (!job) return executed;
    const auto prepared = session::prepare(*job);
    if (!prepared.value) return executed;
    const auto inputs = session::make_inputs(*job, *prepared.value->program);
    const sim::Launch launch{job->shape.grid, job->shape.block, job->shape.dynamic_shared_bytes, inputs->parameters};
    sim::Options options;
    options.traced_block = base::position(job->shape.grid.count() - 1, job->shape.grid);
    options.traced_block_only = true;
    options.checks = false;
    sim::Memory memory = inputs->memory;
    executed.trace = sim::run(*prepared.value->program, launch, memory, options)->trace;
    std::stop_source enough;
    timing::StreamWriter writer(prepared.value->listing, job->shape.block.count(),
                                analysis::bank_rule(job->source.arch), most_bytes, enough);
    options.events_to_observer = true;
    options.matrix_products = false; // values do not matter
    options.observer = [&] { return &writer; };
    options.stop = enough.get_token();
    memory = inputs->memory;
    const auto outcome = sim::run(*prepared.value->program, launch, memory, options);
    EXPECT_TRUE(outcome->trace.events.empty()) << "no trace is kept";
    executed.full = writer.full();
    executed.stopped = outcome->stopped;
    executed.written = writer.take();
    return executed;
}

TEST(Streams, WrittenWhileABlockIsExecutedAreThoseOfItsTrace) {
    for (const auto& kernel : catalog::load({SOURCE_DIR "/kernels"}).kernels) {
        SCOPED_TRACE(kernel->id);
        const Executed e = execute(*kernel, 72, 1 << 30);
        ASSERT_FALSE(e.trace.events.empty());
        const timing::Stream traced = timing::stream_of(e.trace, analysis::bank_rule("sm_90"));
        ASSERT_EQ(e.written.warps.size(), traced.warps.size());
        for (size_t warp = 0; warp < traced.warps.size(); ++warp)
            EXPECT_TRUE(all_same(e.written.warps[warp], traced.warps[warp])) << "warp " << warp;
        EXPECT_TRUE(all_same(e.written.accesses, traced.accesses));
        EXPECT_TRUE(all_same(e.written.lines, traced.lines));
        EXPECT_TRUE(all_same(e.written.effects, traced.effects));
        EXPECT_EQ(e.written.arrivals, traced.arrivals);
    }
}

TEST(Streams, AFullOneEndsTheRun) {
    const Executed e = execute(*fixture::kernels().find("register_tile"), 8192, 10'000);
    EXPECT_TRUE(e.full && e.stopped);
    size_t steps = 0;
    for (const auto& warp : e.written.warps) steps += warp.size();
    EXPECT_LT(steps, e.trace.events.size() / 10);
}

} // namespace
