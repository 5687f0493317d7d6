#include "session/cuts.h"

#include "timing/code.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace session {
namespace {

// What a block executes, by pc: all of its warps, the warp that does it most often, and how many do.
struct Executions {
    std::vector<uint64_t> of_all, of_warp, warps;
};
Executions executions(const timing::Stream& stream, size_t instructions) {
    Executions times;
    for (std::vector<uint64_t>* one : {&times.of_all, &times.of_warp, &times.warps}) one->resize(instructions);
    std::vector<uint64_t> warp(instructions);
    for (const auto& steps : stream.warps) {
        std::fill(warp.begin(), warp.end(), 0);
        for (const timing::Step& s : steps) ++warp[s.pc];
        for (size_t pc = 0; pc < instructions; ++pc) {
            times.of_all[pc] += warp[pc];
            times.of_warp[pc] = std::max(times.of_warp[pc], warp[pc]);
            times.warps[pc] += warp[pc] > 0;
        }
    }
    return times;
}
// What instructions do that tells turns of a loop, by pc: they copy to shared memory, or meet others at a barrier.
struct Roles {
    std::vector<bool> copies, meets;
};
Roles roles(const timing::Stream& stream, const timing::Code& code) {
    Roles roles;
    for (const timing::Op& op : code.ops) {
        roles.copies.push_back(op.does == timing::Does::copy_async);
        roles.meets.push_back(op.does == timing::Does::barrier || op.does == timing::Does::commit);
    }
    if (stream.effects.empty()) return roles;
    for (const auto& steps : stream.warps)
        for (const timing::Step& s : steps)
            for (const timing::Effect& e : stream.effects_of(s))
                (e.what == timing::Effect::copies ? roles.copies : roles.meets)[s.pc] = true;
    return roles;
}
// Of a block's main loop: the instructions that a deeper product executes more often. The read of global memory that a warp executes most often
// tells turns, or a barrier: reads may lie in a loop within the loop.
struct Loop {
    std::vector<bool> instructions; // by pc
    uint32_t turn_pc = 0;
    uint64_t turns_of_all = 0; // warps of the deeper product
    uint64_t turning_warps = 0;
    int turns = 0;             // of the warp that makes most,
    int last_turns = 0;        // those with nothing between them, the last ones,
    double more_turns = 1;     // and those that it does not make in the shallower product
    bool copies_ahead = false; // for turns to come

    // Behind which share of them it keeps its pace: behind those turns in which copies run ahead, or blocks come apart that began together.
    // 0: nowhere, if warps make fewer turns than others: at the end of a row of C, say, where some lie beside it.
    double steady_from() const {
        if (turns == 0 || turns_of_all != static_cast<uint64_t>(turns) * turning_warps) return 0;
        const int last = copies_ahead ? std::min(4, last_turns / 2) : std::min(turns, last_turns) / 2;
        return 1 - static_cast<double>(last) / turns;
    }
};
Loop loop_of(const timing::Stream& shallow, const timing::Stream& deep, const timing::Code& code) {
    const size_t size = code.ops.size();
    const Executions few = executions(shallow, size), many = executions(deep, size);
    const Roles does = roles(deep, code);
    Loop loop{.instructions = std::vector<bool>(size)};
    struct Often {
        uint32_t pc = 0;
        uint64_t times = 0;
    } reads, meets;
    for (uint32_t pc = 0; pc < size; ++pc) {
        loop.instructions[pc] = many.of_all[pc] > few.of_all[pc];
        if (!loop.instructions[pc]) continue;
        loop.copies_ahead |= does.copies[pc];
        const bool reads_memory = does.copies[pc] || code.ops[pc].does == timing::Does::global;
        if (reads_memory && many.of_warp[pc] > reads.times) reads = {pc, many.of_warp[pc]};
        if (does.meets[pc] && many.of_warp[pc] > meets.times) meets = {pc, many.of_warp[pc]};
    }
    const Often& turn = meets.times > 1 && 2 * meets.times < reads.times ? meets : reads;
    if (turn.times == 0) return loop;
    loop.turn_pc = turn.pc;
    loop.turns = static_cast<int>(turn.times);
    loop.turns_of_all = many.of_all[turn.pc];
    loop.turning_warps = many.warps[turn.pc];
    for (size_t w = 0; w < deep.warps.size(); ++w) {
        const auto& steps = deep.warps[w];
        // Behind the last turn there is the rest of the block.
        const auto is_turn = [&](const timing::Step& s) { return s.pc == loop.turn_pc; };
        const auto last = std::find_if(steps.rbegin(), steps.rend(), is_turn);
        const auto first =
            std::find_if(last, steps.rend(), [&](const timing::Step& s) { return !loop.instructions[s.pc]; });
        const auto turns = static_cast<int>(std::count_if(last, first, is_turn));
        if (turns <= std::max(1, loop.last_turns)) continue;
        loop.last_turns = turns;
        // Not by counting: the first ones may be made in front of the loop, by other instructions.
        const auto before = std::find_if(std::next(last), first, is_turn);
        const double more = static_cast<double>(steps.size()) - static_cast<double>(shallow.warps[w].size());
        loop.more_turns = std::max(1.0, more / static_cast<double>(before - last));
    }
    return loop;
}

// Where to cut the depth of a product: to one that makes turns enough of the main loop for all that is under way in it, and to half of that.
// What is left over of the depth stays as it is.
class DepthCutter {
public:
    DepthCutter(const catalog::Kernel& kernel, const Subject& subject, const Prepared& prepared, std::stop_token stop)
        : kernel_(kernel), subject_(subject), prepared_(prepared), stop_(std::move(stop)),
          rest_(subject.problem.k % unit) {}

