#include "session/prediction.h"

#include "analysis/occupancy.h"
#include "timing/grid.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace session {
namespace {

using base::Error;
using base::Failure;

Error never_ends() {
    return {Failure::missing,
            base::say("the block waits for other blocks, which are not simulated in time"),
            {},
            base::say("look at its order of execution")};
}
Error stopped() { return {Failure::check_failed, base::say("stopped before it was done"), {}, {}}; }
Error too_long() {
    return {Failure::missing,
            base::say("the block executes more than is kept of it"),
            {},
            base::say("choose a smaller problem")};
}

constexpr uint64_t most_stream_bytes = 400 << 20; // of a block

// What blocks of one launch execute, each traced once. Of a product no matrix is filled, since its time does not hang on values; a file's
// own kernel may branch by what it reads.
class BlockStreams {
public:
    static base::Result<BlockStreams> of(const Job& job, const Prepared& prepared, const std::stop_token& stop) {
        Job filled = job;
        if (job.gemm)
            for (Argument& argument : filled.arguments) argument.fill = Argument::Fill::zero;
        auto inputs = make_inputs(filled, *prepared.program, stop);
        if (!inputs) return inputs.error();
        return BlockStreams(job, prepared, std::move(*inputs), stop);
    }

    // By their numbers in the grid. They live as long as this.
    base::Result<std::vector<const timing::Stream*>> get(std::span<const uint64_t> blocks) {
        std::vector<const timing::Stream*> all;
        for (const uint64_t block : blocks) {
            if (!known_.contains(block)) {
                auto traced = trace(block);
                if (!traced) return traced.error();
                known_.emplace(block, std::move(*traced));
            }
            all.push_back(&known_.at(block));
        }
        return all;
    }

    bool traced() const { return !known_.empty(); } // any of them
    // Instructions of warps of block 0. It is not traced for that.
    base::Result<uint64_t> executed() const {
        if (const auto found = known_.find(0); found != known_.end())
            return std::accumulate(found->second.warps.begin(), found->second.warps.end(), uint64_t{0},
                                   [](uint64_t sum, const auto& steps) { return sum + steps.size(); });
        auto outcome = run(0, nullptr, stop_);
        if (!outcome) return outcome.error();
        return outcome->warp_instructions;
    }

private:
    Job job_;
    const Prepared* prepared_;
    Inputs inputs_;
    std::stop_token stop_;
    std::map<uint64_t, timing::Stream> known_;

    BlockStreams(const Job& job, const Prepared& prepared, Inputs inputs, std::stop_token stop)
        : job_(job), prepared_(&prepared), inputs_(std::move(inputs)), stop_(std::move(stop)) {}

    base::Result<timing::Stream> trace(uint64_t block) const {
        std::stop_source enough; // by whoever asked for the stream, or because it is full
        const std::stop_callback outer(stop_, [&] { enough.request_stop(); });
        timing::StreamWriter writer(prepared_->listing, job_.shape.block.count(), analysis::bank_rule(job_.source.arch),
                                    most_stream_bytes, enough);
        auto outcome = run(block, &writer, enough.get_token());
        if (writer.full()) return too_long();
        if (!outcome) return outcome.error();
        return writer.take();
    }

