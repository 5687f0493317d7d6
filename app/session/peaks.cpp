#include "session/peaks.h"

#include "base/fields.h"
#include "base/file.h"
#include "base/number.h"
#include "compile/compiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace session {
namespace {

constexpr int fmas_per_turn = 256;                                     // of a thread
constexpr uint32_t block_threads = 256, blocks_per_multiprocessor = 8; // all that a multiprocessor can hold
constexpr int loads_per_turn = 4, bytes_per_load = 16;                 // of a thread
constexpr uint64_t l1_bytes = 16 << 10; // L1 is what shared memory leaves of at least 96 KiB; nothing is shared here

base::Result<gpu::Launch> launch(const compile::Source& source, const measure::Device& device,
                                 const std::stop_token& stop) {
    auto code = compile::to_machine_code(source, stop);
    if (code.failed) return code.failed->error;
    gpu::Launch launch;
    launch.kernel = source.entry;
    launch.image = code.value->cubin;
    launch.entry = code.value->entry;
    launch.cuda = compile::availability().version;
    launch.grid = {static_cast<uint32_t>(device.multiprocessors) * blocks_per_multiprocessor, 1, 1};
    launch.block = {block_threads, 1, 1};
    return launch;
}

// A third of L2 at most: where it has two halves, each may keep a copy of what the other one holds.
uint64_t buffer_in_l2(const measure::Device& device) {
    return std::bit_floor(std::max<uint64_t>(device.l2_bytes / 3, l1_bytes));
}

} // namespace

base::Result<gpu::PeaksRequest> peaks_request(const std::filesystem::path& assets, const measure::Device& device,
                                              std::stop_token stop) {
    const std::filesystem::path file = assets / "peaks.cu";
    auto text = base::read_file(file);
    if (!text) return text.error();
    compile::Source source{*text, file.string(), {}, {}, device.arch};
    gpu::PeaksRequest request;
    for (auto [kernel, made] : {std::pair{fmt::format("fma_peak<float, {}>", fmas_per_turn), &request.fma},
                                {fmt::format("fma_peak<double, {}>", fmas_per_turn), &request.fp64},
                                {std::string("copy_peak"), &request.copy},
                                {std::string("read_peak<Cache::l1>"), &request.l1.read},
                                {std::string("read_peak<Cache::l2>"), &request.l2.read}}) {
        source.entry = kernel;
        auto compiled = launch(source, device, stop);
        if (!compiled) return compiled.error();
        *made = std::move(*compiled);
    }
    const double all_threads = static_cast<double>(request.fma.grid.count()) * block_threads;
    request.flop_per_turn = 2.0 * fmas_per_turn * all_threads;
    for (auto [read, bytes] : {std::pair{&request.l1, l1_bytes}, {&request.l2, buffer_in_l2(device)}}) {
        read->bytes = bytes;
        read->bytes_per_turn = loads_per_turn * bytes_per_load * all_threads;
    }
    return request;
}

analysis::Device arithmetic(const measure::Device& device) {
    constexpr double mega = 1e6, giga = 1e9, double_data_rate = 2;
    analysis::Device found;
    found.fp32_lanes = 0;
    if (const analysis::Device* listed = analysis::device_of(device.arch)) found = *listed;
    found.name = device.name;
    found.arch = device.arch;
    found.multiprocessors = device.multiprocessors;
    found.clock_ghz = device.sm_clock_mhz * mega / giga;
    found.memory_gb_s = device.memory_bus_bits / 8.0 * double_data_rate * device.memory_clock_mhz * mega / giga;
    return found;
}

std::string to_json(const DeviceRecord& record) {
    const analysis::Device peaks = arithmetic(record.device);
    base::FieldsWriter products, json;
    products.integer("fp32_lanes", peaks.fp32_lanes)
        .integer("fp64_lanes", peaks.fp64_lanes)
        .number("fma_gflops", base::significant(peaks.gflops(analysis::Unit::fp32)))
        .number("fp64_gflops", base::significant(peaks.gflops(analysis::Unit::fp64)))
        .number("memory_gb_s", base::significant(peaks.memory_gb_s));
    json.object("device", measure::fields_of(record.device)).object("arithmetic", products);
    record.measured ? json.object("measured", measure::fields_of(*record.measured)) : json.null("measured");
    return json.line();
}

base::Result<DeviceRecord> read_device(const std::filesystem::path& path) {
    auto text = base::read_file(path);
    if (!text) return text.error();
    auto wrong = [&](const base::Error& error) {
        return base::Error{base::Failure::usage, error.what, path.string(),
                           base::say("write it again by gemmscope device --json")};
    };
    base::Fields fields(*text);
    base::Fields described = fields.object("device");
    if (!fields.ok()) return wrong(fields.error());
    auto device = measure::device_from(std::move(described));
    if (!device) return wrong(device.error());
    DeviceRecord record{std::move(*device), {}, path.filename().string()};
    if (!fields.has("measured") || fields.null("measured")) return record;
    auto measured = measure::peaks_from(fields.object("measured"));
    if (!fields.ok()) return wrong(fields.error());
    if (!measured) return wrong(measured.error());
    record.measured = std::move(*measured);
    return record;
}

} // namespace session