    base::Result<Cuts> cut() {
        for (int depth = least, deeper = 0, grain = unit; depth + rest_ < subject_.problem.k; depth = deeper) {
            deeper = 2 * depth;
            auto counted = counts_at(depth);
            const bool kept = counted && counted->all < most_steps;
            if (!kept && depth == least) return counted ? too_long() : counted.error();
            if (!kept) return of(depth / 2); // the deepest that is kept
            if (!counted->alike()) continue;
            if (shallow_ == 0) shallow_ = depth / 4 + rest_, grain = depth / 4;
            auto loop = loop_at(depth + rest_);
            if (!loop) return loop.error();
            const int made = loop->turns, enough = enough_turns(*loop, counted->all / std::max(made, 1));
            // Blocks that walk along C make turns for each tile. The last tile's must be more than what was copied ahead while the one before
            // was stored: those turns wait for nothing.
            const int least_last = loop->last_turns < made ? std::min(enough, behind_copies) : 4;
            if (made >= enough && loop->last_turns >= least_last) return of(depth);
            // As if each step of depth made as many.
            const double more =
                std::max((enough - made) / loop->more_turns,
                         static_cast<double>(least_last - loop->last_turns) / std::max(1, loop->last_turns));
            const int steps = static_cast<int>(std::ceil((depth + more * (depth + rest_ - shallow_)) / (2 * grain)));
            deeper = std::max(depth + 2 * grain, steps * 2 * grain);
        }
        Cuts cuts;
        auto all = at(subject_.problem.k);
        if (!all) return all.error();
        cuts.all.push_back(std::move(**all));
        return cuts;
    }

private:
    static constexpr int unit = 32, least = 4 * unit;
    static constexpr double most_steps = static_cast<double>(BlockStreams::most_bytes / sizeof(timing::Step));
    static constexpr int behind_copies = 10; // turns: more than are copied ahead
    // Warps that copies keep busy come apart late: champion's with 16 k a turn in the 22nd, and are 4 % slower then. So many are put in time
    // where a block's steps for them are no more than those for ten long ones.
    static int enough_turns(const Loop& loop, double steps_of_turn) {
        constexpr double affordable_steps = 600'000, many_turns = 24;
        if (!loop.copies_ahead) return 8;
        return static_cast<int>(std::clamp(affordable_steps / steps_of_turn, double{behind_copies}, many_turns));
    }
    const catalog::Kernel& kernel_;
    const Subject& subject_;
    const Prepared& prepared_;
    const std::stop_token stop_;
    const int rest_;
    std::map<int, Cut> known_; // by depth
    int shallow_ = 0;          // the least of them that makes turns

