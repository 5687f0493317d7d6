#include "timing/grid.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <queue>
#include <vector>

namespace timing {
namespace {

// How fast blocks move on together: 1 / cycles for a block's whole work, by the number of residents.
class Paces {
public:
    // So that blocks that begin together and are not replaced end when they did: found by repeated substitution.
    explicit Paces(const BlockCycles& c) : work_(c.first.size()) {
        const size_t full = c.first.size();
        // Damaged code may fail at a block's first instruction, which then takes no time; nothing can be a share of none.
        constexpr double least = 1;
        const double alone = std::max(least, c.alone);
        cycles_.assign(full + 1, alone);
        std::vector<double> ends;
        for (const double end : c.first) ends.push_back(std::max(least, end));
        std::vector<size_t> order(full);
        std::iota(order.begin(), order.end(), size_t{0});
        std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return ends[a] < ends[b]; });
        double together = std::accumulate(ends.begin(), ends.end(), 0.0) / static_cast<double>(full);
        for (int turn = 0; turn < 20; ++turn) {
            for (size_t n = 1; n <= full; ++n)
                cycles_[n] =
                    full == 1 ? together
                              : alone + (together - alone) * static_cast<double>(n - 1) / static_cast<double>(full - 1);
            double before = 0, done = 0, sum = 0;
            for (size_t n = 0; n < full; ++n) {
                done += (ends[order[n]] - before) / cycles_[full - n];
                before = ends[order[n]];
                work_[order[n]] = done;
                sum += done;
            }
            // Between the first end and the last: of blocks that do very different work the substitution need not converge.
            together = std::clamp(together * sum / static_cast<double>(full), ends[order.front()], ends[order.back()]);
        }
    }
    double cycles(size_t residents) const { return cycles_[residents]; }
    std::span<const double> first_work() const { return work_; } // of those that begin together; 1 in the mean

private:
    std::vector<double> cycles_, work_;
};

class Place { // a multiprocessor
public:
    explicit Place(double slowness) : slowness_(slowness) {}
    bool empty() const { return left_.empty(); }
    void start(double now, double work, const Paces& paces) {
        advance(now, paces);
        left_.push_back(work);
    }
    double next_end(const Paces& paces) const {
        return at_ +
               std::max(0.0, *std::min_element(left_.begin(), left_.end())) * paces.cycles(left_.size()) * slowness_;
    }
    void end(double now, const Paces& paces) {
        advance(now, paces);
        left_.erase(std::min_element(left_.begin(), left_.end()));
    }

private:
    double slowness_, at_ = 0;
    std::vector<double> left_; // of each block's work, 1 at its start

    void advance(double now, const Paces& paces) {
        for (double& left : left_) left -= (now - at_) / (paces.cycles(left_.size()) * slowness_);
        at_ = now;
    }
};

} // namespace

double grid_cycles(const Machine& m, uint64_t blocks, const BlockCycles& c, const LastBlocks& last) {
    if (blocks == 0 || c.first.empty()) return 0;
    const auto places = static_cast<size_t>(m.multiprocessors);
    const Paces paces(c);
    const double together = paces.cycles(c.first.size());
    const uint64_t at_once = places * c.first.size();
    // Waves in the middle are all alike.
    double skipped = 0;
    const auto without_middle = [&](uint64_t n, double work) {
        constexpr uint64_t kept = 8;
        if (n / at_once <= kept) return n;
        const uint64_t waves = n / at_once - kept;
        skipped += static_cast<double>(waves) * (together * work + m.block_start);
        return n - waves * at_once;
    };
    const uint64_t ordinary = without_middle(blocks - std::min(blocks, last.count), 1);
    blocks = ordinary + without_middle(std::min(blocks, last.count), last.work);
    const auto share = [&](uint64_t block) { return block < ordinary ? 1 : last.work; };
    // Some are farther from L2 than others: who is first takes the next blocks, all of them where its own end together.
    std::vector<Place> all;
    for (size_t p = 0; p < places; ++p)
        all.emplace_back(1 + m.unevenness * (static_cast<double>(p * 37 % places) / static_cast<double>(places) - 0.5));
    uint64_t begun = 0;
    for (const double work : paces.first_work())
        for (size_t p = 0; p < places && begun < blocks; ++p, ++begun) all[p].start(0, work * share(begun), paces);
    using Event = std::pair<double, size_t>;
    std::priority_queue<Event, std::vector<Event>, std::greater<>> ends;
    for (size_t p = 0; p < places; ++p)
        if (!all[p].empty()) ends.emplace(all[p].next_end(paces), p);
    double now = 0;
    while (!ends.empty()) {
        const auto [at, p] = ends.top();
        ends.pop();
        now = at;
        all[p].end(now, paces);
        if (begun < blocks) {
            all[p].start(now, share(begun) + m.block_start / together, paces);
            ++begun;
        }
        if (!all[p].empty()) ends.emplace(all[p].next_end(paces), p);
    }
    return skipped + now + m.block_start;
}

std::vector<double> shared_ends(double left, std::span<const double> paces, double most) {
    const double together = std::accumulate(paces.begin(), paces.end(), 0.0);
    const auto share = [&](size_t n) { return std::max(paces[n], together * 1e-3); }; // who stood still ends, too
    std::vector<double> to_do(paces.size(), left), ends(paces.size());
    double now = 0;
    for (size_t ended = 0; ended < paces.size();) {
        double active = 0, step = std::numeric_limits<double>::infinity();
        for (size_t n = 0; n < paces.size(); ++n) active += to_do[n] > 0 ? share(n) : 0;
        const auto rate = [&](size_t n) { return std::min(share(n) * together / active, most); };
        for (size_t n = 0; n < paces.size(); ++n)
            if (to_do[n] > 0) step = std::min(step, to_do[n] / rate(n));
        now += step;
        for (size_t n = 0; n < paces.size(); ++n) {
            if (to_do[n] <= 0) continue;
            to_do[n] -= rate(n) * step;
            if (to_do[n] > left * 1e-9) continue;
            to_do[n] = 0, ends[n] = now, ++ended;
        }
    }
    return ends;
}

} // namespace timing