    base::Result<sim::Outcome> run(uint64_t block, timing::StreamWriter* writer, std::stop_token stop) const {
        sim::Options options;
        options.traced_block = base::position(block, job_.shape.grid);
        options.traced_block_only = options.events_to_observer = true;
        options.observer = [&] { return writer; };
        options.checks = false;
        options.instruction_budget = instruction_budget(job_);
        options.stop = std::move(stop);
        sim::Memory memory = inputs_.memory;
        const sim::Launch launch{job_.shape.grid, job_.shape.block, job_.shape.dynamic_shared_bytes,
                                 inputs_.parameters};
        auto outcome = sim::run(*prepared_->program, launch, memory, options);
        if (!outcome) return outcome.error();
        if (outcome->stopped) return stopped();
        return outcome;
    }
};

base::Status is_known(const Job& job, const Prepared& prepared) {
    if (!timing::machine(job.source.arch))
        return Error{Failure::missing,
                     base::say("no times are known of {}", job.source.arch),
                     {},
                     base::say("choose sm_90, whose times were measured")};
    if (prepared.timing && prepared.listing->engine == Engine::machine) return base::Done{};
    return Error{Failure::missing,
                 prepared.fallback.empty() ? base::say("only machine code has times, and the PTX is executed")
                                           : prepared.fallback,
                 {},
                 {}};
}

uint32_t shared_bytes(const Job& job, const Prepared& prepared) {
    return prepared.resources.static_shared_bytes + job.shape.dynamic_shared_bytes;
}

// Blocks that a multiprocessor has room for.
base::Result<int> residents_of(const Job& job, const Prepared& prepared, const timing::WhatIf& what_if) {
    auto sm = analysis::multiprocessor("sm_90");
    if (!sm) return sm.error();
    sm->registers *= static_cast<uint32_t>(what_if.registers);
    auto fits = analysis::occupancy(*sm, static_cast<int>(job.shape.block.count()), prepared.resources.registers,
                                    shared_bytes(job, prepared));
    if (!fits) return fits.error();
    const int warps = static_cast<int>((job.shape.block.count() + trace::warp_size - 1) / trace::warp_size);
    return fits->blocks + (what_if.more_warps + warps - 1) / warps;
}

std::set<uint64_t> lines_read(const timing::Stream& stream, const timing::Code& code) {
    std::set<uint64_t> lines;
    const auto add = [&](const timing::Access& a) {
        for (uint32_t n = 0; n < a.lines; ++n) lines.insert(stream.lines[a.first_line + n].number);
    };
    for (const auto& steps : stream.warps)
        for (const timing::Step& s : steps) {
            const timing::Does does = code.ops[s.pc].does;
            const bool reads = does == timing::Does::global || does == timing::Does::copy_async;
            if (reads && s.access != trace::no_access) add(stream.accesses[s.access]);
        }
    for (const timing::Effect& e : stream.effects)
        if (e.what == timing::Effect::copies) add(e.moved);
    return lines;
}

// Of a block's main loop: how often a warp executes the same instruction that reads global memory, and whether that is a copy that
// runs ahead, for turns to come.
struct Turns {
    uint32_t made = 0;
    bool ahead = false;
};
Turns turns_of(const timing::Stream& stream, const timing::Code& code) {
    Turns turns;
    for (const auto& steps : stream.warps) {
        std::map<uint32_t, uint32_t> times; // by pc
        for (const timing::Step& s : steps) {
            const timing::Does does = code.ops[s.pc].does;
            const auto effects = std::span(stream.effects).subspan(s.first_effect, s.effects);
            const bool copies = does == timing::Does::copy_async ||
                                std::any_of(effects.begin(), effects.end(),
                                            [](const timing::Effect& e) { return e.what == timing::Effect::copies; });
            turns.ahead |= copies;
            if (copies || does == timing::Does::global) turns.made = std::max(turns.made, ++times[s.pc]);
        }
    }
    return turns;
}

// What blocks have in common: of the lines of global memory that one reads, the shares that its neighbours in the grid read, too.
struct Neighbours {
    double along_x = 0, along_y = 0, both = 0;
};
double common(const std::set<uint64_t>& some, const std::set<uint64_t>& others,
              const std::set<uint64_t>* third = nullptr) {
    const auto is_common = [&](uint64_t line) { return others.contains(line) && (!third || third->contains(line)); };
    return some.empty() ? 0
                        : static_cast<double>(std::count_if(some.begin(), some.end(), is_common)) /
                              static_cast<double>(some.size());
}
base::Result<Neighbours> neighbours_of(BlockStreams& blocks, base::Dim3 grid, const timing::Code& code) {
    auto streams = blocks.get(std::array<uint64_t, 3>{0, grid.x > 1 ? 1u : 0u, grid.y > 1 ? grid.x : 0u});
    if (!streams) return streams.error();
    std::array<std::set<uint64_t>, 3> lines;
    for (size_t n = 0; n < lines.size(); ++n) lines[n] = lines_read(*(*streams)[n], code);
    Neighbours found;
    if (grid.x > 1) found.along_x = common(lines[0], lines[1]);
    if (grid.y > 1) found.along_y = common(lines[0], lines[2]);
    if (grid.x > 1 && grid.y > 1) found.both = common(lines[0], lines[1], &lines[2]);
    return found;
}

// How many of the blocks that run together read a line, in the mean: they lie side by side, in the order of their numbers.
double sharing(const Job& job, const Neighbours& n, double together) {
    const double wide = std::min<double>(together, job.shape.grid.x), high = std::max(1.0, together / job.shape.grid.x);
    const double alone = std::max(0.0, 1 - n.along_x - n.along_y + n.both);
    return 1 / (alone + (n.along_x - n.both) / wide + (n.along_y - n.both) / high + n.both / together);
}

// The driver keeps 1 KiB of shared memory for each block, and carves the next of these sizes, in KiB, out of L1 (CUDA C++ Programming
// Guide, compute capability 9.0).
double first_level_bytes(const timing::Machine& m, const Job& job, const Prepared& prepared, int resident) {
    constexpr double kib = 1024, carve_outs[] = {8, 16, 32, 64, 100, 132, 164, 196, 228};
    const double wanted = resident * (shared_bytes(job, prepared) / kib + 1);
    const double* const carved = std::lower_bound(std::begin(carve_outs), std::prev(std::end(carve_outs)), wanted);
    return m.l1_bytes - *carved * kib;
}

timing::Behind behind_of(const timing::Machine& m, const Job& job, const Prepared& prepared, const Neighbours& n,
                         int resident) {
    const double blocks = static_cast<double>(job.shape.grid.count()), active = std::min(m.multiprocessors, blocks);
    timing::Behind behind{.l1_bytes = first_level_bytes(m, job, prepared, resident)};
    // Two multiprocessors side by side that ask for the same line ask once.
    behind.l2_times =
        std::min(m.l2_bytes_alone / m.l2_bytes_per_cycle, m.multiprocessors / active / (1 - n.along_x / 2));
    behind.storing = active / m.multiprocessors;
    double bytes = 0, read = 0;
    for (const Argument& argument : job.arguments) {
        bytes += static_cast<double>(argument.buffer.bytes);
        if (argument.fill != Argument::Fill::poison) read += static_cast<double>(argument.buffer.bytes);
    }
    if (bytes > m.l2_bytes) {
        // What blocks that run together read stays for those that follow, if it fits; then a line comes from memory once a launch.
        const double together = std::min(m.multiprocessors * resident, blocks);
        const double at_once = sharing(job, n, together), in_all = sharing(job, n, blocks);
        const bool stays = read * together / blocks * in_all / at_once <= m.l2_bytes;
        behind.from_memory = std::min(1.0, m.first_touch / (stays ? in_all : at_once));
    }
    return behind;
}

// What `further` steps from one cut to the next add to what the second took.
double extrapolated(double first, double second, double further) {
    return second + std::max(0.0, second - first) * further;
}

// Blocks that began together: when each ends, and cycles lost by pc.
struct Ends {
    std::vector<double> blocks;
    std::vector<timing::Lost> lost;
};
Ends extrapolated(const Ends& first, Ends second, double further) {
    for (size_t n = 0; n < second.blocks.size(); ++n)
        second.blocks[n] = extrapolated(first.blocks[n], second.blocks[n], further);
    for (size_t pc = 0; pc < second.lost.size(); ++pc)
        for (size_t why = 0; why < second.lost[pc].cycles.size(); ++why) {
            uint64_t& cycles = second.lost[pc].cycles[why];
            cycles = static_cast<uint64_t>(
                extrapolated(static_cast<double>(first.lost[pc].cycles[why]), static_cast<double>(cycles), further));
        }
    return second;
}

// A launch, whole or with the depth of its product cut short.
struct Cut {
    base::Dim3 grid;
    BlockStreams blocks;
};
// One, or two of which the second is deeper. The whole is that and `further` times what the second has and the first has not.
struct Cuts {
    std::vector<Cut> all;
    double further = 0;
    std::optional<Cut> shallow; // a lesser depth, if there is one: what neighbours have in common shows there, too
};
// Where blocks walk along C, two parts of it likewise, of which the second is wider.
struct Strips {
    std::vector<Cuts> all;
    double further = 0;
};

class Predictor {
public:
    Predictor(const Job& job, const Prepared& prepared, const timing::WhatIf& what_if, std::stop_token stop)
        : job_(job), prepared_(prepared), machine_(*timing::machine(job.source.arch)), what_if_(what_if),
          stop_(std::move(stop)) {}