    // Instructions of a block's warps at a depth, half of it and a quarter. A block may take more of the depth in a turn than this, or share
    // the depth with others: then some steps add little or nothing.
    struct Counts {
        double all = 0, half = 0, quarter = 0;
        double more() const { return all - half; }
        bool within(double share) const {
            return more() >= all / 16 && std::abs(more() - 2 * (half - quarter)) <= share * more();
        }
        bool alike() const { return within(0.25); }
        bool even() const { return within(0.01); }
    };
    // Where it was even once, it is taken to be.
    std::optional<Counts> even_; // at the first depth where they are:
    int even_depth_ = 0;
    base::Result<Counts> counts_at(int depth) {
        const auto on_line = [&](int d) { return even_->all + (d - even_depth_) * 2 * even_->more() / even_depth_; };
        if (even_) return Counts{on_line(depth), on_line(depth / 2), on_line(depth / 4)};
        auto quarter = executed_at(depth / 4 + rest_), half = executed_at(depth / 2 + rest_);
        if (!quarter || !half) return !quarter ? quarter.error() : half.error();
        if (*half > *quarter) // then this block's stream is wanted next, mostly
            if (auto recorded = block_at(depth + rest_); !recorded) return recorded.error();
        auto all = executed_at(depth + rest_);
        if (!all) return all.error();
        const Counts counted{*all, *half, *quarter};
        if (counted.even()) even_ = counted, even_depth_ = depth;
        return counted;
    }
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
        auto cut = at(depth);
        if (!cut) return cut.error();
        auto instructions = (*cut)->blocks.executed();
        if (!instructions) return instructions.error();
        return static_cast<double>(*instructions);
    }
    base::Result<const timing::Stream*> block_at(int depth) {
        auto cut = at(depth);
        if (!cut) return cut.error();
        auto streams = (*cut)->blocks.get(std::array<uint64_t, 1>{0});
        if (!streams) return streams.error();
        return streams->front();
    }
    base::Result<Loop> loop_at(int depth) {
        auto shallow = block_at(shallow_), deep = block_at(depth);
        if (!shallow || !deep) return !shallow ? shallow.error() : deep.error();
        return loop_of(**shallow, **deep, *prepared_.timing);
    }
    // Instructions of the whole: turns end where they end, not where the depth was cut.
    base::Result<double> executed_in_all(int depth, const Counts& counted) {
        const int whole = subject_.problem.k, half = depth / 2;
        if (!counted.even()) return executed_at(whole);
        const int start = half + whole % half;
        auto executed = executed_at(start);
        if (!executed) return executed.error();
        return *executed + (whole - start) / half * counted.more();
    }
    base::Result<Cuts> of(int depth) {
        auto all = executed_at(depth + rest_);
        auto counted = counts_at(depth);
        if (all && counted && std::abs(counted->all - *all) > 0.01 * *all) even_.reset(), counted = counts_at(depth);
        if (!all || !counted) return !all ? all.error() : counted.error();
        auto whole = executed_in_all(depth, *counted);
        auto loop = loop_at(depth + rest_);
        if (!whole || !loop) return !whole ? whole.error() : loop.error();
        Cuts cuts;
        cuts.instructions = counted->more();
        if (loop->turns > 0) cuts.turn_pc = loop->turn_pc;
        cuts.steady_from = loop->steady_from();
        cuts.of_loop = std::move(loop->instructions);
        cuts.further = (*whole - counted->all) / cuts.instructions;
        for (const int d : {depth / 2 + rest_, depth + rest_}) {
            auto cut = at(d);
            if (!cut) return cut.error();
            cuts.all.push_back(std::move(**cut));
            known_.erase(d);
        }
        if (const auto found = known_.find(shallow_); found != known_.end()) cuts.shallow = std::move(found->second);
        return cuts;
    }
};

// Whether blocks of this kernel walk along C, which the grid then does not hang on, and a part of it that tells their pace.
class StripCutter {
public:
    StripCutter(const catalog::Kernel& kernel, const Subject& subject, const Job& job, const Prepared& prepared,
                std::stop_token stop)
        : kernel_(kernel), subject_(subject), job_(job), prepared_(prepared), stop_(std::move(stop)) {}

    base::Result<Cuts> cut() {
        if (const std::optional<Walk> walk = find_walk()) {
            auto cuts = DepthCutter(kernel_, of(walk->part, subject_.problem.k), prepared_, stop_).cut();
            if (!cuts) return cuts.error();
            cuts->wider = walk->wider, cuts->of_no_width = walk->of_no_width;
            if (cuts->turn_pc != timing::Issue::nobody) return cuts; // else nothing tells its pace
        }
        return DepthCutter(kernel_, subject_, prepared_, stop_).cut();
    }

private:
    struct Side { // of C
        int m = 0, n = 0;
    };
    struct Walk {
        Side part;
        double wider = 0, of_no_width = 0; // as in Cuts
    };
    static constexpr int unit = 32,
                         shallow = 32; // elements; a row of C then has a line or more, as it has in the whole
    const catalog::Kernel& kernel_;
    const Subject& subject_;
    const Job& job_;
    const Prepared& prepared_;
    const std::stop_token stop_;

