// setup: NVRTC and ptxas from PyPI into the user's own folder, by pip, for programs that came as a package.
#include "base/file.h"
#include "base/system_reason.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "compile/compiler.h"
#include "compile/fetch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {
namespace {

using base::Error;
using base::Failure;
namespace fs = std::filesystem;

struct SetupOptions {
    std::string cuda;
    bool cublas = false, again = false, remove = false;
};

base::Status remove_wheels(const fs::path& folder) {
    std::error_code failed;
    const uintmax_t files = fs::remove_all(folder, failed);
    if (failed)
        return Error{Failure::missing,
                     base::say("{}: {}", base::say("it cannot be removed"), base::system_reason(failed.value())),
                     folder.string(),
                     {}};
    print(files ? fmt::format("{} is removed\n", folder.string()) : fmt::format("there is no {}\n", folder.string()));
    return base::Done{};
}

base::Status report(const fs::path& folder) {
    const compile::Availability nvrtc = compile::availability(), ptxas = compile::assembler();
    for (const auto* part : {&nvrtc, &ptxas})
        if (!part->found)
            return Error{Failure::missing, base::verbatim(part->reason), folder.string(),
                         base::say("see gemmscope doctor")};
    print(fmt::format("NVRTC {}, {}\nptxas {}, {}\n", nvrtc.version, nvrtc.path, ptxas.version, ptxas.path));
    return base::Done{};
}

// Shows how far it is, until it is done or Ctrl-C is pressed.
base::Status fetch(const std::vector<compile::Wheel>& wheels) {
    Terminal terminal;
    std::stop_source stop;
    base::Status fetched = compile::fetch_wheels(wheels, stop.get_token(), [&](const compile::Fetching& now) {
        constexpr uintmax_t mega = 1'000'000;
        terminal.show(now.fetched < now.of
                          ? fmt::format("{} of {} MB fetched", now.fetched / mega, now.of / mega)
                          : fmt::format("{} MB fetched, {} MB unpacked", now.of / mega, now.unpacked / mega));
        if (terminal.interrupts() > 0) stop.request_stop();
    });
    terminal.clear();
    return fetched;
}

base::Status setup(const SetupOptions& options) {
    const fs::path folder = compile::wheels_folder();
    if (options.remove) return remove_wheels(folder);
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    auto list = base::read_file(*assets / "cuda_wheels.txt");
    if (!list) return list.error();
    const int cuda = options.cuda.empty() ? compile::cuda_of_driver() : options.cuda == "12" ? 12 : 13;
    auto wheels = compile::wheels_of(*list, cuda, options.cublas);
    if (!wheels) return wheels.error();
    std::vector<std::string> names;
    for (const compile::Wheel& wheel : *wheels) names.push_back(wheel.name);
    if (!options.again && compile::linked_wheels(folder) == names) {
        print(fmt::format("{} is there already\n", folder.string()));
        return report(folder);
    }
    print_aside(fmt::format("gemmscope: fetching from PyPI into {}: {}\n", folder.string(), fmt::join(names, " ")));
    if (auto fetched = fetch(*wheels); !fetched) return fetched;
    return report(folder);
}

} // namespace

Action define_setup(Options& app, const Common&) {
    auto options = std::make_shared<SetupOptions>();
    app.add_option("--cuda", options->cuda, "the major version of CUDA (that which this machine's driver knows, or 13)")
        .one_of({"12", "13"})
        .type_name("VERSION");
    app.add_flag("--cublas", options->cublas, "cuBLAS, too, half a gigabyte, to compare with on a GPU");
    app.add_flag("--again", options->again, "even if it is there");
    app.add_flag("--remove", options->remove, "remove what was fetched");
    app.note(
        "It goes to $XDG_DATA_HOME/gemmscope, or ~/.local/share/gemmscope. pip fetches it and compares its checksums.\n"
        "A CUDA Toolkit that is installed goes first.");
    return [options] { return setup(*options); };
}

} // namespace cli
