// What figures are counted from: products of a few recent settings, each made when it is first asked for. Speeds are those that come with the
// program, so that a lesson says the same everywhere.
#pragma once

#include "analysis/counters.h"
#include "analysis/occupancy.h"
#include "catalog/catalog.h"
#include "session/moment.h"
#include "session/speeds.h"

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <stop_token>

namespace lesson {

struct Traced {
    session::Traced block;
    session::AccessedArrays arrays;
};

struct Grid { // of all blocks, as `gemmscope trace` counts them
    std::shared_ptr<const session::FullRun> run;
    std::shared_ptr<const trace::Listing> listing; // that the run's counts and findings count in
};

struct Resources { // of machine code
    compile::Resources used;
    uint64_t shared_bytes = 0; // of a block, static and dynamic
    analysis::Occupancy occupancy;
};

// Recorded series and sweeps. Any thread.
class Recorded {
public:
    Recorded(const std::filesystem::path& assets, const catalog::Catalog&);
    // Errors: nothing comes with the program of this setting at this size.
    base::Result<session::Speed> speed(std::shared_ptr<const catalog::Kernel>, const catalog::Values&,
                                       const catalog::Problem&);

private:
    std::vector<measure::Series> series_;
    session::Sweeps sweeps_;
};

// From one thread. `recorded` may be nullptr where no speed is asked for. What is stopped under way is an error, and is made again when it is next asked for.
class Executions {
public:
    Executions(catalog::Catalog catalog, std::shared_ptr<Recorded> recorded, int threads)
        : catalog_(std::move(catalog)), recorded_(std::move(recorded)), threads_(threads) {}

    void use(std::stop_token stop) { stop_ = std::move(stop); } // of what is made from now on

    const catalog::Catalog& catalog() const { return catalog_; }
    int threads() const { return threads_; }
    base::Result<std::shared_ptr<const session::Job>> job(const session::Subject&);
    base::Result<trace::Engine> engine(const session::Subject&); // that executes it, and whose instructions are counted
    base::Result<std::shared_ptr<const Traced>> block(const session::Subject&, base::Dim3);
    base::Result<std::shared_ptr<const Grid>> grid(const session::Subject&);
    base::Result<std::shared_ptr<const Resources>> resources(const session::Subject&);
    base::Result<session::Speed> speed(const session::Subject&,
                                       const catalog::Problem& size); // Errors: broken code was never measured
    size_t bytes() const;                                             // of memory, by what is kept

private:
    struct Entry {
        session::Subject subject;
        std::shared_ptr<const session::Job> job;
        std::shared_ptr<const session::Prepared> prepared;
        std::shared_ptr<const compile::MachineCode> machine;
        std::shared_ptr<const Traced> block; // of the last one that was asked for
        std::shared_ptr<const Grid> grid;
        std::shared_ptr<const Resources> resources;
    };
    base::Result<Entry*> entry(const session::Subject&); // with its job
    void trim();                                         // all but the latest, until the bounds are met
    static size_t bytes_of(const Entry&);
    base::Status prepare(Entry&);
    base::Status fill(Entry&); // makes its inputs, too
    base::Status assemble(Entry&);
    base::Result<std::shared_ptr<const session::FullRun>> run(Entry&);

    catalog::Catalog catalog_;
    std::shared_ptr<Recorded> recorded_;
    int threads_;
    std::stop_token stop_;
    std::deque<Entry> entries_; // the latest first
};

} // namespace lesson