    base::Result<Prediction> predict(Strips& strips) {
        auto fits = residents_of(job_, prepared_, what_if_);
        if (!fits) return fits.error();
        Cuts& narrow = strips.all.front();
        Cut& first = narrow.shallow ? *narrow.shallow : narrow.all.front();
        auto neighbours = neighbours_of(first.blocks, first.grid, *prepared_.timing);
        if (!neighbours) return neighbours.error();
        Prediction p;
        p.blocks = job_.shape.grid.count();
        const auto places = static_cast<uint64_t>(machine_.multiprocessors);
        p.resident =
            static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(*fits), (p.blocks + places - 1) / places));
        behind_ = behind_of(machine_, job_, prepared_, *neighbours, p.resident);
        p.from_memory = behind_.from_memory;
        auto together = ends_of(strips, p.resident);
        if (!together) return together.error();
        p.lost = std::move(together->lost);
        timing::BlockCycles cycles{.first = together->blocks};
        cycles.alone = p.wave_cycles = *std::max_element(cycles.first.begin(), cycles.first.end());
        if (p.resident > 1) {
            auto alone = ends_of(strips, 1);
            if (!alone) return alone.error();
            cycles.alone = p.tail_cycles = alone->blocks.front();
        }
        p.cycles = std::max(timing::grid_cycles(machine_, p.blocks, cycles),
                            static_cast<double>(p.blocks) * machine_.block_interval);
        p.ms = p.cycles / machine_.clock_mhz / 1e3 + machine_.launch_us / 1e3;
        if (job_.gemm && job_.gemm->operation == catalog::Operation::product) {
            const catalog::Problem& q = job_.gemm->problem;
            p.gflops = 2.0 * q.m * q.n * q.k / p.ms / 1e6;
        }
        return p;
    }

