#include "compile/fetch.h"

#include "base/file.h"
#include "base/process.h"
#include "base/system_reason.h"

#include <fmt/format.h>

#include <cstdlib>
#include <poll.h>
#include <unistd.h>

namespace compile {
namespace {

using base::Error;
using base::Failure;
namespace fs = std::filesystem;

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

// Of the wheels that pip fetches into its temporary files, and of all that it has unpacked.
Fetching bytes_below(const fs::path& folder, uintmax_t total) {
    Fetching now{0, total, 0};
    std::error_code gone; // pip moves files meanwhile
    for (fs::recursive_directory_iterator at(folder, gone), end; !gone && at != end; at.increment(gone)) {
        std::error_code ignored;
        if (!at->is_regular_file(ignored)) continue;
        (at->path().extension() == ".whl" ? now.fetched : now.unpacked) += at->file_size(ignored);
    }
    return now;
}

struct Said {
    std::string text;
    base::Sentence ended_as; // empty: with status 0
};

void read_all(const base::Descriptor& from, std::string& text, bool& open) {
    char some[4096];
    ssize_t count;
    while ((count = ::read(from.number(), some, sizeof some)) > 0) text.append(some, static_cast<size_t>(count));
    if (count == 0) open = false;
}

// Runs it until it ends, or to its death once a stop is asked for; four times a second `look` is called.
base::Result<Said> run_watched(const std::vector<std::string>& command, const std::string& what,
                               const std::stop_token& stop, const std::function<void()>& look) {
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
        look();
        if (stop.stop_requested()) {
            process->finish(0);
            return said;
        }
    }
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
base::Status install(const std::vector<Wheel>& wheels, const fs::path& folder, const fs::path& fresh,
                     const std::stop_token& stop, const std::function<void(const Fetching&)>& progress) {
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
    uintmax_t total = 0;
    std::vector<std::string> names;
    for (const Wheel& wheel : wheels) total += wheel.bytes, names.push_back(wheel.name);
    command.insert(command.end(), names.begin(), names.end());
    const auto said = run_watched(with_environment(fresh / "tmp", command), "pip", stop,
                                  [&] { progress(bytes_below(fresh, total)); });
    if (!said) return said.error();
    if (stop.stop_requested())
        return Error{Failure::usage, base::say("interrupted; what was there before is unchanged"), {}, {}};
    if (!said->ended_as.empty()) return pip_error(*said);
    if (auto linked = link_wheels(fresh, names); !linked) return linked;
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

// While pip unpacks.
uintmax_t room_for(const std::vector<Wheel>& wheels) {
    uintmax_t bytes = 500'000'000;
    for (const Wheel& wheel : wheels) bytes += 4 * wheel.bytes;
    return bytes;
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

} // namespace

int cuda_of_driver() {
    const auto smi = base::run_program({"/usr/bin/env", "nvidia-smi"}, {});
    return smi && smi->output.find("CUDA Version: 12.") != std::string::npos ? 12 : 13;
}

base::Result<std::vector<Wheel>> wheels_to_compile_with() {
    const auto assets = base::resource_folder("assets");
    if (!assets) return assets.error();
    const auto list = base::read_file(*assets / "cuda_wheels.txt");
    return list ? wheels_of(*list, cuda_of_driver(), false) : list.error();
}

base::Status fetch_wheels(const std::vector<Wheel>& wheels, std::stop_token stop,
                          const std::function<void(const Fetching&)>& progress) {
    const fs::path folder = wheels_folder();
    if (auto room = check_room(folder, room_for(wheels)); !room) return room;
    const fs::path fresh = folder.parent_path() / "cuda.new";
    std::error_code ignored;
    fs::remove_all(fresh, ignored); // of one that was killed
    base::Status installed = install(wheels, folder, fresh, stop, progress);
    fs::remove_all(fresh, ignored);
    return installed;
}

} // namespace compile
