#include "session/cuts.h"

#include "timing/code.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <map>
#include <span>
#include <utility>

namespace session {
namespace {

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
                half && once && twice && *twice < static_cast<double>(BlockStreams::most_bytes / sizeof(timing::Step));
            if (!kept && depth == least)
                return !half ? half.error() : !once ? once.error() : !twice ? twice.error() : too_long();
            if (!kept) return ahead(depth / 2, rest); // the deepest that is kept
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
        // The least depth that makes a turn: below it no block was recorded.
        const auto traced =
            std::find_if(known_.begin(), known_.end(), [](const auto& c) { return c.second.blocks.has_any(); });
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

} // namespace

base::Result<Strips> cut(const catalog::Kernel& kernel, const Subject& subject, const Job& job,
                         const Prepared& prepared, const std::stop_token& stop) {
    return StripCutter(kernel, subject, job, prepared, stop).cut();
}

} // namespace session