private:
    const Job& job_;
    const Prepared& prepared_;
    const timing::Machine& machine_;
    const timing::WhatIf what_if_;
    const std::stop_token stop_;
    timing::Behind behind_;

    // Of `residents` blocks that begin together, those that a multiprocessor gets first.
    base::Result<Ends> ends_of(Cut& cut, int residents) const {
        std::vector<uint64_t> blocks;
        for (int n = 0; n < residents; ++n)
            blocks.push_back(static_cast<uint64_t>(n) * static_cast<uint64_t>(machine_.multiprocessors) %
                             cut.grid.count());
        auto streams = cut.blocks.get(blocks);
        if (!streams) return streams.error();
        timing::Run run = timing::simulate({machine_, *prepared_.timing, behind_, what_if_, false}, *streams, stop_);
        if (stop_.stop_requested()) return stopped();
        if (run.stuck) return never_ends();
        return Ends{{run.block_cycles.begin(), run.block_cycles.end()}, std::move(run.lost)};
    }
    // Likewise, of cuts or of strips.
    template <class Parts>
    base::Result<Ends> ends_of(Parts& parts, int residents) const {
        auto first = ends_of(parts.all.front(), residents);
        if (!first || parts.all.size() == 1) return first;
        auto second = ends_of(parts.all.back(), residents);
        if (!second) return second;
        return extrapolated(*first, std::move(*second), parts.further);
    }
};

