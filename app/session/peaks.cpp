#include "session/peaks.h"

#include "analysis/intensity.h"
#include "base/file.h"
#include "base/number.h"
#include "compile/compiler.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace session {
namespace {

constexpr int fmas_per_turn = 256;                               // of a thread
constexpr uint32_t threads = 256, blocks_per_multiprocessor = 8; // all that a multiprocessor can hold

base::Result<gpu::Launch> launch(const compile::Source& source, const gpu::Device& device) {
    auto code = compile::to_machine_code(source);
    if (code.failed) return code.failed->error;
    gpu::Launch launch;
    launch.kernel = source.entry;
    launch.image = code.value->cubin;
    launch.entry = code.value->entry;
    launch.cuda = compile::availability().version;
    launch.grid = {static_cast<uint32_t>(device.multiprocessors) * blocks_per_multiprocessor, 1, 1};
    launch.block = {threads, 1, 1};
    return launch;
}

} // namespace

base::Result<gpu::PeaksRequest> peaks_request(const std::filesystem::path& assets,
                                              const gpu::Device& device) {
    const std::filesystem::path file = assets / "peaks.cu";
    auto text = base::read_file(file);
    if (!text) return text.error();
    compile::Source source{*text, file.string(), fmt::format("fma_peak<{}>", fmas_per_turn), {}, device.arch};
    auto fma = launch(source, device);
    if (!fma) return fma.error();
    source.entry = "copy_peak";
    auto copy = launch(source, device);
    if (!copy) return copy.error();
    gpu::PeaksRequest request;
    request.flop_per_turn = 2.0 * fmas_per_turn * static_cast<double>(fma->grid.count()) * threads;
    request.fma = std::move(*fma);
    request.copy = std::move(*copy);
    return request;
}

Arithmetic arithmetic(const gpu::Device& device) {
    constexpr double mega = 1e6, giga = 1e9, double_data_rate = 2;
    analysis::Device found; // at the clock that it says of itself
    found.multiprocessors = device.multiprocessors;
    found.clock_ghz = device.sm_clock_mhz * mega / giga;
    found.fp32_lanes = analysis::fp32_lanes(device.arch);
    found.fp64_lanes = analysis::fp64_lanes(device.arch);
    Arithmetic peaks;
    peaks.fp32_lanes = found.fp32_lanes;
    peaks.fma_gflops = found.fp32_gflops();
    peaks.fp64_gflops = found.fp64_gflops();
    peaks.popc_gflops = found.popc_gflops();
    peaks.memory_gb_s =
        device.memory_bus_bits / 8.0 * double_data_rate * device.memory_clock_mhz * mega / giga;
    return peaks;
}

std::string to_json(const DeviceRecord& record) {
    using nlohmann::ordered_json;
    const Arithmetic peaks = arithmetic(record.device);
    ordered_json json;
    json["device"] = ordered_json::parse(gpu::to_json(record.device));
    json["arithmetic"] = {{"fp32_lanes", peaks.fp32_lanes},
                          {"fma_gflops", base::significant(peaks.fma_gflops)},
                          {"memory_gb_s", base::significant(peaks.memory_gb_s)}};
    json["measured"] =
        record.measured ? ordered_json::parse(gpu::to_json(*record.measured)) : ordered_json(nullptr);
    return json.dump();
}

base::Result<DeviceRecord> read_device(const std::filesystem::path& path) {
    auto text = base::read_file(path);
    if (!text) return text.error();
    auto wrong = [&](std::string what) {
        return base::Error{base::Failure::usage, std::move(what), path.string(),
                           "write it again by gemmscope device --json"};
    };
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("device")) return wrong("describes no device");
    auto device = gpu::device_from_json(json["device"].dump());
    if (!device) return wrong("device." + device.error().what);
    DeviceRecord record{std::move(*device), {}, path.filename().string()};
    if (!json.contains("measured") || json["measured"].is_null()) return record;
    auto measured = gpu::peaks_from_json(json["measured"].dump());
    if (!measured) return wrong("measured." + measured.error().what);
    record.measured = std::move(*measured);
    return record;
}

} // namespace session
