// device: what the GPU is, its peaks by arithmetic and by measurement, and what the recorded ladder reaches
// of them.
#include "base/file.h"
#include "cli/measuring.h"
#include "cli/source.h"
#include "cli/table.h"
#include "session/peaks.h"
#include "session/series.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

struct DeviceOptions {
    std::string worker, device = "0";
    bool json = false;
};

std::string facts(const gpu::Device& d) {
    constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
    return fmt::format("{}, {}: {} multiprocessors, {} MHz at most, {:.1f} GiB of memory, {:.0f} MiB L2 "
                       "cache, {:.0f} KiB shared memory each\n",
                       d.name, d.arch, d.multiprocessors, d.sm_clock_mhz,
                       static_cast<double>(d.memory_bytes) / gib, static_cast<double>(d.l2_bytes) / mib,
                       static_cast<double>(d.shared_bytes) / kib);
}

std::string peaks(const session::DeviceRecord& record) {
    const gpu::Device& d = record.device;
    const session::Arithmetic a = session::arithmetic(d);
    const gpu::Peaks& m = *record.measured;
    using enum Table::Align;
    Table table({left, right, left, right, left, left});
    table.row({"FP32", fmt::format("{:.1f} TFLOPS", a.fma_gflops / 1e3),
               fmt::format("= {} multiprocessors x {} lanes x 2 x {} MHz", d.multiprocessors, a.fp32_lanes,
                           d.sm_clock_mhz),
               fmt::format("{:.1f} TFLOPS measured", m.fma_gflops / 1e3),
               fmt::format("{:.1f}%", 100 * m.fma_gflops / std::max(a.fma_gflops, 1e-9)),
               fmt::format("at {} MHz", m.fma_clock_mhz)});
    table.row({"memory", fmt::format("{:.0f} GB/s", a.memory_gb_s),
               fmt::format("= {} bits / 8 x 2 x {} MHz", d.memory_bus_bits, d.memory_clock_mhz),
               fmt::format("{:.0f} GB/s measured", m.copy_gb_s),
               fmt::format("{:.1f}%", 100 * m.copy_gb_s / std::max(a.memory_gb_s, 1e-9)),
               "read and written by a copy"});
    return table.text();
}

// The fastest recorded sample of each kernel on this device.
std::string reached(const session::DeviceRecord& record, const std::vector<gpu::Series>& all) {
    using enum Table::Align;
    Table table({left, right, right, right, left});
    bool any = false;
    for (const gpu::Series& series : all) {
        const gpu::Sample* best = gpu::fastest(series);
        if (series.device != record.device.name || !best) continue;
        table.row(
            {series.name, fmt::format("{:.1f} GFLOPS", best->gflops),
             fmt::format("{:.1f}% of arithmetic",
                         100 * best->gflops / std::max(session::arithmetic(record.device).fma_gflops, 1e-9)),
             fmt::format("{:.1f}% of measured", 100 * best->gflops / record.measured->fma_gflops),
             fmt::format("at {} x {} x {}", best->m, best->n, best->k)});
        any = true;
    }
    return any ? "\nReached by what was recorded on it\n" + table.text() : "";
}

base::Status device(const DeviceOptions& options) {
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    auto measuring = Measuring::start(options.worker, options.device);
    if (!measuring) return measuring.error();
    session::DeviceRecord record{(*measuring)->device(), {}, {}};
    auto request = session::peaks_request(*assets, record.device);
    if (!request) return request.error();
    auto measured = (*measuring)->peaks(std::move(*request));
    if (!measured) return measured.error();
    record.measured = std::move(*measured);
    if (options.json)
        print(session::to_json(record) + "\n");
    else
        print(facts(record.device) + peaks(record) + reached(record, session::read_series(*assets).series));
    return base::Done{};
}

} // namespace

Action define_device(CLI::App& app, const Common&) {
    auto options = std::make_shared<DeviceOptions>();
    app.add_option("--device", options->device, "which GPU (0)")->type_name("N");
    app.add_option("--worker", options->worker,
                   "command that starts a worker elsewhere: 'ssh lab-gpu gemmscope worker'")
        ->type_name("CMD");
    app.add_flag("--json", options->json,
                 "print one JSON object; kept as assets/recorded/devices/NAME.json it stands in where there "
                 "is no GPU");
    return [options] { return device(*options); };
}

} // namespace cli