// Where to cut the depth of a product: to one that makes turns enough of the main loop for all that is under way in it, and to twice that.
// What is left over of the depth stays as it is.
class DepthCutter {
public:
    DepthCutter(const catalog::Kernel& kernel, const Subject& subject, const Prepared& prepared, std::stop_token stop)
        : kernel_(kernel), subject_(subject), prepared_(prepared), stop_(std::move(stop)) {}

    base::Result<Cuts> cut() {
        constexpr int least = 64;
        const int whole = subject_.problem.k, rest = whole % least;
        bool even = true;
        for (int depth = least, step = 2; 2 * depth + rest < whole; depth *= step) {
            step = 2;
            auto half = executed_at(depth / 2 + rest), once = executed_at(depth + rest),
                 twice = executed_at(2 * depth + rest);
            const bool kept =
                half && once && twice && *twice < static_cast<double>(most_stream_bytes / sizeof(timing::Step));
            if (!kept && depth == least)
                return !half ? half.error() : !once ? once.error() : !twice ? twice.error() : too_long();
            if (!kept) return ahead(depth / 2, rest);
            // A block may take more of the depth in a turn than this, or share the depth with others: then some steps add little or nothing.
            const double before = *once - *half, more = *twice - *once;
            const bool alike = more >= *twice / 16 && std::abs(more - 2 * before) <= more / 4;
            even = even && alike;
            if (!alike) continue;
            auto block = block_at(depth + rest);
            if (!block) return block.error();
            const Turns turns = turns_of(**block, *prepared_.timing);
            const uint32_t enough = turns.ahead ? 8 : 4, made = std::max(1u, turns.made);
            if (made < enough) {
                step = static_cast<int>(std::bit_ceil((enough + made - 1) / made));
                continue;
            }
            if (even) return ahead(depth, rest);
            auto all = executed_at(whole); // turns end where they end, not where the depth was cut
            if (!all) return all.error();
            return of({depth + rest, 2 * depth + rest}, (*all - *twice) / more);
        }
        return of({whole}, 0);
    }

private:
    const catalog::Kernel& kernel_;
    const Subject& subject_;
    const Prepared& prepared_;
    const std::stop_token stop_;
    std::map<int, Cut> known_;       // by depth
    std::map<int, double> executed_; // likewise: instructions of a block's warps

    base::Result<Cut*> at(int depth) {
        if (const auto found = known_.find(depth); found != known_.end()) return &found->second;
        Subject shorter = subject_;
        shorter.problem.k = depth;
        auto job = resolve(kernel_, shorter);
        if (!job) return job.error();
        auto blocks = BlockStreams::of(*job, prepared_, stop_);
        if (!blocks) return blocks.error();
        return &known_.emplace(depth, Cut{job->shape.grid, std::move(*blocks)}).first->second;
    }
    base::Result<double> executed_at(int depth) {
        if (const auto found = executed_.find(depth); found != executed_.end()) return found->second;
        auto cut = at(depth);
        if (!cut) return cut.error();
        auto instructions = (*cut)->blocks.executed();
        if (!instructions) return instructions.error();
        return executed_[depth] = static_cast<double>(*instructions);
    }
    base::Result<const timing::Stream*> block_at(int depth) {
        auto cut = at(depth);
        if (!cut) return cut.error();
        auto streams = (*cut)->blocks.get(std::array<uint64_t, 1>{0});
        if (!streams) return streams.error();
        return streams->front();
    }
    base::Result<Cuts> ahead(int depth, int rest) { // as if every step of depth took as long
        const double further = static_cast<double>(subject_.problem.k - 2 * depth - rest) / depth;
        return of({depth + rest, 2 * depth + rest}, further);
    }
    base::Result<Cuts> of(std::initializer_list<int> depths, double further) {
        Cuts cuts;
        cuts.further = further;
        for (const int depth : depths) {
            auto cut = at(depth);
            if (!cut) return cut.error();
            cuts.all.push_back(std::move(**cut));
            known_.erase(depth);
        }
        // Not what lies within a turn.
        const auto traced =
            std::find_if(known_.begin(), known_.end(), [](const auto& c) { return c.second.blocks.traced(); });
        if (traced != known_.end()) cuts.shallow = std::move(traced->second);
        return cuts;
    }
};

