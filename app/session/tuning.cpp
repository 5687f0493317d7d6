#include "session/tuning.h"

#include "analysis/occupancy.h"
#include "sass/reader.h"
#include "session/prediction.h"
#include "session/stages.h"

#include <algorithm>
#include <cmath>

namespace session {
namespace {

constexpr size_t most_settings = 1'000'000;
constexpr double busy_warps = 8; // two for each of the four schedulers of a multiprocessor

// What follows from the launch alone.
struct Geometry {
    catalog::LaunchShape shape;
    double elements = 0;       // of C, for a thread; 0: not known, as blocks walk along C
    double fill = 1;           // likewise 1
    int blocks_of_busiest = 1; // of a multiprocessor
};

base::Result<Geometry> geometry(const catalog::Kernel& kernel, const catalog::Values& values, catalog::Problem problem,
                                const measure::Device& device) {
    constexpr int large = 1 << 14; // where edges do not count, for the area of a block
    auto shape = catalog::launch_shape(kernel, values, problem),
         whole = catalog::launch_shape(kernel, values, {large, large, problem.k}),
         half = catalog::launch_shape(kernel, values, {large / 2, large, problem.k});
    for (auto* one : {&shape, &whole, &half})
        if (!*one) return one->error();
    Geometry g{*shape};
    if (whole->grid == half->grid) return g;
    const double area = double(large) * large / static_cast<double>(whole->grid.count());
    g.elements = area / static_cast<double>(shape->block.count());
    const double multiprocessors = std::max(device.multiprocessors, 1),
                 blocks = static_cast<double>(shape->grid.count());
    g.blocks_of_busiest = static_cast<int>(std::ceil(blocks / multiprocessors));
    g.fill = std::min(1.0, double(problem.m) * problem.n / (multiprocessors * g.blocks_of_busiest * area));
    return g;
}

// Sets `hiding` from the registers and shared bytes that the candidate has.
base::Status take_occupancy(Candidate& candidate, const Geometry& g, const analysis::Multiprocessor& sm) {
    const auto threads = static_cast<int>(g.shape.block.count());
    auto occupancy = analysis::occupancy(sm, threads, candidate.registers, candidate.shared_bytes);
    if (!occupancy) return occupancy.error();
    const int warps_of_block = (threads + trace::warp_size - 1) / trace::warp_size;
    const int resident = std::min(occupancy->blocks, g.blocks_of_busiest) * warps_of_block;
    candidate.hiding = std::min(1.0, resident / busy_warps);
    candidate.fill = g.fill;
    return base::Done{};
}

// For t elements of C a step along k takes t FMAs and loads 2 sqrt(t) values, four at a time, beside two
// instructions for the loop. The thread holds the elements, two strips of A and B, and some thirty addresses and
// counters; what does not fit into 255 registers is spilled.
void guess(Candidate& candidate, double elements) {
    constexpr double most_registers = 255;
    const double strip = std::sqrt(elements), needed = elements + 4 * strip + 30;
    candidate.product_share = elements / (elements + strip / 2 + 2) * std::min(1.0, most_registers / needed);
    candidate.registers = static_cast<int>(std::min(most_registers, needed));
}

} // namespace

base::Result<std::vector<Candidate>> candidates(const catalog::Kernel& kernel, catalog::Problem problem,
                                                const measure::Device& device) {
    auto sm = analysis::multiprocessor(device.arch);
    if (!sm) return sm.error();
    auto settings = catalog::legal_settings(kernel, most_settings);
    if (!settings) return settings.error();
    std::vector<Candidate> all;
    for (catalog::Values& values : *settings) {
        auto g = geometry(kernel, values, problem, device);
        if (!g) continue; // a block or grid that no GPU takes
        Candidate candidate;
        candidate.values = std::move(values);
        candidate.shared_bytes = g->shape.dynamic_shared_bytes;
        guess(candidate, g->elements);
        if (take_occupancy(candidate, *g, *sm)) all.push_back(std::move(candidate));
    }
    if (all.empty())
        return base::Error{base::Failure::usage,
                           base::say("no setting of {} fits this GPU", kernel.id),
                           {},
                           base::say("see gemmscope show")};
    std::stable_sort(all.begin(), all.end(), is_more_promising);
    return all;
}

base::Result<Candidate> compiled(const catalog::Kernel& kernel, const Subject& subject, const measure::Device& device,
                                 std::stop_token stop) {
    Subject there = subject;
    there.arch = device.arch;
    auto job = resolve(kernel, there);
    if (!job) return job.error();
    const auto prepared = prepare(*job, stop);
    if (prepared.failed) return prepared.failed->error;
    auto machine = machine_code(*job, prepared.value->ptx.get(), stop);
    if (machine.failed) return machine.failed->error;
    auto listing = sass::read(machine.value->cubin, machine.value->entry);
    if (!listing) return listing.error();
    auto sm = analysis::multiprocessor(device.arch);
    if (!sm) return sm.error();
    auto g = geometry(kernel, job->parameters, subject.problem, device);
    if (!g) return g.error();
    const compile::Resources& used = machine.value->resources;
    Candidate candidate;
    candidate.values = job->parameters;
    candidate.compiled = true;
    candidate.registers = used.registers;
    candidate.shared_bytes = used.static_shared_bytes + job->shape.dynamic_shared_bytes;
    candidate.spill_bytes = used.spill_load_bytes + used.spill_store_bytes;
    candidate.product_share = analysis::main_loop(**listing).product_share();
    if (auto fits = take_occupancy(candidate, *g, *sm); !fits) return fits.error();
    if (const auto predicted = predict(kernel, there, *prepared.value, {}, stop); predicted.value)
        candidate.predicted_ms = predicted.value->ms;
    return candidate;
}

bool is_more_promising(const Candidate& a, const Candidate& b) {
    const bool a_spills = a.spill_bytes > 0, b_spills = b.spill_bytes > 0;
    if (a_spills != b_spills) return b_spills;
    if (a.predicted_ms.has_value() != b.predicted_ms.has_value()) return a.predicted_ms.has_value();
    return a.predicted_ms ? *a.predicted_ms < *b.predicted_ms : a.share() > b.share();
}

} // namespace session
