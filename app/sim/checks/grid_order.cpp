#include "sim/checks/grid_order.h"

#include <set>
#include <utility>

namespace sim {

void GridReleases::add(uint64_t block, uint32_t epoch, uint64_t word, Acquired& acquired) {
    const std::lock_guard lock(mutex_);
    any_ = true;
    if (full()) return;
    auto& there = by_word_[word];
    if (acquired.empty() && !there.empty() && releases_[there.back()].block == block &&
        releases_[there.back()].epoch == epoch)
        return; // it says no more
    const auto last = last_.try_emplace(block, none).first;
    acquired_ += acquired.size();
    releases_.push_back({block, epoch, now(), std::exchange(acquired, {}), last->second});
    last->second = static_cast<uint32_t>(releases_.size() - 1);
    there.push_back(last->second);
    by_block_[{block, word}].push_back(last->second);
}

bool GridReleases::directly_before(uint64_t block, uint32_t epoch, const Acquired& acquired) const {
    for (auto it = by_block_.lower_bound({block, 0}); it != by_block_.end() && it->first.first == block; ++it) {
        const auto word = acquired.find(it->first.second);
        if (word == acquired.end()) continue;
        for (const uint32_t r : it->second)
            if (releases_[r].epoch > epoch && releases_[r].time < word->second) return true;
    }
    return false;
}

bool GridReleases::seen(uint64_t block, uint32_t epoch, uint64_t word, const Acquired& acquired) {
    const auto its = acquired.find(word);
    if (its == acquired.end()) return false;
    const std::lock_guard lock(mutex_);
    const auto there = by_block_.find({block, word});
    if (there == by_block_.end()) return false;
    for (const uint32_t r : there->second)
        if (releases_[r].epoch >= epoch && releases_[r].time < its->second) return true;
    return false;
}

// A search through the releases that were acquired, and those that their blocks had acquired before.
bool GridReleases::before(uint64_t block, uint32_t epoch, const Acquired& acquired) {
    if (epoch >= GridOrder::most_epochs) return true; // it is not counted further
    const std::lock_guard lock(mutex_);
    if (full() || directly_before(block, epoch, acquired)) return true;
    std::map<uint64_t, size_t> looked_at; // by word: so many of its releases
    std::set<uint32_t> followed;          // releases
    std::vector<std::pair<uint64_t, GridTime>> left(acquired.begin(), acquired.end());
    for (size_t steps = 0; !left.empty();) {
        const auto [word, time] = left.back();
        left.pop_back();
        const auto there = by_word_.find(word);
        if (there == by_word_.end()) continue;
        for (size_t& n = looked_at[word]; n < there->second.size() && releases_[there->second[n]].time < time; ++n) {
            const uint32_t number = there->second[n];
            if (releases_[number].block == block && releases_[number].epoch > epoch) return true;
            for (uint32_t r = number; r != none && followed.insert(r).second; r = releases_[r].before) {
                if (++steps > most_steps) return true;
                left.insert(left.end(), releases_[r].acquired.begin(), releases_[r].acquired.end());
            }
        }
    }
    return false;
}

void GridOrder::reset(uint64_t block) {
    block_ = block;
    epoch_ = 0;
    accessed_ = false;
    acquired_.clear();
    since_release_.clear();
    under_way_.clear();
    asked_.clear();
}

void GridOrder::begin_epoch() {
    if (accessed_ && epoch_ < most_epochs) ++epoch_;
    accessed_ = false;
}

void GridOrder::fence() {
    if (epoch_ < most_epochs / 2) begin_epoch();
}

void GridOrder::pass_cluster_barrier() {
    if (epoch_ < most_epochs / 2) ++epoch_, accessed_ = false;
}

void GridOrder::acquire(uint64_t word) {
    if (under_way_.empty() || under_way_.back() != word) under_way_.push_back(word);
}

// What another block releases between the look at the shadow and the access itself is acquired, too: the time is taken afterwards.
void GridOrder::complete_acquisitions() {
    constexpr size_t most = 4096; // words of one block: beyond that the lowest are forgotten
    if (releases_.any()) {
        for (const uint64_t word : under_way_) {
            for (Acquired* acquired : {&acquired_, &since_release_})
                if (acquired->size() >= most) acquired->erase(acquired->begin());
            acquired_[word] = since_release_[word] = releases_.now();
            ++acquisitions_;
        }
    }
    under_way_.clear();
}

void GridOrder::release(uint64_t word, bool at_access) {
    if (at_access || epoch_ >= most_epochs / 2) begin_epoch();
    releases_.add(block_, epoch_, word, since_release_);
}

// What is known stays known; what is not is asked for again when something has been acquired.
bool GridOrder::before(uint64_t block, uint32_t epoch) {
    if (!releases_.any()) return false;
    Asked& asked = asked_[block];
    if (epoch < asked.known) return true;
    if (epoch >= asked.unknown && asked.acquisitions == acquisitions_) return false;
    const bool known = releases_.before(block, epoch, acquired_);
    if (known) asked.known = epoch + 1;
    else asked.unknown = epoch, asked.acquisitions = acquisitions_;
    return known;
}

} // namespace sim
