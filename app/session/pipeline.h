// One subject's way through the stages in background jobs: PTX and one traced block first, because pictures wait for
// them, then the whole grid and the machine code beside each other.
#pragma once

#include "base/job.h"
#include "base/reclaimer.h"
#include "session/memo.h"
#include "session/session.h"
#include "session/timed_block.h"

#include <atomic>
#include <chrono>

namespace session {

class Pipeline {
public:
    struct Host { // what pipelines of a session share; outlives them
        base::Jobs& jobs;
        const base::Reclaimer& reclaimer; // of blocks and grids, which outlive no session
        Memo& memo;
        const catalog::Catalog& catalog;
        std::span<const measure::AccuracyRecord> judged{};
        int threads = 1;              // for the whole grid
        std::function<void()> wake{}; // from any thread: progress has been made; may be empty
        double affordable_s = 4;      // a whole grid that takes longer is counted only when asked for
        using Sampling = std::function<Stage<FullRun>(const Job&, const Prepared&, int threads, std::stop_token)>;
        Sampling sample = {};                                                        // empty: run_sample()
        std::function<size_t(const std::shared_ptr<const BlockRun>&)> on_block = {}; // Options::on_block
    };
    // `name` keeps the jobs of two pipelines apart.
    Pipeline(Host, std::string name);

    // Makes products() those of `subject` and of `block` (clamped to its grid). Slots keep their old value until the
    // new one is there.
    void show(const Subject& subject, base::Dim3 block);
    void clear();
    // The kernel's file has changed: show() begins anew. Slots keep their old value until then.
    void outdate();

    // Registers and shared memory after `event` of the block, and after `marked`, kept up to date while wanted.
    void want_state(std::optional<uint32_t> event, std::optional<uint32_t> marked);

    // Of what multiprocessor Products::time is told.
    void want_what_if(const timing::WhatIf&);

    // Counts the whole grid although it takes long: what Products::grid_estimate_s waits for.
    void run_grid();

    // Fills Products::stand_in where the whole grid takes long, once that is known.
    void check();

    // Stops what runs. The slots say so.
    void cancel();

    // Takes over progress of running jobs. True if it has changed visibly.
    bool update_progress();

    const Products& products() const { return products_; }
    // The block asked for, within the grid; nothing while the subject is none that could be run.
    std::optional<base::Dim3> block() const { return job_ ? std::optional(block_) : std::nullopt; }
    // Counts the traced blocks delivered: a new number means that the selection must be looked at again.
    uint64_t blocks_delivered() const { return blocks_delivered_; }

private:
    using Clock = std::chrono::steady_clock;
    struct Front { // result of the first job
        Stage<Prepared> prepared;
        Stage<BlockRun> block;
        size_t drawn_bytes = 0;         // of the block
        std::shared_ptr<const Job> job; // with its inputs
    };
    struct StateOf { // identifies what contents were computed from
        std::shared_ptr<const BlockRun> block;
        uint32_t event = 0;
        bool operator==(const StateOf&) const = default;
    };
    struct Contents { // what the block holds at one of two moments
        const char* stage;
        Slot<sim::BlockState> Products::*slot;
        std::optional<uint32_t> wanted{};
        std::optional<StateOf> of{}, running{};
    };

    struct TimeOf { // identifies a time
        std::shared_ptr<const BlockRun> block;
        timing::WhatIf what_if;
        bool operator==(const TimeOf&) const = default;
    };

    void start_front();
    void take_front(const Subject&, Front&&);
    void start_rest();
    void tell_judged();
    void start_time(const std::shared_ptr<const Job>& of);
    void take_time(Stage<TimedBlock>&&);
    bool grid_is_affordable();
    void start_grid();
    void start_sample();
    void start_sample_check(std::shared_ptr<const FullRun>);
    void start_check();
    void start_machine();
    void find_widths();
    void want(Contents&, std::optional<uint32_t> event);
    void start(Contents&);
    void forget_running();
    std::function<void(float)> shown_in(const std::shared_ptr<std::atomic<float>>&) const;
    void fail_all(const Failed&);
    std::string key(const char* stage) const { return name_ + "." + stage; }

    Host host_;
    std::string name_;
    std::optional<Subject> subject_;
    base::Dim3 block_{0, 0, 0};
    std::shared_ptr<const Job> job_;
    std::shared_ptr<const Job> with_inputs_; // the last one whose inputs were made
    Products products_;
    uint64_t blocks_delivered_ = 0;
    timing::WhatIf what_if_;
    std::optional<TimeOf> timing_; // under way

    Clock::time_point waiting_since_; // for a picture: the first of the jobs started since the last delivery
    Clock::time_point changed_{};     // when the subject last changed
    bool dragging_ = false;           // it changed a moment after the change before
    bool grid_asked_ = false;         // of this subject, by the user, or because a sample of its blocks was wrong
    base::Sentence sample_wrong_;     // then: a sentence
    bool check_asked_ = false;        // likewise
    bool front_outdated_ = false;     // the running first job is for an older subject; ours starts when it is done

    std::shared_ptr<std::atomic<float>> grid_progress_, check_progress_;
    Contents state_{"state", &Products::state}, marked_{"marked", &Products::marked};
};

} // namespace session
