// device: what the GPU is, its peaks by arithmetic and by measurement, and what the recorded ladder reaches
// of them.
#include "base/file.h"
#include "cli/measuring.h"
#include "cli/source.h"
#include "cli/table.h"
#include "session/ceiling.h"
#include "session/peaks.h"
#include "session/series.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>
#include <tuple>

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
                       d.name, d.arch, d.multiprocessors, d.sm_clock_mhz, static_cast<double>(d.memory_bytes) / gib,
                       static_cast<double>(d.l2_bytes) / mib, static_cast<double>(d.shared_bytes) / kib);
}

std::string percent(double part, double whole) { return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "-"; }

std::string unit_name(analysis::Unit unit) {
    return fmt::format("{}{}", analysis::name_of(unit), analysis::is_tensor(unit) ? " tensor cores" : "");
}

std::string peaks(const session::DeviceRecord& record) {
    const gpu::Device& d = record.device;
    const analysis::Device a = session::arithmetic(d);
    const gpu::Peaks& m = *record.measured;
    using enum Table::Align;
    Table table({left, right, left, right, right, left});
    for (auto [unit, clock_mhz] :
         {std::pair{analysis::Unit::fp32, m.fma_clock_mhz}, {analysis::Unit::fp64, m.fp64_clock_mhz}}) {
        const session::Ceiling c = session::ceiling(unit, a, &m);
        table.row({unit_name(unit), fmt::format("{:.1f} TFLOPS", c.gflops / 1e3),
                   fmt::format("= {} multiprocessors x {} lanes x 2 x {} MHz", d.multiprocessors, a.per_clock(unit),
                               d.sm_clock_mhz),
                   fmt::format("{:.1f} TFLOPS measured", c.measured_gflops / 1e3), percent(c.measured_gflops, c.gflops),
                   fmt::format("at {} MHz", clock_mhz)});
    }
    table.row({"memory", fmt::format("{:.0f} GB/s", a.memory_gb_s),
               fmt::format("= {} bits / 8 x 2 x {} MHz", d.memory_bus_bits, d.memory_clock_mhz),
               fmt::format("{:.0f} GB/s measured", m.copy_gb_s), percent(m.copy_gb_s, a.memory_gb_s),
               "read and written by a copy"});
    for (auto [name, gb_s, clock_mhz] :
         {std::tuple{"L2 cache", m.l2_gb_s, m.l2_clock_mhz}, {"L1 caches", m.l1_gb_s, m.l1_clock_mhz}})
        if (gb_s > 0)
            table.row({name, "", "", fmt::format("{:.0f} GB/s measured", gb_s), "",
                       fmt::format("read, at {} MHz", clock_mhz)});
    return table.text();
}

// The fastest recorded sample of each kernel on this device, as a share of the units that compute it.
std::string reached(const session::DeviceRecord& record, const std::vector<gpu::Series>& all,
                    const catalog::Catalog& catalog) {
    using enum Table::Align;
    Table table({left, right, right, right, left, left});
    table.row({"", "", "of arithmetic", "of measured", "of what", ""});
    const analysis::Device device = session::arithmetic(record.device);
    std::set<std::string> unknown;
    bool any = false;
    for (const gpu::Series& series : all) {
        const gpu::Sample* best = gpu::fastest(series);
        if (series.device != record.device.name || !best) continue;
        const session::Ceiling c =
            session::ceiling(session::unit_of(series, catalog, device), device, &*record.measured);
        table.row({series.name, fmt::format("{:.1f} GFLOPS", best->gflops), percent(best->gflops, c.gflops),
                   percent(best->gflops, c.measured_gflops), unit_name(c.unit),
                   fmt::format("at {} x {} x {}", best->m, best->n, best->k)});
        if (c.gflops <= 0) unknown.insert(unit_name(c.unit));
        any = true;
    }
    if (!any) return {};
    std::string text = "\nReached by what was recorded on it\n" + table.text();
    text += "Measured are FMAs of FP32 and of FP64, nothing of other units.\n";
    if (!unknown.empty())
        text += fmt::format("No rate is known of {} on {}: no share of it can be told.\n", fmt::join(unknown, ", "),
                            record.device.arch);
    return text;
}

base::Status device(const DeviceOptions& options, const Common& common) {
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    auto catalog = load_catalog(common);
    if (!catalog) return catalog.error();
    auto measuring = Measuring::start(options.worker, options.device);
    if (!measuring) return measuring.error();
    session::DeviceRecord record{(*measuring)->device(), {}, {}};
    auto request = session::peaks_request(*assets, record.device);
    if (!request) return request.error();
    auto measured = (*measuring)->peaks(std::move(*request));
    if (!measured) return measured.error();
    record.measured = std::move(*measured);
    if (options.json) print(session::to_json(record) + "\n");
    else
        print(facts(record.device) + peaks(record) +
              reached(record, session::read_series(*assets, *catalog).series, *catalog));
    return base::Done{};
}

} // namespace

Action define_device(Options& app, const Common& common) {
    auto options = std::make_shared<DeviceOptions>();
    app.add_option("--device", options->device, "which GPU (0)").type_name("N");
    app.add_option("--worker", options->worker,
                   "command that starts a worker elsewhere: 'ssh lab-gpu gemmscope worker'")
        .type_name("CMD");
    app.add_flag("--json", options->json,
                 "print one JSON object; kept as assets/recorded/devices/NAME.json it stands in where there "
                 "is no GPU");
    return [options, &common] { return device(*options, common); };
}

} // namespace cli