    Side whole() const { return {subject_.problem.m, subject_.problem.n}; }
    Subject of(const Side& c, int depth) const {
        Subject smaller = subject_;
        smaller.problem = {c.m, c.n, depth};
        return smaller;
    }
    // What is left over of a side stays as it is; nothing: it is too short for that.
    static std::optional<int> halved(int side) {
        const int units = side / unit;
        return units < 2 ? std::nullopt : std::optional(units / 2 * unit + side % unit);
    }
    // The whole and ever smaller parts, each about half of the one before, as far as the grid stays as it is.
    std::vector<Side> parts(bool along_m, bool along_n) const {
        std::vector<Side> parts{whole()};
        while (true) {
            Side next = parts.back();
            const bool m_first = along_m && (!along_n || next.m > next.n);
            const auto half = halved(m_first ? next.m : next.n);
            if (!half) return parts;
            (m_first ? next.m : next.n) = *half;
            const auto job = resolve(kernel_, of(next, std::min(shallow, subject_.problem.k)));
            if (!job || job->shape.grid != job_.shape.grid) return parts;
            parts.push_back(next);
        }
    }
    std::optional<Walk> find_walk() {
        for (const auto& [along_m, along_n] : {std::pair{true, true}, {false, true}, {true, false}}) {
            const std::vector<Side> all = parts(along_m, along_n);
            std::optional<std::vector<uint64_t>> smaller;
            for (size_t n = all.size(); n-- > 1;) {
                auto part = steps(all[n]);
                if (!part) break;
                if (const auto outside = smaller ? outside_of_turns(*smaller, *part) : std::nullopt) {
                    const auto once = executed(all[n]), last = executed(all[0]);
                    if (!once || !last) break;
                    const double of_no_width = *once * *outside;
                    return Walk{all[n], (*last - *once) / (*once - of_no_width), of_no_width};
                }
                smaller = std::move(*part);
            }
        }
        return std::nullopt;
    }
    // Of what a part of C executes, by pc, against a smaller one: the share that lies in front of all turns or behind them. Nothing: it makes
    // fewer than four, or does much else. An instruction tells turns where most grow by the same ratio as it does.
    static std::optional<double> outside_of_turns(const std::vector<uint64_t>& smaller,
                                                  const std::vector<uint64_t>& part) {
        struct Grown {
            double ratio = 0; // of all times to those that the smaller part has not
            uint64_t by = 0, times = 0;
        };
        std::vector<Grown> grown;
        double all = 0, growth = 0;
        for (size_t pc = 0; pc < part.size(); ++pc) {
            all += static_cast<double>(part[pc]);
            if (part[pc] <= smaller[pc]) continue;
            const uint64_t by = part[pc] - smaller[pc];
            grown.push_back({static_cast<double>(part[pc]) / static_cast<double>(by), by, part[pc]});
            growth += static_cast<double>(by);
        }
        std::sort(grown.begin(), grown.end(), [](const Grown& a, const Grown& b) { return a.ratio < b.ratio; });
        double below = 0, ratio = 0, alike = 0;
        for (const Grown& g : grown) // the median instruction's
            if (below += static_cast<double>(g.by); ratio == 0 && 2 * below >= growth) ratio = g.ratio;
        uint64_t turns = std::numeric_limits<uint64_t>::max();
        for (const Grown& g : grown)
            if (std::abs(g.ratio - ratio) <= 0.01 * ratio)
                alike += static_cast<double>(g.by), turns = std::min(turns, g.times);
        if (grown.empty() || turns < least_turns || alike < least_alike * growth || ratio * growth < least_share * all)
            return std::nullopt;
        return std::max(0.0, 1 - ratio * growth / all);
    }
    static constexpr uint64_t least_turns = 4;
    static constexpr double least_share = 0.8, least_alike = 0.75;
    base::Result<BlockStreams> block(const Side& c) const { // at little depth
        auto job = resolve(kernel_, of(c, std::min(shallow, subject_.problem.k)));
        if (!job) return job.error();
        return BlockStreams::of(*job, prepared_, stop_);
    }
    // By pc, of the warp that executes it most often: others may lie beside a narrow part.
    base::Result<std::vector<uint64_t>> steps(const Side& c) const {
        auto blocks = block(c);
        if (!blocks) return blocks.error();
        auto streams = blocks->get(std::array<uint64_t, 1>{0});
        if (!streams) return streams.error();
        return executions(*streams->front(), prepared_.timing->ops.size()).of_warp;
    }
    base::Result<double> executed(const Side& c) const { // by all warps
        auto blocks = block(c);
        if (!blocks) return blocks.error();
        auto instructions = blocks->executed();
        if (!instructions) return instructions.error();
        return static_cast<double>(*instructions);
    }
};

} // namespace

base::Result<Cuts> cut(const catalog::Kernel& kernel, const Subject& subject, const Job& job, const Prepared& prepared,
                       const std::stop_token& stop) {
    return StripCutter(kernel, subject, job, prepared, stop).cut();
}

} // namespace session
