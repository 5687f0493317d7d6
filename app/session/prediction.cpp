#include "session/prediction.h"

#include "analysis/occupancy.h"
#include "base/heap.h"
#include "session/cuts.h"
#include "timing/grid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
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

// What a block reads of global memory and does not write, too: that is its own.
std::set<uint64_t> lines_read(const timing::Stream& stream, const timing::Code& code) {
    std::set<uint64_t> read, written;
    const auto add = [&](std::set<uint64_t>& lines, const timing::Moved& a) {
        for (uint32_t n = 0; n < a.lines; ++n) lines.insert(stream.lines[a.first_line + n].number);
    };
    for (const auto& steps : stream.warps)
        for (const timing::Step& s : steps) {
            if (s.access == trace::no_access) continue;
            const timing::Does does = code.ops[s.pc].does;
            if (does == timing::Does::global || does == timing::Does::copy_async) add(read, stream.accesses[s.access]);
            if (does == timing::Does::store) add(written, stream.accesses[s.access]);
        }
    for (const timing::Effect& e : stream.effects) {
        if (e.what == timing::Effect::copies) add(read, e.moved);
        if (e.what == timing::Effect::stores) add(written, e.moved);
    }
    for (const uint64_t line : written) read.erase(line);
    return read;
}

// What neighbours in the grid have in common, as shares of the lines of global memory that one reads. Blocks of a cluster bring each other what all of
// them want (multicast), and together they ask for it once: so what is in common is counted of clusters.
struct Neighbours {
    double side_by_side = 0; // of a block's, those that the next one along x reads, too
    base::Dim3 grid;         // in clusters: a kernel without has clusters of one block
    double along_x = 0, along_y = 0, both = 0;
};
double common(const std::set<uint64_t>& some, const std::set<uint64_t>& others,
              const std::set<uint64_t>* third = nullptr) {
    const auto is_common = [&](uint64_t line) { return others.contains(line) && (!third || third->contains(line)); };
    return some.empty() ? 0
                        : static_cast<double>(std::count_if(some.begin(), some.end(), is_common)) /
                              static_cast<double>(some.size());
}
base::Result<Neighbours> neighbours_of(BlockStreams& blocks, base::Dim3 grid, base::Dim3 cluster,
                                       const timing::Code& code) {
    Neighbours found{.grid = {grid.x / cluster.x, grid.y / cluster.y, grid.z / cluster.z}};
    const auto lines_of = [&](base::Dim3 first, base::Dim3 shape) -> base::Result<std::set<uint64_t>> {
        std::set<uint64_t> lines;
        for (uint64_t n = 0; n < shape.count(); ++n) {
            const base::Dim3 at = base::position(n, shape);
            auto stream =
                blocks.get(std::array{base::index_of({first.x + at.x, first.y + at.y, first.z + at.z}, grid)});
            if (!stream) return stream.error();
            lines.merge(lines_read(*stream->front(), code));
        }
        return lines;
    };
    const bool wide = found.grid.x > 1, high = found.grid.y > 1;
    auto some = lines_of({0, 0, 0}, cluster), right = lines_of({wide ? cluster.x : 0, 0, 0}, cluster),
         below = lines_of({0, high ? cluster.y : 0, 0}, cluster);
    auto own = lines_of({0, 0, 0}, {1, 1, 1}), next = lines_of({grid.x > 1 ? 1u : 0u, 0, 0}, {1, 1, 1});
    for (const auto* lines : {&some, &right, &below, &own, &next})
        if (!*lines) return lines->error();
    if (grid.x > 1) found.side_by_side = common(*own, *next);
    if (wide) found.along_x = common(*some, *right);
    if (high) found.along_y = common(*some, *below);
    if (wide && high) found.both = common(*some, *right, &*below);
    return found;
}

// How many of the clusters that run together read a line, in the mean: they lie side by side, in the order of their numbers.
double sharing(const Neighbours& n, double together) {
    const double wide = std::min<double>(together, n.grid.x), high = std::max(1.0, together / n.grid.x);
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
        std::min(m.l2_bytes_alone / m.l2_bytes_per_cycle, m.multiprocessors / active / (1 - n.side_by_side / 2));
    behind.storing = active / m.multiprocessors;
    double bytes = 0, read = 0;
    for (const Argument& argument : job.arguments) {
        bytes += static_cast<double>(argument.buffer.bytes);
        if (argument.fill != Argument::Fill::poison) read += static_cast<double>(argument.buffer.bytes);
    }
    if (bytes > m.l2_bytes) {
        // What blocks that run together read stays for those that follow, if it fits; then a line comes from memory once a launch.
        const double share = std::min(1.0, m.multiprocessors * resident / blocks);
        const auto clusters = static_cast<double>(n.grid.count());
        const double at_once = sharing(n, std::max(1.0, share * clusters)), in_all = sharing(n, clusters);
        const bool stays = read * share * in_all / at_once <= m.l2_bytes;
        behind.from_memory = std::min(1.0, m.first_touch / (stays ? in_all : at_once));
    }
    return behind;
}