// Whether blocks of this kernel walk along C, which the grid then does not hang on, and the two parts of it that tell their pace.
class StripCutter {
public:
    StripCutter(const catalog::Kernel& kernel, const Subject& subject, const Job& job, const Prepared& prepared,
                std::stop_token stop)
        : kernel_(kernel), subject_(subject), job_(job), prepared_(prepared), stop_(std::move(stop)) {}

    base::Result<Strips> cut() {
        for (int catalog::Problem::*const side : {&catalog::Problem::n, &catalog::Problem::m}) {
            const int whole = subject_.problem.*side;
            int wide = 0, narrow = 0;
            // Each with half of the turns of the one before, and two more behind it, so that the last one makes four or more.
            for (int halved = 4; part(whole, 4 * halved) > 0; halved *= 2) {
                auto steps = steps_of(side, part(whole, 2 * halved)), half = steps_of(side, part(whole, 4 * halved));
                if (!steps || !half || *half < least_share * *steps || *half > most_share * *steps) break;
                wide = part(whole, halved / 2), narrow = part(whole, halved);
            }
            if (narrow == 0 || wide > whole / 4) continue; // not worth two
            auto first = counted(side, narrow), second = counted(side, wide), all = counted(side, whole);
            if (!first || !second || !all || *second <= *first) continue;
            Strips strips;
            strips.further = (*all - *second) / (*second - *first);
            for (const int size : {narrow, wide}) {
                auto cuts = DepthCutter(kernel_, of(side, size, subject_.problem.k), prepared_, stop_).cut();
                if (!cuts) return cuts.error();
                strips.all.push_back(std::move(*cuts));
            }
            return strips;
        }
        auto cuts = DepthCutter(kernel_, subject_, prepared_, stop_).cut();
        if (!cuts) return cuts.error();
        Strips strips;
        strips.all.push_back(std::move(*cuts));
        return strips;
    }

private:
    static constexpr int unit = 32,
                         shallow = 32; // elements; a row of C then has a line or more, as it has in the whole
    static constexpr double least_share = 0.4, most_share = 0.6; // that half of the turns take of all
    const catalog::Kernel& kernel_;
    const Subject& subject_;
    const Job& job_;
    const Prepared& prepared_;
    const std::stop_token stop_;

    // What is left over of a side stays as it is; 0: it is too narrow for that.
    static int part(int whole, int divisor) {
        const int units = whole / unit / divisor;
        return units == 0 ? 0 : units * unit + whole % unit;
    }
    Subject of(int catalog::Problem::*side, int size, int depth) const {
        Subject smaller = subject_;
        smaller.problem.*side = size;
        smaller.problem.k = depth;
        return smaller;
    }
    // A block of little depth; an error also where the grid is another.
    base::Result<BlockStreams> block(int catalog::Problem::*side, int size) const {
        auto job = resolve(kernel_, of(side, size, std::min(shallow, subject_.problem.k)));
        if (!job) return job.error();
        if (job->shape.grid != job_.shape.grid) return too_long();
        return BlockStreams::of(*job, prepared_, stop_);
    }
    base::Result<double> steps_of(int catalog::Problem::*side, int size) const { // of the longest warp
        auto blocks = block(side, size);
        if (!blocks) return blocks.error();
        auto streams = blocks->get(std::array<uint64_t, 1>{0});
        if (!streams) return streams.error();
        size_t most = 0;
        for (const auto& steps : streams->front()->warps) most = std::max(most, steps.size());
        return static_cast<double>(most);
    }
    base::Result<double> counted(int catalog::Problem::*side, int size) const { // of all warps
        auto blocks = block(side, size);
        if (!blocks) return blocks.error();
        auto instructions = blocks->executed();
        if (!instructions) return instructions.error();
        return static_cast<double>(*instructions);
    }
};

