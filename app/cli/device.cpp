// device: what the GPU is, its peaks by arithmetic and by measurement, and what the recorded ladder reaches
// of them.
#include "base/file.h"
#include "cli/measuring.h"
#include "cli/sizes.h"
#include "cli/source.h"
#include "cli/table.h"
#include "cli/words.h"
#include "session/ceiling.h"
#include "session/peaks.h"
#include "session/series.h"
#include "views/device_rows.h"
#include "views/speed_words.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <set>

namespace cli {
namespace {

struct DeviceOptions {
    std::string worker, device = "0";
    bool json = false;
};

std::string facts(const session::DeviceRecord& record, const views::Strings& tr) {
    std::string text = record.device.name + "\n";
    for (const std::string& words : views::device_facts(tr, record.device)) text += words + "\n";
    using enum Table::Align;
    Table table({left, left, left});
    constexpr std::array units{analysis::Unit::fp32, analysis::Unit::fp64};
    for (const views::DevicePeak& peak : views::device_peaks(tr, record.device, &*record.measured, units))
        table.row({peak.name, peak.product, peak.measured});
    const std::string caches = views::caches_text(tr, *record.measured);
    return text + table.text() + caches + (caches.empty() ? "" : "\n");
}

// The fastest recorded sample of each kernel on this device, as a share of the units that compute it.
std::string reached(const session::DeviceRecord& record, const std::vector<measure::Series>& all,
                    const catalog::Catalog& catalog, const views::Strings& tr) {
    using enum Table::Align;
    Table table({left, right, right, right, left, left});
    table.row({"", "", in_a_table(tr("device.of_arithmetic_column")), in_a_table(tr("device.of_measured_column")),
               tr("device.unit_column"), ""});
    const analysis::Device device = session::arithmetic(record.device);
    std::set<std::string> unknown;
    bool any = false;
    for (const measure::Series& series : all) {
        const measure::Sample* best = measure::fastest(series);
        if (series.device != record.device.name || !best) continue;
        const session::Ceiling c =
            session::ceiling(session::unit_of(series, catalog, device), device, &*record.measured);
        table.row({series.name, fmt::format("{:.1f} GFLOPS", best->gflops), views::percent_text(best->gflops, c.gflops),
                   views::percent_text(best->gflops, c.measured_gflops), views::unit_text(tr, c.unit),
                   "at " + size_text({best->m, best->n, best->k})});
        if (c.gflops <= 0) unknown.insert(views::unit_text(tr, c.unit));
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
    const auto tr = english();
    if (!tr) return tr.error();
    if (options.json) print(session::to_json(record) + "\n");
    else print(facts(record, *tr) + reached(record, session::read_series(*assets, *catalog).series, *catalog, *tr));
    return base::Done{};
}

} // namespace

Action define_device(Options& app, const Common& common) {
    auto options = std::make_shared<DeviceOptions>();
    app.add_option("--device", options->device, "which GPU (0)").type_name("N");
    app.add_option("--worker", options->worker, worker_help).type_name("NAME|CMD");
    app.add_flag("--json", options->json,
                 "print one JSON object; kept as assets/recorded/devices/NAME.json it stands in where there "
                 "is no GPU");
    return [options, &common] { return device(*options, common); };
}

} // namespace cli