// Blocks that began together: when each ends, and cycles lost by pc.
struct Ends {
    std::vector<double> blocks;
    std::vector<timing::Lost> lost;
};
// What `further` steps add, each of which takes what lies between `from` and `until`.
double extrapolated(double end, double from, double until, double further) {
    return end + std::max(0.0, until - from) * further;
}
void extrapolate(std::vector<timing::Lost>& end, const std::vector<timing::Lost>& from,
                 const std::vector<timing::Lost>& until, double further) {
    for (size_t pc = 0; pc < end.size(); ++pc)
        for (size_t why = 0; why < end[pc].cycles.size(); ++why) {
            const auto at = [&](const std::vector<timing::Lost>& lost) {
                return static_cast<double>(lost[pc].cycles[why]);
            };
            end[pc].cycles[why] = static_cast<uint64_t>(extrapolated(at(end), at(from), at(until), further));
        }
}

// Whether blocks execute next to nothing between these but the loop, and one of them its share of it: what looked like turns may be copies that
// fill a ring in front of the loop.
bool does_turns_only(const Cuts& cuts, const timing::Progress& from, const timing::Progress& until) {
    double turning = 0, others = 0; // instructions
    for (size_t pc = 0; pc < cuts.of_loop.size(); ++pc)
        (cuts.of_loop[pc] ? turning : others) +=
            static_cast<double>(until.lost[pc][timing::Wait::selected] - from.lost[pc][timing::Wait::selected]);
    double most = 0;
    for (size_t n = 0; n < from.instructions.size(); ++n)
        most = std::max(most, static_cast<double>(until.instructions[n] - from.instructions[n]));
    constexpr double most_others = 0.02, least = 0.5;
    const double expected = (1 - cuts.steady_from) * 2 * cuts.instructions;
    return others <= most_others * turning && most >= least * expected;
}

// Of one block, in instructions a cycle: while it walks along C, and while it does nothing but turns.
struct Paces {
    double walking = std::numeric_limits<double>::infinity(), turning = walking;
};

class Predictor {
public:
    Predictor(const Job& job, const Prepared& prepared, const timing::WhatIf& what_if, std::stop_token stop)
        : job_(job), prepared_(prepared), machine_(*timing::machine(job.source.arch)), what_if_(what_if),
          stop_(std::move(stop)) {}

