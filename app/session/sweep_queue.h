// Settings of a sweep on their way to a GPU: compiled ahead of it, on all cores, but only so far ahead as a bound allows.
#pragma once

#include "catalog/kernel.h"
#include "gpu/protocol.h"

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace session {

struct SweepItem {
    std::shared_ptr<const catalog::Kernel> kernel;
    size_t job = 0; // whichever of the sweep's kernels that is
    catalog::Values setting;
    std::vector<catalog::Problem> sizes; // that are to be measured
    int deaths = 0;                      // of workers that had it in hand
};

// A setting that can be sent, or why not.
struct CompiledItem {
    SweepItem item;
    gpu::SweepRequest request;        // of item.sizes; no sizes: all were refused
    std::vector<std::string> refused; // of each of item.sizes why it cannot be launched; empty: it can
    std::optional<base::Error> failed;
};

// assets/compare.cu for the kernel's type of C. Errors: those of compiling.
base::Result<gpu::Launch> compare_launch(const std::filesystem::path& assets, const catalog::Kernel&,
                                         const measure::Device&);

// Does it now: compiles for the device. `compare` and the time limit go into the request.
CompiledItem compiled(SweepItem, const gpu::Launch& compare, const std::string& arch, double time_limit_s,
                      std::stop_token);

class SweepQueue {
public:
    using Compile = std::function<CompiledItem(SweepItem, std::stop_token)>; // on any of the threads
    // `wake` is called from another thread when something is ready.
    SweepQueue(std::deque<SweepItem> items, Compile, unsigned threads, size_t most_ready, std::function<void()> wake);
    ~SweepQueue(); // gives up what is being compiled

    std::optional<CompiledItem> take();
    void give_back(CompiledItem); // to be taken first
    bool empty();                 // nothing is ready, nothing will be

private:
    void work(std::stop_token);

    const Compile compile_;
    const size_t most_ready_;
    const std::function<void()> wake_;
    std::mutex mutex_;
    std::condition_variable_any room_;
    std::deque<SweepItem> items_;
    std::deque<CompiledItem> ready_;
    size_t compiling_ = 0;
    std::vector<std::jthread> threads_; // last: they use the rest
};

} // namespace session
