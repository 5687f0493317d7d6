// setup: NVRTC and ptxas from PyPI into the user's own folder, by pip, for programs that came as a package.
#include "base/file.h"
#include "base/process.h"
#include "base/system_reason.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "compile/compiler.h"
#include "compile/wheels.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <poll.h>
#include <unistd.h>

namespace cli {
namespace {

using base::Error;
using base::Failure;
namespace fs = std::filesystem;

constexpr uintmax_t room_to_compile = uintmax_t{1} << 30, room_for_cublas = uintmax_t{2} << 30; // while pip unpacks

struct SetupOptions {
    std::string cuda;
    bool cublas = false, again = false, remove = false;
};

// What pip needs of its surroundings: the system's certificates, since a company's proxy is known only to these; no
// settings of the user's that say where else to install; its temporary files where there is room.
std::vector<std::string> with_environment(const fs::path& temporary, std::vector<std::string> command) {
    std::vector<std::string> whole = {"/usr/bin/env", "PIP_USER=0", "PIP_REQUIRE_VIRTUALENV=0", "PYTHONNOUSERSITE=1",
                                      "TMPDIR=" + temporary.string()};
    const char* system_certificates = "/etc/ssl/certs/ca-certificates.crt";
    if (!std::getenv("PIP_CERT") && ::access(system_certificates, R_OK) == 0)
        whole.push_back(fmt::format("PIP_CERT={}", system_certificates));
    whole.insert(whole.end(), command.begin(), command.end());
    return whole;
}

uintmax_t bytes_below(const fs::path& folder) {
    uintmax_t bytes = 0;
    std::error_code gone; // pip moves files meanwhile
    for (fs::recursive_directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
        std::error_code ignored;
        if (at->is_regular_file(ignored)) bytes += at->file_size(ignored);
    }
    return bytes;
}

struct Said {
    std::string text;
    base::Sentence ended_as; // empty: with status 0
    bool interrupted = false;
};

void read_all(const base::Descriptor& from, std::string& text, bool& open) {
    char some[4096];
    ssize_t count;
    while ((count = ::read(from.number(), some, sizeof some)) > 0) text.append(some, static_cast<size_t>(count));
    if (count == 0) open = false;
}

// Runs it until it ends or Ctrl-C is pressed; meanwhile `progress` is shown.
template <class Progress>
base::Result<Said> run_shown(const std::vector<std::string>& command, const std::string& what, Progress progress) {
    Terminal terminal;
    auto process = base::Process::start(command, base::Group::own, what);
    if (!process) return process.error();
    process->input.close();
    Said said;
    bool output = true, error = true;
    while (output || error) {
        pollfd streams[2] = {{output ? process->output.number() : -1, POLLIN, 0},
                             {error ? process->error.number() : -1, POLLIN, 0}};
        ::poll(streams, 2, 250);
        if (output) read_all(process->output, said.text, output);
        if (error) read_all(process->error, said.text, error);
        terminal.show(progress());
        if (terminal.interrupts() > 0) {
            terminal.clear();
            process->finish(0);
            said.interrupted = true;
            return said;
        }
    }
    terminal.clear();
    said.ended_as = process->finish(60);
    return said;
}

// Python with pip: the system's, or, where that has none, one of a private environment in `folder`.
base::Result<std::vector<std::string>> find_pip(const fs::path& folder) {
    const std::vector<std::string> python = {"/usr/bin/env", "python3"};
    const auto call = [](std::vector<std::string> command, std::initializer_list<const char*> arguments) {
        command.insert(command.end(), arguments.begin(), arguments.end());
        return base::run_program(command, {});
    };
    const auto works = [](const base::Result<base::Ended>& ended) {
        return ended && ended->status == 0 && ended->signal == 0;
    };
    if (!works(call(python, {"-c", "import venv"})))
        return Error{Failure::missing,
                     base::say("python3, whose pip fetches them, is missing"),
                     {},
                     base::say("install python3 and python3-venv")};
    if (works(call(python, {"-m", "pip", "--version"}))) return std::vector<std::string>{"python3", "-m", "pip"};
    const std::string own = (folder / "python").string();
    if (!works(call(python, {"-m", "venv", own.c_str()})))
        return Error{Failure::missing,
                     base::say("python3 has no pip, and makes no environment that has one"),
                     {},
                     base::say("install python3-venv")};
    return std::vector<std::string>{own + "/bin/python3", "-m", "pip"};
}

// Pip's own last words on it.
std::string last_error(const std::string& text) {
    const size_t at = text.rfind("ERROR: ");
    if (at == text.npos) return {};
    const size_t start = at + std::string("ERROR: ").size();
    return text.substr(start, text.find('\n', start) - start);
}

Error pip_error(const Said& said) {
    const auto says = [&](const char* words) { return said.text.find(words) != said.text.npos; };
    if (says("No space left on device") || says("Disk quota exceeded"))
        return {Failure::missing, base::say("the disk is full"), base::data_folder().string(),
                base::say("make room, or let $GEMMSCOPE_DATA name a folder elsewhere")};
    for (const char* of_the_network : {"NewConnectionError", "ConnectTimeout", "ReadTimeout", "ProxyError", "SSLError",
                                       "Connection broken", "ConnectionResetError"})
        if (says(of_the_network))
            return {Failure::missing,
                    base::say("PyPI does not answer: {}", of_the_network),
                    {},
                    base::say("see whether the network is there, and whether pip needs a proxy")};
    const std::string reason = last_error(said.text);
    return {Failure::missing,
            base::say("pip {}: {}", said.ended_as,
                      reason.empty() ? base::say("it does not say why") : base::verbatim(reason)),
            {},
            {}};
}

// Everything beside what is there, which it replaces only at the end.
base::Status install(const std::vector<std::string>& wheels, const fs::path& folder, const fs::path& fresh) {
    std::error_code failed;
    fs::create_directories(fresh / "tmp", failed);
    if (failed)
        return Error{Failure::missing,
                     base::say("{}: {}", base::say("cannot make the folder"), base::system_reason(failed.value())),
                     fresh.string(),
                     {}};
    auto pip = find_pip(fresh);
    if (!pip) return pip.error();
    std::vector<std::string> command = *pip;
    for (const char* option :
         {"install", "--disable-pip-version-check", "--no-input", "--no-cache-dir", "--no-deps", "--no-compile",
          "--only-binary", ":all:", "--progress-bar", "off", "--retries", "2", "--target"})
        command.emplace_back(option);
    command.push_back(fresh.string());
    command.insert(command.end(), wheels.begin(), wheels.end());
    const auto said = run_shown(with_environment(fresh / "tmp", command), "pip",
                                [&] { return fmt::format("{} MB fetched or unpacked", bytes_below(fresh) / 1000000); });
    if (!said) return said.error();
    if (said->interrupted)
        return Error{Failure::usage, base::say("interrupted; what was there before is unchanged"), {}, {}};
    if (!said->ended_as.empty()) return pip_error(*said);
    if (auto linked = compile::link_wheels(fresh, wheels); !linked) return linked;
    fs::remove_all(fresh / "tmp", failed), fs::remove_all(fresh / "python", failed);
    fs::remove_all(folder, failed);
    fs::rename(fresh, folder, failed);
    if (failed)
        return Error{
            Failure::missing,
            base::say("{}: {}", base::say("it cannot be put in its place"), base::system_reason(failed.value())),
            folder.string(),
            {}};
    return base::Done{};
}

base::Status check_room(const fs::path& folder, uintmax_t needed) {
    fs::path there = folder;
    std::error_code failed;
    while (!fs::exists(there, failed) && there.has_relative_path()) there = there.parent_path();
    const fs::space_info space = fs::space(there, failed);
    if (failed || space.available >= needed) return base::Done{};
    return Error{Failure::missing,
                 base::say("{} MB are needed while it is unpacked, and {} MB are free", needed / 1000000,
                           space.available / 1000000),
                 there.string(), base::say("make room, or let $GEMMSCOPE_DATA name a folder elsewhere")};
}

// The version of CUDA that the driver of this machine knows, where it has one.
int driver_version() {
    const auto smi = base::run_program({"/usr/bin/env", "nvidia-smi"}, {});
    return smi && smi->output.find("CUDA Version: 12.") != std::string::npos ? 12 : 13;
}

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

base::Status setup(const SetupOptions& options) {
    const fs::path folder = compile::wheels_folder();
    if (options.remove) return remove_wheels(folder);
    auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    auto list = base::read_file(*assets / "cuda_wheels.txt");
    if (!list) return list.error();
    const int cuda = options.cuda.empty() ? driver_version() : options.cuda == "12" ? 12 : 13;
    auto wheels = compile::wheels_of(*list, cuda, options.cublas);
    if (!wheels) return wheels.error();
    if (!options.again && compile::linked_wheels(folder) == *wheels) {
        print(fmt::format("{} is there already\n", folder.string()));
        return report(folder);
    }
    if (auto room = check_room(folder, room_to_compile + (options.cublas ? room_for_cublas : 0)); !room) return room;
    fmt::print(stderr, "gemmscope: fetching from PyPI into {}: {}\n", folder.string(), fmt::join(*wheels, " "));
    const fs::path fresh = folder.parent_path() / "cuda.new";
    std::error_code ignored;
    fs::remove_all(fresh, ignored); // of one that was killed
    base::Status installed = install(*wheels, folder, fresh);
    fs::remove_all(fresh, ignored);
    if (!installed) return installed;
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
