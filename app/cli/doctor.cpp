// doctor: what was found on this machine, what is missing and how to get it.
#include "base/file.h"
#include "cli/command.h"
#include "cli/json.h"
#include "cli/machines.h"
#include "cli/table.h"
#include "compile/compiler.h"
#include "compile/packed.h"
#include "cpu/openblas.h"
#include "gpu/client.h"
#include "gpu/worker/cutlass.h"

#include <fmt/format.h>

#include <filesystem>
#include <unistd.h>

namespace cli {
namespace {

std::string device_text(const measure::Device& d) {
    return fmt::format("{}, {}, {} multiprocessors, {:.1f} GiB, up to {} MHz", d.name, d.arch, d.multiprocessors,
                       static_cast<double>(d.memory_bytes) / 0x1p30, d.sm_clock_mhz);
}

// Driver and GPU, by asking the worker process: a driver that crashes takes only that with it.
std::vector<Check> gpu_checks() {
    gpu::Worker::Options options;
    options.hello_limit_s = 20;
    gpu::Worker worker(std::move(options));
    worker.start();
    for (bool busy = true; busy;) {
        busy = worker.busy(); // before: what ends it comes with an event
        auto event = worker.next(1.0);
        if (!event) continue;
        if (auto* error = std::get_if<base::Error>(&*event)) {
            return {{"GPU", false, error->what.english(),
                     error->todo.empty() ? "everything but live GPU runs works without one" : error->todo.english()}};
        }
        auto* hello = std::get_if<gpu::Hello>(&*event);
        if (!hello) continue;
        std::vector<Check> checks;
        for (const measure::Device& device : hello->devices) checks.push_back({"GPU", true, device_text(device), {}});
        checks.push_back({"driver", true, fmt::format("{}, up to CUDA {}", hello->driver, hello->cuda), {}});
        const bool cublas = !hello->cublas.empty();
        checks.push_back({"cuBLAS", cublas, cublas ? hello->cublas : hello->cublas_missing,
                          cublas ? "" : "install the CUDA Toolkit"});
        return checks;
    }
    return {{"GPU", false, "the worker gave no answer", "run gemmscope worker by hand to see why"}};
}

Check nvrtc_check() {
    const compile::Availability nvrtc = compile::availability();
    if (!nvrtc.found) {
        const size_t packed = compile::packed().kernels;
        const std::string without =
            packed ? fmt::format("lessons and the first screen use the {} kernels of the pack; for any other, ", packed)
                   : std::string();
        return {"NVRTC", false, nvrtc.reason,
                without + "install the CUDA Toolkit, or run gemmscope setup, which fetches it from PyPI"};
    }
    const auto& all = nvrtc.architectures;
    const std::string range = all.empty() ? "no architectures" : fmt::format("{} to {}", all.front(), all.back());
    return {"NVRTC", true, fmt::format("{}, {}, {}", nvrtc.version, range, nvrtc.path), {}};
}

Check ptxas_check() {
    const compile::Availability ptxas = compile::assembler();
    if (!ptxas.found)
        return {"ptxas", false, ptxas.reason,
                "without it there are no registers, no machine code and no runs on a GPU; gemmscope setup fetches it"};
    return {"ptxas", true, fmt::format("{}, {}", ptxas.version, ptxas.path), {}};
}

// What takes the compilers' place where lessons and the first screen ask for nothing else. Nothing where it is not installed.
std::vector<Check> pack_checks() {
    const compile::Packed pack = compile::packed();
    if (!pack.damage.empty()) return {{"pack", false, pack.damage, {}}};
    if (pack.kernels == 0) return {};
    return {{"pack",
             true,
             fmt::format("{} kernels come compiled, by NVRTC {} and ptxas {}, {}", pack.kernels, pack.nvrtc, pack.ptxas,
                         pack.path),
             {}}};
}

Check openblas_check() {
    const auto found = cpu::OpenBlas::open();
    if (!found) return {"OpenBLAS", false, found.error().what.english(), found.error().todo.english()};
    return {"OpenBLAS", true, fmt::format("{}, {} threads", found->version(), found->threads()), {}};
}

Check cutlass_check() {
    const auto found = gpu::Cutlass::open();
    if (!found) return {"CUTLASS", false, found.error().what.english(), found.error().todo.english()};
    return {"CUTLASS", true, fmt::format("{}, CUDA {}, {}", found->version(), found->cuda(), found->path()), {}};
}

Check folder_check(const char* name) {
    auto folder = base::resource_folder(name);
    if (folder) return {name, true, folder->string(), {}};
    return {name, false, folder.error().what.english(), "install gemmscope again, or start it from its build folder"};
}

// A folder that gemmscope writes to, made when it is first needed.
Check own_folder_check(const char* name, const std::filesystem::path& folder) {
    std::filesystem::path there = folder;
    std::error_code ignored;
    while (there.has_parent_path() && there != there.parent_path() && !std::filesystem::exists(there, ignored))
        there = there.parent_path();
    if (::access(there.c_str(), W_OK) == 0) return {name, true, folder.string(), {}};
    return {name, false, folder.string() + " cannot be written", "make it writable; until then nothing is remembered"};
}

base::Status doctor(const Common& common, bool json) {
    std::vector<Check> checks = gpu_checks();
    const auto machines = session::read_machines(session::own_machines());
    if (!machines) checks.push_back({"machines", false, machines.error().what.english(), machines.error().where});
    else
        for (Check& check : machine_checks(machines->machines)) checks.push_back(std::move(check));
    checks.push_back(nvrtc_check());
    checks.push_back(ptxas_check());
    for (Check& check : pack_checks()) checks.push_back(std::move(check));
    checks.push_back(openblas_check());
    checks.push_back(cutlass_check());
    for (const Check& check : common.frontend->checks()) checks.push_back(check);
    for (const char* name : {"kernels", "assets"}) checks.push_back(folder_check(name));
    checks.push_back(own_folder_check("cache", base::cache_folder()));
    checks.push_back(own_folder_check("state", base::state_folder()));
    checks.push_back(own_folder_check("data", base::data_folder()));
    if (json) {
        Json rows = Json::array();
        for (const Check& c : checks)
            rows.push_back({{"part", c.part}, {"found", c.found}, {"detail", c.detail}, {"todo", c.todo}});
        print(line(rows));
        return base::Done{};
    }
    using enum Table::Align;
    Table table({left, left, left});
    for (const Check& c : checks) {
        table.row({c.part, c.found ? "found" : "MISSING", c.detail});
        if (!c.todo.empty()) table.row({"", "", fmt::format("-> {}", c.todo)});
    }
    print(table.text());
    return base::Done{};
}

} // namespace

Action define_doctor(Options& app, const Common& common) {
    auto json = std::make_shared<bool>(false);
    app.add_flag("--json", *json, "print one JSON array");
    return [json, &common] { return doctor(common, *json); };
}

} // namespace cli