    base::Result<Prediction> predict(Cuts& cuts) {
        auto fits = residents_of(job_, prepared_, what_if_);
        if (!fits) return fits.error();
        Cut& first = cuts.shallow ? *cuts.shallow : cuts.all.front();
        auto neighbours =
            neighbours_of(first.blocks, first.grid, sim::cluster_shape(*prepared_.program), *prepared_.timing);
        if (!neighbours) return neighbours.error();
        Prediction p;
        p.blocks = job_.shape.grid.count();
        const auto places = static_cast<uint64_t>(machine_.multiprocessors);
        p.resident =
            static_cast<int>(std::min<uint64_t>(static_cast<uint64_t>(*fits), (p.blocks + places - 1) / places));
        behind_ = behind_of(machine_, job_, prepared_, *neighbours, p.resident);
        p.from_memory = behind_.from_memory;
        Paces alone;
        if (p.resident > 1) {
            auto ends = ends_of(cuts, 1, {}, &alone);
            if (!ends) return ends.error();
            p.tail_cycles = ends->blocks.front();
        }
        auto together = ends_of(cuts, p.resident, alone);
        if (!together) return together.error();
        p.lost = std::move(together->lost);
        p.put_in_time = put_in_time_;
        add_first_instructions(p);
        p.wave_cycles = *std::max_element(together->blocks.begin(), together->blocks.end());
        const timing::BlockCycles cycles{.first = together->blocks,
                                         .alone = p.resident > 1 ? p.tail_cycles : p.wave_cycles};
        auto last = last_blocks(cuts, p);
        if (!last) return last.error();
        p.cycles = std::max(timing::grid_cycles(machine_, p.blocks, cycles, *last),
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
    uint64_t put_in_time_ = 0; // instructions

    // Warps that have their places and not yet an instruction: of the time that a block takes to start.
    void add_first_instructions(Prediction& p) const {
        if (p.lost.empty()) return;
        const uint64_t warps = (job_.shape.block.count() + trace::warp_size - 1) / trace::warp_size;
        p.lost.front()[timing::Wait::instruction] +=
            static_cast<uint64_t>(p.resident) * warps * static_cast<uint64_t>(machine_.first_instruction);
    }

    // Tiles that fill no wave may be shared by more blocks, and at C's edge there may be less to do. How many of the last blocks do otherwise than
    // block 0 is found by exponential search from the grid's end; each of them is taken to do what the last one does.
    base::Result<timing::LastBlocks> last_blocks(Cuts& cuts, const Prediction& p) {
        Cut& deep = cuts.all.back();
        const uint64_t at_once = static_cast<uint64_t>(machine_.multiprocessors) * static_cast<uint64_t>(p.resident);
        if (p.blocks <= at_once || deep.grid != job_.shape.grid) return timing::LastBlocks{};
        auto first = deep.blocks.executed(0);
        if (!first) return first.error();
        if (*first == 0) return timing::LastBlocks{}; // a block that faults at once is like none, not even itself
        const auto is_alike = [&](uint64_t from_end) -> base::Result<bool> {
            auto instructions = deep.blocks.executed(p.blocks - from_end);
            if (!instructions) return instructions.error();
            constexpr double most_difference = 0.05;
            return std::abs(static_cast<double>(*instructions) / static_cast<double>(*first) - 1) < most_difference;
        };
        uint64_t others = 0, alike = 1; // blocks from the end
        while (true) {
            auto found = is_alike(alike);
            if (!found) return found.error();
            if (*found) break;
            others = alike, alike = std::min(2 * alike, p.blocks); // block 0 is
        }
        while (alike - others > 1) {
            const uint64_t at = others + (alike - others) / 2;
            auto found = is_alike(at);
            if (!found) return found.error();
            (*found ? alike : others) = at;
        }
        if (others == 0) return timing::LastBlocks{};
        auto some = in_all(cuts, 0), late = in_all(cuts, p.blocks - 1);
        if (!some || !late) return some ? late.error() : some.error();
        return timing::LastBlocks{others, *late / *some};
    }
    // Instructions of a block, of the whole depth.
    static base::Result<double> in_all(Cuts& cuts, uint64_t block) {
        auto deep = cuts.all.back().blocks.executed(block), shallow = cuts.all.front().blocks.executed(block);
        if (!deep || !shallow) return deep ? shallow.error() : deep.error();
        const auto all = static_cast<double>(*deep), less = static_cast<double>(*shallow);
        return extrapolated(all, less, all, cuts.further);
    }

    // Of `residents` blocks that begin together, those that a multiprocessor gets first.
    base::Result<timing::Run> run(Cut& cut, int residents, const timing::Watch& watch = {}) {
        std::vector<uint64_t> blocks;
        for (int n = 0; n < residents; ++n)
            blocks.push_back(static_cast<uint64_t>(n) * static_cast<uint64_t>(machine_.multiprocessors) %
                             cut.grid.count());
        auto streams = cut.blocks.get(blocks);
        if (!streams) return streams.error();
        timing::Run run =
            timing::simulate({machine_, *prepared_.timing, behind_, what_if_, false, watch}, *streams, stop_);
        if (stop_.stop_requested()) return stopped();
        if (run.stuck) return never_ends();
        put_in_time_ += run.instructions;
        return run;
    }
    // `most`: that a block can; `own`: of the first, if asked for.
    base::Result<Ends> ends_of(Cuts& cuts, int residents, const Paces& most, Paces* own = nullptr) {
        if (cuts.all.size() == 1) {
            auto whole = run(cuts.all.front(), residents);
            if (!whole) return whole.error();
            return ends_of(*whole);
        }
        const bool walks = cuts.wider > 0, turns = cuts.steady_from > 0;
        timing::Watch watch{cuts.turn_pc, {}};
        if (walks) watch.shares.push_back(walk_from);
        if (turns) watch.shares.push_back(std::max(cuts.steady_from, walk_from));
        watch.shares.push_back(1);
        auto deep = run(cuts.all.back(), residents, watch);
        if (!deep) return deep.error();
        const bool marked = deep->marks.size() == watch.shares.size();
        Ends ends = ends_of(*deep);
        if (walks && marked)
            go_on(ends, deep->marks.front(), deep->marks.back(), wider(cuts, *deep, residents), most.walking,
                  own ? &own->walking : nullptr);
        // The depth's pace shows there, too, if its blocks do nothing but turns for a while.
        if (turns && marked && does_turns_only(cuts, *std::prev(deep->marks.end(), 2), deep->marks.back())) {
            go_on(ends, *std::prev(deep->marks.end(), 2), deep->marks.back(),
                  cuts.further * cuts.instructions * (1 + cuts.wider), most.turning, own ? &own->turning : nullptr);
            return ends;
        }
        watch.shares = {walk_from, 1};
        auto shallow = run(cuts.all.front(), residents, walks ? watch : timing::Watch{});
        if (!shallow) return shallow.error();
        Ends less = ends_of(*shallow);
        if (walks && shallow->marks.size() == watch.shares.size())
            go_on(less, shallow->marks.front(), shallow->marks.back(), wider(cuts, *shallow, residents), most.walking);
        const std::vector<timing::Lost> lost = ends.lost;
        for (size_t n = 0; n < ends.blocks.size(); ++n)
            ends.blocks[n] = extrapolated(ends.blocks[n], less.blocks[n], ends.blocks[n], cuts.further);
        extrapolate(ends.lost, less.lost, lost, cuts.further);
        return ends;
    }
    static constexpr double walk_from = 0.5; // of the turns of a part of C

    static Ends ends_of(const timing::Run& run) {
        return {{run.block_cycles.begin(), run.block_cycles.end()}, run.lost};
    }
    // Instructions of a block that the whole width has and this run has not.
    static double wider(const Cuts& cuts, const timing::Run& run, int residents) {
        return cuts.wider * std::max(0.0, static_cast<double>(run.instructions) / residents - cuts.of_no_width);
    }
    // Until each block has executed `left` instructions more, at the paces between two times.
    static void go_on(Ends& ends, const timing::Progress& from, const timing::Progress& until, double left, double most,
                      double* own = nullptr) {
        std::vector<double> paces; // instructions in the cycles between them, of each block
        for (size_t n = 0; n < from.instructions.size(); ++n)
            paces.push_back(static_cast<double>(until.instructions[n] - from.instructions[n]));
        const double all = std::accumulate(paces.begin(), paces.end(), 0.0);
        if (!(all > 0 && left > 0 && until.cycle > from.cycle)) return;
        const double cycles = static_cast<double>(until.cycle - from.cycle);
        if (own) *own = paces.front() / cycles;
        const std::vector<double> further = timing::shared_ends(left, paces, most * cycles);
        for (size_t n = 0; n < further.size(); ++n) ends.blocks[n] += further[n] * cycles;
        extrapolate(ends.lost, from.lost, until.lost, static_cast<double>(paces.size()) * left / all);
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
    auto cuts = cut(kernel, subject, *job, prepared, stop);
    if (!cuts) return {nullptr, failed(cuts.error())};
    return to_stage(Predictor(*job, prepared, what_if, std::move(stop)).predict(*cuts));
}

Stage<Prediction> predict(const Job& job, const Prepared& prepared, const timing::WhatIf& what_if,
                          std::stop_token stop) {
    if (auto known = is_known(job, prepared); !known) return {nullptr, failed(known.error())};
    auto blocks = BlockStreams::of(job, prepared, stop);
    if (!blocks) return {nullptr, failed(blocks.error())};
    Cuts whole;
    whole.all.push_back({job.shape.grid, std::move(*blocks)});
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
    auto neighbours = neighbours_of(*known, job.shape.grid, sim::cluster_shape(*prepared.program), *prepared.timing);
    if (!neighbours) return {nullptr, failed(neighbours.error())};
    const timing::Behind behind = behind_of(m, job, prepared, *neighbours, time.resident);
    time.run = timing::simulate({m, *prepared.timing, behind, what_if, true}, blocks, stop);
    base::return_spare_room(time.run.parts);
    if (stop.stop_requested()) return {nullptr, failed(stopped())};
    if (time.run.stuck) return {nullptr, failed(never_ends())};
    return {std::make_shared<const BlockTime>(std::move(time)), {}};
}

} // namespace session
