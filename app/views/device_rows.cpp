#include "views/device_rows.h"

#include "base/text.h"
#include "session/ceiling.h"
#include "views/axis.h"
#include "views/say.h"
#include "views/speed_words.h"

namespace views {

std::vector<std::string> device_facts(const Strings& tr, const measure::Device& d) {
    constexpr double kib = 1024, mib = 1024 * kib, gib = 1024 * mib;
    return {say(tr, "device.chip", d.multiprocessors, d.arch, d.sm_clock_mhz),
            say(tr, "device.memories", short_number(static_cast<double>(d.memory_bytes) / gib),
                short_number(static_cast<double>(d.l2_bytes) / mib),
                short_number(static_cast<double>(d.shared_bytes) / kib))};
}

std::vector<DevicePeak> device_peaks(const Strings& tr, const measure::Device& d, const measure::Peaks* m,
                                     std::span<const analysis::Unit> units) {
    const analysis::Device device = session::arithmetic(d);
    std::vector<DevicePeak> rows;
    for (const analysis::Unit unit : units) {
        const session::Ceiling found = session::ceiling(unit, device, m);
        DevicePeak row;
        row.name = unit_text(tr, unit);
        row.product =
            fmt::format("{} × {} × {:.3g} × {} MHz = {:.1f} TFLOPS", d.multiprocessors, device.per_clock(unit),
                        analysis::operations(unit), d.sm_clock_mhz, found.gflops / 1e3);
        row.factors = tr(unit == analysis::Unit::tensor_3xtf32 ? "device.three_products_factors"
                         : analysis::is_tensor(unit)           ? "device.tensor_factors"
                         : unit == analysis::Unit::popc        ? "device.popc_factors"
                                                               : "device.fma_factors");
        if (found.measured_gflops > 0)
            row.measured = say(tr, "device.fma_measured", fmt::format("{:.1f}", found.measured_gflops / 1e3),
                               percent_text(found.measured_gflops, found.gflops),
                               unit == analysis::Unit::fp32 ? m->fma_clock_mhz : m->fp64_clock_mhz);
        rows.push_back(std::move(row));
    }
    rows.push_back({tr("device.memory"),
                    fmt::format("{} bit ÷ 8 × 2 × {} MHz = {:.0f} GB/s", d.memory_bus_bits, d.memory_clock_mhz,
                                device.memory_gb_s),
                    tr("device.memory_factors"),
                    m ? say(tr, "device.memory_measured", fmt::format("{:.0f}", m->copy_gb_s),
                            percent_text(m->copy_gb_s, device.memory_gb_s))
                      : ""});
    return rows;
}

std::string caches_text(const Strings& tr, const measure::Peaks& m) {
    const auto rounded = [](double value) { return base::thousands(static_cast<uint64_t>(value + 0.5)); };
    return m.l2_gb_s > 0 ? say(tr, "device.caches_measured", rounded(m.l2_gb_s), rounded(m.l1_gb_s)) : "";
}

} // namespace views
