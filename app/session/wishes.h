// What views want to know of launches that nobody traces: found out in the background one after the other, and kept for a while.
#pragma once

#include "base/job.h"
#include "catalog/kernel.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace session {

// `Key` names a launch; two that are equal have the same answer, and the same hash_of().
template <class Key, class Value>
class Wishes {
public:
    struct Wish {
        std::shared_ptr<const catalog::Kernel> kernel;
        Key key; // of it, with all its parameters
    };
    using Answer = std::function<base::Result<Value>(const Wish&, std::stop_token)>; // on a thread of its own

    // `most` answers are kept. `interactive`: someone is at the window, whose other jobs go first; a command waits for these alone.
    Wishes(Answer answer, size_t most, std::function<void()> wake, bool interactive)
        : answer_(std::move(answer)), most_(most),
          jobs_(1, std::move(wake), interactive ? base::background_niceness : 0) {}

    // What is shown now, the most urgent first. What was wanted before is forgotten, and given up where something else is wanted.
    void want(std::vector<Wish> wishes) {
        wishes_ = std::move(wishes);
        const auto is_running = [&](const Wish& wish) { return wish.key == running_; };
        if (running_ && !wishes_.empty() && std::none_of(wishes_.begin(), wishes_.end(), is_running)) cancel();
        if (!running_) start_next();
    }
    // nullptr: not yet.
    std::shared_ptr<const base::Result<Value>> find(const Key& key) const {
        const auto found = entries_.find(key);
        return found == entries_.end() ? nullptr : found->second.value;
    }
    void forget(const std::string& kernel) { // its file has changed
        cancel();                            // whichever: who still wants it asks again in the next frame
        wishes_.clear();
        std::erase_if(entries_, [&](const auto& one) { return one.second.kernel == kernel; });
    }

    bool collect() { return jobs_.collect(); } // true if some have come
    bool busy() const { return jobs_.busy(); }
    void wait() { jobs_.wait(); }

private:
    struct Entry {
        std::string kernel;
        uint64_t number = 0; // the latest has the largest
        std::shared_ptr<const base::Result<Value>> value;
    };
    struct Hash {
        size_t operator()(const Key& key) const { return hash_of(key); }
    };
    static constexpr const char* job = "answer";

    void cancel() {
        jobs_.cancel(job);
        running_.reset();
    }

    void start_next() {
        const auto is_open = [&](const Wish& wish) { return !entries_.contains(wish.key); };
        const auto open = std::find_if(wishes_.begin(), wishes_.end(), is_open);
        if (open == wishes_.end()) return;
        running_ = open->key;
        auto work = [wish = *open, answer = answer_](std::stop_token stop) { return answer(wish, stop); };
        auto done = [this, kernel = open->kernel->id, key = open->key](base::Result<Value>&& value) {
            entries_[key] = {kernel, ++answers_, std::make_shared<const base::Result<Value>>(std::move(value))};
            if (entries_.size() > most_) entries_.erase(oldest());
            running_.reset();
            start_next();
        };
        jobs_.start(job, std::move(work), done, [done](base::Error error) { done(std::move(error)); });
    }

    auto oldest() const {
        return std::min_element(entries_.begin(), entries_.end(),
                                [](const auto& a, const auto& b) { return a.second.number < b.second.number; });
    }

    const Answer answer_;
    const size_t most_;
    std::vector<Wish> wishes_;
    std::unordered_map<Key, Entry, Hash> entries_;
    uint64_t answers_ = 0;       // that there were
    std::optional<Key> running_; // what is being found out
    base::Jobs jobs_;
};

} // namespace session