Stage<Prediction> to_stage(base::Result<Prediction> made) {
    if (!made) return {nullptr, failed(made.error())};
    return {std::make_shared<const Prediction>(std::move(*made)), {}};
}

} // namespace

Stage<Prediction> predict(const catalog::Kernel& kernel, const Subject& subject, const timing::WhatIf& what_if,
                          std::stop_token stop) {
    auto job = resolve(kernel, subject);
    if (!job) return {nullptr, failed(job.error())};
    const auto prepared = prepare(*job, stop);
    if (prepared.failed) return {nullptr, prepared.failed};
    return predict(kernel, subject, *prepared.value, what_if, std::move(stop));
}

Stage<Prediction> predict(const catalog::Kernel& kernel, const Subject& subject, const Prepared& prepared,
                          const timing::WhatIf& what_if, std::stop_token stop) {
    auto job = resolve(kernel, subject);
    if (!job) return {nullptr, failed(job.error())};
    if (auto known = is_known(*job, prepared); !known) return {nullptr, failed(known.error())};
    auto strips = StripCutter(kernel, subject, *job, prepared, stop).cut();
    if (!strips) return {nullptr, failed(strips.error())};
    return to_stage(Predictor(*job, prepared, what_if, std::move(stop)).predict(*strips));
}

Stage<Prediction> predict(const Job& job, const Prepared& prepared, const timing::WhatIf& what_if,
                          std::stop_token stop) {
    if (auto known = is_known(job, prepared); !known) return {nullptr, failed(known.error())};
    auto blocks = BlockStreams::of(job, prepared, stop);
    if (!blocks) return {nullptr, failed(blocks.error())};
    Strips whole;
    whole.all.emplace_back().all.push_back({job.shape.grid, std::move(*blocks)});
    return to_stage(Predictor(job, prepared, what_if, std::move(stop)).predict(whole));
}

Stage<BlockTime> time_block(const Job& job, const Prepared& prepared, const BlockRun& block,
                            const timing::WhatIf& what_if, std::stop_token stop) {
    if (auto known = is_known(job, prepared); !known) return {nullptr, failed(known.error())};
    if (block.trace.truncated) return {nullptr, failed(too_long())};
    auto fits = residents_of(job, prepared, what_if);
    if (!fits) return {nullptr, failed(fits.error())};
    const timing::Machine& m = *timing::machine(job.source.arch);
    const uint64_t grid = job.shape.grid.count(), places = static_cast<uint64_t>(m.multiprocessors),
                   here = base::index_of(block.trace.block_index, job.shape.grid);
    std::vector<uint64_t> others;
    for (uint64_t n = 1; n < static_cast<uint64_t>(*fits) && n * places < grid; ++n)
        others.push_back((here + n * places) % grid);
    auto known = BlockStreams::of(job, prepared, stop);
    if (!known) return {nullptr, failed(known.error())};
    auto streams = known->get(others);
    if (!streams) return {nullptr, failed(streams.error())};
    const timing::Stream own = timing::stream_of(block.trace, analysis::bank_rule(job.source.arch));
    std::vector<const timing::Stream*> blocks{&own};
    blocks.insert(blocks.end(), streams->begin(), streams->end());
    BlockTime time;
    time.resident = static_cast<int>(blocks.size());
    auto neighbours = neighbours_of(*known, job.shape.grid, *prepared.timing);
    if (!neighbours) return {nullptr, failed(neighbours.error())};
    const timing::Behind behind = behind_of(m, job, prepared, *neighbours, time.resident);
    time.run = timing::simulate({m, *prepared.timing, behind, what_if, true}, blocks, stop);
    if (stop.stop_requested()) return {nullptr, failed(stopped())};
    if (time.run.stuck) return {nullptr, failed(never_ends())};
    return {std::make_shared<const BlockTime>(std::move(time)), {}};
}

} // namespace session
