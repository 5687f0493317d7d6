#include "views/roofline_points.h"

#include <algorithm>

namespace views {
namespace {

using catalog::Problem;

// The values that the figure was measured with, by name; nothing: of an older kernel.
std::optional<catalog::Values> measured_with(const catalog::Kernel& kernel, const Figure& figure) {
    auto values =
        catalog::with(kernel, figure.sample.parameters.empty() ? figure.series->parameters : figure.sample.parameters);
    if (!values) return std::nullopt;
    return *values;
}

Problem size_of(const measure::Sample& sample) { return {sample.m, sample.n, sample.k}; }

// The launch that was measured; nothing: of an older kernel.
std::optional<session::Subject> launch_of(const session::Session& session, const catalog::Kernel& kernel,
                                          const Figure& figure) {
    auto values = measured_with(kernel, figure);
    if (!values) return std::nullopt;
    session::Subject launch;
    launch.kernel = kernel.id;
    launch.parameters = std::move(*values);
    launch.problem = size_of(figure.sample);
    launch.arch = session.view().subject.arch;
    return launch;
}

LaunchBytes bytes_of(const session::Session& session, const session::Subject& launch, const std::string& device) {
    LaunchBytes bytes;
    if (const auto counted = session.counts(launch); counted && *counted)
        bytes.asked = bytes_at((*counted)->run->totals, (*counted)->subject.problem, launch.problem);
    for (const measure::Profile& one : session.profiles())
        if (one.kernel == launch.kernel && one.parameters == launch.parameters && one.problem == launch.problem &&
            one.device == device)
            bytes.at_l2 = one.l2_bytes, bytes.at_memory = one.dram_read_bytes;
    return bytes;
}

} // namespace

RooflinePlace roofline_place(double flop, double gflops, const LaunchBytes& bytes, const ByteRoof& roof) {
    RooflinePlace place;
    if (bytes.asked > 0) place.asked_flop_per_byte = flop / bytes.asked;
    const double profiled = roof.of_l2 ? bytes.at_l2 : bytes.at_memory;
    place.profiled = profiled > 0;
    if (place.profiled) place.flop_per_byte = flop / profiled;
    else if (place.asked_flop_per_byte > 0)
        place.flop_per_byte = std::max(place.asked_flop_per_byte, gflops / roof.gb_s);
    return place;
}

double bytes_at(const analysis::Totals& totals, const Problem& counted, const Problem& wanted) {
    constexpr double bytes_per_sector = 32;
    const auto factor = [](int to, int from) { return static_cast<double>(to) / from; };
    const double elements = factor(wanted.m, counted.m) * factor(wanted.n, counted.n);
    const double products = elements * factor(wanted.k, counted.k);
    const auto read =
        static_cast<double>(totals.global_load.sectors + totals.async_copy.sectors + totals.bulk_copy.sectors);
    return bytes_per_sector * (read * products + static_cast<double>(totals.global_store.sectors) * elements);
}

std::vector<RooflinePoint> roofline_points(const session::Session& session, const SeriesGroup& group,
                                           const Problem& size, const ByteRoof& roof) {
    std::vector<RooflinePoint> points;
    for (const auto& kernel : compared_kernels(session)) {
        const auto measured = figure(group, kernel->id, size);
        if (!measured) continue;
        const double flop = catalog::operations(kernel->operation, size.m, size.n, size.k);
        auto launch = launch_of(session, *kernel, *measured);
        const LaunchBytes bytes = launch ? bytes_of(session, *launch, measured->series->device) : LaunchBytes{};
        points.push_back({kernel, *measured, kernel->id == session.view().subject.kernel, std::move(launch),
                          roofline_place(flop, measured->sample.gflops, bytes, roof)});
    }
    return points;
}

} // namespace views
